"""Search, where a transcript would have to show scores."""

from __future__ import annotations

import json
import re

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

    assert re.search(r"Knots\n +score \d", shown)
    assert f"hash {section['content_hash'][:16]}" in shown


def test_an_empty_vault_is_said_to_be_empty(vault: Vault) -> None:
    result = vault.run("search", "anything")

    assert result.exit_code == 1
    assert "holds no notes" in result.stderr


@pytest.mark.parametrize("query", ["", " ", '"', "+", "-", "*", "+-", '"""', "(a OR", "a:b", "\\", "%_", "\udce9"])
def test_no_query_is_an_error(kites: Vault, query: str) -> None:
    result = kites.run("search", "--json", "--", query)

    assert result.exit_code in (0, 1), result.output


def test_a_list_by_time_shows_the_time(kites: Vault) -> None:
    assert re.search(
        r"^docs/tools\.md  .*\d{4}-\d\d-\d\d \d\d:", kites.run("search", "--order", "modified").stdout, re.M
    )
    assert not re.search(r"\d{4}-\d\d-\d\d", kites.run("search", "--order", "title").stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["landing", "--order", "modified"], "ordered by rank"),
        (["landing", "--descending"], "ordered by rank"),
        (["--like", "kite", "--mode", "text"], "--like goes by meaning"),
        (["landing", "--like", "kite"], "not both"),
    ],
)
def test_options_that_would_do_nothing_are_refused(kites: Vault, arguments: list[str], said: str) -> None:
    refused = kites.run("search", *arguments)

    assert refused.exit_code == 2
    assert said in refused.stderr


def test_several_paths_let_through_what_any_of_them_does(kites: Vault) -> None:
    def files(*options: str) -> set[str]:
        return {hit["file"] for hit in json.loads(kites.run("search", "--json", *options).stdout)["results"]}

    assert files("--path", "docs/**") == {"docs/tools.md"}
    assert files("--path", "docs/**", "--path", "KITE") == {"docs/tools.md", "kite.md"}
    assert "docs/tools.md:" in kites.run("grep", "the", "--path", "kite*", "--path", "tools").stdout


def test_a_tag_that_no_note_has_is_told_with_near_ones(kites: Vault) -> None:
    assert "No note has the tag 'toys'; did you mean 'toy'?\n" in kites.run("search", "--tag", "toys").stderr
    assert "No note has the tag 'zzz'.\n" in kites.run("search", "launch", "--tag", "zzz").stderr
    assert "the tag" not in kites.run("search", "zebra", "--tag", "toy").stderr.lower()
    assert json.loads(kites.run("search", "--tag", "toys", "--json").stdout)["unknown_tags"] == {"toys": ["toy"]}


def test_an_empty_list_is_told_as_one(kites: Vault) -> None:
    told = kites.run("search", "--where", "year=1999").stderr

    assert told.endswith("No note passes the filters.\nTry it without --where.\n")
    assert "notes" in kites.run("search", "", "--limit", "1").stderr
