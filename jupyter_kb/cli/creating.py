"""The command that makes a note: create."""

from __future__ import annotations

from pathlib import Path

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.editing import body_options, given_body
from jupyter_kb.cli.options import json_option, opened, vault_options


@click.command(cls=Command, short_help="Make a note, never over one that is there.")
@click.argument("note", metavar="NOTE")
@body_options
@json_option
@vault_options
def create(
    note: str,
    body: str | None,
    body_file: str | None,
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Make a note, with the folders that it needs. Its name ends in .md.

    Nothing that is there is ever written over, also where only the case of the name differs.

    \b
    jupyter kb create projects/kite.md --body "# Kite"
    jupyter kb create projects/kite.md --body-file draft.md
    """
    if body is not None and body_file is not None:
        raise click.UsageError("give --body or --body-file, not both")
    content = given_body(body, body_file)
    with opened(vault, index_dir, indexed=False) as kb:
        done = kb.create_note(note, content, actor="command line")
    if as_json:
        console.write_json(done)
        return
    from jupyter_kb.render.lines import visible, words

    console.show([words(f"made {visible(done.file)}")])
