"""The API document (OpenAPI 3.1), made from the table of routes, and the route that serves it."""

from __future__ import annotations

import http
from collections.abc import Iterable
from functools import cache
from typing import Any

from jupyter_kb import __version__, wire
from jupyter_kb.rest.route import Parameter, Route, Vaults, route

_Json = dict[str, Any]

_ALWAYS = (400, 401, 403, 404)
"""Errors that any route may give."""
_VAULT: _Json = {
    "name": "vault",
    "in": "path",
    "required": True,
    "description": "A vault's name, as GET vaults lists it",
    "schema": {"type": "string"},
}
_ERROR: _Json = {
    "type": "object",
    "description": "What went wrong, for a person in `message` and `hint`, for a program in `code` and `details`.",
    "properties": {
        "message": {"type": "string"},
        "reason": {"type": "string", "description": "HTTP's phrase for the status"},
        "code": {"type": "string"},
        "hint": {"type": ["string", "null"]},
        "details": {"type": "object"},
    },
    "required": ["message", "reason", "code", "hint", "details"],
}
_DESCRIPTION = """\
Vaults of Markdown notes: find a section, read its exact text, change it under the guard of its hash.

Every request needs Jupyter's token, and is allowed or refused by Jupyter's authorizer as reading or writing (`x-right`)
the resource `jupyter_kb`. Lists are given in pages; a page ends early where it would be larger than 256 KB, so go on at
`offset` until `total` is reached.
"""


@route("GET", "openapi.json")
def api_document(offered: Vaults) -> dict[str, Any]:
    """This document."""
    return document()


@cache
def document() -> _Json:
    """The API document as JSON-ready values; not to be changed."""
    from jupyter_kb.rest.resources import ROUTES  # late: this module's own route is in the table

    return _document(ROUTES)


def _document(routes: Iterable[Route]) -> _Json:
    routes = tuple(routes)
    bodies = [parameter.kind for route in routes for parameter in route.parameters if parameter.source == "body"]
    wanted: list[tuple[Any, wire.Direction]] = [(kind, "validation") for kind in bodies]
    wanted += [(route.answer, "serialization") for route in routes]
    schemas, definitions = wire.schemas(wanted)
    paths: dict[str, _Json] = {}
    for found in routes:
        entry = paths.setdefault(f"/{found.pattern}", {"parameters": [_VAULT]} if "{vault}" in found.pattern else {})
        entry[found.method.lower()] = _operation(found, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "jupyter-kb", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": ".", "description": "the folder of this document"}],
        "security": [{"header": []}, {"query": []}],
        "paths": paths,
        "components": {
            "schemas": {**dict(sorted(definitions.items())), "Error": _ERROR},
            "securitySchemes": {
                "header": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`token …` or `Bearer …`, with Jupyter's token",
                },
                "query": {"type": "apiKey", "in": "query", "name": "token"},
            },
        },
    }


def _operation(found: Route, schemas: dict[tuple[Any, wire.Direction], Any]) -> _Json:
    operation: _Json = {"operationId": found.name, "summary": found.summary, "x-right": found.right}
    if found.description:
        operation["description"] = found.description
    parameters = [_parameter(one) for one in found.parameters if one.source in ("query", "header")]
    if parameters:
        operation["parameters"] = parameters
    for one in found.parameters:
        if one.source == "body":
            operation["requestBody"] = {
                "required": True,
                "description": one.given.text,
                "content": {"application/json": {"schema": schemas[one.kind, "validation"]}},
            }
    operation["responses"] = _responses(found, schemas[found.answer, "serialization"])
    return operation


def _parameter(parameter: Parameter) -> _Json:
    schema: _Json = wire.schema(parameter.kind)
    del schema["$defs"]
    if parameter.kind in (int, float):
        schema["minimum"] = parameter.given.minimum
    if parameter.default not in (None, "", ()) and not parameter.required:
        schema["default"] = parameter.default
    return {
        "name": parameter.shown,
        "in": parameter.source,
        "required": parameter.required,
        "description": parameter.given.text,
        "schema": schema,
    }


def _responses(found: Route, schema: _Json) -> _Json:
    tagged = {"headers": {"ETag": {"schema": {"type": "string"}}}} if found.pattern.endswith("/section") else {}
    responses: _Json = {
        str(found.status): {
            "description": "Done" if found.status == http.HTTPStatus.OK else http.HTTPStatus(found.status).phrase,
            **tagged,
            "content": {"application/json": {"schema": schema}},
        },
    }
    for status in sorted({*_ALWAYS, *found.errors}):
        responses[str(status)] = {"description": http.HTTPStatus(status).phrase}
        if status == http.HTTPStatus.NOT_MODIFIED:
            responses[str(status)] |= tagged
        else:
            responses[str(status)]["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return responses
