"""What happens in the vaults as Jupyter events, with versioned schemas, from whichever thread it is told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_kb.events import EmbeddingProgress, Event, IndexProgress, IndexUpdated, NoteChanged

if TYPE_CHECKING:
    from jupyter_events import EventLogger

_log = logging.getLogger(__name__)

SCHEMAS = ("embedding_progress", "index_progress", "index_updated", "note_changed")
_ID = "https://events.jupyter.org/jupyter_kb/{}/v1"
_SECONDS = 0.25
"""How long progress goes untold."""
_NAMED = 100


class Announcer:
    """Registers the schemas and emits on the loop it is made on; of quick progress it tells the latest now and then."""

    def __init__(self, logger: EventLogger, loop: asyncio.AbstractEventLoop) -> None:
        self._logger, self._loop = logger, loop
        self._told: dict[str, float] = {}
        folder = resources.files("jupyter_kb.server") / "event_schemas"
        for name in SCHEMAS:
            if _ID.format(name) not in logger.schemas:
                logger.register_event_schema(Path(str(folder / f"{name}.yaml")))

    def tell(self, vault: str, event: Event) -> None:
        """From any thread; after the loop's end nothing happens any more."""
        if isinstance(event, IndexProgress) and not self._is_due(vault, event):
            return
        name, data = _described(event)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._emit, _ID.format(name), {"vault": vault, **data})

    def _is_due(self, vault: str, event: IndexProgress) -> bool:
        now = time.monotonic()
        if event.done < event.total and now - self._told.get(vault, 0.0) < _SECONDS:
            return False
        self._told[vault] = now
        return True

    def _emit(self, schema: str, data: dict[str, Any]) -> None:
        try:
            self._logger.emit(schema_id=schema, data=data)
        except Exception:  # whoever listens to events must not stop an edit or a scan
            _log.exception("an event could not be told")


def _described(event: Event) -> tuple[str, dict[str, Any]]:
    """The name of an event's schema, and its data without the vault."""
    if isinstance(event, IndexProgress):
        return "index_progress", {"done": event.done, "total": event.total}
    if isinstance(event, EmbeddingProgress):
        left = None if event.seconds_left is None else round(event.seconds_left, 1)
        return "embedding_progress", {
            "embedded": event.embedded,
            "total": event.total,
            "seconds_left": left,
            "paused": event.paused,
        }
    if isinstance(event, NoteChanged):
        return "note_changed", {
            "file": _text(event.file),
            "operation": event.operation,
            "actor": event.actor,
            "version": event.version,
        }
    assert isinstance(event, IndexUpdated)
    kinds = {"added": event.added, "changed": event.changed, "removed": event.removed}
    named = {kind: [_text(path) for path in paths[:_NAMED]] for kind, paths in kinds.items()}
    return "index_updated", {**named, "counts": {kind: len(paths) for kind, paths in kinds.items()}}


def _text(path: str) -> str:
    """A path that can be written as UTF-8, which a file's name need not be."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
