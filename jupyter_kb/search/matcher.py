"""A program of its own that matches a regular expression against lines, so that it can be stopped.

Python's `re` cannot be interrupted from within its process, and an expression such as `(a|aa)+$` runs for longer than
anybody waits; a process can be killed at any moment, and held to a limit of memory. It is run as a file, without site
packages, and imports nothing of this package, so that it is ready in some 30 ms.

Standard input: a JSON line `{"pattern", "ignore_case", "seconds"}`, then batches: a JSON line with the lengths of
files in bytes, and the files. Standard output: a JSON line `{"error", "at"}` about the pattern (null when it is
good), then one line a file: the numbers (from 0) of the lines that match. Each batch is read whole before the first
answer, so neither side waits for the other.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from typing import BinaryIO

MEMORY = 1 << 30
"""Bytes of address space that matching may take, where the system can limit it."""

_LINE_END = re.compile(r"\r\n|\n|\r")


def lines(data: bytes) -> list[str]:
    """The lines of a file without their ends and without a byte order mark; undecodable bytes as lone surrogates."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    found = _LINE_END.split(text) if "\r" in text else text.split("\n")
    if not found[-1]:
        found.pop()
    return found


def compile_pattern(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    """The pattern, compiled.

    Raises
    ------
    re.error : with `pos`; without it when the pattern is nested too deeply or a number in it is too large.
    """
    try:
        return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except RecursionError:
        raise re.error("it is nested too deeply") from None
    except OverflowError:
        raise re.error("a number in it is too large") from None


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer the batches on `requests` until it ends."""
    order = json.loads(requests.readline())
    _limit(order["seconds"])
    try:
        search = compile_pattern(order["pattern"], ignore_case=order["ignore_case"]).search
    except re.error as error:
        _answer(answers, {"error": error.msg, "at": error.pos})
        return
    _answer(answers, {"error": None, "at": None})
    while header := requests.readline():
        batch = [requests.read(length) for length in json.loads(header)]
        for data in batch:
            _answer(answers, [number for number, line in enumerate(lines(data)) if search(line)])


def _answer(answers: BinaryIO, value: object) -> None:
    answers.write(json.dumps(value).encode() + b"\n")
    answers.flush()  # what is known by the time of a kill is not lost


def _limit(seconds: float) -> None:
    """Bound what this process may take, in case the one that started it is gone before it can stop it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 3))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
