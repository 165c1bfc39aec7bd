"""The table of chunks: made from the sections' texts once vectors are wanted, and brought up to date note by note."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index import chunks
from jupyter_kb.index.chunks import Span

if TYPE_CHECKING:
    from jupyter_kb.index.database import Columns, Database

BATCH_BYTES = 1_000_000
"""Text that is cut in one transaction (some 50 ms); no other writer gets in meanwhile."""
BATCH_NOTES = 500

_WITHOUT = "SELECT note_id, size FROM notes n WHERE NOT EXISTS (SELECT 1 FROM chunked c WHERE c.note_id = n.note_id)"
_SECTIONS = """
    SELECT section_id, note_id, note_title, level, heading_path, text FROM sections
    WHERE note_id IN (SELECT unnest(?::INTEGER[])) ORDER BY section_id
"""
_TEXTS = """
    SELECT section_id, note_title, level, heading_path, text FROM sections
    WHERE section_id IN (SELECT unnest(?::BIGINT[]))
"""
_NAMES = ("section_id", "note_id", "position", "start", "stop", "key")

_complete: weakref.WeakKeyDictionary[Database, int] = weakref.WeakKeyDictionary()


def refresh(database: Database) -> int:
    """Make the chunks of notes that have none yet; how many notes that were. Without a write it costs nothing."""
    if _complete.get(database) == database.generation:
        return 0
    done = 0
    while True:
        with database.snapshot() as generation:
            waiting = database.query(f"{_WITHOUT} ORDER BY note_id")
        if not waiting and generation is not None:
            _complete[database] = generation
        made = sum(_make(database, notes) for notes in _batches(waiting))
        done += made
        if not made:  # also where the caller reads an older state, in which they are still to be made
            return done


def pieces(database: Database, rows: Sequence[tuple[int, int, int]]) -> Iterator[tuple[str, str]]:
    """What stands in front of chunks for a model, and their own text, for each section_id, start and stop.

    A heading alone has the text ''. KeyError where the section is gone.
    """
    wanted = sorted({section for section, _, _ in rows})
    found = {section: (_context(*names), text) for section, *names, text in database.query(_TEXTS, [wanted])}
    for section, start, stop in rows:
        context, text = found[section]
        yield context, text[start:stop]


def _batches(waiting: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    batch: list[int] = []
    weight = 0
    for note, size in waiting:
        batch.append(note)
        weight += size
        if weight >= BATCH_BYTES or len(batch) >= BATCH_NOTES:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def _make(database: Database, notes: list[int]) -> int:
    rows: list[tuple[int, int, int, int, int, int]] = []
    with database.transaction():  # the notes are looked at again: by now they may be others, or have chunks
        chosen = f"{_WITHOUT} AND note_id IN (SELECT unnest(?::INTEGER[]))"
        still = [note for note, _ in database.query(chosen, [notes])]
        for section, note, title, level, heading_path, text in database.query(_SECTIONS, [still]):
            context = _context(title, level, heading_path)
            spans = chunks.split(text) or ([Span(0, 0)] if context else [])
            for position, (start, end) in enumerate(spans):
                rows.append((section, note, position, start, end, chunks.key(context, text[start:end])))
        database.insert("chunks", _columns(rows))
        database.insert("chunked", {"note_id": np.array(still, dtype=np.int64)})
    return len(still)


def _context(title: str, level: int, heading_path: str) -> str:
    """A preamble's name is ours, and a note without sections has none."""
    return chunks.context(title, heading_path if level > 0 else "")


def _columns(rows: Sequence[tuple[int, ...]]) -> Columns:
    table = np.array(rows, dtype=np.int64).reshape(-1, len(_NAMES))
    return {name: np.ascontiguousarray(table[:, i]) for i, name in enumerate(_NAMES)}
