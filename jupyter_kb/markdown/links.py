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
_ENDS_LINE = re.compile(r"[ \t]*(?:\n|\Z)")
# A pipe behind a backslash does not end a table's cell.
_CELL = re.compile(r"(?:[^|\\]++|\\++\|?+)++")
_WORTH_A_LOOK = re.compile(r"[\[#^%]")


@dataclass(frozen=True, kw_only=True)
class Link:
    """One link to a place in the vault, as written.

    kind : `wikilink` (`[[x]]`), `embed` (`![[x]]`, `![](x)`) or `markdown` (`[](x)`, also by reference).
    raw_target : of a wikilink all that stands before the first `|`; of a Markdown link the destination.
    file_part, fragment : what is before and behind the first `#`; blanks around them are dropped, of a Markdown link
        percent-encoding, entities and escapes are resolved, of a wikilink in a table the backslash that hides the pipe
        is dropped. An empty `file_part` means the note itself; `fragment` is None without `#`.
    text : the alias or the link's text as written; None where there is none.
    byte_range : the whole link in the file, brackets included.
    line : the line on which it begins, from 1.
    section : ordinal of the deepest section that holds it.
    """

    kind: LinkKind
    raw_target: str
    file_part: str
    fragment: str | None
    text: str | None
    byte_range: ByteRange
    line: int
    section: int


class Inline(NamedTuple):
    """What the inline text of a note refers to. `block_ids` maps an id to its section's ordinal and its line."""

    links: tuple[Link, ...]
    tags: tuple[str, ...]
    block_ids: dict[str, tuple[int, int]]


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

    def section(self, byte: int) -> int:
        """The ordinal of the deepest section whose tile holds a byte; all inline text lies in one."""
        return bisect_right(self._span_starts, byte) - 1


class Text(NamedTuple):
    """A text to scan, and for the beginning of each of its lines the character of the parsed text where it stands."""

    text: str
    begins: tuple[int, ...]
    characters: tuple[int, ...]

    def character(self, position: int) -> int:
        """Where a character of this text stands in the parsed text."""
        line = bisect_right(self.begins, position) - 1
        return self.characters[line] + position - self.begins[line]


def read_inline(body: str, blocks: Blocks, places: Places) -> Inline:
    """The links, tags and block ids of a parsed text, in order of position. Linear in the text's length."""
    links: list[Link] = []
    tags: dict[str, None] = {}
    block_ids: dict[str, tuple[int, int]] = {}
    references = blocks.references
    comments = Comments(body, blocks) if "%%" in body else None
    for leaf in blocks.leaves:
        piece = body[leaf.start : leaf.end]
        linked = "[[" in piece or (leaf.kind != "html" and ("](" in piece or (references and "[" in piece)))
        if not (linked or "#" in piece or "^" in piece):
            continue
        for text in texts(leaf, piece):
            for mark in _marks(leaf, text.text, references):
                if mark.kind == "comment" or (comments and comments.hides(text.character(mark.start))):
                    continue
                if mark.kind == "tag":
                    tags.setdefault(readable(mark.target))
                elif link := _link(mark, text, places):
                    links.append(link)
            block_id = _block_id(leaf, text.text)
            if block_id and not (comments and comments.hides(text.character(block_id.start()))):
                byte = places.byte(text.character(block_id.start()))
                block_ids.setdefault(block_id[1], (places.section(byte), places.line(byte)))
    return Inline(tuple(links), tuple(tags), block_ids)


def texts(leaf: Leaf, piece: str, *, plain: bool = False) -> Iterator[Text]:
    """The texts of a leaf, which is `piece`: a table's cells, or all of it; `plain` also cells without marks."""
    if leaf.kind == "row":
        for cell in _CELL.finditer(piece):
            if plain or _WORTH_A_LOOK.search(cell[0]):
                yield Text(cell[0], (0,), (leaf.start + cell.start(),))
    elif leaf.segments is None:
        yield Text(piece, (0,), (leaf.start,))
    else:
        lines = [piece[start - leaf.start : end - leaf.start] for start, end in leaf.segments]
        begins = tuple(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        yield Text("\n".join(lines), begins, tuple(start for start, _ in leaf.segments))


def _marks(leaf: Leaf, text: str, references: dict[str, str]) -> list[Mark]:
    return scan_html(text) if leaf.kind == "html" else scan(text, references)


class Comments:
    """What `%%` hides: all up to the next `%%` of the same block.

    Over several blocks a comment reaches only from a mark that begins its line to a next one that ends its line: the
    percent signs of prose and of diagrams hide nothing.
    """

    def __init__(self, body: str, blocks: Blocks) -> None:
        marks = [mark for leaf in blocks.leaves if leaf.kind != "html" for mark in self._marks(body, leaf, blocks)]
        self._begins: list[int] = []
        self._ends: list[int] = []
        position = 0
        while position + 1 < len(marks):
            (block, begin, begins_line, _), (other, end, _, ends_line) = marks[position : position + 2]
            if block == other or (begins_line and ends_line):
                self._begins.append(begin)
                self._ends.append(end)
                position += 1
            position += 1

    @staticmethod
    def _marks(body: str, leaf: Leaf, blocks: Blocks) -> Iterator[tuple[int, int, bool, bool]]:
        """Block, place, and whether a line begins or ends there, of each mark."""
        piece = body[leaf.start : leaf.end]
        if "%%" not in piece:
            return
        for text in texts(leaf, piece):
            for mark in scan(text.text, blocks.references):
                if mark.kind == "comment":
                    line = text.text.rfind("\n", 0, mark.start) + 1
                    begins_line = text.text[line : mark.start].isspace() or line == mark.start
                    ends_line = _ENDS_LINE.match(text.text, mark.end) is not None
                    yield leaf.start, text.character(mark.start), begins_line, ends_line

    def hides(self, character: int) -> bool:
        """Whether a character of the parsed text lies in a comment."""
        found = bisect_right(self._begins, character) - 1
        return found >= 0 and character < self._ends[found]


def _link(mark: Mark, text: Text, places: Places) -> Link | None:
    wiki = mark.kind in ("wikilink", "embed")
    parts = wiki_parts(mark.target) if wiki else destination_parts(unescaped(mark.target))
    if parts is None:
        return None
    name, fragment = parts
    start = places.byte(text.character(mark.start))
    kind: LinkKind = "wikilink" if mark.kind == "wikilink" else "markdown" if mark.kind == "markdown" else "embed"
    return Link(
        kind=kind,
        raw_target=readable(mark.target),
        file_part=readable(name),
        fragment=None if fragment is None else readable(fragment),
        text=readable(mark.text) if mark.text else None,
        # A link ends in a bracket: one byte.
        byte_range=ByteRange(start=start, end=places.byte(text.character(mark.end - 1)) + 1),
        line=places.line(start),
        section=places.section(start),
    )


def wiki_parts(target: str) -> tuple[str, str | None]:
    """File part and fragment of what stands between a wikilink's brackets, before the first `|`."""
    name, mark, fragment = target.removesuffix("\\").partition("#")
    return name.strip(), fragment.strip() if mark else None


def destination_parts(destination: str) -> tuple[str, str | None] | None:
    """File part and fragment of a Markdown link's destination, its escapes resolved; None where it leads elsewhere."""
    if not destination.strip() or _SCHEME.match(destination):
        return None
    name, mark, fragment = destination.partition("#")
    return unquote(name, errors="replace").strip(), unquote(fragment, errors="replace").strip() if mark else None


def _block_id(leaf: Leaf, text: str) -> re.Match[str] | None:
    position = text.rfind("^")
    if leaf.kind != "text" or position < 0 or not (position == 0 or text[position - 1].isspace()):
        return None
    return _BLOCK_ID.match(text, position)
