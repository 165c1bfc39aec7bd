"""One life of a model's process: started for the first request, fed unit by unit, ended after a time without work."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from jupyter_kb.embedding.process import Process, ProcessLostError
from jupyter_kb.embedding.work import Pace, Queue, Request, Unit
from jupyter_kb.errors import KBError, ModelFailedError

_log = logging.getLogger(__name__)

Start = tuple[str, tuple[Any, ...]]
"""`module:function` that loads the model, and its arguments."""

_MOST_CRASHES = 12
"""In a row, without one success: halving 2,048 texts down to a single one that crashes takes as many."""


class Session:
    """A thread that talks to a process, from the first request until it is idle for long, closed or broken.

    `start` says what to load and may raise a KBError; `started` is told what the model says of itself, `broken` why
    the session ended before its time.
    """

    def __init__(
        self,
        start: Callable[[], Start],
        idle_seconds: float,
        *,
        started: Callable[[Any], None],
        broken: Callable[[KBError], None],
    ) -> None:
        self._start = start
        self._idle_seconds = idle_seconds
        self._started = started
        self._broken = broken
        self._changed = threading.Condition()
        self._queue = Queue()
        self._pace = Pace()
        self._process: Process | None = None
        self._current: Request | None = None
        self._crashes = 0
        self._ended = False
        self.ready = False
        self._thread = threading.Thread(target=self._run, name="kb-model", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        process = self._process
        return process.pid if process is not None else None

    @property
    def over(self) -> bool:
        """Whether it takes no more requests."""
        return self._ended

    def submit(self, request: Request, *, urgent: bool) -> bool:
        """Have it done; False when this session is over."""
        with self._changed:
            if self._ended:
                return False
            self._queue.add(request, urgent=urgent)
            self._changed.notify()
            return True

    def close(self) -> None:
        """End at once: what was asked and is not done is refused."""
        self._end(ModelFailedError("the model was closed while it was at work"))
        self._thread.join()

    def _run(self) -> None:
        try:
            self._serve()
        except KBError as error:
            self._fail(error)
        except OSError as error:
            self._fail(ModelFailedError(f"no process for the model can be started: {error}"))
        except BaseException as error:
            _log.exception("the thread that talks to the model ended")
            self._fail(ModelFailedError(f"talking to the model failed: {error!r}"))
        finally:
            if self._process is not None:
                self._process.stop()
                self._process = None

    def _serve(self) -> None:
        while not self._ended:
            process = self._process or self._launch()
            unit = self._next()
            if unit is None:
                return
            self._do(process, unit)

    def _launch(self) -> Process:
        load, arguments = self._start()
        process = Process(load, arguments)
        with self._changed:
            self._process = process
            if self._ended:
                process.kill()
        try:
            about = process.ready()
        except ProcessLostError as lost:
            raise ModelFailedError(
                f"the model's process ended while it was starting ({lost})",
                hint="try `device` cpu and `dtype` float32, or another model",
            ) from lost
        except KBError:
            raise
        except Exception as error:
            raise ModelFailedError(
                f"the model cannot be loaded: {error}", hint="fetch it again, or set `model` to another one"
            ) from error
        self.ready = True
        self._started(about)
        return process

    def _next(self) -> Unit | None:
        """Wait for a unit; None when there is none for long, or the session was closed."""
        deadline = time.monotonic() + self._idle_seconds
        with self._changed:
            self._current = None
            while not self._ended:
                unit = self._queue.take(self._pace.most)
                if unit is not None:
                    self._current = unit.request
                    return unit
                left = deadline - time.monotonic()
                if left <= 0:
                    self._ended = True
                    break
                self._changed.wait(left)
        return None

    def _do(self, process: Process, unit: Unit) -> None:
        request = unit.request
        begin = time.monotonic()
        try:
            rows = process.call(request.operation, unit.items, request.arguments)
            if len(rows) != len(unit.indexes):
                raise ModelFailedError(f"the model gave {len(rows)} rows for {len(unit.indexes)} texts")
        except ProcessLostError as lost:
            process.stop()
            self._process, self.ready = None, False
            if self._ended:
                return
            self._crashes += 1
            _log.warning("the model's process ended (%s) with %d texts; it is started again", lost, len(unit.indexes))
            if self._crashes >= _MOST_CRASHES:
                raise ModelFailedError(f"the model's process ends again and again ({lost})") from lost
            request.fail(unit, f"the model's process ended: {lost}", final=False)
        except Exception as error:
            request.fail(unit, str(error), final=True)
        else:
            self._crashes = 0
            self._pace.learn(unit.size, time.monotonic() - begin)
            request.succeed(unit.indexes, rows)

    def _fail(self, error: KBError) -> None:
        if not self._ended:
            self._broken(error)
        self._end(error)

    def _end(self, error: KBError) -> None:
        with self._changed:
            self._ended = True
            waiting = self._queue.clear()
            if self._current is not None:
                waiting.append(self._current)
            if self._process is not None:
                self._process.kill()
            self._changed.notify()
        for request in waiting:
            request.refuse(error)
