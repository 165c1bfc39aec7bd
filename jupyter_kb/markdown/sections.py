"""Sections: the tree that a note's headings span, with every byte range and line range exact."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

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
    start, heading_end, own_end, end : the heading's first byte, the end of the heading (a setext underline included), of the section's own
        text before its first sub-heading, and of the whole subtree; none of them counts the last line's end or blank lines.
    span_start, span_end : the section's tile: from its heading's line to the next heading's line of any level, or the end of the file.
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


@dataclass(kw_only=True)
class _Draft:
    heading: str
    level: int
    start: int
    heading_end: int
    own_end: int
    span_start: int
    setext: bool
    parent: int | None = None
    end: int = 0
    children: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)


def build_sections(data: bytes, text: str, blocks: Blocks, lines: LineIndex, starts: list[int]) -> tuple[Section, ...]:
    """The sections of a file in document order.

    `text` is what `blocks` were read from, `starts` the byte offset in `data` at which each of its lines begins.
    """
    first_line = len(lines.parse_starts) - len(starts)
    drafts = _drafts(text, blocks, lines, starts, first_line)
    _close(drafts)
    names: dict[str, int] = {}
    sections: list[Section] = []
    for ordinal, draft in enumerate(drafts):
        parent = None if draft.parent is None else sections[draft.parent]
        siblings = names if draft.parent is None else drafts[draft.parent].names
        occurrence = siblings[draft.heading] = siblings.get(draft.heading, 0) + 1
        name = draft.heading if occurrence == 1 else f"{draft.heading}[{occurrence}]"
        sections.append(
            Section(
                heading=draft.heading,
                level=draft.level,
                path=(*parent.path, name) if parent else (name,),
                heading_path=f"{parent.heading_path}{SEPARATOR}{name}" if parent else name,
                occurrence=occurrence,
                ordinal=ordinal,
                parent=draft.parent,
                children=tuple(draft.children),
                start=draft.start,
                heading_end=draft.heading_end,
                own_end=draft.own_end,
                end=draft.end,
                span_start=draft.span_start,
                span_end=drafts[ordinal + 1].span_start if ordinal + 1 < len(drafts) else len(data),
                setext=draft.setext,
                _data=data,
                _lines=lines,
            )
        )
    return tuple(sections)


def _drafts(text: str, blocks: Blocks, lines: LineIndex, starts: list[int], first_line: int) -> list[_Draft]:
    drafts: list[_Draft] = []
    line_starts = blocks.line_starts
    if blocks.preamble:
        first, last = blocks.preamble
        # Indentation is blanks and tabs: as many bytes as characters.
        start = starts[first] + blocks.preamble_start - line_starts[first]
        drafts.append(
            _Draft(
                heading=PREAMBLE,
                level=0,
                start=start,
                heading_end=start,
                own_end=lines.content_end(first_line + last),
                span_start=starts[first],
                setext=False,
            )
        )
    for level, line, last_line, start, end, own_last_line in blocks.headings:
        setext = last_line > line
        indent = 0
        position = line_starts[line]
        while text[position + indent] in " \t":
            indent += 1
        heading_end = lines.content_end(first_line + last_line)
        drafts.append(
            _Draft(
                heading=heading_text(text[start:end]),
                level=level,
                start=starts[line] + indent,
                heading_end=heading_end,
                own_end=heading_end if own_last_line == last_line else lines.content_end(first_line + own_last_line),
                span_start=starts[line],
                setext=setext,
            )
        )
    return drafts


def _close(drafts: list[_Draft]) -> None:
    """Give each section its parent, children and end: a parent is the nearest heading before with a smaller level."""
    open_sections: list[int] = []
    for ordinal, draft in enumerate(drafts):
        while open_sections and (not draft.level or drafts[open_sections[-1]].level >= draft.level):
            drafts[open_sections.pop()].end = drafts[ordinal - 1].own_end
        if draft.level:
            if open_sections:
                draft.parent = open_sections[-1]
                drafts[draft.parent].children.append(ordinal)
            open_sections.append(ordinal)
        else:
            draft.end = draft.own_end
    for ordinal in open_sections:
        drafts[ordinal].end = drafts[-1].own_end
