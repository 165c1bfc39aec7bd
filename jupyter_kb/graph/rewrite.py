"""Links that follow a heading to its new name: what each has to say instead, byte for byte; nothing is written.

A link follows where it meant the renamed heading, or a section below it by a chain (`[[note#Renamed#Below]]`). Only the
part that names the heading is replaced: alias, embed mark, file, blanks and the other parts stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from jupyter_kb.graph.anchors import Anchors, slugs
from jupyter_kb.graph.catalog import Block, Section
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.lines import decode, encode
from jupyter_kb.markdown.link_syntax import inline_target
from jupyter_kb.markdown.links import Link
from jupyter_kb.models import ResolvedLink

# what no wikilink can hold, or would read as something else
_UNLINKABLE = re.compile(r"[\[\]|#^\n\r]|\\\Z|%%")
# what a Markdown link's destination cannot hold as it is, or would read as something else
_TO_ENCODE = re.compile(r"[\x00-\x20\x7f%#?()<>\[\]\\|`&\"]")
_DESTINATION = re.compile(r"\]\([ \t\n]*(<?)")


class CannotFollowError(Exception):
    """A link cannot be made to lead to the renamed heading; the message says why, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True)
class Followed:
    """A note whose links follow: as it will be, how many do, and for the others why not, once a link."""

    after: Document
    count: int
    left: tuple[str, ...] = ()


def anchors_of(document: Document) -> Anchors:
    """The targets that a note offers, from its text rather than from the index."""
    sections = [
        Section(
            ordinal=section.ordinal,
            parent=section.parent,
            level=section.level,
            heading=section.heading,
            heading_path=section.heading_path,
            line=section.line,
        )
        for section in document.sections
    ]
    blocks = [
        Block(block_id=block_id, heading_path=document.sections[ordinal].heading_path if ordinal >= 0 else None)
        for block_id, (ordinal, _) in document.block_ids.items()
    ]
    return Anchors(sections, blocks)


class RenamedHeading:
    """One heading before and after it got its new name; `ordinal` is that of its section in both documents."""

    def __init__(self, before: Document, after: Document, ordinal: int) -> None:
        self._ordinal = ordinal
        self._heading = after.sections[ordinal].heading
        self._old, self._new = anchors_of(before), anchors_of(after)
        self._paths = [section.heading_path for section in after.sections]

    def concerns(self, fragment: str | None, *, markdown: bool) -> bool:
        """Whether a link with this fragment named the heading."""
        return self._part(fragment, markdown)[1] is not None

    def follow(self, document: Document, leads_here: Callable[[Link], bool]) -> Followed:
        """A note with those of its links rewritten that named the heading; `leads_here` says which mean its note."""
        wanted = [
            link
            for link in document.links
            if self.concerns(link.fragment, markdown=is_markdown(document, link)) and leads_here(link)
        ]
        left: list[str] = []
        new: dict[int, bytes] = {}
        for link in wanted:
            try:
                new[link.byte_range.start] = self._rewritten(document, link)
            except CannotFollowError as error:
                left.append(str(error))
        while True:
            after = _with_links(document, new)
            wrong = [
                link.byte_range.start
                for number, link in enumerate(document.links)
                if link.byte_range.start in new and not self._arrived(document, link, after, number)
            ]
            if not wrong and _alike(document, after):
                return Followed(after=after, count=len(new), left=tuple(left))
            for start in wrong or list(new):
                del new[start]
                left.append(f"a link to '{self._heading}' would not lead to that heading alone")

    def _arrived(self, before: Document, link: Link, after: Document, number: int) -> bool:
        """Whether the link of that number in the new text means the section that it meant."""
        meant = self._old.naming((link.fragment or "").strip(), markdown=is_markdown(before, link))
        if meant is None or number >= len(after.links):
            return False
        new = after.links[number]
        found = self._new.find((new.fragment or "").strip(), markdown=is_markdown(after, new))
        return found == [self._paths[meant.section.ordinal]]

    def _part(self, fragment: str | None, markdown: bool) -> tuple[int | None, str | None]:
        """Which part of a fragment named the heading: its number, None for all of it; and how (None: not at all)."""
        text = (fragment or "").strip()
        naming = self._old.naming(text, markdown=markdown) if text else None
        if naming is None:
            return None, None
        if naming.slug or naming.parts is None:
            named = naming.section.ordinal == self._ordinal
            return None, ("slug" if naming.slug else "text") if named else None
        number = next((number for number, ordinal in naming.parts.items() if ordinal == self._ordinal), None)
        return number, None if number is None else "text"

    def _rewritten(self, document: Document, link: Link) -> bytes:
        section = document.sections[link.section] if link.section >= 0 else None
        if section and section.level and section.start <= link.byte_range.start < section.heading_end:
            raise CannotFollowError("the link stands in a heading, which would get another name by it")
        markdown = is_markdown(document, link)
        number, way = self._part(link.fragment, markdown)
        text = decode(document.data[link.byte_range.start : link.byte_range.end])
        start, end = _fragment_in_destination(text) if markdown else _fragment_in_brackets(text)
        if number is not None:
            start, end = _span_of_part(text, start, end, number)
        core = text[start:end]
        start += len(core) - len(core.lstrip())
        end -= len(core) - len(core.rstrip())
        if way == "slug":
            new = self._new_slug()
            if "%" in text[start:end]:
                new = quote(new)
        elif markdown:
            new = _encoded(self._heading)
        elif not self._heading or _UNLINKABLE.search(self._heading):
            raise CannotFollowError(f"no link can hold '{self._heading}'")
        else:
            new = self._heading
        return encode(text[:start] + new + text[end:])

    def _new_slug(self) -> str:
        found = [slug for slug, section in slugs(self._new.headings).items() if section.ordinal == self._ordinal]
        if not any(found):
            raise CannotFollowError(f"'{self._heading}' has no anchor of its own")
        return max(found, key=len)


def is_markdown(document: Document, link: Link) -> bool:
    """Whether it is `[](x)` or `![](x)` rather than `[[x]]` or `![[x]]`."""
    start = link.byte_range.start
    return link.kind == "markdown" or not document.data.startswith((b"[[", b"![["), start)


def lost_links(links: Sequence[ResolvedLink], before: Document, after: Document, places: tuple[int, ...]) -> list[bool]:
    """Of links that led to headings of a note: does the new note not have, or not alone, what each of them meant?

    `places` has for each section of `before` its ordinal in `after`.
    """
    anchors = anchors_of(after)
    new: dict[str | None, list[str | None]] = {}
    for section in before.sections:
        new.setdefault(section.heading_path, []).append(after.sections[places[section.ordinal]].heading_path)
    lost = []
    for link in links:
        fragment = link.raw_target.removesuffix("\\").partition("#")[2]
        if link.kind == "markdown":
            fragment = unquote(fragment)
        found = anchors.find(fragment.strip(), markdown=link.kind == "markdown")
        lost.append(link.target is None or found != new.get(link.target.heading_path))
    return lost


# ── where a fragment stands in a link ───────────────────────────────────────────────────────────


def _fragment_in_brackets(text: str) -> tuple[int, int]:
    start = text.index("[[") + 2
    bar = text.find("|", start)
    end = bar if bar >= 0 else len(text) - 2
    if text.endswith("\\", start, end):  # in a table it keeps the bar from ending the cell
        end -= 1
    return text.index("#", start) + 1, end


def _fragment_in_destination(text: str) -> tuple[int, int]:
    for found in _DESTINATION.finditer(text):
        target = inline_target(text, found.start() + 2)
        if target and target[1] == len(text):
            mark = target[0].find("#")
            if mark >= 0:
                return found.end() + mark + 1, found.end() + len(target[0])
    raise CannotFollowError("the link's address stands elsewhere in the note")


def _span_of_part(text: str, start: int, end: int, number: int) -> tuple[int, int]:
    """The place of one part of `A#B#C`."""
    for _ in range(number):
        mark = text.find("#", start, end)
        if mark < 0:
            raise CannotFollowError("the link is written in a way that hides its parts")
        start = mark + 1
    mark = text.find("#", start, end)
    return start, end if mark < 0 else mark


def _encoded(text: str) -> str:
    """Text as a part of a Markdown link's destination; letters of all scripts stay readable."""
    return _TO_ENCODE.sub(lambda found: quote(found[0], safe=""), text)


# ── the note around them ────────────────────────────────────────────────────────────────────────


def _with_links(document: Document, new: dict[int, bytes]) -> Document:
    if not new:
        return document
    data, parts, position = document.data, [], 0
    for link in document.links:
        start, end = link.byte_range.start, link.byte_range.end
        if start in new:
            parts += [data[position:start], new[start]]
            position = end
    return parse(b"".join((*parts, data[position:])))


def _alike(before: Document, after: Document) -> bool:
    """Whether a note with rewritten links has the same sections and as many links, those of the same kinds."""
    return [(s.level, s.heading) for s in before.sections] == [(s.level, s.heading) for s in after.sections] and [
        link.kind for link in before.links
    ] == [link.kind for link in after.links]
