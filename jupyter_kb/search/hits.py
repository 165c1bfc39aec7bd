"""A found section as a person or a program sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_kb.index.notes import STAND_IN
from jupyter_kb.models import ByteRange, Hit, LineRange
from jupyter_kb.search.snippets import PASSAGE_LENGTH

if TYPE_CHECKING:
    from jupyter_kb.search.rows import SectionRow
    from jupyter_kb.search.snippets import Snippet


def hit(score: float, row: SectionRow, passage: str, snippet: Snippet) -> Hit:
    """A row as a hit."""
    return Hit(
        file=row.file,
        title=row.title,
        heading=row.heading,
        heading_path=row.heading_path,
        score=score,
        byte_range=ByteRange(start=row.start, end=row.end),
        line_range=LineRange(start=row.first_line, end=row.last_line),
        content_hash=row.content_hash,
        own_hash=row.own_hash,
        snippet=snippet.text,
        marks=snippet.marks,
        text=passage,
        complete=len(row.text) <= PASSAGE_LENGTH and row.level != STAND_IN,
    )
