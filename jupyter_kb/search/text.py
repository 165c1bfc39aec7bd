"""Full-text search: from a request to ranked sections with their best passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jupyter_kb.index.fulltext import Ranking, Word, rank, sections_with
from jupyter_kb.index.notes import ORDINAL_BITS, STAND_IN
from jupyter_kb.index.terms import analysis, term_id
from jupyter_kb.models import ByteRange, Hit, LineRange, SearchRequest, SearchResults
from jupyter_kb.search.filters import matching_notes
from jupyter_kb.search.query import Phrase, Query, QueryWord, parse_query
from jupyter_kb.search.rows import SectionRow, section_rows
from jupyter_kb.search.snippets import PASSAGE_LENGTH, Marker

_FEW = 20
_FILES = "SELECT section_id, file FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))"

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database


class _Scored(NamedTuple):
    """A section that answers, and how well."""

    score: float
    row: SectionRow


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
    rows, total = database.consistently(lambda generation: _read(database, request, query, generation))
    marker = Marker(query.sought, terms)
    return SearchResults(
        query=request.query,
        mode="text",
        hits=tuple(_hit(row, marker) for row in rows),
        total=total,
        has_more=request.offset + len(rows) < total and request.limit > 0,
    )


def _read(
    database: Database, request: SearchRequest, query: Query, generation: int | None
) -> tuple[list[_Scored], int]:
    """The rows of the window asked for, and how many there are in all."""
    notes = matching_notes(database, request.filters)
    if query.asks:
        ranking = rank(database, _wanted(query), notes, generation=generation)
    elif query.excludes or not request.query.strip():
        ranking = _everything(database, notes)
    else:
        return [], 0
    if query.excludes or query.phrases:
        ranking = _checked(database, ranking, query, generation)
    if request.per_file is not None:
        ranking = _capped(ranking, request.per_file)
    return _window(database, ranking, request.offset, request.limit, generation), len(ranking.sections)


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


def _checked(database: Database, ranking: Ranking, query: Query, generation: int | None) -> Ranking:
    """Without the sections that have what they must not have, or lack a phrase."""
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


def _window(database: Database, ranking: Ranking, offset: int, limit: int, generation: int | None) -> list[_Scored]:
    """The window asked for, in the final order. Names decide between equal scores only."""
    end = offset + limit
    sections, scores = ranking.sections, ranking.scores
    if limit <= 0 or offset >= len(sections):
        return []
    if end < len(sections):
        least = -np.partition(-scores, end - 1)[end - 1]
        kept = scores >= least
        sections, scores = sections[kept], scores[kept]
    order = np.argsort(-scores, kind="stable")
    sections, scores = sections[order], scores[order]
    if offset:  # what surely comes before the window need not be read
        first = int(np.searchsorted(-scores, -scores[offset]))
        sections, scores, offset, end = sections[first:], scores[first:], offset - first, end - first
    score_of = dict(zip(sections.tolist(), scores.tolist(), strict=True))
    wanted = sections.tolist()
    if len(wanted) > end + _FEW:  # many of equal score: their texts need not be read
        files = database.query(_FILES, [wanted])
        wanted = [section for section, _ in sorted(files, key=lambda row: (-score_of[row[0]], row[1], row[0]))][:end]
    found = [_Scored(score_of[section], row) for section, row in section_rows(database, wanted, generation).items()]
    found.sort(key=lambda scored: (-scored.score, scored.row.file, scored.row.section))
    return found[offset:end]


# ── what to show ────────────────────────────────────────────────────────────────────────────────


def _hit(scored: _Scored, marker: Marker) -> Hit:
    row = scored.row
    passage, snippet = marker.show(row.text)
    return Hit(
        file=row.file,
        title=row.title,
        heading=row.heading,
        heading_path=row.heading_path,
        score=scored.score,
        byte_range=ByteRange(start=row.start, end=row.end),
        line_range=LineRange(start=row.first_line, end=row.last_line),
        content_hash=row.content_hash,
        own_hash=row.own_hash,
        snippet=snippet.text,
        marks=snippet.marks,
        text=passage,
        complete=len(row.text) <= PASSAGE_LENGTH and row.level != STAND_IN,
    )
