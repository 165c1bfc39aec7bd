"""Who asks and what they may do: read from the HTTP request that brought the call; none of it on stdin and stdout."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

Right = Literal["read", "write"]

Allowed = Callable[[Right], bool | Awaitable[bool]]
"""Whether the user of a request has a right."""

Authorize = Callable[[Mapping[str, Any], Right], bool | Awaitable[bool]]
"""Whether the user of a request, given by its ASGI scope, has a right."""

USER = "jupyter_user"
ALLOWED = "jupyter_kb_allowed"

NOBODY = "mcp"
"""The actor of edits that come over stdin and stdout, where there is no user."""


def by_request(scope: Mapping[str, Any], right: Right) -> bool | Awaitable[bool]:
    """Ask what came with the request; a request that brings no answer may do nothing."""
    allowed: Allowed | None = scope.get(ALLOWED)
    return allowed(right) if allowed is not None else False


async def may(context: Any, right: Right, authorize: Authorize) -> bool:
    """Whether the caller has a right. Without a request, the caller is whoever started this process."""
    if context.request is None:
        return True
    answer = authorize(context.request.scope, right)
    return await answer if inspect.isawaitable(answer) else answer


def actor(context: Any) -> str:
    """Who asked, for the record of edits."""
    return NOBODY if context.request is None else str(context.request.scope.get(USER) or NOBODY)


def reader(context: Any) -> str:
    """What tells the callers of one server apart: the session, or without one the name of the client's program.

    Not the user: somebody who comes with the server's token may bear another name in each request.
    """
    if context.request is None:
        return ""
    session: str | None = context.request.headers.get("mcp-session-id")
    if session is not None:
        return "/" + session
    client = context.session.client_params
    return "//" + (client.client_info.name[:200] if client is not None and client.client_info is not None else "")
