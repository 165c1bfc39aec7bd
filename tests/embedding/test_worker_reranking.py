"""A reranker in a process of its own: the operation it is asked for, its time, and its failures."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.embedding.reranking import WorkerReranker, create_reranker
from jupyter_kb.errors import ModelBusyError, ModelError, ModelFailedError, ModelNotFoundError
from jupyter_kb.settings import Settings

TEXTS = ["middling", "a longer one", "short"]


class ByLength:
    """Runs in the worker: longer texts are better, and some queries make trouble."""

    info = None

    def rerank(self, texts: Sequence[str], query: str) -> NDArray[np.float32]:
        if query == "hang":
            threading.Event().wait(60)
        if query == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if query == "nan":
            return np.full(len(texts), np.nan, np.float32)
        return np.array([len(text) for text in texts], np.float32)


def load(*arguments: Any) -> ByLength:
    """Called in the worker."""
    return ByLength()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that passes for a model's."""
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"")
    return tmp_path


@contextmanager
def working(model: Path | str) -> Iterator[WorkerReranker]:
    reranker = WorkerReranker(Settings(rerank=str(model)), load=f"{__name__}:load")
    try:
        yield reranker
    finally:
        reranker.close()


def test_scores_come_from_the_process_in_the_order_of_the_texts(folder: Path) -> None:
    with working(folder) as reranker:
        assert reranker.scores("q", TEXTS, timeout=60) == [8.0, 12.0, 5.0]
        assert reranker.scores("q", [], timeout=60) == []


def test_a_module_in_the_working_folder_is_not_run(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path_factory.mktemp("vault")
    (here / "pickle.py").write_text("open('was-run', 'w')\nraise SystemExit(1)\n", encoding="utf-8")
    monkeypatch.chdir(here)
    with working(folder) as reranker:
        assert reranker.scores("q", TEXTS, timeout=60) == [8.0, 12.0, 5.0]
    assert not (here / "was-run").exists()


def test_it_is_left_when_the_time_is_over(folder: Path) -> None:
    with working(folder) as reranker:
        reranker.scores("q", TEXTS, timeout=60)
        started = time.monotonic()
        with pytest.raises(ModelBusyError):
            reranker.scores("hang", TEXTS, timeout=0.2)

        assert time.monotonic() - started < 5


@pytest.mark.parametrize("query", ["die", "nan"])
def test_a_crash_or_no_numbers_is_a_failure_and_the_next_question_is_answered(folder: Path, query: str) -> None:
    with working(folder) as reranker:
        with pytest.raises(ModelFailedError):
            reranker.scores(query, TEXTS[:1], timeout=60)

        assert reranker.scores("q", TEXTS, timeout=60) == [8.0, 12.0, 5.0]


def test_a_model_that_is_not_here_is_told_with_the_places(tmp_path: Path) -> None:
    with working(tmp_path / "none") as reranker, pytest.raises(ModelNotFoundError) as caught:
        reranker.scores("q", TEXTS, timeout=60)

    assert str(tmp_path / "none") in caught.value.message


def test_the_settings_may_name_a_model_of_this_machine(tmp_path: Path) -> None:
    reranker = create_reranker(Settings(rerank=str(tmp_path)))

    assert reranker is not None
    assert reranker.name == str(tmp_path)
    with pytest.raises(ModelError):
        reranker.scores("q", TEXTS, timeout=60)
    reranker.close()


@pytest.mark.slow
def test_a_real_cross_encoder_reranks_in_the_process(tmp_path: Path) -> None:
    from jupyter_kb.embedding.cross_encoder import CrossEncoderModel
    from tests.embedding.test_cross_encoder import save_model

    model = save_model(tmp_path / "tiny")
    here = CrossEncoderModel(model).rerank(TEXTS, "how do kites fly")
    reranker = create_reranker(Settings(rerank=str(model), device="cpu", dtype="float32", threads=1))
    assert reranker is not None

    there = reranker.scores("how do kites fly", TEXTS, timeout=120)
    reranker.close()

    assert there == pytest.approx(here.tolist(), abs=1e-4)
