"""links, backlinks, reindex_vault, diagnostics and status of the vault toolset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb import __version__
from jupyter_kb.mcp.results import as_json
from tests.mcp.driving import Agent, agent, write

FILES: dict[str, str | bytes | None] = {
    "Kite.md": "---\naliases: [Drachen]\n---\n# Flight\n\n## Landing\n\nPull.\n",
    "log.md": "# Log\n\nSee [[kite#landing|the landing]].\n\n## Later\n\n![[Drachen]] and [text](Kite.md#flight).\n",
    "x/same.md": "# X\n",
    "y/same.md": "# Y\n",
    "out.md": "# Out\n\n[[same]] [[ghost]] [[Kite]]\n",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Agent]:
    write(tmp_path, FILES)
    with agent(tmp_path, "vault") as (client, _):
        yield client


def test_incoming_links_are_resolved_as_people_write_them(client: Agent) -> None:
    answer = client.call("links", file="Kite.md")

    assert answer["total"] == 4
    assert answer["links"][0] == {
        "from": {"file": "log.md", "heading_path": "Log", "line": 3},
        "to": {"file": "Kite.md", "heading_path": "Flight > Landing"},
        "raw_target": "kite#landing",
        "kind": "wikilink",
        "status": "resolved",
        "context": "See [[kite#landing|the landing]].",
    }
    assert [link["kind"] for link in answer["links"]] == ["wikilink", "embed", "markdown", "wikilink"]


def test_links_may_be_narrowed_to_a_section_or_kind(client: Agent) -> None:
    section = client.call("links", file="kite", heading_path=["Flight", "Landing"])
    embeds = client.call("links", file="Kite.md", kind="embed")

    assert [link["raw_target"] for link in section["links"]] == ["kite#landing"]
    assert [link["raw_target"] for link in embeds["links"]] == ["Drachen"]


def test_outgoing_links_tell_missing_and_ambiguous_ones(client: Agent) -> None:
    same, ghost, kite = client.call("links", file="out.md", direction="out")["links"]

    assert same["status"] == "ambiguous"
    assert [candidate["file"] for candidate in same["candidates"]] == ["x/same.md", "y/same.md"]
    assert ghost["status"] == "missing"
    assert "to" not in ghost
    assert kite["to"] == {"file": "Kite.md"}


def test_links_are_paged_within_the_budget(tmp_path: Path) -> None:
    write(tmp_path, {"hub.md": "# Hub\n"} | {f"{n:03}.md": f"# N{n}\n\nA line on [[hub]] here.\n" for n in range(120)})

    with agent(tmp_path, "vault") as (client, _):
        first = client.call("links", file="hub.md")
        second = client.call("links", file="hub.md", offset=first["next_offset"])

    assert len(as_json(first)) <= 6_000
    assert first["total"] == 120
    assert first["has_more"] is True
    assert second["links"][0]["from"]["file"] == f"{len(first['links']):03}.md"


def test_backlinks_have_the_structural_shape_with_short_hashes(client: Agent) -> None:
    answer = client.call("backlinks", file="Kite.md")
    section = client.call("backlinks", file="Kite.md", heading_path="Flight > Landing")
    nothing = client.call("backlinks", file="Kite.md", heading_path="Nowhere")

    assert answer["heading_path"] is None
    assert [
        (link["from"]["file"], link["from"]["heading_path"], link["raw_target"], link["target_heading_path"])
        for link in answer["backlinks"]
    ] == [
        ("log.md", "Log", "kite#landing", "Flight > Landing"),
        ("log.md", "Log > Later", "Drachen", None),
        ("log.md", "Log > Later", "Kite.md#flight", "Flight"),
        ("out.md", "Out", "Kite", None),
    ]
    assert len(answer["backlinks"][0]["from"]["content_hash"]) == 16
    assert [link["raw_target"] for link in section["backlinks"]] == ["kite#landing"]
    assert nothing == {"file": "Kite.md", "heading_path": "Nowhere", "backlinks": [], "total": 0}


def test_links_of_an_unknown_note_are_answered_with_near_names(client: Agent) -> None:
    assert client.refused("links", file="Kit.md")["suggestions"][0] == "Kite.md"
    assert client.refused("backlinks", file="Kit.md")["suggestions"][0] == "Kite.md"


def test_reindexing_reports_what_others_changed_and_counts_problems(client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"x/same.md": None, "new.md": "# New\n", "log.md": "# Log\n\nOther.\n"})

    report = client.call("reindex_vault")
    again = client.call("reindex_vault")

    assert report["files_added"] == ["new.md"]
    assert report["files_removed"] == ["x/same.md"]
    assert report["files_changed"] == [{"file": "log.md", "sections_removed": ["Log > Later"]}]
    assert report["diagnostics"] == 1
    assert again == {"files_added": [], "files_removed": [], "files_changed": [], "diagnostics": 1}


def test_a_long_report_keeps_the_budget_and_counts_the_rest(tmp_path: Path) -> None:
    with agent(tmp_path, "vault") as (client, _):
        write(tmp_path, {f"a note with a name {n}.md": "# N\n" for n in range(500)})
        report = client.call("reindex_vault")

    assert len(as_json(report)) <= 6_000
    assert len(report["files_added"]) + report["left_out"]["files_added"] == 500


def test_diagnostics_say_where_and_what_to_do(client: Agent) -> None:
    answer = client.call("diagnostics")
    missing = client.call("diagnostics", kind="unresolved-link", path="out")

    assert {entry["kind"] for entry in answer["diagnostics"]} >= {"unresolved-link", "ambiguous-link"}
    (entry,) = missing["diagnostics"]
    assert (entry["file"], entry["line"]) == ("out.md", 3)
    assert "ghost" in entry["message"]
    assert missing["total"] == 1


def test_the_status_has_names_and_counts(client: Agent, tmp_path: Path) -> None:
    status = client.call("status")

    assert status["vault"] == tmp_path.name
    assert (status["notes"], status["read_only"], status["version"]) == (5, False, __version__)
    assert status["index"] == "in memory"
    assert status["last_scan"]
