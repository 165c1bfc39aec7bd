"""`kb/mcp/…`: hands requests to the MCP server of a vault and a toolset, on Jupyter's own loop."""

from __future__ import annotations

from jupyter_kb.errors import KBError
from jupyter_kb.server.handlers.base import KnowledgeBaseHandler


class McpHandler(KnowledgeBaseHandler):
    """What a tool does needs a right of its own, which is asked for at each call."""

    async def _serve(self, vault: str | None, toolset: str | None) -> None:
        self.body()
        try:
            transport = await self.service.agents.transport(vault, toolset)
        except KBError as error:
            self.fail(error)
            return
        await transport.handle(self, user=self.actor, allowed=self.may)

    get = post = delete = _serve  # type: ignore[assignment]
