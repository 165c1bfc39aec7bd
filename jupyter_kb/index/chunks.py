"""A section's own text in pieces that a language model can take in: about a thousand characters, cut at borders."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
# In this order: each is tried where the pieces that the one before it left are still too long.
_BORDERS = (
    re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；])|\n(?=[ \t]*(?:[-*+|>]|\d{1,9}[.)]))"),
    re.compile(r"\n"),
    re.compile(r"\s+|(?<=[，、])"),
)
_LINES = _BORDERS[1:2]


def split(text: str) -> list[Span]:
    """Cut a text at ends of paragraphs, else of sentences, lines, words, and where there are none anywhere.

    Every character that is not white space lies in exactly one span; spans begin and end with such a character. A
    fenced block is cut only where it is longer than a chunk, and then between its lines.
    """
    return list(_packed(text, _pieces(text)))


def key(context: str, text: str) -> int:
    """What names a chunk to the store of vectors: 64 bits of a hash of all that the model reads of it, signed."""
    digest = blake3(embedded(context, text).encode()).digest(length=8)
    return int.from_bytes(digest, "big", signed=True)


def embedded(context: str, text: str) -> str:
    """What a model reads of a chunk: the note's title and the headings above, then the text."""
    return f"{context}\n\n{text}" if context else text


def context(title: str, heading_path: str) -> str:
    """What stands before each chunk of a section; a title that is the path's first heading is not said twice."""
    first = heading_path.split(" > ", 1)[0]
    return heading_path if not title or first == title else f"{title} > {heading_path}" if heading_path else title


def _pieces(text: str) -> Iterator[Span]:
    """Spans that are not to be cut, none longer than a chunk, in order."""
    at = 0
    for fence in _fences(text):
        yield from _paragraphs(text, Span(at, fence.start))
        yield from _cut(text, fence, _LINES)
        at = fence.end
    yield from _paragraphs(text, Span(at, len(text)))


def _fences(text: str) -> Iterator[Span]:
    """Fenced code blocks; one that is not closed goes on to the end."""
    begin, mark = -1, ""
    for match in _FENCE.finditer(text):
        found, info = match["mark"], match["info"]
        if begin < 0:
            if found[0] == "~" or "`" not in info:
                begin, mark = match.start(), found
        elif found[0] == mark[0] and len(found) >= len(mark) and not info.strip():
            yield Span(begin, match.end())
            begin = -1
    if begin >= 0:
        yield Span(begin, len(text))


def _paragraphs(text: str, span: Span) -> Iterator[Span]:
    at = span.start
    for border in _PARAGRAPH.finditer(text, span.start, span.end):
        yield from _cut(text, Span(at, border.start()), _BORDERS)
        at = border.end()
    yield from _cut(text, Span(at, span.end), _BORDERS)


def _cut(text: str, span: Span, borders: tuple[re.Pattern[str], ...]) -> Iterator[Span]:
    span = _trimmed(text, span)
    if span.end <= span.start:
        return
    if span.end - span.start <= LENGTH:
        yield span
    elif not borders:
        for start in range(span.start, span.end, LENGTH):
            yield from _cut(text, Span(start, min(start + LENGTH, span.end)), ())
    else:
        at = span.start
        parts = []
        for border in borders[0].finditer(text, span.start, span.end):
            parts.append(Span(at, border.start() if border.group() else border.end()))
            at = border.end()
        parts.append(Span(at, span.end))
        whole = [piece for part in parts for piece in _cut(text, part, borders[1:])]
        yield from _packed(text, iter(whole))


def _trimmed(text: str, span: Span) -> Span:
    piece = text[span.start : span.end]
    return Span(span.end - len(piece.lstrip()), span.start + len(piece.rstrip()))


def _packed(text: str, pieces: Iterator[Span]) -> Iterator[Span]:
    """Neighbours joined as long as they fit; a scrap at the end is joined to what stands before it."""
    joined: list[Span] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= LENGTH:
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    if (
        len(joined) > 1
        and joined[-1].end - joined[-1].start < SPARE
        and joined[-1].end - joined[-2].start <= LENGTH + SPARE
    ):
        joined[-2:] = [Span(joined[-2].start, joined[-1].end)]
    return iter(joined)
