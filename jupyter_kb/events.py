"""What happened, as values, and the bus that carries them to whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jupyter_kb.models import Operation

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class IndexProgress:
    """`done` of `total` notes of the current scan are in the index."""

    done: int
    total: int


@dataclass(frozen=True, kw_only=True)
class IndexUpdated:
    """These notes are in the index as they are on disk now."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NoteChanged:
    """This package wrote a note. `actor` is who asked for it.

    Besides the operations of an edit: `create`, and `update_links` for a note whose links follow a renamed heading.
    """

    file: str
    operation: Operation | Literal["create", "update_links"]
    actor: str
    version: str


Event = IndexProgress | IndexUpdated | NoteChanged
Listener = Callable[[Event], None]


class EventBus:
    """Calls each listener in turn, on the thread that published; a listener's failure is logged, not spread."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; the returned function takes it away again."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Hand an event to every listener."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:  # a broken listener must not stop an edit or a scan
                _log.exception("a listener failed on %s", type(event).__name__)
