"""Matching a regular expression in a process that can be killed: the near end of `matcher.py`."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import IO, Any

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.search import matcher

_BATCH = 1 << 18  # bytes: large enough that turns cost nothing, small enough that reading and matching overlap


class TimeUpError(Exception):
    """The time ran out before every file was looked at."""


def matching_lines(
    files: Iterable[tuple[str, bytes]], pattern: str, *, ignore_case: bool, seconds: float
) -> Iterator[tuple[str, bytes, list[int]]]:
    """For each file (name, bytes): the same, and the numbers (from 0) of the lines in which the pattern is found.

    Raises
    ------
    InvalidRequestError : the pattern is no regular expression (says where), or needs too much memory.
    TimeUpError : after `seconds`; what was found by then has been yielded.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", matcher.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        _send(process.stdin, {"pattern": pattern, "ignore_case": ignore_case, "seconds": seconds})
        _accepted(_receive(process.stdout, late), pattern)
        waiting: list[tuple[str, bytes]] = []
        for batch in _batches(files):  # the next batch is read from disk while this one is being matched
            yield from _answers(process.stdout, waiting, late)
            _send(process.stdin, [len(data) for _, data in batch], *(data for _, data in batch))
            waiting = batch
        yield from _answers(process.stdout, waiting, late)
    finally:
        timer.cancel()
        timer.join()  # it may be about to kill
        process.kill()
        process.stdout.close()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()


def _batches(files: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    batch: list[tuple[str, bytes]] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file[1])
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _answers(
    stream: IO[bytes], batch: Iterable[tuple[str, bytes]], late: threading.Event
) -> Iterator[tuple[str, bytes, list[int]]]:
    for name, data in batch:
        yield name, data, _receive(stream, late)


def _send(stream: IO[bytes], value: object, *attachments: bytes) -> None:
    # A process that has just been killed cannot be written to; reading its answer then tells why.
    with contextlib.suppress(OSError):
        stream.write(json.dumps(value).encode() + b"\n")
        for data in attachments:
            stream.write(data)
        stream.flush()


def _receive(stream: IO[bytes], late: threading.Event) -> Any:
    line = stream.readline()
    if line.endswith(b"\n"):
        return json.loads(line)
    if late.is_set():
        raise TimeUpError
    raise InvalidRequestError(
        f"the regular expression needs more than {matcher.MEMORY >> 20} MB to be matched",
        hint="write it without repetitions inside repetitions",
    )


def _accepted(greeting: dict[str, Any], pattern: str) -> None:
    if greeting["error"] is None:
        return
    at = greeting["at"]
    where = "" if at is None else f" at position {at}, here: {pattern[:at]}⟨?⟩{pattern[at:]}"
    raise InvalidRequestError(
        f"not a regular expression: {greeting['error']}{where}",
        hint="put a backslash before characters that are meant as they are, or search for them without is_regex",
        position=at,
    )
