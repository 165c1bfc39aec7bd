"""Bringing the index up to date: what is counted, told, left out, and that nothing stops it half-way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.errors import VaultNotFoundError
from jupyter_kb.events import Event, IndexProgress, IndexUpdated
from jupyter_kb.index import indexer as module
from jupyter_kb.index.database import Database
from jupyter_kb.models import ScanResult
from jupyter_kb.settings import Settings
from tests.index.vaults import IndexedVault, content, indexed

FILES: dict[str, str | bytes] = {"a.md": "# A\n", "sub/b.md": "# B\n\n## C\n", "d.txt": "no note"}


def counts(result: ScanResult) -> tuple[int, int, int, int]:
    return result.added, result.changed, result.removed, result.unchanged


def notes(vault: IndexedVault) -> list[str]:
    return [path for (path,) in vault.database.query("SELECT path FROM notes ORDER BY path")]


def texts(vault: IndexedVault) -> list[str]:
    return [text for (text,) in vault.database.query("SELECT text FROM sections ORDER BY file, ordinal")]


@pytest.fixture
def fine_clock(monkeypatch: pytest.MonkeyPatch) -> int:
    """As if time stamps were known to be this fine, in nanoseconds: a test need not wait for seconds."""
    tick = 20_000_000
    monkeypatch.setattr(module, "_TICK_NS", tick)
    return tick


def make_old(vault: IndexedVault, tick: int) -> None:
    """Change all time stamps, and wait until they are trusted."""
    for path in vault.root.rglob("*.md"):
        os.utime(path, (1_000_000, 1_000_000))
    time.sleep(3 * tick / 1e9)


# ── scanning ────────────────────────────────────────────────────────────────────────────────────


def test_a_scan_counts_what_it_did(tmp_path: Path) -> None:
    with indexed(tmp_path / "v") as vault:
        vault.write(FILES)
        assert counts(vault.indexer.scan()) == (2, 0, 0, 0)
        assert counts(vault.indexer.scan()) == (0, 0, 0, 2)
        vault.write({"a.md": "# A2\n", "new.md": ""})
        (vault.root / "sub/b.md").unlink()
        assert counts(vault.indexer.scan()) == (1, 1, 1, 0)
        assert notes(vault) == ["a.md", "new.md"]
        assert vault.indexer.last_scan is not None
        assert vault.indexer.last_scan.endswith("+00:00")


def test_the_index_counts_what_it_holds(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {**FILES, "e.md": "---\n[\n---\n[[a]]\n", "empty.md": ""}) as vault:
        found = vault.indexer.counts()
        assert (found.notes, found.sections, found.links, found.diagnostics) == (4, 4, 1, 1)


def test_a_note_keeps_its_number_when_it_changes(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        before = vault.database.query("SELECT note_id FROM notes WHERE path = 'a.md'")
        vault.write({"a.md": "# other\n"})
        vault.indexer.scan()
        assert vault.database.query("SELECT note_id FROM notes WHERE path = 'a.md'") == before


def test_an_unchanged_vault_is_not_read_again(tmp_path: Path, fine_clock: int) -> None:
    database = tmp_path / "index.duckdb"
    with indexed(tmp_path / "v", FILES, database=database) as vault:
        make_old(vault, fine_clock)
        vault.indexer.scan()
    # whatever is read now would fail
    with indexed(tmp_path / "v", database=database, refused={"a.md", "sub/b.md"}) as vault:
        assert notes(vault) == ["a.md", "sub/b.md"]


def test_a_touched_note_is_read_and_not_indexed_again(tmp_path: Path, fine_clock: int) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        make_old(vault, fine_clock)
        generation = vault.database.query("SELECT mtime_ns FROM notes WHERE path = 'a.md'")
        assert counts(vault.indexer.scan()) == (0, 0, 0, 2)
        assert vault.database.query("SELECT mtime_ns FROM notes WHERE path = 'a.md'") != generation
        vault.vault.refused.add("a.md")
        assert counts(vault.indexer.scan()) == (0, 0, 0, 2)


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "one"}) as vault:
        stamp = (vault.root / "a.md").stat()
        (vault.root / "a.md").write_text("two")
        os.utime(vault.root / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        assert counts(vault.indexer.scan()) == (0, 1, 0, 0)
        assert texts(vault) == ["two"]


def test_a_change_that_restores_size_and_time_is_seen(tmp_path: Path, fine_clock: int) -> None:
    with indexed(tmp_path / "v", {"a.md": "one"}) as vault:
        make_old(vault, fine_clock)
        assert counts(vault.indexer.scan()) == (0, 0, 0, 1)
        before = (vault.root / "a.md").stat()
        (vault.root / "a.md").write_text("two")
        os.utime(vault.root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
        after = (vault.root / "a.md").stat()
        assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
        assert counts(vault.indexer.scan()) == (0, 1, 0, 0)
        assert texts(vault) == ["two"]


def test_two_notes_that_change_places_are_seen(tmp_path: Path, fine_clock: int) -> None:
    with indexed(tmp_path / "v", {"a.md": "one", "b.md": "two"}) as vault:
        make_old(vault, fine_clock)
        vault.indexer.scan()
        (vault.root / "a.md").rename(vault.root / "x")
        (vault.root / "b.md").rename(vault.root / "a.md")
        (vault.root / "x").rename(vault.root / "b.md")
        assert counts(vault.indexer.scan()) == (0, 2, 0, 0)
        assert texts(vault) == ["two", "one"]


def test_waiting_for_the_clock_does_not_write_again_and_again(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        generation = vault.database.generation
        vault.indexer.scan()  # all files are fresh, so they are read once more
        assert vault.database.generation == generation


def test_scanning_a_vault_that_is_gone_keeps_the_index(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        vault.root.rename(tmp_path / "away")
        with pytest.raises(VaultNotFoundError):
            vault.indexer.scan()
        assert notes(vault) == ["a.md", "sub/b.md"]
        (tmp_path / "away").rename(vault.root)
        assert counts(vault.indexer.scan()) == (0, 0, 0, 2)


def test_an_index_for_another_language_is_built_anew(tmp_path: Path) -> None:
    database = tmp_path / "index.duckdb"
    files: dict[str, str | bytes] = {"a.md": "Häuser running"}
    with indexed(tmp_path / "v", files, database=database) as vault:
        english = content(vault.database)
    with indexed(tmp_path / "v", database=database, settings=Settings(language="german")) as vault:
        assert vault.database.meta("language") == "german"
        assert content(vault.database) != english
    with indexed(tmp_path / "v", database=database) as vault:
        assert content(vault.database) == english


# ── notes that make trouble ─────────────────────────────────────────────────────────────────────


def diagnostics(vault: IndexedVault) -> list[Any]:
    return vault.database.query("SELECT path, kind, message FROM diagnostics ORDER BY path, message")


def test_an_unreadable_note_is_a_diagnostic_until_it_can_be_read(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES, refused={"a.md"}) as vault:
        problem = ("a.md", "unreadable-file", "failed to read Markdown file: Input/output error")
        assert (notes(vault), diagnostics(vault)) == (["sub/b.md"], [problem])
        generation = vault.database.generation
        assert counts(vault.indexer.scan()) == (0, 0, 0, 1)
        assert vault.database.generation == generation
        vault.vault.refused.clear()
        assert counts(vault.indexer.scan()) == (1, 0, 0, 1)
        assert (notes(vault), diagnostics(vault)) == (["a.md", "sub/b.md"], [])


def test_a_note_that_becomes_unreadable_leaves_the_index(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        vault.write({"a.md": "# changed\n"})
        vault.vault.refused.add("a.md")
        assert counts(vault.indexer.scan()) == (0, 0, 1, 1)
        assert [kind for _, kind, _ in diagnostics(vault)] == ["unreadable-file"]
        (vault.root / "a.md").unlink()
        vault.indexer.scan()
        assert diagnostics(vault) == []


def test_a_note_over_the_size_limit_is_a_diagnostic(tmp_path: Path, fine_clock: int) -> None:
    small, large = Settings(max_file_bytes=10), Settings(max_file_bytes=100)
    database = tmp_path / "index.duckdb"
    files: dict[str, str | bytes] = {"a.md": "x" * 10, "b.md": "x" * 11}
    with indexed(tmp_path / "v", files, settings=small, database=database) as vault:
        make_old(vault, fine_clock)
        vault.indexer.scan()
        assert notes(vault) == ["a.md"]
        assert [(path, kind) for path, kind, _ in diagnostics(vault)] == [("b.md", "file-too-large")]
    with indexed(tmp_path / "v", settings=large, database=database) as vault:
        assert (notes(vault), diagnostics(vault)) == (["a.md", "b.md"], [])
    with indexed(tmp_path / "v", settings=small, database=database) as vault:
        assert (notes(vault), len(diagnostics(vault))) == (["a.md"], 1)


def test_what_the_listing_leaves_out_is_a_diagnostic(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "", ".kbignore": "[z-a]\n"}) as vault:
        assert [path for path, _, _ in diagnostics(vault)] == [".kbignore"]
        generation = vault.database.generation
        vault.indexer.scan()
        assert vault.database.generation == generation
        (vault.root / ".kbignore").unlink()
        vault.indexer.scan()
        assert diagnostics(vault) == []


def test_diagnostics_of_a_note_go_when_it_is_mended(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "---\n[\n---\n"}) as vault:
        assert [kind for _, kind, _ in diagnostics(vault)] == ["front-matter"]
        vault.write({"a.md": "fine"})
        vault.indexer.update(["a.md"])
        assert diagnostics(vault) == []


def test_indexing_never_writes_into_the_vault(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        before = {path: (path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in vault.root.rglob("*")}
        vault.write({"a.md": "x"})
        vault.indexer.scan()
        vault.indexer.update(["a.md", "sub/b.md"])
        after = {path: (path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in vault.root.rglob("*")}
        assert after.keys() == before.keys()
        assert [path.name for path in after if after[path] != before[path]] == ["a.md"]


# ── single notes ────────────────────────────────────────────────────────────────────────────────


def test_an_update_takes_changed_new_and_deleted_notes(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES) as vault:
        vault.write({"a.md": "changed", "new.md": "new", "other.md": "not asked for"})
        (vault.root / "sub/b.md").unlink()
        vault.indexer.update(["a.md", "new.md", "sub/b.md", "never/was.md", "d.txt", "a.md"])
        assert notes(vault) == ["a.md", "new.md"]
        assert texts(vault) == ["changed", "new"]


def test_an_update_does_not_trust_time_stamps(tmp_path: Path, fine_clock: int) -> None:
    with indexed(tmp_path / "v", {"a.md": "one"}) as vault:
        make_old(vault, fine_clock)
        vault.indexer.scan()
        (vault.root / "a.md").write_text("two")
        make_old(vault, fine_clock)
        vault.indexer.update(["a.md"])
        assert texts(vault) == ["two"]


def test_an_update_keeps_the_diagnostics_of_others(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", FILES, refused={"a.md", "sub/b.md"}) as vault:
        (vault.root / "a.md").unlink()
        vault.indexer.update(["a.md"])
        assert [path for path, _, _ in diagnostics(vault)] == ["sub/b.md"]


# ── telling ─────────────────────────────────────────────────────────────────────────────────────


def test_progress_and_changes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fine_clock: int) -> None:
    monkeypatch.setattr(module, "BATCH_NOTES", 2)
    with indexed(tmp_path / "v") as vault:
        told: list[Event] = []
        vault.bus.subscribe(told.append)
        steps: list[tuple[int, int]] = []
        vault.write({f"{name}.md": name for name in "edcba"})
        vault.indexer.scan(lambda done, total: steps.append((done, total)))
        assert steps == [(0, 5), (2, 5), (4, 5), (5, 5)]
        assert told[:-1] == [IndexProgress(done=done, total=total) for done, total in steps]
        assert told[-1] == IndexUpdated(added=("a.md", "b.md", "c.md", "d.md", "e.md"), changed=(), removed=())
        told.clear()
        make_old(vault, fine_clock)
        vault.indexer.scan()
        told.clear()
        vault.indexer.scan(lambda done, total: steps.append((done, total)))
        assert told == []
        vault.write({"a.md": "new"})
        (vault.root / "b.md").unlink()
        vault.indexer.update(["a.md", "b.md"])
        assert told[-1] == IndexUpdated(added=(), changed=("a.md",), removed=("b.md",))


def test_a_scan_that_is_stopped_ends_after_its_batch_and_can_be_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH_NOTES", 2)
    database = tmp_path / "index.duckdb"
    with indexed(tmp_path / "v", database=database) as vault:
        vault.write({f"{name}.md": name for name in "abcde"})
        vault.indexer.scan(lambda done, _: vault.indexer.stop() if done >= 2 else None)
        assert notes(vault) == ["a.md", "b.md"]
        vault.indexer.scan()
        assert notes(vault) == ["a.md", "b.md"]
    with indexed(tmp_path / "v", database=database) as vault:
        assert notes(vault) == [f"{name}.md" for name in "abcde"]


def test_an_error_of_whoever_follows_leaves_a_sound_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_NOTES", 2)
    with indexed(tmp_path / "v") as vault:
        vault.write({f"{name}.md": f"{name} word" for name in "abcde"})

        def fail(done: int, _: int) -> None:
            if done == 4:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            vault.indexer.scan(fail)
        assert len(notes(vault)) == 4
        vault.indexer.scan()
        with indexed(vault.root) as fresh:
            assert content(vault.database) == content(fresh.database)


# ── crashes ─────────────────────────────────────────────────────────────────────────────────────

TABLES = ["notes", "sections", "postings", "terms", "links", "diagnostics"]


class TornDatabase(Database):
    """A database whose disk is full at the insert into one table."""

    broken_table: str | None = None

    def insert(self, table: str, columns: Any, **options: Any) -> None:
        if table == self.broken_table:
            raise OSError(28, "No space left on device")
        super().insert(table, columns, **options)


@pytest.mark.parametrize("table", TABLES)
def test_a_write_that_fails_leaves_the_state_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setattr("tests.index.vaults.Database", TornDatabase)
    with indexed(tmp_path / "v", {"a.md": "one", "b.md": "[[a]]"}) as vault:
        assert isinstance(vault.database, TornDatabase)
        before = content(vault.database)
        vault.write({"a.md": "---\n[\n---\n# A\n\nnovel [[b]]", "c.md": "word"})
        vault.database.broken_table = table
        with pytest.raises(OSError, match="No space"):
            vault.indexer.scan()
        assert content(vault.database) == before
        vault.database.broken_table = None
        vault.indexer.scan()
        with indexed(vault.root) as fresh:
            assert content(vault.database) == content(fresh.database)


def test_a_killed_process_leaves_whole_notes(tmp_path: Path) -> None:
    root, database = tmp_path / "v", tmp_path / "index.duckdb"
    with indexed(root) as vault:
        vault.write({f"{i:03}.md": f"# N{i}\n\nword{i} [[x]]\n" for i in range(40)})
    program = f"""
import os
from pathlib import Path
from jupyter_kb.index import indexer
from tests.index.vaults import IndexedVault
indexer.BATCH_NOTES = 7
vault = IndexedVault(Path({str(root)!r}), database=Path({str(database)!r}))
vault.indexer.scan(lambda done, total: os._exit(9) if done >= 21 else None)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    reopened = IndexedVault(root, database=database)
    try:
        assert len(notes(reopened)) == 21
        assert reopened.database.query("SELECT count(*) FROM postings")[0][0] > 0
        assert counts(reopened.indexer.scan()) == (19, 0, 0, 21)
        with indexed(root) as fresh:
            assert content(reopened.database) == content(fresh.database)
    finally:
        reopened.close()


# ── several at once ─────────────────────────────────────────────────────────────────────────────


def test_an_edit_during_a_scan_is_not_overwritten_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scan has read the old text; before it writes, somebody else brings in the new one."""
    with indexed(tmp_path / "v", {"a.md": "old"}) as vault:
        vault.write({"a.md": "older than the edit", "b.md": "b"})
        write = vault.indexer._write
        edited: list[bool] = []

        def edit_first(batch: Any, done: Any) -> None:
            if not edited and batch.indexed:
                edited.append(True)
                vault.write({"a.md": "the edit"})
                vault.indexer.update(["a.md"], by="")
                assert "the edit" in texts(vault)
            write(batch, done)

        monkeypatch.setattr(vault.indexer, "_write", edit_first)
        vault.indexer.scan()
        assert texts(vault) == ["the edit", "b"]
        with indexed(vault.root) as fresh:
            assert content(vault.database) == content(fresh.database)


def test_what_is_learnt_during_a_walk_is_not_undone_by_the_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scan has listed the files; before it compares, new notes come and are brought in one by one."""
    with indexed(tmp_path / "v", {"a.md": "a"}, settings=Settings(max_file_bytes=100)) as vault:
        listing = vault.vault.listing

        def then_more() -> Any:
            listed = listing()
            vault.write({"b.md": "b", "large.md": "x" * 101})
            vault.indexer.update(["b.md", "large.md"])
            return listed

        monkeypatch.setattr(vault.vault, "listing", then_more)
        vault.indexer.scan()
        assert notes(vault) == ["a.md", "b.md"]
        with indexed(vault.root, settings=vault.settings) as fresh:
            assert content(vault.database) == content(fresh.database)


def test_scans_updates_and_readers_get_along(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {f"{name}.md": f"# {name}\n\nstart" for name in "abcdef"}) as vault:
        errors: list[BaseException] = []
        end = time.monotonic() + 1.5

        def repeat(step: Any) -> None:
            number = 0
            try:
                while time.monotonic() < end:
                    step(number)
                    number += 1
            except BaseException as error:
                errors.append(error)

        def read(_: int) -> None:
            with vault.database.snapshot():
                held = vault.database.query("SELECT count(*) FROM notes")[0][0]
                with_sections = vault.database.query("SELECT count(DISTINCT note_id) FROM sections")[0][0]
                assert held == with_sections == 6

        def edit(number: int) -> None:
            vault.write({"a.md": f"# a\n\nedit {number}"})
            vault.indexer.update(["a.md"])

        def rewrite(number: int) -> None:
            vault.write({"b.md": f"# b\n\n{number}"})
            vault.indexer.scan()

        threads = [threading.Thread(target=repeat, args=(step,)) for step in (read, edit, rewrite, rewrite)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        vault.indexer.scan()
        with indexed(vault.root) as fresh:
            assert content(vault.database) == content(fresh.database)


# ── order of the postings ───────────────────────────────────────────────────────────────────────


def test_postings_are_sorted_again_once_many_are_out_of_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_NOTES", 2)
    monkeypatch.setattr(module, "_FEW_UNSORTED", 10)
    with indexed(tmp_path / "v", {f"{name}.md": f"one two three {name}" for name in "abcdef"}) as vault:
        terms = [term for (term,) in vault.database.query("SELECT term_id FROM postings")]
        assert terms == sorted(terms)
        assert vault.database.meta("unsorted") == "0"
        vault.write({"a.md": "four"})
        vault.indexer.scan()
        assert vault.database.meta("unsorted") == "2"
        with indexed(vault.root) as fresh:
            assert content(vault.database) == content(fresh.database)
