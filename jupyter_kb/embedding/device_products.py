"""Products of a large matrix with a vector, made by a model's process on its GPU, as far as the rows are there already.

The rows are copied there in the background, block by block, and follow the matrix. None of it is ever waited for: where
the process does not run, has no GPU or no time, the caller is told so at once and multiplies itself.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from jupyter_kb.embedding.work import Errand
from jupyter_kb.embedding.worker import WorkerEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.embedding.base import Embedder

_log = logging.getLogger(__name__)

LEAST_ROWS = 100_000
"""Of fewer, it is not worth it: the way into the process and back takes 1 to 2 ms, and NumPy 8 ms for so many rows of
384 numbers (two cores)."""
PATIENCE = 0.02
"""Seconds that a search waits for products, or as long as NumPy takes at best, if that is longer."""

_BYTES_A_SECOND = 20e9  # that NumPy multiplies at best
_BLOCK_BYTES = 8 << 20  # some ten milliseconds, for which an urgent text may have to wait
_MOST_FAILURES = 2  # in a row; then it is the device or its driver, and a crash costs the start of a model


class Rows(Protocol):
    """What has to be known of a matrix. Of one lineage, the first so many rows are always the same."""

    @property
    def lineage(self) -> int:
        """A number for each matrix that did not grow out of another; later ones are greater."""

    @property
    def size(self) -> int:
        """Its rows."""

    @property
    def blocks(self) -> tuple[NDArray[np.float32], ...] | None:
        """The rows, in pieces; None where they are not in memory."""


class _Copy(NamedTuple):
    """How much of a matrix a process should have; it may have less, if it is not the one that was given it."""

    embedder: WorkerEmbedder
    lineage: int
    rows: int


class DeviceProducts:
    """Multiplies the matrix of one vault. Safe to use from several threads.

    `embedders` gives those whose processes may be asked, the ones to be preferred first.
    """

    def __init__(self, embedders: Callable[[], Iterable[Embedder]]) -> None:
        self._embedders = embedders
        self._changed = threading.Condition()
        # the rest belongs to whoever holds the lock
        self._copy: _Copy | None = None
        self._wanted: Rows | None = None
        self._newest = -1
        self._thread: threading.Thread | None = None
        self._refused: int | None = None  # process that had no room
        self._failures = 0
        self._closed = False

    def products(self, matrix: Rows, query: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """The products of the first rows, of as many as are on the device; None where it is not worth the trip."""
        if matrix.size < LEAST_ROWS or matrix.blocks is None:
            return None
        with self._changed:
            embedder = self._running()
            if embedder is None or matrix.lineage < self._newest:
                return None
            self._newest = matrix.lineage
            rows = min(self._rows(embedder, matrix), matrix.size)
            if rows < matrix.size:
                self._follow(matrix)
        if rows < LEAST_ROWS:
            return None
        errand = Errand("multiply", str(matrix.lineage), (query, rows))
        patience = max(PATIENCE, 4 * rows * len(query) / _BYTES_A_SECOND)
        done = embedder.ask(errand, urgent=True) and errand.wait(patience)
        errand.abandoned = True
        if not done or errand.error is not None:
            _log.debug("no products of the device within %g s", patience)
            return None
        if errand.failed:
            self._fail(errand)
            return None
        found: NDArray[np.float32] | None = errand.answer
        with self._changed:
            self._failures = 0
            if found is None:
                _log.debug("the model's process does not have the rows any more")
                self._forget()
                self._follow(matrix)
        return found

    def copied(self, timeout: float) -> bool:
        """Wait until nothing is being copied; whether that came about in so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._thread is None, timeout)

    def close(self) -> None:
        """Copy nothing any more. What is copied goes with the process, which is to be closed first."""
        with self._changed:
            self._closed = True
            thread = self._thread
        if thread is not None:
            thread.join()

    def _running(self) -> WorkerEmbedder | None:
        if self._closed or self._failures >= _MOST_FAILURES:
            return None
        for embedder in self._embedders():
            if isinstance(embedder, WorkerEmbedder) and embedder.on_gpu and embedder.pid != self._refused:
                return embedder
        return None

    def _rows(self, embedder: WorkerEmbedder, matrix: Rows) -> int:
        copy = self._copy
        is_it = copy is not None and copy.embedder is embedder and copy.lineage == matrix.lineage
        return copy.rows if copy is not None and is_it else 0

    def _follow(self, matrix: Rows) -> None:
        """Have the rows copied that are not there."""
        wanted = self._wanted
        if wanted is None or (matrix.lineage, matrix.size) > (wanted.lineage, wanted.size):  # some search is behind
            self._wanted = matrix
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._run, name="kb-rows", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            while self._bring():
                pass
        except Exception:
            _log.exception("the vectors are not copied to the device")
            with self._changed:
                self._failures = _MOST_FAILURES
                self._end()

    def _end(self) -> None:
        self._thread = self._wanted = None
        self._changed.notify_all()

    def _bring(self) -> bool:
        """Copy one block; False once there is none left, or no way to. Then this thread is forgotten already."""
        with self._changed:
            matrix, embedder, copy = self._wanted, self._running(), self._copy
            begin = self._rows(embedder, matrix) if embedder is not None and matrix is not None else 0
            if matrix is None or embedder is None or begin >= matrix.size:
                self._end()
                return False
            pid = embedder.pid
        former = str(copy.lineage) if copy is not None and copy.lineage != matrix.lineage else None
        errand = Errand("hold", str(matrix.lineage), (begin, _block(matrix, begin), former))
        there = embedder.ask(errand, urgent=False) and errand.wait(None) and errand.error is None
        if there and errand.failed:
            self._fail(errand)
        with self._changed:
            if not there or errand.failed:
                self._end()
                return False
            if errand.answer < 0:
                _log.debug("the model's device has no room for the vectors")
                self._refused, self._copy = pid, None
                self._end()
                return False
            self._copy = _Copy(embedder, matrix.lineage, errand.answer)
            return True

    def _fail(self, errand: Errand) -> None:
        _log.debug("the model's device cannot %s: %s", errand.operation, errand.failed[0])
        with self._changed:
            self._failures += 1
            self._forget()

    def _forget(self) -> None:
        if self._copy is not None:
            self._copy = self._copy._replace(rows=0)  # the process will say how many it has


def _block(matrix: Rows, begin: int) -> NDArray[np.float32]:
    """Rows from there on, as many as stand together and fit in a message."""
    assert matrix.blocks is not None
    for block in matrix.blocks:
        if begin < len(block):
            most = max(_BLOCK_BYTES // (4 * block.shape[1]), 1)
            return block[begin : begin + most]
        begin -= len(block)
    raise IndexError("there are no more rows")
