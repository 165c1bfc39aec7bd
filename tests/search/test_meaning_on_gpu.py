"""Search with the product on the model's device: the same answers, whatever happens beside it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb import embedding
from jupyter_kb.embedding import device_products
from jupyter_kb.embedding.device_products import DeviceProducts
from jupyter_kb.embedding.worker import WorkerEmbedder
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import SearchRequest, SectionRef
from jupyter_kb.settings import Settings
from tests.embedding.pretending import REAL
from tests.embedding.stub import gone, wait_for
from tests.embedding.tiny import WORDS, save, say

pytestmark = pytest.mark.slow

NOTES = 60
SECTIONS = 5
SOON = 60.0
Found = dict[tuple[str, str], float]
"""Scores by file and heading path."""


def text_of(number: int) -> str:
    drawn = np.random.default_rng(number)
    sections = [" ".join(drawn.choice(WORDS, 12)) for _ in range(SECTIONS)]
    return "".join(f"# {WORDS[at]}\n\n{section}\n\n" for at, section in enumerate(sections))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two, whose vectors differ."""
    folder = tmp_path_factory.mktemp("models")
    one, other = save(folder / "one"), save(folder / "other")
    say(other, query="to the ", document="was it ")
    return one, other


@pytest.fixture(autouse=True)
def _pretending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "create", lambda settings: WorkerEmbedder(settings, load=REAL))
    monkeypatch.setattr(device_products, "LEAST_ROWS", 50)
    monkeypatch.setattr(device_products, "PATIENCE", SOON)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many products the device gave, for each search that it gave some."""
    counts: list[int] = []
    real = DeviceProducts.products

    def products(self: DeviceProducts, matrix: Any, query: NDArray[np.float32]) -> NDArray[np.float32] | None:
        found = real(self, matrix, query)
        if found is not None:
            counts.append(len(found))
        return found

    monkeypatch.setattr(DeviceProducts, "products", products)
    return counts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(NOTES):
        (folder / f"{number:02}.md").write_text(text_of(number))
    return folder


def opened(root: Path, model: Path) -> KnowledgeBase:
    settings = Settings(model=str(model), device="cpu", dtype="float32", threads=1)
    return KnowledgeBase.open(root, index_dir=root.parent / "index", settings=settings)


@pytest.fixture
def kb(root: Path, models: tuple[Path, Path]) -> Iterator[KnowledgeBase]:
    with opened(root, models[0]) as kb:
        kb.scan()
        yield kb


def alike(one: Found, other: Found) -> bool:
    """Within what rounding makes of scores."""
    return one.keys() == other.keys() and all(abs(one[key] - other[key]) < 1e-4 for key in one)


def found(kb: KnowledgeBase, query: str) -> Found:
    """Everything that a search finds."""
    results = kb.search(SearchRequest(query=query, mode="semantic", limit=10_000))
    assert results.note is None
    return {(hit.file, hit.heading_path): hit.score for hit in results.hits}


def by_numpy(kb: KnowledgeBase, query: str) -> Found:
    """The same, without the device."""
    multiplier, kb.meaning.vectors._multiplier = kb.meaning.vectors._multiplier, None
    try:
        return found(kb, query)
    finally:
        kb.meaning.vectors._multiplier = multiplier


def on_device(kb: KnowledgeBase, query: str) -> Found:
    """The same, once all that was known before is on the device."""
    found(kb, query)
    assert kb.meaning._device.copied(SOON)
    return found(kb, query)


def test_the_device_finds_what_numpy_finds_also_after_edits(kb: KnowledgeBase, root: Path, given: list[int]) -> None:
    kb.embed()
    chunks = NOTES * SECTIONS
    assert alike(by_numpy(kb, "that he was"), on_device(kb, "that he was"))
    assert set(given) == {chunks}
    (root / "new.md").write_text(text_of(NOTES))
    kb.scan()
    kb.embed()
    assert alike(on_device(kb, "as with you"), by_numpy(kb, "as with you"))
    assert set(given) == {chunks, chunks + SECTIONS}
    given.clear()
    like = SectionRef(file="new.md", heading_path=WORDS[0])
    assert kb.search(SearchRequest(like=like, limit=5)).hits
    assert set(given) == {chunks + SECTIONS}


def test_a_process_that_is_killed_gets_them_again(kb: KnowledgeBase, given: list[int]) -> None:
    kb.embed()
    expected = on_device(kb, "that he was")
    pid = kb.meaning.embedder.pid if isinstance(kb.meaning.embedder, WorkerEmbedder) else None
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: gone(pid))
    assert alike(found(kb, "that he was"), expected)
    given.clear()
    assert alike(on_device(kb, "that he was"), expected)
    assert given


def test_searches_while_notes_are_embedded_are_right(kb: KnowledgeBase, root: Path, given: list[int]) -> None:
    kb.embed()
    on_device(kb, "that he was")
    for number in range(NOTES, 4 * NOTES):
        (root / f"{number}.md").write_text(text_of(number))
    kb.scan()
    given.clear()
    done = threading.Event()

    def fill() -> None:
        kb.embed()
        done.set()

    def look(query: str) -> int:
        times = 0
        while not done.is_set():
            results = kb.search(SearchRequest(query=query, mode="semantic", limit=30))
            assert results.mode == "text" or len(results.hits) == 30
            times += 1
        return times

    with ThreadPoolExecutor(4) as pool:
        filling = pool.submit(fill)
        counts = [pool.submit(look, query) for query in ("that he was", "as with you", "on it")]
        filling.result(SOON)
        assert all(count.result(SOON) for count in counts)
    for query in ("that he was", "as with you", "on it"):
        assert alike(on_device(kb, query), by_numpy(kb, query))
    assert max(given) == kb.meaning.vectors.count(kb.meaning.vectors.searchable() or "").embedded


def test_vectors_of_the_model_before_and_then_of_its_successor(
    root: Path, models: tuple[Path, Path], given: list[int]
) -> None:
    with opened(root, models[0]) as kb:
        kb.scan()
        kb.embed()
        expected = by_numpy(kb, "that he was")
    with opened(root, models[1]) as kb:
        assert alike(on_device(kb, "that he was"), expected)
        assert given, "on the device of the model before"
        kb.embed()
        given.clear()
        successor = on_device(kb, "that he was")
        assert given
        assert alike(successor, by_numpy(kb, "that he was"))
        assert not alike(successor, expected), "it has vectors of its own"
