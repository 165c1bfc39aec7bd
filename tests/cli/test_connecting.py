"""connect: what is printed is what the client reads, for a server that runs and for one that the client starts."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from jupyter_kb.cli import clients
from jupyter_kb.cli.clients import OverHttp, OverStdio
from jupyter_kb.cli.connecting import CLIENTS
from tests.cli.sessions import Vault, invoke

STDIO = OverStdio(command="/venv/bin/jupyter-kb", arguments=["mcp", "/home/me/notes"])
HTTP = OverHttp(url="http://localhost:8888/kb/mcp", token="a-token")


def test_claude_code_is_told_the_kind_of_server() -> None:
    stdio = clients.configuration("claude-code", "notes", STDIO).content
    http = clients.configuration("claude-code", "notes", HTTP).content

    assert stdio == {
        "mcpServers": {"notes": {"type": "stdio", "command": STDIO.command, "args": ["mcp", "/home/me/notes"]}}
    }
    assert http == {
        "mcpServers": {"notes": {"type": "http", "url": HTTP.url, "headers": {"Authorization": "Bearer a-token"}}}
    }


def test_claude_desktop_goes_over_a_bridge_and_keeps_the_token_out_of_its_arguments() -> None:
    entry = clients.configuration("claude-desktop", "notes", HTTP).content["mcpServers"]["notes"]
    elsewhere = clients.configuration("claude-desktop", "n", OverHttp(url="http://lab:8888/kb/mcp", token=None)).content

    assert entry["command"] == "npx"
    assert entry["args"][:3] == ["-y", "mcp-remote", HTTP.url]
    assert "a-token" not in " ".join(entry["args"])
    assert entry["env"] == {"KB_AUTHORIZATION": "Bearer a-token"}
    assert "--allow-http" in elsewhere["mcpServers"]["n"]["args"]
    assert "env" not in elsewhere["mcpServers"]["n"]


def test_vs_code_asks_for_the_token() -> None:
    found = clients.configuration("vscode", "notes", HTTP)

    assert "a-token" not in json.dumps(found.content)
    assert found.content["servers"]["notes"]["headers"]["Authorization"] == "Bearer ${input:jupyter-token}"
    assert found.content["inputs"][0]["id"] == "jupyter-token"
    assert "a-token" in str(found.note)


def test_cursor_needs_an_address_only() -> None:
    assert clients.configuration("cursor", "notes", HTTP).content == {
        "mcpServers": {"notes": {"url": HTTP.url, "headers": {"Authorization": "Bearer a-token"}}}
    }


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("my notes", "my-notes"),
        ("2024", "notes-2024"),
        ("注", "notes"),
        ("a", "a"),
        ("Übungs Notizen", "Ubungs-Notizen"),
    ],
)
def test_the_server_gets_a_name_that_every_client_takes(name: str, wanted: str) -> None:
    assert list(clients.configuration("generic", name, STDIO).content["mcpServers"]) == [wanted]


def test_without_a_server_each_client_starts_one_by_its_full_path(kites: Vault) -> None:
    shown = kites.run("connect")
    for client in CLIENTS:
        content = json.loads(kites.run("connect", client, "--json", "--toolset", "structural").stdout)
        (entry,) = next(value for key, value in content.items() if key in ("servers", "mcpServers")).values()
        words = [entry["command"], *entry["args"]]
        assert os.path.isabs(words[0])
        assert words[words.index("mcp") + 1] == str(kites.root)
        assert words[-4:-2] == ["--toolset", "structural"]
        assert words[-2:] == ["--index-dir", str(kites.index_dir)]

    assert shown.exit_code == 0
    for title in ("Claude Code", "Claude Desktop", "VS Code", "Cursor", "Other clients"):
        assert title in shown.output
    assert "starts a server of its own" in shown.output


def test_read_only_does_not_say_that_no_jupyter_server_runs(kites: Vault) -> None:
    shown = kites.run("connect", "cursor", "--read-only")

    assert "--read-only" in shown.stdout
    assert "No Jupyter server" not in shown.output
    assert "Read only: the client starts a server of its own" in shown.output


def test_an_unknown_client_is_told_which_there_are(kites: Vault) -> None:
    result = kites.run("connect", "claude")

    assert result.exit_code == 2
    assert "Usage: jupyter kb connect [OPTIONS] [CLIENT]" in result.output
    assert "'claude' is not one of 'claude-code'" in result.output


def test_what_is_printed_starts_a_server(kites: Vault) -> None:
    content = json.loads(kites.run("connect", "generic", "--json").stdout)
    (entry,) = content["mcpServers"].values()
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(message) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd="/",
    )

    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "jupyter-kb"


def test_json_is_for_one_client(kites: Vault) -> None:
    result = kites.run("connect", "--json")

    assert result.exit_code == 2
    assert "claude-code" in result.output


@pytest.mark.slow
def test_a_running_jupyter_server_is_named_with_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.server.jupyter import TOKEN, Jupyter

    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("# A\n\nkite\n")
    with Jupyter(tmp_path / "home", root, base_url="/base/") as server:
        for kind in ("DATA", "RUNTIME", "CONFIG"):
            monkeypatch.setenv(f"JUPYTER_{kind}_DIR", server.environment[f"JUPYTER_{kind}_DIR"])
        printed = invoke("connect", "cursor", "--json", "--vault", str(root))
        toolset = invoke("connect", "cursor", "--json", "--vault", str(root), "--toolset", "structural")
        stdio = invoke("connect", "cursor", "--json", "--vault", str(root), "--stdio")

    (entry,) = json.loads(printed.stdout)["mcpServers"].values()
    assert entry["headers"] == {"Authorization": f"Bearer {TOKEN}"}
    assert entry["url"].endswith(f":{server.port}/base/kb/mcp")
    assert json.loads(toolset.stdout)["mcpServers"]["vault"]["url"].endswith("/base/kb/mcp/structural")
    assert TOKEN not in stdio.output
