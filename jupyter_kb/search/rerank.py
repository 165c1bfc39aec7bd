"""The best of a ranking put in the order that a reranker gives them; what it cannot judge in time stays as it was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from jupyter_kb.embedding.base import Reranker
from jupyter_kb.errors import ModelError
from jupyter_kb.index import chunks

DEPTH = 50
"""So many of the best are judged again."""
LONGEST = 2_000
"""Characters of a text that a reranker is given; what follows is cut off."""


class Reranked(NamedTuple):
    """What a reranker made of a ranking.

    `order` holds all its places, each once, in their new order. `scores` are those of the first places, by their old
    order; None when the order stands, and then `note` says why.
    """

    order: list[int]
    scores: list[float] | None
    note: str | None = None


def candidate(title: str, heading_path: str, passage: str) -> str:
    """What a reranker reads of a section: title, headings and passage, as the embedding model does."""
    return chunks.embedded(chunks.context(title, heading_path), passage)[:LONGEST]


def rerank(reranker: Reranker, query: str, texts: Sequence[str], *, count: int, seconds: float) -> Reranked:
    """Order `count` places, of which the first have these texts (no more than `DEPTH` of them are looked at).

    Places of equal score keep their order, as do all that were not judged, behind those that were. A reranker that
    fails, is not done after `seconds`, or gives what is no score for each text, changes nothing.
    """
    texts = [_sayable(text) for text in texts[:DEPTH]]
    stands = list(range(count))
    if not texts:
        return Reranked(stands, [])
    try:
        scores = [float(score) for score in reranker.scores(_sayable(query), texts, timeout=seconds)]
    except ModelError as error:
        return Reranked(stands, None, f"reranking left out: {error.message}")
    if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
        problem = f"{len(scores)} scores" if len(scores) != len(texts) else "scores that are no numbers"
        return Reranked(stands, None, f"reranking left out: {reranker.name} gave {problem} for {len(texts)} texts")
    judged = sorted(range(len(texts)), key=lambda place: -scores[place])
    return Reranked(judged + stands[len(texts) :], scores)


def _sayable(text: str) -> str:
    """Text as a tokenizer or JSON can carry it; bytes of a note that are no UTF-8 are in it as lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
