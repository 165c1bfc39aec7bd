"""What all commands share: each error becomes a message and an exit status here, and the help page has sections."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from jupyter_kb.cli import exits
from jupyter_kb.errors import KBError


class Command(click.Command):
    """A command whose return value is the exit status (None is 0) and whose errors are told in a line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        debug = bool(ctx.find_root().params.get("debug")) or os.environ.get("JUPYTER_KB_DEBUG", "0") not in ("", "0")
        try:
            with _log_to_stderr(debug):
                status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            status = exits.OUTPUT_CLOSED
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except (KBError, OSError) as error:
            status = exits.tell(error, as_json=_wants_json(ctx), debug=debug)
            _give_up_unwritable_output()
        except Exception as error:  # the last stop before the person who typed the command
            status = exits.tell(error, as_json=_wants_json(ctx), debug=debug)
        if status:
            ctx.exit(status)
        return status


class Group(click.Group):
    """The group of all commands, listed by what they are for."""

    command_class = Command

    def __init__(self, *args: Any, sections: Mapping[str, Sequence[click.Command]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        for commands in sections.values():
            for command in commands:
                self.add_command(command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help page."""
        return [command.name or "" for commands in self.sections.values() for command in commands]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their sections."""
        width = max(map(len, self.list_commands(ctx)))
        for title, commands in self.sections.items():
            with formatter.section(title):
                rows = [(f"{command.name:<{width}}", command.get_short_help_str(90)) for command in commands]
                formatter.write_dl(rows)


def _wants_json(ctx: click.Context) -> bool:
    return bool(ctx.params.get("as_json"))


def _give_up_unwritable_output() -> None:
    """Where the output itself was what failed (a full disk), the flush at the end must not fail again."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    """Point standard output at nothing: whoever read it has gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


@contextlib.contextmanager
def _log_to_stderr(debug: bool) -> Iterator[None]:
    import logging

    logger = logging.getLogger("jupyter_kb")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s" if debug else "Note: %(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
