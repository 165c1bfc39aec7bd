"""The database: one owner, one writer, readers that see whole states, and no damage that a restart does not mend."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.index.columns import column
from jupyter_kb.index.database import SCHEMA_VERSION, Database
from jupyter_kb.index.ownership import IndexOwnedError


def terms(database: Database) -> list[str]:
    return [term for (term,) in database.query("SELECT term FROM terms ORDER BY term")]


def add(database: Database, *names: str) -> None:
    database.insert("terms", {"term": column(names), "term_id": np.arange(len(names))})


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "new" / "index.duckdb"
    with Database(path) as database:
        add(database, "a", "b")
        assert database.size() > 0
    with Database(path) as database:
        assert terms(database) == ["a", "b"]
        assert not database.rebuilt


def test_a_database_in_memory_takes_no_room() -> None:
    with Database(None) as database:
        add(database, "a")
        assert (terms(database), database.size()) == (["a"], 0)


def test_a_second_owner_in_this_process_is_refused(tmp_path: Path) -> None:
    with Database(tmp_path / "index.duckdb"), pytest.raises(IndexOwnedError):
        Database(tmp_path / "index.duckdb")
    Database(tmp_path / "index.duckdb").close()


def test_a_second_owner_in_another_process_is_refused_even_after_the_file_was_opened_here(tmp_path: Path) -> None:
    path = tmp_path / "index.duckdb"
    program = f"""
from pathlib import Path
from jupyter_kb.index.database import Database
from jupyter_kb.index.ownership import IndexOwnedError
try:
    Database(Path({str(path)!r}))
except IndexOwnedError:
    raise SystemExit(7)
"""
    with Database(path):
        path.open("rb").close()  # would drop a lock of the kind that DuckDB takes
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_an_owner_that_was_killed_leaves_no_lock_and_no_half_transaction(tmp_path: Path) -> None:
    path = tmp_path / "index.duckdb"
    program = f"""
import os
from pathlib import Path
from jupyter_kb.index.database import Database
from tests.index.test_database import add
database = Database(Path({str(path)!r}))
add(database, "whole")
with database.transaction():
    add(database, "half")
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    with Database(path) as database:
        assert terms(database) == ["whole"]
        assert not database.rebuilt


@pytest.mark.parametrize("junk", [b"", b"no database " * 1000, b"\0" * 20_000])
def test_a_file_that_is_no_database_is_replaced(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "index.duckdb"
    path.write_bytes(junk)
    with Database(path) as database:
        assert database.rebuilt
        assert terms(database) == []


@pytest.mark.parametrize("name", ["index.duckdb", "index.duckdb.wal"])
def test_a_pipe_in_the_place_of_the_file_is_replaced_and_not_waited_for(tmp_path: Path, name: str) -> None:
    Database(tmp_path / "index.duckdb").close()
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with Database(tmp_path / "index.duckdb") as database:
        assert database.rebuilt
        add(database, "a")
    assert (tmp_path / "index.duckdb").is_file()


def test_a_folder_in_the_place_of_the_file_is_the_systems_error(tmp_path: Path) -> None:
    (tmp_path / "index.duckdb").mkdir()
    with pytest.raises(OSError, match=r"index\.duckdb"):
        Database(tmp_path / "index.duckdb")


@pytest.mark.parametrize("table", ["terms", "notes", "chunks"])
def test_a_database_that_lacks_a_table_is_replaced(tmp_path: Path, table: str) -> None:
    path = tmp_path / "index.duckdb"
    with Database(path) as database:
        add(database, "a")
        database.execute(f"DROP TABLE {table}")
    with Database(path) as database:
        assert database.rebuilt
        assert terms(database) == []


def test_a_truncated_database_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index.duckdb"
    with Database(path) as database:
        add(database, *(f"term{i}" for i in range(20_000)))
    path.write_bytes(path.read_bytes()[:5_000])
    with Database(path) as database:
        assert database.rebuilt
        add(database, "a")
        assert terms(database) == ["a"]


def test_a_database_of_another_schema_version_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index.duckdb"
    with Database(path) as database:
        add(database, "a")
        database.set_meta("schema", str(SCHEMA_VERSION + 1))
    with Database(path) as database:
        assert database.rebuilt
        assert terms(database) == []
        assert database.meta("schema") == str(SCHEMA_VERSION)


def test_damage_found_while_running_is_mended_by_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "index.duckdb"
    with Database(path) as database:
        add(database, *(f"term{i:06}" for i in range(50_000)))
    data = bytearray(path.read_bytes())
    for place in range(20_000, len(data) - 4_096, 4_096):
        data[place] ^= 0xFF
    path.write_bytes(data)
    database = Database(path)
    if not database.rebuilt:  # whether opening already met the damage depends on the layout
        with database, pytest.raises(IndexUnavailableError, match="cannot be used"):
            terms(database)
        database = Database(path)
        assert database.rebuilt
    with database:
        assert terms(database) == []


def test_damage_anywhere_is_told_and_mended_by_a_later_start(tmp_path: Path) -> None:
    path = tmp_path / "index.duckdb"
    with Database(path) as database:
        for _ in range(3):
            add(database, *(f"term{i:06}" for i in range(20_000)))
            database.checkpoint()
    whole = path.read_bytes()
    told = 0
    for place in range(4_096, len(whole), 131_072):
        path.write_bytes(
            whole[:place] + bytes(byte ^ 0xFF for byte in whole[place : place + 512]) + whole[place + 512 :]
        )
        with Database(path) as database:
            try:
                assert len(terms(database)) in (0, 60_000)
            except IndexUnavailableError:
                told += 1
        with Database(path) as database:
            assert len(terms(database)) in (0, 60_000)
            add(database, "a")
    assert told
    path.write_bytes(whole[:-300_000])
    with Database(path) as database:
        add(database, "a")


def test_an_unwritable_folder_is_the_systems_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        Database(tmp_path / "file" / "index.duckdb")


# ── transactions ────────────────────────────────────────────────────────────────────────────────


def test_a_transaction_that_fails_leaves_nothing() -> None:
    with Database(None) as database:
        add(database, "a")
        generation = database.generation

        def write_and_fail() -> None:
            with database.transaction():
                add(database, "b")
                database.set_meta("x", "1")
                assert terms(database) == ["a", "b"]
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            write_and_fail()
        assert terms(database) == ["a"]
        assert database.meta("x") is None
        assert database.generation == generation


def test_other_threads_see_a_transaction_only_when_it_is_done() -> None:
    seen: list[list[str]] = []
    with Database(None) as database:

        def look() -> None:
            thread = threading.Thread(target=lambda: seen.append(terms(database)))
            thread.start()
            thread.join()

        with database.transaction():
            add(database, "a")
            with database.transaction():  # a part of the outer one
                add(database, "b")
            look()
        look()
    assert seen == [[], ["a", "b"]]


def test_a_snapshot_stays_as_it_was_while_others_write() -> None:
    with Database(None) as database:
        add(database, "a")
        with database.snapshot() as generation:
            assert generation == database.generation
            writer = threading.Thread(target=add, args=(database, "b"))
            writer.start()
            writer.join()
            with database.snapshot() as inner:
                assert inner == generation
                assert terms(database) == ["a"]
            assert database.generation != generation
        assert terms(database) == ["a", "b"]


def test_a_snapshot_inside_a_write_has_no_number() -> None:
    with Database(None) as database, database.transaction():
        add(database, "a")
        with database.snapshot() as generation:
            assert generation is None
            assert terms(database) == ["a"]


def test_a_number_never_stands_for_two_states() -> None:
    """Readers that count rows under a number always count the same."""
    counted: dict[int, set[int]] = {}
    with Database(None) as database:
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                with database.snapshot() as generation:
                    if generation is not None:
                        counted.setdefault(generation, set()).add(len(terms(database)))

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for number in range(60):
            add(database, f"{number}")
        done.set()
        for reader in readers:
            reader.join()
    assert all(len(counts) == 1 for counts in counted.values())


def test_a_reading_that_a_write_came_between_is_repeated() -> None:
    with Database(None) as database:
        add(database, "a")
        given: list[int | None] = []

        def read(generation: int | None) -> list[str]:
            given.append(generation)
            before = terms(database)
            if len(given) < 3:
                writer = threading.Thread(target=add, args=(database, f"b{len(given)}"))
                writer.start()
                writer.join()
                if len(given) == 2:
                    raise IndexError
            assert terms(database) == before
            return before

        assert database.consistently(read) == ["a", "b1", "b2"]
        assert len(set(given)) == 3


def test_an_error_of_a_reading_that_nothing_came_between_is_its_own() -> None:
    def fail(_: int | None) -> None:
        raise ZeroDivisionError

    with Database(None) as database, pytest.raises(ZeroDivisionError):
        database.consistently(fail)


# ── values ──────────────────────────────────────────────────────────────────────────────────────


def test_only_new_rows_are_added_on_demand() -> None:
    with Database(None) as database:
        add(database, "a", "b")
        database.insert("terms", {"term": column(["b", "c"]), "term_id": np.array([9, 9])}, new="term")
        assert database.query("SELECT * FROM terms ORDER BY term") == [("a", 0), ("b", 1), ("c", 9)]


def test_rows_are_updated_by_key() -> None:
    with Database(None) as database:
        add(database, "a", "b", "c")
        database.update("terms", {"term_id": np.array([2, 0]), "term": column(["z", "y"])}, key="term_id")
        assert database.query("SELECT * FROM terms ORDER BY term_id") == [("y", 0), ("b", 1), ("z", 2)]


def test_no_rows_are_no_insert() -> None:
    with Database(None) as database:
        generation = database.generation
        add(database)
        assert database.generation == generation


def test_text_comes_back_as_it_was() -> None:
    words = ["", "a\0b", "'; DROP TABLE terms; --", "\U0001f600", "\u2028", "x" * 100_000]
    with Database(None) as database:
        add(database, *words)
        assert sorted(terms(database)) == sorted(words)


def test_meta_values_are_kept_and_replaced() -> None:
    with Database(None) as database:
        assert database.meta("language") is None
        database.set_meta("language", "german")
        assert database.meta("language") == "german"
        database.set_meta("language", "english")
        assert database.meta("language") == "english"
        assert database.query("SELECT count(*) FROM meta WHERE key = 'language'") == [(1,)]


def test_clearing_keeps_tables_and_meta() -> None:
    with Database(None) as database:
        add(database, "a")
        database.set_meta("language", "german")
        database.clear()
        assert terms(database) == []
        assert database.meta("language") == "german"
        add(database, "b")
        assert terms(database) == ["b"]


def test_a_disk_without_room_is_told_apart_from_damage(tmp_path: Path) -> None:
    program = """
import resource, signal, sys
from pathlib import Path
from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.index.database import Database
with Database(Path(sys.argv[1])) as database:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        database.execute("INSERT INTO meta SELECT random()::VARCHAR, random()::VARCHAR || i FROM range(200000) r(i)")
        database.checkpoint()
    except IndexUnavailableError as error:
        print(error.message, "|", error.hint)
"""
    path = tmp_path / "index.duckdb"

    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)

    assert "cannot be written" in run.stdout
    assert "free some space" in run.stdout
    with Database(path) as database:
        assert not database.rebuilt


def test_a_disk_that_is_full_at_the_commit_is_told_apart_from_damage(tmp_path: Path) -> None:
    program = """
import random, resource, signal, sys
from pathlib import Path
from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.index.columns import column
from jupyter_kb.index.database import Database
with Database(Path(sys.argv[1])) as database:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    try:
        with database.transaction():
            texts = column([random.randbytes(500).hex() for _ in range(1_000)])
            database.insert("meta", {"key": texts, "value": texts})
    except IndexUnavailableError as error:
        print(error.message, "|", error.hint)
"""
    path = tmp_path / "index.duckdb"

    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)

    assert "cannot be written" in run.stdout
    assert "free some space" in run.stdout
    with Database(path) as database:
        assert not database.rebuilt


def test_a_disk_without_room_for_a_new_index_is_told_as_such(tmp_path: Path) -> None:
    program = """
import resource, signal, sys
from pathlib import Path
from jupyter_kb.index.database import Database
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))
try:
    Database(Path(sys.argv[1]))
except OSError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "index.duckdb")], capture_output=True, text=True, check=True
    )

    assert "Could not write file" in run.stdout
    assert "rebuilt" not in run.stderr


@pytest.mark.parametrize("kept", [True, False], ids=["in a file", "in memory"])
def test_what_does_not_fit_into_memory_never_goes_into_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    here, scratch = tmp_path / "vault", tmp_path / "scratch"
    for folder in (here, scratch):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    spilled = "SELECT random()::VARCHAR AS a, i FROM range(3000000) r(i)"
    with Database(tmp_path / "index" / "i.duckdb" if kept else None, memory_limit="50MB") as database:
        database.execute(f"CREATE TABLE large AS {spilled}")
        if not kept:
            assert list(scratch.iterdir()), "it did not fit"
        assert list(here.iterdir()) == []
    assert list(here.iterdir()) == []
    assert list(scratch.iterdir()) == []
