"""Requests that do not fit: addresses, methods, parameters, bodies, hashes, and paths that lead out of the vault."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_kb import wire
from jupyter_kb.errors import MethodNotAllowedError, NotFoundError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.rest import api
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.rest.resources import ROUTES
from jupyter_kb.rest.route import Route
from tests.rest.asking import Ask, Host, content, direct, failure, over

SECTION = {"file": "inbox.md", "heading_path": "Inbox > Ideas"}


# ── finding the route ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.pattern}")
def test_each_route_is_found_by_its_own_address(route: Route) -> None:
    found, values = api.find(route.method, route.pattern.replace("{vault}", "a vault"))

    assert found is route
    assert values == ({"vault": "a vault"} if "{vault}" in route.pattern else {})


def test_only_what_writes_notes_needs_the_right_to_write() -> None:
    assert [route.name for route in ROUTES if route.right == "write"] == ["create_note", "edit_section"]


@pytest.mark.parametrize(
    "path",
    ["", "/", "vault", "vaults/", "vaults/lab", "vaults/lab/", "vaults/lab/nothing", "vaults/lab/status/", "a" * 9_999],
)
def test_an_unknown_address_is_not_found(path: str) -> None:
    with pytest.raises(NotFoundError):
        api.find("GET", path)


def test_a_wrong_method_is_answered_with_those_that_are_allowed(ask_still: Ask) -> None:
    answer = ask_still("DELETE", "section")

    assert failure(answer, 405)["details"] == {"allowed": ["GET", "PATCH"]}
    assert answer.headers["Allow"] == "GET, PATCH"
    with pytest.raises(MethodNotAllowedError):
        api.find("get", "vaults")


# ── parameters ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("resource", "query", "message", "hint"),
    [
        ("outline", {}, "the query parameter 'file' is missing: a text", None),
        ("outline", {"fil": "a.md"}, "there is no query parameter 'fil'", "did you mean 'file'?"),
        ("status", {"zzz": "1"}, "there is no query parameter 'zzz'", "this address takes none"),
        ("tree", {"zzz": "1"}, "there is no query parameter 'zzz'", "this address takes folder"),
        ("search", {"limit": "ten"}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": "1.5"}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": ""}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": "1_0"}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": "١"}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": " 5"}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": "9" * 5_000}, "the query parameter 'limit' must be a whole number", None),
        ("search", {"limit": "-1"}, "the query parameter 'limit' must be from 0 to 2147483647", None),
        ("search", {"offset": "99999999999"}, "the query parameter 'offset' must be from 0 to 2147483647", None),
        ("search", {"limit": ["1", "2"]}, "the query parameter 'limit' is given twice", None),
        ("search", {"wait": "nan"}, "the query parameter 'wait' must be a number", None),
        ("search", {"wait": "-1"}, "the query parameter 'wait' must be from 0", None),
        ("search", {"explain": "maybe"}, "the query parameter 'explain' must be true or false", None),
        (
            "search",
            {"mode": "fast"},
            "the query parameter 'mode' must be one of hybrid, semantic, text, headings",
            None,
        ),
        ("search", {"modified_after": "soon"}, "", None),
        ("section", {"file": "inbox.md", "line": "0"}, "the query parameter 'line' must be from 1", None),
        ("section", {"file": "inbox.md", "heading": "A", "heading_path": "A"}, "give heading_path or heading", None),
        ("links", {"file": "inbox.md", "direction": "up"}, "the query parameter 'direction' must be one of in,", None),
        ("diagnostics", {"kind": "odd"}, "the query parameter 'kind' must be one of unreadable-file", None),
    ],
)
def test_a_query_that_does_not_fit_is_refused_by_the_name_of_its_parameter(
    ask_still: Ask, resource: str, query: dict[str, Any], message: str, hint: str | None
) -> None:
    error = failure(ask_still("GET", resource, query), 400)

    assert error["message"].startswith(message)
    if hint is not None:
        assert error["hint"] == hint


def test_jupyters_own_query_parameters_are_passed_over(ask_still: Ask) -> None:
    assert content(ask_still("GET", "tree", {"token": "abc", "1764525600000": ""}))["notes_below"] > 0


# ── bodies ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b'"text"',
        b'{"query": 1}',
        b'{"limit": "5"}',
        b'{"limit": 1e400}',
        b'{"filters": []}',
        b'{"filters": {"tags": "one"}}',
        b'{"like": {"file": null}}',
        b'{"unknown": true}',
        b"[" * 100_000,
        b'{"filters": {"front_matter": ' + b'{"a": ' * 400 + b"1" + b"}" * 402,
    ],
    ids=lambda body: body[:24].decode("latin-1"),
)
def test_a_body_that_does_not_fit_is_refused(ask_still: Ask, body: bytes) -> None:
    assert failure(ask_still("POST", "search", body=body), 400)["code"] == "invalid-request"


def test_a_field_that_is_nearly_right_is_named(ask_still: Ask) -> None:
    error = failure(ask_still("POST", "search", body={"query": "x", "limt": 3}), 400)

    assert error["hint"] == "did you mean 'limit'?"
    assert error["details"] == {"field": "limt"}


def test_a_text_that_is_too_long_to_show_is_refused(ask_still: Ask) -> None:
    error = failure(ask_still("POST", "render", body={"markdown": "x" * 1_000_001}), 413)

    assert error["code"] == "request-too-large"


@given(body=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_body_makes_the_api_fail(still_host: Host, body: bytes) -> None:
    ask = direct(still_host)

    for method, resource in (("POST", "search"), ("POST", "grep"), ("POST", "render"), ("PATCH", "section")):
        assert ask(method, resource, body=body, headers={"If-Match": "0" * 64}).status in (200, 400)


def test_a_defect_is_an_answer_without_its_text_and_a_line_in_the_log(
    host: Host, kb: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    kb.database.close()  # as no caller would

    with caplog.at_level(logging.ERROR):
        error = failure(direct(host)("GET", "notes"), 500)

    assert error["message"] == "the server failed on this request"
    assert "GET vaults/lab/notes failed" in caplog.text


# ── hashes ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("known", ['"{}"', 'W/"{}"', '"abc", "{}"', "*"])
def test_a_section_that_is_known_already_is_not_sent_again(ask_still: Ask, known: str) -> None:
    tag = ask_still("GET", "section", SECTION).headers["ETag"]

    answer = ask_still("GET", "section", SECTION, headers={"If-None-Match": known.format(tag.strip('"'))})

    assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", tag)


@pytest.mark.parametrize("known", ["", '"abc"', "abc"])
def test_a_section_that_is_not_known_is_sent(ask_still: Ask, known: str) -> None:
    assert ask_still("GET", "section", SECTION, headers={"If-None-Match": known}).status == 200


@pytest.mark.parametrize("match", [None, "", "*", '""', " "])
def test_an_edit_without_a_hash_is_refused(ask: Ask, kb: KnowledgeBase, match: str | None) -> None:
    before = Path(kb.vault.root, "inbox.md").read_bytes()
    headers = {} if match is None else {"If-Match": match}

    error = failure(ask("PATCH", "section", body={"section": SECTION, "body": "x"}, headers=headers), 428)

    assert error["code"] == "hash-required"
    assert Path(kb.vault.root, "inbox.md").read_bytes() == before


def test_an_edit_of_a_changed_section_is_refused_with_todays_text_and_hash(ask: Ask, kb: KnowledgeBase) -> None:
    note = Path(kb.vault.root, "inbox.md")
    old = ask("GET", "section", SECTION).headers["ETag"]
    theirs = note.read_bytes().replace(b"Hanne suggests", b"Marta suggests \xff")
    note.write_bytes(theirs)

    error = failure(ask("PATCH", "section", body={"section": SECTION, "body": "x"}, headers={"If-Match": old}), 412)

    today = content(ask("GET", "section", SECTION))
    assert error["code"] == "conflict"
    assert error["details"]["current_hash"] == today["content_hash"] != old.strip('"')
    assert error["details"]["current_content"] == today["content"]
    assert "Marta suggests \udcff" in today["content"]
    assert note.read_bytes() == theirs


@pytest.mark.parametrize("match", ['"abc"', '"' + "x" * 64 + '"', '"a", "b"', '"unclosed'])
def test_an_edit_with_what_is_no_hash_is_refused(ask_still: Ask, match: str) -> None:
    answer = ask_still("PATCH", "section", body={"section": SECTION, "body": "x"}, headers={"If-Match": match})

    assert failure(answer, 400)["code"] == "invalid-request"


def test_a_hash_in_the_body_is_no_guard(ask_still: Ask) -> None:
    body = {"section": SECTION, "body": "x", "expected_hash": "0" * 64}

    failure(ask_still("PATCH", "section", body=body, headers={"If-Match": "0" * 64}), 400)


def test_bytes_that_are_not_utf8_survive_reading_and_writing_back(ask: Ask, kb: KnowledgeBase) -> None:
    note = Path(kb.vault.root, "inbox.md")
    note.write_bytes(b"# A\n\nbad \xff\xfe byte\n\n# B\n\n\x80\n")
    section = {"file": "inbox.md", "heading_path": "A"}
    read = ask("GET", "section", section)
    text = content(read)["content"]

    body = {"section": section, "body": text.partition("\n\n")[2] + "\nmore\n"}
    written = ask("PATCH", "section", body=body, headers={"If-Match": read.headers["ETag"]})

    assert content(written)["written"]
    assert note.read_bytes() == b"# A\n\nbad \xff\xfe byte\nmore\n\n# B\n\n\x80\n"


# ── paths ───────────────────────────────────────────────────────────────────────────────────────

OUTSIDE = [
    "../secret.md",
    "../../etc/passwd",
    "notes/../../secret.md",
    "..\\secret.md",
    "/../secret.md",
    "a/\0.md",
    "link.md",
    "linked/secret.md",
    "\udcff.md",
    "x" * 40_000,
]
PLACES = [
    ("GET", "outline", "file"),
    ("GET", "section", "file"),
    ("GET", "note", "name"),
    ("GET", "backlinks", "file"),
    ("GET", "links", "file"),
    ("GET", "graph", "file"),
]


@pytest.fixture
def secret(kb: KnowledgeBase, tmp_path: Path) -> Path:
    """A file beside the vault, with links to it inside."""
    outside = tmp_path / "secret.md"
    outside.write_text("# Secret\n\nTOP-SECRET\n")
    os.symlink(outside, kb.vault.root / "link.md")
    os.symlink(tmp_path, kb.vault.root / "linked")
    return outside


@pytest.mark.parametrize(("method", "resource", "name"), PLACES)
def test_no_path_leads_out_of_the_vault(host: Host, secret: Path, method: str, resource: str, name: str) -> None:
    for file in OUTSIDE:
        answer = direct(host)(method, resource, {name: file})

        assert answer.status in (400, 404), file
        assert b"TOP-SECRET" not in answer.body, file


def test_no_path_leads_out_of_the_vault_over_a_connection_either(server: LoopbackServer, secret: Path) -> None:
    for file in OUTSIDE[:-1]:  # a path of 40,000 characters is refused with its request line
        for _, resource, name in PLACES:
            answer = over(server)("GET", resource, {name: file})

            assert answer.status in (400, 404), file
            assert b"TOP-SECRET" not in answer.body, file


def test_no_body_leads_out_of_the_vault(host: Host, kb: KnowledgeBase, secret: Path) -> None:
    ask = direct(host)
    kb.scan()
    kb.embed()

    for file in OUTSIDE:
        edit = {"section": {"file": file, "line": 1}, "body": "overwritten"}
        edited = ask("PATCH", "section", body=edit, headers={"If-Match": "0" * 64})
        liked = ask("POST", "search", body={"like": {"file": file}})
        text = f"[[{file[:99]}]] ![[{file[:99]}]]"
        shown = [ask("POST", "render", body={"markdown": text, "file": within}) for within in (file, None)]

        assert edited.status in (400, 404), file
        assert liked.status in (400, 404), file
        assert shown[1].status == 200, file
        assert b"TOP-SECRET" not in b"".join(answer.body for answer in (edited, liked, *shown)), file
    assert secret.read_text() == "# Secret\n\nTOP-SECRET\n"


def test_no_folder_leads_out_of_the_vault(host: Host, secret: Path) -> None:
    for folder in ("..", "../..", "a/../..", "\0", "linked"):
        tree = direct(host)("GET", "tree", {"folder": folder})
        notes = direct(host)("GET", "notes", {"folder": folder})

        assert tree.status in (400, 404), folder
        assert notes.status == 400 or wire.decode(notes.body)["total"] == 0, folder


@pytest.mark.parametrize("resource", ["search", "diagnostics"])
def test_no_pattern_leads_out_of_the_vault(host: Host, secret: Path, resource: str) -> None:
    for pattern in ("../*", "../secret.md", "/etc/*", "linked/*", "**/../*", "[", "\0", "*" * 200):
        answer = direct(host)("GET", resource, {"path": pattern} | ({"q": "secret"} if resource == "search" else {}))

        assert answer.status in (200, 400), pattern
        assert b"TOP-SECRET" not in answer.body, pattern


def test_no_other_vault_is_reached(still_host: Host) -> None:
    for vault in ("..", "lab/..", "../lab", "lab\0", "LAB"):
        failure(direct(still_host)("GET", f"/vaults/{vault}/status"), 404)
