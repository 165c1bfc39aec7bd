"""Lines and bytes of a file: where lines begin, and text that encodes back to exactly the same bytes."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from jupyter_kb.models import ByteRange

BOM = b"\xef\xbb\xbf"

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n?")


def decode(data: bytes) -> str:
    """UTF-8 as text; each byte that is not UTF-8 becomes one lone surrogate, so that `encode` gives `data` back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The inverse of `decode`. Surrogates that stand for no byte become `?`, so that any string can be encoded."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"".join(_encode_character(character) for character in text)


def _encode_character(character: str) -> bytes:
    try:
        return character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"?"


def readable(text: str) -> str:
    """`text` with every lone surrogate as U+FFFD: always encodable, for names, JSON and the index."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def with_line_feeds(text: str) -> str:
    """`text` with every line end (`\\r\\n`, lone `\\r`) as one line feed."""
    return _LINE_END.sub("\n", text) if "\r" in text else text


class LineIndex:
    """Where the lines of a file begin, as byte offsets.

    There are two ways to count. Parsing ends a line at `\\n`, `\\r\\n` and at a lone `\\r`: `parse_starts`. The numbers
    that people and editors use count `\\n` only: `starts` and every method here. They differ only in files with a lone
    `\\r`.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        # bytes.splitlines knows exactly the three line ends of Markdown (str.splitlines knows a dozen).
        self.parse_starts: list[int] = list(accumulate(map(len, data.splitlines(keepends=True)), initial=0))
        if data:
            self.parse_starts.pop()

    @cached_property
    def starts(self) -> list[int]:
        """Offset of the first byte of each numbered line; `[0]` for an empty file."""
        data = self._data
        if data.count(b"\r") == data.count(b"\r\n"):
            return self.parse_starts
        starts = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0))
        starts.pop()
        if len(starts) > 1 and starts[-1] == len(data):
            starts.pop()
        return starts

    @property
    def count(self) -> int:
        """How many numbered lines there are; a final line without a line end counts, an empty file has one."""
        return len(self.starts)

    def line_at(self, offset: int) -> int:
        """The number (from 1) of the line that holds the byte at `offset`; the end of the file is on the last line."""
        return bisect_right(self.starts, offset)

    def span(self, line: int) -> ByteRange:
        """The bytes of line `line` (from 1), its line end included. IndexError where there is no such line."""
        if not 1 <= line <= self.count:
            raise IndexError(line)
        end = self.starts[line] if line < self.count else len(self._data)
        return ByteRange(start=self.starts[line - 1], end=end)

    def content_end(self, parse_line: int) -> int:
        """Offset behind the last byte of a parse line (index from 0), its line end left out."""
        data, starts = self._data, self.parse_starts
        end = starts[parse_line + 1] if parse_line + 1 < len(starts) else len(data)
        if end and data[end - 1] == 0x0A:
            end -= 2 if end > 1 and data[end - 2] == 0x0D else 1
        elif end and data[end - 1] == 0x0D:
            end -= 1
        return max(end, starts[parse_line])
