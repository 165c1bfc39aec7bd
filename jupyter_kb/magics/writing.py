"""One guarded edit from a notebook, and the hash that guards the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_kb.magics.places import without_own_heading
from jupyter_kb.models import SectionEdit, SectionRef

if TYPE_CHECKING:
    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import EditResult, Operation, OutlineNode

_ACTOR = "notebook"
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t]|$)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Written:
    """What an edit did, and the hash of what this notebook now knows to stand there; None where it must look again."""

    result: EditResult
    next_hash: str | None


def write(
    session: Session, place: SectionRef, expected: str, body: str, *, operation: Operation, dry_run: bool
) -> Written:
    """Change a section if its hash is the `expected` one, and remember what stands there now.

    The section's own heading may stand above the new text. What was added to a section is not known to the next edit:
    whoever runs the same cell twice would add it twice.

    Raises
    ------
    ConflictError : the section has another hash; nothing was written.
    """
    now = session.kb.get_section(place)
    whole = now.content_hash.startswith(expected)
    result = session.kb.edit_section(
        SectionEdit(
            section=place,
            expected_hash=expected,
            operation=operation,
            body=without_own_heading(body, now) if operation == "replace" else body,
            dry_run=dry_run,
        ),
        actor=_ACTOR,
        reader=session.reader,
    )
    if not result.written:
        return Written(result=result, next_hash=None)
    known = None
    if operation == "replace" and (whole or not _HEADING.search(body)):
        known = result.content_hash if whole else _own_hash(result.sections, result.heading_path)
    session.replace(now.file, now.heading_path, known)
    return Written(result=result, next_hash=known)


def _own_hash(nodes: Sequence[OutlineNode], heading_path: str | None) -> str | None:
    return next((node.own_hash for node in _flat(nodes) if node.heading_path == heading_path), None)


def _flat(nodes: Sequence[OutlineNode]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _flat(node.children)
