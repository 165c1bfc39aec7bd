"""Completions for the arguments of addresses and prompts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_types import CompleteResult, PromptReference, ResourceTemplateReference

from tests.mcp.driving import MODES, Agent, agent, connected, write
from tests.mcp.hosting import hosted

FILES: dict[str, str | bytes | None] = {
    "kites/flight.md": "Intro.\n\n# Flight\n\n## Launch\n\n## Landing\n\n# Fleet\n",
    "kites/line.md": "---\naliases: [tether]\n---\n# Line\n",
    "log.md": "# Log\n",
}
NOTE = ResourceTemplateReference(type="ref/resource", uri="kb://lab/{+path}")
SECTION = ResourceTemplateReference(type="ref/resource", uri="kb://lab/{+path}#{section}")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Agent]:
    with agent(write(tmp_path / "lab", FILES), "vault") as (client, _):
        yield client


Reference = PromptReference | ResourceTemplateReference


def completed(client: Agent, reference: Reference, name: str, typed: str, **known: str) -> CompleteResult:
    return client.ask(client.client.complete, reference, {"name": name, "value": typed}, known)


def values(
    client: Agent, reference: PromptReference | ResourceTemplateReference, *what: str, **known: str
) -> list[str]:
    return completed(client, reference, *what, **known).completion.values


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ["kites/flight.md", "kites/line.md", "log.md"]),
        ("fli", ["kites/flight.md"]),
        ("kites/l", ["kites/line.md"]),
        ("TETH", ["kites/line.md"]),
        ("submarine", []),
    ],
)
@pytest.mark.parametrize(
    ("reference", "argument"), [(NOTE, "path"), (PromptReference(type="ref/prompt", name="review_note"), "file")]
)
def test_notes_are_found_by_path_title_and_alias(
    reference: Reference,
    argument: str,
    typed: str,
    found: list[str],
    client: Agent,
) -> None:
    assert values(client, reference, argument, typed) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ["Preamble", "Flight", "Flight > Launch", "Flight > Landing", "Fleet"]),
        ("la", ["Flight > Launch", "Flight > Landing"]),
        ("flight > ", ["Flight > Launch", "Flight > Landing"]),
        ("eet", ["Fleet"]),
        ("x", []),
    ],
)
@pytest.mark.parametrize("file", ["kites/flight.md", "flight"])
def test_headings_are_those_of_the_note_that_was_chosen(typed: str, found: list[str], file: str, client: Agent) -> None:
    prompt = PromptReference(type="ref/prompt", name="review_note")

    assert values(client, SECTION, "section", typed, path=file) == found
    assert values(client, prompt, "section", typed, file=file) == found


@pytest.mark.parametrize("known", [{}, {"path": "nothing.md"}, {"path": "../x"}])
def test_without_a_note_there_are_no_headings(known: dict[str, str], client: Agent) -> None:
    assert values(client, SECTION, "section", "", **known) == []


def test_folders_are_found(client: Agent) -> None:
    prompt = PromptReference(type="ref/prompt", name="find_and_cite")

    assert values(client, prompt, "folder", "k") == ["kites"]
    assert values(client, prompt, "question", "k") == []


def test_an_address_of_another_kind_has_no_completions(client: Agent) -> None:
    other = ResourceTemplateReference(type="ref/resource", uri="file:///{path}")

    assert values(client, other, "path", "l") == []


@pytest.mark.parametrize("mode", MODES)
def test_of_many_notes_a_hundred_are_shown_and_all_counted(mode: str, tmp_path: Path) -> None:
    root = write(tmp_path, {f"note {number:03}.md": "# N\n" for number in range(130)})
    with hosted(root) as host, connected(host.url, mode=mode) as client:
        found = completed(client, NOTE, "path", "note").completion

    assert len(found.values) == 100
    assert found.total == 130
    assert found.has_more is True
