"""Enumeration: all notes or sections that pass a filter, in a fixed order, without a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index.notes import ORDINAL_BITS, STAND_IN
from jupyter_kb.index.terms import Terms
from jupyter_kb.models import ByteRange, Hit, LineRange, SearchRequest, SearchResults
from jupyter_kb.search.filters import scope
from jupyter_kb.search.orders import all_notes, checked_order, places_in_order
from jupyter_kb.search.rows import section_rows
from jupyter_kb.search.snippets import PASSAGE_LENGTH, Marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.search.rows import SectionRow

MOST_WITH_TEXT = 1_000
"""Hits of one answer that carry their texts: who asks for more wants places."""
_LOOKED_INTO = 8
"""Sections of a note in which the beginning of its text is looked for."""

_SECTIONS = "SELECT section_id FROM sections ORDER BY section_id"
_TEXTS = "SELECT section_id, left(text, ?) FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))"


class _Window(NamedTuple):
    rows: list[SectionRow]
    texts: dict[int, str]
    mtimes: dict[int, int]
    total: int
    notes: int


def listing(database: Database, request: SearchRequest) -> SearchResults:
    """What passes the filters of a request: a hit a note, or with granularity `section` a hit a section.

    Notes come in byte order of their paths, or by title in any case, or by time of modification; those that are equal
    in that in order of their paths, also where the order is `descending`. Sections of a note stand in the order of the
    document. A note is shown at its first section that passes: place, hashes and `own_hash` are that section's, `text`
    is where its text begins, if need be further below. `score` is 0.

    Raises
    ------
    InvalidRequestError : granularity `chunk`, an unknown order, or a filter that makes no sense.
    """
    if request.granularity == "chunk":
        raise InvalidRequestError(
            "an enumeration lists documents or sections, not chunks",
            hint="give a query, or granularity 'document' or 'section'",
        )
    checked_order(request.order_by)
    window = database.consistently(lambda generation: _read(database, request, generation))
    marker = Marker((), Terms("none"))
    timed = request.order_by == "modified"
    return SearchResults(
        query=request.query,
        mode=request.mode,
        hits=tuple(_hit(row, window, marker, timed=timed) for row in window.rows),
        total=window.total,
        notes=window.notes,
        has_more=request.limit > 0 and request.offset + len(window.rows) < window.total,
    )


def _read(database: Database, request: SearchRequest, generation: int | None) -> _Window:
    passing = scope(database, request.filters)
    notes = all_notes(database)
    by_section = request.granularity == "section"
    if passing is not None and passing.sections is not None:
        sections = passing.sections
    elif by_section:
        sections = database.columns(_SECTIONS)["section_id"]
        if passing is not None:
            sections = sections[passing.mask(sections)]
    else:  # every note has a first row
        sections = (np.array(sorted(notes), dtype=np.int64) if passing is None else passing.notes) << ORDINAL_BITS
    most = request.per_file if by_section else 1
    chosen = sections if most is None else sections[_places(sections) < most]
    order = places_in_order(notes, request.order_by or "path", descending=request.descending)[chosen >> ORDINAL_BITS]
    chosen = chosen[np.argsort(order, kind="stable")]
    window = chosen[request.offset : request.offset + max(request.limit, 0)].tolist()
    found = section_rows(database, window, generation)
    rows = [found[section] for section in window if section in found]
    texts: dict[int, str] = {}
    if len(rows) <= MOST_WITH_TEXT:
        texts = {row.section: row.text for row in rows}
        if not by_section:
            narrowed = sections if passing is not None and passing.sections is not None else None
            texts |= _beginnings(database, [row for row in rows if not row.text.strip()], narrowed)
    mtimes = {row.section: notes[row.section >> ORDINAL_BITS][2] for row in rows}
    many = len(np.unique(chosen >> ORDINAL_BITS))
    return _Window(rows=rows, texts=texts, mtimes=mtimes, total=len(chosen), notes=many)


def _places(sections: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each section its place, from 0, among those of its note."""
    notes = sections >> ORDINAL_BITS
    places: NDArray[np.int64] = np.arange(len(notes)) - np.searchsorted(notes, notes)
    return places


def _beginnings(database: Database, rows: Sequence[SectionRow], passing: NDArray[np.int64] | None) -> dict[int, str]:
    """For first sections without text of their own: the first text behind them in the note, of sections that pass."""
    candidates = {row.section: range(row.section + 1, row.section + _LOOKED_INTO) for row in rows}
    wanted = [other for others in candidates.values() for other in others]
    if passing is not None:
        wanted = np.intersect1d(passing, wanted).tolist()
    texts = dict(database.query(_TEXTS, [PASSAGE_LENGTH + 1, wanted])) if wanted else {}
    return {
        section: next((text for other in others if (text := texts.get(other, "")).strip()), "")
        for section, others in candidates.items()
    }


def _hit(row: SectionRow, window: _Window, marker: Marker, *, timed: bool) -> Hit:
    text = window.texts.get(row.section, "")
    passage, snippet = marker.show(text)
    own = row.section in window.texts and text == row.text
    return Hit(
        file=row.file,
        title=row.title,
        heading=row.heading,
        heading_path=row.heading_path,
        score=0.0,
        byte_range=ByteRange(start=row.start, end=row.end),
        line_range=LineRange(start=row.first_line, end=row.last_line),
        content_hash=row.content_hash,
        own_hash=row.own_hash,
        snippet=snippet.text,
        text=passage,
        complete=own and len(text) <= PASSAGE_LENGTH and row.level != STAND_IN,
        modified=window.mtimes[row.section] / 1e9 if timed else None,
    )
