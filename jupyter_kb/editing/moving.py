"""Moving a section within its note: the plan, and the proof that nothing else changed."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_kb.errors import InvalidRequestError, UnverifiedEditError
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.moving import move_section, subtree, with_level
from jupyter_kb.models import SectionEdit


@dataclass(frozen=True, kw_only=True)
class Move:
    """The note after a move; `places` holds for each section of the old note its ordinal in the new one."""

    after: Document
    section: Section
    places: tuple[int, ...]


def plan_move(before: Document, section: Section, edit: SectionEdit, name: str) -> Move:
    """Move a section beside another one of its note.

    Raises
    ------
    SectionNotFoundError, AmbiguousSectionError : the target. InvalidRequestError : see `move_section`.
    UnverifiedEditError : the result would have changed something else.
    """
    if edit.target is None:
        raise InvalidRequestError("'move' needs a target")
    target = before.find(edit.target)
    data, ordinal = move_section(before, section, target, before=edit.place == "before")
    if data == before.data:
        return Move(after=before, section=section, places=tuple(range(len(before.sections))))
    moving = subtree(before, section)
    inside = {inner.ordinal for inner in moving}
    others = [other for other in before.sections if other.ordinal not in inside]
    order = [*others[:ordinal], *moving, *others[ordinal:]]
    after = parse(data)
    _verify(before, after, order, moving, target.level - section.level, name)
    moved = after.sections[ordinal]
    _verify_bytes_around(before, section, after, moved, name)
    new = {old.ordinal: number for number, old in enumerate(order)}
    if moved.parent != (None if target.parent is None else new[target.parent]):
        raise _elsewhere(name)
    return Move(after=after, section=moved, places=tuple(new[number] for number in range(len(order))))


def _verify(
    before: Document, after: Document, order: list[Section], moving: list[Section], shift: int, name: str
) -> None:
    """Every section is there, in the new order, byte for byte but for the levels of those that moved."""
    if len(after.sections) != len(order):
        raise _elsewhere(name)
    moved = {section.ordinal for section in moving}
    for old, new in zip(order, after.sections, strict=True):
        heading = before.data[old.start : old.heading_end]
        level = old.level
        if old.ordinal in moved and shift:
            heading, level = with_level(heading, shift), level + shift
        text = heading + before.data[old.heading_end : old.own_end]
        if (level, old.heading, text) != (new.level, new.heading, after.content(new, children=False)):
            raise _elsewhere(name)
    if before.blocks.references != after.blocks.references:  # of two with one name, the first defines
        raise _elsewhere(name)


def _verify_bytes_around(before: Document, section: Section, after: Document, moved: Section, name: str) -> None:
    old, new = before.data, after.data
    # Which blank lines are whose is a matter of the joints; all else keeps its order.
    left = (old[: section.span_start] + old[section.end :]).split()
    if left != (new[: moved.span_start] + new[moved.end :]).split():
        raise _elsewhere(name)
    front = before.front_matter.byte_range if before.front_matter else None
    if (after.front_matter.byte_range if after.front_matter else None) != front:
        raise _elsewhere(name)


def _elsewhere(name: str) -> UnverifiedEditError:
    return UnverifiedEditError(
        f"moving '{name}' would change other sections (for example by merging into an adjacent one);"
        " edit rejected, file unmodified",
        hint="look for a code fence or HTML comment that is never closed in it or in its neighbours",
    )
