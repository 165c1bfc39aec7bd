"""How a file is written: its line ends, and where it puts blank lines around headings."""

from __future__ import annotations

import re

from jupyter_kb.markdown.document import Document

LINE_END = re.compile(rb"\r\n?|\n")
_BLANK_LINES = re.compile(rb"(?:[ \t]*(?:\r\n?|\n))*")

_ATX_HEADING = re.compile(rb" {0,3}#{1,6}(?:[ \t\r\n]|\Z)")
_ITEM = re.compile(rb"[ \t]*([-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_CHUNK_END = re.compile(rb"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)[ \t\r\n]*")


def line_end(document: Document) -> bytes:
    """The line end that the file has most of; a line feed where it has none."""
    data = document.data
    both = data.count(b"\r\n")
    feeds = data.count(b"\n") - both
    returns = data.count(b"\r") - both
    if both > feeds and both >= returns:
        return b"\r\n"
    return b"\r" if returns > feeds else b"\n"


def blank_line_after_headings(document: Document) -> bool:
    """Whether most headings with text have a blank line below; so where there are none."""
    votes = sum(
        1 if _blank_follows(document.data, section.heading_end) else -1
        for section in document.sections
        if section.level and section.own_end > section.heading_end
    )
    return votes >= 0


def blank_line_before_headings(document: Document) -> bool:
    """Whether most headings behind other text have a blank line above; so where there are none."""
    sections = document.sections
    votes = sum(1 if _blank_follows(document.data, before.own_end) else -1 for before in sections[:-1])
    return votes >= 0


def _blank_follows(data: bytes, end: int) -> bool:
    line = LINE_END.match(data, end)
    return line is not None and blank_lines_end(data, line.end()) > line.end()


def blank_lines_end(data: bytes, begin: int) -> int:
    """Where the first line that is not blank begins, from the middle or the beginning of a blank line on."""
    found = _BLANK_LINES.match(data, begin)
    return found.end() if found else begin


def is_atx_heading(line: bytes) -> bool:
    """Whether a text begins with a heading line of `#` marks."""
    return bool(_ATX_HEADING.match(line))


def continues_block(above: bytes, below: bytes) -> bool:
    """Whether `below` goes on with the tight list or table that `above` ends in: no blank line belongs between them."""
    chunks = [chunk for chunk in _CHUNK_END.split(above) if chunk.strip()]
    if not chunks:
        return False
    kind = _kind(_last_flush_line(chunks[-1]))
    if kind is None or kind != _kind(below):
        return False
    # Items with blank lines between them want another one.
    return len(chunks) == 1 or _kind(_last_flush_line(chunks[-2])) != kind


def _last_flush_line(chunk: bytes) -> bytes:
    """The last line that is not indented: what the lines below it belong to."""
    lines = [line for line in LINE_END.split(chunk) if line.strip()]
    return next((line for line in reversed(lines) if not line.startswith((b" ", b"\t"))), lines[-1])


def _kind(text: bytes) -> bytes | None:
    if text.startswith(b"|"):
        return b"|"
    item = _ITEM.match(text)
    return None if item is None else item[1][-1:]
