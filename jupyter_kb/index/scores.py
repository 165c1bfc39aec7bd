"""What single terms score in which sections (BM25F, see fulltext.py): read from the postings, kept until a write."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.terms import is_unspaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Columns, Database

K1 = 2.0
B = 0.75
HEADING = 3.0
CONTEXT = 1.5
NAMES = 1.0

MOST_REMEMBERED = 2_000_000
"""Postings whose scores are kept (16 bytes each); beyond that all are forgotten."""

Key = int | str
"""A term_id; or the beginning of words, which together count as one term."""
Scores = tuple["NDArray[np.int64]", "NDArray[np.float64]"]
"""Rows of `ScoredTerms.sections`, ascending, and the score in each."""

_SECTIONS = "SELECT section_id, length FROM sections ORDER BY section_id"
_POSTINGS = "SELECT term_id, section_id, heading, context, body, names, length FROM postings WHERE term_id IN "
_PREFIX = "(SELECT term_id FROM terms WHERE term >= ? AND term < ?)"
_CHARACTER = "(SELECT term_id FROM terms WHERE term = ? OR term LIKE ? || '_' OR term LIKE '_' || ?)"


@dataclass(kw_only=True)
class ScoredTerms:
    """All sections of one state of the index, and what terms score in them."""

    generation: int | None
    sections: NDArray[np.int64]
    mean_length: float
    scores: dict[Key, Scores] = field(default_factory=dict)
    size: int = 0

    def rows(self, sections: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where sections stand in `sections`."""
        return np.searchsorted(self.sections, sections)

    def scored(self, rows: NDArray[np.int64], frequencies: NDArray[np.float64]) -> Scores:
        """BM25 of one term that has these frequencies in these rows."""
        idf = np.log1p((len(self.sections) - len(rows) + 0.5) / (len(rows) + 0.5))
        return rows, idf * frequencies * (K1 + 1) / (frequencies + K1)


_remembered: weakref.WeakKeyDictionary[Database, ScoredTerms] = weakref.WeakKeyDictionary()


def scored(database: Database, keys: Collection[Key]) -> ScoredTerms:
    """The scores of these terms, in the present state of the index or that of the open snapshot."""
    with database.snapshot() as generation:
        known = _remembered.get(database)
        if known is None or known.generation != generation:
            rows = database.columns(_SECTIONS)
            mean = float(rows["length"].mean()) if len(rows["length"]) else 1.0
            known = ScoredTerms(generation=generation, sections=rows["section_id"], mean_length=mean or 1.0)
            if generation is not None:
                _remembered[database] = known
        # taken at once: another thread may forget them
        scores = {key: found for key in keys if (found := known.scores.get(key)) is not None}
        missing = [key for key in keys if key not in scores]
        new = _of_terms(database, known, [key for key in missing if isinstance(key, int)])
        new |= {key: _of_prefix(database, known, key) for key in missing if isinstance(key, str)}
    scores |= new
    known.size += sum(len(rows) for rows, _ in new.values())
    if known.size > MOST_REMEMBERED:
        known.scores, known.size = dict(scores), sum(len(rows) for rows, _ in scores.values())
    known.scores.update(new)
    return replace(known, scores=scores)


def _of_terms(database: Database, known: ScoredTerms, terms: Sequence[int]) -> dict[Key, Scores]:
    if not terms:
        return {}
    rows = database.columns(f"{_POSTINGS} ({', '.join('?' * len(terms))})", terms)
    section, term = known.rows(rows["section_id"]), rows["term_id"]
    order = np.lexsort((section, term))
    section, term, tf = section[order], term[order], _frequencies(rows, known.mean_length)[order]
    begins = np.searchsorted(term, np.array(sorted(terms), dtype=np.int64))
    parts = zip(np.split(section, begins[1:]), np.split(tf, begins[1:]), strict=True)
    return {key: known.scored(*part) for key, part in zip(sorted(terms), parts, strict=True)}


def _of_prefix(database: Database, known: ScoredTerms, prefix: str) -> Scores:
    if len(prefix) == 1 and is_unspaced(prefix):  # there are only pairs of such characters
        rows = database.columns(_POSTINGS + _CHARACTER, [prefix] * 3)
    else:
        rows = database.columns(_POSTINGS + _PREFIX, [prefix, _after(prefix)])
    section = known.rows(rows["section_id"])
    order = np.lexsort((rows["term_id"], section))
    sections, first = np.unique(section[order], return_index=True)
    tf = np.add.reduceat(_frequencies(rows, known.mean_length)[order], first) if len(first) else np.empty(0)
    return known.scored(sections, tf)


def _frequencies(rows: Columns, mean_length: float) -> NDArray[np.float64]:
    norm = 1 - B + B * rows["length"] / mean_length
    short = HEADING * rows["heading"] + CONTEXT * rows["context"] + NAMES * rows["names"]
    return np.asarray(rows["body"] / norm + short, dtype=np.float64)


def _after(prefix: str) -> str:
    """The first text, in code point order, behind all those that begin with `prefix`."""
    last = ord(prefix[-1]) + 1
    if 0xD800 <= last < 0xE000:
        last = 0xE000
    return prefix[:-1] + chr(min(last, 0x10FFFF))
