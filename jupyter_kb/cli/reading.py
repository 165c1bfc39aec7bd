"""Commands that read: outline, get, links and backlinks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import (
    EVERYTHING,
    file_argument,
    folder_key,
    heading_argument,
    json_option,
    line_option,
    markdown_option,
    note_key,
    opened,
    paging_options,
    section,
    vault_options,
)

if TYPE_CHECKING:
    from jupyter_kb.models import LinkKind, LinkPage, ResolvedLink, SectionContent
    from jupyter_kb.sharing import SharedKnowledgeBase


@click.command(cls=Command, short_help="Show the headings of a note, or the folders of the vault.")
@click.argument("file", required=False)
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Show N levels only.")
@click.option("--hashes", is_flag=True, help="Show the hash of each section.")
@json_option
@markdown_option
@vault_options
def outline(
    file: str | None,
    depth: int | None,
    hashes: bool,
    as_json: bool,
    as_markdown: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Show the headings of FILE as a tree, with their lines.

    Without FILE, or where it is a folder: the folders and notes there.
    """
    from jupyter_kb.render import lines, markdown, text

    with opened(vault, index_dir, indexed=False) as kb:
        folder = "" if file is None else folder_key(kb, file)
        if file is None or folder is not None:
            tree = kb.tree(folder=folder or "")
            console.write_json(tree) if as_json else console.show(text.tree(tree, depth=depth))
            return
        value = kb.outline(note_key(kb, file))
    if as_json:
        console.write_json(value)
    elif as_markdown:
        console.show_text(markdown.outline(value))
    else:
        console.show(text.outline(value, depth=depth or 99, hashes=hashes))
        if not value.sections:
            console.show([lines.words("no sections: the note is empty", "muted")], err=True)
        console.show(text.diagnostics(value.diagnostics), err=True)


@click.command(cls=Command, short_help="Print the exact bytes of a section or note.")
@file_argument
@heading_argument
@line_option
@click.option("--own", is_flag=True, help="Only the section's own text, up to its first sub-heading.")
@click.option("--levels-up", type=click.IntRange(min=0), default=0, metavar="N", help="The N-th section around it.")
@json_option
@vault_options
def get(
    file: str,
    heading: str | None,
    line: int | None,
    own: bool,
    levels_up: int,
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Print the exact bytes of a section: nothing is added, and no line end follows.

    HEADING is the path of headings, "Flight > Landing", or the end of it where that is enough, "Landing"; of two equal
    headings the second is "Landing[2]". Without HEADING and --line the whole note is printed. --json adds the hash that
    an edit must name, and the byte and line ranges; a terminal shows them on standard error.

    \b
    jupyter kb get kite.md "Flight > Landing"
    jupyter kb get kite.md --line 42 --own --json
    """
    with opened(vault, index_dir, indexed=False) as kb:
        content = kb.get_section(section(kb, file, heading, line), children=not own, levels_up=levels_up)
    if as_json:
        console.write_json(content)
        return
    console.write_bytes(content.content.encode("utf-8", "surrogateescape"))
    if sys.stdout.isatty():
        _show_place(content)


def _show_place(content: SectionContent) -> None:
    from jupyter_kb.render.lines import visible, words

    lines, data = content.line_range, content.byte_range
    place = " > ".join(filter(None, (content.file, content.heading_path)))
    ended = content.content.endswith(("\n", "\r"))
    sys.stderr.write("" if ended else "\n")
    console.show(
        [
            words(f"{visible(place)}  lines {lines.start}-{lines.end}  bytes {data.start}-{data.end}", "muted"),
            words(f"hash {content.content_hash[:16]}", "muted"),
        ],
        err=True,
    )


_kind_option = click.option(
    "--kind", type=click.Choice(["wikilink", "embed", "markdown"]), help="Only this kind of link."
)


@click.command(cls=Command, short_help="Show the links of a note or section, and what they mean.")
@file_argument
@heading_argument
@click.option(
    "--direction",
    type=click.Choice(["in", "out", "both"]),
    default="out",
    help="`out`: links in it (the default); `in`: links to it; `both`.",
)
@_kind_option
@paging_options
@json_option
@markdown_option
@vault_options
def links(
    file: str,
    heading: str | None,
    direction: Literal["in", "out", "both"],
    kind: LinkKind | None,
    limit: int | None,
    offset: int,
    as_json: bool,
    as_markdown: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Show the links of a note or section, and what each of them means.

    Links are understood as people write them: any case, aliases, relative paths, `note#Heading`. One that points to
    nothing, or to several notes, says so.
    """
    with opened(vault, index_dir, indexed=True) as kb:
        key, page = _links(kb, file, heading, direction, kind, limit, offset)
    if as_json:
        console.write_json({"file": key, "heading_path": heading, "direction": direction, **vars(page)})
    else:
        _show_links(page, offset, as_markdown, f"No links {direction if direction != 'both' else 'in or out'}.")


@click.command(cls=Command, short_help="Show the links that point to a note or section.")
@file_argument
@heading_argument
@_kind_option
@paging_options
@json_option
@markdown_option
@vault_options
def backlinks(
    file: str,
    heading: str | None,
    kind: LinkKind | None,
    limit: int | None,
    offset: int,
    as_json: bool,
    as_markdown: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Show the links that point to a note or section: where each stands, and the line around it."""
    with opened(vault, index_dir, indexed=True) as kb:
        key, page = _links(kb, file, heading, "in", kind, limit, offset)
    if as_json:
        found = [_backlink(link) for link in page.links]
        console.write_json({"file": key, "heading_path": heading, "backlinks": found, "total": page.total})
    else:
        nothing = f"Nothing links to {key}" + (f" > {heading}." if heading else ".")
        _show_links(page, offset, as_markdown, nothing, asked=(key, heading))


def _links(
    kb: SharedKnowledgeBase,
    file: str,
    heading: str | None,
    direction: Literal["in", "out", "both"],
    kind: LinkKind | None,
    limit: int | None,
    offset: int,
) -> tuple[str, LinkPage]:
    key = note_key(kb, file)
    page = kb.links(
        key,
        heading,
        direction=direction,
        kind=kind,
        limit=EVERYTHING if limit is None else limit,
        offset=offset,
        fresh=False,
    )
    return key, page


def _backlink(link: ResolvedLink) -> dict[str, Any]:
    return {
        "from": link.source,
        "line": link.line,
        "raw_target": link.raw_target,
        "target_heading_path": link.target.heading_path if link.target else None,
        "kind": link.kind,
        "context": link.context,
    }


def _show_links(
    page: LinkPage, offset: int, as_markdown: bool, nothing: str, asked: tuple[str, str | None] | None = None
) -> None:
    from jupyter_kb.models import LinkTarget
    from jupyter_kb.render import lines, markdown, text

    if as_markdown:
        console.show_text(markdown.links(page))
    elif page.links:
        target = LinkTarget(file=asked[0], heading_path=asked[1]) if asked else None
        console.show(text.links(page, asked=target))
        console.show(lines.footer(len(page.links), offset, page.total, "links"), err=True)
    else:
        console.show([lines.words(nothing)], err=True)
