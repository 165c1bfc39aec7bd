"""Postings: how often each term occurs in each field of each section, counted for many sections at a time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.index.database import column
from jupyter_kb.index.terms import Terms, plainer, term_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Columns, Database

HEADING, CONTEXT, BODY, NAMES = range(4)
_FIELDS = ("heading", "context", "body", "names")
_MOST = 32_767
_FEW = 16


class Vocabulary(dict[bytes, int]):
    """Tokens to numbers; what a number stands for is kept in flat arrays, so that counting is left to numpy.

    Token number n has `sizes[n]` terms, which are the next entries of `flat`: indexes into `hashes`. The entries of
    `forms` beside them are the words as written: indexes into `form_hashes`.
    """

    def __init__(self, terms: Terms) -> None:
        super().__init__()
        self._terms = terms
        self.reset()

    def reset(self) -> None:
        """Forget everything: after a failed write, or when too much has come together."""
        self.clear()
        self.sizes = array("i")
        self.flat = array("i")
        self.hashes = array("q")
        self.forms = array("i")
        self.form_hashes = array("q")
        self._indexes: dict[str, int] = {}
        self._forms: dict[str, int] = {}
        self.new_forms: list[tuple[str, int]] = []

    def __missing__(self, token: bytes) -> int:
        plain = plainer(token)
        if plain != token:
            number = self[token] = self[plain]
            return number
        number = len(self.sizes)
        pairs = self._terms.of_token(token)
        for form, term in pairs:
            index = self._indexes.get(term)
            if index is None:
                index = self._indexes[term] = len(self.hashes)
                self.hashes.append(term_id(term))
            number_of_form = self._forms.get(form)
            if number_of_form is None:
                number_of_form = self._forms[form] = len(self.form_hashes)
                self.form_hashes.append(term_id(form))
                self.new_forms.append((form, self.hashes[index]))
            self.flat.append(index)
            self.forms.append(number_of_form)
        self.sizes.append(len(pairs))
        self[token] = number
        return number


class Postings:
    """Terms of some sections, gathered to be written together."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._sections = array("q")
        self._keys: list[bytes] = []
        self._counts = array("i")
        self._places = array("q")  # section index << 2 | field, one an entry of `_spans`
        self._spans = array("i")

    def add(self, section_id: int, fields: Iterable[tuple[int, Sequence[bytes]]]) -> None:
        """Gather one section: its tokens in each field."""
        place = len(self._sections) << 2
        self._sections.append(section_id)
        for field, found in fields:
            if not found:
                continue
            if len(found) < _FEW:  # counted later, as cheaply
                self._keys += found
                self._counts.extend((1,) * len(found))
                self._spans.append(len(found))
            else:
                counts = Counter(found)
                self._keys += counts
                self._counts.extend(counts.values())
                self._spans.append(len(counts))
            self._places.append(place | field)

    def columns(self, notes: Sequence[int]) -> tuple[dict[str, Columns], NDArray[np.int32]]:
        """Rows for the tables `postings` (sorted by term), `terms` and `words`, and each section's length in words.

        `notes` names each section's note.
        """
        vocabulary = self._vocabulary
        ids = np.fromiter(map(vocabulary.__getitem__, self._keys), np.int64, len(self._keys))
        counts = np.array(self._counts)
        places = np.repeat(np.array(self._places), np.array(self._spans))
        sizes = np.array(vocabulary.sizes)
        lengths = self._lengths(places, counts, sizes[ids])
        # from here on, every entry once for each term of its token
        repeats = sizes[ids]
        pairs = _expanded(ids, sizes)
        places = np.repeat(places, repeats)
        tables = {"postings": self._counted(pairs, np.repeat(counts, repeats), places, lengths)}
        tables["words"] = self._words(pairs, np.array(notes, dtype=np.int64)[places >> 2])
        forms, vocabulary.new_forms = vocabulary.new_forms, []
        tables["terms"] = {
            "term": column([form for form, _ in forms]),
            "term_id": np.array([number for _, number in forms], dtype=np.int64),
        }
        return tables, lengths

    def _lengths(
        self, places: NDArray[np.int64], counts: NDArray[np.int32], sizes: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Words in heading and text: tokens without a term (dashes, rules) are none."""
        field = places & 3
        words = np.where((sizes > 0) & ((field == HEADING) | (field == BODY)), counts, 0)
        return np.bincount(places >> 2, words, len(self._sections)).astype(np.int32)

    def _words(self, pairs: NDArray[np.int64], notes: NDArray[np.int64]) -> Columns:
        """Each word of each note once."""
        hashes = np.array(self._vocabulary.form_hashes)
        known = np.unique(notes)
        keys = np.searchsorted(known, notes) * len(hashes) + np.array(self._vocabulary.forms)[pairs]
        note, form = np.divmod(np.unique(keys), max(len(hashes), 1))
        return {"note_id": known[note], "word_id": hashes[form]}

    def _counted(
        self,
        pairs: NDArray[np.int64],
        counts: NDArray[np.int32],
        places: NDArray[np.int64],
        lengths: NDArray[np.int32],
    ) -> Columns:
        terms = np.array(self._vocabulary.flat)[pairs]
        # terms in the order of their ids, then one row for each term and section
        hashes = np.array(self._vocabulary.hashes)
        used = np.unique(terms)
        used = used[np.argsort(hashes[used])]
        rank = np.empty(len(hashes), dtype=np.int64)
        rank[used] = np.arange(len(used))
        keys = rank[terms] * len(self._sections) + (places >> 2)
        order = np.argsort(keys)
        keys = keys[order]
        first = np.concatenate(([True], keys[1:] != keys[:-1])) if len(keys) else np.empty(0, dtype=bool)
        group = np.cumsum(first) - 1
        keys = keys[first]
        field = (places & 3)[order]
        frequencies = np.bincount(group * 4 + field, counts[order], len(keys) * 4).reshape(-1, 4)
        frequencies = np.minimum(frequencies, _MOST).astype(np.int16)
        section = keys % max(len(self._sections), 1)
        return {
            "term_id": hashes[used][keys // max(len(self._sections), 1)],
            "section_id": np.array(self._sections)[section],
            **{name: np.ascontiguousarray(frequencies[:, number]) for number, name in enumerate(_FIELDS)},
            "length": lengths[section],
        }


def _expanded(ids: NDArray[np.int64], sizes: NDArray[np.int32]) -> NDArray[np.int64]:
    """For tokens, the places of all their terms in the flat arrays."""
    repeats = sizes[ids]
    starts = np.concatenate(([0], np.cumsum(sizes)))[ids]
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return np.asarray(np.repeat(starts, repeats) + within, dtype=np.int64)


def sort(database: Database) -> None:
    """Sort the table by term; its runs that were added since are no more, and the count of them is nought."""
    with database.transaction():
        database.execute("CREATE TABLE sorted AS SELECT * FROM postings ORDER BY term_id, section_id")
        database.execute("DROP TABLE postings")
        database.execute("ALTER TABLE sorted RENAME TO postings")
        database.set_meta("unsorted", "0")
    database.checkpoint()
