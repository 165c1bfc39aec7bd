"""Running cells in a shell of this process, as a notebook would."""

from __future__ import annotations

from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jupyter_kb.magics.refusal import MagicError


class Notebook:
    """A shell; `shown` holds what the last cell displayed besides its value, `printed` what it wrote."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.shown: list[dict[str, Any]] = []
        self.printed = ""

    def run(self, cell: str) -> Any:
        """Run a cell that must succeed, and give its value."""
        outcome = self._run(cell)
        outcome.raise_error()
        return outcome.result

    def fails(self, cell: str) -> str:
        """Run a cell that a magic must refuse, and give the one line that it says."""
        outcome = self._run(cell)
        error = outcome.error_in_exec
        assert isinstance(error, MagicError), outcome
        assert "Traceback" not in self.printed
        return str(error)

    @property
    def next_input(self) -> str | None:
        """What a front end would put into the cell below."""
        found: str | None = self.shell.rl_next_input
        return found

    def complete(self, line: str) -> list[str]:
        """The whole lines that Tab offers at the end of a line."""
        from IPython.core.completer import provisionalcompleter

        with provisionalcompleter():
            found = list(self.shell.Completer.completions(line, len(line)))
        return [line[: one.start] + one.text for one in found]

    def _run(self, cell: str) -> Any:
        self.shell.rl_next_input = None
        with capture_output() as captured:
            outcome = self.shell.run_cell(cell, store_history=True)
        self.shown = [output.data for output in captured.outputs]
        self.printed = captured.stdout + captured.stderr
        return outcome
