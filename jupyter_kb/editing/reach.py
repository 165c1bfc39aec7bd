"""What an operation may touch: a range of bytes, and which sections must come through it unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_kb.markdown.document import Document, Section
from jupyter_kb.models import Operation

INSERTS = ("insert_before", "insert_after", "insert_child")
_WHITE_SPACE = b" \t\r\n"


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What an operation may touch.

    Bytes `start` to `end` of the old file may be replaced by anything; the first `sections_before` and the last
    `sections_after` sections stay. `renumbers`: equal headings further down may get another `[n]`, sub-sections another
    path.
    """

    start: int
    end: int
    sections_before: int
    sections_after: int
    renumbers: bool = False


def reach(document: Document, section: Section, operation: Operation, *, own: bool) -> Reach:
    """What `operation` may touch; `own` where the hash covers the section's own text only."""
    count = len(document.sections)
    here = section.ordinal
    behind = here + 1 + _descendants(document, section)
    end, end_ordinal = (section.own_end, here + 1) if own else (section.end, behind)
    if operation == "replace":
        kept = here + 1 if section.level else here
        return Reach(
            start=section.heading_end,
            end=end,
            sections_before=kept,
            sections_after=count - end_ordinal,
        )
    if operation == "append":
        return Reach(start=end, end=end, sections_before=end_ordinal, sections_after=count - end_ordinal)
    if operation == "prepend":
        gap = _behind_white_space(document.data, section.heading_end, section.own_end)
        return Reach(start=section.heading_end, end=gap, sections_before=here + 1, sections_after=count - here - 1)
    if operation == "rewrite":
        return Reach(
            start=section.start,
            end=end,
            sections_before=here,
            sections_after=count - end_ordinal,
            renumbers=True,
        )
    if operation == "rename":
        return Reach(
            start=section.start,
            end=section.heading_end,
            sections_before=here,
            sections_after=count - here - 1,
            renumbers=True,
        )
    if operation == "delete":
        return Reach(
            start=len(document.data[: section.span_start].rstrip(_WHITE_SPACE)),
            end=_behind_white_space(document.data, section.end, len(document.data)),
            sections_before=here,
            sections_after=count - behind,
            renumbers=True,
        )
    if operation == "insert_before":
        start = section.span_start
        return Reach(start=start, end=start, sections_before=here, sections_after=count - here, renumbers=True)
    return Reach(
        start=section.end, end=section.end, sections_before=behind, sections_after=count - behind, renumbers=True
    )


def _descendants(document: Document, section: Section) -> int:
    return sum(1 + _descendants(document, document.sections[child]) for child in section.children)


def _behind_white_space(data: bytes, start: int, end: int) -> int:
    return end - len(data[start:end].lstrip(_WHITE_SPACE))
