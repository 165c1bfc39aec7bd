"""The official MCP client, connected to a running server and driven by plain calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ListToolsResult

from tests.server.jupyter import SECONDS, Jupyter


class Agent:
    """One client, connected."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal, self.client = portal, client

    def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a coroutine function gives."""
        return self._portal.call(function, *arguments)

    def list_tools(self) -> ListToolsResult:
        """The tools offered."""
        return self._portal.call(self.client.list_tools)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The payload of a call that must succeed."""
        result = self._portal.call(self.client.call_tool, tool, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def told(self, tool: str, arguments: dict[str, Any]) -> str:
        """Whatever comes of a call, as text."""
        try:
            return str(self._portal.call(self.client.call_tool, tool, arguments))
        except MCPError as error:
            return str(error)


@contextmanager
def agent(jupyter: Jupyter, path: str = "mcp", *, mode: str = "auto", role: str = "") -> Iterator[Agent]:
    """A client connected to an address below `kb/`, with the token."""
    headers = {"Authorization": f"Bearer {jupyter.token}", "X-Role": role}
    with start_blocking_portal() as portal:
        connection = portal.wrap_async_context_manager(_connected(f"{jupyter.url}kb/{path}", headers, mode))
        client = connection.__enter__()
        try:
            yield Agent(portal, client)
        finally:
            connection.__exit__(None, None, None)  # a failed check would come back wrapped in exception groups


@asynccontextmanager
async def _connected(url: str, headers: dict[str, str], mode: Any) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client
