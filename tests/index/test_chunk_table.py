"""The table of chunks follows the notes, and costs nothing where nothing changed."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import patch

import pytest

from jupyter_kb.index import chunk_table, chunks
from jupyter_kb.index.chunk_table import pieces, refresh
from jupyter_kb.index.database import Database
from jupyter_kb.markdown.document import parse
from tests.index.vaults import indexed

LONG = "A sentence of five words. " * 100
NOTE = f"pre\n\n# Kite\n\n## Launch\n\n{LONG}\n\n## Landing\n\nSlowly.\n"


def rows(database: Database) -> list[tuple[str, str, str]]:
    """Path, context and text of each chunk, in order; checked against the keys."""
    found = database.query(
        "SELECT path, section_id, start, stop, key, position FROM chunks JOIN notes USING (note_id)"
        " ORDER BY path, section_id, position"
    )
    words = list(pieces(database, [row[1:4] for row in found]))
    assert [row[4] for row in found] == [chunks.key(*pair) for pair in words]
    return [(row[0], *pair) for row, pair in zip(found, words, strict=True)]


def test_each_section_is_cut_and_a_heading_alone_is_a_chunk(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", {"kite.md": NOTE}) as vault:
        assert refresh(vault.database) == 1
        found = rows(vault.database)
    long = [text for _, context, text in found if context == "Kite > Launch"]
    assert len(long) == 3
    assert " ".join(long) == LONG.strip()
    assert [row for row in found if row[1] != "Kite > Launch"] == [
        ("kite.md", "Kite", "pre"),  # the name of a preamble is not the note's
        ("kite.md", "Kite", ""),
        ("kite.md", "Kite > Landing", "Slowly."),
    ]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("", [("n.md", "n", "")]),
        ("---\ntitle: Kite\n---\n", [("n.md", "Kite", "")]),
        ("---\ntitle: Kite\n---\ntext\n", [("n.md", "Kite", "text")]),
        ("---\ntitle: Kite\n---\n# Flight\n", [("n.md", "Kite > Flight", "")]),
        ("#\n\nx\n", [("n.md", "n", "x")]),
    ],
)
def test_a_note_is_found_by_its_title(tmp_path: Path, note: str, expected: list[tuple[str, str, str]]) -> None:
    with indexed(tmp_path / "vault", {"n.md": note}) as vault:
        refresh(vault.database)
        assert rows(vault.database) == expected


def test_only_new_and_changed_notes_are_cut(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", {f"{n}.md": NOTE for n in range(5)}) as vault:
        assert refresh(vault.database) == 5
        generation = vault.database.generation
        with patch.object(vault.database, "query", side_effect=AssertionError("nothing to look for")):
            assert refresh(vault.database) == 0
        assert vault.database.generation == generation
        vault.write({"1.md": "# Other\n\nwords\n", "9.md": "nine\n"})
        (vault.root / "2.md").unlink()
        (vault.root / "3.md").rename(vault.root / "4a.md")
        vault.indexer.scan()
        assert refresh(vault.database) == 3
        found = rows(vault.database)
        assert [row for row in found if row[0] in ("1.md", "9.md")] == [
            ("1.md", "Other", "words"),
            ("9.md", "9", "nine"),
        ]
        assert {row[0] for row in found} == {"0.md", "1.md", "4.md", "4a.md", "9.md"}
        assert len(vault.database.query("SELECT * FROM chunked")) == 5


def test_what_was_cut_in_batches_and_by_several_threads_is_there_once(tmp_path: Path) -> None:
    with (
        patch.object(chunk_table, "BATCH_NOTES", 3),
        indexed(tmp_path / "vault", {f"{n:02}.md": NOTE for n in range(40)}) as vault,
    ):
        made: list[int] = []
        threads = [threading.Thread(target=lambda: made.append(refresh(vault.database))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(made) == 40
        assert len(rows(vault.database)) == 40 * 6


def test_who_reads_an_older_state_is_not_kept_waiting(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", {"a.md": NOTE}) as vault:
        with vault.database.snapshot():
            assert refresh(vault.database) == 1
            assert vault.database.query("SELECT * FROM chunks") == []
            assert refresh(vault.database) == 0
        vault.write({"b.md": NOTE})
        with vault.database.snapshot():
            vault.indexer.scan()
            assert refresh(vault.database) == 0, "b.md is not in the state that is read"
        assert refresh(vault.database) == 1


def test_chunks_outlive_reopening(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", {"a.md": NOTE}, database=tmp_path / "i.duckdb") as vault:
        refresh(vault.database)
        before = rows(vault.database)
    with Database(tmp_path / "i.duckdb") as database:
        assert refresh(database) == 0
        assert rows(database) == before


def test_a_chunk_has_its_bytes_in_the_note(tmp_path: Path) -> None:
    note = NOTE.replace("\n", "\r\n").encode() + b"\xff \xf0\x9f\x98\x80\r\n\r\nlast"
    with indexed(tmp_path / "vault", {"a.md": note}) as vault:
        refresh(vault.database)
        document = parse(note)
        for section, start, stop in vault.database.query("SELECT section_id, start, stop FROM chunks"):
            place, _ = document.own_place(document.sections[section & 0xFFFFFF], start, stop)
            ((_, text),) = pieces(vault.database, [(section, start, stop)])
            found = note[place.start : place.end].decode(errors="replace").replace("\r\n", "\n")
            assert found == (text or "# Kite")
