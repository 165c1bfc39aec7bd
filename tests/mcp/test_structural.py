"""The structural toolset, case by case, and what no case can say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3

from jupyter_kb import __version__
from jupyter_kb.settings import Settings
from tests.mcp.driving import MODES, agent, connected, write
from tests.mcp.hosting import hosted
from tests.mcp.playing import load, play

CASES = [*load("structural.yaml"), *load("structural_rules.yaml")]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_case_holds(case: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, case["files"])

    with agent(tmp_path, "structural") as (client, _):
        play(client, tmp_path, case)


@pytest.mark.parametrize("mode", MODES)
def test_all_cases_hold_one_after_the_other_on_a_server_that_runs_on(mode: str, tmp_path: Path) -> None:
    with hosted(tmp_path, "structural") as host:
        for case in CASES:
            for path in tmp_path.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            write(tmp_path, case["files"])
            with connected(host.url, mode=mode) as client:
                client.call("reindex_vault")
                play(client, tmp_path, case)


@pytest.mark.parametrize("mode", MODES)
def test_both_protocol_eras_introduce_the_server_and_list_six_tools_by_name(mode: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})

    with agent(tmp_path, "structural", mode=mode) as (client, _):
        info = client.client.server_info
        names = [tool.name for tool in client.list_tools().tools]
        capabilities = client.client.server_capabilities
        answer = client.call("outline", file="a.md")

        assert info is not None
        assert (info.name, info.version) == ("jupyter-kb", __version__)
        assert client.client.instructions
        assert capabilities.tools is not None
    assert names == ["backlinks", "edit_section", "get_section", "outline", "reindex_vault", "search"]
    assert answer["sections"][0]["heading"] == "A"


def test_every_tool_describes_itself_briefly_and_truthfully(tmp_path: Path) -> None:
    with agent(tmp_path, "structural") as (client, _):
        tools = {tool.name: tool for tool in client.list_tools().tools}

    for tool in tools.values():
        assert 0 < len(tool.description or "") <= 600, tool.name
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "edit_section")
        assert tool.annotations.open_world_hint is False
    assert tools["edit_section"].annotations is not None
    assert tools["edit_section"].annotations.destructive_hint is True
    assert tools["edit_section"].input_schema["required"] == ["file", "heading_path", "body", "expected_hash"]
    assert tools["backlinks"].input_schema["required"] == ["file"]
    assert "required" not in tools["reindex_vault"].input_schema


def test_hidden_notes_are_walked_when_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {".x/y.md": "# Y\n", ".z.md": "# Z\n", "a.md": "# A\n"})

    with agent(tmp_path, "structural") as (client, _):
        refusal = client.refused("outline", file=".x/y.md")
    with agent(tmp_path, "structural", settings=Settings(hidden=True)) as (client, _):
        outline = client.call("outline", file=".x/y.md")
        hits = client.call("search", query="z")

    assert refusal == {"message": "file '.x/y.md' is not indexed", "suggestions": ["a.md"]}
    assert outline["sections"][0]["heading_path"] == "Y"
    assert hits["results"][0]["provenance"]["file"] == ".z.md"


def test_symbolic_links_are_no_notes(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    write(root, {"real/a.md": "# A\n"})
    write(tmp_path, {"outside.md": "# Secret\n"})
    os.symlink(tmp_path / "outside.md", root / "link.md")
    os.symlink(root / "real", root / "folder")

    with agent(root, "structural") as (client, _):
        reads = [client.refused("outline", file=name)["message"] for name in ("link.md", "folder/a.md")]
        edit = client.refused("edit_section", file="link.md", heading_path="Secret", body="x", expected_hash="x")
        hits = client.call("search", query="secret a")["results"]

    assert reads == ["file 'link.md' is not indexed", "file 'folder/a.md' is not indexed"]
    assert "link.md" in edit["message"]
    assert (tmp_path / "outside.md").read_text() == "# Secret\n"
    assert [hit["provenance"]["file"] for hit in hits] == ["real/a.md"]


def test_undecodable_bytes_are_hashed_as_stored_and_survive_an_edit_next_to_them(tmp_path: Path) -> None:
    data = b"# A\n\n\xff\xfe raw\n\n# B\n\nold\n"
    write(tmp_path, {"a.md": data})

    with agent(tmp_path, "structural") as (client, _):
        section = client.call("get_section", file="a.md", heading_path="A")
        other = client.call("get_section", file="a.md", heading_path="B")["provenance"]["content_hash"]
        client.call("edit_section", file="a.md", heading_path="B", body="new", expected_hash=other)
        report = client.call("reindex_vault")

    assert section["content"] == "# A\n\n\ufffd\ufffd raw"
    assert section["provenance"]["content_hash"] == blake3(data[:11]).hexdigest()
    assert (tmp_path / "a.md").read_bytes() == b"# A\n\n\xff\xfe raw\n\n# B\nnew\n"
    assert report["diagnostics"][0]["file"] == "a.md"


def test_a_write_that_fails_is_told_and_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "# A\nx"})

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with agent(tmp_path, "structural") as (client, _):
        expected = client.call("get_section", file="a.md", heading_path="A")["provenance"]["content_hash"]
        monkeypatch.setattr(os, "fsync", full)
        refusal = client.refused("edit_section", file="a.md", heading_path="A", body="new", expected_hash=expected)
        monkeypatch.undo()

    assert set(refusal) == {"message"}
    assert "No space left on device" in refusal["message"]
    assert (tmp_path / "a.md").read_bytes() == b"# A\nx"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_reindexing_a_vault_that_is_gone_fails_and_names_the_root(tmp_path: Path) -> None:
    root = write(tmp_path / "vault", {"a.md": "# A\n"})

    with agent(root, "structural") as (client, _):
        root.rename(tmp_path / "moved")
        refusal = client.refused("reindex_vault")
        (tmp_path / "moved").rename(root)
        hits = client.call("search", query="a")

    assert set(refusal) == {"message"}
    assert str(root) in refusal["message"]
    assert len(hits["results"]) == 1


def test_searches_are_not_limited(tmp_path: Path) -> None:
    write(tmp_path, {f"{number:03}.md": f"# Note {number}\n" for number in range(150)})

    with agent(tmp_path, "structural") as (client, _):
        hits = client.call("search", query="note")["results"]

    assert len(hits) == 150
    assert all(isinstance(hit["score"], int) for hit in hits)


def test_on_a_read_only_vault_nothing_writes(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})

    with agent(tmp_path, "structural", settings=Settings(read_only=True)) as (client, _):
        names = [tool.name for tool in client.list_tools().tools]
        error = client.protocol_error(
            "edit_section", {"file": "a.md", "heading_path": "A", "body": "x", "expected_hash": "x"}
        )

    assert "edit_section" not in names
    assert error.code == -32602
