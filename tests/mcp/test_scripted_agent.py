"""An agent that knows only a question, in a large vault of strangers' notes: its way to the edited section."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from jupyter_kb.mcp.results import CHARACTERS_PER_TOKEN
from tests.mcp.driving import Agent, agent

CALLS = 4
TOKENS = 3_000

# A question in plain words, and a word that only the right section's text holds.
QUESTIONS = [
    ("how do I install a community plugin by hand when it is not in the list", "manual"),
    ("where can I find help on writing dataview queries", "dataview"),
    ("how to contribute a note to the hub", "contribut"),
]


@pytest.fixture(scope="module")
def hub(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, since the agent writes."""
    return Path(shutil.copytree(data_dir / "vaults" / "obsidian-hub", tmp_path_factory.mktemp("hub") / "vault"))


@pytest.mark.data
@pytest.mark.slow
def test_it_finds_reads_edits_and_reads_again_within_four_calls_and_three_thousand_tokens(hub: Path) -> None:
    with agent(hub, "vault") as (client, _):
        costs = [_answer(client, hub, question, word) for question, word in QUESTIONS]

    for calls, tokens in costs:
        assert calls <= CALLS, costs
        assert tokens <= TOKENS, costs


def _answer(client: Agent, hub: Path, question: str, word: str) -> tuple[int, float]:
    """Search, read, append a remark, read again: every argument is copied from the answer before."""
    calls, characters = client.calls, client.characters
    remark = f"Remark on: {question}."

    found = client.call("search", query=question, limit=3)
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

    assert word in read["content"].lower() + best["heading_path"].lower() + best["file"].lower()
    assert remark in again["content"]
    assert again["content_hash"] == edited["content_hash"]
    assert remark in (hub / again["file"]).read_text(encoding="utf-8")
    return client.calls - calls, (client.characters - characters) / CHARACTERS_PER_TOKEN
