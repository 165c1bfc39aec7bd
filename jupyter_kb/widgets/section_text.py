"""The text of a section as an editor holds it, and how it gets back into the note."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from jupyter_kb.errors import ConflictError
from jupyter_kb.magics.places import split_heading
from jupyter_kb.magics.writing import write
from jupyter_kb.models import SectionRef
from jupyter_kb.render.lines import visible_lines

if TYPE_CHECKING:
    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import SectionContent
    from jupyter_kb.operations import Operations

_MOST_LINES = 2_000


@dataclass(frozen=True, kw_only=True)
class Text:
    """A section as it was read: `head` is its heading with the blank lines below it, `below` the rest; LF only.

    `exact` is false where a text field could not give back what stands in the note.
    """

    reference: SectionRef
    content: SectionContent
    head: str
    below: str
    exact: bool = True

    @classmethod
    def of(cls, content: SectionContent, reference: SectionRef) -> Text:
        """A section's content, taken apart."""
        head, below = (part.replace("\r\n", "\n") for part in split_heading(content))
        start = len(below) - len(below.lstrip("\n")) if head else 0
        head, below = head + below[:start], below[start:].rstrip("\n")
        safe = visible_lines(below)
        return cls(reference=reference, content=content, head=visible_lines(head), below=safe, exact=safe == below)


def read_text(kb: Operations, reference: SectionRef) -> Text:
    """A section as it is now; the reference that comes with it has the whole heading path."""
    content = kb.get_section(reference)
    if reference.heading_path:
        reference = SectionRef(file=content.file, heading_path=content.heading_path)
    return Text.of(content, reference)


def save_text(session: Session, base: Text, text: str) -> Text:
    """Put a text below the heading, if the section is as `base` has it, and read what then stands there.

    Where exactly this text stands there already it counts as saved: an earlier answer may have been lost.

    Raises
    ------
    ConflictError : the section changed; nothing was written.
    """
    try:
        write(session, base.reference, base.content.content_hash, text, operation="replace", dry_run=False)
    except ConflictError:
        now = read_text(session.kb, base.reference)
        if now.below.strip() != text.strip():
            raise
    now = read_text(session.kb, base.reference)
    # As it was typed, so that blank lines at the end are no unsaved change.
    return Text(reference=now.reference, content=now.content, head=now.head, below=text)


def sides(theirs: str, mine: str) -> list[list[object]]:
    """Two texts line against line: theirs, mine (None where one has no such line), and whether they are the same."""
    left, right = theirs.rstrip("\n").split("\n")[:_MOST_LINES], mine.rstrip("\n").split("\n")[:_MOST_LINES]
    rows: list[list[object]] = []
    for tag, old, old_end, new, new_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        rows += [
            [
                left[old + at] if old + at < old_end else None,
                right[new + at] if new + at < new_end else None,
                tag == "equal",
            ]
            for at in range(max(old_end - old, new_end - new))
        ]
    return rows


def changed_at(content: SectionContent) -> str:
    """When the note of a section was changed last, as the clock on the wall showed it; empty where nobody knows."""
    return clock(content.modified) if content.modified else ""


def clock(moment: float | None = None) -> str:
    """A moment (seconds since 1970; None is now) as the clock on the wall shows it."""
    return (datetime.now() if moment is None else datetime.fromtimestamp(moment)).strftime("%H:%M")
