"""A small vault with its index, and its vectors in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.index.vectors import Vectors
from tests.index.vaults import IndexedVault, indexed
from tests.index.vectored import MOST, NOTES


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    with indexed(tmp_path / "vault", NOTES) as vault:
        yield vault


@pytest.fixture
def vectors(vault: IndexedVault, tmp_path: Path) -> Iterator[Vectors]:
    vectors = Vectors(vault.database, tmp_path / "vectors.duckdb", most_bytes=MOST)
    yield vectors
    vectors.close()
