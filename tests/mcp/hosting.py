"""A plain Tornado application that offers MCP: what a Jupyter server does, without the rest of it.

Run as a program it serves a folder until it is ended, and prints its address:
`python -m tests.mcp.hosting FOLDER --toolset structural`.
"""

from __future__ import annotations

import argparse
import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.mcp.rights import Right
from jupyter_kb.mcp.server import build_server
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.toolsets import find_toolset
from jupyter_kb.mcp.transport import HttpTransport
from jupyter_kb.settings import Settings

_T = TypeVar("_T")


class Endpoint(RequestHandler):
    """Hands every request over; whoever calls is the user that the header `X-User` names."""

    def initialize(self, host: Host) -> None:
        self.host = host

    async def answer(self) -> None:
        def allowed(right: Right) -> bool:
            return right in self.host.rights

        await self.host.transport.handle(self, user=self.request.headers.get("X-User", "ada"), allowed=allowed)

    get = post = delete = answer


class Host:
    """A knowledge base behind `url`, on a thread and an event loop of its own; `rights` are those of every user."""

    def __init__(self, knowledge_base: KnowledgeBase, toolset: str, **limits: Any) -> None:
        self.knowledge_base = knowledge_base
        self.session = Session.over(knowledge_base)
        self.rights: set[Right] = {"read", "write"}
        read_only = knowledge_base.settings.read_only
        self.transport = HttpTransport(build_server(find_toolset(toolset), self.session, read_only=read_only), **limits)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="host")
        self._thread.start()
        self.url = self.on_loop(self._listen)

    def on_loop(self, function: Callable[[], _T]) -> _T:
        """Call a function on the loop's thread."""
        outcome: Future[_T] = Future()
        self._loop.call_soon_threadsafe(lambda: outcome.set_result(function()))
        return outcome.result(30)

    def tasks(self) -> list[str]:
        """The names of the coroutines that the loop is running."""
        return self.on_loop(lambda: [getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks()])

    def stop_serving(self) -> float:
        """Stop the transport only; the seconds that it took."""
        begin = time.perf_counter()
        asyncio.run_coroutine_threadsafe(self.transport.stop(), self._loop).result(30)
        return time.perf_counter() - begin

    def close(self) -> None:
        """Stop everything."""
        self.stop_serving()
        self.on_loop(self._server.stop)
        asyncio.run_coroutine_threadsafe(self._server.close_all_connections(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.session.close()

    def _listen(self) -> str:
        sockets = bind_sockets(0, "127.0.0.1")
        # Jupyter Server compresses what it sends, so this does too.
        application = Application([("/mcp", Endpoint, {"host": self})], compress_response=True)
        self._server = HTTPServer(application)
        self._server.add_sockets(sockets)
        return f"http://127.0.0.1:{sockets[0].getsockname()[1]}/mcp"


@contextmanager
def hosted(root: Path, toolset: str = "vault", *, settings: Settings | None = None, **limits: Any) -> Iterator[Host]:
    """A host over the vault at `root`."""
    with KnowledgeBase.open(root, settings=settings or Settings(), in_memory=True) as knowledge_base:
        knowledge_base.scan()
        host = Host(knowledge_base, toolset, **limits)
        try:
            yield host
        finally:
            host.close()


def main() -> None:
    """Serve a folder until the process is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--toolset", default="vault")
    options = parser.parse_args()
    with hosted(options.folder, options.toolset) as host:
        print(host.url, flush=True)  # noqa: T201 - whoever started this reads it
        threading.Event().wait()


if __name__ == "__main__":
    main()
