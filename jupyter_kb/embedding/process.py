"""A process of its own that holds a model, seen from the one that asks: one question at a time, pickled over pipes."""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import subprocess
import sys
import tempfile
from typing import IO, Any

_PROGRAM = """
import os, pickle, sys
requests = os.fdopen(os.dup(0), "rb")
sys.path[:] = pickle.load(requests)
from jupyter_kb.embedding.serving import serve
serve(requests)
"""
_START_SECONDS = 600.0  # a large model on a slow disk
_ANSWER_SECONDS = 300.0
_TAIL = 2_000


class ProcessLostError(Exception):
    """The process ended, or gave no sign for minutes; says what it left on its standard error."""


class Process:
    """The other process. `load` is `module:function`, which is called there with the arguments and gives the model.

    Raises OSError when no process can be started.
    """

    def __init__(self, load: str, arguments: tuple[Any, ...]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],  # -P: nothing is imported from the working folder
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                close_fds=True,
                process_group=0,  # Ctrl-C is for this process alone, also before the other one can ignore it
            )
        except BaseException:
            self._errors.close()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin: IO[bytes] = self._process.stdin
        self._stdout: IO[bytes] = self._process.stdout
        self._first: list[Any] | None = [sys.path, (os.getpid(), load, arguments)]
        self.pid = self._process.pid

    def ready(self) -> Any:
        """Wait until the model is loaded; what it says of itself.

        Raises
        ------
        ProcessLostError : it ended before.
        Exception : what loading raised there.
        """
        first, self._first = self._first, None
        answer = self._exchange(first or [], _START_SECONDS)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def call(self, operation: str, items: list[str], arguments: tuple[Any, ...]) -> Any:
        """The answer to one question; raises as `ready` does."""
        answer = self._exchange([(operation, items, arguments)], _ANSWER_SECONDS)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self) -> None:
        """End it, whatever it is doing, without waiting. From any thread, at any time."""
        self._process.kill()

    def stop(self) -> None:
        """End it and give back all that belongs to it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._stdin, self._stdout, self._errors):
            with contextlib.suppress(OSError):
                stream.close()

    def _exchange(self, messages: list[Any], seconds: float) -> Any:
        try:
            for message in messages:
                pickle.dump(message, self._stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self._stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(self._stdout, selectors.EVENT_READ)
                if not selector.select(seconds):
                    raise TimeoutError(f"no answer for {seconds:.0f} s")
            return pickle.load(self._stdout)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            self._process.kill()
            raise ProcessLostError(self._end(error)) from error

    def _end(self, error: Exception) -> str:
        """How it ended, for people."""
        status = self._process.wait()
        reason = str(error) if isinstance(error, TimeoutError) else ""
        reason = reason or (f"killed by signal {-status}" if status < 0 else f"exit status {status}")
        size = os.fstat(self._errors.fileno()).st_size
        # pread: the position of the file is shared with the process that writes it
        tail = os.pread(self._errors.fileno(), _TAIL, max(size - _TAIL, 0)).decode("utf-8", "replace").strip()
        last = tail.splitlines()[-1].strip() if tail else ""
        return f"{reason}: {last}" if last else reason
