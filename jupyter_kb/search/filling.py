"""Keeping a vault's vectors complete: when asked and in the background, paused and resumed, with its progress told."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from jupyter_kb.errors import KBError, ModelError
from jupyter_kb.events import EmbeddingProgress
from jupyter_kb.index.filling import Filler
from jupyter_kb.index.pace import Pace

if TYPE_CHECKING:
    from jupyter_kb.embedding.base import Embedder
    from jupyter_kb.index.vectors import Vectors
    from jupyter_kb.models import EmbedResult

_log = logging.getLogger(__name__)

TOLD = 1.0
"""Seconds between two announcements of progress."""
_RETRY = 60.0

Progress = Callable[[int, int], None]
Told = Callable[[EmbeddingProgress], None]


class Filling:
    """Makes the vectors of one vault, one run at a time. Safe to use from several threads.

    Parameters
    ----------
    told : hears how far the vectors are while they are made, at most every `TOLD` seconds, and besides at the end of a
        run that had something to do, and of each pause and resumption.
    done : is called after each run that came to its end.
    """

    def __init__(self, vectors: Vectors, embedder: Embedder, *, told: Told, done: Callable[[], None]) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._told = told
        self._done = done
        self._pace = Pace()
        self._turn = threading.Lock()
        self._changing = threading.Lock()
        self._closed = threading.Event()
        self._resting = threading.Event()  # while paused and at the end: a run ends after its batch
        self._news = threading.Event()
        self._thread: threading.Thread | None = None
        self.problem: ModelError | None = None
        """What kept the last run in the background from making vectors."""

    # ── a run ───────────────────────────────────────────────────────────────────────────────────

    @property
    def at_work(self) -> bool:
        """Whether vectors are being made."""
        return self._turn.locked()

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all are there, by the last minute's pace; None where that is not known."""
        return self._pace.seconds_left()

    def run(self, progress: Progress | None = None) -> EmbedResult:
        """Give a vector to every chunk that has none; ends early when paused or closed.

        Raises
        ------
        ModelError : the model cannot be had; what was done until then stays.
        """
        with self._turn:
            announced: float | None = None

            def follow(done: int, total: int) -> None:
                nonlocal announced
                self._pace.tell(done, total)
                if progress is not None:
                    progress(done, total)
                now = time.monotonic()
                if done < total and (announced is None or now - announced >= TOLD):
                    announced = now
                    self._announce()

            try:
                result = Filler(self._vectors, self._embedder).run(follow, self._resting)
            finally:
                self._pace.stop()
                if announced is not None and not self._closed.is_set():
                    self._announce()
        self.problem = None
        self._done()
        return result

    def _announce(self) -> None:
        """Tell how far the vectors are; nothing of a model that cannot be had."""
        with suppress(KBError):
            counts = self._vectors.count(self._embedder.key)
            left = self._pace.seconds_left()
            told = EmbeddingProgress(
                embedded=counts.embedded, total=counts.chunks, seconds_left=left, paused=self.paused
            )
            self._told(told)

    # ── rest ────────────────────────────────────────────────────────────────────────────────────

    @property
    def paused(self) -> bool:
        """Whether no vector is made until somebody wants it again."""
        return self._resting.is_set() and not self._closed.is_set()

    def pause(self, paused: bool) -> None:
        """Make no vectors from now on, a run that is under way ending after its batch; or go on."""
        with self._changing:
            if self._closed.is_set() or paused == self._resting.is_set():
                return
            if paused:
                self._resting.set()
            else:
                self._resting.clear()
                self._news.set()
        self._announce()

    # ── the background ──────────────────────────────────────────────────────────────────────────

    def follow(self) -> None:
        """From now on make vectors in the background whenever `tell` says that the index changed."""
        if self._thread is None:
            self._news.set()
            self._thread = threading.Thread(target=self._fill, name="kb-embed", daemon=True)
            self._thread.start()

    def tell(self) -> None:
        """The index changed."""
        self._news.set()

    def _fill(self) -> None:
        while not self._closed.is_set():
            self._news.wait()
            if self._closed.is_set():
                return
            self._news.clear()
            if self.paused:
                continue  # until the news that it goes on
            try:
                self.run()
            except ModelError as error:
                if self.problem is None or self.problem.message != error.message:
                    _log.warning("vectors are not made: %s", error.message)
                self.problem = error
                self._closed.wait(_RETRY)
                self._news.set()  # what stood in the way may be gone without a change of the notes
            except KBError as error:
                _log.warning("vectors are not made: %s", error.message)
            except Exception:
                if not self._closed.is_set():
                    _log.exception("vectors are not made")

    # ── the end ─────────────────────────────────────────────────────────────────────────────────

    def stop(self) -> None:
        """Begin nothing new; a run ends after its batch."""
        with self._changing:
            self._closed.set()
            self._resting.set()
        self._news.set()

    def join(self, then: Callable[[], None]) -> None:
        """Wait until what was begun has ended, which takes its time unless the model was closed; then make one call."""
        if self._thread is not None:
            self._thread.join()
        with self._turn:
            then()
