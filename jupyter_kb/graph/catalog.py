"""What a link can point to: the names, aliases, headings and block ids of the vault, read from the index as needed.

A catalog keeps what it has read, so one is made for one question and thrown away; use it inside `Database.snapshot()`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_kb.index.links import fold, name_key

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database


@dataclass(frozen=True, kw_only=True)
class Note:
    """A note as links name it. `stem` is the last segment without a lower-case `.md`."""

    note_id: int
    path: str
    stem: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section as links name it; `parent` is an ordinal of the same note, `level` 0 the preamble, `line` its first."""

    ordinal: int
    parent: int | None
    level: int
    heading: str
    heading_path: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Block:
    """A `^id` mark and the deepest section that holds it (None outside every section)."""

    block_id: str
    heading_path: str | None


class Catalog:
    """The notes of one index. Lookups go by folded names; telling exact from near is left to the caller."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._named: defaultdict[str, list[Note]] = defaultdict(list)
        self._aliased: defaultdict[str, list[tuple[str, Note]]] = defaultdict(list)
        self._sections: defaultdict[int, list[Section]] = defaultdict(list)
        self._blocks: defaultdict[int, list[Block]] = defaultdict(list)
        self._asked: defaultdict[str, set[object]] = defaultdict(set)
        self._all_names = False

    # ── lookups ─────────────────────────────────────────────────────────────────────────────────

    def named(self, segment: str) -> list[Note]:
        """Notes whose last path segment is this one, with or without `.md`, in any case; in byte order of the paths."""
        keys = name_keys(segment)
        self.expect_names(keys)
        if len(keys) == 1:
            return self._named[keys[0]]
        return sorted((note for key in keys for note in self._named[key]), key=lambda note: note.path)

    def aliased(self, alias: str) -> list[tuple[str, Note]]:
        """(alias as written, note) of all notes that carry this alias in any case; in byte order of the paths."""
        key = fold(alias)
        self.expect_aliases([key])
        return self._aliased[key]

    def note(self, path: str) -> Note | None:
        """The note at exactly this path."""
        return next((note for note in self.named(path.rpartition("/")[2]) if note.path == path), None)

    def paths(self) -> list[str]:
        """The paths of all notes, in byte order."""
        return [path for (path,) in self._database.query("SELECT path FROM notes ORDER BY path")]

    def aliases(self, note: Note) -> list[str]:
        """The aliases of a note, as written."""
        return [
            alias for (alias,) in self._database.query("SELECT alias FROM aliases WHERE note_id = ?", [note.note_id])
        ]

    def sections(self, note: Note) -> list[Section]:
        """The note's sections in document order."""
        self.expect_sections([note.note_id])
        return self._sections[note.note_id]

    def blocks(self, note: Note) -> list[Block]:
        """The note's block ids in document order."""
        self.expect_sections([note.note_id])
        return self._blocks[note.note_id]

    # ── reading ahead, many at a time ───────────────────────────────────────────────────────────

    def load_names(self) -> None:
        """Read all names and aliases, for questions about the whole vault."""
        self._named.clear()
        self._aliased.clear()
        self._read_names("")
        self._read_aliases("")
        self._all_names = True

    def expect_names(self, keys: Iterable[str]) -> None:
        """Read the notes with these folded names."""
        if not self._all_names and (missing := self._missing("names", keys)):
            self._read_names("WHERE stem_key IN (SELECT unnest(?::VARCHAR[]))", missing)

    def expect_aliases(self, keys: Iterable[str]) -> None:
        """Read the notes with these folded aliases."""
        if not self._all_names and (missing := self._missing("aliases", keys)):
            self._read_aliases("WHERE alias_key IN (SELECT unnest(?::VARCHAR[]))", missing)

    def expect_sections(self, notes: Iterable[int]) -> None:
        """Read the headings and block ids of these notes."""
        if missing := self._missing("sections", notes):
            self._read_sections("WHERE note_id IN (SELECT unnest(?::INTEGER[]))", missing)

    def _missing(self, what: str, keys: Iterable[object]) -> list[object]:
        missing = [key for key in dict.fromkeys(keys) if key not in self._asked[what]]
        self._asked[what].update(missing)
        return missing

    def _read_names(self, where: str, *parameters: object) -> None:
        rows = self._database.query(
            f"SELECT note_id, path, stem, stem_key FROM notes {where} ORDER BY path", parameters
        )
        for note_id, path, stem, key in rows:
            self._named[key].append(Note(note_id=note_id, path=path, stem=stem))

    def _read_aliases(self, where: str, *parameters: object) -> None:
        rows = self._database.query(
            f"""SELECT alias, alias_key, note_id, path, stem FROM aliases JOIN notes USING (note_id) {where}
                ORDER BY path, alias""",
            parameters,
        )
        for alias, key, note_id, path, stem in rows:
            self._aliased[key].append((alias, Note(note_id=note_id, path=path, stem=stem)))

    def _read_sections(self, where: str, *parameters: object) -> None:
        rows = self._database.query(
            f"""SELECT note_id, ordinal, parent, level, heading, heading_path, start_line FROM sections {where}
                ORDER BY section_id""",
            parameters,
        )
        for note_id, ordinal, parent, level, heading, path, line in rows:
            if level >= 0:  # below stands a note without sections
                self._sections[note_id].append(
                    Section(ordinal=ordinal, parent=parent, level=level, heading=heading, heading_path=path, line=line)
                )
        rows = self._database.query(
            f"SELECT note_id, block_id, ordinal FROM block_ids {where} ORDER BY note_id, line", parameters
        )
        for note_id, block_id, ordinal in rows:
            path = None if ordinal is None else self._sections[note_id][ordinal].heading_path
            self._blocks[note_id].append(Block(block_id=block_id, heading_path=path))


def bare(name: str) -> str:
    """A name or path without the `.md` at its end, in any case."""
    return name[:-3] if name[-3:].lower() == ".md" else name


def name_keys(segment: str) -> list[str]:
    """The folded names that a last path segment may stand for: as it is, and without `.md`."""
    return list(dict.fromkeys((fold(segment), name_key(segment))))
