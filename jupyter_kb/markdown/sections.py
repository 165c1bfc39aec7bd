"""Sections: the tree that a note's headings span, with every byte range and line range exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from blake3 import blake3

from jupyter_kb.markdown.blocks import Blocks
from jupyter_kb.markdown.headings import heading_text
from jupyter_kb.markdown.lines import LineIndex
from jupyter_kb.models import ByteRange, LineRange

PREAMBLE = "Preamble"
SEPARATOR = " > "


@dataclass(frozen=True, kw_only=True, eq=False)
class Section:
    """A heading and what stands under it. All offsets are bytes of the file as stored, ranges half-open.

    heading : plain text of the heading; `Preamble` for the text before the first heading.
    level : 1 to 6; 0 for the preamble.
    path : names from the root down to this section; among equal siblings the second is `Name[2]`.
    occurrence : which of its equal siblings this is, from 1.
    ordinal : index in `Document.sections`, which is both document order and pre-order.
    parent, children : ordinals; `parent` is None at the root.
    start, heading_end, own_end, end : the heading's first byte, the end of the heading (a setext underline included),
        of the section's own text before its first sub-heading, and of the whole subtree; none of them counts the last
        line's end or blank lines.
    span_start, span_end : the section's tile: from its heading's line to the next heading's line of any level, or the
        end of the file.
    """

    heading: str
    level: int
    path: tuple[str, ...]
    heading_path: str
    occurrence: int
    ordinal: int
    parent: int | None
    children: tuple[int, ...]
    start: int
    heading_end: int
    own_end: int
    end: int
    span_start: int
    span_end: int
    setext: bool
    _data: bytes = field(repr=False)
    _lines: LineIndex = field(repr=False)

    @property
    def byte_range(self) -> ByteRange:
        """Heading, own text and all sub-sections: what `content_hash` covers."""
        return ByteRange(start=self.start, end=self.end)

    @property
    def own_range(self) -> ByteRange:
        """Heading and own text up to the first sub-heading: what `own_hash` covers."""
        return ByteRange(start=self.start, end=self.own_end)

    @property
    def heading_range(self) -> ByteRange:
        """The heading alone; empty for the preamble."""
        return ByteRange(start=self.start, end=self.heading_end)

    @property
    def span(self) -> ByteRange:
        """The section's tile: together with `Document.head`, tiles cover the file without gap or overlap."""
        return ByteRange(start=self.span_start, end=self.span_end)

    @cached_property
    def line(self) -> int:
        """The number of the line on which the section begins."""
        return self._lines.line_at(self.start)

    @property
    def line_range(self) -> LineRange:
        """The lines of `byte_range`."""
        return LineRange(start=self.line, end=self._lines.line_at(self.end - 1))

    @property
    def own_line_range(self) -> LineRange:
        """The lines of `own_range`."""
        return LineRange(start=self.line, end=self._lines.line_at(self.own_end - 1))

    @cached_property
    def content_hash(self) -> str:
        """BLAKE3-256 of the bytes of `byte_range`."""
        return blake3(self._data[self.start : self.end]).hexdigest()

    @cached_property
    def own_hash(self) -> str:
        """BLAKE3-256 of the bytes of `own_range`."""
        if self.own_end == self.end:
            return self.content_hash
        return blake3(self._data[self.start : self.own_end]).hexdigest()


class _Beginning(NamedTuple):
    """What is known of a section before the tree is."""

    heading: str
    level: int
    start: int
    heading_end: int
    own_end: int
    span_start: int
    setext: bool


def build_sections(
    data: bytes, text: str, blocks: Blocks, lines: LineIndex, starts: list[int], first_line: int
) -> tuple[Section, ...]:
    """The sections of a file in document order.

    `text` is what `blocks` were read from, `starts` the byte offset in `data` at which each of its lines begins,
    `first_line` the parse line (from 0) of the first of them.
    """
    beginnings = list(_beginnings(text, blocks, lines, starts, first_line))
    parents, ends = _tree(beginnings)
    children: dict[int, list[int]] = {}
    for ordinal, parent in enumerate(parents):
        if parent is not None:
            children.setdefault(parent, []).append(ordinal)
    span_ends = [beginning.span_start for beginning in beginnings[1:]]
    span_ends.append(len(data))
    occurrences: dict[tuple[int | None, str], int] = {}
    sections: list[Section] = []
    for ordinal, (heading, level, start, heading_end, own_end, span_start, setext) in enumerate(beginnings):
        parent = parents[ordinal]
        occurrence = occurrences[parent, heading] = occurrences.get((parent, heading), 0) + 1
        name = heading if occurrence == 1 else f"{heading}[{occurrence}]"
        path = (name,) if parent is None else (*sections[parent].path, name)
        sections.append(
            Section(
                heading=heading,
                level=level,
                path=path,
                heading_path=name if parent is None else SEPARATOR.join(path),
                occurrence=occurrence,
                ordinal=ordinal,
                parent=parent,
                children=tuple(children.get(ordinal, ())),
                start=start,
                heading_end=heading_end,
                own_end=own_end,
                end=ends[ordinal],
                span_start=span_start,
                span_end=span_ends[ordinal],
                setext=setext,
                _data=data,
                _lines=lines,
            )
        )
    return tuple(sections)


def _beginnings(
    text: str, blocks: Blocks, lines: LineIndex, starts: list[int], first_line: int
) -> Iterator[_Beginning]:
    line_starts = blocks.line_starts
    content_end = lines.content_end
    if blocks.preamble:
        first, last = blocks.preamble
        # Indentation is blanks and tabs: as many bytes as characters.
        start = starts[first] + blocks.preamble_start - line_starts[first]
        yield _Beginning(PREAMBLE, 0, start, start, content_end(first_line + last), starts[first], setext=False)
    for (level, line, last_line, start, end), own_last_line in zip(blocks.headings, blocks.own_last_lines, strict=True):
        position = line_starts[line]
        while text[position] in " \t":
            position += 1
        heading_end = own_end = content_end(first_line + last_line)
        if own_last_line > last_line:
            own_end = content_end(first_line + own_last_line)
        yield _Beginning(
            heading_text(text[start:end]),
            level,
            starts[line] + position - line_starts[line],
            heading_end,
            own_end,
            starts[line],
            setext=last_line > line,
        )


def _tree(beginnings: list[_Beginning]) -> tuple[list[int | None], list[int]]:
    """The parent of each section (the nearest heading before with a smaller level) and the end of its subtree."""
    parents: list[int | None] = []
    ends = [beginning.own_end for beginning in beginnings]
    open_sections: list[int] = []
    for ordinal, beginning in enumerate(beginnings):
        level = beginning.level
        while open_sections and beginnings[open_sections[-1]].level >= level:
            ends[open_sections.pop()] = beginnings[ordinal - 1].own_end
        parents.append(open_sections[-1] if open_sections else None)
        if level:
            open_sections.append(ordinal)
    for ordinal in open_sections:
        ends[ordinal] = beginnings[-1].own_end
    return parents, ends
