"""What goes in front of texts for models that only their name tells of."""

from __future__ import annotations

import pytest

from jupyter_kb.embedding.prefixes import prefixes
from jupyter_kb.settings import Settings


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("mxbai-embed-large:latest", "Represent this sentence for searching relevant passages: "),
        ("snowflake-arctic-embed:335m", "Represent this sentence for searching relevant passages: "),
        ("snowflake-arctic-embed2", "query: "),
        ("nomic-embed-text:v1.5", "search_query: "),
        ("all-minilm", ""),
    ],
)
def test_names_that_servers_give_to_models_are_known_too(name: str, query: str) -> None:
    assert prefixes(name, {}, Settings())["query"] == query
