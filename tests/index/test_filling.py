"""Filling: what is pending is embedded once, in steps that can be stopped, killed and gone on with."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from jupyter_kb.errors import ModelFailedError
from jupyter_kb.index import filling
from jupyter_kb.index.filling import ROUND, UNIT, Filler
from jupyter_kb.index.vectors import Counts, Vectors
from tests.index.hashing import HashingEmbedder
from tests.index.vaults import IndexedVault, indexed
from tests.index.vectored import MOST, NOTES, fill, scored

MANY: dict[str, str | bytes] = {
    f"{number:03}.md": f"# Note {number}\n\n" + f"words of number {number}. " * (number % 7 + 1)
    for number in range(300)
}


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    with indexed(tmp_path / "vault", NOTES) as vault:
        yield vault


@pytest.fixture
def vectors(vault: IndexedVault, tmp_path: Path) -> Iterator[Vectors]:
    vectors = Vectors(vault.database, tmp_path / "vectors.duckdb", most_bytes=MOST)
    yield vectors
    vectors.close()


def test_everything_is_embedded_once_and_then_nothing(vectors: Vectors) -> None:
    embedder = HashingEmbedder()
    seen: list[tuple[int, int]] = []
    result = Filler(vectors, embedder).run(lambda done, total: seen.append((done, total)))
    assert (result.embedded, result.failed, result.pending) == (4, 0, 0)
    assert seen == [(0, 4), (4, 4)]
    assert sorted(embedder.texts) == [
        "Boat\n\nwind and water",
        "Boat > Launch\n\npush off",
        "Kite\n\nwind and string",
        "Kite > Launch\n\nrun forward",
    ]
    assert vectors.searchable() == "hashing"
    assert Filler(vectors, embedder).run().embedded == 0
    assert len(embedder.texts) == 4


def test_an_edit_embeds_what_it_changed_and_a_move_nothing(vault: IndexedVault, vectors: Vectors) -> None:
    embedder = HashingEmbedder()
    filler = Filler(vectors, embedder)
    filler.run()
    embedder.texts.clear()
    (vault.root / "kite.md").rename(vault.root / "kites.md")
    (vault.root / "boat.md").rename(vault.root / "boats.md")
    vault.write({"boats.md": "# Boat\n\n## Launch\n\npush off\n\nwind and water\n", "kites 2.md": NOTES["kite.md"]})
    vault.indexer.scan()
    result = filler.run()
    assert sorted(embedder.texts) == ["Boat", "Boat > Launch\n\npush off\n\nwind and water"]
    assert (result.embedded, result.pending) == (2, 0)


def test_texts_of_one_length_go_together_in_units(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", MANY) as vault:
        vectors = Vectors(vault.database, None, most_bytes=MOST)
        embedder = HashingEmbedder()
        units: list[int] = []
        embedder.on_call = lambda: units.append(len(embedder.texts) - sum(units))
        seen: list[int] = []
        Filler(vectors, embedder).run(lambda done, total: seen.append(done))
        lengths = [len(text) for text in embedder.texts]
        assert lengths == sorted(lengths, reverse=True)
        assert units == [UNIT] * (300 // UNIT) + [300 % UNIT]
        assert seen == [0, *np.cumsum(units)]
        vectors.close()


def test_a_run_does_as_much_as_it_is_told_to(vectors: Vectors) -> None:
    embedder = HashingEmbedder()
    filler = Filler(vectors, embedder)
    for pending in (3, 2, 1):
        result = filler.run(most=1)
        assert (result.embedded, result.pending) == (1, pending)
    assert vectors.count("hashing").embedded > 0
    assert filler.run(most=10).pending == 0
    assert len(embedder.texts) == len(set(embedder.texts)) == 4


def test_stopping_takes_effect_after_the_unit_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", MANY) as vault:
        vectors = Vectors(vault.database, tmp_path / "v.duckdb", most_bytes=MOST)
        embedder = HashingEmbedder()
        stop = threading.Event()
        embedder.on_call = stop.set
        result = Filler(vectors, embedder).run(stop=stop)
        assert (result.embedded, result.pending) == (UNIT, 300 - UNIT)
        assert vectors.waiting("hashing") == 300 - UNIT
        vectors.close()
        embedder.on_call = lambda: None
        assert Filler(vectors, embedder).run().embedded == 300 - UNIT
        assert len(set(embedder.texts)) == len(embedder.texts) == 300
        vectors.close()


def test_what_was_done_is_written_after_a_while_and_when_the_model_fails(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", MANY) as vault:
        vectors = Vectors(vault.database, None, most_bytes=MOST)
        embedder = HashingEmbedder()
        there: list[int] = []

        def look() -> None:
            there.append(vectors.count("hashing").embedded)
            if len(there) == 4:
                raise ModelFailedError("its process crashed")

        embedder.on_call = look
        with patch.object(filling, "SECONDS", 0), pytest.raises(ModelFailedError, match="crashed"):
            Filler(vectors, embedder).run()
        assert there == [0, UNIT, 2 * UNIT, 3 * UNIT]
        there.clear()
        with patch.object(filling, "SECONDS", 1000), pytest.raises(ModelFailedError, match="crashed"):
            Filler(vectors, embedder).run()
        assert there == [3 * UNIT] * 4
        assert vectors.count("hashing").embedded == 6 * UNIT
        vectors.close()


def test_texts_that_the_model_cannot_take_are_set_aside_and_the_rest_goes_on(
    vault: IndexedVault, vectors: Vectors
) -> None:
    embedder = HashingEmbedder(refused=["forward", "water"])
    filler = Filler(vectors, embedder)
    result = filler.run()
    assert (result.embedded, result.failed, result.pending) == (2, 2, 0)
    assert vectors.count("hashing") == Counts(chunks=5, embedded=2, failed=3)
    assert vectors.searchable() == "hashing"
    told = vault.database.query("SELECT path, message FROM diagnostics ORDER BY path")
    assert told == [
        (name, "a passage cannot be embedded: it was refused") for name in ("boat.md", "copy.md", "kite.md")
    ]
    assert len(embedder.texts) == 4
    filler.run()
    assert len(embedder.texts) == 4, "not tried again"
    vault.write({"kite.md": "# Kite\n\nwind and string\n\n## Launch\n\nrun on\n"})
    vault.indexer.scan()
    assert filler.run().embedded == 1
    assert [path for (path,) in vault.database.query("SELECT path FROM diagnostics ORDER BY path")] == [
        "boat.md",
        "copy.md",
    ]


def test_where_all_texts_fail_none_is_pending(vectors: Vectors) -> None:
    result = Filler(vectors, HashingEmbedder(refused=["wind", "run", "push"])).run()
    assert (result.embedded, result.failed, result.pending) == (0, 4, 0)
    assert vectors.searchable() is None


def test_numbers_that_are_none_are_a_failure_of_the_text(vectors: Vectors) -> None:
    class Broken(HashingEmbedder):
        def vector(self, text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            return super().vector(text) * (np.nan if "water" in text else 1)

    result = Filler(vectors, Broken()).run()
    assert (result.embedded, result.failed) == (3, 1)


def test_rounds_end_where_notes_keep_coming(vault: IndexedVault, vectors: Vectors) -> None:
    embedder = HashingEmbedder()
    added: list[str] = []

    def write() -> None:
        if len(added) < 3:
            added.append(f"new {len(added)}.md")
            vault.write({added[-1]: f"text {len(added)}\n"})
            vault.indexer.update([added[-1]])

    embedder.on_call = write
    seen: list[tuple[int, int]] = []
    result = Filler(vectors, embedder).run(lambda done, total: seen.append((done, total)))
    assert (result.embedded, result.pending) == (7, 0)
    assert seen[-1] == (7, 7)
    assert vectors.count("hashing") == Counts(chunks=8, embedded=8, failed=0)


def test_two_runs_at_once_embed_nothing_twice(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", MANY) as vault:
        vectors = Vectors(vault.database, None, most_bytes=MOST)
        embedder = HashingEmbedder()
        filler = Filler(vectors, embedder)
        threads = [threading.Thread(target=filler.run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(embedder.texts) == 300
        vectors.close()


def test_searches_answer_while_it_is_being_filled(tmp_path: Path) -> None:
    with indexed(tmp_path / "vault", MANY) as vault:
        vectors = Vectors(vault.database, tmp_path / "v.duckdb", most_bytes=MOST)
        embedder = HashingEmbedder()
        counts: list[int] = []
        embedder.on_call = lambda: counts.append(
            sum(score > -np.inf for score in scored(vault.database, vectors, embedder, "words").values())
        )
        with patch.object(filling, "SECONDS", 0):
            Filler(vectors, embedder).run()
        assert counts == [UNIT * number for number in range(len(counts))]
        vectors.close()


def test_the_old_model_is_searched_until_the_new_one_is_complete(vault: IndexedVault, vectors: Vectors) -> None:
    old, new = HashingEmbedder("old"), HashingEmbedder("new", dimensions=5)
    Filler(vectors, old).run()
    before = scored(vault.database, vectors, old, "wind")
    Filler(vectors, new).run(most=2)
    assert vectors.searchable() == "old"
    assert scored(vault.database, vectors, old, "wind") == before
    Filler(vectors, new).run()
    assert vectors.searchable() == "new"
    assert vectors.count("old").embedded == 0
    assert len(new.texts) == 4


def test_a_round_is_some_thousand_texts() -> None:
    assert 1_000 <= ROUND <= 10_000
    assert 32 <= UNIT <= 64


# ── killed ──────────────────────────────────────────────────────────────────────────────────────

PROGRAM = """
import sys
from pathlib import Path
from jupyter_kb.index import filling
from jupyter_kb.index.database import Database
from jupyter_kb.index.vectors import Vectors
from tests.index.hashing import HashingEmbedder
filling.SECONDS, filling.UNIT = 0, 2
folder = Path(sys.argv[1])
with Database(folder / "index.duckdb") as database:
    vectors = Vectors(database, folder / "vectors.duckdb", most_bytes=1 << 30)
    filling.Filler(vectors, HashingEmbedder()).run(lambda done, total: print(done, total, flush=True))
    vectors.close()
    print("done", flush=True)
"""


@pytest.mark.parametrize("kills", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_loses_and_doubles_nothing(tmp_path: Path, kills: int) -> None:
    draw = random.Random(kills)
    with indexed(tmp_path / "vault", MANY, database=tmp_path / "index.duckdb"):
        pass
    killed = 0
    most_left = 300
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(draw.randrange(1, 4))]
            time.sleep(draw.random() * 0.02)  # not a wait for anything: the moment of the kill is what is drawn
            process.kill()
            killed += process.wait() == -signal.SIGKILL
        begun, left = map(int, lines[0].split())
        assert begun == 0
        assert left <= most_left, "what was told as done is there"
        most_left = max(left - 2 * (len(lines) - 1), 0)
    assert killed > kills // 2, "most kills must fall into a run"
    with indexed(tmp_path / "vault", database=tmp_path / "index.duckdb") as vault:
        vectors = Vectors(vault.database, tmp_path / "vectors.duckdb", most_bytes=MOST)
        embedder = HashingEmbedder()
        result = Filler(vectors, embedder).run()
        assert result.embedded <= most_left
        assert vectors.count("hashing") == Counts(chunks=300, embedded=300, failed=0)
        fresh = Vectors(vault.database, None, most_bytes=MOST)
        fill(fresh, embedder)
        expected = scored(vault.database, fresh, embedder, "words of number 7")
        assert scored(vault.database, vectors, embedder, "words of number 7") == expected
        fresh.close()
        vectors.close()
