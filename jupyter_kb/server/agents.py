"""MCP servers, one for each vault and toolset that somebody asked for; made when they first did."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jupyter_kb.errors import NotFoundError
from jupyter_kb.markdown.nearest import nearest

if TYPE_CHECKING:
    from jupyter_kb.mcp.transport import HttpTransport
    from jupyter_kb.server.vaults import Vaults
    from jupyter_kb.server.workers import Workers

_log = logging.getLogger(__name__)


class Agents:
    """For one thread, that of the event loop. Building one imports the SDK: on a worker."""

    def __init__(
        self, vaults: Vaults, workers: Workers, *, toolsets: Sequence[str], read_only: bool, max_request_bytes: int
    ) -> None:
        self._vaults, self._workers = vaults, workers
        self._toolsets = tuple(toolsets)
        self._read_only = read_only
        self._max_request_bytes = max_request_bytes
        self._made: dict[tuple[str, str], asyncio.Future[HttpTransport]] = {}

    async def transport(self, vault: str | None, toolset: str | None) -> HttpTransport:
        """What serves this address; without names the default vault and the first toolset.

        Raises
        ------
        NotFoundError : no such vault, or no such toolset here.
        IndexUnavailableError : the server is stopping.
        """
        if not self._toolsets:
            raise NotFoundError("this server offers nothing over MCP", hint="its option `toolsets` is empty")
        name = toolset or self._toolsets[0]
        if name not in self._toolsets:
            raise NotFoundError(
                f"there is no toolset '{name[:80]}' here",
                hint=f"there are {', '.join(self._toolsets)}",
                suggestions=nearest(name, self._toolsets),
            )
        key = self._vaults.named(vault or self._vaults.default).name, name
        made = self._made.get(key)
        if made is None or (made.done() and (made.cancelled() or made.exception() is not None)):
            made = self._made[key] = asyncio.ensure_future(asyncio.wrap_future(self._workers.submit(self._make, *key)))
        return await asyncio.shield(made)

    def _make(self, vault: str, toolset: str) -> HttpTransport:
        from jupyter_kb.mcp.server import build_server  # late: the SDK takes most of a second
        from jupyter_kb.mcp.session import Session
        from jupyter_kb.mcp.toolsets import find_toolset
        from jupyter_kb.mcp.transport import HttpTransport

        session = Session.over(self._vaults.named(vault).get, name=vault, pool=self._workers)
        server = build_server(find_toolset(toolset), session, read_only=self._read_only)
        return HttpTransport(server, max_body_bytes=self._max_request_bytes)

    async def stop(self, seconds: float) -> None:
        """End all streams and sessions; takes a few times `seconds` at most."""
        made = [future for future in self._made.values() if future.done() and not future.cancelled()]
        transports = [future.result() for future in made if future.exception() is None]
        ended = await asyncio.gather(*(one.stop(seconds) for one in transports), return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception):
                _log.error("an MCP server was not ended well: %r", outcome)
