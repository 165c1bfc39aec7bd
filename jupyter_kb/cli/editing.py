"""The command that changes a section under the guard of its hash: edit."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jupyter_kb.cli import console, refusals
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import (
    file_argument,
    heading_argument,
    json_option,
    line_option,
    opened,
    section,
    several,
    vault_options,
)

if TYPE_CHECKING:
    from jupyter_kb.models import EditResult, SectionContent, SectionEdit, SectionRef
    from jupyter_kb.sharing import SharedKnowledgeBase

_OPERATIONS = (
    "replace",
    "append",
    "prepend",
    "insert-before",
    "insert-after",
    "insert-child",
    "rename",
    "delete",
    "move",
)
_WITHOUT_TEXT = ("rename", "delete", "move")
_WITH_HEADING = ("insert-before", "insert-after", "insert-child", "rename")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))+")


body_options = several(
    click.option("--body", metavar="TEXT", help="The new text."),
    click.option(
        "--body-file",
        type=click.Path(dir_okay=False, allow_dash=True),
        metavar="PATH",
        help="Read the new text from a file, or from standard input (`-`).",
    ),
)


@click.command(cls=Command, short_help="Change one section of a note, and nothing else in it.")
@file_argument
@heading_argument
@line_option
@body_options
@click.option("--expected-hash", metavar="HASH", help="Hash of the text you read (`get --json`), or 12 digits of it.")
@click.option("--operation", type=click.Choice(_OPERATIONS), default="replace", help="What to do (default: replace).")
@click.option("--heading", "new_heading", metavar="TEXT", help="The heading for the insert operations and rename.")
@click.option("--before", metavar="HEADING", help="With move: put the section before this one of the same note.")
@click.option("--after", metavar="HEADING", help="With move: put the section behind this one and all below it.")
@click.option("--update-links", is_flag=True, help="With rename: let the links of the vault to the heading follow.")
@click.option("--own", is_flag=True, help="In the editor: only the section's own text, without its sub-sections.")
@click.option("--dry-run", is_flag=True, help="Print the change as a diff; write nothing.")
@json_option
@vault_options
def edit(
    file: str,
    heading: str | None,
    line: int | None,
    body: str | None,
    body_file: str | None,
    expected_hash: str | None,
    operation: str,
    new_heading: str | None,
    before: str | None,
    after: str | None,
    update_links: bool,
    own: bool,
    dry_run: bool,
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Change one section of a note, and nothing else in it.

    Without --body and --body-file your editor ($VISUAL or $EDITOR) opens on the text below the heading. The hash of the
    section is taken when the text is read: if somebody else changes it meanwhile, nothing is overwritten, and your text
    is kept in a file.

    With --body or --body-file, --expected-hash must name the text that you read: `jupyter kb get FILE HEADING --json`
    prints it as `content_hash`. The hash of the whole section replaces its sub-sections too; the hash of `get --own`
    replaces the text up to the first sub-heading.

    \b
    jupyter kb edit kite.md "Flight > Landing"
    jupyter kb edit kite.md Landing --body-file new.md --expected-hash 9f86d081884c
    jupyter kb edit kite.md Landing --operation rename --heading Touchdown --expected-hash 9f86d081884c
    jupyter kb edit kite.md Landing --operation move --before Launch --expected-hash 9f86d081884c
    """
    _check_usage(heading, line, body, body_file, operation, new_heading)
    if (operation == "move") != ((before is None) != (after is None)) or (before is not None and after is not None):
        raise click.UsageError("--operation move needs --before or --after, which belong to it alone")
    if update_links and operation != "rename":
        raise click.UsageError("--update-links belongs to --operation rename")
    if expected_hash is None and _text_given(body, body_file, operation):
        raise refusals.hash_required(file, heading, line)
    # Only these leave links behind, which the index knows; the next command that needs it takes in any edit.
    with opened(vault, index_dir, indexed=operation in _WITHOUT_TEXT) as kb:
        from jupyter_kb.models import SectionEdit

        request = SectionEdit(
            section=section(kb, file, heading, line),
            expected_hash=expected_hash or "",
            operation=operation.replace("-", "_"),  # type: ignore[arg-type]
            body=given_body(body, body_file),
            heading=new_heading,
            dry_run=dry_run,
            target=after if before is None else before,
            place="after" if before is None else "before",
            update_links=update_links,
        )
        lost: tuple[str, ...] = ()
        if not _text_given(body, body_file, operation):
            result = _edit_in_editor(kb, request, own, silent=as_json)
        else:
            if operation == "delete":
                lost = _sub_sections(kb, request.section)
            result = _edit(kb, request, refusals.given_text(body, body_file), silent=as_json)
    if result is not None:
        _show(result, lost, dry_run, as_json)


def _check_usage(
    heading: str | None,
    line: int | None,
    body: str | None,
    body_file: str | None,
    operation: str,
    new_heading: str | None,
) -> None:
    from jupyter_kb.cli.editor import editor_available

    if heading is None and line is None:
        raise click.UsageError("name the section: its HEADING, or --line; text above the first heading is 'Preamble'")
    if body is not None and body_file is not None:
        raise click.UsageError("give --body or --body-file, not both")
    if operation in _WITH_HEADING and new_heading is None:
        raise click.UsageError(f"--operation {operation} needs --heading")
    if operation not in _WITH_HEADING and new_heading is not None:
        raise click.UsageError(f"--heading belongs to {', '.join(_WITH_HEADING)}, not to {operation}")
    if operation in _WITHOUT_TEXT and (body is not None or body_file is not None):
        raise click.UsageError(f"--operation {operation} takes no text")
    if not _text_given(body, body_file, operation) and not editor_available():
        raise click.UsageError("no terminal for an editor: give --body or --body-file (`-` is standard input)")


def _text_given(body: str | None, body_file: str | None, operation: str) -> bool:
    """Whether the request is whole, so that no editor is needed."""
    return body is not None or body_file is not None or operation in _WITHOUT_TEXT


def given_body(body: str | None, body_file: str | None) -> str:
    """The text that --body or --body-file gives, "" without them."""
    from jupyter_kb.cli.editor import read_text

    if body_file is None:
        return body or ""
    return read_text(sys.stdin.buffer.read() if body_file == "-" else Path(body_file).read_bytes())


def _edit(kb: SharedKnowledgeBase, request: SectionEdit, text: list[str], *, silent: bool) -> EditResult:
    from jupyter_kb.errors import ConflictError

    try:
        return kb.edit_section(request, actor="command line")
    except ConflictError as error:
        refusals.explain_conflict(error, request, text, silent=silent)
        raise


def _sub_sections(kb: SharedKnowledgeBase, place: SectionRef) -> tuple[str, ...]:
    """Names of the sections directly below one; the hash of an edit tells whether they are still these."""
    from jupyter_kb.markdown.document import parse

    content = kb.get_section(place).content
    sections = parse(content.encode("utf-8", "surrogateescape")).sections
    return tuple(below.path[-1] for below in sections if below.parent == 0)


def _show(result: EditResult, lost: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    from jupyter_kb.render import edits

    if as_json:
        console.write_json(result)
        return
    if dry_run and console.styled(sys.stdout):
        console.show(edits.diff(result.diff))
    elif dry_run:
        console.show_text(result.diff)
    console.show(edits.edit(result, deleted=lost), err=dry_run)


# ── in the editor ───────────────────────────────────────────────────────────────────────────────


def _edit_in_editor(kb: SharedKnowledgeBase, request: SectionEdit, own: bool, *, silent: bool) -> EditResult | None:
    """Let a person change the text, and write it if the section is still what they were shown. None: no change."""
    from dataclasses import replace

    from jupyter_kb.cli.editor import Draft, EditorError
    from jupyter_kb.errors import KBError
    from jupyter_kb.render.lines import visible, with_tilde, words

    read = _read(kb, request.section, request.expected_hash, own)
    text = _text_below_heading(read) if request.operation == "replace" else ""
    draft = Draft(text, read.heading)
    place = visible(" > ".join(filter(None, (read.file, read.heading_path))))
    console.show([words(f"{place}  hash {read.content_hash[:16]}", "muted")], err=True)
    edited = draft.edit()
    if edited == text or not (edited.strip() or text.strip()):
        draft.discard()
        console.show([words("No change: nothing was written.")], err=True)
        return None
    if not edited.strip():
        draft.discard()
        empty = refusals.repeat(request, read.file, read.heading_path, ["--body", ""], read.content_hash)
        raise EditorError(f"the text came back empty: nothing was changed; to empty the section: {empty}")
    try:
        result = kb.edit_section(replace(request, expected_hash=read.content_hash, body=edited), actor="command line")
    except BaseException as error:
        if isinstance(error, KBError):
            refusals.explain_refusal(error, read, request, draft.path, silent=silent)
        console.show([words(f"Your text is kept in {with_tilde(str(draft.path))}", "warning")], err=True)
        raise
    draft.discard()
    return result


def _read(kb: SharedKnowledgeBase, place: SectionRef, expected_hash: str, own: bool) -> SectionContent:
    """The text to change: the whole section or its own text, whichever the given hash means."""
    from jupyter_kb.errors import ConflictError

    read = kb.get_section(place, children=not own)
    if not expected_hash or read.content_hash.startswith(expected_hash):
        return read
    other = kb.get_section(place, children=own)
    if other.content_hash.startswith(expected_hash):
        return other
    raise ConflictError(
        f"section '{read.heading_path}' in '{read.file}' changed since it was read",
        hint="leave --expected-hash out to edit the text as it is now",
        current_hash=read.content_hash,
        current_content=read.content,
    )


def _text_below_heading(read: SectionContent) -> str:
    from jupyter_kb.markdown.document import parse

    data = read.content.encode("utf-8", "surrogateescape")
    start = parse(data).sections[0].heading_range.end if read.level else 0
    below = data[start:].decode("utf-8", "surrogateescape")
    blank = _BLANK_LINES.match(below)
    below = below[blank.end() :] if blank else below
    return below if not below or below.endswith(("\n", "\r")) else below + ("\r\n" if "\r\n" in read.content else "\n")
