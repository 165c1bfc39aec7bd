"""The program as a whole: its commands, its help page, and how it ends when something goes wrong."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

import click

from jupyter_kb import __version__
from jupyter_kb.cli import exits
from jupyter_kb.cli.command import Group
from jupyter_kb.cli.completion import COMPLETE_VARIABLE, completion
from jupyter_kb.cli.connecting import connect
from jupyter_kb.cli.creating import create
from jupyter_kb.cli.editing import edit
from jupyter_kb.cli.embedding import embed
from jupyter_kb.cli.evaluating import evaluate
from jupyter_kb.cli.finding import grep, search
from jupyter_kb.cli.indexing import diagnostics, index, status
from jupyter_kb.cli.notebooks import magics
from jupyter_kb.cli.reading import backlinks, get, links, outline
from jupyter_kb.cli.serving import mcp

_EXITS = "\n".join(f"{status:>5}  {meaning}" for status, meaning in exits.MEANING.items())


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"\b\nExit status:\n{_EXITS}",
    sections={
        "Index": [index, embed, status, diagnostics],
        "Find": [search, grep, outline, evaluate],
        "Read": [get, links, backlinks],
        "Change": [edit, create],
        "Connect": [connect, mcp, magics, completion],
    },
)
@click.version_option(__version__, prog_name="jupyter-kb")
@click.option("--debug", is_flag=True, help="Show where an error happened (also: JUPYTER_KB_DEBUG=1).")
def program(debug: bool) -> None:
    """Find the exact section of a vault of Markdown notes, read it byte for byte, and edit it back safely.

    \b
    jupyter kb index ~/notes             build or refresh the index of a vault
    jupyter kb embed                     inside it: let search find meaning, not only words
    jupyter kb search "dark adaptation"  the best sections
    jupyter kb get FILE HEADING          the exact bytes of a section
    jupyter kb edit FILE HEADING         change it in your editor

    Commands other than index and mcp work on the vault that --vault names; without it, on the nearest folder
    above that was indexed, else on the current folder.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave with its exit status."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):  # a stream that is no text file of our own
            stream.reconfigure(errors="backslashreplace" if stream is sys.stderr else "replace")  # type: ignore[union-attr]
    completing = COMPLETE_VARIABLE in os.environ
    try:
        status = program.main(
            arguments,
            prog_name="jupyter-kb" if completing else "jupyter kb",
            complete_var=COMPLETE_VARIABLE,
            standalone_mode=False,
        )
        return status if isinstance(status, int) else exits.OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("Interrupted.", file=sys.stderr)
        return exits.INTERRUPTED
