"""Vectors: what wants one, exact scores, and which model is searched."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.errors import ModelFailedError
from jupyter_kb.index import chunk_table, matrix
from jupyter_kb.index.chunks import embedded
from jupyter_kb.index.vectors import GRACE, Counts, Vectors
from tests.index.vaults import IndexedVault, indexed
from tests.index.vectored import MOST, A, B, database_of, fill, scored, unit

# ── pending ─────────────────────────────────────────────────────────────────────────────────────


def test_what_has_no_vector_is_pending_in_the_order_of_the_notes_and_once(vectors: Vectors) -> None:
    words = [(entry.context, entry.text) for entry in vectors.pending("a")]
    assert words == [
        ("Boat", "wind and water"),
        ("Boat > Launch", "push off"),
        ("Kite", "wind and string"),
        ("Kite > Launch", "run forward"),
    ]
    assert vectors.waiting("a") == 4
    assert [entry.text for entry in vectors.pending("a", limit=2)] == [text for _, text in words[:2]]
    assert vectors.count("a") == Counts(chunks=5, embedded=0, failed=0)
    fill(vectors, A, 1)
    assert vectors.count("a") == Counts(chunks=5, embedded=2, failed=0)
    assert vectors.waiting("a") == 3


def test_an_edit_makes_pending_what_it_changed_and_a_move_nothing(vault: IndexedVault, vectors: Vectors) -> None:
    fill(vectors, A)
    (vault.root / "kite.md").rename(vault.root / "kites.md")
    vault.write({"boat.md": "# Boat\n\nwind and water\n\n## Launch\n\npush it off\n\n## Anchor\n"})
    vault.indexer.scan()
    assert [(entry.context, entry.text) for entry in vectors.pending("a")] == [
        ("Boat > Launch", "push it off"),
        ("Boat > Anchor", ""),
    ]


def test_what_is_set_aside_is_not_pending_and_told_for_each_note(vault: IndexedVault, vectors: Vectors) -> None:
    keys = [entry.key for entry in vectors.pending("a") if entry.text == "wind and water"]
    vectors.set_aside("a", keys, "it was refused")
    vectors.set_aside("a", keys, "it was refused")
    assert vectors.waiting("a") == 3
    assert vectors.count("a") == Counts(chunks=5, embedded=0, failed=2)
    sql = "SELECT path, kind, message, line FROM diagnostics"
    told = "a passage cannot be embedded: it was refused"
    expected = [("boat.md", "embedding-failed", told, 1), ("copy.md", "embedding-failed", told, 1)]
    assert sorted(vault.database.query(sql)) == expected
    # An edit elsewhere in the note takes the note's diagnostics with it; they come back once the rest is done.
    vault.write({"boat.md": "new\n\n# Boat\n\nwind and water\n", "copy.md": "# Boat\n\nwind, and water\n"})
    vault.indexer.scan()
    fill(vectors, A)
    vectors.settle("a")
    assert vault.database.query(sql) == [("boat.md", "embedding-failed", told, 3)]
    generation = vault.database.generation
    vectors.settle("a")
    assert vault.database.generation == generation


def test_equal_keys_keep_their_first_vector(vectors: Vectors, vault: IndexedVault) -> None:
    key = vectors.pending("a")[0].key
    one, other = unit(2, 24)
    vectors.add("a", "A", [key, key], np.stack([one, other]))
    vectors.add("a", "A", [key], other[None])
    section = vault.database.query("SELECT min(section_id) FROM chunks WHERE key = ?", [key])[0][0]
    found = vectors.of_section("a", section)
    assert found is not None
    assert np.allclose(found, one, atol=1e-6)


@pytest.mark.parametrize("rows", [np.zeros((2, 3)), np.zeros(3), np.full((1, 3), np.nan)])
def test_what_is_no_vector_is_refused(vectors: Vectors, rows: NDArray[np.float32]) -> None:
    with pytest.raises(ValueError, match="row of finite numbers"):
        vectors.add("a", "A", [1], rows)


@pytest.mark.parametrize("dimensions", [1, 3, 24, 384])
def test_vectors_come_back_exactly(tmp_path: Path, dimensions: int) -> None:
    rows = unit(384, dimensions)
    keys = np.arange(384) - 100
    with database_of(keys) as database:
        for path in (tmp_path / "v.duckdb", None):
            vectors = Vectors(database, path, most_bytes=MOST)
            vectors.add("a", "A", keys.tolist(), rows)
            for row in (0, 200, 383):
                found = vectors.scores("a", rows[row], generation=None)
                assert np.array_equal(found.scores.round(6), (rows @ rows[row]).round(6))
            vectors.close()


# ── scores ──────────────────────────────────────────────────────────────────────────────────────


def test_scores_are_cosines_and_chunks_without_a_vector_come_last(vault: IndexedVault, vectors: Vectors) -> None:
    fill(vectors, A, 3)
    found = scored(vault.database, vectors, A, "Kite\n\nwind and string")
    assert found["kite.md", 0, 0] == 1
    assert found["kite.md", 1, 0] == -np.inf
    assert found["boat.md", 0, 0] == found["copy.md", 0, 0] > found["boat.md", 1, 0] > 0


def test_without_any_vector_everything_is_missing(vault: IndexedVault, vectors: Vectors) -> None:
    chunk_table.refresh(vault.database)
    found = vectors.scores("a", A.vector("wind"), generation=vault.database.generation)
    assert (len(found.scores), found.missing) == (5, 5)
    assert vectors.searchable() is None
    assert vectors.of_section("a", int(found.sections[0])) is None


def test_an_empty_index_has_no_scores(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault") as vault:
        vectors = Vectors(vault.database, None, most_bytes=MOST)
        assert len(vectors.scores("a", A.vector("wind"), generation=vault.database.generation).scores) == 0
        assert vectors.pending("a") == []
        vectors.settle("a")
        assert vectors.searchable() is None


@pytest.mark.parametrize("most_bytes", [MOST, 0, 24 * 4 * 3])
def test_scores_are_the_same_in_memory_on_disk_and_where_one_turns_into_the_other(
    vault: IndexedVault, tmp_path: Path, most_bytes: int
) -> None:
    whole = Vectors(vault.database, None, most_bytes=MOST)
    fill(whole, A)
    expected = scored(vault.database, whole, A, "wind on water")
    vectors = Vectors(vault.database, tmp_path / "v.duckdb", most_bytes=most_bytes)
    while fill(vectors, A, 1):
        assert scored(vault.database, vectors, A, "wind on water").items() <= expected.items() | {
            (place, -np.inf) for place in expected
        }
    assert scored(vault.database, vectors, A, "wind on water") == expected
    vectors.close()
    assert scored(vault.database, vectors, A, "wind on water") == expected, "opened again"
    vectors.close()


def test_growth_over_many_blocks_keeps_every_row(tmp_path: Path) -> None:
    rows = unit(1000, 5)
    keys = np.random.default_rng(1).permutation(1000)
    with database_of(keys) as database, patch.object(matrix, "BLOCK_ROWS", 64):
        vectors = Vectors(database, tmp_path / "v.duckdb", most_bytes=MOST)
        at = 0
        for size in (1, 63, 1, 64, 300, 2, 500, 69):
            vectors.add("a", "A", keys[at : at + size].tolist(), rows[at : at + size])
            at += size
            found = vectors.scores("a", rows[0], generation=database.generation)
            assert found.missing == 1000 - at
            assert np.allclose(found.scores[:at], rows[:at] @ rows[0], atol=1e-6)
        vectors.close()


def test_a_search_sees_all_of_an_addition_or_nothing_of_it() -> None:
    size, steps = 40, 60
    rows = unit(size * steps, 8)
    keys = np.arange(size * steps)
    seen: set[int] = set()
    with database_of(keys) as database, patch.object(matrix, "BLOCK_ROWS", 64):
        vectors = Vectors(database, None, most_bytes=MOST)
        vectors.add("a", "A", keys[:size].tolist(), rows[:size])
        done = threading.Event()
        failures: list[str] = []

        def search() -> None:
            while not done.is_set():
                found = vectors.scores("a", rows[0], generation=database.generation)
                there = len(keys) - found.missing
                seen.add(there)
                if there % size or not np.allclose(found.scores[:there], rows[:there] @ rows[0], atol=1e-6):
                    failures.append(f"{there} rows")

        readers = [threading.Thread(target=search) for _ in range(2)]
        for reader in readers:
            reader.start()
        for at in range(size, len(keys), size):
            vectors.add("a", "A", keys[at : at + size].tolist(), rows[at : at + size])
        done.set()
        for reader in readers:
            reader.join()
    assert not failures
    assert len(seen) > 2


def test_a_section_is_the_mean_of_its_chunks(vault: IndexedVault, vectors: Vectors) -> None:
    vault.write({"long.md": "# Long\n\n" + "one two three. " * 60 + "\n\n" + "four five. " * 60})
    vault.indexer.scan()
    fill(vectors, A)
    long = vault.database.query("SELECT section_id, count(*) FROM chunks GROUP BY ALL ORDER BY count(*) DESC LIMIT 1")
    (section, count) = long[0]
    found = vectors.of_section("a", section)
    assert found is not None
    entries = chunk_table.pieces(
        vault.database,
        vault.database.query("SELECT section_id, start, stop FROM chunks WHERE section_id = ?", [section]),
    )
    mean = np.mean([A.vector(embedded(*entry)) for entry in entries], axis=0)
    assert count > 1
    assert np.allclose(found, mean / np.linalg.norm(mean), atol=1e-6)


# ── models ──────────────────────────────────────────────────────────────────────────────────────


def test_another_model_takes_over_when_it_is_complete(vault: IndexedVault, vectors: Vectors) -> None:
    fill(vectors, A)
    vectors.settle("a")
    old = scored(vault.database, vectors, A, "wind")
    fill(vectors, B, 2)
    vectors.settle("b")
    assert vectors.searchable() == "a", "something is pending"
    assert scored(vault.database, vectors, A, "wind") == old
    fill(vectors, B)
    assert vectors.searchable() == "a", "not settled yet"
    assert -np.inf not in scored(vault.database, vectors, B, "wind").values()
    vectors.settle("b")
    assert vectors.searchable() == "b"
    assert vectors.count("a").embedded == 0
    assert set(scored(vault.database, vectors, A, "wind").values()) == {-np.inf}
    vectors.close()
    assert vectors.searchable() == "b"
    assert -np.inf not in scored(vault.database, vectors, B, "wind").values()


def test_of_models_that_were_never_complete_the_newest_is_searched(vectors: Vectors) -> None:
    fill(vectors, A, 2)
    assert vectors.searchable() == "a"
    vectors.set_aside("c", [1], "refused")
    fill(vectors, B, 1)
    assert vectors.searchable() == "b"


def test_a_vector_of_another_length_is_refused_and_drops_nothing(vault: IndexedVault, vectors: Vectors) -> None:
    fill(vectors, A)
    with pytest.raises(ModelFailedError, match="24 before") as refusal:
        vectors.add("a", "A", [1], unit(1, 3))
    assert refusal.value.hint
    with pytest.raises(ModelFailedError, match="24 before"):
        vectors.scores("a", unit(1, 3)[0], generation=vault.database.generation)
    assert -np.inf not in scored(vault.database, vectors, A, "wind").values()


def test_what_is_gone_is_dropped_after_a_day(vault: IndexedVault, tmp_path: Path) -> None:
    now = [1_000_000.0]
    vectors = Vectors(vault.database, tmp_path / "v.duckdb", most_bytes=MOST, clock=lambda: now[0])
    fill(vectors, A)
    vectors.settle("a")
    text = (vault.root / "kite.md").read_text()
    (vault.root / "kite.md").unlink()
    vault.indexer.scan()
    vectors.settle("a")
    now[0] += GRACE - 1
    vault.write({"kite.md": text})  # it comes back in time
    vault.indexer.scan()
    assert vectors.waiting("a") == 0
    vectors.settle("a")
    (vault.root / "kite.md").unlink()
    vault.indexer.scan()
    vectors.settle("a")
    now[0] += GRACE - 1
    vectors.settle("a")
    found = scored(vault.database, vectors, A, "wind")
    now[0] += 1
    vectors.settle("a")
    assert scored(vault.database, vectors, A, "wind") == found
    vault.write({"kite.md": text})
    vault.indexer.scan()
    assert vectors.waiting("a") == 2
    fill(vectors, A)
    assert scored(vault.database, vectors, A, "Kite\n\nwind and string")["kite.md", 0, 0] == 1
    vectors.close()


def test_an_index_without_notes_drops_no_vectors(vault: IndexedVault, vectors: Vectors) -> None:
    fill(vectors, A)
    vectors.settle("a")
    vault.database.clear()
    fill(vectors, B)
    vectors.settle("b")
    assert vectors.searchable() == "a"
