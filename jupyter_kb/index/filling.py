"""Vectors for the chunks that have none: in rounds sorted by length, written every few seconds, stopped at any time."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.errors import ModelFailedError
from jupyter_kb.index.chunks import embedded
from jupyter_kb.models import EmbedResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.embedding.base import Embedder
    from jupyter_kb.index.vectors import Pending, Vectors

Progress = Callable[[int, int], None]

ROUND = 4_000
"""Chunks taken up at once: so many that texts of one length come together, so few that they fit into memory."""
UNIT = 48
"""Chunks given to the model at once; between two of them it can be stopped, and is free for a query."""
SECONDS = 3.0
"""How long vectors wait to be written: what is lost when the process is killed."""

_NO_NUMBERS = "the model gave no finite numbers for it"


class Filler:
    """Embeds what is pending. Runs of several threads take turns."""

    def __init__(self, vectors: Vectors, embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._turn = threading.Lock()

    def run(
        self, progress: Progress | None = None, stop: threading.Event | None = None, most: int | None = None
    ) -> EmbedResult:
        """Embed until nothing is pending, `stop` is set, or `most` chunks are done; the next run goes on from there.

        `progress(done, total)` counts chunks, equal texts once. What the model cannot take is set aside. When nothing
        is left, the model's vectors are the ones that are searched.

        Raises
        ------
        ModelError : the model cannot be had, or failed without saying for which text; what was done until then is kept.
        IndexUnavailableError : the vectors cannot be written.
        """
        with self._turn:
            return _Run(self._vectors, self._embedder, progress, stop or threading.Event()).through(most)


class _Run:
    def __init__(self, vectors: Vectors, embedder: Embedder, progress: Progress | None, stop: threading.Event) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._progress = progress
        self._stop = stop
        self._key = embedder.key
        self._ready: list[tuple[NDArray[np.int64], NDArray[np.float32]]] = []  # not yet written
        self._written = time.monotonic()
        self._embedded = self._failed = 0

    def through(self, most: int | None) -> EmbedResult:
        begin = time.perf_counter()
        left = self._vectors.waiting(self._key)
        self._tell(left)
        while left and not self._stop.is_set() and (most is None or self._done < most):
            pending = self._vectors.pending(self._key, limit=ROUND if most is None else min(ROUND, most - self._done))
            pending.sort(key=_length, reverse=True)
            try:
                for at in range(0, len(pending), UNIT):
                    if self._stop.is_set():
                        break
                    unit = pending[at : at + UNIT]
                    self._embed(unit)
                    left -= len(unit)
                    self._tell(max(left, 0))
            finally:
                self._write()
            left = self._vectors.waiting(self._key)
        if not left:
            self._vectors.settle(self._key)
        seconds = time.perf_counter() - begin
        return EmbedResult(embedded=self._embedded, failed=self._failed, pending=left, seconds=seconds)

    @property
    def _done(self) -> int:
        return self._embedded + self._failed

    def _tell(self, left: int) -> None:
        if self._progress is not None:
            self._progress(self._done, self._done + left)

    def _embed(self, unit: Sequence[Pending]) -> None:
        keys = np.array([entry.key for entry in unit], dtype=np.int64)
        failed: dict[int, str] = {}
        rows: NDArray[np.float32] | None
        try:
            rows = self._embedder.embed([embedded(entry.context, entry.text) for entry in unit], "passage")
        except ModelFailedError as error:
            indexes = error.details.get("indexes")
            if not indexes:
                raise
            failed = dict(zip(indexes, error.details.get("reasons", [error.message] * len(indexes)), strict=True))
            rows = getattr(error, "vectors", None)
        if rows is not None:
            infinite = np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist()
            failed = {index: failed.get(index, _NO_NUMBERS) for index in infinite}
            done = np.setdiff1d(np.arange(len(unit)), infinite)
            self._ready.append((keys[done], rows[done]))
            self._embedded += len(done)
        self._failed += len(failed)
        by_reason: defaultdict[str, list[int]] = defaultdict(list)
        for index, reason in failed.items():
            by_reason[reason].append(int(keys[index]))
        for reason, lost in by_reason.items():
            self._vectors.set_aside(self._key, lost, reason)
        if time.monotonic() - self._written > SECONDS:
            self._write()

    def _write(self) -> None:
        ready, self._ready = self._ready, []
        if ready:
            keys, rows = (np.concatenate(parts) for parts in zip(*ready, strict=True))
            self._vectors.add(self._key, self._embedder.name, keys.tolist(), rows)
        self._written = time.monotonic()


def _length(entry: Pending) -> int:
    return len(entry.context) + len(entry.text)
