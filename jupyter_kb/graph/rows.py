"""Links of the index as rows: as written, with their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_kb.errors import NoteNotFoundError
from jupyter_kb.graph.catalog import Catalog, Note, bare, name_keys
from jupyter_kb.graph.resolve import Syntax, WrittenLink
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.markdown.nearest import nearest
from jupyter_kb.models import ByteRange, LineRange, LinkKind, Provenance

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database


@dataclass(frozen=True, kw_only=True)
class LinkRow:
    """A link of the index, as written, with its place: bytes `start:end` and `line` of the source note."""

    link: WrittenLink
    ordinal: int | None
    position: int
    line: int
    start: int
    end: int

    @property
    def section_id(self) -> int | None:
        """The deepest section that holds the link; None outside every section."""
        return None if self.ordinal is None else self.link.source.note_id << ORDINAL_BITS | self.ordinal


_ROWS = """
    SELECT l.note_id, n.path, n.stem, l.kind, l.raw_target, l.file_part, l.fragment, l.text,
           l.ordinal, l.position, l.line, l.start_byte, l.end_byte
    FROM links l JOIN notes n USING (note_id)
"""
_PLACES = """
    SELECT section_id, heading_path, start_byte, end_byte, start_line, end_line, content_hash
    FROM sections WHERE section_id IN (SELECT unnest(?::BIGINT[]))
"""


def link_rows(
    database: Database, condition: str, parameters: Sequence[object] | Mapping[str, object] = ()
) -> list[LinkRow]:
    """Links of the index that fulfil a condition on `l` (links) and `n` (notes)."""
    notes: dict[int, Note] = {}
    rows = []
    found = database.query(f"{_ROWS} WHERE {condition} ORDER BY n.path, l.position", parameters)
    for note_id, path, stem, kind, raw, file_part, fragment, text, ordinal, position, line, start, end in found:
        note = notes.get(note_id)
        if note is None:
            note = notes[note_id] = Note(note_id=note_id, path=path, stem=stem)
        link = WrittenLink(
            source=note,
            kind=kind,
            syntax=syntax_of(kind, raw, text, end - start),
            raw_target=raw,
            file_part=file_part,
            fragment=fragment,
        )
        rows.append(LinkRow(link=link, ordinal=ordinal, position=position, line=line, start=start, end=end))
    return rows


def provenances(database: Database, sections: Mapping[int, str]) -> dict[int, Provenance]:
    """Sections, given as section_id → path of the note, as provenance."""
    if not sections:
        return {}
    return {
        section: Provenance(
            file=sections[section],
            heading_path=heading_path,
            byte_range=ByteRange(start=start, end=end),
            line_range=LineRange(start=first, end=last),
            content_hash=content_hash,
        )
        for section, heading_path, start, end, first, last, content_hash in database.query(_PLACES, [list(sections)])
    }


def link_keys(names: Sequence[str]) -> list[str]:
    """Folded names under which links to something of these names stand in the index."""
    segments = [name.rpartition("/")[2] for name in names]
    return sorted({key for segment in segments for part in (segment, bare(segment)) for key in name_keys(part)})


def indexed_note(catalog: Catalog, file: str) -> Note:
    """The note of that path; NoteNotFoundError with near names when the index has none."""
    note = catalog.note(file)
    if note is None:
        suggestions = nearest(file, catalog.paths())
        raise NoteNotFoundError(
            f"file '{file}' is not indexed",
            hint=f"did you mean '{suggestions[0]}'?" if suggestions else None,
            suggestions=suggestions,
        )
    return note


def syntax_of(kind: LinkKind, raw_target: str, text: str | None, length: int) -> Syntax:
    """Whether an embed is `![[target|text]]` or `![text](target)`, by what its brackets add to its parts."""
    if kind != "embed":
        return "wiki" if kind == "wikilink" else "markdown"
    if text is None:
        return "either"
    parts = len(raw_target.encode("utf-8", "replace")) + len(text.encode("utf-8", "replace"))
    return "wiki" if length == parts + len("![[|]]") else "markdown"
