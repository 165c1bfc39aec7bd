"""The proof that an edit changed its section and nothing else, from a fresh parse of what would be written.

Three things are compared: the bytes outside the addressed range, the sections outside it with their places, and (but
for the structural rules, which say nothing of it) the text that people read: no line of the old or the new text may
have turned into code or a comment, or have grown together with a neighbour.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from jupyter_kb.editing.reach import INSERTS, Reach, reach
from jupyter_kb.errors import UnverifiedEditError
from jupyter_kb.markdown.blocks import Leaf
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.lines import decode
from jupyter_kb.models import Operation


def verify_skeleton(before: Document, after: Document, section: Section, name: str) -> None:
    """The structural rule: outside the replaced subtree the list of (path, level) is the same, at the same bytes.

    Places count too: a fence that is never closed may swallow a heading and expose another one of that name.

    Raises
    ------
    UnverifiedEditError
    """
    limits = reach(before, section, "replace", own=False)
    _verify_bytes(before, after, limits, name)
    old, new = before.sections, after.sections
    if len(new) < limits.sections_before + limits.sections_after:
        raise _outside(name)
    shift = len(after.data) - len(before.data)
    for mine, theirs in _kept(old, new, limits):
        start = mine.start + (shift if mine.ordinal >= limits.sections_before else 0)
        if (mine.heading_path, mine.level, start) != (theirs.heading_path, theirs.level, theirs.start):
            raise _outside(name)


def verify(
    before: Document,
    after: Document,
    limits: Reach,
    *,
    operation: Operation,
    level: int,
    body: Document | None,
    name: str,
) -> None:
    """That the edit did what it says and nothing else.

    `level` is that of the new section, else of the addressed one; `body` is the new text, parsed on its own.

    Raises
    ------
    UnverifiedEditError
    """
    inserted = _verify_bytes(before, after, limits, name)
    _verify_sections(before, after, limits, operation, level, name)
    if operation in ("replace", "append", "prepend", "rewrite") and body is not None:
        if _solid(inserted) != _solid(body.data):
            raise _outside(name)
    elif operation == "delete" and _solid(inserted):
        raise _outside(name)
    _verify_text(before, after, limits, operation, body, name)
    _verify_definitions(before, after, limits, body, name)


def _verify_bytes(before: Document, after: Document, limits: Reach, name: str) -> bytes:
    """What stands between the untouched bytes."""
    old, new = before.data, after.data
    behind = len(new) - (len(old) - limits.end)
    if behind < limits.start or new[: limits.start] != old[: limits.start] or new[behind:] != old[limits.end :]:
        raise _outside(name)
    front = before.front_matter.byte_range if before.front_matter else None
    if (after.front_matter.byte_range if after.front_matter else None) != front:
        raise _outside(name)
    return new[limits.start : behind]


def _verify_sections(
    before: Document, after: Document, limits: Reach, operation: Operation, level: int, name: str
) -> None:
    old, new = before.sections, after.sections
    more = len(new) - len(old)
    if len(new) < limits.sections_before + limits.sections_after:
        raise _outside(name)
    added = [found.level for found in new[limits.sections_before : len(new) - limits.sections_after]]
    if operation in ("rename", "delete"):
        fits = added == [level] * (operation == "rename")
    elif operation in INSERTS or operation == "rewrite":
        fits = added[:1] == [level] and all(found > level for found in added[1:])
    else:
        fits = all(found > level for found in added) if level else added in ([], [0])
    if not fits:
        raise _outside(name)
    shift = len(after.data) - len(before.data)
    for mine, theirs in _kept(old, new, limits):
        is_behind = mine.ordinal >= limits.sections_before
        moved = shift if is_behind else 0
        # The text of the section that is written into ends elsewhere than before.
        grows = operation in ("replace", "append", "prepend") and mine.ordinal == limits.sections_before - 1
        parent = mine.parent
        if parent is not None and parent >= limits.sections_before:
            parent += more
        if (
            (mine.level, mine.heading, mine.start + moved, mine.heading_end + moved, parent)
            != (theirs.level, theirs.heading, theirs.start, theirs.heading_end, theirs.parent)
            or (mine.own_end + moved != theirs.own_end and not grows)
            or (mine.heading_path != theirs.heading_path and not limits.renumbers)
        ):
            raise _outside(name)


def _kept(old: Sequence[Section], new: Sequence[Section], limits: Reach) -> list[tuple[Section, Section]]:
    head, tail = limits.sections_before, limits.sections_after
    return [
        *zip(old[:head], new[:head], strict=True),
        *zip(old[len(old) - tail :], new[len(new) - tail :], strict=True),
    ]


# ── the text that people read ───────────────────────────────────────────────────────────────────


def _verify_text(
    before: Document, after: Document, limits: Reach, operation: Operation, body: Document | None, name: str
) -> None:
    head = _lines(before, until=limits.start)
    tail = _lines(before, since=limits.end)
    found = _lines(after)
    own = _lines(body) if body is not None else []
    new_heading = operation in ("rename", *INSERTS)
    middle = found[len(head) : len(found) - len(tail)]
    if new_heading:  # its text is verified as a section; here it is one leaf of its own
        own = [*middle[:1], *own]
    expected = [*head, *own, *tail]
    if len(expected) != len(found) or not all(map(_same_line, expected, found)):
        raise UnverifiedEditError(
            f"the new text would grow together with the text around it in section '{name}';"
            " edit rejected, file unmodified",
            hint="look for a code fence or comment that is never closed, or for indentation that continues a list",
        )


def _same_line(expected: tuple[str, bool, bool], found: tuple[str, bool, bool]) -> bool:
    text, begins, _ = expected
    # A line that continued a paragraph may have become the row of a table which the edit extends, never the reverse.
    return text == found[0] and (begins == found[1] or (not begins and found[2]))


def _lines(document: Document, *, since: int = 0, until: int | None = None) -> list[tuple[str, bool, bool]]:
    """Lines of inline text between two byte offsets: stripped text, whether it begins a block, whether it is a row."""
    first = _character(document, since)
    last = len(document.body) if until is None else _character(document, until)
    lines: list[tuple[str, bool, bool]] = []
    for leaf in document.blocks.leaves:
        if first <= leaf.start < last:
            begins = True
            for line in _leaf_lines(document.body, leaf):
                if line:
                    lines.append((line, begins, leaf.kind == "row"))
                    begins = False
    return lines


def _leaf_lines(text: str, leaf: Leaf) -> list[str]:
    if leaf.segments is None:
        return [line.strip() for line in text[leaf.start : leaf.end].split("\n")]
    return [text[start:end].strip() for start, end in leaf.segments]


def _character(document: Document, offset: int) -> int:
    """The place in `document.body` of a byte offset of the file."""
    line = bisect_right(document.body_starts, offset) - 1
    if line < 0:
        return 0
    start = document.body_starts[line]
    column = len(decode(document.data[start:offset]).rstrip("\r\n"))
    return min(document.blocks.line_starts[line] + column, len(document.body))


def _verify_definitions(before: Document, after: Document, limits: Reach, body: Document | None, name: str) -> None:
    """Link definitions outside the range still define; a fence that is never closed would swallow them unseen."""
    lost = before.blocks.references.keys() - after.blocks.references.keys()
    if lost - parse(b"\n" + before.data[limits.start : limits.end]).blocks.references.keys():
        raise _outside(name)
    if body is not None and body.blocks.references.keys() - after.blocks.references.keys():
        raise _outside(name)


# ── small parts ─────────────────────────────────────────────────────────────────────────────────


def _solid(data: bytes) -> bytes:
    return bytes(data).translate(None, b" \t\r\n\x0b\x0c")


def _outside(name: str) -> UnverifiedEditError:
    return UnverifiedEditError(
        f"the edit would change sections outside '{name}' (for example by merging into an adjacent section);"
        " edit rejected, file unmodified",
        hint="look for a code fence or HTML comment that is never closed, in the new text or above it",
    )
