"""A cross-encoder: reads a query and a text together and says how well the one answers the other. Torch lives here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.embedding import hardware
from jupyter_kb.embedding.base import ModelInfo
from jupyter_kb.embedding.locate import Located
from jupyter_kb.errors import ModelFailedError, ModelNotFoundError
from jupyter_kb.settings import Settings

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

CPU_TOKENS = 2_048
GPU_TOKENS = 16_384
"""Tokens of a batch, padding counted. A CPU is slower with more, and a GPU that has no room for so many gets half."""
_PROBE = ("A question that the model must be able to read.", "And a text of some more words, before it is used.")
_ARCHITECTURES = ("ForSequenceClassification", "ForCausalLM", "ForConditionalGeneration")


def load(located: Located, settings: Settings) -> CrossEncoderModel:
    """Load a model from its folder, on the device and in the format that the embedding model would have.

    Raises
    ------
    ModelNotFoundError : the folder holds no cross-encoder.
    """
    threads = hardware.threads(settings.threads)
    hardware.prepare(threads)
    import torch

    torch.set_num_threads(threads)
    device = hardware.device(settings.device)
    format = hardware.number_format(settings.dtype, device)
    model = _loaded(located, device, format)
    if format != torch.float32 and not np.isfinite(model.rerank(_PROBE, _PROBE[0])).all():
        model = _loaded(located, device, torch.float32)  # trained in a wider range than this format has
    return model


def _loaded(located: Located, device: torch.device, format: torch.dtype) -> CrossEncoderModel:
    name = str(format).removeprefix("torch.")
    model = CrossEncoderModel(located.folder, name=located.name, device=str(device), dtype=name)
    model.info = replace(model.info, device=hardware.described(device))
    return model


class CrossEncoderModel:
    """A model that sentence-transformers can load from a folder; nothing is ever fetched, no code of the folder's run.

    `device` and `dtype` are torch's names of them, as chosen for the embedding model.

    Raises
    ------
    ModelNotFoundError : the folder holds no cross-encoder.
    """

    def __init__(self, folder: Path, *, name: str = "", device: str = "cpu", dtype: str = "float32") -> None:
        _check(folder)
        import torch
        from sentence_transformers import CrossEncoder

        self._model = CrossEncoder(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": getattr(torch, dtype)},
        )
        if self._model.num_labels != 1:
            raise ModelNotFoundError(
                f"the model in {folder} gives {self._model.num_labels} figures for a text, a reranker gives one",
                hint="name another model by `rerank`",
                looked=[str(folder)],
            )
        self._batch_tokens = CPU_TOKENS if device == "cpu" else GPU_TOKENS
        self.info = ModelInfo(
            name=name or folder.name,
            dimensions=1,
            device=device,
            dtype=dtype,
            max_tokens=self._model.max_seq_length,
        )

    def rerank(self, texts: Sequence[str], query: str) -> NDArray[np.float32]:
        """A score a text, in their order; what the model gives before any squashing, so that none become equal by it.

        Raises
        ------
        ModelFailedError : not even one text has room on the device.
        """
        import torch

        scores = np.empty(len(texts), dtype=np.float32)
        waiting = list(_batches(self._lengths(query, texts), self._batch_tokens))[::-1]
        while waiting:
            batch = waiting.pop()
            try:
                scores[batch] = self._predicted([(query, texts[place]) for place in batch])
            except torch.OutOfMemoryError:
                if len(batch) == 1:
                    raise ModelFailedError(
                        f"{self.info.device} has no room for the reranker {self.info.name}"
                    ) from None
                middle = len(batch) // 2
                waiting += [batch[middle:], batch[:middle]]
                self._batch_tokens = max(512, self._batch_tokens // 2)
                _let_go()
        return scores

    def _predicted(self, pairs: list[tuple[str, str]]) -> NDArray[np.float32]:
        import torch

        found: NDArray[np.float32] = self._model.predict(
            pairs, batch_size=len(pairs), activation_fn=torch.nn.Identity(), show_progress_bar=False
        )
        return found

    def _lengths(self, query: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each pair, as far as the model reads."""
        if not texts:
            return []
        longest = self._model.max_seq_length or CPU_TOKENS
        encoded = self._model.tokenizer([query] * len(texts), list(texts), truncation=True, max_length=longest)
        return [len(ids) for ids in encoded["input_ids"]]


def _batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Places of like lengths together, the longest first, no more tokens a batch than `most` unless it is one text."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _let_go() -> None:
    """Give back what a batch that failed had taken of a GPU."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _check(folder: Path) -> None:
    """Refuse what would be loaded, but with a last layer of random numbers."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        kinds = config.get("architectures") or []
    except (OSError, ValueError, AttributeError):
        raise ModelNotFoundError(
            f"there is no model in {folder}: it has no config.json that can be read",
            hint="name the folder of a cross-encoder by `rerank`",
            looked=[str(folder)],
        ) from None
    if not any(str(kind).endswith(_ARCHITECTURES) for kind in kinds):
        raise ModelNotFoundError(
            f"the model in {folder} is no cross-encoder ({', '.join(map(str, kinds)) or 'of unknown kind'})",
            hint="name a cross-encoder by `rerank`; an embedding model cannot rerank",
            looked=[str(folder)],
        )
