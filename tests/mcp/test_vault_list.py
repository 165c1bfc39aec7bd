"""What a client sees of the vault toolset before it calls anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp_types import Tool

from jupyter_kb.mcp.results import CHARACTERS_PER_TOKEN, as_json
from jupyter_kb.settings import Settings
from tests.mcp.driving import MODES, agent, write

TOOLS = [
    "backlinks",
    "diagnostics",
    "edit_section",
    "get_section",
    "grep",
    "links",
    "outline",
    "reindex_vault",
    "search",
    "status",
]
TOKENS_OF_THE_LIST = 2_500  # below 3,000, and room for the tools that are to come


@pytest.fixture
def tools(tmp_path: Path) -> list[Tool]:
    with agent(tmp_path, "vault") as (client, _):
        return client.list_tools().tools


@pytest.mark.parametrize("mode", MODES)
def test_both_protocol_eras_list_the_same_tools_by_name(mode: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})

    with agent(tmp_path, "vault", mode=mode) as (client, _):
        names = [tool.name for tool in client.list_tools().tools]
        answer = client.call("status")

    assert names == TOOLS
    assert answer["notes"] == 1


def test_the_whole_list_stays_small(tools: list[Tool]) -> None:
    text = as_json([tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools])

    assert len(text) / CHARACTERS_PER_TOKEN < TOKENS_OF_THE_LIST


def test_every_tool_says_briefly_and_truthfully_what_it_does(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.annotations is not None
        assert 0 < len(tool.description or "") <= 600, tool.name
        assert "\n" not in (tool.description or "")
        assert tool.annotations.open_world_hint is False
        assert tool.annotations.read_only_hint is (tool.name != "edit_section")
    (edit,) = [tool for tool in tools if tool.name == "edit_section"]
    assert edit.annotations is not None
    assert (edit.annotations.destructive_hint, edit.annotations.idempotent_hint) == (True, False)


def test_every_schema_is_an_object_of_plain_keywords_and_needs_nothing_from_outside(tools: list[Tool]) -> None:
    plain = {"type", "properties", "required", "items", "description", "default", "enum", "minimum", "anyOf"}

    def keywords(schema: dict[str, Any]) -> set[str]:
        below = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
        below += [schema["items"]] if "items" in schema else []
        return set(schema).union(*(keywords(part) for part in below))

    for tool in tools:
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            assert schema["type"] == "object"
            assert keywords(schema) <= plain
            assert set(schema.get("required", ())) <= set(schema["properties"])


def test_tools_that_write_disappear_on_a_read_only_vault(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})

    with agent(tmp_path, "vault", settings=Settings(read_only=True)) as (client, _):
        names = [tool.name for tool in client.list_tools().tools]
        error = client.protocol_error("edit_section", {"file": "a.md", "line": 1})
        status = client.call("status")

    assert names == [name for name in TOOLS if name != "edit_section"]
    assert "unknown tool 'edit_section'" in str(error)
    assert status["read_only"] is True


def test_a_wrong_argument_is_told_to_the_model_with_what_is_expected(tmp_path: Path) -> None:
    with agent(tmp_path, "vault") as (client, _):
        refusals = [
            client.refused("grep"),
            client.refused("search", query="x", limit=0),
            client.refused("search", query="x", mode="exact"),
            client.refused("get_section"),
            client.refused("edit_section", file="a.md", line=1, new_text="x"),
        ]

    assert [refusal["message"] for refusal in refusals] == [
        "missing argument 'pattern': a string",
        "argument 'limit' must be at least 1",
        "argument 'mode' must be one of 'hybrid', 'semantic', 'text', 'headings'",
        "missing argument 'file'",
        "unknown argument 'new_text': edit_section takes body, dry_run, expected_hash, file, heading, heading_path, "
        "line, operation",
    ]
    assert {refusal["code"] for refusal in refusals} == {"invalid-request"}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("like", "more_like"),
        ("similar_to", "more_like"),
        ("sort", "order_by"),
        ("orderBy", "order_by"),
        ("tag", "tags"),
        ("folder", "path"),
        ("after", "modified_after"),
        ("top_k", "limit"),
        ("front_matter", "filters"),
        ("search_query", "query"),
    ],
)
def test_a_name_from_elsewhere_is_answered_with_the_name_here(given: str, meant: str, tmp_path: Path) -> None:
    with agent(tmp_path, "vault") as (client, _):
        refusal = client.refused("search", **{given: "x"})

    assert refusal["message"] == f"unknown argument '{given}': did you mean '{meant}'?"


def test_an_argument_that_is_unknown_to_a_reading_tool_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})

    with agent(tmp_path, "vault") as (client, _):
        answer = client.call("search", query="a", verbose=True)

    assert answer["ignored_arguments"] == ["verbose"]
    assert answer["results"]
