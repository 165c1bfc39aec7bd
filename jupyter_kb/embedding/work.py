"""What is asked of a model: requests, handed out in pieces so small that an urgent one never waits long."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from jupyter_kb.errors import KBError

SECONDS = 0.15
"""What a unit should take: so long an urgent request waits at most, and so little is lost with a crash."""
_FIRST = 4_000
_LEAST = 2_000
_TELLING = 800
_MOST = 4_000_000
_MOST_ITEMS = 2_048


class Unit(NamedTuple):
    """Some items of a request, by their positions. `again`: they failed before, in company or alone."""

    request: Request
    indexes: list[int]
    again: bool = False

    @property
    def items(self) -> list[str]:
        """The texts."""
        return [self.request.items[index] for index in self.indexes]

    @property
    def size(self) -> int:
        """Bytes of its texts."""
        return sum(self.request.sizes[index] for index in self.indexes)


class Request:
    """Items for one operation of a model, and what came of them. Filled by one thread, awaited by another."""

    def __init__(self, operation: str, items: Sequence[str], arguments: tuple[Any, ...] = ()) -> None:
        self.operation = operation
        self.items = items
        self.arguments = arguments
        self.sizes = [len(item.encode("utf-8", "replace")) for item in items]
        self.rows: NDArray[np.float32] | None = None
        self.failed: dict[int, str] = {}
        self.error: KBError | None = None
        self.abandoned = False
        self._lock = threading.Lock()
        self._settled = 0
        self._done = threading.Event()
        self._order = deque(sorted(range(len(items)), key=self.sizes.__getitem__, reverse=True))
        self._again: deque[list[int]] = deque()
        if not items:
            self._done.set()

    def wait(self, timeout: float | None) -> bool:
        """Whether all items are settled within so many seconds."""
        return self._done.wait(timeout)

    def take(self, most: int) -> Unit | None:
        """The next items, alike in length, of at most so many bytes together; None when all are handed out."""
        if self.abandoned or self._done.is_set():
            return None
        if self._again:
            return Unit(self, self._again.popleft(), True)
        taken: list[int] = []
        size = 0
        while self._order and len(taken) < _MOST_ITEMS and (not taken or size + self.sizes[self._order[0]] <= most):
            taken.append(self._order.popleft())
            size += self.sizes[taken[-1]]
        return Unit(self, taken) if taken else None

    def succeed(self, indexes: Sequence[int], rows: NDArray[np.float32]) -> None:
        """Note results, a row an item. Those that are no numbers count as failed."""
        import numpy as np

        nonsense = np.flatnonzero(~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1))
        with self._lock:
            if self.rows is None:
                self.rows = np.full((len(self.items), *rows.shape[1:]), np.nan, np.float32)
            self.rows[list(indexes)] = rows
        for place in nonsense.tolist():
            self.failed[indexes[place]] = "the model gave no numbers"
        self._settle(len(indexes))

    def fail(self, unit: Unit, reason: str, *, final: bool) -> None:
        """Have items tried again, in two halves; a single one that failed before, or `final`ly, is given up."""
        indexes = unit.indexes
        if len(indexes) == 1 and (final or unit.again):
            self.failed[indexes[0]] = reason
            self._settle(1)
            return
        middle = len(indexes) // 2
        self._again.extendleft(half for half in (indexes[middle:], indexes[:middle]) if half)

    def refuse(self, error: KBError) -> None:
        """Give all of it up."""
        with self._lock:
            if not self._done.is_set():
                self.error = error
                self._done.set()

    def _settle(self, count: int) -> None:
        with self._lock:
            self._settled += count
            if self._settled >= len(self.items):
                self._done.set()


class Errand(Request):
    """One call, for one name, with one answer of any kind. It is done once or not at all, and starts no process."""

    def __init__(self, operation: str, name: str, arguments: tuple[Any, ...]) -> None:
        super().__init__(operation, [name], arguments)
        self.answer: Any = None

    def succeed(self, indexes: Sequence[int], rows: Any) -> None:
        """Keep the answer."""
        self.answer = rows[0]
        self._settle(len(indexes))

    def fail(self, unit: Unit, reason: str, *, final: bool) -> None:
        """Give it up."""
        self.failed[0] = reason
        self._settle(len(unit.indexes))


class Queue:
    """Requests that are not wholly handed out: urgent ones first, then as they came. For one thread at a time."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Request]] = []
        self._numbers = itertools.count()

    def add(self, request: Request, *, urgent: bool) -> None:
        """Put it after those that are as urgent."""
        heapq.heappush(self._heap, (0 if urgent else 1, next(self._numbers), request))

    def take(self, most: int) -> Unit | None:
        """Items of the first request, which stays in the queue until it is settled or has nothing more to give."""
        while self._heap:
            unit = self._heap[0][2].take(most)
            if unit is not None:
                return unit
            heapq.heappop(self._heap)
        return None

    def clear(self) -> list[Request]:
        """Take out all."""
        requests = [request for _, _, request in self._heap]
        self._heap.clear()
        return requests


class Pace:
    """How many bytes of text a unit may hold, learned from how long units take."""

    def __init__(self) -> None:
        self.most = _FIRST

    def learn(self, size: int, seconds: float) -> None:
        """A unit of so many bytes took so long. Small ones say little."""
        if size >= _TELLING:
            fitting = size * SECONDS / max(seconds, 1e-6)
            self.most = int(min(max((self.most + fitting) / 2, _LEAST), self.most * 4, _MOST))
