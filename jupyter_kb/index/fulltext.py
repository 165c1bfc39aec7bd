"""Ranking by the words of a query: BM25F over the postings, with notes whose sections support each other preferred.

For a section s and a term t, with the frequencies of t in the fields of s (see `postings.py`) and the section's
`length`:

    tf = body / (1 - B + B · length / mean length) + HEADING · heading + CONTEXT · context + NAMES · names
    idf = ln(1 + (N - df + 0.5) / (df + 0.5))
    score(s, t) = idf · tf · (K1 + 1) / (tf + K1)

(Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.6; the short fields are
not normalised by length.) The scores of an identifier's parts and whole, n terms that say one thing, are summed and
divided by √n. Those of the character pairs of a run without spaces are summed and multiplied by the square of the
share of them that match: a run counts most where it stands as asked for. A word counts as often as it is in the
query. The sum over words is multiplied by 1 - COORDINATION + COORDINATION · (share of words that match). Last, a
section's score is multiplied by (s₁ + s₂ / 2 + s₃ / 4) / s₁, where s₁, s₂ and s₃ are the best sections of its note.

All of it needs one plain SELECT of postings; the arithmetic is numpy's, at a fifth of the time of the same in SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.index.scores import scored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database

COORDINATION = 0.1
SUPPORT = (0.5, 0.25)
DECIMALS = 6
"""Scores are compared rounded to so many decimals."""


@dataclass(frozen=True, kw_only=True)
class Word:
    """One thing asked for: a word with its terms, or any word that begins with `prefix` (these count as one term).

    `is_run`: the terms are the character pairs of a run without spaces. `needed`: a section without the word is no
    hit. It is there when one of its terms is, with `whole` only when all are.
    """

    terms: tuple[int, ...] = ()
    prefix: str | None = None
    weight: float = 1.0
    is_run: bool = False
    needed: bool = False
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Sections that match, by section_id, with their rounded scores."""

    sections: NDArray[np.int64]
    scores: NDArray[np.float64]


def rank(
    database: Database, words: Sequence[Word], notes: NDArray[np.int64] | None = None, *, generation: int | None = None
) -> Ranking:
    """All sections that have any of the words, and all those needed; only of `notes`, where they are given.

    `generation` is the number of the state that is read (see `scores.scored`).
    Statistics are those of the whole index: what is left out changes which sections are found, not how they score.
    """
    words = [word for word in words if word.terms or word.prefix]
    state = scored(database, dict.fromkeys(key for word in words for key in _keys(word)), generation)
    size = len(state.sections)
    score = np.zeros(size)
    matching = np.zeros(size)
    kept = np.ones(size, dtype=bool)
    for word in words:
        found = [state.scores[key] for key in _keys(word)]
        there: NDArray[np.signedinteger]
        if len(found) == 1:
            there, part = found[0]
        else:
            counts = np.zeros(size)
            sums = np.zeros(size)
            for rows, values in found:
                counts[rows] += 1
                sums[rows] += values
            there = np.flatnonzero(counts == len(found) if word.whole else counts)
            share = counts[there] / len(found)
            part = sums[there] * (share**2 if word.is_run else len(found) ** -0.5)
        score[there] += word.weight * part
        matching[there] += 1
        if word.needed:
            here = np.zeros(size, dtype=bool)
            here[there] = True
            kept &= here
    hits = np.flatnonzero(kept & (matching > 0))
    if notes is not None:
        hits = hits[np.isin(state.sections[hits] >> ORDINAL_BITS, notes)]
    share = matching[hits] / max(len(words), 1)
    sections, score = state.sections[hits], score[hits] * (1 - COORDINATION + COORDINATION * share)
    return Ranking(sections=sections, scores=np.round(_supported(sections, score), DECIMALS))


def sections_with(database: Database, word: Word, *, generation: int | None = None) -> NDArray[np.int64]:
    """Sections that have a word, by section_id."""
    return rank(database, [replace(word, needed=True)], generation=generation).sections


def _keys(word: Word) -> tuple[int | str, ...]:
    return (word.prefix,) if word.prefix else word.terms


def _supported(sections: NDArray[np.int64], score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores multiplied by what the other sections of the note add to its best one."""
    if not len(sections):
        return score
    notes = sections >> ORDINAL_BITS
    begins = np.concatenate(([True], notes[1:] != notes[:-1]))
    first = np.flatnonzero(begins)
    group = np.cumsum(begins) - 1
    best = np.maximum.reduceat(score, first)
    left, high, total = score.copy(), best, best.copy()
    for weight in SUPPORT:
        at = np.flatnonzero(left == high[group])
        left[at[np.unique(group[at], return_index=True)[1]]] = 0  # one of them in each note
        high = np.maximum.reduceat(left, first)
        total += weight * high
    return np.asarray(score * (total / best)[group], dtype=np.float64)
