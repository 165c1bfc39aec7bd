"""Rows of sections for showing, kept until the next write: people look at the same hits while they type and page."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database

MOST_BYTES = 20_000_000
"""Notes of no more than so many bytes in all are kept whole; of others as much text as a fifth of it."""
READS = 3
"""After so many reads from one state of the index everything is read, if it is not too much. Not at once: between two
edits there may be just one search."""


class SectionRow(NamedTuple):
    """A section as the index holds it; ranges and `content_hash` are those of its subtree, `text` is its own."""

    section: int
    file: str
    title: str
    heading: str
    heading_path: str
    level: int
    text: str
    start: int
    end: int
    first_line: int
    last_line: int
    content_hash: str
    own_hash: str


@dataclass(kw_only=True)
class _Kept:
    generation: int | None
    rows: dict[int, SectionRow] = field(default_factory=dict)
    characters: int = 0
    reads: int = 0
    complete: bool = False
    reading: threading.Lock = field(default_factory=threading.Lock)
    """Held by who reads: of several that want the same rows one does so, for all of them."""


_COLUMNS = """
    SELECT section_id, file, note_title, heading, heading_path, level, text, start_byte, end_byte, start_line, end_line,
           content_hash, own_hash
    FROM sections
"""
_THESE = f"{_COLUMNS} WHERE section_id IN (SELECT unnest(?::BIGINT[]))"
_BYTES = "SELECT coalesce(sum(size), 0) FROM notes"
_kept: weakref.WeakKeyDictionary[Database, _Kept] = weakref.WeakKeyDictionary()
_beginning = threading.Lock()


def section_rows(database: Database, sections: Sequence[int], generation: int | None) -> dict[int, SectionRow]:
    """The rows of these sections, in the state of the index that bears this number (None: keep nothing)."""
    with _beginning:
        known = _kept.get(database)
        if known is None or generation is None or known.generation != generation:
            known = _Kept(generation=generation)
            if generation is not None:
                _kept[database] = known
    rows = _there(known, sections)
    if len(rows) < len(sections) and not known.complete:
        with known.reading:
            rows |= _there(known, sections)
            missing = [section for section in sections if section not in rows]
            if missing and not known.complete:
                rows |= _read(database, known, missing)
    return rows


def _there(known: _Kept, sections: Sequence[int]) -> dict[int, SectionRow]:
    rows = known.rows  # taken at once: another thread may make them be forgotten
    return {section: row for section in sections if (row := rows.get(section)) is not None}


def _read(database: Database, known: _Kept, missing: Sequence[int]) -> dict[int, SectionRow]:
    known.reads += 1
    if known.reads > READS and database.query(_BYTES)[0][0] <= MOST_BYTES:
        everything = {row[0]: SectionRow(*row) for row in database.query(_COLUMNS)}
        known.rows, known.complete = everything, True
        return {section: everything[section] for section in missing if section in everything}
    new = {row[0]: SectionRow(*row) for row in database.query(_THESE, [missing])}
    size = sum(len(row.text) for row in new.values())
    if known.characters + size > MOST_BYTES // 5:
        known.rows, known.characters = {}, 0
    known.rows = known.rows | new
    known.characters += size
    return new
