"""A note, parsed: `parse(bytes)` gives its front matter, section tree, links and names, each with exact places."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from jupyter_kb.errors import InvalidRequestError, SectionNotFoundError
from jupyter_kb.markdown.blocks import MAX_HEADINGS, Blocks, read_blocks
from jupyter_kb.markdown.frontmatter import FrontMatter, read_front_matter
from jupyter_kb.markdown.lines import BOM, LineIndex, decode, encode, readable, with_line_feeds
from jupyter_kb.markdown.links import Inline, Link, Places, read_inline
from jupyter_kb.markdown.lookup import find
from jupyter_kb.markdown.sections import Section, build_sections
from jupyter_kb.models import ByteRange, DiagnosticKind, LineRange, SectionRef

__all__ = ["Document", "Finding", "Section", "parse"]


_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_PAIR = re.compile(r"\r\n")


class Finding(NamedTuple):
    """Something in one file that wants a person's attention; `line` counts from 1."""

    kind: DiagnosticKind
    message: str
    line: int | None
    hint: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Document:
    """One file at one moment. `sections` is in document order, which is also pre-order.

    `head` is what stands before the first section: byte order mark, front matter, blank lines and link definitions.
    """

    data: bytes = field(repr=False)
    lines: LineIndex = field(repr=False)
    front_matter: FrontMatter | None
    head: ByteRange
    sections: tuple[Section, ...] = field(repr=False)
    diagnostics: tuple[Finding, ...]
    body: str = field(repr=False)
    body_starts: list[int] = field(repr=False)
    blocks: Blocks = field(repr=False)

    @cached_property
    def text(self) -> str:
        """The whole file; bytes that are not UTF-8 are lone surrogates."""
        return decode(self.data)

    @cached_property
    def version(self) -> str:
        """The file's Git blob id: SHA-1 of `blob <length>\\0` and the bytes."""
        header = b"blob %d\0" % len(self.data)
        return hashlib.sha1(header + self.data, usedforsecurity=False).hexdigest()

    @cached_property
    def inline(self) -> Inline:
        """What the note's inline text refers to: links, tags and block ids, read when first asked for."""
        return read_inline(self.body, self.blocks, self.places)

    @cached_property
    def places(self) -> Places:
        """From characters of `body` to bytes and lines of the file."""
        return Places(self.body, self.blocks, self.body_starts, self.lines, self._span_starts)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links to places in the vault, in order of position."""
        return self.inline.links

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the front matter, then `#tags` of the text; without `#`, nested ones whole, each once."""
        front_matter = self.front_matter.tags if self.front_matter else ()
        return tuple(dict.fromkeys((*front_matter, *self.inline.tags)))

    @property
    def block_ids(self) -> dict[str, tuple[int, int]]:
        """Block ids (`^id` at the end of a block), each with the ordinal of its section and its line."""
        return self.inline.block_ids

    @property
    def roots(self) -> tuple[Section, ...]:
        """The sections without a parent."""
        return tuple(section for section in self.sections if section.parent is None)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the note, from its front matter."""
        return self.front_matter.aliases if self.front_matter else ()

    def title(self, stem: str) -> str:
        """What the note calls itself: its front matter's title, else its first level-1 heading, else `stem`."""
        if self.front_matter and self.front_matter.title:
            return self.front_matter.title
        return next((section.heading for section in self.sections if section.level == 1 and section.heading), stem)

    def content(self, section: Section, *, children: bool = True) -> bytes:
        """The exact bytes of a section, with or without its sub-sections."""
        return self.data[section.start : section.end if children else section.own_end]

    def own_text(self, section: Section) -> str:
        """What stands under a section's heading before the first sub-heading.

        Lines end in line feeds, blank lines around the text are left out, bytes that are not UTF-8 are U+FFFD.
        """
        text = readable(with_line_feeds(decode(self.data[section.heading_end : section.own_end])))
        return _BLANK_LINES.sub("", text, count=1)

    def own_place(self, section: Section, start: int, stop: int) -> tuple[ByteRange, LineRange]:
        """Where the characters from `start` to `stop` (not included) of `own_text(section)` stand in the file.

        An empty range of characters stands for the heading.
        """
        place = section.heading_range
        if start < stop:
            raw = decode(self.data[section.heading_end : section.own_end])
            text = with_line_feeds(raw)
            blank = _BLANK_LINES.match(text)
            skipped = blank.end() if blank else 0
            # where the line ends of two characters stand, once each of them is one
            pairs = [match.start() - count for count, match in enumerate(_PAIR.finditer(raw))]
            first, last = (at + bisect_left(pairs, at) for at in (start + skipped, stop + skipped))
            begin = section.heading_end + len(encode(raw[:first]))
            place = ByteRange(start=begin, end=begin + len(encode(raw[first:last])))
        line_at = self.lines.line_at
        return place, LineRange(start=line_at(place.start), end=line_at(max(place.end - 1, place.start)))

    def section_at(self, offset: int) -> Section | None:
        """The deepest section whose tile holds the byte at `offset`; None before the first section."""
        found = bisect_right(self._span_starts, offset)
        return self.sections[found - 1] if found else None

    def section_at_line(self, line: int) -> Section:
        """The deepest section on line `line` (from 1): one that begins on it, else the one whose tile holds its first
        byte.

        Raises
        ------
        SectionNotFoundError : there is no such line, or no section has begun by then.
        """
        if not 1 <= line <= self.lines.count:
            raise SectionNotFoundError(
                f"line {line} is not in the file", hint=f"the file has {self.lines.count} lines", line=line
            )
        span = self.lines.span(line)
        section = self.section_at(span.start)
        following = self.sections[section.ordinal + 1 if section else 0 :][:1]
        if following and following[0].start < span.end and (section is None or section.start < span.start):
            return following[0]
        if section is None:
            raise SectionNotFoundError(
                f"line {line} is before the first section", hint=self._where_sections_begin(), line=line
            )
        return section

    def _where_sections_begin(self) -> str:
        return f"the first section begins on line {self.sections[0].line}" if self.sections else "it has no sections"

    def find(self, heading_path: str | tuple[str, ...] | list[str], *, exact: bool = False) -> Section:
        """The section of that heading path.

        `exact` compares the whole path and takes the first in document order. Otherwise a path that names two sections
        is ambiguous, and a unique end of a path is enough (`Landing` for `Flight > Landing`). Where nothing is called
        so, case and white space do not count, nor do `#` marks before a heading, blanks around `>`, and at last emoji
        and punctuation around the note's headings.

        Raises
        ------
        SectionNotFoundError : `details["suggestions"]` holds up to three near heading paths.
        AmbiguousSectionError : `details["candidates"]` lists `{heading_path, line}`.
        """
        return find(self.sections, heading_path, exact=exact)

    def locate(self, ref: SectionRef) -> Section:
        """The section that a request names, by its line where it gives one, else by its heading path.

        Raises
        ------
        SectionNotFoundError, AmbiguousSectionError, InvalidRequestError (it names neither)
        """
        if ref.line is not None:
            return self.section_at_line(ref.line)
        if ref.heading_path is None:
            raise InvalidRequestError("a section is named by heading_path or by line")
        return self.find(ref.heading_path, exact=ref.exact)

    @cached_property
    def _span_starts(self) -> list[int]:
        return [section.span_start for section in self.sections]


def parse(data: bytes) -> Document:
    """Read a Markdown file. Never raises, whatever the bytes; linear in their number."""
    lines = LineIndex(data)
    front_matter, unclosed = read_front_matter(data)
    begin = front_matter.byte_range.end if front_matter else len(BOM) if data.startswith(BOM) else 0
    first = bisect_right(lines.parse_starts, begin) - 1 if begin < len(data) else len(lines.parse_starts)
    starts = lines.parse_starts[first:]
    if starts:
        starts[0] = begin
    body = with_line_feeds(decode(data[begin:] if begin else data))
    blocks = read_blocks(body)
    del starts[len(blocks.line_starts) :]
    sections = build_sections(data, body, blocks, lines, starts, first)
    return Document(
        data=data,
        lines=lines,
        front_matter=front_matter,
        head=ByteRange(start=0, end=sections[0].span_start if sections else len(data)),
        sections=sections,
        diagnostics=tuple(_findings(data, lines, front_matter, unclosed, sections[-1] if blocks.is_cut else None)),
        body=body,
        body_starts=starts,
        blocks=blocks,
    )


def _findings(
    data: bytes, lines: LineIndex, front_matter: FrontMatter | None, unclosed: bool, rest: Section | None
) -> list[Finding]:
    found: list[Finding] = []
    if unclosed:
        found.append(
            Finding(
                "unclosed-front-matter", "front matter is never closed; read as text", 1, "end it with a line '---'"
            )
        )
    if front_matter and front_matter.error:
        message = f"invalid YAML frontmatter: {front_matter.error}"
        found.append(Finding("front-matter", message, front_matter.error_line or 1, "quote the value or mend the YAML"))
    if rest:
        message = f"more than {MAX_HEADINGS:,} headings; all that follows the last of them is read as its text"
        found.append(Finding("too-many-headings", message, rest.line, "split the note into several"))
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte {data[error.start]:#04x} at offset {error.start} is not UTF-8"
            found.append(
                Finding(
                    "invalid-utf8", message, lines.line_at(error.start), "save the file as UTF-8; the bytes are kept"
                )
            )
    return found
