"""A second process that reads and parses notes while the first one does the same: for the first build of a large vault.

Parsing is Python's work, so threads would only take turns. The helper is started with this interpreter, speaks pickles
over its standard streams, and can be lost at any time: whatever it had not answered is then done by the first process.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from jupyter_kb.index.analysis import Analyst, Batch, Job
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

_log = logging.getLogger(__name__)

# The path comes from the parent: a notebook or a test may have put the package there.
_PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from jupyter_kb.index.helper import serve
serve()
"""

_WORTH_IT = 4_000_000
"""Bytes to read from which a helper saves more than its start costs."""
_WORTH_SPARING = 400_000
"""The same where this process has others to serve meanwhile."""
_MANY = 4
_MODEST = 10
"""Niceness of a helper whose work nobody waits for."""


class Crew:
    """Those who analyse: this process, and for much work a helper. Once `stopped` there are no more batches.

    With `sparing` set the helper does all of it: this process has others to serve, and Python's threads take turns.
    """

    def __init__(self, vault: Vault, settings: Settings, stopped: threading.Event) -> None:
        self.sparing = False
        self._vault = vault
        self._settings = settings
        self._stopped = stopped
        self._idle: list[Analyst] = []

    @contextlib.contextmanager
    def analyse(self, batches: Sequence[list[Job]]) -> Iterator[Iterator[Batch]]:
        """Batches, in any order, as they are done. After an exception in the block all forget what they gave out."""
        analyst = self._idle.pop() if self._idle else Analyst(self._vault, self._settings.language, self._stopped)
        helper = self._helper(batches)
        try:
            yield _work(analyst, helper, deque(batches), self._stopped, sparing=self.sparing)
        except BaseException:
            analyst.forget()
            raise
        finally:
            if helper is not None:
                helper.close()
            if not self._idle:
                self._idle.append(analyst)

    def _helper(self, batches: Sequence[list[Job]]) -> Helper | None:
        size = sum(min(job.stat.size, self._settings.max_file_bytes) for jobs in batches for job in jobs)
        enough = size >= _WORTH_SPARING if self.sparing else size >= _WORTH_IT and len(batches) > 1
        if not enough or (not self.sparing and _processors() < 2):
            return None
        try:
            return Helper(self._vault.root, self._settings, niceness=_MODEST if self.sparing else 0)
        except OSError as error:
            _log.info("no helper process (%s)", error)
            return None


def _work(
    analyst: Analyst, helper: Helper | None, waiting: deque[list[Job]], stopped: threading.Event, *, sparing: bool
) -> Iterator[Batch]:
    given = 0
    while (waiting or given) and not stopped.is_set():
        if helper is not None:
            # a second one in advance, so that the helper never waits; not near the end, when this process would
            while waiting and given < (2 if sparing or len(waiting) > _MANY else 1):
                helper.submit(waiting.popleft())
                given += 1
            answer = helper.answer(wait=sparing or not waiting)
            if answer is not None:
                jobs, batch = answer
                given -= 1
                yield analyst.analyse(jobs) if batch is None else batch
                continue
            if sparing or not waiting:
                continue
        yield analyst.analyse(waiting.popleft())


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Helper:
    """The other process, seen from this one. Raises OSError when it cannot be started."""

    def __init__(self, root: Path, settings: Settings, *, niceness: int = 0) -> None:
        self._answers: queue.SimpleQueue[tuple[list[Job], Batch | None]] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],  # -P: nothing is imported from the working folder, perhaps a vault
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            close_fds=True,
            process_group=0,  # Ctrl-C is for this process alone, also before the other one can ignore it
        )
        self._jobs: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._closing = False
        self._thread = threading.Thread(
            target=self._talk, args=(root, settings, niceness), name="kb-helper", daemon=True
        )
        self._thread.start()

    def submit(self, jobs: list[Job]) -> None:
        """Hand over jobs; exactly one answer will come."""
        self._jobs.put(jobs)

    def answer(self, *, wait: bool) -> tuple[list[Job], Batch | None] | None:
        """Submitted jobs and their batch, which is None where the helper is lost. None when nothing is there yet.

        To `wait` is to wait for 0.1 s: the work may be stopped meanwhile.
        """
        try:
            return self._answers.get(block=wait, timeout=0.1)
        except queue.Empty:
            return None

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closing = True
        self._jobs.put(None)
        self._process.kill()
        self._thread.join()
        self._process.wait()

    def _talk(self, root: Path, settings: Settings, niceness: int) -> None:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        working = True
        with contextlib.suppress(OSError), stdin, stdout:
            with contextlib.suppress(OSError):
                _send(stdin, sys.path)
                _send(stdin, (os.fspath(root), settings, niceness))
            while (jobs := self._jobs.get()) is not None:
                batch = None
                if working:
                    try:
                        _send(stdin, jobs)
                        batch = pickle.load(stdout)
                    except Exception as error:  # whatever comes out of a dying process
                        working = False
                        if not self._closing:
                            _log.warning("the helper process is lost (%r); going on without it", error)
                self._answers.put((jobs, batch))


def serve() -> None:
    """The helper's side: answer until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process, which then closes the stream
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing else may speak on the stream
    root, settings, niceness = pickle.load(stdin)
    os.nice(niceness)
    analyst = Analyst(Vault(root, settings), settings.language)
    with contextlib.suppress(EOFError, OSError):
        while True:
            _send(stdout, analyst.analyse(pickle.load(stdin)))


def _send(stream: IO[bytes], value: Any) -> None:
    pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()
