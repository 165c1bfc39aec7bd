"""The magic itself: reads a line, calls the command, and tells errors in a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jupyter_kb.errors import (
    InvalidRequestError,
    KBError,
    ServerNotFoundError,
    ServerUnreachableError,
    UnauthorizedError,
)
from jupyter_kb.magics import editing, finding, manual, reading, upkeep
from jupyter_kb.magics.commands import COMMANDS, TERMINAL
from jupyter_kb.magics.grammar import Arguments, Command, parse, unknown
from jupyter_kb.magics.refusal import told

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyter_kb.magics.session import Session
    from jupyter_kb.magics.showing import Result

_PLAIN: dict[str, Callable[[Session, Arguments], Result]] = {
    "search": finding.search,
    "outline": reading.outline,
    "get": reading.get,
    "backlinks": reading.backlinks,
    "links": reading.links,
    "status": upkeep.status,
    "reindex": upkeep.reindex,
    "use": upkeep.use,
}


class KBMagic:
    """`%kb` and `%%kb` of one shell."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        self.shell = shell
        self.session = session

    def __call__(self, line: str, cell: str | None = None) -> Result:
        """Do what a line says; its value is shown by the notebook, or assigned.

        Raises
        ------
        MagicError : anything that was to be expected.
        """
        line = line.rstrip()
        silent = line.endswith(";")  # as at the end of any cell; it is no part of the line
        try:
            result, arguments = self._run(line.removesuffix(";"), cell)
        except (ServerNotFoundError, ServerUnreachableError, UnauthorizedError) as error:
            self.session.close()  # a server that was started again has another address and another token
            raise told(error) from error
        except (KBError, OSError, ImportError) as error:
            raise told(error) from error
        if silent or arguments.get("quiet"):
            result.hide_in(lambda: self.shell.execution_count)
        return result

    def _run(self, line: str, cell: str | None) -> tuple[Result, Arguments]:
        name, _, rest = line.strip().partition(" ")
        if name in ("", "-h", "--help"):
            return manual.Overview(), Arguments()
        command = COMMANDS.get(name)
        if command is None and name in TERMINAL:
            raise InvalidRequestError(f"`%kb` has no '{name}'", hint=f"`!jupyter kb {name}` runs it as in a terminal")
        if command is None:
            raise unknown("command", name, list(COMMANDS))
        arguments = parse(command, rest)
        if arguments.get("help"):
            return manual.Help(command), arguments
        _check_cell(command, cell)
        return self._do(command, arguments, line, cell), arguments

    def _do(self, command: Command, arguments: Arguments, line: str, cell: str | None) -> Result:
        if command.name == "help":
            return self._help(arguments.text)
        if command.name == "insert":
            return reading.insert(self.session, arguments, self.shell)
        if command.name == "edit":
            if cell is None:
                return editing.put_into_cell(self.session, arguments, line, self.shell)
            return editing.write_cell(self.session, arguments, cell)
        return _PLAIN[command.name](self.session, arguments)

    def _help(self, name: str) -> Result:
        if not name:
            return manual.Overview()
        if name not in COMMANDS:
            raise unknown("command", name, list(COMMANDS))
        return manual.Help(COMMANDS[name])


def _check_cell(command: Command, cell: str | None) -> None:
    if cell is not None and command.cell == "no":
        raise InvalidRequestError(f"`%%kb {command.name}` takes no cell", hint=f"write it as `{command.usage}`, alone")
