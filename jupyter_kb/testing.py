"""For tests: an embedder without a model, quick and the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from blake3 import blake3

from jupyter_kb.embedding.base import Kind, ModelInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Each word adds a fixed direction, so texts are near each other by the words that they share.

    `Settings(model="hashing:64")` selects it. What was asked is kept in `asked`.
    """

    def __init__(self, dimensions: int = 64) -> None:
        self.name = f"hashing:{dimensions}"
        self.key = f"{self.name}@1"
        self.info = ModelInfo(name=self.name, dimensions=dimensions, device="cpu", dtype="float32")
        self.asked: list[tuple[Kind, tuple[str, ...]]] = []
        self._words: dict[str, NDArray[np.float32]] = {}

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        """A row of unit length a text."""
        import numpy as np

        self.asked.append((kind, tuple(texts)))
        rows = np.zeros((len(texts), self.info.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.lower()) or [""]:
                row += self._direction(word)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def warm(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""

    def _direction(self, word: str) -> NDArray[np.float32]:
        """Eight bits of a hash a number, centred on zero; no word has a direction of length zero."""
        import numpy as np

        if word not in self._words:
            digest = blake3(word.encode("utf-8", "replace")).digest(length=self.info.dimensions)
            self._words[word] = np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5
        return self._words[word]
