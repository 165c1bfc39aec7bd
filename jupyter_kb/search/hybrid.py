"""Ranking by meaning, alone or together with words: from a question and its vector to sections, chunks or documents.

For a chunk c of a note d, with cos the product of its vector and the question's, both of unit length:

    meaning(c) = cos(c) + NOTE · mean of cos over the chunks of d
    score(c)   = weight · meaning(c) / max meaning + (1 - weight) · words(section of c) / max words

where `weight` is a setting and `words` the score of `index/fulltext.py`; a chunk that has no vector yet counts
with its words alone. A section counts with its best chunk, a document with its best section. The question's vector is
moved towards what it finds first (pseudo relevance feedback, Rocchio 1971): the best chunks of the best FEEDBACK notes,
averaged, are added to it with factor NEARER, and the ranking is made once more. A section whose heading or heading path
has just the words of the query gets HEADING on top.

Everything is ranked before anything is left out: a filter never changes the order of what passes it. Scores are
rounded, so that the last bits of a matrix product decide nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.fulltext import Ranking
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.index.terms import analysis
from jupyter_kb.models import Explanation, Hit, SearchRequest, SearchResults
from jupyter_kb.search import fusion, hits
from jupyter_kb.search.filters import scope
from jupyter_kb.search.fusion import Groups
from jupyter_kb.search.headings import sections_called
from jupyter_kb.search.query import parse_query
from jupyter_kb.search.ranking import Placed, capped, window
from jupyter_kb.search.snippets import PASSAGE_LENGTH, Marker
from jupyter_kb.search.text import checked, ranked
from jupyter_kb.settings import DEFAULT_WEIGHT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.index.vectors import Vectors
    from jupyter_kb.search.query import Query

NOTE = 0.6
"""More finds more in manuals, whose pages keep to one matter, and less in notes where many meet, such as an inbox."""
FEEDBACK = 5
NEARER = 0.4
HEADING = 0.1
NEAR = 2 / 3
"""Of the way from what a vault is like on average to what is nearest: from there on a chunk is near, in any model."""
DEEPEST = 500
"""Ranked hits of one answer; whoever looks further asks another question."""
DECIMALS = 6
NO_WORD = "no note has a word of the query: these are the nearest by meaning, however far"

_EXCLUDED = re.compile(r'(?:^|(?<=\s))-(?:"[^"]*"|[^\W_]{2}\S*)')
_SYNTAX = re.compile(r'(?:^|(?<=\s))\+(?=["\w])|"|\*(?=\s|$)')


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, as a vector of the model whose vectors are searched. `section` is left out of its own answer."""

    model: str
    vector: NDArray[np.float32]
    section: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Legs:
    """What words and meaning say of each entry: a chunk each, and one for each section that has no chunk yet."""

    sections: NDArray[np.int64]
    positions: NDArray[np.int32]
    text: NDArray[np.float64]
    vector: NDArray[np.float64]
    fused: NDArray[np.float64]
    kept: NDArray[np.bool_]
    missing: int
    wordless: bool


def wording(query: str) -> str:
    """A query without its syntax: what a model is to read. Words that are not wanted are left out."""
    return " ".join(_SYNTAX.sub(" ", _EXCLUDED.sub(" ", query)).split())


def search(
    database: Database, vectors: Vectors, request: SearchRequest, question: Question, *, weight: float = DEFAULT_WEIGHT
) -> SearchResults:
    """What answers a query by meaning, in mode `hybrid` together with its words, best first; at most `DEEPEST` hits.

    `+word`, `-word` and quoted phrases hold as in a search by words.

    Raises
    ------
    InvalidRequestError : a filter that makes no sense.
    """
    terms = analysis(database.meta("language") or "english")
    query = parse_query(request.query, terms)

    def read(generation: int | None) -> tuple[list[Placed], NDArray[np.int64], _Legs, list[tuple[int, int] | None]]:
        legs = _legs(database, vectors, request, question, query, weight, generation)
        entries = _candidates(legs, request)
        scores = legs.fused[entries]
        found = window(
            database,
            legs.sections[entries],
            scores,
            offset=request.offset,
            limit=request.limit,
            generation=generation,
            order=request.order_by,
            descending=request.descending,
        )
        found = [placed._replace(entry=int(entries[placed.entry])) for placed in found]
        spans = vectors.spans([(placed.row.section, int(legs.positions[placed.entry])) for placed in found])
        return found, entries, legs, spans

    found, entries, legs, spans = database.consistently(read)
    marker = Marker(query.sought, terms)
    chunk = request.granularity == "chunk"
    answer = [
        _hit(placed, span, legs, marker, chunk=chunk, explain=request.explain)
        for placed, span in zip(found, spans, strict=True)
    ]
    return SearchResults(
        query=request.query,
        mode="semantic" if request.mode == "semantic" else "hybrid",
        hits=tuple(answer),
        total=len(entries),
        notes=len(np.unique(legs.sections[entries] >> ORDINAL_BITS)),
        has_more=request.offset + len(found) < len(entries) and request.limit > 0,
        pending=legs.missing,
        note=NO_WORD if legs.wordless and answer else None,
    )


# ── scores ──────────────────────────────────────────────────────────────────────────────────────


def _legs(
    database: Database,
    vectors: Vectors,
    request: SearchRequest,
    question: Question,
    query: Query,
    weight: float,
    generation: int | None,
) -> _Legs:
    found = vectors.scores(question.model, question.vector, generation=generation)
    words = ranked(database, query, None, generation)
    called = sections_called(database, request.query)
    both = request.mode != "semantic" and question.section is None
    sections, positions = found.sections, found.positions
    others = words.sections[~_among(sections, words.sections)] if both else np.empty(0, np.int64)
    if len(others):  # not yet cut into chunks
        order = np.argsort(np.concatenate((sections, others)), kind="stable")
        sections = np.concatenate((sections, others))[order]
        positions = np.concatenate((positions, np.zeros(len(others), positions.dtype)))[order]
    text = np.zeros(len(sections))
    if both and len(words.sections):
        at = np.minimum(np.searchsorted(words.sections, sections), len(words.sections) - 1)
        text = np.where(words.sections[at] == sections, words.scores[at], 0.0)
    bonus = HEADING * np.isin(sections, called) if both and len(called) else 0.0

    def fuse(scores: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Meaning of each entry (-inf without a vector), and both legs together."""
        cosines = scores.astype(np.float64)
        if len(others):
            cosines = np.concatenate((cosines, np.full(len(others), -np.inf)))[order]
        meaning = np.asarray(fusion.supported(cosines, Groups.by(sections >> ORDINAL_BITS), NOTE), dtype=np.float64)
        if not both:
            return meaning, np.asarray(np.round(fusion.normalised(meaning), DECIMALS), dtype=np.float64)
        # what has no vector yet is judged by its words alone
        whole = np.where(np.isfinite(meaning), meaning, fusion.normalised(text) * meaning.max(initial=0.0))
        if request.fusion == "rrf":
            fused = fusion.reciprocal(text, whole) + bonus
        else:
            fused = fusion.weighted(text, whole, weight) + bonus
        return meaning, np.asarray(np.round(fused, DECIMALS), dtype=np.float64)

    meaning, fused = fuse(found.scores)
    nearer = _nearer(vectors, question, sections, positions, fused, meaning) if question.section is None else None
    if nearer is not None:
        meaning, fused = fuse(vectors.scores(question.model, nearer, generation=generation).scores)
    kept = np.isfinite(meaning) if not both else (fused > 0)
    if query.must or query.phrases or query.excludes:
        kept &= _allowed(database, query, sections, words.sections, generation)
    if request.only_near:
        kept &= (text > 0) | (meaning >= _nearness(meaning))
    passing = scope(database, request.filters)
    if passing is not None:
        kept &= passing.mask(sections)
    if question.section is not None:
        note = question.section >> ORDINAL_BITS
        whole = request.granularity == "document"
        kept &= sections >> ORDINAL_BITS != note if whole else sections != question.section
    return _Legs(
        sections=sections,
        positions=positions,
        text=text,
        vector=meaning,
        fused=fused,
        kept=kept,
        missing=found.missing,
        wordless=both and bool(query.sought) and not len(words.sections),
    )


def _nearness(meaning: NDArray[np.float64]) -> float:
    """From which score on a chunk is near."""
    there = meaning[np.isfinite(meaning)]
    average = float(there.mean()) if len(there) else 0.0
    return round(average + NEAR * (float(there.max(initial=average)) - average), DECIMALS)


def _nearer(
    vectors: Vectors,
    question: Question,
    sections: NDArray[np.int64],
    positions: NDArray[np.int32],
    fused: NDArray[np.float64],
    meaning: NDArray[np.float64],
) -> NDArray[np.float32] | None:
    """The question's vector moved towards the best chunks of the notes that come first."""
    chosen: list[int] = []
    seen: set[int] = set()
    many = min(len(fused), 16 * FEEDBACK)
    first = np.argpartition(-fused, many - 1)[:many] if many else np.empty(0, np.int64)
    # equal ones by their likeness: which section has which number depends on the past of the index
    for entry in first[np.lexsort((-np.round(meaning[first], DECIMALS), -fused[first]))].tolist():
        note = int(sections[entry]) >> ORDINAL_BITS
        if note not in seen and np.isfinite(meaning[entry]) and fused[entry] > 0:
            seen.add(note)
            chosen.append(entry)
        if len(chosen) == FEEDBACK:
            break
    if not chosen:
        return None
    pairs = [(int(sections[entry]), int(positions[entry])) for entry in chosen]
    there = vectors.of_chunks(question.model, pairs)
    if not len(there):
        return None
    moved = question.vector + NEARER * np.mean(there, axis=0)
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


def _allowed(
    database: Database,
    query: Query,
    sections: NDArray[np.int64],
    answering: NDArray[np.int64],
    generation: int | None,
) -> NDArray[np.bool_]:
    """Which entries have what the query insists on, and nothing of what it rules out."""
    if query.must or query.phrases:
        return np.isin(sections, answering)
    own = np.unique(sections)
    left = checked(database, Ranking(sections=own, scores=np.zeros(len(own))), query, generation)
    return np.isin(sections, left.sections)


# ── hits ────────────────────────────────────────────────────────────────────────────────────────


def _candidates(legs: _Legs, request: SearchRequest) -> NDArray[np.int64]:
    """The entries that are hits: the best chunk of each section, as many of one note as asked for, the best of all."""
    entries = np.flatnonzero(legs.kept)
    most = 1 if request.granularity == "document" else request.per_file
    many = 8 * DEEPEST
    while True:
        some = entries
        if many < len(entries):
            scores = legs.fused[entries]
            some = entries[scores >= -np.partition(-scores, many - 1)[many - 1]]
        chosen = some if request.granularity == "chunk" else _best_of_each_section(legs, some)
        if most is not None:
            chosen = chosen[capped(legs.sections[chosen], legs.fused[chosen], most)]
        if len(chosen) >= DEEPEST or len(some) == len(entries):
            break
        many *= 8
    if len(chosen) > DEEPEST:  # of equal ones at the end those stay that come first in the index
        order = np.lexsort((chosen, -legs.fused[chosen]))
        chosen = np.sort(chosen[order[:DEEPEST]])
    return chosen


def _best_of_each_section(legs: _Legs, entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """One entry a section: the chunk with the best score, of equal ones the first."""
    sections, scores = legs.sections[entries], legs.fused[entries]
    order = np.lexsort((entries, -scores, sections))
    ordered = sections[order]
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return np.sort(entries[order[first]])


def _hit(
    placed: Placed, span: tuple[int, int] | None, legs: _Legs, marker: Marker, *, chunk: bool, explain: bool
) -> Hit:
    text = placed.row.text
    long = len(text) > PASSAGE_LENGTH
    if span is not None and (chunk or long):
        text = text[span[0] : span[1]]
    found = hits.hit(placed.score, placed.row, *marker.show(text))
    found = replace(found, complete=found.complete and not (chunk and long), span=span)
    return replace(found, explanation=_explanation(placed, legs)) if explain else found


def _explanation(placed: Placed, legs: _Legs) -> Explanation:
    entry = placed.entry
    meaning, words = float(legs.vector[entry]), float(legs.text[entry])
    return Explanation(
        text_rank=_rank(legs, legs.text, entry) if words > 0 else None,
        text_score=words if words > 0 else None,
        vector_rank=_rank(legs, legs.vector, entry) if np.isfinite(meaning) else None,
        vector_score=round(meaning, DECIMALS) if np.isfinite(meaning) else None,
        fused=placed.score,
    )


def _rank(legs: _Legs, scores: NDArray[np.float64], entry: int) -> int:
    """The place of an entry's section when all that pass are ordered by one leg alone."""
    better = legs.sections[legs.kept & (scores > scores[entry])]
    return 1 + (int(np.count_nonzero(better[1:] != better[:-1])) + 1 if len(better) else 0)


def _among(ordered: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which values stand in an array that ascends."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values)
