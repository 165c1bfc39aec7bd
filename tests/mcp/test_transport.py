"""MCP over real sockets, inside a plain Tornado application: both eras, limits, clients that leave, the end."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client

from jupyter_kb.events import Event, NoteChanged
from jupyter_kb.mcp.results import LARGEST
from tests.mcp.driving import MODES, connected, write
from tests.mcp.hosting import Host, busy, hosted

NOTES: dict[str, str | bytes | None] = {
    "kite.md": "# Flight\n\nSteady wind.\n\n## Launch\n\nRun forward. See [[log]].\n",
    "log.md": "# Log\n\nMonday: [[kite#Launch]] and [[nowhere]].\n",
}

CALLS: dict[str, dict[str, dict[str, Any]]] = {
    "vault": {
        "backlinks": {"file": "kite.md"},
        "diagnostics": {},
        "edit_section": {"file": "log.md", "heading_path": "Log", "operation": "append", "body": "Tuesday."},
        "get_section": {"file": "log.md", "heading_path": "Log"},
        "grep": {"pattern": "wind"},
        "links": {"file": "log.md", "direction": "out"},
        "outline": {"file": "kite.md"},
        "reindex_vault": {},
        "search": {"query": "wind"},
        "status": {},
    },
    "structural": {
        "backlinks": {"file": "kite.md"},
        "edit_section": {"file": "log.md", "heading_path": "Log", "body": "Tuesday."},
        "get_section": {"file": "log.md", "heading_path": "Log"},
        "outline": {"file": "kite.md"},
        "reindex_vault": {},
        "search": {"query": "launch"},
    },
}

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come true soon."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)  # looks again; decides nothing


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosted(write(tmp_path, NOTES)) as host:
        yield host


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("toolset", sorted(CALLS))
def test_the_official_client_drives_every_tool(mode: str, toolset: str, tmp_path: Path) -> None:
    with hosted(write(tmp_path, NOTES), toolset) as host, connected(host.url, mode=mode) as client:
        assert [tool.name for tool in client.list_tools().tools] == sorted(CALLS[toolset])
        for tool, arguments in CALLS[toolset].items():
            if tool == "edit_section":
                read = client.call("get_section", file=arguments["file"], heading_path=arguments["heading_path"])
                place = read if toolset == "vault" else read["provenance"]
                arguments = arguments | {"expected_hash": place["content_hash"]}
            assert client.call(tool, **arguments)

    assert "Tuesday." in (tmp_path / "log.md").read_text()


@pytest.mark.parametrize("mode", MODES)
def test_an_edit_records_the_user_who_made_it(mode: str, host: Host) -> None:
    heard: list[Event] = []
    host.knowledge_base.events.subscribe(heard.append)

    with connected(host.url, mode=mode) as client:
        read = client.call("get_section", file="log.md", heading_path="Log")
        client.call("edit_section", file="log.md", line=1, body="x", expected_hash=read["content_hash"])

    (changed,) = [event for event in heard if isinstance(event, NoteChanged)]
    assert changed.actor == "ada"


@pytest.mark.parametrize("mode", MODES)
def test_fifty_calls_at_once_are_all_answered(mode: str, host: Host) -> None:
    async def converse() -> list[Any]:
        results: list[Any] = []

        async def search(client: Client, number: int) -> None:
            results.append(await client.call_tool("search", {"query": "wind", "limit": 1 + number % 5}))

        async with Client(host.url, mode=mode) as client, anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(search, client, number)
        return results

    results = anyio.run(converse)

    assert len(results) == 50
    assert {result.structured_content["results"][0]["file"] for result in results} == {"kite.md"}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_without_a_session_only_post_is_allowed(method: str, host: Host) -> None:
    answer = httpx2.request(method, host.url, headers=ACCEPT)

    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert not answer.content


def test_an_unknown_session_is_not_found(host: Host) -> None:
    answer = httpx2.get(host.url, headers=ACCEPT | {"Mcp-Session-Id": "unheard-of"})

    assert answer.status_code == 404


def test_what_is_no_message_is_refused_and_the_next_is_served(host: Host) -> None:
    answers = [
        httpx2.post(host.url, content=text, headers=ACCEPT | {"Content-Type": "application/json"} | version)
        for text in (b"not json", b'{"a": 1}', b"\xff\xfe", b"")
        for version in ({}, {"MCP-Protocol-Version": "2026-07-28"})
    ]

    assert {answer.status_code for answer in answers} <= {400, 202}
    assert httpx2.post(host.url, json=INITIALIZE, headers=ACCEPT).status_code == 200


@pytest.mark.parametrize("version", [{}, {"MCP-Protocol-Version": "2026-07-28"}])
def test_a_batch_is_refused_unread(version: dict[str, str], host: Host) -> None:
    answer = httpx2.post(host.url, content=b" [" + b"1," * 100_000, headers=ACCEPT | version)  # never ends

    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "send one message, not a batch of them"


def test_a_request_that_is_too_long_is_refused_unread(tmp_path: Path) -> None:
    with hosted(write(tmp_path, NOTES), max_body_bytes=1_000) as host:
        answer = httpx2.post(host.url, json=INITIALIZE | {"padding": "x" * 1_000}, headers=ACCEPT)

    assert answer.status_code == 413


def test_one_session_too_many_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    with hosted(write(tmp_path, NOTES), max_sessions=1) as host, connected(host.url, mode="legacy") as client:
        answer = httpx2.post(host.url, json=INITIALIZE, headers=ACCEPT)

        assert answer.status_code == 503
        assert client.call("status")["notes"] == 2


def test_a_session_that_is_not_used_is_forgotten(tmp_path: Path) -> None:
    with hosted(write(tmp_path, NOTES), idle_seconds=0.01) as host:
        opened = httpx2.post(host.url, json=INITIALIZE, headers=ACCEPT)
        known = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}

        until(lambda: httpx2.post(host.url, json=ping, headers=ACCEPT | known).status_code == 404)


# ── streams ─────────────────────────────────────────────────────────────────────────────────────


def test_an_event_stream_is_open_at_once_and_not_compressed(host: Host) -> None:
    session = httpx2.post(host.url, json=INITIALIZE, headers=ACCEPT).headers["mcp-session-id"]
    headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session, "Accept-Encoding": "gzip"}

    with httpx2.stream("GET", host.url, headers=headers) as stream:  # returns with the headers: no event comes
        assert stream.status_code == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in stream.headers


@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
def test_a_client_that_leaves_in_the_middle_costs_nothing(
    era: str, host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    call = _call(era, "search", {"query": "wind"})
    headers = ACCEPT | {"Content-Type": "application/json", "MCP-Protocol-Version": era}
    headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "search"} if era == "2026-07-28" else {}
    if era != "2026-07-28":
        headers["Mcp-Session-Id"] = httpx2.post(host.url, json=INITIALIZE, headers=ACCEPT).headers["mcp-session-id"]

    with busy(host):
        with _raw(host.url, call, headers) as connection:
            until(lambda: bool(host.session._running))
            connection.close()
        until(lambda: not host.transport._exchanges)
    until(lambda: not host.session._running)

    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    with connected(host.url) as client:
        assert client.call("search", query="wind")["results"]


@pytest.mark.parametrize("mode", MODES)
def test_stopping_ends_open_streams_and_waiting_calls_soon(
    mode: str, host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    answers: list[Any] = []
    caller = threading.Thread(target=lambda: answers.append(anyio.run(_search, host.url, mode)))
    with busy(host):
        caller.start()
        until(lambda: bool(host.session._running))

        seconds = host.stop_serving()

        left = host.tasks()
    caller.join(30)

    assert seconds < 2  # half a second on an idle machine; without the stop, until the scan ends
    assert answers[0].structured_content == {"message": "the server is stopping"}
    assert [name for name in left if "watcher" in name or "Exchange" in name or "_hold" in name] == []
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_call_that_is_almost_done_is_still_answered_when_the_server_stops(host: Host) -> None:
    answers: list[Any] = []
    caller = threading.Thread(target=lambda: answers.append(anyio.run(_search, host.url, "auto")))
    with busy(host):
        caller.start()
        until(lambda: bool(host.session._running))
        stopper = threading.Thread(target=host.stop_serving)
        stopper.start()
        until(lambda: host.transport._lifespan is None)
    stopper.join(30)
    caller.join(30)

    assert answers[0].structured_content["results"]


def test_a_transport_serves_again_after_a_stop(host: Host) -> None:
    with connected(host.url, mode="legacy") as client:
        client.call("status")
    host.stop_serving()

    with connected(host.url, mode="legacy") as client:
        assert client.call("status")["notes"] == 2


# ── rights and sizes ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("toolset", sorted(CALLS))
def test_a_user_who_may_only_read_is_not_offered_what_writes_and_cannot_call_it(
    mode: str, toolset: str, tmp_path: Path
) -> None:
    with hosted(write(tmp_path, NOTES), toolset) as host, connected(host.url, mode=mode) as client:
        read = client.call("get_section", file="log.md", heading_path="Log")
        expected = (read if toolset == "vault" else read["provenance"])["content_hash"]
        host.rights = {"read"}

        refusal = client.refused("edit_section", file="log.md", heading_path="Log", body="x", expected_hash=expected)
        offered = {tool.name for tool in client.ask(client.client.list_tools, cache_mode="bypass").tools}

    assert offered == set(CALLS[toolset]) - {"edit_section"}
    assert "may not write" in refusal["message"]
    assert (tmp_path / "log.md").read_text() == NOTES["log.md"]


@pytest.mark.parametrize("mode", MODES)
def test_a_user_without_rights_learns_nothing(mode: str, host: Host) -> None:
    host.rights = set()
    with connected(host.url, mode=mode) as client:
        refusals = [client.refused(tool, **arguments) for tool, arguments in CALLS["vault"].items()]

    assert {refusal["code"] for refusal in refusals} == {"forbidden"}
    assert all("may not" in refusal["message"] for refusal in refusals)


@pytest.mark.parametrize("mode", MODES)
def test_the_largest_answer_reaches_the_official_client_and_a_larger_one_is_refused_with_advice(
    mode: str, tmp_path: Path
) -> None:
    fits = "# Fits\n\n" + "字 and words\n" * (LARGEST // 25)
    write(tmp_path, {"fits.md": fits, "large.md": "# Large\n\n" + fits[8:] * 3})

    with hosted(tmp_path, "structural") as host, connected(host.url, mode=mode) as client:
        whole = client.call("get_section", file="fits.md", heading_path="Fits")
        refusal = client.refused("get_section", file="large.md", heading_path="Large")

    assert whole["content"] == fits.rstrip("\n")
    assert f"too many for one answer of {LARGEST}" in refusal["message"]


async def _search(url: str, mode: str) -> Any:
    async with Client(url, mode=mode) as client:
        return await client.call_tool("search", {"query": "wind"})


def _call(era: str, tool: str, arguments: dict[str, Any]) -> bytes:
    parameters: dict[str, Any] = {"name": tool, "arguments": arguments}
    if era == "2026-07-28":
        parameters["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": parameters}).encode()


@contextmanager
def _raw(url: str, body: bytes, headers: dict[str, str]) -> Iterator[socket.socket]:
    """A connection on which a request was sent, and nothing is read."""
    address = httpx2.URL(url)
    lines = [f"POST {address.path} HTTP/1.1", f"Host: {address.host}:{address.port}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection((address.host, address.port)) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        yield connection
