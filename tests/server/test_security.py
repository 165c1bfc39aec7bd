"""Who is let in, and what they may do: asked of a real server, through real sockets."""

from __future__ import annotations

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from jupyter_kb.config import TOOLSETS
from jupyter_kb.mcp.toolsets import find_toolset
from jupyter_kb.rest.resources import ROUTES
from tests.server.agents import agent
from tests.server.jupyter import SECONDS, TOKEN, Jupyter

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
MCP_HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
GREP = {"pattern": "sensor"}
PLACES = [
    ("GET", "api/vaults", None),
    ("POST", "api/vaults/lab/grep", GREP),
    ("PATCH", "api/vaults/lab/section", {}),
    ("POST", "mcp", INITIALIZE),
    ("GET", "mcp/structural", None),
    ("DELETE", "mcp/v/lab/vault", None),
]
"""One address of each kind, for each method."""


def send(jupyter: Jupyter, method: str, path: str, body: Any, **headers: str) -> httpx2.Response:
    """One request with just these headers, cookies neither sent nor kept."""
    with httpx2.Client(base_url=jupyter.url, timeout=SECONDS) as client:
        content = None if body is None else json.dumps(body)
        return client.request(method, f"kb/{path}", content=content, headers={**MCP_HEADERS, **headers})


@pytest.fixture(scope="module")
def cookies(jupyter: Jupyter) -> httpx2.Cookies:
    """Those of a person who logged in with the token."""
    with httpx2.Client(base_url=jupyter.url, timeout=SECONDS) as client:
        form = client.get("login").text
        xsrf = re.search(r'name="_xsrf" value="([^"]+)"', form)
        assert xsrf
        client.post("login", data={"password": TOKEN, "_xsrf": xsrf[1]})
        assert any(name.startswith("username-") for name in client.cookies)
        return httpx2.Cookies(client.cookies)


# ── who ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("method", "path", "body"), PLACES)
@pytest.mark.parametrize(
    "authorization", [None, "token wrong", "Bearer wrong", "Basic dXNlcjpwYXNz", f"token {TOKEN}x"]
)
def test_without_a_right_token_nothing_answers(
    jupyter: Jupyter, method: str, path: str, body: Any, authorization: str | None
) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}

    answer = send(jupyter, method, path, body, **headers)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "unauthorized"


def test_a_wrong_token_in_the_address_is_refused(jupyter: Jupyter) -> None:
    assert send(jupyter, "GET", "api/vaults?token=wrong", None).status_code == 401


@pytest.mark.parametrize("scheme", ["token", "Token", "Bearer", "bearer"])
@pytest.mark.parametrize(("method", "path", "body"), [PLACES[0], PLACES[1], PLACES[3]])
def test_the_token_is_taken_from_the_header(jupyter: Jupyter, method: str, path: str, body: Any, scheme: str) -> None:
    assert send(jupyter, method, path, body, Authorization=f"{scheme} {TOKEN}").status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), [PLACES[0], PLACES[1], PLACES[3]])
def test_the_token_is_taken_from_the_address(jupyter: Jupyter, method: str, path: str, body: Any) -> None:
    assert send(jupyter, method, f"{path}?token={TOKEN}", body).status_code == 200


# ── cookies ─────────────────────────────────────────────────────────────────────────────────────


def test_a_cookie_lets_a_person_read(jupyter: Jupyter, cookies: httpx2.Cookies) -> None:
    with httpx2.Client(base_url=jupyter.url, cookies=cookies, timeout=SECONDS) as client:
        assert client.get("kb/api/vaults").status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), [PLACES[1], PLACES[2], PLACES[3], PLACES[5]])
def test_a_cookie_alone_is_not_enough_to_post(
    jupyter: Jupyter, cookies: httpx2.Cookies, method: str, path: str, body: Any
) -> None:
    with httpx2.Client(base_url=jupyter.url, cookies=cookies, timeout=SECONDS) as client:
        answer = client.request(method, f"kb/{path}", json=body, headers=MCP_HEADERS)

    assert answer.status_code == 403
    assert "_xsrf" in answer.json()["message"]


@pytest.mark.parametrize(("method", "path", "body"), [PLACES[1], PLACES[3]])
def test_a_cookie_with_its_token_against_forgery_is_enough(
    jupyter: Jupyter, cookies: httpx2.Cookies, method: str, path: str, body: Any
) -> None:
    with httpx2.Client(base_url=jupyter.url, cookies=cookies, timeout=SECONDS) as client:
        headers = {**MCP_HEADERS, "X-XSRFToken": client.cookies["_xsrf"]}
        answer = client.request(method, f"kb/{path}", json=body, headers=headers)

    assert answer.status_code == 200


def test_another_persons_token_against_forgery_is_not(jupyter: Jupyter, cookies: httpx2.Cookies) -> None:
    with httpx2.Client(base_url=jupyter.url, cookies=cookies, timeout=SECONDS) as client:
        headers = {"X-XSRFToken": "2|00000000|00000000000000000000000000000000|1700000000"}
        assert client.post("kb/api/vaults/lab/grep", json=GREP, headers=headers).status_code == 403


# ── from where ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("method", "path", "body"), PLACES)
@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://[", "", "http://evil:x"],
)
def test_a_page_from_elsewhere_is_refused_even_with_a_token(
    jupyter: Jupyter, method: str, path: str, body: Any, origin: str
) -> None:
    answer = send(jupyter, method, path, body, Authorization=f"token {TOKEN}", Origin=origin)

    assert answer.status_code == 403


def test_a_page_of_the_server_itself_is_let_in(jupyter: Jupyter) -> None:
    own = f"http://127.0.0.1:{jupyter.port}"
    answer = send(jupyter, "POST", "api/vaults/lab/grep", GREP, Authorization=f"token {TOKEN}", Origin=own)

    assert answer.status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), PLACES)
def test_a_name_that_only_points_here_is_refused(jupyter: Jupyter, method: str, path: str, body: Any) -> None:
    answer = send(jupyter, method, path, body, Authorization=f"token {TOKEN}", Host="rebound.example:8888")

    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("path", "status"), [("api/vaults?origin", 403), ("api/nothing?x", 404), ("api/vaults?offset=%ff", 400)]
)
def test_a_token_in_a_query_is_in_no_log(jupyter: Jupyter, path: str, status: int) -> None:
    headers = {"Origin": "http://evil.example"} if status == 403 else {}
    mark = f"mark-{status}"

    assert send(jupyter, "GET", f"{path}&token={TOKEN}&{mark}=1", None, **headers).status_code == status
    jupyter.until(bool, lambda: mark in jupyter.log)

    assert TOKEN not in jupyter.log


# ── what they may ───────────────────────────────────────────────────────────────────────────────


def test_a_reader_may_read(jupyter: Jupyter) -> None:
    assert jupyter.ask("GET", "api/vaults", headers={"X-Role": "reader"}).status_code == 200
    assert jupyter.ask("POST", "api/vaults/lab/grep", json=GREP, headers={"X-Role": "reader"}).status_code == 200


@pytest.mark.parametrize("route", [route for route in ROUTES if route.right == "write"], ids=lambda route: route.name)
def test_a_reader_may_not_write(jupyter: Jupyter, route: Any) -> None:
    path = route.pattern.replace("{vault}", "lab")

    answer = jupyter.ask(route.method, f"api/{path}", json={}, headers={"X-Role": "reader", "If-Match": '"0"'})

    assert answer.status_code == 403
    assert answer.json()["message"] == "you may not write here"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_who_has_no_right_at_all_gets_nothing(jupyter: Jupyter, route: Any) -> None:
    path = route.pattern.replace("{vault}", "lab")

    assert jupyter.ask(route.method, f"api/{path}", headers={"X-Role": "nobody"}).status_code == 403


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_a_reader_cannot_call_the_tools_that_write(jupyter: Jupyter, toolset: str, mode: str) -> None:
    writing = {tool.name for tool in find_toolset(toolset).tools if tool.writes}
    assert writing
    with agent(jupyter, f"mcp/{toolset}", mode=mode, role="reader") as client:
        for tool in client.list_tools().tools:
            required = dict.fromkeys(tool.input_schema.get("required", ()), "x")
            assert ("may not write" in client.told(tool.name, required)) == (tool.name in writing), tool.name


def test_who_has_no_right_at_all_can_call_no_tool(jupyter: Jupyter) -> None:
    with agent(jupyter, "mcp", role="nobody") as client:
        assert "may not read" in client.told("status", {})


# ── how much ────────────────────────────────────────────────────────────────────────────────────

MEGABYTE = 1024 * 1024
KNOWN = f"Authorization: token {TOKEN}"


def test_a_body_of_ten_megabytes_is_read_and_judged(jupyter: Jupyter) -> None:
    answer = jupyter.ask("POST", "api/vaults/lab/grep", json={"pattern": "x" * (10 * MEGABYTE)})

    assert answer.status_code in (200, 400)
    assert jupyter.ask("GET", "api/vaults").status_code == 200


def test_a_section_cannot_grow_past_what_is_read(jupyter: Jupyter) -> None:
    shown = jupyter.ask("GET", "api/vaults/spare/section?file=one.md&heading_path=One")
    body = {"section": {"file": "one.md", "heading_path": "One"}, "operation": "append", "body": "x" * (10 * MEGABYTE)}

    answer = jupyter.ask("PATCH", "api/vaults/spare/section", json=body, headers={"If-Match": shown.headers["ETag"]})

    assert answer.status_code in (413, 422), answer.text[:500]
    assert (jupyter.root / "spare" / "one.md").read_text() == "# One\n\nThe only note.\n"


def test_a_body_over_the_limit_is_refused_before_it_is_sent(jupyter: Jupyter) -> None:
    head = _head(
        jupyter, "POST", "kb/api/vaults/lab/grep", f"Content-Length: {17 * MEGABYTE}", f"Authorization: token {TOKEN}"
    )

    assert b" 413 " in _conversation(jupyter, head).splitlines()[0]


def test_a_body_of_unknown_length_is_cut_off_at_the_limit(jupyter: Jupyter) -> None:
    head = _head(
        jupyter, "POST", "kb/api/vaults/lab/grep", "Transfer-Encoding: chunked", f"Authorization: token {TOKEN}"
    )
    chunk = b"%x\r\n" % MEGABYTE + b"x" * MEGABYTE + b"\r\n"

    assert b" 413 " in _conversation(jupyter, head, *[chunk] * 17, b"0\r\n\r\n").splitlines()[0]


def test_a_stranger_is_refused_before_the_body_is_sent(jupyter: Jupyter) -> None:
    head = _head(jupyter, "POST", "kb/mcp", f"Content-Length: {10 * MEGABYTE}")

    assert b" 401 " in _conversation(jupyter, head).splitlines()[0]


def _head(jupyter: Jupyter, method: str, path: str, *headers: str) -> bytes:
    lines = [
        f"{method} {jupyter.base}{path} HTTP/1.1",
        f"Host: 127.0.0.1:{jupyter.port}",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def _conversation(jupyter: Jupyter, *sent: bytes) -> bytes:
    """What comes back when this is sent."""
    with socket.create_connection(("127.0.0.1", jupyter.port), timeout=SECONDS) as connection:
        for part in sent:
            connection.sendall(part)
        return b"".join(iter(lambda: connection.recv(65536), b""))


# ── how many, how slow ──────────────────────────────────────────────────────────────────────────


def test_a_thousand_requests_at_once_are_all_answered(jupyter: Jupyter) -> None:
    jupyter.indexed("lab")
    paths = [
        "api/vaults",
        "api/vaults/lab/status",
        "api/vaults/lab/outline?file=glossary.md",
        "api/vaults/lab/search?q=light",
    ]
    limits = httpx2.Limits(max_connections=1000, max_keepalive_connections=0)
    with (
        httpx2.Client(base_url=jupyter.url, timeout=SECONDS, limits=limits) as client,
        ThreadPoolExecutor(250) as threads,
    ):
        headers = {"Authorization": f"token {TOKEN}"}
        statuses = list(
            threads.map(lambda n: client.get(f"kb/{paths[n % 4]}", headers=headers).status_code, range(1000))
        )

    assert statuses == [200] * 1000


def test_clients_that_say_nothing_more_hold_up_nobody(jupyter: Jupyter) -> None:
    head = _head(jupyter, "POST", "kb/api/vaults/lab/grep", "Content-Length: 1000", KNOWN)
    connections = [socket.create_connection(("127.0.0.1", jupyter.port), timeout=SECONDS) for _ in range(200)]
    try:
        for number, connection in enumerate(connections):
            connection.sendall(head if number % 2 else head[:40])

        assert jupyter.ask("GET", "api/vaults").status_code == 200
        assert jupyter.ask("POST", "api/vaults/lab/grep", json=GREP).status_code == 200
    finally:
        for connection in connections:
            connection.close()


def test_clients_that_do_not_read_hold_up_nobody(jupyter: Jupyter) -> None:
    request = _head(jupyter, "GET", "kb/api/vaults/lab/search?limit=1000", KNOWN)
    connections = [socket.create_connection(("127.0.0.1", jupyter.port), timeout=SECONDS) for _ in range(50)]
    try:
        for connection in connections:
            connection.sendall(request)

        assert jupyter.ask("POST", "api/vaults/lab/grep", json=GREP).status_code == 200
    finally:
        for connection in connections:
            connection.close()


# ── where to ────────────────────────────────────────────────────────────────────────────────────

ESCAPES = (
    "../outside.md",
    "../../outside.md",
    "/etc/passwd",
    "a/../../outside.md",
    "..\\outside.md",
    "%2e%2e/outside.md",
    "nul\0.md",
    "~/outside.md",
    "file:///etc/passwd",
    "link.md",
    "folder-link/outside.md",
)
SECRET = "what no vault holds"


@pytest.fixture(scope="module")
def outside(jupyter: Jupyter) -> Path:
    """A note beside the vault, and links to it in the vault."""
    note = jupyter.root / "outside.md"
    note.write_text(f"# Outside\n\n{SECRET}\n")
    (jupyter.root / "lab" / "link.md").symlink_to(note)
    (jupyter.root / "lab" / "folder-link").symlink_to(jupyter.root)
    return note


def _texts(kind: Any) -> bool:
    return kind is str or "str" in str(kind)


@pytest.mark.parametrize(
    ("route", "parameter"),
    [
        (route, parameter)
        for route in ROUTES
        for parameter in route.parameters
        if parameter.source in ("query", "body") and route.pattern != "vaults"
    ],
    ids=lambda value: getattr(value, "name", None) or value.shown,
)
def test_no_parameter_of_a_route_leads_out_of_the_vault(
    jupyter: Jupyter, outside: Path, route: Any, parameter: Any
) -> None:
    path = "api/" + route.pattern.replace("{vault}", "lab")
    for escape in ESCAPES:
        query: dict[str, Any] = {
            other.shown: "glossary.md" for other in route.parameters if other.source == "query" and other.required
        }
        bodies: list[Any] = [None]
        if parameter.source == "query":
            if not _texts(parameter.kind):
                continue
            query[parameter.shown] = escape
        else:
            bodies = _bodies(route.name, escape)
        for body in bodies:
            content = None if body is None else json.dumps(body)
            answer = jupyter.ask(route.method, path, params=query, content=content, headers={"If-Match": '"0"'})

            assert answer.status_code < 500, (query, body, answer.text)
            assert SECRET not in answer.text
    assert outside.read_text() == f"# Outside\n\n{SECRET}\n"


def _bodies(name: str, escape: str) -> list[Any]:
    """Bodies that hold the text wherever a route might take it for a path."""
    bodies: dict[str, list[Any]] = {
        "create_note": [{"file": escape, "content": "x"}, {"file": f"{escape}.md", "content": "x"}],
        "search_with": [
            {"query": "holds", "filters": {"path": escape}},
            {"like": {"file": escape}},
        ],
        "grep": [{"pattern": "vault", "path": escape}, {"pattern": escape}],
        "edit_section": [{"section": {"file": escape, "heading_path": "Outside"}, "operation": "append", "body": "x"}],
        "resolve": [
            {"targets": [escape, f"{escape}#Outside", f"./{escape}"]},
            {"targets": ["#Outside"], "file": escape},
        ],
        "pause_embedding": [{"paused": escape}],
        "render": [{"markdown": f"![[{escape}]] [[{escape}]]", "file": escape}, {"markdown": "x", "file": escape}],
    }
    return bodies[name]


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_no_argument_of_a_tool_leads_out_of_the_vault(jupyter: Jupyter, outside: Path, toolset: str) -> None:
    with agent(jupyter, f"mcp/{toolset}") as client:
        for tool in client.list_tools().tools:
            properties = tool.input_schema["properties"]
            required = dict.fromkeys(tool.input_schema.get("required", ()), "glossary.md")
            for name in properties:
                for escape in ESCAPES:
                    told = client.told(tool.name, {**required, name: escape})

                    assert SECRET not in told, (tool.name, name, escape)
    assert outside.read_text() == f"# Outside\n\n{SECRET}\n"


@pytest.mark.parametrize("vault", ["..", "%2e%2e", "lab%2f..", "lab/..", "~", "%00", "lab%00", "%ff", "x" * 5000])
@pytest.mark.parametrize(
    "path", ["GET kb/api/vaults/{}/tree", "GET kb/api/vaults/{}/outline", "POST kb/mcp/v/{}/vault"]
)
def test_no_name_of_a_vault_leads_anywhere_else(jupyter: Jupyter, outside: Path, path: str, vault: str) -> None:
    method, _, place = path.format(vault).partition(" ")

    answer = _conversation(jupyter, _head(jupyter, method, place, KNOWN, "Content-Length: 0"))

    assert answer.split(b" ")[1] in (b"400", b"404"), answer
    assert SECRET.encode() not in answer
