"""Copies of matrices on the device: NumPy's products to the last bits, and no memory that the model needs."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.embedding import device_matrices
from jupyter_kb.embedding.device_matrices import NO_ROOM, DeviceMatrices

pytestmark = pytest.mark.slow  # importing torch alone takes longer than other tests

DIMENSIONS = 24


def rows_of(count: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)


@pytest.fixture
def matrices(monkeypatch: pytest.MonkeyPatch) -> DeviceMatrices:
    import torch

    monkeypatch.setattr(device_matrices, "_SLAB_BYTES", 100 * DIMENSIONS * 4)
    return DeviceMatrices(torch.device("cpu"))


def out_of_memory(*_: Any, **__: Any) -> Any:
    import torch

    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 64.00 MiB.")


@pytest.mark.parametrize("steps", [[1], [100], [101], [250, 50, 1], [99, 1, 1, 199], [1] * 7])
def test_products_are_those_of_numpy_after_any_growth(matrices: DeviceMatrices, steps: list[int]) -> None:
    rows, query = rows_of(sum(steps)), rows_of(1, seed=1)[0]
    held = 0
    for step in steps:
        assert matrices.hold("m", held, rows[held : held + step], None) == held + step
        held += step
        found = matrices.multiply("m", query, held)
        assert found is not None
        assert found.dtype == np.float32
        assert np.allclose(found, rows[:held] @ query, rtol=0, atol=1e-5)
    fewer = matrices.multiply("m", query, held - 1)
    assert fewer is not None
    assert len(fewer) == held - 1


def test_rows_that_do_not_follow_those_held_are_not_taken(matrices: DeviceMatrices) -> None:
    rows = rows_of(30)
    assert matrices.hold("m", 10, rows[10:20], None) == 0
    assert matrices.hold("m", 0, rows[:10], None) == 10
    assert matrices.hold("m", 0, rows[20:], None) == 10
    assert matrices.multiply("m", rows[0], 11) is None
    found = matrices.multiply("m", rows[0], 10)
    assert found is not None
    assert np.allclose(found, rows[:10] @ rows[0], rtol=0, atol=1e-5)


def test_a_matrix_takes_the_place_of_its_former_and_of_no_other(matrices: DeviceMatrices) -> None:
    rows = rows_of(10)
    for name, former in (("1", None), ("2", None), ("3", "1")):
        matrices.hold(name, 0, rows, former)
    assert matrices.multiply("1", rows[0], 1) is None
    assert matrices.multiply("2", rows[0], 1) is not None
    assert matrices.multiply("3", rows[0], 1) is not None


def test_rows_that_must_not_be_written_to_are_taken_as_well(matrices: DeviceMatrices) -> None:
    rows = rows_of(10)
    rows.flags.writeable = False
    assert matrices.hold("m", 0, rows, None) == 10
    assert matrices.multiply("m", rows[0], 10) is not None


def test_what_has_no_room_is_given_up_for_good(matrices: DeviceMatrices) -> None:
    import torch

    rows = rows_of(200)
    assert matrices.hold("m", 0, rows[:50], None) == 50
    with patch.object(torch, "empty", out_of_memory):
        assert matrices.hold("m", 50, rows[50:], None) == NO_ROOM
    assert matrices.multiply("m", rows[0], 50) is None
    assert matrices.hold("m", 0, rows[:50], None) == NO_ROOM


def test_a_product_that_has_no_room_gives_them_up_too(matrices: DeviceMatrices) -> None:
    import torch

    rows = rows_of(20)
    matrices.hold("m", 0, rows, None)
    with patch.object(torch, "mv", out_of_memory):
        assert matrices.multiply("m", rows[0], 20) is None
    assert matrices.hold("m", 0, rows, None) == NO_ROOM


def test_other_errors_of_the_device_are_told(matrices: DeviceMatrices) -> None:
    import torch

    rows = rows_of(20)
    matrices.hold("m", 0, rows, None)
    with patch.object(torch, "mv", side_effect=RuntimeError("CUDA error")), pytest.raises(RuntimeError, match="CUDA"):
        matrices.multiply("m", rows[0], 20)


def test_products_are_made_in_full_float32_whatever_was_set_before(matrices: DeviceMatrices) -> None:
    import torch

    rows = rows_of(20)
    matrices.hold("m", 0, rows, None)
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")  # TF32 on a GPU
    try:
        matrices.multiply("m", rows[0], 20)
        assert torch.get_float32_matmul_precision() == "highest"
        assert not torch.backends.cuda.matmul.allow_tf32
    finally:
        torch.set_float32_matmul_precision(before)
