"""From scores to the window asked for: how many of one note, which hits, in which order, with their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.search.orders import all_notes, checked_order, places_in_order
from jupyter_kb.search.rows import SectionRow, section_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.models import Order

_FEW = 20
_FILES = "SELECT section_id, file FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))"


class Placed(NamedTuple):
    """A hit: its score, its row, and which of the entries that were ranked it is."""

    score: float
    row: SectionRow
    entry: int


def capped(sections: NDArray[np.int64], scores: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Which entries are left, ascending, when each note has at most `most`: its best, the earlier of equal ones."""
    notes = sections >> ORDINAL_BITS
    order = np.lexsort((np.arange(len(sections)), sections, -scores, notes))
    notes = notes[order]
    first = np.flatnonzero(np.concatenate(([True], notes[1:] != notes[:-1]))) if len(notes) else np.empty(0, np.int64)
    place = np.arange(len(notes)) - np.repeat(first, np.diff(np.concatenate((first, [len(notes)]))))
    return np.sort(order[place < most])


def window(
    database: Database,
    sections: NDArray[np.int64],
    scores: NDArray[np.float64],
    *,
    offset: int,
    limit: int,
    generation: int | None,
    order: Order | None = None,
    descending: bool = False,
) -> list[Placed]:
    """The entries from `offset` on, best first; equal scores in the order of files, sections, entries.

    Names decide between equal scores only, so that few rows are read. With an `order` note by note in that order, those
    of a note best first.

    Raises
    ------
    InvalidRequestError : an unknown order.
    """
    checked_order(order)
    if order is not None:
        return _note_by_note(database, sections, scores, order, descending, slice(offset, offset + limit), generation)
    end = offset + limit
    if limit <= 0 or offset >= len(sections):
        return []
    entries = np.arange(len(sections))
    if end < len(sections):
        least = -np.partition(-scores, end - 1)[end - 1]
        entries = np.flatnonzero(scores >= least)
    entries = entries[np.argsort(-scores[entries], kind="stable")]
    if offset:  # what surely comes before the window need not be read
        first = int(np.searchsorted(-scores[entries], -scores[entries[offset]]))
        entries, offset, end = entries[first:], offset - first, end - first
    if len(entries) > end + _FEW:  # many of equal score: their texts need not be read
        wanted = np.unique(sections[entries]).tolist()
        files = dict(database.query(_FILES, [wanted]))
        known = [entry for entry in entries.tolist() if int(sections[entry]) in files]
        known.sort(key=lambda entry: (-scores[entry], files[int(sections[entry])], sections[entry], entry))
        entries = np.array(known[:end], dtype=np.int64)
    rows = section_rows(database, list(dict.fromkeys(sections[entries].tolist())), generation)
    found = [
        Placed(float(scores[entry]), rows[section], entry)
        for entry, section in zip(entries.tolist(), sections[entries].tolist(), strict=True)
        if section in rows
    ]
    found.sort(key=lambda placed: (-placed.score, placed.row.file, placed.row.section, placed.entry))
    return found[offset:end]


def _note_by_note(
    database: Database,
    sections: NDArray[np.int64],
    scores: NDArray[np.float64],
    order: Order,
    descending: bool,
    part: slice,
    generation: int | None,
) -> list[Placed]:
    places = places_in_order(all_notes(database), order, descending=descending)
    notes = sections >> ORDINAL_BITS
    there = np.flatnonzero(notes < len(places))  # what a write has added since is not listed
    ordered = np.lexsort((there, sections[there], -scores[there], places[notes[there]]))
    entries = there[ordered][part]
    rows = section_rows(database, list(dict.fromkeys(sections[entries].tolist())), generation)
    return [
        Placed(float(scores[entry]), rows[section], entry)
        for entry, section in zip(entries.tolist(), sections[entries].tolist(), strict=True)
        if section in rows
    ]
