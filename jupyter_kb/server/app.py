"""The Jupyter server extension `jupyter_kb`: its options, its routes, its beginning and its end."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp

from jupyter_kb import __version__
from jupyter_kb.config import VaultTraits
from jupyter_kb.server.handlers.mcp import McpHandler
from jupyter_kb.server.handlers.rest import RestHandler
from jupyter_kb.server.rooms import Rooms
from jupyter_kb.server.service import Service


class JupyterKB(VaultTraits, ExtensionApp):
    """A knowledge base over folders of Markdown notes, inside the Jupyter server."""

    name = "jupyter_kb"
    version = __version__
    load_other_extensions = True
    service: Service | None = None

    def _config_file_name_default(self) -> str:
        return "jupyter_kb_config"

    def initialize_handlers(self) -> None:
        """Add the routes."""
        assert self.serverapp is not None
        _speak(self.log)
        root = Path(self.serverapp.root_dir).resolve()
        assert self.serverapp.event_logger is not None
        contents = self.serverapp.contents_manager
        rooms = Rooms(self.serverapp)
        self.service = service = Service(self, root, self.serverapp.event_logger, contents, rooms)
        given = {"service": service}
        self.handlers.extend(
            [
                (r"/kb/api(?:/(.*))?", RestHandler, given),
                (r"/kb/mcp(?:/v/([^/]+))?(?:/([^/]+))?/?", McpHandler, given),
            ]
        )

    async def _start_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        if self.service is not None:
            self.service.start()
            self.log.info("%s", self._where(serverapp.connection_url))

    def _where(self, url: str) -> str:
        """One line on what is to be found where, without a token."""
        if not self.toolsets:
            return f"The knowledge base answers at {url}kb/api"
        return f"Agents find the knowledge base at {url}kb/mcp; `jupyter kb connect` configures them"

    async def stop_extension(self) -> None:
        """Let go of everything, within about two seconds."""
        if self.service is not None:
            await self.service.stop()


def _speak(log: Any) -> None:
    """Let this package's warnings appear among Jupyter's own."""
    ours = logging.getLogger("jupyter_kb")
    for handler in getattr(log, "logger", log).handlers:
        if handler not in ours.handlers:
            ours.addHandler(handler)
    ours.setLevel(log.getEffectiveLevel() if hasattr(log, "getEffectiveLevel") else logging.INFO)
