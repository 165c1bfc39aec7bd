"""What tests of the graph share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.graph.vaults import IndexedVault

MakeVault = Callable[[Mapping[str, "str | bytes"]], IndexedVault]


@pytest.fixture
def make_vault(tmp_path: Path) -> Iterator[MakeVault]:
    """A function that makes a vault of these files, indexed."""
    made: list[IndexedVault] = []

    def make(files: Mapping[str, str | bytes]) -> IndexedVault:
        made.append(IndexedVault(tmp_path / f"vault{len(made)}", files))
        return made[-1]

    yield make
    for vault in made:
        vault.close()


@pytest.fixture(scope="session")
def hub(data_dir: Path) -> Iterator[IndexedVault]:
    """A vault of 6,500 notes that are linked a lot, only read."""
    vault = IndexedVault(data_dir / "vaults" / "obsidian-hub")
    yield vault
    vault.close()
