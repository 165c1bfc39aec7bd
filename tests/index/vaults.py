"""Vaults for tests of the index, and an index's content without what depends on its history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_kb.errors import NoteUnreadableError
from jupyter_kb.events import EventBus
from jupyter_kb.index.database import Database
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.index.terms import term_id
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault


class FaultyVault(Vault):
    """A vault of which the disk refuses to read the notes in `refused` (as root, permissions would not)."""

    def __init__(self, root: Path, settings: Settings) -> None:
        super().__init__(root, settings)
        self.refused: set[str] = set()

    def read(self, file: str, *, suggest: bool = True) -> bytes:
        if file in self.refused:
            raise NoteUnreadableError(f"file '{file}' could not be read: Input/output error") from OSError(
                5, "Input/output error"
            )
        return super().read(file, suggest=suggest)


class IndexedVault:
    """A vault with its index."""

    def __init__(
        self,
        root: Path,
        *,
        database: Path | None = None,
        settings: Settings | None = None,
        refused: set[str] | None = None,
    ) -> None:
        self.root = root
        self.settings = settings or Settings()
        self.vault = FaultyVault(root, self.settings)
        self.vault.refused = refused if refused is not None else set()
        self.database = Database(database)
        self.bus = EventBus()
        self.indexer = Indexer(self.vault, self.database, self.bus, self.settings)

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files, as any editor would."""
        for key, content in files.items():
            path = self.root / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()


@contextmanager
def indexed(root: Path, files: dict[str, str | bytes] | None = None, **options: Any) -> Iterator[IndexedVault]:
    """A vault of these files, scanned."""
    root.mkdir(exist_ok=True)
    vault = IndexedVault(root, **options)
    try:
        vault.write(files or {})
        vault.indexer.scan()
        yield vault
    finally:
        vault.close()


_CONTENT = {
    "notes": "SELECT path, stem, stem_key, title, size, version, front_matter FROM notes",
    "sections": """
        SELECT path, file, note_title, ordinal, parent, level, heading, heading_path, start_byte, end_byte, own_start,
               own_end, start_line, end_line, own_start_line, own_end_line, content_hash, own_hash, text, length,
               section_id >> 24 = s.note_id AND section_id % (1 << 24) = ordinal
        FROM sections s JOIN notes USING (note_id)
    """,
    "postings": """
        SELECT path, ordinal, term_id, p.heading, context, body, names, p.length
        FROM postings p JOIN sections USING (section_id) JOIN notes USING (note_id)
    """,
    "words": "SELECT path, word_id FROM words JOIN notes USING (note_id)",
    "tags": "SELECT path, tag, tag_key FROM tags JOIN notes USING (note_id)",
    "aliases": "SELECT path, alias, alias_key FROM aliases JOIN notes USING (note_id)",
    "properties": "SELECT path, field, value FROM properties JOIN notes USING (note_id)",
    "links": """
        SELECT path, ordinal, position, line, start_byte, end_byte, kind, raw_target, file_part, fragment, text,
               target_key
        FROM links JOIN notes USING (note_id)
    """,
    "block_ids": "SELECT path, block_id, ordinal, line FROM block_ids JOIN notes USING (note_id)",
    "diagnostics": "SELECT path, kind, message, line, hint FROM diagnostics",
}


def content(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in the index, without numbers, time stamps and order: equal for equal vaults."""
    dump = {table: sorted(database.query(sql), key=repr) for table, sql in _CONTENT.items()}
    written = {word for _, word in dump["words"]}
    terms = database.query("SELECT term, term_id FROM terms ORDER BY term")
    dump["terms"] = [row for row in terms if term_id(row[0]) in written]
    # rows without a note or section would not show up in the joins
    dump["counts"] = [(table, database.query(f"SELECT count(*) FROM {table}")[0][0]) for table in _CONTENT]
    return dump
