"""What some models want in front of a question or of a passage, to tell one from the other."""

from __future__ import annotations

import re
from typing import Any

from jupyter_kb.embedding.base import Kind
from jupyter_kb.settings import Settings

_PROMPTS: dict[Kind, tuple[str, ...]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
"""The names that models give their own, in the order in which sentence-transformers takes them."""

_SEARCHING = "Represent this sentence for searching relevant passages: "
_TASK = "Given a web search query, retrieve relevant passages that answer the query"
_FAMILIES: tuple[tuple[str, str, str], ...] = (
    # Those that are not named here want nothing, or say it themselves. Compared with the models' cards, as far as they
    # could be read, and with mteb, whose mteb/models/model_implementations gives each family the prompts of its card.
    # E5: github.com/microsoft/unilm, e5/model_config.py and get_detailed_instruct in e5/utils.py, and the cards
    (r"(^|[/-])e5-.*instruct|e5-mistral", f"Instruct: {_TASK}\nQuery: ", ""),
    (r"(^|[/-])e5-", "query: ", "passage: "),
    # BGE: github.com/FlagOpen/FlagEmbedding, examples/inference/embedder/README.md; bge-m3 wants nothing, bge-en-icl
    # something behind the question too
    (r"(^|/)bge-(small|base|large)-en", _SEARCHING, ""),
    (r"(^|/)bge-(small|base|large)-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"(^|/)bge-multilingual-gemma2", f"<instruct>{_TASK}.\n<query>", ""),
    # the card of nomic-embed-text-v1.5; mteb has the same for v1, v2-moe and modernbert-embed
    (r"(^|/)(nomic-embed-text|modernbert-embed)", "search_query: ", "search_document: "),
    # ollama.com/library/mxbai-embed-large and mteb
    (r"(^|/)mxbai-embed-large", _SEARCHING, ""),
    # the card of snowflake-arctic-embed-l-v2.0, which Ollama calls snowflake-arctic-embed2; mteb for m-v1.5
    (r"(^|/)snowflake-arctic-embed(2|-.*v2)", "query: ", ""),
    (r"(^|/)snowflake-arctic-embed", _SEARCHING, ""),
)


def prefixes(name: str, described: dict[str, Any], settings: Settings) -> dict[Kind, str]:
    """For a model called so, whose `config_sentence_transformers.json` is given; what the settings say comes first."""
    own = _own(name, described)
    return {
        "query": own["query"] if settings.query_prefix is None else settings.query_prefix,
        "passage": own["passage"] if settings.passage_prefix is None else settings.passage_prefix,
    }


def _own(name: str, described: dict[str, Any]) -> dict[Kind, str]:
    prompts = described.get("prompts")
    if isinstance(prompts, dict):
        said = {kind: _first(prompts, names) for kind, names in _PROMPTS.items()}
        if any(said.values()):
            return said
        standard = prompts.get(str(described.get("default_prompt_name")))
        if isinstance(standard, str) and standard:
            return {"query": standard, "passage": standard}
    for pattern, query, passage in _FAMILIES:
        if re.search(pattern, name.lower()):
            return {"query": query, "passage": passage}
    return {"query": "", "passage": ""}


def _first(prompts: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((prompts[name] for name in names if isinstance(prompts.get(name), str)), "")
