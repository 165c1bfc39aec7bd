"""The loopback server: who gets in, and what clients that misbehave can do."""

from __future__ import annotations

import http.client
import logging
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from jupyter_kb import wire
from jupyter_kb.events import NoteChanged
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import VaultInfo
from jupyter_kb.operations import Operations
from jupyter_kb.rest.loopback import LARGEST_BODY, LoopbackServer
from tests.rest.asking import SECRET, Host, failure, over

TOKEN = f"Authorization: token {SECRET}\r\n"
HEADERS = {"Authorization": f"token {SECRET}"}


def exchange(server: LoopbackServer, *parts: str | bytes) -> bytes:
    """All that the server says to these bytes until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        for part in parts:
            connection.sendall(part.encode() if isinstance(part, str) else part)
        received = b""
        while data := connection.recv(65_536):
            received += data
        return received


@pytest.fixture
def connection(still_server: LoopbackServer) -> Iterator[http.client.HTTPConnection]:
    opened = http.client.HTTPConnection("127.0.0.1", still_server.port, timeout=20)
    yield opened
    opened.close()


def get(connection: http.client.HTTPConnection, path: str, **headers: str) -> tuple[int, bytes]:
    connection.request("GET", path, headers={**HEADERS, **headers})
    answer = connection.getresponse()
    return answer.status, answer.read()


# ── who gets in ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Authorization: \r\n",
        "Authorization: token\r\n",
        "Authorization: token wrong\r\n",
        f"Authorization: {SECRET}\r\n",
        f"Authorization: Basic {SECRET}\r\n",
        f"Authorization: token {SECRET}x\r\n",
        f"Authorization: token {SECRET[:-1]}\r\n",
        "Authorization: token \xe9\r\n",
    ],
)
@pytest.mark.parametrize("path", ["vaults", "openapi.json", "nothing", "vaults/lab/status"])
def test_without_the_secret_nothing_is_answered(still_server: LoopbackServer, authorization: str, path: str) -> None:
    request = f"GET /kb/api/{path} HTTP/1.1\r\nHost: localhost\r\n{authorization}\r\n"

    answer = exchange(still_server, request.encode("latin-1"))

    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b'"code":"unauthorized"' in answer
    assert b"lab" not in answer


def test_the_secret_is_no_query_parameter(still_server: LoopbackServer) -> None:
    answer = exchange(still_server, f"GET /kb/api/vaults?token={SECRET} HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("scheme", ["token", "Token", "Bearer", "bearer"])
def test_the_secret_is_taken_in_both_schemes(still_server: LoopbackServer, scheme: str) -> None:
    answer = over(still_server)("GET", "/vaults", headers={"Authorization": f"{scheme} {SECRET}"})

    assert answer.status == 200


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "0.0.0.0", "", "[", "a b"]
)
def test_a_foreign_host_is_refused(still_server: LoopbackServer, name: str) -> None:
    answer = exchange(still_server, f"GET /kb/api/vaults HTTP/1.1\r\nHost: {name}\r\n{TOKEN}\r\n")

    assert answer.startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost:1", "[::1]:8888"])
def test_this_machine_is_no_foreign_host(still_server: LoopbackServer, name: str) -> None:
    assert over(still_server)("GET", "/vaults", headers={"Host": name}).status == 200


@pytest.mark.parametrize("origin", ["null", "http://localhost:8888", "https://evil.example"])
def test_no_page_of_a_browser_is_answered(still_server: LoopbackServer, origin: str) -> None:
    assert over(still_server)("GET", "/vaults", headers={"Origin": origin}).status == 403


def test_it_listens_on_this_machine_only(still_server: LoopbackServer) -> None:
    assert still_server.url == f"http://127.0.0.1:{still_server.port}/kb/api"
    assert still_server._server.socket.getsockname()[0] == "127.0.0.1"


def test_who_edits_is_told_in_a_header(server: LoopbackServer, kb: KnowledgeBase) -> None:
    actors: list[str] = []
    kb.events.subscribe(lambda event: actors.append(event.actor) if isinstance(event, NoteChanged) else None)
    section = {"file": "inbox.md", "line": 1}
    ask = over(server)

    for name in ("J%C3%BCrgen", "", "a%0Ab", "x" * 500):
        tag = ask("GET", "section", section).headers["ETag"]
        body = {"section": section, "operation": "append", "body": "More.\n"}
        assert ask("PATCH", "section", body=body, headers={"If-Match": tag, "KB-Actor": name}).status == 200

    assert actors == ["Jürgen", "local", "local", "x" * 200]


# ── requests that do not fit ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("nonsense\r\n\r\n", 400),
        ("GET\r\n\r\n", 400),
        ("GET /kb/api/vaults HTTP/3.0\r\n\r\n", 505),
        ("GET /kb/api/vaults FTP/1.1\r\n\r\n", 400),
        ("GET /" + "a" * 70_000 + " HTTP/1.1\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nX: " + "a" * 70_000 + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\n" + "X: a\r\n" * 200 + "\r\n", 431),
        (f"POST /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Content-Length: x\r\n\r\n", 400),
        (f"POST /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Content-Length: -1\r\n\r\n", 400),
        (f"POST /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Content-Length: {10**30}\r\n\r\n", 413),
        (f"POST /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (f"GET /kb/api/vaults?{'a=&' * 2_000} HTTP/1.1\r\nHost: localhost\r\n{TOKEN}\r\n", 400),
        (f"GET http://evil.example/kb/api/vaults HTTP/1.1\r\nHost: evil.example\r\n{TOKEN}\r\n", 403),
        (f"BREW /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Connection: close\r\n\r\n", 405),
        (f"GET /other HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Connection: close\r\n\r\n", 404),
        (f"GET /kb/api/vaults/../vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Connection: close\r\n\r\n", 404),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_request_that_does_not_fit_gets_an_error_and_the_next_one_an_answer(
    still_server: LoopbackServer, request_text: str, status: int
) -> None:
    answer = exchange(still_server, request_text)

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), head
    assert set(wire.decode(body)) == {"message", "reason", "code", "hint", "details"}
    assert over(still_server)("GET", "/vaults").status == 200


def test_a_body_over_the_limit_is_refused_before_it_is_sent(still_server: LoopbackServer) -> None:
    request = (
        f"POST /kb/api/vaults/lab/search HTTP/1.1\r\nHost: localhost\r\n{TOKEN}"
        f"Expect: 100-continue\r\nContent-Length: {LARGEST_BODY + 1}\r\n\r\n"
    )

    assert exchange(still_server, request).startswith(b"HTTP/1.1 413 ")


def test_a_body_of_megabytes_is_read(still_server: LoopbackServer) -> None:
    body = b" " * (LARGEST_BODY - 20) + b'{"pattern": "laser"}'

    assert over(still_server)("POST", "grep", body=body).status == 200


def test_a_client_that_asks_first_is_told_to_go_on(still_server: LoopbackServer) -> None:
    body = b'{"pattern": "laser"}'
    request = (
        f"POST /kb/api/vaults/lab/grep HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Connection: close\r\n"
        f"Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    )

    answer = exchange(still_server, request, body)

    assert answer.startswith(b"HTTP/1.1 100 ")
    assert b"\r\n\r\nHTTP/1.1 200 " in answer


def test_head_sends_no_body(still_server: LoopbackServer) -> None:
    answer = exchange(
        still_server, f"HEAD /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Connection: close\r\n\r\n"
    )

    assert answer.startswith(b"HTTP/1.1 405 ")
    assert answer.endswith(b"\r\n\r\n")


# ── connections ─────────────────────────────────────────────────────────────────────────────────


def test_a_connection_serves_one_request_after_the_other(connection: http.client.HTTPConnection) -> None:
    connection.connect()
    opened = connection.sock

    statuses = [get(connection, "/kb/api/vaults/lab/status")[0] for _ in range(20)]
    statuses.append(get(connection, "/kb/api/nothing")[0])
    statuses.append(get(connection, "/kb/api/vaults")[0])

    assert statuses == [200] * 20 + [404, 200]
    assert connection.sock is opened


def test_a_known_section_is_answered_without_a_body_and_the_connection_stays(
    still_server: LoopbackServer, connection: http.client.HTTPConnection
) -> None:
    tag = over(still_server)("GET", "section", {"file": "inbox.md"}).headers["ETag"]

    answers = [get(connection, "/kb/api/vaults/lab/section?file=inbox.md", **{"If-None-Match": tag}) for _ in range(2)]

    assert answers == [(304, b"")] * 2


def test_requests_sent_in_one_go_are_answered_in_order(still_server: LoopbackServer) -> None:
    one = f"GET /kb/api/vaults HTTP/1.1\r\nHost: localhost\r\n{TOKEN}\r\n"
    last = one.replace("vaults", "nothing").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")

    answer = exchange(still_server, one + one + last)

    assert answer.count(b"HTTP/1.1 200 ") == 2
    assert answer.rindex(b"HTTP/1.1 404 ") > answer.rindex(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("beginning", ["G", f"GET /kb/api/vaults HTTP/1.1\r\n{TOKEN}", ""])
def test_a_slow_client_loses_its_connection(host: Host, beginning: str) -> None:
    with LoopbackServer(host, SECRET, patience=0.3, idle=0.3) as server:
        started = time.monotonic()

        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
            slow.sendall(beginning.encode())
            if beginning:  # a byte now and then does not help: the whole request has its time
                threading.Timer(0.2, lambda: slow.sendall(b"E")).start()
            assert slow.recv(1) == b""

        assert time.monotonic() - started < 10
        assert over(server)("GET", "/vaults").status == 200


def test_a_client_that_leaves_in_the_middle_is_no_trouble(
    still_server: LoopbackServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for part in (
            b"GET /kb",
            f"POST /kb/api/vaults/lab/grep HTTP/1.1\r\nHost: localhost\r\n{TOKEN}Content-Length: 9\r\n\r\n".encode(),
        ):
            with socket.create_connection(("127.0.0.1", still_server.port), timeout=20) as connection:
                connection.sendall(part)

        assert over(still_server)("GET", "/vaults").status == 200
    assert caplog.text == ""


def test_one_connection_too_many_is_closed_and_the_others_serve_on(host: Host) -> None:
    with LoopbackServer(host, SECRET, connections=2) as server:
        held = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=20) for _ in range(2)]
        assert [get(connection, "/kb/api/vaults")[0] for connection in held] == [200, 200]

        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            over(server)("GET", "/vaults")

        assert [get(connection, "/kb/api/vaults")[0] for connection in held] == [200, 200]
        for connection in held:
            connection.close()


def test_two_hundred_requests_at_a_time_are_all_answered(still_server: LoopbackServer) -> None:
    ask = over(still_server)

    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(lambda number: ask("GET", "search", {"q": f"laser {number}"}), range(200)))

    assert [answer.status for answer in answers] == [200] * 200
    assert [wire.decode(answer.body)["query"] for answer in answers] == [f"laser {number}" for number in range(200)]


# ── life ────────────────────────────────────────────────────────────────────────────────────────


class Slow:
    """Offers a vault that is not open yet."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.opened = threading.Event()

    def list(self) -> tuple[VaultInfo, ...]:
        return (VaultInfo(name="lab", root="/lab"),)

    def get(self, name: str) -> Operations:
        self.asked.set()
        self.opened.wait(30)
        raise TimeoutError("never opened")


def test_the_list_of_vaults_is_answered_while_all_workers_wait() -> None:
    slow = Slow()
    with LoopbackServer(slow, SECRET, workers=1) as server, ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(over(server), "GET", "status") for _ in range(2)]
        assert slow.asked.wait(20)

        assert over(server)("GET", "/vaults").status == 200

        slow.opened.set()
        assert [future.result().status for future in waiting] == [500, 500]


def test_closing_lets_a_request_end_and_takes_no_more(host: Host) -> None:
    slow = Slow()
    server = LoopbackServer(slow, SECRET, workers=1)
    server.start()
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(over(server), "GET", "status")
        assert slow.asked.wait(20)
        threading.Timer(0.2, slow.opened.set).start()

        server.close(seconds=20)

        assert running.result().status == 500  # answered, though with the failure that this vault makes
    with pytest.raises(ConnectionRefusedError):
        over(server)("GET", "/vaults")


def test_closing_ends_idle_connections_and_does_not_wait_for_ever(host: Host) -> None:
    slow = Slow()
    server = LoopbackServer(slow, SECRET)
    server.start()
    idle = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    assert get(idle, "/kb/api/vaults")[0] == 200
    with ThreadPoolExecutor(1) as pool:
        hanging: Any = pool.submit(over(server), "GET", "status")
        assert slow.asked.wait(20)
        started = time.monotonic()

        server.close(seconds=0.2)

        assert time.monotonic() - started < 5
        assert idle.sock is not None
        assert idle.sock.recv(1) == b""
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            hanging.result()
        slow.opened.set()
    idle.close()


def test_a_server_that_was_never_started_can_be_closed(host: Host) -> None:
    LoopbackServer(host, SECRET).close()


def test_an_unknown_vault_is_not_found_over_a_connection(still_server: LoopbackServer) -> None:
    failure(over(still_server)("GET", "/vaults/other/status"), 404)
