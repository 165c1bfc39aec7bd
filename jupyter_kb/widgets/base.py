"""What all widgets have: a vault, work that never keeps the kernel waiting, and a text for where no widget is shown."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import anywidget
from traitlets import Unicode

from jupyter_kb.errors import KBError, ServerUnreachableError, UnauthorizedError
from jupyter_kb.magics.refusal import told
from jupyter_kb.render import html
from jupyter_kb.render.elements import Html
from jupyter_kb.widgets.vault import session_for
from jupyter_kb.workers import Workers

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.magics.session import Session
    from jupyter_kb.operations import Operations

T = TypeVar("T")

AGAIN = "Run this cell again to use it."
_workers = Workers(4, "kb-widgets")


class NotesWidget(anywidget.AnyWidget):
    """A widget over a vault.

    Parameters
    ----------
    vault : what `jupyter_kb.connect` gave, the name of a vault or a folder; by default the vault that `%kb` uses.
    """

    problem = Unicode(help="What went wrong last, in a sentence; empty when nothing did.").tag(sync=True)

    def __init__(self, *, vault: Session | Operations | str | Path | None = None, **traits: Any) -> None:
        self._session = session_for(vault)
        self._state = threading.RLock()
        self._closed = threading.Event()
        self._handlers: dict[str, Callable[[dict[str, Any]], None]] = {}
        super().__init__(**traits)
        self.on_msg(self._hear)

    @property
    def kb(self) -> Operations:
        """The vault, with all that can be done with it."""
        return self._session.kb

    def close(self) -> None:
        """End it: its work stops, and it is taken out of the page."""
        closed = self.__dict__.get("_closed")  # not there where the widget could not be made
        if closed is not None:
            closed.set()
        super().close()

    # ── what is shown where there is no widget ──────────────────────────────────────────────────

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = super()._repr_mimebundle_(**options)
        data, metadata = shown if shown is not None else ({}, {})
        again = html.message(AGAIN)
        return {
            **data,
            "text/plain": self._plain().rstrip("\n"),
            "text/markdown": f"{self._markdown().rstrip()}\n\n*{AGAIN}*\n",
            "text/html": Html(self._html() + again),
        }, metadata

    @abstractmethod
    def _plain(self) -> str: ...

    @abstractmethod
    def _markdown(self) -> str: ...

    @abstractmethod
    def _html(self) -> str: ...

    # ── messages and work ───────────────────────────────────────────────────────────────────────

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take over what the front end says; what a thread finds out meanwhile waits for that."""
        with self._state:
            super().set_state(sync_data)

    def _apply(self, **values: Any) -> None:
        """Set several traits, as one message to the front end; from any thread."""
        if self._closed.is_set():
            return
        with self._state, self.hold_sync():
            for name, value in values.items():
                setattr(self, name, value)

    def _hear(self, _: object, content: object, __: object) -> None:
        if isinstance(content, dict) and (handler := self._handlers.get(str(content.get("kind")))):
            handler(content)

    def _on(self, kind: str, handler: Callable[[dict[str, Any]], None]) -> None:
        """Have messages of a kind from the front end handled."""
        self._handlers[kind] = handler

    def _now(self, work: Callable[[], T]) -> T:
        """What work gives, in the caller's thread.

        Raises
        ------
        MagicError : an expected failure, told in one line.
        """
        try:
            return work()
        except (KBError, OSError) as error:
            self._forget(error)
            raise told(error) from error

    def _forget(self, error: Exception) -> None:
        # A server that was started again has another address and another token.
        if isinstance(error, ServerUnreachableError | UnauthorizedError):
            self._session.close()


class Latest:
    """Does the newest of several jobs of one kind on a thread; answers that came too late are dropped."""

    def __init__(self, widget: NotesWidget) -> None:
        self._widget = widget
        self._number = 0
        self._lock = threading.Lock()

    def drop(self) -> None:
        """Want no answer any more."""
        with self._lock:
            self._number += 1

    def __call__(
        self, work: Callable[[], T], take: Callable[[T], None], refuse: Callable[[Exception], None] | None = None
    ) -> None:
        """Work on a thread, then hand on what it gave, or the expected error; by default that becomes `problem`."""
        with self._lock:
            self._number += 1
            number = self._number

        def run() -> None:
            if number != self._number:
                return
            try:
                found = work()
            except (KBError, OSError) as error:
                self._widget._forget(error)
                if number == self._number:
                    (refuse or self._refuse)(error)
                return
            if number == self._number:
                take(found)

        _workers.submit(run)

    def _refuse(self, error: Exception) -> None:
        self._widget._apply(problem=sentence(error))


def sentence(error: Exception) -> str:
    """An expected error as a sentence for a person."""
    text = str(told(error))
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
