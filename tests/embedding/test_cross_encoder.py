"""A cross-encoder as it is really loaded and run, with a tiny model of random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jupyter_kb.embedding.cross_encoder import CrossEncoderModel, _batches
from jupyter_kb.errors import ModelFailedError, ModelNotFoundError

SENTENCE = "how do kites fly in steady wind a line is pulled to land it run forward then let go"
TEXTS = ["kites fly in steady wind", "run", "let go", f"{SENTENCE} " * 8, "a line is pulled to land it", "wind " * 40]

pytestmark = pytest.mark.slow


def save_model(folder: Path, *, labels: int = 1) -> Path:
    """Write a BERT of two small layers that reads 64 tokens."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: place for place, word in enumerate([*special, *sorted(set(SENTENCE.split()))])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names).save_pretrained(folder)
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=1.0,
        id2label={place: str(place) for place in range(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cross-encoder; torch works with one thread as long as it is there."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield save_model(tmp_path_factory.mktemp("model") / "tiny")
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def model(folder: Path) -> CrossEncoderModel:
    return CrossEncoderModel(folder)


def alone(folder: Path, query: str) -> list[float]:
    """The scores by transformers itself, each pair in a batch of its own."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return [
            model(**tokenizer(query, text, truncation=True, max_length=64, return_tensors="pt")).logits.item()
            for text in TEXTS
        ]


def test_scores_are_those_of_each_pair_alone(model: CrossEncoderModel, folder: Path) -> None:
    found = model.rerank(TEXTS, "how do kites fly")

    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx(alone(folder, "how do kites fly"), abs=1e-4)
    assert len(set(found.tolist())) == len(TEXTS)


def test_the_query_matters(model: CrossEncoderModel) -> None:
    assert not np.allclose(model.rerank(TEXTS, "how do kites fly"), model.rerank(TEXTS, "let go"), atol=1e-2)


def test_scores_do_not_depend_on_the_batches(model: CrossEncoderModel, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model.rerank(TEXTS, "steady wind")
    monkeypatch.setattr(model, "_batch_tokens", 64)

    assert np.allclose(model.rerank(TEXTS, "steady wind"), whole, atol=1e-4)


def test_no_texts_have_no_scores(model: CrossEncoderModel) -> None:
    assert model.rerank([], "steady wind").shape == (0,)


def test_a_batch_without_room_is_halved(model: CrossEncoderModel, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    whole = model.rerank(TEXTS, "steady wind")
    predicted, sizes = model._predicted, []

    def short_of_memory(pairs: list[tuple[str, str]]) -> Any:
        sizes.append(len(pairs))
        if len(pairs) > 2:
            raise torch.OutOfMemoryError
        return predicted(pairs)

    monkeypatch.setattr(model, "_predicted", short_of_memory)
    monkeypatch.setattr(model, "_batch_tokens", model._batch_tokens)

    assert np.allclose(model.rerank(TEXTS, "steady wind"), whole, atol=1e-4)
    assert sizes == [6, 3, 1, 2, 3, 1, 2]


def test_a_single_text_without_room_is_a_failure(model: CrossEncoderModel, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def no_memory(pairs: list[tuple[str, str]]) -> Any:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(model, "_predicted", no_memory)
    monkeypatch.setattr(model, "_batch_tokens", model._batch_tokens)

    with pytest.raises(ModelFailedError, match="no room"):
        model.rerank(TEXTS, "steady wind")


def test_half_precision_orders_alike(model: CrossEncoderModel, folder: Path) -> None:
    half = CrossEncoderModel(folder, dtype="bfloat16")

    found = half.rerank(TEXTS, "how do kites fly")

    assert (half.info.dtype, half.info.device, half.info.max_tokens) == ("bfloat16", "cpu", 64)
    assert np.corrcoef(found, model.rerank(TEXTS, "how do kites fly"))[0, 1] > 0.99


def test_batches_hold_like_lengths_and_no_more_than_the_most() -> None:
    lengths = [5, 60, 7, 64, 3, 8]

    found = list(_batches(lengths, 64))

    assert found == [[3], [1], [5, 2, 0, 4]]


def test_what_is_no_cross_encoder_is_refused(folder: Path, tmp_path: Path) -> None:
    embedding = shutil.copytree(folder, tmp_path / "embedding")
    config = json.loads((embedding / "config.json").read_text(encoding="utf-8"))
    (embedding / "config.json").write_text(json.dumps({**config, "architectures": ["BertModel"]}), encoding="utf-8")

    for place, told in (
        (embedding, "no cross-encoder"),
        (tmp_path, "no config.json"),
        (save_model(tmp_path / "three", labels=3), "gives 3 figures"),
    ):
        with pytest.raises(ModelNotFoundError, match=told) as caught:
            CrossEncoderModel(place)
        assert caught.value.details["looked"] == [str(place)]
        assert caught.value.hint
