"""Notes into the index and out of it: the rows that one parsed note gives, written many notes at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from blake3 import blake3

from jupyter_kb.index import links
from jupyter_kb.index.database import column
from jupyter_kb.index.links import fold, name_key
from jupyter_kb.index.postings import BODY, CONTEXT, HEADING, NAMES
from jupyter_kb.index.terms import tokens
from jupyter_kb.markdown.lines import readable

if TYPE_CHECKING:
    from jupyter_kb.index.database import Columns, Database
    from jupyter_kb.index.postings import Postings
    from jupyter_kb.markdown.document import Document
    from jupyter_kb.models import Diagnostic
    from jupyter_kb.vault.vault import FileStat

ORDINAL_BITS = 24
"""section_id = note_id << ORDINAL_BITS | ordinal."""

INODE_MASK = 0x7FFF_FFFF_FFFF_FFFF
"""Some file systems number files beyond what a signed column holds."""

STAND_IN = -1
"""Level of the row that stands for a note without sections."""

_INT, _TEXT, _NULLABLE = "q", "text", "O"
_COLUMNS: dict[str, dict[str, str]] = {
    "notes": {
        "note_id": _INT,
        "path": _TEXT,
        "stem": _TEXT,
        "stem_key": _TEXT,
        "title": _TEXT,
        "size": _INT,
        "mtime_ns": _INT,
        "ctime_ns": _INT,
        "inode": _INT,
        "checked_ns": _INT,
        "version": _TEXT,
        "front_matter": _NULLABLE,
    },
    "sections": {
        "section_id": _INT,
        "note_id": _INT,
        "file": _TEXT,
        "note_title": _TEXT,
        "ordinal": _INT,
        "parent": _NULLABLE,
        "level": _INT,
        "heading": _TEXT,
        "heading_path": _TEXT,
        "start_byte": _INT,
        "end_byte": _INT,
        "own_start": _INT,
        "own_end": _INT,
        "start_line": _INT,
        "end_line": _INT,
        "own_start_line": _INT,
        "own_end_line": _INT,
        "content_hash": _TEXT,
        "own_hash": _TEXT,
        "text": _TEXT,
    },
    "tags": {"note_id": _INT, "tag": _TEXT, "tag_key": _TEXT},
    "aliases": {"note_id": _INT, "alias": _TEXT, "alias_key": _TEXT},
    "properties": {"note_id": _INT, "field": _TEXT, "value": _TEXT},
    "links": dict.fromkeys(links.COLUMNS, _INT)
    | dict.fromkeys(("kind", "raw_target", "file_part", "target_key"), _TEXT)
    | dict.fromkeys(("ordinal", "fragment", "text"), _NULLABLE),
    "block_ids": {"note_id": _INT, "block_id": _TEXT, "ordinal": _NULLABLE, "line": _INT},
    "diagnostics": {"path": _TEXT, "kind": _TEXT, "message": _TEXT, "line": _NULLABLE, "hint": _NULLABLE},
}

_NAMED_ELSEWHERE = {"title", "tags", "tag", "aliases", "alias"}
_LONGEST_NAMES = 2_000
_LONGEST_CONTAINER = 2_000
_DEEPEST_CONTAINER = 4


class NoteRows:
    """Rows of some notes, gathered to be written together."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._rows: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)

    def add(self, note_id: int, stat: FileStat, checked_ns: int, version: str, document: Document) -> None:
        """Gather the rows of one note, as it was read at `checked_ns` (nanoseconds of the clock)."""
        rows = self._rows
        path = stat.key
        name = path.rpartition("/")[2]
        stem = name[:-3]
        title = readable(document.title(stem))
        front_matter = document.front_matter.values if document.front_matter else {}
        tags = document.tags
        aliases = document.aliases
        rows["notes"].append(
            (
                note_id,
                path,
                stem if name.endswith(".md") else name,
                name_key(path),
                title,
                stat.size,
                stat.mtime_ns,
                stat.ctime_ns,
                stat.inode & INODE_MASK,
                checked_ns,
                version,
                json.dumps(front_matter, ensure_ascii=False) if front_matter else None,
            )
        )
        rows["tags"] += [(note_id, tag, fold(tag)) for tag in tags]
        rows["aliases"] += [(note_id, alias, fold(alias)) for alias in aliases]
        rows["properties"] += [(note_id, field, value) for field, value in properties(front_matter)]
        rows["links"] += links.rows(note_id, document.links)
        rows["block_ids"] += [
            (note_id, block_id, ordinal, line) for block_id, (ordinal, line) in document.block_ids.items()
        ]
        rows["diagnostics"] += [(path, *finding) for finding in document.diagnostics]
        self._add_sections(note_id, path, document, title, " ".join(_names(stem, title, tags, aliases, front_matter)))

    def _add_sections(self, note_id: int, path: str, document: Document, title: str, names: str) -> None:
        base = note_id << ORDINAL_BITS
        rows = self._rows["sections"]
        postings = self._postings
        if not document.sections:
            rows.append(_stand_in(base, note_id, path, title, document))
            postings.add(base, ((CONTEXT, tokens(title.encode())), (NAMES, tokens(names.encode()))))
            return
        line_at = document.lines.line_at
        data = document.data
        of_title = tokens(title.encode())
        headed = any(section.heading == title for section in document.sections)
        above: list[list[bytes]] = []  # for each section, tokens of the headings above it and of its own
        for section in document.sections:
            ordinal, parent, heading = section.ordinal, section.parent, section.heading
            start, own_end, end = section.start, section.own_end, section.end
            first_line = line_at(start)
            own_last_line = line_at(max(own_end - 1, start))
            text = document.own_text(section)
            # computed here, and not asked of the section: its properties are cached under a lock
            content_hash = blake3(data[start:end]).hexdigest()
            rows.append(
                (
                    base | ordinal,
                    note_id,
                    path,
                    title,
                    ordinal,
                    parent,
                    section.level,
                    heading,
                    section.heading_path,
                    start,
                    end,
                    start,
                    own_end,
                    first_line,
                    own_last_line if end == own_end else line_at(end - 1),
                    first_line,
                    own_last_line,
                    content_hash,
                    content_hash if own_end == end else blake3(data[start:own_end]).hexdigest(),
                    text,
                )
            )
            of_heading = tokens(heading.encode()) if section.level else []  # a preamble's name is ours
            context = above[parent] if parent is not None else [] if heading == title else of_title
            above.append(context + of_heading)
            fields = [(HEADING, of_heading), (CONTEXT, context), (BODY, tokens(text.encode()))]
            if not ordinal:
                # a title that is no heading of the note is the heading of its beginning
                fields += [(NAMES, tokens(names.encode())), (HEADING, [] if headed else of_title)]
            postings.add(base | ordinal, fields)

    def columns(self) -> dict[str, Columns]:
        """What was gathered, as columns a table."""
        tables, lengths = self._postings.columns([row[1] for row in self._rows["sections"]])
        for table, kinds in _COLUMNS.items():
            tables[table] = _columns(kinds, self._rows[table])
        tables["sections"]["length"] = lengths
        return tables


def remove(database: Database, note_ids: Sequence[int], paths: Sequence[str]) -> None:
    """Take notes out of every table; call it inside a transaction. `paths` names whose diagnostics go too."""
    if note_ids:
        given = [list(note_ids)]
        database.execute(
            f"DELETE FROM postings WHERE section_id >> {ORDINAL_BITS} IN (SELECT unnest(?::BIGINT[]))", given
        )
        for table in ("words", "chunks", "chunked", *_COLUMNS):
            if table != "diagnostics":
                database.execute(f"DELETE FROM {table} WHERE note_id IN (SELECT unnest(?::INTEGER[]))", given)
    if paths:
        database.execute("DELETE FROM diagnostics WHERE path IN (SELECT unnest(?::VARCHAR[]))", [list(paths)])


def sections_of(database: Database, note_ids: Iterable[int]) -> dict[int, list[tuple[int, int | None, str, str]]]:
    """Of each note its sections in order: ordinal, the parent's ordinal, heading path, content hash."""
    found: dict[int, list[tuple[int, int | None, str, str]]] = {note_id: [] for note_id in note_ids}
    for note_id, ordinal, parent, heading_path, content_hash in database.query(
        "SELECT note_id, ordinal, parent, heading_path, content_hash FROM sections"
        " WHERE note_id IN (SELECT unnest(?::INTEGER[])) AND level >= 0 ORDER BY section_id",
        [list(found)],
    ):
        found[note_id].append((ordinal, parent, heading_path, content_hash))
    return found


def write_diagnostics(database: Database, found: Iterable[Diagnostic]) -> None:
    """Append diagnostics of notes that could not be read."""
    rows = [(entry.file, entry.kind, entry.message, entry.line, entry.hint) for entry in found]
    database.insert("diagnostics", _columns(_COLUMNS["diagnostics"], rows))


def properties(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Front matter as (field, value) pairs: each scalar, each item of a list, and lists and mappings whole as JSON.

    Lists and mappings that are very large, or lie very deep, are there by their scalars only.
    """
    waiting = [(name, value, 0) for name, value in reversed(values.items())]
    while waiting:
        field, value, depth = waiting.pop()
        if isinstance(value, dict | list) and depth < _DEEPEST_CONTAINER:
            text = container_text(value)
            if len(text) <= _LONGEST_CONTAINER:
                yield field, text
        if isinstance(value, dict):
            waiting += [(f"{field}.{name}", inner, depth + 1) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(field, item, depth + 1) for item in reversed(value)]
        else:
            yield field, scalar_text(value)


def container_text(value: Any) -> str:
    """A list or mapping as the table `properties` holds it."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def scalar_text(value: Any) -> str:
    """A scalar as the table `properties` holds it: text as it is, and the same text for 7, 7.0 and "7"."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _names(
    stem: str, title: str, tags: Iterable[str], aliases: Iterable[str], front_matter: dict[str, Any]
) -> Iterator[str]:
    if stem != title:
        yield stem
    yield from tags
    yield from aliases
    left = _LONGEST_NAMES
    for _, value in properties({k: v for k, v in front_matter.items() if k.lower() not in _NAMED_ELSEWHERE}):
        if value[:1] in "[{" or value in ("true", "false", "null"):
            continue
        left -= len(value) + 1
        if left < 0:
            return
        yield value


def _stand_in(base: int, note_id: int, path: str, title: str, document: Document) -> tuple[Any, ...]:
    size = len(document.data)
    digest = blake3(document.data).hexdigest()
    last = document.lines.line_at(max(size - 1, 0))
    return (
        base,
        note_id,
        path,
        title,
        0,
        None,
        STAND_IN,
        "",
        "",
        0,
        size,
        0,
        size,
        1,
        last,
        1,
        last,
        digest,
        digest,
        "",
    )


def _columns(kinds: dict[str, str], rows: list[tuple[Any, ...]]) -> Columns:
    values = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    return {
        name: np.array(value, dtype=np.int64) if kind == _INT else column(value)
        for (name, kind), value in zip(kinds.items(), values, strict=True)
    }
