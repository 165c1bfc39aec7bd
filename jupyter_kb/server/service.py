"""What runs beside the handlers as long as the server does: vaults, workers, MCP, events, the record for kernels."""

from __future__ import annotations

import asyncio
import atexit
import gc
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_kb.errors import KBError
from jupyter_kb.server.agents import Agents
from jupyter_kb.server.contents import contents_path
from jupyter_kb.server.events import Announcer
from jupyter_kb.server.local import LocalDoor
from jupyter_kb.server.vaults import Opened, Vaults
from jupyter_kb.workers import Workers

if TYPE_CHECKING:
    from jupyter_events import EventLogger
    from jupyter_server.services.contents.manager import ContentsManager

    from jupyter_kb.config import VaultTraits
    from jupyter_kb.events import Event
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.server.rooms import Rooms

_log = logging.getLogger(__name__)

_LONG = ("reindex", "embed")
_QUICK = ("", "openapi.json", "vaults", "status")
_TURN = 0.001
"""Seconds that a thread may compute before another gets its turn; with Python's 5 ms a request waits several times."""
_LAST_ANSWERS = 0.25
"""Seconds for MCP calls that run when the server stops."""
_LAST_WORK = 1.5
"""Seconds for all else that runs then."""


class Service:
    """Made with the application, started on its event loop, stopped once. Nothing of it takes long on that loop."""

    def __init__(
        self, config: VaultTraits, root: Path, events: EventLogger, contents: ContentsManager, rooms: Rooms
    ) -> None:
        folders = config.folders(root)
        self.max_request_bytes: int = config.max_request_bytes
        self._config = config
        self._events = events
        self._rooms = rooms
        default = config.chosen_default(list(folders))
        self.vaults = Vaults(folders, default, self._open, partial(contents_path, contents))
        self._workers = Workers(config.workers, "kb-worker")
        self._quick = Workers(2, "kb-quick")
        self._long = Workers(2, "kb-long")
        self.agents = Agents(
            self.vaults,
            self._workers,
            toolsets=config.toolsets,
            read_only=config.read_only,
            max_request_bytes=config.max_request_bytes,
        )
        self._local = LocalDoor(self.vaults)
        self._announcer: Announcer | None = None
        self._scanning = threading.Lock()
        self._started = False
        self._stopped = False
        atexit.register(self._end)

    def workers_for(self, path: str) -> Workers:
        """The threads for a request: what takes minutes, and what is asked for often, keep out of the others' way."""
        last = path.rpartition("/")[2]
        return self._long if last in _LONG else self._quick if last in _QUICK else self._workers

    # ── beginning ───────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Begin to open the vaults. To be called on the event loop; again has no effect."""
        if self._started or self._stopped:
            return
        self._started = True
        sys.setswitchinterval(_TURN)
        self._rooms.start()
        self._announcer = Announcer(self._events, asyncio.get_running_loop())
        self.vaults.start()
        self._local.open()

    def _open(self, name: str, root: Path) -> Opened:
        """On a thread: importing the database takes a while, and so may opening it."""
        from jupyter_kb.index.location import locate
        from jupyter_kb.rest.loopback import LoopbackServer
        from jupyter_kb.sharing import SharedKnowledgeBase

        index_dir = self._config.index_dir or None
        location = locate(root, index_dir)
        # whoever writes into a vault must not name models: an index folder among the notes is theirs to write
        theirs = index_dir is not None and location.folder.is_relative_to(location.root)
        opened = SharedKnowledgeBase(
            root,
            settings=self._config.vault_settings(None if theirs else location.settings()),
            index_dir=index_dir,
            publish=LoopbackServer,
            on_own=partial(self._own, name),
            documents=self._rooms,
        )
        gc.freeze()  # what was imported and read stays: to look through it for garbage takes a tenth of a second
        try:
            _log.info("the vault %s: this process is the index's %s", name, opened.standing)
        except KBError as error:
            _log.warning("the vault %s: %s", name, error.message)  # it goes on looking
        return opened

    def _own(self, name: str, knowledge_base: KnowledgeBase) -> None:
        """This process owns the index from now on: tell what happens, and keep it fresh. On a thread of its own."""

        def tell(event: Event) -> None:
            if self._announcer is not None:
                self._announcer.tell(name, event)

        knowledge_base.events.subscribe(tell)
        knowledge_base.indexer.crew.sparing = True
        with self._scanning:  # one vault after the other
            if self._stopped:
                return
            done = knowledge_base.scan()
        told = "the vault %s: %d notes are new, %d changed, %d removed, %d as they were (%.1f s)"
        _log.info(told, name, done.added, done.changed, done.removed, done.unchanged, done.seconds)
        knowledge_base.watch()
        if self._config.embed:
            knowledge_base.embed_in_background()

    # ── ending ──────────────────────────────────────────────────────────────────────────────────

    async def stop(self) -> None:
        """End everything within about two seconds. Never raises, for then Jupyter would ignore the signal to stop."""
        if self._stopped:
            return
        self._stopped = True
        closing = asyncio.ensure_future(self._in_thread(self._close))
        await self._shielded("MCP", self.agents.stop(_LAST_ANSWERS))
        await self._shielded("the vaults", closing)

    def _close(self) -> None:
        """Drop what waits, let what runs end, let go of the vaults."""
        self._local.close()
        groups = (self._quick, self._long, self._workers)
        for workers in groups:
            workers.shutdown()
        self.vaults.close(_LAST_WORK)
        for workers in groups:
            workers.join(0.1)

    async def _in_thread(self, function: Callable[[], None]) -> None:
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def run() -> None:
            try:
                function()
            finally:
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=run, name="kb-stop", daemon=True).start()
        await asyncio.wait_for(done.wait(), _LAST_WORK + 0.5)

    async def _shielded(self, what: str, work: Awaitable[None]) -> None:
        try:
            await work
        except Exception as error:
            _log.warning("%s did not end in time: %r", what, error)

    def _end(self) -> None:
        """At the end of the process, also of one that Jupyter was not asked to stop (Ctrl-C without a terminal)."""
        if self._started and not self._stopped:
            self._stopped = True
            self._close()
        gc.freeze()  # what is left goes with the process: to look through it for garbage takes up to a second
        if any(thread.name.startswith("kb-") and thread.is_alive() for thread in threading.enumerate()):
            # A thread inside the database cannot be stopped, and may crash what unwinds under it. The index is derived
            # data and stands any end; what had to be written to notes is written.
            logging.shutdown()
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(0)
