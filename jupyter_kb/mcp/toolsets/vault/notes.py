"""Which note a request means, and outline nodes as JSON: what several tools of this toolset share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from jupyter_kb.errors import NoteNotFoundError
from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import SHORT_HASH, Budget, span
from jupyter_kb.mcp.tools import Payload, Shown
from jupyter_kb.models import OutlineNode

_T = TypeVar("_T")

HeadingPath = str | tuple[str, ...] | None

SCAN_WAIT = 10.0
"""Seconds that a call waits for a scan; then the answer covers what is indexed so far."""

FILE = "Note, as other tools give it"
HEADING_PATH = Shown(
    text="Heading path, or a unique end of it; string with ' > ' or array", schema={"type": ["string", "array"]}
)


def joined(heading_path: HeadingPath) -> str | None:
    """A heading path as one string; None where there is none."""
    return " > ".join(heading_path) if isinstance(heading_path, tuple) else heading_path or None


def with_note(call: Call, file: str, use: Callable[[str], _T]) -> _T:
    """Call `use` with the note's name; where there is no such note, with the one note that it can only mean.

    Forgiven are a missing `.md`, letter case and missing folders. The answer names the note that was used.
    """
    try:
        return use(file)
    except NoteNotFoundError:
        return use(call.operations.find_note(file))


def count(sections: Iterable[OutlineNode]) -> int:
    """How many sections there are, at all depths."""
    return sum(1 + count(section.children) for section in sections)


def nodes(sections: Iterable[OutlineNode], depth: int, *, hashes: bool = True) -> list[Payload]:
    """Outline nodes down to `depth` levels; `below` counts the sections not shown."""
    shown = []
    for section in sections:
        node: Payload = {
            "heading": section.heading,
            "level": section.level,
            "heading_path": section.heading_path,
            "line_range": span(section.line_range),
            "size": section.size,
        }
        if hashes:
            node["content_hash"] = section.content_hash[:SHORT_HASH]
        if section.children:
            if depth > 1:
                node["children"] = nodes(section.children, depth - 1, hashes=hashes)
            else:
                node["below"] = count(section.children)
        shown.append(node)
    return shown


def fitting_nodes(
    sections: Sequence[OutlineNode], depth: int, budget: Budget, *, hashes: bool = True
) -> tuple[list[Payload], int]:
    """The deepest outline that fits the budget, and how many sections of its first level had to be left out."""
    for levels in range(min(depth, 6), 0, -1):
        shown = nodes(sections, levels, hashes=hashes)
        if budget.take(shown):
            return shown, 0
    shown = budget.take_list(nodes(sections, 1, hashes=hashes))
    return shown, len(sections) - len(shown)
