"""A host of one vault, and two ways to ask its API: as functions, and over a loopback port."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from jupyter_kb import wire
from jupyter_kb.errors import VaultNotFoundError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import VaultInfo
from jupyter_kb.operations import Operations
from jupyter_kb.rest import api
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.rest.route import Answer, Request

SECRET = "only-for-this-test"


class Host:
    """Offers one knowledge base under the name `lab`."""

    def __init__(self, knowledge_base: KnowledgeBase) -> None:
        self.kb = knowledge_base

    def list(self) -> tuple[VaultInfo, ...]:
        return (VaultInfo(name="lab", root=str(self.kb.vault.root), is_default=True, ready=True),)

    def get(self, name: str) -> Operations:
        if name != "lab":
            raise VaultNotFoundError(f"there is no vault '{name}'", suggestions=["lab"])
        return self.kb


class Ask(Protocol):
    """Send one request to the vault `lab` (or, with a leading `/`, to the whole API)."""

    def __call__(
        self,
        method: str,
        resource: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer: ...


def values(query: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """A query as doors read it: a list a name."""
    return {name: value if isinstance(value, list) else [str(value)] for name, value in (query or {}).items()}


def encoded(body: Any) -> bytes:
    """A body: bytes as they are, anything else as JSON."""
    return body if isinstance(body, bytes) else b"" if body is None else wire.encode(body)


def path(resource: str) -> str:
    """The path below the API's address."""
    return resource[1:] if resource.startswith("/") else f"vaults/lab/{resource}"


def direct(host: Host) -> Ask:
    """Ask the functions themselves."""

    def ask(
        method: str,
        resource: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        request = Request(
            method=method,
            path=path(resource),
            query=values(query),
            headers={name.lower(): value for name, value in (headers or {}).items()},
            body=encoded(body),
            actor="tester",
        )
        return api.handle(request, host)

    return ask


def over(server: LoopbackServer) -> Ask:
    """Ask over a connection of its own."""

    def ask(
        method: str,
        resource: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        pairs = urlencode(values(query), doseq=True, errors="surrogateescape")
        sent = {"Authorization": f"token {SECRET}", "KB-Actor": "tester", **(headers or {})}
        try:
            target = quote(path(resource), errors="surrogateescape")
            connection.request(method, f"/kb/api/{target}?{pairs}", encoded(body), sent)
            answer = connection.getresponse()
            kept = {name: value for name, value in answer.getheaders() if name in ("ETag", "Allow")}
            kind = answer.getheader("Content-Type", "application/json")
            return Answer(status=answer.status, body=answer.read(), content_type=kind, headers=kept)
        finally:
            connection.close()

    return ask


def content(answer: Answer) -> Any:
    """The JSON of an answer that must have gone well."""
    assert answer.status == 200, answer.body
    assert answer.content_type == "application/json"
    return wire.decode(answer.body)


def failure(answer: Answer, status: int) -> Any:
    """The JSON of an error, which must be of this status."""
    assert answer.status == status, answer.body
    body = wire.decode(answer.body)
    assert set(body) == {"message", "reason", "code", "hint", "details"}
    return body
