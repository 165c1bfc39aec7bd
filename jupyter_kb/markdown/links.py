"""Links, tags and block ids of a note: found in its inline text, placed in the file, given to their sections."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote

from jupyter_kb.markdown.blocks import Blocks, Leaf
from jupyter_kb.markdown.inline import Mark, scan, scan_html, unescaped
from jupyter_kb.markdown.lines import LineIndex, readable
from jupyter_kb.models import ByteRange, LinkKind

_CHUNK = 256
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]+)\s*\Z")
# A pipe behind a backslash does not end a table's cell.
_CELL = re.compile(r"(?:[^|]|(?<=\\)\|)+")


@dataclass(frozen=True, kw_only=True)
class Link:
    """One link to a place in the vault, as written.

    kind : `wikilink` (`[[x]]`), `embed` (`![[x]]`, `![](x)`) or `markdown` (`[](x)`, also by reference).
    raw_target : of a wikilink all that stands before the first `|`; of a Markdown link the destination.
    file_part, fragment : what is before and behind the first `#`; blanks around them are dropped, of a Markdown link percent-encoding,
        entities and escapes are resolved, of a wikilink in a table the backslash that hides the pipe is dropped. An empty `file_part`
        means the note itself; `fragment` is None without `#`.
    text : the alias or the link's text as written; None where there is none.
    byte_range : the whole link in the file, brackets included.
    line : the line on which it begins, from 1.
    section : ordinal of the deepest section that holds it; None outside of all.
    """

    kind: LinkKind
    raw_target: str
    file_part: str
    fragment: str | None
    text: str | None
    byte_range: ByteRange
    line: int
    section: int | None


class Inline(NamedTuple):
    """What the inline text of a note refers to. `block_ids` maps an id to its section's ordinal and its line."""

    links: tuple[Link, ...]
    tags: tuple[str, ...]
    block_ids: dict[str, tuple[int | None, int]]


class Places:
    """From a character of the parsed text to its byte, line and section in the file."""

    def __init__(self, body: str, blocks: Blocks, starts: list[int], lines: LineIndex, span_starts: list[int]) -> None:
        self._body = body
        self._line_starts = blocks.line_starts
        self._starts = starts
        self._lines = lines
        self._span_starts = span_starts
        # Bytes before every so many characters: a line may be a megabyte long.
        chunks = range(0, 0 if body.isascii() else len(body), _CHUNK)
        self._bytes = list(accumulate((self._length(chunk, chunk + _CHUNK) for chunk in chunks), initial=0))

    def byte(self, character: int) -> int:
        """The offset in the file of the byte at which a character begins."""
        line = bisect_right(self._line_starts, character) - 1
        return self._starts[line] + self._before(character) - self._before(self._line_starts[line])

    def _before(self, character: int) -> int:
        if len(self._bytes) == 1:
            return character
        chunk = character // _CHUNK
        return self._bytes[chunk] + self._length(chunk * _CHUNK, character)

    def _length(self, begin: int, end: int) -> int:
        return len(self._body[begin:end].encode("utf-8", "surrogateescape"))

    def line(self, byte: int) -> int:
        """The number of the line that holds a byte."""
        return self._lines.line_at(byte)

    def section(self, byte: int) -> int | None:
        """The ordinal of the deepest section whose tile holds a byte."""
        found = bisect_right(self._span_starts, byte)
        return found - 1 if found else None


class _Text(NamedTuple):
    """A text to scan, and for the beginning of each of its lines the character of the parsed text where it stands."""

    text: str
    begins: tuple[int, ...]
    characters: tuple[int, ...]

    def character(self, position: int) -> int:
        line = bisect_right(self.begins, position) - 1
        return self.characters[line] + position - self.begins[line]


def read_inline(body: str, blocks: Blocks, places: Places) -> Inline:
    """The links, tags and block ids of a parsed text, in order of position. Linear in the text's length."""
    links: list[Link] = []
    tags: dict[str, None] = {}
    block_ids: dict[str, tuple[int | None, int]] = {}
    references = blocks.references
    comments = _Comments(body, blocks) if "%%" in body else None
    for number, leaf in enumerate(blocks.leaves):
        piece = body[leaf.start : leaf.end]
        linked = "[[" in piece or (leaf.kind != "html" and ("](" in piece or (references and "[" in piece)))
        commented = comments is not None and (comments.open or "%%" in piece)
        if not (linked or commented or "#" in piece or "^" in piece):
            continue
        for text in _texts(leaf, piece):
            marks = _marks(leaf, text.text, references)
            if comments is not None:
                marks = comments.visible(marks, text.text, number)
            for mark in marks:
                if mark.kind == "tag":
                    tags.setdefault(readable(mark.target))
                elif link := _link(mark, text, places):
                    links.append(link)
            if comments is not None and comments.open:
                continue
            if block_id := _block_id(leaf, text.text):
                byte = places.byte(text.character(block_id.start()))
                block_ids.setdefault(block_id[1], (places.section(byte), places.line(byte)))
    return Inline(tuple(links), tuple(tags), block_ids)


def _texts(leaf: Leaf, piece: str) -> Iterator[_Text]:
    if leaf.kind == "row":
        for cell in _CELL.finditer(piece):
            yield _Text(cell[0], (0,), (leaf.start + cell.start(),))
    elif leaf.segments is None:
        yield _Text(piece, (0,), (leaf.start,))
    else:
        lines = [piece[start - leaf.start : end - leaf.start] for start, end in leaf.segments]
        begins = tuple(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        yield _Text("\n".join(lines), begins, tuple(start for start, _ in leaf.segments))


def _marks(leaf: Leaf, text: str, references: dict[str, str]) -> list[Mark]:
    return scan_html(text) if leaf.kind == "html" else scan(text, references)


class _Comments:
    """What `%%` hides: all up to the next `%%` of the same block, or of a later one where the first begins its line.

    A mark that nothing closes hides nothing.
    """

    def __init__(self, body: str, blocks: Blocks) -> None:
        self.open = False
        self._last = -1
        for number in range(len(blocks.leaves) - 1, -1, -1):
            leaf = blocks.leaves[number]
            if leaf.kind == "html" or "%%" not in (piece := body[leaf.start : leaf.end]):
                continue
            if any(
                mark.kind == "comment" for text in _texts(leaf, piece) for mark in scan(text.text, blocks.references)
            ):
                self._last = number
                break

    def visible(self, marks: list[Mark], text: str, number: int) -> list[Mark]:
        """The marks of block `number` that no comment hides; blocks are asked for in order."""
        kept: list[Mark] = []
        opening: Mark | None = None
        doubtful: list[Mark] = []
        for mark in marks:
            if mark.kind != "comment":
                if not self.open:
                    (kept if opening is None else doubtful).append(mark)
            elif self.open:
                self.open = False
            elif opening is None:
                opening, doubtful = mark, []
            else:
                opening = None
        if opening is not None:
            begins_line = not text[: opening.start].rpartition("\n")[2].strip()
            self.open = begins_line and number < self._last
            if not self.open:
                kept += doubtful
        return kept


def _link(mark: Mark, text: _Text, places: Places) -> Link | None:
    if mark.kind in ("wikilink", "embed"):
        target = mark.target[:-1] if mark.target.endswith("\\") else mark.target
        name, hash_mark, fragment = (part.strip() for part in target.partition("#"))
    else:
        target = unescaped(mark.target)
        if not target.strip() or _SCHEME.match(target):
            return None
        name, hash_mark, fragment = (unquote(part, errors="replace").strip() for part in target.partition("#"))
    start = places.byte(text.character(mark.start))
    kind: LinkKind = "wikilink" if mark.kind == "wikilink" else "markdown" if mark.kind == "markdown" else "embed"
    return Link(
        kind=kind,
        raw_target=readable(mark.target),
        file_part=readable(name),
        fragment=readable(fragment) if hash_mark else None,
        text=readable(mark.text) if mark.text else None,
        # A link ends in a bracket: one byte.
        byte_range=ByteRange(start=start, end=places.byte(text.character(mark.end - 1)) + 1),
        line=places.line(start),
        section=places.section(start),
    )


def _block_id(leaf: Leaf, text: str) -> re.Match[str] | None:
    position = text.rfind("^")
    if leaf.kind != "text" or position < 0 or not (position == 0 or text[position - 1].isspace()):
        return None
    return _BLOCK_ID.match(text, position)
