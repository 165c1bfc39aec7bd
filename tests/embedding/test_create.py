"""Settings name an embedder; making one loads nothing. And the one for tests is a fair stand-in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jupyter_kb.embedding import create
from jupyter_kb.embedding.base import Embedder
from jupyter_kb.embedding.http import HttpEmbedder
from jupyter_kb.embedding.worker import WorkerEmbedder
from jupyter_kb.errors import ModelNotFoundError
from jupyter_kb.settings import Settings
from jupyter_kb.testing import HashingEmbedder

ROOT = Path(__file__).parent.parent.parent


def test_the_settings_say_which_embedder() -> None:
    assert create(Settings(model="none")) is None
    assert isinstance(create(Settings()), WorkerEmbedder)
    assert isinstance(create(Settings(embedding_url="http://localhost/v1")), HttpEmbedder)
    hashing = create(Settings(model="hashing:32"))
    assert isinstance(hashing, HashingEmbedder)
    assert hashing.info.dimensions == 32


def test_making_one_loads_nothing_heavy() -> None:
    program = (
        "import sys; from jupyter_kb.embedding import create; from jupyter_kb.settings import Settings;"
        "create(Settings()); create(Settings(embedding_url='http://localhost/v1')); create(Settings(model='hashing'));"
        "print(*sorted({'torch', 'numpy', 'httpx2', 'transformers', 'huggingface_hub'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True)

    assert loaded.stdout.split() == []


def test_hashing_puts_texts_that_share_words_near_each_other() -> None:
    embedder: Embedder = HashingEmbedder(64)
    rows = embedder.embed(["red apples and pears", "Pears, apples", "a stone bridge", ""], "passage")

    assert rows.shape == (4, 64)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1)
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]
    assert np.array_equal(
        rows, HashingEmbedder(64).embed(["red apples and pears", "pears apples", "a stone bridge", ""], "query")
    )


@pytest.mark.parametrize("name", ["hashing:0", "hashing:x", "hashing:-3", "hashing:99999999", "~nobody-of-this-name/x"])
def test_a_name_that_is_no_model_is_refused_only_where_the_model_is_needed(name: str) -> None:
    embedder = create(Settings(model=name))
    assert embedder is not None
    with pytest.raises(ModelNotFoundError):
        _ = embedder.key
