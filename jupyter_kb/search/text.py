"""Full-text search: from a request to ranked sections with their best passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.fulltext import Ranking, Word, rank, sections_with
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.index.terms import analysis, term_id
from jupyter_kb.models import SearchRequest, SearchResults
from jupyter_kb.search import hits
from jupyter_kb.search.filters import scope
from jupyter_kb.search.query import Phrase, Query, QueryWord, parse_query
from jupyter_kb.search.ranking import Placed, capped, window
from jupyter_kb.search.snippets import Marker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database


def search(database: Database, request: SearchRequest) -> SearchResults:
    """Sections that answer a query, best first: by rounded score, then file, then place in the file.

    An empty query, or one that only excludes, lists all sections that pass, in the order of files. A query in which
    nothing can be looked up (`???`) has no hits.

    Raises
    ------
    InvalidRequestError : a path filter that makes no sense.
    """
    terms = analysis(database.meta("language") or "english")
    query = parse_query(request.query, terms)
    rows, total, notes = database.consistently(lambda generation: _read(database, request, query, generation))
    marker = Marker(query.sought, terms)
    return SearchResults(
        query=request.query,
        mode="text",
        hits=tuple(hits.hit(placed.score, placed.row, *marker.show(placed.row.text)) for placed in rows),
        total=total,
        notes=notes,
        has_more=request.offset + len(rows) < total and request.limit > 0,
    )


def _read(
    database: Database, request: SearchRequest, query: Query, generation: int | None
) -> tuple[list[Placed], int, int]:
    """The rows of the window asked for; how many there are in all, and in how many notes."""
    passing = scope(database, request.filters)
    notes = None if passing is None else passing.notes
    if not query.asks and (query.excludes or not request.query.strip()):
        ranking = checked(database, _everything(database, notes), query, generation)
    else:
        ranking = ranked(database, query, notes, generation)
    if passing is not None and passing.sections is not None:
        within = passing.mask(ranking.sections)
        ranking = Ranking(sections=ranking.sections[within], scores=ranking.scores[within])
    sections, scores = ranking.sections, ranking.scores
    if request.per_file is not None:
        kept = capped(sections, scores, request.per_file)
        sections, scores = sections[kept], scores[kept]
    found = window(
        database,
        sections,
        scores,
        offset=request.offset,
        limit=request.limit,
        generation=generation,
        order=request.order_by,
        descending=request.descending,
    )
    return found, len(sections), len(np.unique(sections >> ORDINAL_BITS))


def ranked(database: Database, query: Query, notes: NDArray[np.int64] | None, generation: int | None) -> Ranking:
    """All sections that answer a query by their words, with their scores; none when it asks for nothing."""
    if not query.asks:
        return Ranking(sections=np.empty(0, dtype=np.int64), scores=np.empty(0))
    return checked(database, rank(database, _wanted(query), notes, generation=generation), query, generation)


# ── which sections ──────────────────────────────────────────────────────────────────────────────


def _wanted(query: Query) -> list[Word]:
    words = [_word(word) for word in query.should]
    words += [_word(word, needed=True, whole=True) for word in query.must]
    words += [_word(word, needed=True, whole=True) for phrase in query.phrases for word in phrase.words]
    return words


def _word(word: QueryWord, *, needed: bool = False, whole: bool = False) -> Word:
    ids = tuple(map(term_id, word.terms))
    return Word(terms=ids, prefix=word.prefix, weight=word.count, is_run=word.is_run, needed=needed, whole=whole)


def _everything(database: Database, notes: NDArray[np.int64] | None) -> Ranking:
    sections = database.columns("SELECT section_id FROM sections ORDER BY section_id")["section_id"]
    if notes is not None:
        sections = sections[np.isin(sections >> ORDINAL_BITS, notes)]
    return Ranking(sections=sections, scores=np.zeros(len(sections)))


def checked(database: Database, ranking: Ranking, query: Query, generation: int | None) -> Ranking:
    """Without the sections that have what they must not have, or lack a phrase."""
    if not (query.excludes or query.phrases):
        return ranking
    kept = np.ones(len(ranking.sections), dtype=bool)
    for word in query.must_not:
        having = sections_with(database, _word(word, needed=True, whole=True), generation=generation)
        kept &= ~np.isin(ranking.sections, having)
    for phrase in query.phrases:
        kept[kept] = _having(database, ranking.sections[kept], phrase)
    for phrase in query.must_not_phrases:
        words = [_word(word, needed=True, whole=True) for word in phrase.words]
        having = rank(database, words, generation=generation).sections
        suspects = np.flatnonzero(kept & np.isin(ranking.sections, having))
        kept[suspects] = ~_having(database, ranking.sections[suspects], phrase)
    return Ranking(sections=ranking.sections[kept], scores=ranking.scores[kept])


def _having(database: Database, sections: NDArray[np.int64], phrase: Phrase) -> NDArray[np.bool_]:
    """Which sections hold a phrase: in their heading, their own text, or (the first of a note) the note's title."""
    rows = database.query(
        "SELECT section_id, heading, text, CASE WHEN ordinal = 0 THEN note_title END"
        " FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))",
        [sections.tolist()],
    )
    holding = [section for section, *texts in rows if any(text and phrase.is_in(text) for text in texts)]
    return np.isin(sections, np.array(holding, dtype=np.int64))
