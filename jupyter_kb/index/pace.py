"""How long work will still take, by its pace within the last minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

WINDOW = 60.0
"""Seconds whose pace counts."""
_STEP = 0.25
"""Seconds between two marks that are kept."""


class Pace:
    """Told now and then how much is done; safe to use from several threads. `clock` counts seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._marks: deque[tuple[float, int]] = deque()
        self._left = 0
        self._done = 0

    def tell(self, done: int, total: int) -> None:
        """So much is done of so much. What comes before the first piece (a model that starts) is no work."""
        now = self._clock()
        with self._lock:
            if self._marks and done < self._done:  # other work has begun
                self._marks.clear()
            self._done, self._left = done, max(0, total - done)
            if done and (not self._marks or now - self._marks[-1][0] >= _STEP):
                self._marks.append((now, done))
            while len(self._marks) > 1 and now - self._marks[0][0] > WINDOW:
                self._marks.popleft()

    def stop(self) -> None:
        """The work has ended, or rests."""
        with self._lock:
            self._marks.clear()

    def seconds_left(self) -> float | None:
        """Seconds until all is done; None where nothing is at work, or where it has only begun."""
        with self._lock:
            if not self._marks:
                return None
            begun, done = self._marks[0]
            took = self._clock() - begun
            if took < _STEP or self._done <= done:
                return None
            return self._left * took / (self._done - done)
