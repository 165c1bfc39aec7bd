"""A request in, an answer out: finds the route, reads the request, calls the function, writes what came of it."""

from __future__ import annotations

import logging

from jupyter_kb import wire
from jupyter_kb.errors import KBError, MethodNotAllowedError, NotFoundError
from jupyter_kb.rest.paging import LARGEST, fitted
from jupyter_kb.rest.reading import read
from jupyter_kb.rest.resources import ROUTES
from jupyter_kb.rest.route import Answer, Reply, Request, Route, Vaults

_log = logging.getLogger(__name__)


def find(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route of a request, and what the parts in braces of its pattern stand for.

    A door asks this first: `Route.right` is the right that the request needs.

    Raises
    ------
    NotFoundError : there is no such address.
    MethodNotAllowedError : there is, but not for this method; `details["allowed"]` lists those that it takes.
    """
    segments = path.split("/")
    allowed = []
    for route in ROUTES:
        values = route.match(segments)
        if values is None:
            continue
        if route.method == method:
            return route, values
        allowed.append(route.method)
    if allowed:
        raise MethodNotAllowedError(f"this address takes {' and '.join(allowed)}, not {method[:20]}", allowed=allowed)
    raise NotFoundError(
        f"there is no address '{path[:200]}' in this API", hint="GET openapi.json lists all that there are"
    )


def handle(request: Request, vaults: Vaults) -> Answer:
    """Answer a request. Never raises: errors become answers, and a defect becomes status 500 and a line in the log."""
    try:
        route, values = find(request.method, request.path)
        arguments = read(route, request)
        first = vaults.get(values["vault"]) if "vault" in values else vaults
        outcome = route.function(first, **arguments)
        reply = outcome if isinstance(outcome, Reply) else Reply(value=outcome, status=route.status)
        body = b"" if reply.status == 304 else wire.encode(wire.dump(reply.value))
        if len(body) > LARGEST:
            body = wire.encode(wire.dump(fitted(reply.value)))
        return Answer(status=reply.status, body=body, headers=reply.headers)
    except KBError as error:
        return failure(error)
    except Exception:
        _log.exception("%s %s failed", request.method, request.path)
        return failure(KBError("the server failed on this request", hint="its log says why"))


def failure(error: KBError) -> Answer:
    """An error as an answer; doors use it for what they refuse themselves."""
    headers = {}
    if isinstance(error, MethodNotAllowedError):
        headers["Allow"] = ", ".join(error.details["allowed"])
    return Answer(status=error.status, body=wire.encode(wire.error_body(error)), headers=headers)
