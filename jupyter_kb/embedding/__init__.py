"""Models that turn texts into vectors, and models that judge how well a text answers a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_kb.embedding.base import Embedder, Reranker
    from jupyter_kb.settings import Settings


def create(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, not started yet; None for the model `none`.

    The model `hashing` or `hashing:N` is that of `jupyter_kb.testing`: N numbers a text, no model at all.
    """
    if settings.model == "none":
        return None
    if settings.embedding_url:
        from jupyter_kb.embedding.http import HttpEmbedder

        return HttpEmbedder(settings)
    if re.fullmatch(r"hashing(:[1-9]\d{0,3})?", settings.model):
        from jupyter_kb.testing import HashingEmbedder

        return HashingEmbedder(int(settings.model.partition(":")[2] or 64))
    from jupyter_kb.embedding.worker import WorkerEmbedder

    return WorkerEmbedder(settings)


def create_reranker(settings: Settings) -> Reranker | None:
    """The reranker that the settings name, not started yet; None where they name none."""
    if settings.rerank is None:
        return None
    from jupyter_kb.embedding import reranking

    return reranking.create_reranker(settings)
