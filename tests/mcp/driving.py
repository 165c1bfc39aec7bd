"""An agent for tests: the official client, in memory, driven by plain calls, with checks that hold for every answer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, ListToolsResult

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.mcp.server import build_server
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.toolsets import find_toolset
from jupyter_kb.settings import Settings

Payload = dict[str, Any]

_T = TypeVar("_T")

MODES = ("legacy", "auto")


class Agent:
    """Calls tools one after the other and keeps count of what the answers cost."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client
        self.calls = 0
        self.characters = 0

    def list_tools(self) -> ListToolsResult:
        return self.ask(self.client.list_tools)

    def ask(self, function: Callable[..., Awaitable[_T]], /, *arguments: Any, **named: Any) -> _T:
        """Call a coroutine function, as a rule one of `client`, and wait for it."""
        return self._portal.call(partial(function, *arguments, **named))

    def result(self, tool: str, arguments: Payload | None = None) -> CallToolResult:
        """The raw result, after checking what holds for every result."""
        result: CallToolResult = self._portal.call(self.client.call_tool, tool, arguments or {})
        (block,) = result.content
        assert block.type == "text"
        assert isinstance(result.structured_content, dict)
        assert json.loads(block.text) == result.structured_content
        self.calls += 1
        self.characters += len(block.text)
        return result

    def call(self, tool: str, /, **arguments: Any) -> Payload:
        """The payload of a call that must succeed."""
        result = self.result(tool, arguments)
        assert not result.is_error, result.structured_content
        return dict(result.structured_content)

    def refused(self, tool: str, /, **arguments: Any) -> Payload:
        """The payload of a call that must fail as a tool result."""
        result = self.result(tool, arguments)
        assert result.is_error, result.structured_content
        assert result.structured_content["message"]
        return dict(result.structured_content)

    def protocol_error(self, tool: str, arguments: Any) -> MCPError:
        """The JSON-RPC error of a call that must be refused as such."""
        try:
            result = self._portal.call(self.client.call_tool, tool, arguments)
        except MCPError as error:
            return error
        raise AssertionError(f"answered with {result.structured_content}")


@contextmanager
def agent(
    root: Path, toolset: str, *, mode: str = "auto", settings: Settings | None = None
) -> Iterator[tuple[Agent, KnowledgeBase]]:
    """An agent connected to a server over `root`, and the knowledge base behind it."""
    chosen = settings or Settings()
    with KnowledgeBase.open(root, settings=chosen, in_memory=True) as knowledge_base:
        knowledge_base.scan()
        session = Session.over(knowledge_base)
        server = build_server(find_toolset(toolset), session, read_only=chosen.read_only)
        try:
            with connected(server, mode=mode) as client:
                yield client, knowledge_base
        finally:
            session.close()


@contextmanager
def connected(server: Server[Any] | str, *, mode: str = "auto") -> Iterator[Agent]:
    """An agent connected to a server: in memory, or over HTTP to an address."""
    with start_blocking_portal() as portal:
        connection = portal.wrap_async_context_manager(Client(server, mode=mode))
        client = connection.__enter__()
        try:
            yield Agent(portal, client)
        finally:
            connection.__exit__(None, None, None)  # a failed check would come back wrapped in exception groups


def write(root: Path, files: Mapping[str, str | bytes | None]) -> Path:
    """Put files into a folder; None removes one."""
    for name, text in files.items():
        path = root / name
        if text is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return root
