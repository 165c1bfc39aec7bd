"""The model that is there without any setting, in its own process: it knows what is near to what, and stays offline."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jupyter_kb.embedding import create
from jupyter_kb.embedding.base import Embedder
from jupyter_kb.settings import DEFAULT_MODEL, Settings

pytestmark = pytest.mark.slow  # importing torch alone takes longer than other tests

ROOT = Path(__file__).parent.parent.parent
PASSAGES = [
    "Bread needs flour, water, salt and yeast; knead the dough and let it rise before baking.",
    "A bicycle's chain should be cleaned and oiled every few hundred kilometres.",
    "Database transactions are atomic: either all changes are written or none.",
]
QUESTIONS = ["how do I make a loaf at home", "looking after my bike", "what happens when a commit fails halfway"]


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    with pytest.MonkeyPatch.context() as patch:
        # an empty hub cache, so that the wheel's model is found; and no way out
        patch.setenv("HF_HUB_CACHE", str(tmp_path_factory.mktemp("hub")))
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.setenv(name, "http://127.0.0.1:9")
        found = create(Settings(threads=1))
        assert found is not None
        yield found
        found.close()


def test_a_question_is_nearest_to_the_passage_that_answers_it(embedder: Embedder) -> None:
    passages = embedder.embed(PASSAGES, "passage")
    questions = embedder.embed(QUESTIONS, "query", urgent=True)

    assert passages.shape == (3, 384)
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1, abs=1e-5)
    assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]
    assert embedder.info is not None
    assert (embedder.info.name, embedder.info.dimensions, embedder.info.max_tokens) == (DEFAULT_MODEL, 384, 256)


def test_the_same_text_has_the_same_vector_in_any_company(embedder: Embedder) -> None:
    long = [f"{passage} " * (number % 9 + 1) + str(number) for number in range(30) for passage in PASSAGES]
    together = embedder.embed([*PASSAGES, *long], "passage")[:3]

    assert np.array_equal(embedder.embed(PASSAGES, "passage"), embedder.embed(PASSAGES, "passage"))
    for passage, row in zip(PASSAGES, together, strict=True):
        assert embedder.embed([passage], "passage")[0] @ row > 0.999


def test_its_key_names_it_and_is_the_same_in_every_process(embedder: Embedder) -> None:
    program = (
        "from jupyter_kb.embedding import create; from jupyter_kb.settings import Settings; import sys;"
        "print(create(Settings()).key); assert not {'torch', 'numpy', 'huggingface_hub'} & set(sys.modules)"
    )
    other = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True)

    assert embedder.key.startswith(f"{DEFAULT_MODEL}@")
    assert other.stdout.strip() == embedder.key
