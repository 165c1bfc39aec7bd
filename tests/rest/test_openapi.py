"""The API document: valid, complete, and true of real answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from openapi_spec_validator import OpenAPIV31SpecValidator

from jupyter_kb import __version__
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.rest.openapi import document
from jupyter_kb.rest.resources import ROUTES
from jupyter_kb.rest.route import Route
from tests.rest.asking import Ask, Host, content, direct

DOCUMENT = document()
OPERATIONS = {
    (method.upper(), path.removeprefix("/")): operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if method != "parameters"
}


def validator(schema: dict[str, Any]) -> Any:
    """A validator of one schema of the document."""
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def test_the_document_is_valid_openapi() -> None:
    OpenAPIV31SpecValidator(json.loads(json.dumps(DOCUMENT))).validate()

    assert DOCUMENT["openapi"] == "3.1.0"
    assert DOCUMENT["info"]["version"] == __version__


def test_the_document_is_served(ask_still: Ask) -> None:
    assert content(ask_still("GET", "/openapi.json")) == json.loads(json.dumps(DOCUMENT))


def test_the_document_has_each_route_and_nothing_else() -> None:
    assert set(OPERATIONS) == {(route.method, route.pattern) for route in ROUTES}
    assert len({operation["operationId"] for operation in OPERATIONS.values()}) == len(ROUTES)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_the_document_says_what_a_route_takes(route: Route) -> None:
    operation = OPERATIONS[route.method, route.pattern]

    listed = {(one["name"], one["in"]) for one in operation.get("parameters", ())}
    assert listed == {(one.shown, one.source) for one in route.parameters if one.source in ("query", "header")}
    assert all(one["description"] for one in operation.get("parameters", ()))
    assert ("requestBody" in operation) == any(one.source == "body" for one in route.parameters)
    assert operation["x-right"] == route.right
    assert operation["summary"]


def test_every_schema_can_be_used() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object", name


@pytest.mark.parametrize(
    ("method", "resource", "query", "body"),
    [
        ("GET", "/vaults", {}, None),
        ("GET", "status", {}, None),
        ("GET", "search", {"q": "laser", "explain": "true"}, None),
        ("POST", "search", {}, {"query": "laser", "granularity": "chunk"}),
        ("POST", "grep", {}, {"pattern": "laser", "context_lines": 2}),
        ("GET", "notes", {}, None),
        ("GET", "tree", {}, None),
        ("GET", "note", {"name": "laser-473"}, None),
        ("GET", "suggestions", {"file": "lazer.md"}, None),
        ("GET", "outline", {"file": "instruments/laser-473.md"}, None),
        ("GET", "section", {"file": "instruments/laser-473.md", "line": "15"}, None),
        ("GET", "backlinks", {"file": "instruments/laser-473.md"}, None),
        ("GET", "links", {"file": "instruments/laser-473.md", "direction": "both"}, None),
        ("GET", "graph", {"file": "instruments/laser-473.md"}, None),
        ("GET", "graph", {}, None),
        ("GET", "diagnostics", {}, None),
        ("POST", "reindex", {}, None),
        ("POST", "embed", {}, None),
        ("POST", "render", {}, {"markdown": "# x"}),
    ],
    ids=lambda value: str(value)[:30],
)
def test_real_answers_and_bodies_are_as_the_document_says(
    still_host: Host, method: str, resource: str, query: dict[str, str], body: Any
) -> None:
    pattern = resource[1:] if resource.startswith("/") else f"vaults/{{vault}}/{resource}"
    operation = OPERATIONS[method, pattern]

    answer = content(direct(still_host)(method, resource, query, body))

    validator(operation["responses"]["200"]["content"]["application/json"]["schema"]).validate(answer)
    if body is not None:
        validator(operation["requestBody"]["content"]["application/json"]["schema"]).validate(body)


def test_an_edit_and_its_refusals_are_as_the_document_says(host: Host, kb: KnowledgeBase) -> None:
    ask = direct(host)
    section = {"file": "inbox.md", "heading_path": "Inbox > Ideas"}
    body = {"section": section, "body": "New.\n"}
    operation = OPERATIONS["PATCH", "vaults/{vault}/section"]
    error = validator({"$ref": "#/components/schemas/Error"})

    missing = ask("PATCH", "section", body=body)
    stale = ask("PATCH", "section", body=body, headers={"If-Match": "0" * 64})
    tag = ask("GET", "section", section).headers["ETag"]
    done = ask("PATCH", "section", body=body, headers={"If-Match": tag})

    validator(operation["requestBody"]["content"]["application/json"]["schema"]).validate(body)
    validator(operation["responses"]["200"]["content"]["application/json"]["schema"]).validate(content(done))
    for answer in (missing, stale):
        error.validate(json.loads(answer.body))
        assert str(answer.status) in operation["responses"]
    assert Path(kb.vault.root, "inbox.md").read_text().endswith("## Ideas\n\nNew.\n")
