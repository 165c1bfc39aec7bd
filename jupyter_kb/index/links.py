"""Links into the index as they are written, under a folded name by which their targets can be looked up."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_kb.markdown.links import Link

COLUMNS = (
    "note_id",
    "ordinal",
    "position",
    "line",
    "start_byte",
    "end_byte",
    "kind",
    "raw_target",
    "file_part",
    "fragment",
    "text",
    "target_key",
)


def fold(name: str) -> str:
    """A name as it is compared where case and Unicode composition do not matter."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def name_key(path: str) -> str:
    """The folded last segment of a path, without `.md` in any case."""
    segment = path.rpartition("/")[2]
    if segment[-3:].lower() == ".md":
        segment = segment[:-3]
    return fold(segment)


def rows(note_id: int, links: Iterable[Link]) -> Iterable[tuple[Any, ...]]:
    """Rows for the table `links`, in the order of `COLUMNS`."""
    for position, link in enumerate(links):
        yield (
            note_id,
            link.section,
            position,
            link.line,
            link.byte_range.start,
            link.byte_range.end,
            link.kind,
            link.raw_target,
            link.file_part,
            link.fragment,
            link.text,
            name_key(link.file_part),
        )
