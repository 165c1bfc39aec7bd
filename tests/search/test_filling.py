"""Vectors made in the background: paused, resumed, and told of, whoever asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.embedding.base import Kind
from jupyter_kb.errors import ModelError
from jupyter_kb.events import EmbeddingProgress, Event
from jupyter_kb.index.filling import UNIT
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import ModelStatus, SearchRequest
from jupyter_kb.search import filling
from jupyter_kb.settings import Settings
from jupyter_kb.testing import HashingEmbedder

SECONDS = 30.0
NOTES = 4 * UNIT


class Gated(HashingEmbedder):
    """Embeds a batch for each permit."""

    def __init__(self) -> None:
        super().__init__()
        self.permits = threading.Semaphore(0)
        self.batches = 0
        self.ended = False

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        if kind == "passage":
            self.batches += 1
            while not self.ended and not self.permits.acquire(timeout=0.01):
                pass
        return super().embed(texts, kind, urgent=urgent, timeout=timeout)

    def close(self) -> None:
        self.ended = True


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.005)


@pytest.fixture
def model() -> Gated:
    return Gated()


@pytest.fixture
def kb(tmp_path: Path, model: Gated) -> Iterator[KnowledgeBase]:
    """Four batches of text without vectors."""
    for number in range(NOTES):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\nThe text of number {number}.\n")
    with KnowledgeBase.open(tmp_path, settings=Settings(), in_memory=True, embedder=model) as opened:
        opened.scan()
        yield opened


def state(kb: KnowledgeBase) -> ModelStatus:
    found = kb.status().model
    assert found is not None
    return found


def test_a_pause_ends_the_background_after_its_batch_and_resuming_goes_on(kb: KnowledgeBase, model: Gated) -> None:
    kb.embed_in_background()
    until(lambda: model.batches == 1)

    status = kb.pause_embedding(True)
    model.permits.release(100)
    until(lambda: not kb.meaning.filling_now)

    assert status.model is not None
    assert status.model.paused
    assert (state(kb).embedded, state(kb).paused, model.batches) == (UNIT, True, 1)
    assert kb.search(SearchRequest(query="number", mode="text")).total == NOTES

    assert not (kb.pause_embedding(False).model or status.model).paused
    until(lambda: state(kb).embedded == NOTES)


def test_a_paused_vault_embeds_nothing_when_its_notes_change(kb: KnowledgeBase, model: Gated, tmp_path: Path) -> None:
    model.permits.release(100)
    kb.pause_embedding(True)
    kb.embed_in_background()
    (tmp_path / "new.md").write_text("# New\n")

    kb.scan()
    kb.search(SearchRequest(query="new"), fill=10_000)
    assert kb.meaning._filling is not None
    news = kb.meaning._filling._news
    for _ in range(2):  # who takes the second piece of news is through with the first
        until(lambda: not news.is_set())
        kb.meaning.tell()

    assert model.batches == 0
    kb.pause_embedding(False)
    until(lambda: state(kb).embedded == NOTES + 1)


def test_an_explicit_wish_ends_a_pause(kb: KnowledgeBase, model: Gated) -> None:
    model.permits.release(100)
    kb.pause_embedding(True)

    done = kb.embed()

    assert (done.embedded, done.pending) == (NOTES, 0)
    assert not state(kb).paused


def test_a_pause_ends_what_somebody_wished_for_too(kb: KnowledgeBase, model: Gated) -> None:
    found = []
    wishing = threading.Thread(target=lambda: found.append(kb.embed()))
    wishing.start()
    until(lambda: model.batches == 1)

    kb.pause_embedding(True)
    model.permits.release(100)
    wishing.join(SECONDS)

    assert [(done.embedded, done.pending) for done in found] == [(UNIT, NOTES - UNIT)]


def test_a_vault_without_a_model_cannot_be_paused(tmp_path: Path) -> None:
    with (
        KnowledgeBase.open(tmp_path, settings=Settings(model="none"), in_memory=True) as kb,
        pytest.raises(ModelError, match="switched off"),
    ):
        kb.pause_embedding(True)


def test_closing_a_paused_vault_ends_its_thread(kb: KnowledgeBase) -> None:
    kb.pause_embedding(True)
    kb.embed_in_background()

    kb.close()

    assert not [thread for thread in threading.enumerate() if thread.name == "kb-embed"]


def test_the_time_left_is_known_while_vectors_are_made_and_only_then(kb: KnowledgeBase, model: Gated) -> None:
    assert state(kb).seconds_left is None
    kb.embed_in_background()
    for batch in range(1, 3):
        until(lambda batch=batch: model.batches == batch)  # type: ignore[misc]
        model.permits.release()
    until(lambda: model.batches == 3)

    until(lambda: state(kb).seconds_left is not None)
    model.permits.release(100)
    until(lambda: state(kb).embedded == NOTES and not kb.meaning.filling_now)

    assert state(kb).seconds_left is None


def test_progress_is_told_at_most_once_a_second_and_at_the_end(
    kb: KnowledgeBase, model: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[EmbeddingProgress] = []

    def hear(event: Event) -> None:
        if isinstance(event, EmbeddingProgress):
            told.append(event)

    kb.events.subscribe(hear)
    monkeypatch.setattr(filling, "TOLD", 3600.0)
    model.permits.release(100)
    kb.embed()

    assert [(event.embedded, event.total, event.paused) for event in told] == [
        (0, NOTES, False),
        (NOTES, NOTES, False),
    ]
    kb.embed()  # nothing to do, nothing to tell
    assert len(told) == 2
    kb.pause_embedding(True)
    kb.pause_embedding(True)
    assert [event.paused for event in told[2:]] == [True]


def test_progress_is_told_while_the_vectors_are_made(
    kb: KnowledgeBase, model: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[EmbeddingProgress] = []
    kb.events.subscribe(lambda event: told.append(event) if isinstance(event, EmbeddingProgress) else None)
    monkeypatch.setattr(filling, "TOLD", 0.0)
    model.permits.release(100)

    kb.embed()

    assert len(told) == 1 + NOTES // UNIT
