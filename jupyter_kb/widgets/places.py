"""Sections by name: the text by which widgets hand them to each other, which is what `%kb get` takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_kb.magics.commands import GET
from jupyter_kb.magics.grammar import parse, quoted
from jupyter_kb.models import Hit, LineRange, SectionRef
from jupyter_kb.render.lines import visible

if TYPE_CHECKING:
    from jupyter_kb.models import OutlineNode
    from jupyter_kb.operations import Operations


@dataclass(frozen=True, kw_only=True)
class Row:
    """A heading of an outline with its depth, from 0, and the text that names its section."""

    node: OutlineNode
    depth: int
    ref: str


def named(file: str, heading_path: str = "", line: int | None = None) -> str:
    """The text that names a section; with `line` by that, where a heading path would not say which."""
    if line is not None:
        return f"{quoted(file)} --line {line}"
    parts = [file, *heading_path.split(" > ")] if heading_path else [file]
    return " > ".join(map(quoted, parts))


def read_name(kb: Operations, text: str) -> SectionRef:
    """The section that a text names. Its note may be named in any way that `%kb` takes.

    Raises
    ------
    InvalidRequestError : it cannot be read. NoteNotFoundError : there is no such note.
    """
    arguments = parse(GET, text)
    return SectionRef(file=kb.find_note(arguments.note), heading_path=arguments.heading, line=arguments.get("line"))


def reference(hit: Hit) -> str:
    """The text that names a hit's section; an empty heading has no name but its line."""
    return named(hit.file, hit.heading_path, None if hit.heading_path else _first(hit.line_range))


def _first(lines: LineRange) -> int | None:
    return lines.start if lines.start > 1 else None


def rows(file: str, sections: Sequence[OutlineNode]) -> list[Row]:
    """The headings from the note's beginning to its end; what has the path of an earlier one is named by its line."""
    seen: set[str] = set()
    found = []
    for node, depth in _flat(sections, 0):
        again = node.heading_path in seen or not node.heading_path
        seen.add(node.heading_path)
        ref = named(file, node.heading_path, node.line_range.start if again else None)
        found.append(Row(node=node, depth=depth, ref=ref))
    return found


def _flat(nodes: Sequence[OutlineNode], depth: int) -> Iterator[tuple[OutlineNode, int]]:
    for node in nodes:
        yield node, depth
        yield from _flat(node.children, depth + 1)


def steps(file: str, title: str, heading_path: str) -> list[str]:
    """Where a section stands below the title of its note: the folder, then the headings."""
    headings = heading_path.split(" > ") if heading_path else []
    if headings and headings[0] == title:
        del headings[0]
    folder = file.rpartition("/")[0]
    return [visible(step) for step in ([folder] if folder else []) + headings]
