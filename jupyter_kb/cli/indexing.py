"""Commands about the index as a whole: index, status and diagnostics."""

from __future__ import annotations

from pathlib import Path

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import (
    EVERYTHING,
    chosen_settings,
    index_dir_option,
    json_option,
    opened,
    owning,
    paging_options,
    settings_options,
    tell_outer_vault,
    vault_options,
)
from jupyter_kb.cli.wording import command

KINDS = (
    "unreadable-file",
    "file-too-large",
    "invalid-utf8",
    "front-matter",
    "unclosed-front-matter",
    "too-many-headings",
    "unresolved-link",
    "ambiguous-link",
    "duplicate-alias",
    "ignore-pattern",
    "embedding-failed",
)
"""The kinds of diagnostics, here so that `--help` need not import the values."""


@click.command(cls=Command, short_help="Build the index of a vault, or bring it up to date.")
@click.argument("vault", type=click.Path(path_type=Path))
@settings_options
@click.option("--defaults", is_flag=True, help="Forget the options remembered from earlier runs first.")
@click.option("--rebuild", is_flag=True, help="Build the index anew from nothing.")
@json_option
@index_dir_option
def index(
    vault: Path,
    hidden: bool | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    language: str | None,
    defaults: bool,
    rebuild: bool,
    as_json: bool,
    index_dir: Path | None,
) -> None:
    """Build the index of VAULT, or bring it up to date.

    Nothing is ever written into the vault: the index lies in Jupyter's data directory, or below --index-dir. Hidden
    files, node_modules, virtual environments and checkpoints are left out; a `.kbignore` file in the vault (gitignore
    syntax) or the options below decide otherwise. The options are remembered for this vault: every later command, and
    every later run of this one, uses them.

    \b
    jupyter kb index ~/notes
    jupyter kb index ~/notes --exclude 'archive/**' --language german
    """
    from jupyter_kb.render import text

    settings = chosen_settings(
        vault,
        index_dir,
        defaults=defaults,
        hidden=hidden,
        include=include,
        exclude=exclude,
        language=language,
    )
    if rebuild:
        _empty_index(vault, index_dir)
    with owning(vault, index_dir, settings) as kb:
        with console.progress("Indexing") as follow:
            result = kb.scan(follow)
        state = kb.status()
    if as_json:
        console.write_json({**vars(result), "status": state})
    else:
        see = command("diagnostics", vault=None if _is_here(vault, index_dir) else vault)
        console.show(text.scan(result, state, see=see))
    tell_outer_vault(vault, index_dir)


@click.command(cls=Command, short_help="Show what the index holds and where it lies.")
@json_option
@vault_options
def status(as_json: bool, vault: Path | None, index_dir: Path | None) -> None:
    """Show what the index holds, where it lies, and when it last looked at the disk."""
    from jupyter_kb.render import text

    with opened(vault, index_dir, indexed=True) as kb:
        state = kb.status()
    if as_json:
        console.write_json(state)
    else:
        console.show(text.status(state, see=command("diagnostics")))
    tell_outer_vault(Path(state.root), index_dir)


@click.command(cls=Command, short_help="List broken links, bad front matter, unreadable files.")
@click.option("--path", metavar="GLOB", help="Only notes whose path matches a glob, or holds this text.")
@click.option("--kind", type=click.Choice(KINDS), metavar="KIND", help="Only entries of this kind (above).")
@paging_options
@json_option
@vault_options
def diagnostics(
    path: str | None,
    kind: str | None,
    limit: int | None,
    offset: int,
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """List what wants attention: links to nothing or to several notes, bad front matter, unreadable files.

    Each is one line, `file:line: message`, and a hint below it.

    \b
    Kinds: unreadable-file, file-too-large, invalid-utf8, front-matter, unclosed-front-matter,
           too-many-headings, unresolved-link, ambiguous-link, duplicate-alias, ignore-pattern, embedding-failed
    """
    from jupyter_kb.render import lines, text

    with opened(vault, index_dir, indexed=True) as kb:
        found, total = kb.diagnostics(
            path=path, kind=kind, limit=EVERYTHING if limit is None else limit, offset=offset, fresh=False
        )
    if as_json:
        console.write_json({"diagnostics": found, "total": total})
    elif found:
        console.show(text.diagnostics(found))
        console.show(lines.footer(len(found), offset, total, "entries"), err=True)
    else:
        console.show([lines.words("Nothing to complain about.")], err=True)


def _is_here(vault: Path, index_dir: Path | None) -> bool:
    """Whether commands in the current folder mean this vault without naming it."""
    from jupyter_kb.index.location import find_vault

    return find_vault(Path.cwd(), index_dir) == vault.resolve()


def _empty_index(vault: Path, index_dir: Path | None) -> None:
    """Drop all rows of the index; refused while another process owns it."""
    from jupyter_kb.index.database import Database
    from jupyter_kb.index.location import locate

    with Database(locate(vault, index_dir).database) as database:
        database.clear()
