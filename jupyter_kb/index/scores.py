"""What single terms score in which sections (BM25F, see fulltext.py): read from the postings, kept until a write."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jupyter_kb.index.terms import is_unspaced, term_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Columns, Database

K1 = 2.0
B = 0.75
HEADING = 3.0
CONTEXT = 1.5
NAMES = 1.0

MOST_KEPT = 3_000_000
"""Postings whose scores are kept in memory (12 bytes each)."""
READS = 3
"""After so many reads of single terms from one state of the index all postings are read at once, if they are not too
many: a million takes a tenth of a second, and every search after that a third of the time."""

Key = int | str
"""A term_id; or the beginning of words, which together count as one term."""
Scores = tuple["NDArray[np.int32]", "NDArray[np.float64]"]
"""Rows of `ScoredTerms.sections`, in any order, and the score in each."""

_SECTIONS = "SELECT section_id, length FROM sections ORDER BY section_id"
_POSTINGS = "SELECT term_id, section_id, heading, context, body, names, length FROM postings"
_BEGINNING = "SELECT term, term_id FROM terms WHERE term >= ? AND term < ?"
_CHARACTER = "SELECT term, term_id FROM terms WHERE term = ? OR term LIKE ? || '_' OR term LIKE '_' || ?"
_WRITTEN = "SELECT DISTINCT word_id FROM words WHERE word_id IN (SELECT unnest(?::BIGINT[]))"


class _Table(NamedTuple):
    """Scores of many terms: those of `terms[i]`, which are ascending, stand from `bounds[i]` to `bounds[i + 1]`."""

    terms: NDArray[np.int64]
    bounds: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float64]

    def of(self, term: int) -> Scores:
        """The scores of one term; empty when no section has it."""
        i = int(np.searchsorted(self.terms, term))
        there = i < len(self.terms) and self.terms[i] == term
        part = slice(self.bounds[i], self.bounds[i + 1]) if there else slice(0, 0)
        return self.rows[part], self.scores[part]


@dataclass(kw_only=True)
class ScoredTerms:
    """All sections of one state of the index, and what terms score in them."""

    generation: int | None
    sections: NDArray[np.int64]
    mean_length: float
    scores: dict[Key, Scores] = field(default_factory=dict)
    size: int = 0
    reads: int = 0
    everything: _Table | None = None
    reading: threading.Lock = field(default_factory=threading.Lock)
    """Held by who reads: of several that want the same terms one does so, for all of them."""

    def table(self, postings: Columns) -> _Table:
        """BM25 of all terms in some postings, which must be all postings of these terms."""
        order = np.argsort(postings["term_id"], kind="stable")
        terms, first = np.unique(postings["term_id"][order], return_index=True)
        bounds = np.append(first, len(order))
        rows = self.rows(postings["section_id"])[order]
        tf = _frequencies(postings, self.mean_length)[order]
        df = np.diff(bounds)
        return _Table(terms, bounds, rows, self.scored(tf, np.repeat(df, df)))

    def rows(self, sections: NDArray[np.int64]) -> NDArray[np.int32]:
        """Where sections stand in `sections`."""
        return np.searchsorted(self.sections, sections).astype(np.int32)

    def scored(self, tf: NDArray[np.float64], df: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """BM25 of terms with these frequencies that so many sections have."""
        idf = np.log1p((len(self.sections) - df + 0.5) / (df + 0.5))
        return np.asarray(idf * tf * (K1 + 1) / (tf + K1), dtype=np.float64)

    def keep(self, found: dict[Key, Scores]) -> None:
        """Add scores; when that becomes too much, all others are forgotten."""
        size = self.size + sum(len(rows) for rows, _ in found.values())
        if size > MOST_KEPT:
            self.scores, size = {}, size - self.size
        self.scores.update(found)
        self.size = size


_kept: weakref.WeakKeyDictionary[Database, ScoredTerms] = weakref.WeakKeyDictionary()
_beginning = threading.Lock()


def scored(database: Database, keys: Collection[Key], generation: int | None) -> ScoredTerms:
    """The scores of these terms, in the state of the index that bears the number `generation`.

    Call it with what `Database.snapshot` or `Database.consistently` gives; without a number nothing is kept.
    """
    known = _known(database, generation)
    # taken at once, and handed out in a dict of its own: another thread may make them be forgotten
    scores = {key: there for key in keys if (there := known.scores.get(key)) is not None}
    if len(scores) < len(set(keys)):
        with known.reading:
            scores |= {key: there for key in keys if (there := known.scores.get(key)) is not None}
            found = _found(database, known, [key for key in keys if key not in scores])
            known.keep(found)
        scores |= found
    return replace(known, scores=scores)


def _known(database: Database, generation: int | None) -> ScoredTerms:
    """What is kept of this state of the index, at first nothing but its sections."""
    with _beginning:
        known = _kept.get(database)
        if known is None or generation is None or known.generation != generation:
            rows = database.columns(_SECTIONS)
            mean = float(rows["length"].mean()) if len(rows["length"]) else 1.0
            known = ScoredTerms(generation=generation, sections=rows["section_id"], mean_length=mean or 1.0)
            if generation is not None:
                _kept[database] = known
        return known


def _found(database: Database, known: ScoredTerms, keys: Sequence[Key]) -> dict[Key, Scores]:
    terms = [key for key in keys if isinstance(key, int)]
    found: dict[Key, Scores] = {key: _of_prefix(database, known, key) for key in keys if isinstance(key, str)}
    if terms:
        table = known.everything or _read(database, known, terms)
        found |= {term: table.of(term) for term in terms}
    return found


def _read(database: Database, known: ScoredTerms, terms: Sequence[int]) -> _Table:
    known.reads += 1
    if known.reads > READS and database.query("SELECT count(*) FROM postings")[0][0] <= MOST_KEPT:
        known.everything = known.table(database.columns(_POSTINGS))
        return known.everything
    marks = ", ".join("?" * len(terms))
    return known.table(database.columns(f"{_POSTINGS} WHERE term_id IN ({marks})", terms))


def _of_prefix(database: Database, known: ScoredTerms, prefix: str) -> Scores:
    if len(prefix) == 1 and is_unspaced(prefix):  # there are only pairs of such characters
        begun = database.query(_CHARACTER, [prefix] * 3)
    else:
        begun = database.query(_BEGINNING, [prefix, _after(prefix)])
    words = {term_id(word): stem for word, stem in begun}
    written = database.query(_WRITTEN, [list(words)])  # `terms` remembers words that were taken out, too
    stems = list({words[word] for (word,) in written})
    rows = database.columns(f"{_POSTINGS} WHERE term_id IN (SELECT unnest(?::BIGINT[]))", [stems])
    section = known.rows(rows["section_id"])
    order = np.lexsort((rows["term_id"], section))
    sections, first = np.unique(section[order], return_index=True)
    tf = np.add.reduceat(_frequencies(rows, known.mean_length)[order], first) if len(first) else np.empty(0)
    return sections, known.scored(tf, len(sections))


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
