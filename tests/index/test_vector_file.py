"""The file of vectors: one owner, damage, and never a search that fails for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import duckdb
import numpy as np
import pytest

from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.index.vector_store import VectorStore
from jupyter_kb.index.vectors import Vectors
from tests.index.vaults import IndexedVault
from tests.index.vectored import MOST, A, fill, scored


def test_the_file_is_opened_when_it_is_first_needed(vault: IndexedVault, tmp_path: Path) -> None:
    path = tmp_path / "sub" / "vectors.duckdb"
    vectors = Vectors(vault.database, path, most_bytes=MOST)
    assert vectors.size() == 0
    vectors.close()
    assert not path.parent.exists()
    fill(vectors, A)
    size = vectors.size()
    vectors.close()
    assert size > 0
    assert vectors.size() > 0


def test_vectors_in_memory_take_no_room_on_disk(vault: IndexedVault, tmp_path: Path) -> None:
    vectors = Vectors(vault.database, None, most_bytes=MOST)
    assert fill(vectors, A) == 4
    assert vectors.size() == 0
    assert scored(vault.database, vectors, A, "Kite\n\nwind and string")["kite.md", 0, 0] == 1
    vectors.close()
    assert [path.name for path in tmp_path.iterdir()] == ["vault"]


def test_where_another_process_owns_the_file_vectors_are_kept_in_memory(
    vault: IndexedVault, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "vectors.duckdb"
    program = f"""
import sys
from pathlib import Path
from jupyter_kb.index.vector_store import VectorStore
store = VectorStore(Path({str(path)!r}))
print("open", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        vectors = Vectors(vault.database, path, most_bytes=MOST)
        assert set(scored(vault.database, vectors, A, "wind").values()) <= {-np.inf}
        assert fill(vectors, A) == 4
        assert scored(vault.database, vectors, A, "Kite\n\nwind and string")["kite.md", 0, 0] == 1
        vectors.close()
    assert [record.levelname for record in caplog.records if "in memory only" in record.message] == ["WARNING"]


@pytest.mark.parametrize("junk", [b"no database " * 1000, b""])
def test_a_damaged_file_is_replaced(vault: IndexedVault, tmp_path: Path, junk: bytes) -> None:
    (tmp_path / "vectors.duckdb").write_bytes(junk)
    vectors = Vectors(vault.database, tmp_path / "vectors.duckdb", most_bytes=MOST)
    assert vectors.waiting("a") == 4
    assert fill(vectors, A) == 4
    vectors.close()
    assert vectors.waiting("a") == 0
    vectors.close()


def test_a_pipe_in_the_place_of_the_file_is_replaced_and_not_waited_for(vault: IndexedVault, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "vectors.duckdb")
    vectors = Vectors(vault.database, tmp_path / "vectors.duckdb", most_bytes=MOST)
    assert fill(vectors, A) == 4
    vectors.close()
    assert (tmp_path / "vectors.duckdb").is_file()


@pytest.mark.parametrize("table", ["models", "failed", "vectors_1"])
def test_vectors_are_made_anew_where_the_file_lacks_a_table(vault: IndexedVault, tmp_path: Path, table: str) -> None:
    vectors = Vectors(vault.database, tmp_path / "vectors.duckdb", most_bytes=MOST)
    fill(vectors, A)
    vectors.close()
    with duckdb.connect(tmp_path / "vectors.duckdb") as file:
        file.execute(f"DROP TABLE {table}")
    assert vectors.searchable() is None
    assert fill(vectors, A) == 4
    assert -np.inf not in scored(vault.database, vectors, A, "wind").values()
    vectors.close()


def test_a_folder_that_cannot_be_made_is_no_failure(
    vault: IndexedVault, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    vectors = Vectors(vault.database, tmp_path / "file" / "vectors.duckdb", most_bytes=MOST)
    assert fill(vectors, A) == 4
    assert scored(vault.database, vectors, A, "Kite\n\nwind and string")["kite.md", 0, 0] == 1
    assert "in memory only" in caplog.text
    vectors.close()


def test_a_file_that_turns_out_to_be_damaged_is_no_failed_search(
    vault: IndexedVault, vectors: Vectors, caplog: pytest.LogCaptureFixture
) -> None:
    fill(vectors, A)
    with patch.object(VectorStore, "read", side_effect=IndexUnavailableError("the index cannot be used: checksum")):
        assert set(scored(vault.database, vectors, A, "wind").values()) == {-np.inf}
    assert "in memory only from now on: the index cannot be used" in caplog.text
    assert fill(vectors, A) == 4
    assert -np.inf not in scored(vault.database, vectors, A, "wind").values()
    assert vectors.size() == 0
