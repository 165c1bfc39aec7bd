"""Rows of sections for showing: read from the index, the last ones kept until the next write."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database

MOST_CHARACTERS = 4_000_000
"""So much text is kept; people look at the same hits again while they type and page."""


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


class _Kept(NamedTuple):
    generation: int
    rows: dict[int, SectionRow]
    characters: list[int]


_ROWS = """
    SELECT section_id, file, note_title, heading, heading_path, level, text, start_byte, end_byte, start_line, end_line,
           content_hash, own_hash
    FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))
"""
_kept: weakref.WeakKeyDictionary[Database, _Kept] = weakref.WeakKeyDictionary()


def section_rows(database: Database, sections: Sequence[int], generation: int | None) -> dict[int, SectionRow]:
    """The rows of these sections, in the state of the index that bears this number (None: keep nothing)."""
    known = _kept.get(database)
    if known is None or generation is None or known.generation != generation or known.characters[0] > MOST_CHARACTERS:
        known = _Kept(generation or 0, {}, [0])
        if generation is not None:
            _kept[database] = known
    # taken at once: another thread may begin anew
    rows = {section: row for section in sections if (row := known.rows.get(section)) is not None}
    missing = [section for section in sections if section not in rows]
    if missing:
        new = {row[0]: SectionRow(*row) for row in database.query(_ROWS, [missing])}
        known.rows.update(new)
        known.characters[0] += sum(len(row.text) for row in new.values())
        rows |= new
    return rows
