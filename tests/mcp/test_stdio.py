"""The server as a process: frames on stdout and nothing else, both protocol eras, and a prompt end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests.mcp.driving import MODES, write

pytestmark = pytest.mark.slow  # each test starts a process

SERVE = """
import sys
from pathlib import Path
from jupyter_kb.mcp.stdio import serve_stdio
serve_stdio(Path(sys.argv[1]), toolset=sys.argv[2], index_dir=Path(sys.argv[3]))
"""

TALKATIVE = """
import os, subprocess, sys
import jupyter_kb.kb
made = jupyter_kb.kb.KnowledgeBase.__init__
def make_loudly(*arguments, **options):
    print("printed")
    sys.stdout.flush()
    os.write(1, b"written by C\\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    assert sys.stdin.read() == ""
    made(*arguments, **options)
jupyter_kb.kb.KnowledgeBase.__init__ = make_loudly
"""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def command(root: Path, toolset: str = "vault", *, before: str = "") -> list[str]:
    return [sys.executable, "-c", before + SERVE, str(root), toolset, str(root.parent / "index")]


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    parameters = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": parameters}


def exchange(
    words: list[str], *messages: dict[str, Any] | bytes
) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[bytes]]:
    """Send everything, end the input, and take the answers; every line of stdout must be one."""
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    done = subprocess.run(words, input=b"\n".join([*lines, b""]), capture_output=True, timeout=60, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "vault", {"a.md": "# A\n\nsome words\n\n## B\n\nmore\n", "b.md": "# Other\n\n[[a]]\n"})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("toolset", ["structural", "vault"])
def test_the_official_client_finds_reads_and_edits(mode: str, toolset: str, root: Path) -> None:
    words = command(root, toolset)

    async def converse() -> tuple[Any, Any, Any]:
        parameters = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
        async with Client(parameters, mode=mode) as client:
            info = client.server_info
            await client.list_tools()
            found = await client.call_tool("search", {"query": "b"})
            read = await client.call_tool("get_section", {"file": "a.md", "heading_path": "A > B"})
            section = read.structured_content
            expected = section.get("content_hash") or section["provenance"]["content_hash"]
            edited = await client.call_tool(
                "edit_section",
                {"file": "a.md", "heading_path": "A > B", "body": "new", "expected_hash": expected},
            )
            assert not edited.is_error, edited.structured_content
            return info, found.structured_content, section

    info, found, section = anyio.run(converse)

    assert info.name == "jupyter-kb"
    assert found["results"]
    assert section["content"] == "## B\n\nmore"
    assert (root / "a.md").read_text().endswith("new\n")


def test_calls_sent_before_the_end_of_input_are_all_answered(root: Path) -> None:
    answers, done = exchange(
        command(root),
        INITIALIZE,
        INITIALIZED,
        call(2, "outline", file="a.md"),
        call(3, "search", query="words"),
        call(4, "status"),
    )

    assert done.returncode == 0, done.stderr
    results = {answer["id"]: answer["result"] for answer in answers}
    assert set(results) == {1, 2, 3, 4}
    assert results[1]["serverInfo"]["name"] == "jupyter-kb"
    assert results[1]["instructions"]
    assert "tools" in results[1]["capabilities"]
    assert results[3]["structuredContent"]["results"][0]["file"] == "a.md"
    assert results[4]["structuredContent"]["notes"] == 2


def test_nothing_but_frames_reaches_stdout_and_nobody_else_reads_stdin(root: Path) -> None:
    answers, done = exchange(command(root, before=TALKATIVE), INITIALIZE, INITIALIZED, call(2, "outline", file="a.md"))

    assert done.returncode == 0, done.stderr
    assert [answer["id"] for answer in answers] == [1, 2]
    for text in (b"printed", b"written by C", b"printed by a child"):
        assert text in done.stderr


def test_an_empty_input_ends_the_server_at_once_with_status_zero(root: Path) -> None:
    answers, done = exchange(command(root))

    assert (answers, done.returncode) == ([], 0)
    assert b"Traceback" not in done.stderr


def test_the_end_of_input_stops_a_scan_that_runs(tmp_path: Path) -> None:
    root = write(tmp_path / "vault", {f"{n:04}.md": f"# Note {n}\n\n" + "words and more " * 200 for n in range(4_000)})

    answers, done = exchange(command(root), INITIALIZE, INITIALIZED)

    assert [answer["id"] for answer in answers] == [1]
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_lines_that_are_no_messages_are_refused_and_the_next_is_served(root: Path) -> None:
    answers, done = exchange(
        command(root),
        b"not json",
        b'{"jsonrpc": "2.0", "id": 7}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "x", "params": {"a": "\\udcff"}}',
        b"\xff\xfe",
        b"[]",
        b"",
        INITIALIZE,
        INITIALIZED,
        {"jsonrpc": "2.0", "id": 9, "method": "ping"},
    )

    assert done.returncode == 0, done.stderr
    errors = [(answer["id"], answer["error"]["code"]) for answer in answers if "error" in answer]
    assert errors == [(None, -32700), (7, -32600), (8, -32600), (None, -32700), (None, -32600)]
    assert [answer["id"] for answer in answers if "result" in answer] == [1, 9]


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_vault_that_is_no_folder_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    done = subprocess.run(command(tmp_path / name), input=b"", capture_output=True, timeout=60, check=False)

    assert done.returncode != 0
    assert done.stdout == b""
    assert b"VaultNotFoundError" in done.stderr
    assert str(tmp_path / name).encode() in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(number: signal.Signals, root: Path) -> None:
    with subprocess.Popen(command(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(number)

        assert process.wait(30) == 0


def test_a_client_that_stops_reading_ends_the_server(root: Path) -> None:
    with subprocess.Popen(command(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}).encode() + b"\n")
        process.stdin.flush()

        assert process.wait(30) == 0


def test_bytes_that_are_not_utf8_do_not_break_the_protocol(root: Path) -> None:
    (root / "raw.md").write_bytes(b"# R\xff\n\nx\xfe\n")

    calls = [call(2, "get_section", file="raw.md", line=1), call(3, "grep", pattern="x")]

    answers, done = exchange(command(root), INITIALIZE, INITIALIZED, *calls)

    assert done.returncode == 0, done.stderr
    results = {answer["id"]: answer["result"]["structuredContent"] for answer in answers if answer["id"] > 1}
    assert results[2]["content"] == "# R\ufffd\n\nx\ufffd"
    assert results[2]["invalid_utf8"] is True
    assert results[3]["total"] == 1


def test_two_servers_share_one_vault(root: Path) -> None:
    with subprocess.Popen(command(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        frames = [INITIALIZE, INITIALIZED, call(2, "status")]
        first.stdin.write("".join(json.dumps(frame) + "\n" for frame in frames).encode())
        first.stdin.flush()
        owner = [json.loads(first.stdout.readline()) for _ in range(2)][1]["result"]["structuredContent"]

        answers, done = exchange(
            command(root), INITIALIZE, INITIALIZED, call(2, "search", query="words"), call(3, "status")
        )
        first.stdin.close()
        assert first.wait(30) == 0

    second = {answer["id"]: answer["result"] for answer in answers}
    assert done.returncode == 0
    assert second[2]["structuredContent"]["results"][0]["file"] == "a.md"
    assert owner["index"] == "on disk"
    assert second[3]["structuredContent"]["index"] == "on disk"  # the first one's, which was asked
