"""A sentence-transformers model of two layers with random weights, for what needs a model but not a good one."""

from __future__ import annotations

import json
from pathlib import Path

WORDS = ("the", "of", "and", "to", "in", "is", "you", "that", "it", "he", "was", "for", "on", "are", "as", "with")
FAMILIES = ("bert", "camembert", "distilbert", "electra", "roberta", "xlm-roberta")
LIMIT = 32
DIMENSIONS = 16


def save(folder: Path, family: str = "bert") -> Path:
    """Write one of an architecture of this family, with BERT's tokenizer."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from transformers import AutoConfig, AutoModel, BertTokenizer

    torch.manual_seed(7)
    plain = folder / "plain"
    plain.mkdir(parents=True)
    letters = [f"{mark}{chr(code)}" for code in range(97, 123) for mark in ("", "##")]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *WORDS]
    (plain / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    BertTokenizer(vocab=str(plain / "vocab.txt"), model_max_length=LIMIT).save_pretrained(plain)
    config = AutoConfig.for_model(
        family,
        vocab_size=len(vocabulary),
        hidden_size=DIMENSIONS,
        embedding_size=DIMENSIONS,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=LIMIT + 2,  # RoBERTa begins to count behind the number of padding
        pad_token_id=0,
        type_vocab_size=2,
    )
    AutoModel.from_config(config).save_pretrained(plain)
    transformer = Transformer(str(plain), max_seq_length=LIMIT)
    model = folder / "tiny"
    SentenceTransformer(modules=[transformer, Pooling(DIMENSIONS)], device="cpu").save(
        str(model), create_model_card=False
    )
    return model


def sentences(count: int) -> list[str]:
    """Of many lengths, all different."""
    return [" ".join(WORDS[(at * 7 + number) % len(WORDS)] for at in range(number % 23 + 1)) for number in range(count)]


def say(folder: Path, **prompts: str) -> None:
    """Have the model name its own prompts."""
    path = folder / "config_sentence_transformers.json"
    described = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**described, "prompts": prompts}), encoding="utf-8")
