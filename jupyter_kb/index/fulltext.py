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

All of it needs one plain SELECT; the arithmetic is numpy's, at a fifth of the time of the same in SQL.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.index.terms import is_unspaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Columns, Database

K1 = 2.0
B = 0.75
HEADING = 3.0
CONTEXT = 1.5
NAMES = 1.0
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


_POSTINGS = "SELECT term_id, section_id, heading, context, body, names, length FROM postings WHERE term_id IN "
_PREFIX = "(SELECT term_id FROM terms WHERE term >= ? AND term < ?)"
_CHARACTER = "(SELECT term_id FROM terms WHERE term = ? OR term LIKE ? || '_' OR term LIKE '_' || ?)"
_STATISTICS = "SELECT count(*), coalesce(avg(length), 0) FROM sections"

_statistics: weakref.WeakKeyDictionary[Database, tuple[int, int, float]] = weakref.WeakKeyDictionary()


def rank(database: Database, words: Sequence[Word], notes: NDArray[np.int64] | None = None) -> Ranking:
    """All sections that have any of the words, and all those needed; only of `notes`, where they are given.

    Statistics are those of the whole index: what is left out changes which sections are found, not how they score.
    """
    words = [word for word in words if word.terms or word.prefix]
    table, sections = _table(database, words, notes)
    score = np.zeros(len(sections))
    matching = np.zeros(len(sections))
    kept = np.ones(len(sections), dtype=bool)
    for word, slots in zip(words, _slots(words), strict=True):
        part = table[:, slots]
        if len(slots) == 1:
            there = part[:, 0] > 0
            score += word.weight * part[:, 0]
        else:
            share = np.count_nonzero(part, axis=1) / len(slots)
            there = share == 1 if word.whole else share > 0
            score += word.weight * part.sum(axis=1) * (share**2 if word.is_run else len(slots) ** -0.5)
        matching += there
        if word.needed:
            kept &= there
    score *= 1 - COORDINATION + COORDINATION * matching / max(len(words), 1)
    kept &= score > 0
    sections, score = sections[kept], score[kept]
    return Ranking(sections=sections, scores=np.round(_supported(sections, score), DECIMALS))


def sections_with(database: Database, word: Word) -> NDArray[np.int64]:
    """Sections that have a word, by section_id."""
    return rank(database, [word]).sections


def _slots(words: Sequence[Word]) -> list[list[int]]:
    """For each word, its columns in the table: one a term, shared between words, and one a prefix."""
    number: dict[int | str, int] = {}
    return [
        [number.setdefault(key, len(number)) for key in ((word.prefix,) if word.prefix else word.terms)]
        for word in words
    ]


def _table(
    database: Database, words: Sequence[Word], notes: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores of each section (row) for each term (column), 0 where it has none; and the rows' section_ids."""
    total, mean = _total_and_mean(database)
    keys = {
        key: slot
        for word, slots in zip(words, _slots(words), strict=True)
        for key, slot in zip((word.prefix,) if word.prefix else word.terms, slots, strict=True)
    }
    parts = [_of_terms(database, {key: slot for key, slot in keys.items() if isinstance(key, int)}, mean)]
    parts += [_of_prefix(database, key, slot, mean) for key, slot in keys.items() if isinstance(key, str)]
    section, slot, tf = (np.concatenate(column) for column in zip(*parts, strict=True))
    df = np.bincount(slot, minlength=len(keys))
    score = np.log1p((total - df + 0.5) / (df + 0.5))[slot] * tf * (K1 + 1) / (tf + K1)
    if notes is not None:
        kept = np.isin(section >> ORDINAL_BITS, notes)
        section, slot, score = section[kept], slot[kept], score[kept]
    sections, row = np.unique(section, return_inverse=True)
    table = np.zeros((len(sections), len(keys)))
    table[row, slot] = score
    return table, sections


_Part = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.float64]"]


def _of_terms(database: Database, slots: dict[int, int], mean: float) -> _Part:
    if not slots:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    rows = database.columns(f"{_POSTINGS} ({', '.join('?' * len(slots))})", list(slots))
    terms = np.array(list(slots), dtype=np.int64)
    order = np.argsort(terms)
    slot = np.array(list(slots.values()))[order][np.searchsorted(terms[order], rows["term_id"])]
    return rows["section_id"], slot, _frequencies(rows, mean)


def _of_prefix(database: Database, prefix: str, slot: int, mean: float) -> _Part:
    if len(prefix) == 1 and is_unspaced(prefix):  # there are only pairs of such characters
        rows = database.columns(_POSTINGS + _CHARACTER, [prefix] * 3)
    else:
        rows = database.columns(_POSTINGS + _PREFIX, [prefix, _after(prefix)])
    order = np.lexsort((rows["term_id"], rows["section_id"]))
    sections, first = np.unique(rows["section_id"][order], return_index=True)
    tf = np.add.reduceat(_frequencies(rows, mean)[order], first) if len(first) else np.empty(0)
    return sections, np.full(len(sections), slot), tf


def _frequencies(rows: Columns, mean: float) -> NDArray[np.float64]:
    norm = 1 - B + B * rows["length"] / (mean or 1)
    short = HEADING * rows["heading"] + CONTEXT * rows["context"] + NAMES * rows["names"]
    return np.asarray(rows["body"] / norm + short, dtype=np.float64)


def _supported(sections: NDArray[np.int64], score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores multiplied by what the other sections of the note add to its best one."""
    if not len(sections):
        return score
    notes = sections >> ORDINAL_BITS
    first = np.flatnonzero(np.concatenate(([True], notes[1:] != notes[:-1])))
    group = np.cumsum(np.concatenate(([0], notes[1:] != notes[:-1])))
    best = np.maximum.reduceat(score, first)
    left, high, total = score.copy(), best, best.copy()
    for weight in SUPPORT:
        at = np.flatnonzero(left == high[group])
        left[at[np.unique(group[at], return_index=True)[1]]] = 0  # one of them in each note
        high = np.maximum.reduceat(left, first)
        total += weight * high
    return np.asarray(score * (total / best)[group], dtype=np.float64)


def _total_and_mean(database: Database) -> tuple[int, float]:
    generation, total, mean = _statistics.get(database, (-1, 0, 0.0))
    if generation != database.generation:
        generation = database.generation  # before the rows are read: a write in between only means one more reading
        total, mean = database.query(_STATISTICS)[0]
        _statistics[database] = generation, total, mean
    return total, mean


def _after(prefix: str) -> str:
    """The first text, in code point order, behind all those that begin with `prefix`."""
    last = ord(prefix[-1]) + 1
    if 0xD800 <= last < 0xE000:
        last = 0xE000
    return prefix[:-1] + chr(min(last, 0x10FFFF))
