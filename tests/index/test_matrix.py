"""The matrix in memory: whoever multiplies its first rows, the products are the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.index import matrix as module
from jupyter_kb.index.matrix import Matrix
from jupyter_kb.index.vector_store import Model

DIMENSIONS = 8


class Beginning:
    """Has the products of so many rows already, a little larger than they are, which shows whether they were taken."""

    def __init__(self, count: int | None) -> None:
        self._count = count

    def products(self, matrix: Matrix, query: NDArray[np.float32]) -> NDArray[np.float32] | None:
        return None if self._count is None else matrix.products(query)[: self._count] + np.float32(100)


def rows_of(count: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)


@pytest.fixture
def matrix(monkeypatch: pytest.MonkeyPatch) -> Matrix:
    """Of 50 rows as they were read and 25 that came later, in blocks of ten."""
    monkeypatch.setattr(module, "BLOCK_ROWS", 10)
    keys = np.arange(50)
    read = Matrix(
        model=Model(number=1, key="m", name="M"), keys=keys, slots=keys, size=50, blocks=(rows_of(50, seed=0),)
    )
    later = np.arange(50, 75)
    return read.grown(later, later, rows_of(25, seed=1))


@pytest.mark.parametrize("count", [None, 0, 1, 49, 50, 51, 60, 74, 75])
def test_rows_that_are_multiplied_elsewhere_are_not_multiplied_again(matrix: Matrix, count: int | None) -> None:
    query = rows_of(1, seed=2)[0]
    expected = np.concatenate((rows_of(50, seed=0), rows_of(25, seed=1))) @ query
    expected[: count or 0] += 100
    found = matrix.products(query, Beginning(count))
    assert np.allclose(found[:-1], expected, rtol=0, atol=1e-4)
    assert found[-1] == -np.inf


def test_what_grew_out_of_a_matrix_is_of_its_lineage_and_what_is_read_anew_of_a_later_one(matrix: Matrix) -> None:
    more = matrix.grown(np.array([75]), np.array([75]), rows_of(1, seed=3)).without(np.arange(30))
    assert more.lineage == matrix.lineage
    assert more.blocks is not None
    anew = Matrix(model=matrix.model, keys=more.keys, slots=more.slots, size=more.size, blocks=more.blocks)
    assert anew.lineage > matrix.lineage
