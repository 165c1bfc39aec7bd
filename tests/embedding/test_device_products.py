"""Products by the model's process: NumPy's own, or none; never waited for, never a reason to start a model."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.embedding import device_products
from jupyter_kb.embedding.device_products import DeviceProducts
from jupyter_kb.embedding.worker import WorkerEmbedder
from jupyter_kb.index.matrix import Matrix
from jupyter_kb.index.vector_store import Model
from tests.embedding.pretending import asked, light, start
from tests.embedding.stub import gone, lines, wait_for

pytestmark = pytest.mark.slow  # importing torch alone takes longer than other tests

LEAST = 100
DIMENSIONS = 24
SOON = 60.0
QUERY = np.random.default_rng(1).standard_normal(DIMENSIONS).astype(np.float32)


def matrix_of(count: int, seed: int = 0) -> Matrix:
    block = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    keys = np.arange(count)
    return Matrix(model=Model(number=1, key="m", name="M"), keys=keys, slots=keys, size=count, blocks=(block,))


def grown(matrix: Matrix, count: int) -> Matrix:
    rows = np.random.default_rng(matrix.size).standard_normal((count, DIMENSIONS)).astype(np.float32)
    more = np.arange(matrix.size, matrix.size + count)
    return matrix.grown(more, more, rows)


def are_right(found: NDArray[np.float32] | None, matrix: Matrix, count: int) -> bool:
    expected = matrix.products(QUERY)[:count]
    return found is not None and len(found) == count and np.allclose(found, expected, rtol=0, atol=1e-5)


def copied(products: DeviceProducts, matrix: Matrix) -> NDArray[np.float32] | None:
    """The products, once the rows are there."""
    assert products.products(matrix, QUERY) is None, "the first search does not wait for a copy"
    assert products.copied(SOON)
    return products.products(matrix, QUERY)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_products, "LEAST_ROWS", LEAST)
    monkeypatch.setattr(device_products, "PATIENCE", SOON)  # other programs have the processors, too


@pytest.fixture
def embedder(tmp_path: Path) -> Iterator[WorkerEmbedder]:
    with light(tmp_path) as embedder:
        yield embedder


@pytest.fixture
def products(embedder: WorkerEmbedder) -> Iterator[DeviceProducts]:
    products = DeviceProducts(lambda: [embedder])
    yield products
    embedder.close()
    products.close()
    assert "kb-rows" not in [thread.name for thread in threading.enumerate()]


def test_products_are_those_of_numpy(embedder: WorkerEmbedder, products: DeviceProducts) -> None:
    start(embedder)
    matrix = matrix_of(5_000)
    assert are_right(copied(products, matrix), matrix, 5_000)


def test_a_model_is_not_started_for_it(embedder: WorkerEmbedder, products: DeviceProducts) -> None:
    assert products.products(matrix_of(1_000), QUERY) is None
    assert products.copied(0)
    assert embedder.pid is None


def test_without_a_gpu_nothing_is_asked(tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts) -> None:
    (tmp_path / "no gpu").touch()
    start(embedder)
    assert products.products(matrix_of(1_000), QUERY) is None
    assert products.copied(0)
    assert lines(tmp_path / "asked") == []


def test_a_small_matrix_is_not_worth_the_way(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    start(embedder)
    assert products.products(matrix_of(LEAST - 1), QUERY) is None
    assert products.copied(0)
    assert lines(tmp_path / "asked") == []


def test_only_new_rows_are_sent_and_a_search_does_not_wait_for_them(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    start(embedder)
    matrix = matrix_of(300)
    assert are_right(copied(products, matrix), matrix, 300)
    more = grown(grown(matrix, 5), 7).without(np.arange(20))
    assert are_right(products.products(more, QUERY), more, 300)
    assert products.copied(SOON)
    assert are_right(products.products(more, QUERY), more, 312)
    assert are_right(products.products(matrix, QUERY), matrix, 300), "a search that began before sees what it had"
    assert asked(tmp_path, "hold") == [[0, 300, 0], [300, 12, 1]]


def test_no_message_is_large_and_urgent_texts_go_between_them(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_products, "_BLOCK_BYTES", 10 * DIMENSIONS * 4)
    start(embedder)
    matrix = grown(matrix_of(2_995), 18_000)
    with ThreadPoolExecutor(1) as pool:
        assert products.products(matrix, QUERY) is None
        wait_for(lambda: asked(tmp_path, "hold"))
        pool.submit(embedder.embed, ["urgent"], "query", urgent=True).result(SOON)
        assert len(asked(tmp_path, "hold")) < 2_000, "not after the last of them"
    assert products.copied(SOON)
    assert max(rows for _, rows, _ in asked(tmp_path, "hold")) == 10
    assert are_right(products.products(matrix, QUERY), matrix, 20_995)


def test_urgent_texts_go_before_rows_that_wait(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    start(embedder)
    session = embedder._worker._session
    assert session is not None
    with ThreadPoolExecutor(2) as pool:
        pool.submit(embedder.embed, ["gate"], "passage")
        wait_for(lambda: (tmp_path / "waiting").exists())
        assert products.products(matrix_of(300), QUERY) is None
        wait_for(lambda: "hold" in [request.operation for _, _, request in session._queue._heap])
        urgent = pool.submit(embedder.embed, ["urgent"], "query", urgent=True)
        wait_for(lambda: len(session._queue._heap) == 3)
        order = [request.operation for _, _, request in sorted(session._queue._heap, key=lambda entry: entry[:2])]
        assert order == ["embed", "embed", "hold"], "the urgent text, the one at the gate, then the rows"
        (tmp_path / "open").touch()
        urgent.result(SOON)
    assert products.copied(SOON)


def test_another_matrix_takes_the_place_of_the_one_before(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    start(embedder)
    matrix, compacted = matrix_of(300), matrix_of(200, seed=5)
    assert are_right(copied(products, matrix), matrix, 300)
    assert are_right(copied(products, compacted), compacted, 200)
    assert products.products(matrix, QUERY) is None, "nor does a search that began before bring it back"
    assert products.copied(0)
    longer = grown(compacted, 1)
    products.products(longer, QUERY)
    assert products.copied(SOON)
    assert [held for _, _, held in asked(tmp_path, "hold")] == [0, 1, 1], "the first was dropped"


def test_two_vaults_may_share_a_process(embedder: WorkerEmbedder, products: DeviceProducts) -> None:
    start(embedder)
    others = DeviceProducts(lambda: [embedder])
    one, two = matrix_of(300), matrix_of(200, seed=5)
    assert are_right(copied(products, one), one, 300)
    assert are_right(copied(others, two), two, 200)
    assert are_right(products.products(one, QUERY), one, 300)
    others.close()


def test_a_process_that_was_killed_is_not_missed_and_its_successor_gets_the_rows(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    first = start(embedder)
    matrix = matrix_of(300)
    assert are_right(copied(products, matrix), matrix, 300)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: gone(first))
    assert products.products(matrix, QUERY) is None
    wait_for(lambda: start(embedder) != first)
    assert products.copied(SOON)
    found = products.products(matrix, QUERY)
    if found is None:  # it had not heard of the new process
        assert products.copied(SOON)
        found = products.products(matrix, QUERY)
    assert are_right(found, matrix, 300)
    assert [begin for begin, _, _ in asked(tmp_path, "hold")].count(0) >= 2


def test_a_process_that_was_closed_and_started_again_gets_the_rows_anew(
    embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    start(embedder)
    matrix = matrix_of(300)
    assert are_right(copied(products, matrix), matrix, 300)
    embedder.close()
    assert products.products(matrix, QUERY) is None
    start(embedder)
    assert are_right(copied(products, matrix), matrix, 300)


def test_where_memory_runs_out_it_is_not_tried_again_in_this_process(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    (tmp_path / "full").touch()
    start(embedder)
    matrix = matrix_of(300)
    assert copied(products, matrix) is None
    assert products.copied(0)
    assert len(lines(tmp_path / "asked")) == 1
    assert embedder.embed(["still"], "query").shape == (1, 3)
    embedder.close()
    (tmp_path / "full").unlink()
    start(embedder)
    assert are_right(copied(products, matrix), matrix, 300)


def test_a_process_that_is_at_work_is_not_waited_for(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(embedder)
    matrix = matrix_of(300)
    assert are_right(copied(products, matrix), matrix, 300)
    monkeypatch.setattr(device_products, "PATIENCE", 0.02)
    with ThreadPoolExecutor(1) as pool:
        texts = pool.submit(embedder.embed, ["gate"], "passage")
        wait_for(lambda: (tmp_path / "waiting").exists())
        begin = time.monotonic()
        assert products.products(matrix, QUERY) is None
        assert time.monotonic() - begin < 10
        assert not texts.done()
        (tmp_path / "open").touch()
        texts.result(SOON)
    embedder.embed(["after"], "query")
    assert len(asked(tmp_path, "multiply")) == 1, "what nobody waits for is not done"
    monkeypatch.setattr(device_products, "PATIENCE", SOON)
    assert are_right(products.products(matrix, QUERY), matrix, 300)


@pytest.mark.parametrize("fault", ["crash in multiply", "fail in multiply"])
def test_a_device_that_cannot_multiply_is_left_alone_after_the_second_time(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts, fault: str
) -> None:
    start(embedder)
    matrix = matrix_of(300)
    assert products.products(matrix, QUERY) is None
    assert products.copied(SOON)
    (tmp_path / fault).touch()
    for count in (1, 2, 2):
        found = products.products(matrix, QUERY)
        if found is None and len(asked(tmp_path, "multiply")) < count:  # the rows had to be copied again
            assert products.copied(SOON)
            found = products.products(matrix, QUERY)
        assert found is None
        start(embedder)
        assert len(asked(tmp_path, "multiply")) == count
    assert products.copied(0)


def test_a_crash_while_rows_are_copied_costs_two_processes_at_most(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts
) -> None:
    (tmp_path / "crash in hold").touch()
    matrix = matrix_of(300)
    for _ in range(4):
        start(embedder)
        assert products.products(matrix, QUERY) is None
        assert products.copied(SOON)
    assert len(asked(tmp_path, "hold")) == 2


def test_closing_ends_a_copy_that_is_being_made(
    tmp_path: Path, embedder: WorkerEmbedder, products: DeviceProducts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_products, "_BLOCK_BYTES", 1)
    start(embedder)
    matrix = matrix_of(50_000)
    assert products.products(matrix, QUERY) is None
    wait_for(lambda: asked(tmp_path, "hold"))
    embedder.close()
    products.close()
    assert products.copied(0)
    assert len(asked(tmp_path, "hold")) < 50_000
    start(embedder)
    assert products.products(matrix, QUERY) is None, "closed is closed"


def test_many_threads_may_ask_while_the_matrix_grows(embedder: WorkerEmbedder, products: DeviceProducts) -> None:
    start(embedder)
    versions = [matrix_of(300)]
    while len(versions) < 40:
        versions.append(grown(versions[-1], 11))

    def look(number: int) -> int:
        matrix = versions[number]
        found = matrix.products(QUERY, products)
        assert np.allclose(found[:-1], matrix.products(QUERY)[:-1], rtol=0, atol=1e-5)
        return len(found)

    with ThreadPoolExecutor(6) as pool:
        order = [number // 3 for number in range(120)]
        assert list(pool.map(look, order)) == [versions[number].size + 1 for number in order]
    assert products.copied(SOON)
    assert are_right(products.products(versions[-1], QUERY), versions[-1], versions[-1].size)
