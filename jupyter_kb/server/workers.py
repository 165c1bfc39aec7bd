"""Threads for blocking work that never keep a stopping server alive.

Those of `concurrent.futures` are waited for when the interpreter ends, however long their work takes; these are not.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeVar

from jupyter_kb.errors import IndexUnavailableError

_T = TypeVar("_T")
_Job = tuple["Future[Any]", Callable[[], Any]]


class Workers(Executor):
    """So many threads at most, started when they are needed. Jobs are taken in the order in which they came."""

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closed = False

    def submit(self, function: Callable[..., _T], /, *arguments: Any, **options: Any) -> Future[_T]:
        """Have it called on one of the threads. A future that is cancelled before its turn costs nothing.

        Raises
        ------
        IndexUnavailableError : the workers are closed.
        """
        future: Future[_T] = Future()
        with self._lock:
            if self._closed:
                raise IndexUnavailableError("the server is stopping")
            self._jobs.put((future, partial(function, *arguments, **options)))
            if not self._idle.acquire(blocking=False) and len(self._threads) < self._count:
                name = f"{self._name}-{len(self._threads)}"
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Take no more jobs and drop those that wait, whatever is asked; those that run are not waited for."""
        with self._lock:
            self._closed = True
            try:
                while True:
                    job = self._jobs.get_nowait()
                    if job is not None:
                        job[0].cancel()
            except queue.Empty:
                for _ in self._threads:
                    self._jobs.put(None)

    def join(self, seconds: float) -> bool:
        """Wait until all threads have ended; False when one still works after so long."""
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, function = job
            del job
            if future.set_running_or_notify_cancel():
                try:
                    result = function()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)
                    del result
            del future, function
            self._idle.release()
