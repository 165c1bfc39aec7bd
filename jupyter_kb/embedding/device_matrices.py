"""Matrices of vectors on the model's device, for products that the processor is slower at. Only the model's process
imports this."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.embedding import hardware

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

NO_ROOM = -1
"""Instead of a number of rows: there is no memory for them, now and as long as this process lives."""

_SLAB_BYTES = 64 << 20  # taken at once: less is a launch more for each product, more is memory that nothing uses


class DeviceMatrices:
    """Copies of matrices by name, as float32, which only grow at their end. For one thread.

    The model comes first: where memory runs out, for it or for them, they are given up for good.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._held: dict[str, _Slabs] = {}
        self._given_up = False

    def hold(self, name: str, begin: int, rows: NDArray[np.float32], former: str | None) -> int:
        """Put rows behind the first `begin` of a matrix, and forget the matrix `former`.

        The number of rows that are held then, or `NO_ROOM`. Nothing is put in where `begin` is another number than that
        of the rows held, which a process that was started anew, for one, cannot know of.
        """
        if former is not None:
            self._held.pop(former, None)
        if self._given_up:
            return NO_ROOM
        slabs = self._held.setdefault(name, _Slabs(self._device, rows.shape[1]))
        if begin != slabs.rows:
            return slabs.rows
        try:
            slabs.add(rows)
            if begin == 0:
                slabs.products(rows[0])  # the first one takes long: libraries are loaded for it
            return slabs.rows
        except RuntimeError as error:
            if not hardware.is_out_of_memory(error):
                raise
        del slabs
        self.give_up()
        return NO_ROOM

    def multiply(self, name: str, query: NDArray[np.float32], count: int) -> NDArray[np.float32] | None:
        """The products of the first `count` rows of a matrix with a vector; None where they are not held."""
        slabs = self._held.get(name)
        if slabs is None or slabs.rows < count:
            return None
        try:
            return slabs.products(query)[:count]
        except RuntimeError as error:
            if not hardware.is_out_of_memory(error):
                raise
        del slabs
        self.give_up()
        return None

    def give_up(self) -> None:
        """Free their memory, and take none again."""
        self._given_up = True
        self._held.clear()
        hardware.free(self._device)


class _Slabs:
    """One matrix, in pieces of a fixed size, so that growth copies nothing."""

    def __init__(self, device: torch.device, dimensions: int) -> None:
        self._device = device
        self._dimensions = dimensions
        self._most = max(_SLAB_BYTES // (4 * dimensions), 1)
        self._slabs: list[torch.Tensor] = []
        self.rows = 0

    def add(self, rows: NDArray[np.float32]) -> None:
        import torch

        with torch.inference_mode():
            left = torch.from_numpy(rows if rows.flags.writeable else rows.copy())
            while len(left):
                used = self.rows - self._most * (len(self._slabs) - 1)
                if not self._slabs or used == self._most:
                    size = (self._most, self._dimensions)
                    self._slabs.append(torch.empty(size, dtype=torch.float32, device=self._device))
                    used = 0
                part = left[: self._most - used]
                self._slabs[-1][used : used + len(part)] = part
                self.rows += len(part)
                left = left[len(part) :]

    def products(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        import torch

        # TF32 has ten bits for what float32 has 23: too few to tell near texts apart
        torch.set_float32_matmul_precision("highest")
        with torch.inference_mode():
            vector = torch.from_numpy(query if query.flags.writeable else query.copy()).to(self._device)
            used = self.rows - self._most * (len(self._slabs) - 1)
            parts = [torch.mv(slab, vector) for slab in self._slabs[:-1]]
            parts.append(torch.mv(self._slabs[-1][:used], vector))
            array: NDArray[np.float32] = torch.cat(parts).cpu().numpy()
            return array
