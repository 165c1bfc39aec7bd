"""Prompts: what a person picks comes with the notes that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import MCPError
from mcp_types import EmbeddedResource, TextContent, TextResourceContents

from jupyter_kb.settings import Settings
from tests.mcp.driving import MODES, Agent, agent, connected, write
from tests.mcp.hosting import hosted

FILES: dict[str, str | bytes | None] = {
    "kites/flight.md": "# Flight\n\nKites need a steady wind. [[log]] and [[nowhere]].\n\n## Launch\n\nRun [[here]].\n",
    "kites/line.md": "# Line\n\nA kite line holds the kite in a steady wind.\n",
    "log.md": "# Log\n\nMonday: no wind for the kites.\n",
    "boats/sail.md": "# Sail\n\nA steady wind fills the sail.\n",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Agent]:
    with agent(write(tmp_path / "lab", FILES), "vault") as (client, _):
        yield client


def prompt(client: Agent, name: str, **arguments: str) -> tuple[str, TextResourceContents | None]:
    """The text of a prompt, and the note that comes with it."""
    messages = client.ask(client.client.get_prompt, name, arguments).messages
    assert {message.role for message in messages} == {"user"}
    note = None
    if isinstance(messages[0].content, EmbeddedResource):
        assert isinstance(messages[0].content.resource, TextResourceContents)
        note = messages[0].content.resource
    assert isinstance(messages[-1].content, TextContent)
    return messages[-1].content.text, note


@pytest.mark.parametrize("mode", MODES)
def test_the_prompts_are_listed_with_their_arguments(mode: str, tmp_path: Path) -> None:
    with hosted(write(tmp_path, FILES)) as host, connected(host.url, mode=mode) as client:
        prompts = client.ask(client.client.list_prompts).prompts
        text, _ = prompt(client, "find_and_cite", question="steady wind")

    assert {
        prompt.name: [(argument.name, bool(argument.required)) for argument in prompt.arguments or []]
        for prompt in prompts
    } == {
        "find_and_cite": [("question", True), ("folder", False)],
        "review_note": [("file", True), ("section", False)],
        "suggest_links": [("file", True)],
    }
    assert all(prompt.title and prompt.description for prompt in prompts)
    assert "kites need a steady wind" in text.lower()


def test_a_question_comes_with_passages_and_their_addresses(client: Agent) -> None:
    text, _ = prompt(client, "find_and_cite", question="What fills a sail?")

    assert "What fills a sail?" in text
    assert "kb://lab/boats/sail.md#Sail\nA steady wind fills the sail." in text
    assert "address of the section behind each statement" in text


def test_a_question_may_be_kept_to_a_folder(client: Agent) -> None:
    text, _ = prompt(client, "find_and_cite", question="steady wind", folder="kites/")

    assert "kb://lab/kites/" in text
    assert "kb://lab/boats/" not in text
    assert "kb://lab/log.md" not in text


def test_a_question_that_finds_nothing_says_so(client: Agent) -> None:
    text, _ = prompt(client, "find_and_cite", question="submarine")

    assert "found nothing" in text


def test_a_review_has_the_note_and_what_is_wrong_with_it(client: Agent) -> None:
    text, note = prompt(client, "review_note", file="flight")

    assert note is not None
    assert note.uri == "kb://lab/kites/flight.md"
    assert note.text == FILES["kites/flight.md"]
    assert "line 3: link '[[nowhere]]'" in text
    assert "line 7: link '[[here]]'" in text


def test_a_review_of_a_section_is_about_that_section(client: Agent) -> None:
    text, note = prompt(client, "review_note", file="kites/flight.md", section="Launch")

    assert note is not None
    assert note.uri == "kb://lab/kites/flight.md#Flight%20%3E%20Launch"
    assert note.text == "## Launch\n\nRun [[here]]."
    assert "[[here]]" in text
    assert "[[nowhere]]" not in text


def test_link_suggestions_name_notes_alike_that_are_not_linked_yet(client: Agent) -> None:
    text, note = prompt(client, "suggest_links", file="kites/flight.md")

    assert note is not None
    assert note.text == FILES["kites/flight.md"]
    assert "links to these already:\n- log.md" in text
    assert "Line (kb://lab/kites/line.md)" in text
    assert "kb://lab/log.md" not in text


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("summarise", {}, "this server has find_and_cite, review_note, suggest_links"),
        ("find_and_cite", {}, "missing argument 'question'"),
        ("find_and_cite", {"question": "  "}, "missing argument 'question'"),
        ("review_note", {"file": "fligt.md"}, "kites/flight.md"),
        ("review_note", {"file": "log.md", "section": "Lug"}, "Log"),
        ("suggest_links", {"file": "../x.md"}, "not a vault-relative path"),
    ],
)
def test_what_a_prompt_lacks_is_said(name: str, arguments: dict[str, str], words: str, client: Agent) -> None:
    with pytest.raises(MCPError) as caught:
        client.ask(client.client.get_prompt, name, arguments)

    assert caught.value.code == -32602
    assert words in caught.value.message


def test_with_vectors_notes_alike_are_found_by_meaning(tmp_path: Path) -> None:
    with agent(write(tmp_path / "lab", FILES), "vault", settings=Settings(model="hashing:64")) as (client, vault):
        vault.embed()
        text, _ = prompt(client, "suggest_links", file="kites/flight.md")

    assert "Line (kb://lab/kites/line.md)" in text
