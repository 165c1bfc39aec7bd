"""Who is told what by reindex_vault, where several agents share one index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.mcp.server import build_server
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.toolsets import find_toolset
from tests.mcp.driving import MODES, Agent, connected, write
from tests.mcp.hosting import hosted

NOTE = "# A\n\nold\n\n# B\n\nold\n"
NOTHING: dict[str, list[Any]] = {"files_added": [], "files_removed": [], "files_changed": []}


def report(client: Agent) -> dict[str, Any]:
    answer = client.call("reindex_vault")
    return {key: answer[key] for key in NOTHING}


def edit(client: Agent, heading: str) -> None:
    read = client.call("get_section", file="a.md", heading_path=heading)
    expected = read.get("content_hash") or read["provenance"]["content_hash"]
    client.call("edit_section", file="a.md", heading_path=heading, body="new", expected_hash=expected)


def changed(client: Agent) -> list[str]:
    return [path for file in report(client)["files_changed"] for path in file["sections_modified"]]


@pytest.mark.parametrize("toolset", ["structural", "vault"])
def test_two_sessions_over_http_are_each_told_of_the_others_edit_and_of_files_from_outside(
    toolset: str, tmp_path: Path
) -> None:
    with (
        hosted(write(tmp_path, {"a.md": NOTE}), toolset) as host,
        connected(host.url, mode="legacy") as ann,
        connected(host.url, mode="legacy") as bob,
    ):
        assert report(ann) == report(bob) == NOTHING
        edit(ann, "A")
        edit(bob, "B")
        write(tmp_path, {"new.md": "# New\n"})

        assert ann.call("reindex_vault")["files_added"] == ["new.md"]
        assert changed(ann) == []  # that was in the report before
        edit(bob, "B")
        assert changed(ann) == []  # the same text again is no change
        assert changed(bob) == ["A"]
        assert report(bob) == NOTHING


def test_a_report_tells_of_the_others_edit(tmp_path: Path) -> None:
    with (
        hosted(write(tmp_path, {"a.md": NOTE})) as host,
        connected(host.url, mode="legacy") as ann,
        connected(host.url, mode="legacy") as bob,
    ):
        bob.call("status")  # from here on Bob is told
        edit(ann, "A")

        assert changed(ann) == []
        assert changed(bob) == ["A"]
        assert report(bob) == NOTHING


@pytest.mark.parametrize("mode", MODES)
def test_an_account_begins_with_the_first_call(mode: str, tmp_path: Path) -> None:
    with hosted(write(tmp_path, {"a.md": NOTE})) as host:
        write(tmp_path, {"before.md": "# Before\n"})
        host.knowledge_base.scan()
        with connected(host.url, mode=mode) as client:
            client.call("status")
            write(tmp_path, {"after.md": "# After\n"})
            client.call("search", query="after")  # takes it into the index, which is no report

            assert report(client) == NOTHING | {"files_added": ["after.md"]}
            assert report(client) == NOTHING


def test_servers_over_one_vault_keep_separate_accounts(tmp_path: Path) -> None:
    with KnowledgeBase.open(write(tmp_path, {"a.md": NOTE}), in_memory=True) as vault:
        vault.scan()
        sessions = [Session.over(vault), Session.over(lambda: vault)]
        servers = [build_server(find_toolset("vault"), session) for session in sessions]
        with connected(servers[0]) as ann, connected(servers[1]) as bob:
            ann.call("status")
            bob.call("status")
            edit(ann, "A")
            found = changed(ann), changed(bob), [change.file for change in vault.reindex().files_changed]
        for session in sessions:
            session.close()

    assert found == ([], ["A"], ["a.md"])
