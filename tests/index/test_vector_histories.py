"""Vectors give exact scores whatever their history."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from jupyter_kb.index.vectors import Vectors
from tests.index.hashing import HashingEmbedder
from tests.index.vaults import IndexedVault, indexed
from tests.index.vectored import MOST, NOTES, A, B, fill, scored

NAMES = st.sampled_from(["a.md", "b.md", "sub/c.md"])
PIECES = st.sampled_from(
    ["# One\n\n", "## Two\n\n", "wind and water\n\n", "run forward. " * 90 + "\n\n", "```\nx\n```\n"]
)
EMBEDDERS = st.sampled_from([A, B])


class Histories(RuleBasedStateMachine):
    """Vectors that were made step by step score as those made at once."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "vault").mkdir()
        self.now = 1_000_000.0
        self.most_bytes = MOST
        self.vault = IndexedVault(self.folder / "vault", database=self.folder / "index.duckdb")
        self.vault.write(NOTES)
        self.vault.indexer.scan()
        self.open()

    def open(self) -> None:
        path = self.folder / "vectors.duckdb"
        self.vectors = Vectors(self.vault.database, path, most_bytes=self.most_bytes, clock=lambda: self.now)

    def teardown(self) -> None:
        if hasattr(self, "vectors"):
            self.compare(A)
            self.vectors.close()
            self.vault.close()
            shutil.rmtree(self.folder)

    @rule(name=NAMES, pieces=st.lists(PIECES, max_size=4))
    def write(self, name: str, pieces: list[str]) -> None:
        self.vault.write({name: "".join(pieces)})
        self.vault.indexer.scan()

    @rule(name=NAMES, new=NAMES)
    def rename(self, name: str, new: str) -> None:
        if (self.vault.root / name).exists():
            (self.vault.root / new).parent.mkdir(exist_ok=True)
            (self.vault.root / name).rename(self.vault.root / new)
            self.vault.indexer.scan()

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.vault.root / name).unlink(missing_ok=True)
        self.vault.indexer.scan()

    @rule(embedder=EMBEDDERS, most=st.integers(1, 3))
    def add(self, embedder: HashingEmbedder, most: int) -> None:
        fill(self.vectors, embedder, most)

    @rule(embedder=EMBEDDERS)
    def search(self, embedder: HashingEmbedder) -> None:
        scored(self.vault.database, self.vectors, embedder, "wind")

    @rule(embedder=EMBEDDERS)
    def settle(self, embedder: HashingEmbedder) -> None:
        fill(self.vectors, embedder)
        self.vectors.settle(embedder.key)
        assert self.vectors.searchable() == embedder.key

    @rule(hours=st.sampled_from([1, 30]))
    def wait(self, hours: int) -> None:
        self.now += 3600 * hours

    @rule(most_bytes=st.sampled_from([MOST, 300, 0]))
    def reopen(self, most_bytes: int) -> None:
        self.vectors.close()
        self.most_bytes = most_bytes
        self.open()

    @rule()
    def rebuild_the_index(self) -> None:
        self.vectors.close()
        self.vault.close()
        (self.folder / "index.duckdb").unlink()
        self.vault = IndexedVault(self.folder / "vault", database=self.folder / "index.duckdb")
        self.vault.indexer.scan()
        self.open()

    @rule(embedder=EMBEDDERS)
    def compare(self, embedder: HashingEmbedder) -> None:
        fill(self.vectors, embedder)
        assert self.vectors.waiting(embedder.key) == 0
        with indexed(self.vault.root) as fresh:
            built = Vectors(fresh.database, None, most_bytes=MOST)
            fill(built, embedder)
            expected = scored(fresh.database, built, embedder, "wind forward One")
            assert scored(self.vault.database, self.vectors, embedder, "wind forward One") == expected
            assert -np.inf not in expected.values()
            built.close()


class TestHistories(Histories.TestCase):  # type: ignore[misc, valid-type]
    settings = settings(max_examples=12, stateful_step_count=15)
