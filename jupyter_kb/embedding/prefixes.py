"""What some models want in front of a question or of a passage, to tell one from the other."""

from __future__ import annotations

import re
from typing import Any

from jupyter_kb.embedding.base import Kind
from jupyter_kb.settings import Settings

_PROMPTS: dict[Kind, tuple[str, ...]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
"""The names that models give their own, in the order in which sentence-transformers takes them."""

_SEARCHING = "Represent this sentence for searching relevant passages: "
_FAMILIES: tuple[tuple[str, str, str], ...] = (
    # by the models' cards; those that are not named here want nothing, or say it themselves
    (r"(^|[/-])e5-.*instruct|e5-mistral", "Instruct: Given a question, find passages that answer it\nQuery: ", ""),
    (r"(^|[/-])e5-", "query: ", "passage: "),
    (r"(^|/)bge-(small|base|large)-en", _SEARCHING, ""),
    (r"(^|/)bge-(small|base|large)-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"(^|/)nomic-embed-text", "search_query: ", "search_document: "),
    (r"(^|/)mxbai-embed-large", _SEARCHING, ""),
    (r"(^|/)snowflake-arctic-embed-.*v2", "query: ", ""),
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
