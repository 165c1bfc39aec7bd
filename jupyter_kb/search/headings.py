"""Search among headings: deterministic scores, no stems, no statistics.

Tokens are maximal runs of letters and digits, lower-cased. With P the tokens of a heading path, H those of the heading
itself and Q those of the query, a query token matches a token when one of the two is a prefix of the other, and

    40000                                 Q = P
    30000                                 Q = H
    29000                                 Q and H are equal as multisets
    20000 + 100 · equal                   every query token matches; equal: query tokens that are in P
    10000 + 100 · matching + equal        some match
    no hit                                otherwise

(H is part of P, so what matches in H need not be counted apart.) Hits are ordered by score, then the shallower, then by
file, then by heading path. Preambles are never hits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.terms import Terms
from jupyter_kb.models import ByteRange, Hit, LineRange, SearchRequest, SearchResults
from jupyter_kb.search.filters import scope
from jupyter_kb.search.heading_table import HeadingTable, heading_table, tokens
from jupyter_kb.search.snippets import PASSAGE_LENGTH, Marker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database


MOST_WITH_TEXT = 1_000
"""Hits of one answer that carry their texts: who asks for more wants places."""


def search(database: Database, request: SearchRequest) -> SearchResults:
    """Headings that answer the query. All are scored and counted; the window asked for is fetched.

    A query without letters or digits has no hits. Places and hashes are those of the whole sections; `complete` says
    that `text` is all there is below the heading, sub-sections included.

    Raises
    ------
    InvalidRequestError : a filter that makes no sense.
    """
    query = tokens(request.query)
    if not query:
        return SearchResults(query=request.query, mode="headings", hits=(), total=0)
    for last in (False, False, True):
        table = heading_table(database)
        scores = score(table, query)
        passing = scope(database, request.filters)
        if passing is not None:
            scores[~passing.mask(table.sections)] = 0
        window, total = _window(table, scores, request)
        notes = len(np.unique(table.notes[np.flatnonzero(scores)]))
        hits = _hits(database, table, scores, window)
        if last or len(hits) == len(window):  # otherwise a write came between the table and its rows: once more
            break
    return SearchResults(
        query=request.query,
        mode="headings",
        hits=hits,
        total=total,
        notes=notes,
        has_more=request.limit > 0 and request.offset + request.limit < total,
    )


def score(table: HeadingTable, query: Sequence[str]) -> NDArray[np.int64]:
    """Scores of all rows of the table, 0 where nothing matches."""
    size = len(table.sections)
    matching = np.zeros(size, dtype=np.int64)
    equal = np.zeros(size, dtype=np.int64)
    numbers = [table.vocabulary.number(token) for token in query]
    for token, number in zip(query, numbers, strict=True):
        chosen = table.vocabulary.matching(token)
        matching += table.holding(chosen)
        if number >= 0:
            chosen[:] = False
            chosen[number] = True
            equal += table.holding(chosen)
    scores = np.where(matching > 0, 10_000 + 100 * matching + equal, 0)
    scores = np.where(matching == len(query), 20_000 + 100 * equal, scores)
    whole = equal == len(query)
    for row in np.flatnonzero(whole & (table.own == len(query))).tolist():
        own = table.heading_tokens(row)
        if own == numbers:
            scores[row] = 30_000
        elif sorted(own) == sorted(numbers):
            scores[row] = 29_000
    for row in np.flatnonzero(whole & (np.diff(table.starts) == len(query))).tolist():
        if table.path_tokens(row) == numbers:
            scores[row] = 40_000
    return scores


def _window(table: HeadingTable, scores: NDArray[np.int64], request: SearchRequest) -> tuple[list[int], int]:
    """Rows of the window asked for, in order, and how many hits there are in all."""
    rows = np.flatnonzero(scores)
    total = len(rows)
    end = request.offset + request.limit
    if request.per_file is None and end < total:
        # sorting by name is the dear part: leave out what score and depth already put behind the window
        rank = table.depths[rows] - scores[rows] * (1 << 20)
        rows = rows[rank <= np.partition(rank, end)[end]]
    keys = zip(
        (-scores[rows]).tolist(),
        table.depths[rows].tolist(),
        [table.files[note] for note in table.notes[rows].tolist()],
        table.paths[rows].tolist(),
        table.sections[rows].tolist(),
        rows.tolist(),
        strict=True,
    )
    ordered = sorted(keys)
    if request.per_file is not None:
        seen: Counter[str] = Counter()
        kept = []
        for key in ordered:
            seen[key[2]] += 1
            if seen[key[2]] <= request.per_file:
                kept.append(key)
        ordered, total = kept, len(kept)
    return [key[-1] for key in ordered[request.offset : end]], total


_ROWS = """
    SELECT s.section_id, n.path, n.title, s.heading, s.heading_path, s.start_byte, s.end_byte, s.start_line, s.end_line,
           s.content_hash, s.own_hash, left(s.text, ?)
    FROM sections s JOIN notes n USING (note_id) WHERE s.section_id IN (SELECT unnest(?::BIGINT[]))
"""


def _hits(database: Database, table: HeadingTable, scores: NDArray[np.int64], window: Sequence[int]) -> tuple[Hit, ...]:
    """Rows of the table as hits, in the same order; those that the index no longer holds are left out."""
    wanted = table.sections[window].tolist() if window else []
    with_text = len(window) <= MOST_WITH_TEXT
    rows = {row[0]: row[1:] for row in database.query(_ROWS, [PASSAGE_LENGTH + 1 if with_text else 0, wanted])}
    marker = Marker((), Terms("none"))
    hits = []
    for number, section in zip(window, wanted, strict=True):
        found = rows.get(section)
        if found is None or found[3] != table.paths[number]:
            continue
        file, title, heading, path, start, end, first, last, content_hash, own_hash, text = found
        passage = marker.passage(text)
        hits.append(
            Hit(
                file=file,
                title=title,
                heading=heading,
                heading_path=path,
                score=float(scores[number]),
                byte_range=ByteRange(start=start, end=end),
                line_range=LineRange(start=first, end=last),
                content_hash=content_hash,
                own_hash=own_hash,
                snippet=marker.snippet(passage).text if passage else "",
                text=passage,
                complete=with_text and own_hash == content_hash and len(text) <= PASSAGE_LENGTH,
            )
        )
    return tuple(hits)


MOST_WORDS = 12
"""A longer query is no heading's name."""


def sections_called(database: Database, query: str) -> NDArray[np.int64]:
    """Sections whose heading, or whole heading path, has just the words of the query."""
    words = tokens(query)
    if not 0 < len(words) <= MOST_WORDS:
        return np.empty(0, dtype=np.int64)
    table = heading_table(database)
    numbers = [table.vocabulary.number(token) for token in words]
    left = (table.own == len(words)) | (np.diff(table.starts) == len(words))
    for number in numbers:
        if number < 0 or not left.any():
            return np.empty(0, dtype=np.int64)
        chosen = np.zeros(len(table.vocabulary), dtype=bool)
        chosen[number] = True
        left &= table.holding(chosen) > 0
    rows = [
        row
        for row in np.flatnonzero(left).tolist()
        if sorted(table.heading_tokens(row)) == sorted(numbers) or table.path_tokens(row) == numbers
    ]
    return np.asarray(table.sections[rows], dtype=np.int64)
