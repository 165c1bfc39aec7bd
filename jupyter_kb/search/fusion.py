"""Two rankings made one: arithmetic on arrays of scores, one entry a chunk or a section."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.floating]

RECIPROCAL = 60
"""The constant of reciprocal rank fusion."""


class Groups(NamedTuple):
    """Neighbouring entries that belong together: where each group begins, and which group each entry is in."""

    first: NDArray[np.int64]
    of: NDArray[np.int64]

    @classmethod
    def by(cls, ids: NDArray[np.int64]) -> Groups:
        """Groups of equal neighbours."""
        begins = np.ones(len(ids), dtype=bool)
        begins[1:] = ids[1:] != ids[:-1]
        return cls(np.flatnonzero(begins), np.cumsum(begins) - 1)

    def mean(self, scores: Floats) -> Floats:
        """The mean of each group, over entries that are finite; -inf where none is."""
        if not len(self.first):
            return scores
        there = np.isfinite(scores)
        count = np.add.reduceat(there.astype(np.int64), self.first)
        total = np.add.reduceat(np.where(there, scores, 0.0), self.first, dtype=np.float64)
        return np.where(count > 0, total / np.maximum(count, 1), -np.inf)


def supported(scores: Floats, notes: Groups, share: float) -> Floats:
    """Scores of chunks with a share of their note's mean added: a note that speaks of the matter throughout counts."""
    return np.asarray(scores + share * notes.mean(scores)[notes.of])


def normalised(scores: Floats) -> Floats:
    """Scores divided by the largest; 0 for what has none (-inf) or a negative one."""
    positive = np.where(scores > 0, scores, 0.0)
    most = positive.max(initial=0.0)
    return positive / most if most > 0 else positive


def weighted(text: Floats, vector: Floats, weight: float) -> Floats:
    """`weight` of meaning and the rest of words, each divided by its maximum, so between 0 and 1."""
    return weight * normalised(vector) + (1 - weight) * normalised(text)


def reciprocal(text: Floats, vector: Floats, constant: int = RECIPROCAL) -> Floats:
    """Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009). What a leg does not have gets nothing from it."""
    total = np.zeros(len(text))
    for scores in (text, vector):
        there = np.flatnonzero(scores > 0)
        total[there] += 1 / (constant + ranks(scores[there]))
    return total


def ranks(scores: Floats) -> NDArray[np.int64]:
    """Rank from 1; equal scores have equal ranks."""
    order = np.sort(-scores)
    return np.searchsorted(order, -scores, side="left") + 1
