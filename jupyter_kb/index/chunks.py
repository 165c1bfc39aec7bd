"""A section's own text in pieces that a language model can take in: about a thousand characters, cut at borders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from blake3 import blake3

LENGTH = 1_000
"""Characters of a chunk, the heading in front of it not counted."""
SPARE = 250
"""By so much a chunk may be longer, if otherwise a scrap would be left."""


class Span(NamedTuple):
    """Half-open range of characters of a text."""

    start: int
    end: int


# In quotes and list items, too. Possessive: else a long line of blanks would take for ever.
_FENCE = re.compile(
    r"^[ \t>]*+(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]++)?+(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$", re.MULTILINE
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
# In this order: each is tried where the pieces that the one before it left are still too long.
_BORDERS = (
    re.compile(r"(?<=[.!?])[\"')\]]*+\s+|(?<=[。！？；])|\n(?=[ \t]*+(?:[-*+|>]|\d{1,9}[.)]))"),
    re.compile(r"\n"),
    re.compile(r"\s+|(?<=[，、])"),
)
_LINES = _BORDERS[1:2]


def split(text: str) -> list[Span]:
    """Cut a text at ends of paragraphs, else of sentences, lines, words, and where there are none anywhere.

    Every character that is not white space lies in exactly one span; spans begin and end with such a character, and
    are in order. A fenced block is cut only where it is longer than a chunk, and then between its lines.
    """
    if len(text) <= LENGTH:
        return [*_trimmed(text, 0, len(text))]
    return _packed(_pieces(text))


def key(context: str, text: str) -> int:
    """What names a chunk to the store of vectors: 64 bits of a hash of all that the model reads of it, signed."""
    digest = blake3(embedded(context, text).encode()).digest(length=8)
    return int.from_bytes(digest, "big", signed=True)


def embedded(context: str, text: str) -> str:
    """What a model reads of a chunk: the note's title and the headings above, then the text."""
    return f"{context}\n\n{text}" if context and text else context or text


def context(title: str, heading_path: str) -> str:
    """What stands before each chunk of a section; a title that is the path's first heading is not said twice."""
    if not title or heading_path == title or heading_path.startswith(f"{title} > "):
        return heading_path
    return f"{title} > {heading_path}" if heading_path else title


def _pieces(text: str) -> Iterator[Span]:
    """Spans that are not to be cut, in order."""
    at = 0
    for fence in _fences(text):
        yield from _paragraphs(text, at, fence.start)
        yield from _cut(text, fence.start, fence.end, _LINES)
        at = fence.end
    yield from _paragraphs(text, at, len(text))


def _fences(text: str) -> Iterator[Span]:
    """Fenced code blocks; one that is not closed goes on to the end."""
    begin, mark = -1, ""
    for match in _FENCE.finditer(text):
        found, info = match["mark"], match["info"]
        if begin < 0:
            if found[0] == "~" or "`" not in info:
                begin, mark = match.start(), found
        elif found[0] == mark[0] and len(found) >= len(mark) and not info.strip() and not match["item"]:
            yield Span(begin, match.end())
            begin = -1
    if begin >= 0:
        yield Span(begin, len(text))


def _paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    for border in _PARAGRAPH.finditer(text, start, end):
        yield from _cut(text, start, border.start(), _BORDERS)
        start = border.end()
    yield from _cut(text, start, end, _BORDERS)


def _cut(text: str, start: int, end: int, borders: tuple[re.Pattern[str], ...]) -> list[Span]:
    """Pieces of a part of the text, cut at the first kind of border; where that is not enough, at the next."""
    if end - start <= LENGTH or not text[start:end].strip():
        return [*_trimmed(text, start, end)]
    if not borders:
        return [span for at in range(start, end, LENGTH) for span in _trimmed(text, at, min(at + LENGTH, end))]
    pieces: list[Span] = []
    for border in borders[0].finditer(text, start, end):
        pieces += _cut(text, start, border.start() if border.group() else border.end(), borders[1:])
        start = border.end()
    pieces += _cut(text, start, end, borders[1:])
    return _packed(pieces)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """The part without white space around it, unless nothing is left."""
    piece = text[start:end].lstrip()
    if piece:
        start = end - len(piece)
        yield Span(start, start + len(piece.rstrip()))


def _packed(pieces: Iterable[Span]) -> list[Span]:
    """Neighbours joined as long as they fit; a scrap at the end is joined to what stands before it."""
    joined: list[Span] = []
    start = end = -1
    for piece in pieces:
        if start < 0:
            start, end = piece
        elif piece.end - start <= LENGTH:
            end = piece.end
        else:
            joined.append(Span(start, end))
            start, end = piece
    if start < 0:
        return joined
    if joined and end - start < SPARE and end - joined[-1].start <= LENGTH + SPARE:
        start = joined.pop().start
    joined.append(Span(start, end))
    return joined
