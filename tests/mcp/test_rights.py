"""What comes with a call: who asks and what they may do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from jupyter_kb.mcp.rights import Right, actor, by_request, may, reader


def context(scope: dict[str, Any] | None, *, session: str | None = None, client: str | None = None) -> Any:
    """What the SDK hands to a handler, as far as it matters here."""
    headers = {} if session is None else {"mcp-session-id": session}
    info = SimpleNamespace(client_info=SimpleNamespace(name=client)) if client else None
    return SimpleNamespace(
        request=None if scope is None else SimpleNamespace(scope=scope, headers=headers),
        session=SimpleNamespace(client_params=info),
    )


def test_without_a_request_everything_is_allowed_and_nobody_is_named() -> None:
    assert anyio.run(may, context(None), "write", by_request) is True
    assert actor(context(None)) == "mcp"
    assert reader(context(None)) == ""


def test_a_request_that_brings_no_rights_may_do_nothing() -> None:
    assert anyio.run(may, context({}), "read", by_request) is False


@pytest.mark.parametrize("right", ["read", "write"])
def test_rights_are_asked_for_each_call_at_once_or_later(right: Right) -> None:
    async def later(right: Right) -> bool:
        return right == "read"

    scopes = [{"jupyter_kb_allowed": lambda right: right == "read"}, {"jupyter_kb_allowed": later}]

    assert [anyio.run(may, context(scope), right, by_request) for scope in scopes] == [right == "read"] * 2


def test_the_user_is_the_actor() -> None:
    assert actor(context({"jupyter_user": "ada"})) == "ada"
    assert actor(context({"jupyter_user": ""})) == "mcp"


def test_callers_are_told_apart_by_session_or_else_by_program_and_never_by_user() -> None:
    scopes: list[dict[str, Any]] = [{"jupyter_user": "a random name"}, {"jupyter_user": "another"}]

    assert len({reader(context(scope, session="s1")) for scope in scopes}) == 1
    assert len({reader(context(scope, client="editor")) for scope in scopes}) == 1
    names = {reader(context({}, session=s, client=c)) for s in ("s1", "s2", None) for c in ("s1", "editor", None)}
    assert len(names) == 5
