"""What the rest of the house knows of a model: an `Embedder` gives vectors, a `Reranker` gives scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from jupyter_kb.errors import ModelFailedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["query", "passage"]


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """A model that runs. `dimensions` of its vectors; `max_tokens` is what it reads of a text, the rest is cut off.

    `gpu`: it runs on one, in a process of its own that multiplies matrices there, too.
    """

    name: str
    dimensions: int
    device: str
    dtype: str
    max_tokens: int | None = None
    gpu: bool = False


class PartlyFailedError(ModelFailedError):
    """Some texts cannot be done, the others are.

    `details["indexes"]` holds the positions of those that failed, `details["reasons"]` a sentence for each. `vectors`
    has a row a text, NaN where it failed; None when all failed.
    """

    def __init__(self, failed: Mapping[int, str], vectors: NDArray[np.float32] | None, count: int) -> None:
        indexes = sorted(failed)
        super().__init__(
            f"the model failed for {len(indexes)} of {count} texts: {failed[indexes[0]]}",
            indexes=indexes,
            reasons=[failed[index] for index in indexes],
        )
        self.vectors = vectors


class Embedder(Protocol):
    """Texts to vectors. Safe to use from several threads."""

    name: str
    """As configured, for people."""

    @property
    def key(self) -> str:
        """What its vectors are filed under: equal keys, comparable vectors. Found without starting the model.

        Raises
        ------
        ModelNotFoundError : it is not on this machine; within a second, without asking any network.
        """

    @property
    def info(self) -> ModelInfo | None:
        """What is known once it has run; None before."""

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        """One row of unit length a text, in their order (shape: texts × dimensions).

        `urgent` goes before all that waits and is not urgent. After `timeout` seconds the caller is let go.

        Raises
        ------
        ModelNotFoundError : it is not on this machine.
        ModelBusyError : not done within `timeout`.
        ModelFailedError : its process or its server failed; PartlyFailedError where that is for some of the texts only.
        """

    def warm(self) -> None:
        """Begin to start it, without waiting."""

    def close(self) -> None:
        """End it; waiting callers get ModelFailedError. It starts again when asked again."""


class Reranker(Protocol):
    """How well each of some texts answers a query."""

    name: str

    def scores(self, query: str, texts: Sequence[str], *, timeout: float) -> Sequence[float]:
        """A score a text, in their order; larger is better.

        Raises
        ------
        ModelError : as for embedding.
        """

    def close(self) -> None:
        """End it."""
