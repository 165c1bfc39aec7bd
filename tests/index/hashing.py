"""An embedder without a model: texts with the same words get the same vector."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from jupyter_kb.embedding.base import Kind, ModelInfo
from jupyter_kb.errors import ModelFailedError


class HashingEmbedder:
    """Counts each word in the place that its hash gives. Texts with a word of `refused` cannot be done."""

    def __init__(self, key: str = "hashing", *, dimensions: int = 24, refused: Sequence[str] = ()) -> None:
        self.name = f"the {key} model"
        self._key = key
        self.dimensions = dimensions
        self.refused = set(refused)
        self.texts: list[str] = []
        """All that was ever asked for, in order."""
        self.on_call: Callable[[], None] = lambda: None
        self._lock = threading.Lock()

    @property
    def key(self) -> str:
        return self._key

    @property
    def info(self) -> ModelInfo | None:
        return ModelInfo(name=self.name, dimensions=self.dimensions, device="cpu", dtype="float32")

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        with self._lock:
            self.texts += texts
        self.on_call()
        rows = np.array([self.vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimensions)
        failed = [index for index, text in enumerate(texts) if self.refused & set(text.split())]
        if failed:
            reasons = ["it was refused"] * len(failed)
            error = ModelFailedError("some texts were refused", indexes=failed, reasons=reasons)
            rows[failed] = np.nan
            error.vectors = rows if len(failed) < len(texts) else None  # type: ignore[attr-defined]
            raise error
        return rows

    def vector(self, text: str) -> NDArray[np.float32]:
        """The vector of one text, of unit length."""
        vector = np.full(self.dimensions, 0.01, dtype=np.float32)
        for word in text.split():
            vector[zlib.crc32(f"{self._key} {word}".encode()) % self.dimensions] += 1
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

    def warm(self) -> None:
        pass

    def close(self) -> None:
        pass
