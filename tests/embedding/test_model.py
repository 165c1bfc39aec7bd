"""The model itself, on a tiny one with random weights: devices, number formats, batches, memory, prefixes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.embedding import hardware
from jupyter_kb.embedding.locate import locate
from jupyter_kb.errors import ModelFailedError
from jupyter_kb.settings import Settings
from tests.embedding.tiny import DIMENSIONS, FAMILIES, LIMIT, save, say, sentences

pytestmark = pytest.mark.slow  # importing torch alone takes longer than other tests

TEXTS = sentences(60)


@pytest.fixture(scope="module", autouse=True)
def _own_environment() -> Iterator[None]:
    """Loading sets what transformers reads."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def settings(folder: Path) -> Settings:
    return Settings(model=str(folder), device="cpu", dtype="float32", threads=1)


def loaded(settings: Settings) -> Any:
    from jupyter_kb.embedding.model import load

    return load(locate(settings), settings)


@pytest.fixture(scope="module")
def model(settings: Settings) -> Any:
    return loaded(settings)


@pytest.fixture(scope="module")
def expected(folder: Path, settings: Settings) -> Any:
    """What sentence-transformers itself gives."""
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return reference.encode(TEXTS, normalize_embeddings=True)


def test_vectors_are_those_of_sentence_transformers(model: Any, expected: Any) -> None:
    rows = model.embed(TEXTS, "passage")

    assert rows.dtype == np.float32
    assert np.abs(rows - expected).max() < 1e-5
    assert (model.info.dimensions, model.info.max_tokens) == (DIMENSIONS, LIMIT)
    assert (model.info.device, model.info.dtype) == ("cpu", "float32")


@pytest.mark.parametrize("tokens", [1, 40, 500])
def test_sizes_of_batches_change_nothing(
    model: Any, expected: Any, monkeypatch: pytest.MonkeyPatch, tokens: int
) -> None:
    monkeypatch.setattr(model, "_tokens", tokens)

    assert np.abs(model.embed(TEXTS, "passage") - expected).max() < 1e-5
    assert np.abs(model.embed(TEXTS[7:8], "passage") - expected[7:8]).max() < 1e-5


def test_two_threads_give_the_same(settings: Settings, expected: Any) -> None:
    model = loaded(replace(settings, threads=2))

    assert np.abs(model.embed(TEXTS, "passage") - expected).max() < 1e-5
    assert np.abs(model.embed(TEXTS[:1], "passage") - expected[:1]).max() < 1e-5


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(1, 200), st.integers(1, 5))
def test_batches_are_alike_in_length_and_no_larger_than_allowed(lengths: list[int], tokens: int, streams: int) -> None:
    from jupyter_kb.embedding.model import _batches

    batches = _batches(lengths, tokens, streams)

    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    flat = [lengths[index] for batch in batches for index in batch]
    assert flat == sorted(flat)
    sizes = [len(batch) * max(lengths[index] for index in batch) for batch in batches]
    assert all(size <= tokens or len(batch) == 1 for batch, size in zip(batches, sizes, strict=True))
    fewest = len(_batches(lengths, tokens, 1))
    assert len(batches) == fewest or fewest < len(batches) <= streams
    if fewest <= streams <= len(lengths) and len(set(lengths)) == 1 and lengths[0]:
        assert max(map(len, batches)) == -(-len(lengths) // streams), "the work is shared evenly"


@pytest.mark.parametrize("format", ["bfloat16", "float16"])
def test_shorter_number_formats_give_nearly_the_same(settings: Settings, expected: Any, format: str) -> None:
    rows = loaded(replace(settings, dtype=format))
    vectors = rows.embed(TEXTS, "passage")

    assert rows.info.dtype == format
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-3)
    assert (vectors * expected).sum(axis=1).min() > 0.995


def test_a_model_that_overflows_a_short_format_runs_in_float32(
    settings: Settings, folder: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = Path(shutil.copytree(folder, tmp_path / "wide"))
    weights = load_file(copy / "model.safetensors")
    weights["embeddings.LayerNorm.weight"] *= 1e6
    save_file(weights, copy / "model.safetensors", {"format": "pt"})

    model = loaded(replace(settings, model=str(copy), dtype="float16"))

    assert model.info.dtype == "float32"
    assert np.isfinite(model.embed(TEXTS, "passage")).all()


def test_when_memory_runs_out_batches_are_halved(model: Any, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    forward, sizes = model._transformer.forward, []

    def limited(features: dict[str, Any], **options: Any) -> Any:
        sizes.append(features["input_ids"].numel())
        if sizes[-1] > 50:
            raise torch.OutOfMemoryError("out of memory")
        return forward(features, **options)

    monkeypatch.setattr(model._transformer, "forward", limited)
    monkeypatch.setattr(model, "_tokens", 1_024)

    assert np.abs(model.embed(TEXTS, "passage") - expected).max() < 1e-5
    assert max(sizes) > 50
    assert model._tokens < 1_024, "later batches are smaller from the start"


def test_a_text_that_finds_no_memory_alone_is_an_error(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def never(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(model._transformer, "forward", never)
    monkeypatch.setattr(model, "_tokens", 1_024)
    with pytest.raises(torch.OutOfMemoryError):
        model.embed(TEXTS, "passage")


def test_own_prompts_of_a_model_go_in_front(settings: Settings, folder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    copy = Path(shutil.copytree(folder, tmp_path / "prompted"))
    say(copy, query="find: ", document="a note: ")
    reference = SentenceTransformer(str(copy), device="cpu", local_files_only=True)
    model = loaded(replace(settings, model=str(copy)))

    for kind, encode in (("query", reference.encode_query), ("passage", reference.encode_document)):
        wanted = encode(TEXTS[:9], normalize_embeddings=True)
        assert np.abs(model.embed(TEXTS[:9], kind) - wanted).max() < 1e-5


def test_texts_that_no_tokenizer_takes_are_made_readable(model: Any) -> None:
    rows = model.embed(["half a pair \udcff", "", "x" * 100_000, "使用 🙂"], "passage")

    assert np.linalg.norm(rows, axis=1) == pytest.approx(1)


@pytest.mark.parametrize("left", [False, True])
def test_padding_is_cut_at_the_end_where_it_is(left: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from jupyter_kb.embedding import model
    from jupyter_kb.embedding.model import _lengths, _part

    monkeypatch.setattr(model, "_STEP", 2)

    rows = [[1, 2, 3, 4, 5], [6, 7, 0, 0, 0], [8, 0, 0, 0, 0]]
    ids = torch.tensor([sorted(row, key=bool) if left else row for row in rows])
    features = {"input_ids": ids, "attention_mask": (ids > 0).long(), "modality": "text", "prompt_length": 1}
    lengths = _lengths(features, 3)
    assert lengths == [5, 2, 1]

    part = _part(features, [2, 1], lengths)

    assert part["input_ids"].tolist() == ([[0, 8], [6, 7]] if left else [[8, 0], [6, 7]])
    assert part["attention_mask"].tolist() == ([[0, 1], [1, 1]] if left else [[1, 0], [1, 1]])
    assert (part["modality"], part["prompt_length"]) == ("text", 1)
    assert _lengths({**features, "pixels": torch.zeros(3, 4, 4)}, 3) is None


def test_models_that_take_no_padded_rows_are_run_as_they_are(
    model: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyter_kb.embedding.model._lengths", lambda *_: None)

    assert np.abs(model.embed(TEXTS, "passage") - expected).max() < 1e-5


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("format", ["float32", "bfloat16"])
def test_packed_texts_get_the_vectors_of_padded_ones(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, format: str
) -> None:
    from jupyter_kb.embedding import packing

    folder = save(tmp_path, family)
    same = ["as you", *TEXTS[:20], "is it", "on to", *TEXTS[20:40]]
    packed = loaded(replace(settings, model=str(folder), dtype=format))
    monkeypatch.setattr(packing, "FAMILIES", ())
    padded = loaded(replace(settings, model=str(folder)))
    assert packed._part is not padded._part

    for cells in (1, 2_000, 1 << 20):
        monkeypatch.setattr(packing, "_CELLS", cells)
        rows = packed.embed(same, "passage")
        wanted = padded.embed(same, "passage")
        assert (rows * wanted).sum(axis=1).min() > (0.999999 if format == "float32" else 0.999)


def test_parts_of_a_model_that_want_padded_rows_get_them(
    settings: Settings, folder: Path, tmp_path: Path, expected: Any
) -> None:
    from jupyter_kb.embedding.model import _part

    copy = Path(shutil.copytree(folder, tmp_path / "other"))
    modules = json.loads((copy / "modules.json").read_text(encoding="utf-8"))
    layer = "sentence_transformers.sentence_transformer.modules.Dropout"
    modules.append({"idx": 2, "name": "2", "path": "2_Dropout", "type": layer})
    (copy / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    (copy / "2_Dropout").mkdir()
    (copy / "2_Dropout" / "config.json").write_text('{"dropout": 0.2}', encoding="utf-8")

    model = loaded(replace(settings, model=str(copy)))

    assert model._part is _part
    assert np.abs(model.embed(TEXTS, "passage") - expected).max() < 1e-5


@pytest.mark.parametrize("place", ["config.json", "modules.json"])
def test_code_that_comes_with_a_model_is_never_run(
    settings: Settings, folder: Path, tmp_path: Path, place: str
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "coded"))
    described = json.loads((copy / place).read_text(encoding="utf-8"))
    if place == "config.json":
        described |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    else:
        described[0]["type"] = "own.Transformer"
    (copy / place).write_text(json.dumps(described), encoding="utf-8")
    (copy / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")

    with pytest.raises(ModelFailedError, match="Python code"):
        loaded(replace(settings, model=str(copy)))
    assert not (tmp_path / "ran").exists()


def test_weights_that_are_not_the_published_ones_are_refused(settings: Settings) -> None:
    from jupyter_kb.embedding.model import load

    with pytest.raises(ModelFailedError, match="not the published model"):
        load(replace(locate(settings), weights="0" * 64), settings)


def test_a_device_that_is_not_here_is_told(settings: Settings) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has the device")
    for device in ("cuda", "rocm", "cuda:7", "abacus", "meta", "xpu"):
        with pytest.raises(ModelFailedError, match=device):
            loaded(replace(settings, device=device))
    with pytest.raises(ModelFailedError, match="int3"):
        loaded(replace(settings, dtype="int3"))


@pytest.mark.parametrize(
    ("hip", "cuda", "mps", "device", "shown", "format"),
    [
        (None, True, False, "cuda", "cuda (Some GPU)", "float16"),
        ("6.4", True, False, "cuda", "cuda (ROCm, Some GPU)", "float16"),
        (None, False, True, "mps", "mps", "float16"),
        (None, False, False, "cpu", "cpu", "bfloat16"),
    ],
)
def test_the_best_device_is_chosen(
    monkeypatch: pytest.MonkeyPatch, hip: str | None, cuda: bool, mps: bool, device: str, shown: str, format: str
) -> None:
    import torch

    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Some GPU")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    monkeypatch.setattr(hardware, "_has_bfloat16", lambda: True)

    chosen = hardware.device("auto")

    assert (chosen.type, hardware.described(chosen)) == (device, shown)
    assert str(hardware.number_format("auto", chosen)) == f"torch.{format}"
    assert str(hardware.number_format("float32", chosen)) == "torch.float32"


def test_a_gpu_that_does_not_work_is_done_without(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has one that works")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Some GPU")

    model = loaded(replace(settings, device="auto"))

    assert model.info.device == "cpu"
    assert np.isfinite(model.embed(TEXTS, "passage")).all()


def test_one_processor_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, used in ((1, 1), (2, 1), (16, 15)):
        monkeypatch.setattr(hardware, "processors", lambda there=there: there)
        assert hardware.threads(0) == used
    assert hardware.threads(3) == 3
