"""Full-text search: from a request to ranked sections with their best passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jupyter_kb.index.fulltext import Ranking, Word, rank, sections_with
from jupyter_kb.index.notes import ORDINAL_BITS, STAND_IN
from jupyter_kb.index.terms import Terms, term_id
from jupyter_kb.models import ByteRange, Hit, LineRange, SearchRequest, SearchResults
from jupyter_kb.search.filters import matching_notes
from jupyter_kb.search.query import Phrase, Query, QueryWord, parse_query
from jupyter_kb.search.snippets import PASSAGE_LENGTH, Marker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database


class _Place(NamedTuple):
    """A section in the final order."""

    section: int
    score: float
    file: str
    title: str


def search(database: Database, request: SearchRequest) -> SearchResults:
    """Sections that answer a query, best first: by rounded score, then file, then place in the file.

    An empty query, or one that only excludes, lists all sections that pass, in the order of files. A query in which
    nothing can be looked up (`???`) has no hits.

    Raises
    ------
    InvalidRequestError : a path filter that makes no sense.
    """
    with database.snapshot():
        terms = Terms(database.meta("language") or "english")
        query = parse_query(request.query, terms)
        notes = matching_notes(database, request.filters)
        if query.asks:
            ranking = _ranked(database, query, notes)
        elif query.excludes or not request.query.strip():
            ranking = _everything(database, notes)
        else:
            ranking = Ranking(sections=np.empty(0, np.int64), scores=np.empty(0))
        ranking = _checked(database, ranking, query)
        if request.per_file is not None:
            ranking = _capped(ranking, request.per_file)
        window = _window(database, ranking, request.offset, request.limit)
        hits = tuple(_hits(database, window, Marker(query.sought, terms)))
    total = len(ranking.sections)
    return SearchResults(
        query=request.query,
        mode="text",
        hits=hits,
        total=total,
        has_more=request.offset + len(hits) < total and request.limit > 0,
    )


# ── which sections ──────────────────────────────────────────────────────────────────────────────


def _ranked(database: Database, query: Query, notes: NDArray[np.int64] | None) -> Ranking:
    words = [_word(word) for word in query.should]
    words += [_word(word, needed=True, whole=True) for word in query.must]
    words += [_word(word, needed=True, whole=True) for phrase in query.phrases for word in phrase.words]
    return rank(database, words, notes)


def _word(word: QueryWord, *, needed: bool = False, whole: bool = False) -> Word:
    ids = tuple(map(term_id, word.terms))
    return Word(terms=ids, prefix=word.prefix, weight=word.count, is_run=word.is_run, needed=needed, whole=whole)


def _everything(database: Database, notes: NDArray[np.int64] | None) -> Ranking:
    sections = database.columns("SELECT section_id FROM sections ORDER BY section_id")["section_id"]
    if notes is not None:
        sections = sections[np.isin(sections >> ORDINAL_BITS, notes)]
    return Ranking(sections=sections, scores=np.zeros(len(sections)))


def _checked(database: Database, ranking: Ranking, query: Query) -> Ranking:
    """Without the sections that have what they must not have, or lack a phrase."""
    kept = np.ones(len(ranking.sections), dtype=bool)
    for word in query.must_not:
        kept &= ~np.isin(ranking.sections, sections_with(database, _word(word, needed=True, whole=True)))
    for phrase in query.phrases:
        kept[kept] = _having(database, ranking.sections[kept], phrase)
    for phrase in query.must_not_phrases:
        words = [_word(word, needed=True, whole=True) for word in phrase.words]
        suspects = np.flatnonzero(kept & np.isin(ranking.sections, rank(database, words).sections))
        kept[suspects] = ~_having(database, ranking.sections[suspects], phrase)
    return Ranking(sections=ranking.sections[kept], scores=ranking.scores[kept])


def _having(database: Database, sections: NDArray[np.int64], phrase: Phrase) -> NDArray[np.bool_]:
    """Which sections hold a phrase: in their heading, their own text, or (the first of a note) the note's title."""
    rows = database.query(
        "SELECT s.section_id, s.heading, s.text, CASE WHEN s.ordinal = 0 THEN n.title END"
        " FROM sections s JOIN notes n USING (note_id) WHERE s.section_id IN (SELECT unnest(?::BIGINT[]))",
        [sections.tolist()],
    )
    holding = [section for section, *texts in rows if any(text and phrase.is_in(text) for text in texts)]
    return np.isin(sections, np.array(holding, dtype=np.int64))


# ── in which order ──────────────────────────────────────────────────────────────────────────────


def _capped(ranking: Ranking, per_file: int) -> Ranking:
    """At most `per_file` sections of each note: its best, the earlier of equal ones."""
    notes = ranking.sections >> ORDINAL_BITS
    order = np.lexsort((ranking.sections, -ranking.scores, notes))
    notes = notes[order]
    first = np.flatnonzero(np.concatenate(([True], notes[1:] != notes[:-1]))) if len(notes) else np.empty(0, np.int64)
    place = np.arange(len(notes)) - np.repeat(first, np.diff(np.concatenate((first, [len(notes)]))))
    kept = order[place < per_file]
    return Ranking(sections=ranking.sections[kept], scores=ranking.scores[kept])


def _window(database: Database, ranking: Ranking, offset: int, limit: int) -> list[_Place]:
    """The window asked for, in the final order. Names decide between equal scores only."""
    end = offset + limit
    sections, scores = ranking.sections, ranking.scores
    if limit <= 0 or offset >= len(sections):
        return []
    if end < len(sections):
        least = -np.partition(-scores, end - 1)[end - 1]
        kept = scores >= least
        sections, scores = sections[kept], scores[kept]
    notes = sections >> ORDINAL_BITS
    names: dict[int, tuple[str, str]] = {
        note: (path, title) for note, path, title in database.query(_NAMES, [np.unique(notes).tolist()])
    }
    places = (
        (-score, *names[note], section)
        for score, note, section in zip(scores.tolist(), notes.tolist(), sections.tolist(), strict=True)
    )
    ordered = sorted(places, key=lambda place: (place[0], place[1], place[3]))
    return [_Place(section, -score, file, title) for score, file, title, section in ordered[offset:end]]


# ── what to show ────────────────────────────────────────────────────────────────────────────────

# Without a join: the few sections are then found by skipping most of the table.
_NAMES = "SELECT note_id, path, title FROM notes WHERE note_id IN (SELECT unnest(?::INTEGER[]))"
_ROWS = """
    SELECT section_id, heading, heading_path, level, text, start_byte, end_byte, start_line, end_line, content_hash,
           own_start, own_end, own_start_line, own_end_line, own_hash
    FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))
"""


def _hits(database: Database, window: Sequence[_Place], marker: Marker) -> Iterator[Hit]:
    if not window:
        return
    rows: dict[int, Sequence[Any]] = {
        row[0]: row[1:] for row in database.query(_ROWS, [[place.section for place in window]])
    }
    for place in window:
        heading, heading_path, level, text, *places = rows[place.section]
        complete = len(text) <= PASSAGE_LENGTH and level != STAND_IN
        # the hash is that of the range given: of the own text where that is all there, else of the whole subtree
        start, end, first, last, content_hash = places[5:] if complete else places[:5]
        passage = marker.passage(text)
        snippet = marker.snippet(passage)
        yield Hit(
            file=place.file,
            title=place.title,
            heading=heading,
            heading_path=heading_path,
            score=place.score,
            byte_range=ByteRange(start=start, end=end),
            line_range=LineRange(start=first, end=last),
            content_hash=content_hash,
            snippet=snippet.text,
            marks=snippet.marks,
            text=passage,
            complete=complete,
        )
