"""An agent that knows only a question, in a large vault of strangers' notes: its way to the edited section."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from jupyter_kb.mcp.results import CHARACTERS_PER_TOKEN
from tests.mcp.driving import Agent, agent

CALLS = 4
TOKENS = 3_000

# A question in plain words, and what the section that answers it says. The agent knows only the first.
QUESTIONS = [
    ("How do I add my own theme to the community theme store?", "community-css-themes.json"),
    ("How can I combine several sources in a dataview query?", "logical operators"),
    ("How do I install stylelint for my theme?", "npm"),
]


@pytest.fixture(scope="module")
def hub(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, since the agent writes."""
    return Path(shutil.copytree(data_dir / "vaults" / "obsidian-hub", tmp_path_factory.mktemp("hub") / "vault"))


@pytest.mark.data
@pytest.mark.slow
def test_it_finds_reads_edits_and_reads_again_within_four_calls_and_three_thousand_tokens(hub: Path) -> None:
    with agent(hub, "vault") as (client, _):
        costs = [_answer(client, hub, question, fact) for question, fact in QUESTIONS]

    print(f"calls and tokens of each question: {costs}")  # noqa: T201 - the figures, with -s
    for calls, tokens in costs:
        assert calls <= CALLS, costs
        assert tokens <= TOKENS, costs


def _answer(client: Agent, hub: Path, question: str, fact: str) -> tuple[int, float]:
    """Search, read, append a remark, read again: every argument is copied from the answer before."""
    calls, characters = client.calls, client.characters
    remark = f"Remark on: {question}."

    found = client.call("search", query=question)
    best = found["results"][0]
    read = client.call("get_section", file=best["file"], heading_path=best["heading_path"])
    edited = client.call(
        "edit_section",
        file=read["file"],
        heading_path=read["heading_path"],
        expected_hash=read["content_hash"],
        operation="append",
        body=remark,
    )
    again = client.call("get_section", file=edited["file"], heading_path=edited["heading_path"])

    assert fact in read["content"]
    assert remark in again["content"]
    assert again["content_hash"] == edited["content_hash"]
    assert remark in (hub / again["file"]).read_text(encoding="utf-8")
    return client.calls - calls, (client.characters - characters) / CHARACTERS_PER_TOKEN
