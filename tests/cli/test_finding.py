"""Search, where a transcript would have to show scores."""

from __future__ import annotations

import json

import pytest

from tests.cli.sessions import Vault

PLACE = {"file", "title", "heading", "heading_path", "score", "byte_range", "line_range", "content_hash", "own_hash"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], {"snippet", "marks"}),
        (["--context", "passage"], {"snippet", "marks", "text", "complete"}),
        (["--context", "none"], set()),
        (["--mode", "headings"], {"snippet", "marks"}),
    ],
)
def test_search_as_json_gives_place_hash_and_as_much_text_as_asked_for(
    kites: Vault, options: list[str], text: set[str]
) -> None:
    answer = json.loads(kites.run("search", "landing", "--json", *options).stdout)

    assert set(answer) == {"query", "mode", "results", "total", "has_more"}
    assert {frozenset(hit) for hit in answer["results"]} == {frozenset(PLACE | text)}


def test_the_place_of_a_hit_is_that_of_the_section(kites: Vault) -> None:
    answer = json.loads(kites.run("search", "bowline", "--json").stdout)
    section = json.loads(kites.run("get", "docs/tools.md", "Knots", "--json").stdout)

    (hit,) = answer["results"]
    for key in ("file", "heading", "heading_path", "byte_range", "line_range", "content_hash"):
        assert hit[key] == section[key]
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["bowline"]


def test_words_need_no_quotes(kites: Vault) -> None:
    assert kites.run("search", "steady", "wind").stdout == kites.run("search", "steady wind").stdout


def test_explain_adds_scores_and_hashes(kites: Vault) -> None:
    section = json.loads(kites.run("get", "docs/tools.md", "Knots", "--json").stdout)

    shown = kites.run("search", "bowline", "--explain").stdout

    assert "Knots  score " in shown
    assert f"hash {section['content_hash'][:16]}" in shown


def test_an_empty_vault_is_said_to_be_empty(vault: Vault) -> None:
    result = vault.run("search", "anything")

    assert result.exit_code == 1
    assert "holds no notes" in result.stderr


@pytest.mark.parametrize("query", ["", " ", '"', "+", "-", "*", "+-", '"""', "(a OR", "a:b", "\\", "%_", "\udce9"])
def test_no_query_is_an_error(kites: Vault, query: str) -> None:
    result = kites.run("search", "--json", "--", query)

    assert result.exit_code in (0, 1), result.output
