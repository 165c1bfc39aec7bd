"""The orders that notes can be listed in instead of by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_kb.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.models import Order

Note = tuple[str, str, int]
"""Path, title, mtime in nanoseconds."""
_KEYS: dict[Order, Callable[[Note], Any]] = {
    "path": lambda note: note[0],
    "title": lambda note: note[1].casefold(),
    "modified": lambda note: note[2],
}


def checked_order(order: Order | None) -> None:
    """Raises InvalidRequestError where an order is none of those there are."""
    if order is not None and order not in _KEYS:
        raise InvalidRequestError(f"order_by is one of {', '.join(_KEYS)}, not '{order}'")


def all_notes(database: Database) -> dict[int, Note]:
    """The notes by their note_ids."""
    columns = database.columns("SELECT note_id, path, title, mtime_ns FROM notes")
    ids, paths, titles, times = (columns[name].tolist() for name in ("note_id", "path", "title", "mtime_ns"))
    return dict(zip(ids, zip(paths, titles, times, strict=True), strict=True))


def places_in_order(notes: dict[int, Note], order: Order, *, descending: bool) -> NDArray[np.int64]:
    """For each note_id the note's place; those that are equal in this stand in the order of their paths."""
    by_path = sorted(notes, key=lambda note: _KEYS["path"](notes[note]))
    key = _KEYS[order]
    # sorting keeps the order of equal ones, and so does sorting in reverse
    ordered = sorted(by_path, key=lambda note: key(notes[note]), reverse=descending)
    places = np.zeros(max(notes, default=0) + 1, dtype=np.int64)
    places[ordered] = np.arange(len(ordered))
    return places
