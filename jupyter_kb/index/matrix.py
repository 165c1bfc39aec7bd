"""The vectors of one model in memory: rows in blocks that never move. A search needs no lock, and growth no copy."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.vector_store import Model

BLOCK_ROWS = 16_384


class Multiplier(Protocol):
    """Something that may be quicker at products than this process, a GPU for one."""

    def products(self, matrix: Matrix, query: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """Those of the first rows of a matrix, of any number of them, soon; None where it has none to give."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """What is known of a model's vectors at one moment.

    `keys[i]` names the chunk whose product stands at `slots[i]` of `products`, which has `size` entries and one more.
    Without `blocks` the vectors are on disk only, and slots are their places there. `spare` is the whole of the last
    block, of which only the beginning is in use: what is put behind it is seen by later matrices, not by this one.
    Matrices that grew out of each other have one `lineage`: what both have of rows is the same.
    """

    model: Model
    keys: NDArray[np.int64]
    slots: NDArray[np.int64]
    size: int
    blocks: tuple[NDArray[np.float32], ...] | None = None
    spare: NDArray[np.float32] | None = None
    lineage: int = field(default_factory=itertools.count().__next__)

    def products(self, query: NDArray[np.float32], multiplier: Multiplier | None = None) -> NDArray[np.float32]:
        """The product of each row and the query, at its slot; one more entry, -inf, stands for what has no row.

        The last bits of a product depend on how many rows are multiplied at once: compare rounded values.
        """
        assert self.blocks is not None
        found = np.empty(self.size + 1, dtype=np.float32)
        begun = multiplier.products(self, query) if multiplier is not None else None
        done = 0
        if begun is not None:
            done = len(begun)
            found[:done] = begun
        end = 0
        for block in self.blocks:
            end += len(block)
            begin = max(end - len(block), done)
            if begin < end:
                np.dot(block[begin - end :], query, out=found[begin:end])
        found[end:] = -np.inf
        return found

    def placed(self, places: NDArray[np.int64], products: NDArray[np.float32]) -> NDArray[np.float32]:
        """What `products` gives, from products that were made on disk."""
        found = np.full(self.size + 1, -np.inf, dtype=np.float32)
        known = places < self.size
        found[places[known]] = products[known]
        return found

    def slots_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the products of these keys stand; `size` for keys without a vector."""
        ordered, slots = self._sorted
        if not len(ordered):
            return np.full(len(keys), self.size)
        at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
        return np.where(ordered[at] == keys, slots[at], self.size)

    def of(self, keys: NDArray[np.int64]) -> list[NDArray[np.float32]]:
        """The vectors of these keys, those that there are, in their order."""
        assert self.blocks is not None
        slots = self.slots_of(keys)
        ends = np.cumsum([len(block) for block in self.blocks])
        found = []
        for slot in slots[slots < self.size].tolist():
            number = int(np.searchsorted(ends, slot, side="right"))
            found.append(self.blocks[number][slot - int(ends[number]) + len(self.blocks[number])])
        return found

    def grown(self, places: NDArray[np.int64], keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> Matrix:
        """The same with more rows of the table. To be asked of the newest one only, by one thread at a time."""
        if not len(keys):
            return self
        keys = np.concatenate((self.keys, keys))
        if self.blocks is None:
            return replace(self, keys=keys, slots=np.concatenate((self.slots, places)), size=int(places[-1]) + 1)
        blocks = list(self.blocks)
        spare = self.spare
        left = vectors
        while len(left):
            used = len(blocks[-1]) if spare is not None else 0
            if spare is None or used == len(spare):
                # takes no memory before it is written to
                spare = np.empty((BLOCK_ROWS, vectors.shape[1]), dtype=np.float32)
                blocks.append(spare[:0])
                used = 0
            part = left[: len(spare) - used]
            spare[used : used + len(part)] = part
            blocks[-1] = spare[: used + len(part)]
            left = left[len(part) :]
        slots = np.concatenate((self.slots, np.arange(self.size, self.size + len(vectors))))
        return replace(self, keys=keys, slots=slots, size=self.size + len(vectors), blocks=tuple(blocks), spare=spare)

    def without(self, keys: NDArray[np.int64]) -> Matrix:
        """The same without some keys, whose rows stay where they are."""
        kept = np.isin(self.keys, keys, invert=True)
        return replace(self, keys=self.keys[kept], slots=self.slots[kept])

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keys, which are all different, ascending, and the slots in this order."""
        order = np.argsort(self.keys)
        return self.keys[order], self.slots[order]
