"""Texts one behind the other instead of padded to one length, for CPUs: nothing is computed that is thrown away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

NAME = "jupyter_kb_packed"
FAMILIES = ("bert", "camembert", "distilbert", "electra", "roberta", "xlm-roberta")
"""`model_type` of models whose attention is the plain one: nothing but scaled products and a mask."""
MODULES = ("Transformer", "Pooling", "Normalize", "Dense")
"""Parts of a sentence-transformers model that know what to do with packed texts."""
_CELLS = 1 << 19
"""Of the scores that are computed at a time; twice as many bytes, which fits the second-level cache of a core."""


def register() -> None:
    """Make the attention known to transformers as an `attn_implementation`."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)


def first_position(model: torch.nn.Module) -> int:
    """The number of a text's first token: in RoBERTa's family one more than that of padding."""
    padding = getattr(getattr(model, "embeddings", None), "padding_idx", None)
    return 0 if padding is None else int(padding) + 1


def pack(features: dict[str, Any], rows: Sequence[int], lengths: Sequence[int], first: int) -> dict[str, Any]:
    """Some rows of padded features, under the names that transformers has for packed ones."""
    chosen = list(rows)
    real = features["attention_mask"][chosen].bool()
    packed = {
        name: value[chosen][real][None] if isinstance(value, torch.Tensor) and value.ndim == 2 else value
        for name, value in features.items()
        if name != "attention_mask"
    }
    counts = [lengths[row] for row in chosen]
    ends = torch.tensor([0, *counts], dtype=torch.int32).cumsum(0, dtype=torch.int32)
    positions = torch.cat([torch.arange(first, first + count) for count in counts])[None]
    return packed | {
        "position_ids": positions,
        "cu_seq_lens_q": ends,
        "cu_seq_lens_k": ends,
        "max_length_q": max(counts),
        "max_length_k": max(counts),
    }


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    cu_seq_lens_q: torch.Tensor | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """As transformers calls it. Shapes: 1 × heads × tokens × numbers; the answer has heads and tokens exchanged."""
    if cu_seq_lens_q is None:
        answer = scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, scale=scaling)
        return answer.transpose(1, 2).contiguous(), None
    _texts, heads, tokens, width = query.shape
    scale = width**-0.5 if scaling is None else scaling
    # for bfloat16 the plain steps take two thirds of the time of torch's own attention, while they stay in the cache
    plain = query.dtype == torch.bfloat16
    if plain:
        query = query * scale
    answer = query.new_empty(1, tokens, heads, value.shape[-1])
    for start, count, length in _blocks(cu_seq_lens_q.tolist(), heads):
        block = slice(start, start + count * length)
        q, k, v = (part[0, :, block].view(heads, count, length, -1) for part in (query, key, value))
        if plain:
            done = torch.softmax(q @ k.transpose(-1, -2), -1) @ v
        else:
            done = scaled_dot_product_attention(q, k, v, scale=scale)
        answer[0, block] = done.permute(1, 2, 0, 3).flatten(0, 1)
    return answer, None


def _blocks(ends: list[int], heads: int) -> Iterator[tuple[int, int, int]]:
    """Start, number and length of neighbouring texts that are equally long."""
    lengths = [end - start for start, end in pairwise(ends)]
    start = 0
    for length, same in groupby(lengths):
        left = len(list(same))
        most = max(_CELLS // max(heads * length * length, 1), 1)
        while left and length:
            count = min(left, most)
            yield start, count, length
            start += count * length
            left -= count
