"""What a notebook can show: one thing as HTML, as Markdown and as plain text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable


class Result:
    """Something to show: as HTML, as Markdown, and as plain text."""

    @abstractmethod
    def _html(self) -> str: ...

    @abstractmethod
    def _markdown(self) -> str: ...

    @abstractmethod
    def _plain(self) -> str: ...

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        # A front end takes the richest that it knows.
        return {"text/plain": self._plain().rstrip("\n"), "text/html": self._html(), "text/markdown": self._markdown()}

    def hide_in(self, running: Callable[[], int]) -> None:
        """Show nothing in the cell that runs now; `running` gives the number of the cell at any time."""
        from IPython.display import display

        now = running()

        def show() -> None:
            if running() != now:
                display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]

        self._ipython_display_ = show
