"""MCP over HTTP inside a Tornado application: the SDK's ASGI side runs on the host's own loop, behind its own routes.

One `HttpTransport` serves one server. The host decides who may come in (token, cookie, origin) before it hands a
request over; what a caller may do is asked for each call, through the request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from tornado.iostream import StreamClosedError

from jupyter_kb.mcp.rights import ALLOWED, LEAVING, USER, Allowed

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from tornado.web import RequestHandler

_log = logging.getLogger(__name__)

_Message = MutableMapping[str, Any]
_App = Callable[
    [dict[str, Any], Callable[[], Awaitable[_Message]], Callable[[_Message], Awaitable[None]]], Awaitable[None]
]

_MOMENT = 0.15  # seconds for what takes no time unless it hangs
_SESSION = "Mcp-Session-Id"
_WATCHER = "_shutdown_watcher"
_EVENTS = b"text/event-stream"
_NO_BATCH = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"send one message, not a batch of them"}}'
_NOT_OURS = ("connection", "transfer-encoding", "content-length")  # Tornado frames the answer itself


class HttpTransport:
    """Serves one MCP server to a Tornado application, in both protocol eras.

    Parameters
    ----------
    max_sessions : how many sessions of the older revisions may be open at once; one more is answered with 503.
    idle_seconds : a session without any request for so long is forgotten; its client opens a new one.
    max_body_bytes : a longer request is answered with 413.
    """

    def __init__(
        self,
        server: Server[Any],
        *,
        max_sessions: int = 256,
        idle_seconds: float = 1_800.0,
        max_body_bytes: int = 4 * 1024 * 1024,
    ) -> None:
        self._server = server
        self._limits: dict[str, Any] = {
            "max_sessions": max_sessions,
            "session_idle_timeout": idle_seconds,
            "max_request_body_size": max_body_bytes,
        }
        self._lifespan: _Lifespan | None = None
        self._exchanges: set[_Exchange] = set()

    async def start(self) -> None:
        """Be ready to serve; happens by itself at the first request. After `stop` it may be started again."""
        if self._lifespan is None:
            # No DNS rebinding protection here: the host has checked Host and Origin, and knows its own names.
            self._lifespan = _Lifespan(StreamableHTTPSessionManager(self._server, **self._limits))
        await self._lifespan.ready()

    async def stop(self, seconds: float = 0.4) -> None:
        """End every stream and session, within half a second more than `seconds`.

        Calls that run get `seconds` to answer, and are then answered with a refusal; a thread at work is not waited
        for.
        """
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is None:
            return
        for exchange in self._exchanges:
            if exchange.waits:
                exchange.disconnect()
        await self._ended(seconds)
        lifespan.leaving.set_result(None)
        await self._ended(_MOMENT)
        for exchange in self._exchanges:
            exchange.disconnect()
        await lifespan.leave(_MOMENT)
        for exchange in self._exchanges:
            exchange.cancel()
        await self._ended(_MOMENT)
        await _stop_watching()

    async def _ended(self, seconds: float) -> None:
        if tasks := [exchange.task for exchange in self._exchanges]:
            await asyncio.wait(tasks, timeout=seconds)

    async def handle(self, handler: RequestHandler, *, user: str, allowed: Allowed) -> None:
        """Answer one request: call this from the handler's `get`, `post` and `delete`, as their whole body.

        `user` is who asks, recorded with every edit. `allowed` is asked before each call whether this user may `read`
        or `write`.
        """
        if handler.request.method != "POST" and _SESSION not in handler.request.headers:
            handler.set_status(405)  # newer revisions and clients without a session only post
            handler.set_header("Allow", "POST")
            return
        if handler.request.body.lstrip()[:1] == b"[":
            # The SDK refuses batches too, but only after it has read all of one, on the event loop.
            handler.set_status(400)
            handler.set_header("Content-Type", "application/json")
            handler.write(_NO_BATCH)
            return
        await self.start()
        if self._lifespan is None:  # stopped meanwhile
            handler.set_status(503)
            return
        about = {USER: user, ALLOWED: allowed, LEAVING: self._lifespan.leaving}
        exchange = _Exchange(handler, self._lifespan.app, about)
        self._exchanges.add(exchange)
        try:
            await exchange.run()
        finally:
            self._exchanges.discard(exchange)


class _Exchange:
    """One request and its answer, as ASGI messages on one side and a Tornado handler on the other."""

    def __init__(self, handler: RequestHandler, app: _App, extra: dict[str, Any]) -> None:
        self.waits = handler.request.method == "GET"
        """Whether this is a stream that stays open until somebody closes it."""
        self._handler = handler
        self._gone = asyncio.Event()
        self._received = False
        self._begun: _Message | None = None
        self._committed = False
        scope = _scope(handler) | extra
        handler.request.connection.set_close_callback(self._closed)  # type: ignore[union-attr]
        work: Coroutine[Any, Any, None] = app(scope, self._receive, self._send)  # type: ignore[assignment]
        self.task = asyncio.create_task(work)

    async def run(self) -> None:
        """Until the answer is complete, or nobody is left to take it."""
        try:
            await asyncio.wait([self.task])
        finally:
            self.task.cancel()  # no effect but where this coroutine was cancelled itself
        if not self.task.cancelled():
            self.task.result()
        if self._begun is None and not self._gone.is_set():
            self._handler.set_status(503)
        elif not self._committed and self._begun is not None:
            self._commit(self._begun)

    def disconnect(self) -> None:
        """Let the application believe that the client has gone, which ends its streams."""
        self._gone.set()

    def cancel(self) -> None:
        """End it from outside."""
        self._gone.set()
        self.task.cancel()

    def _closed(self) -> None:
        self.disconnect()
        self._handler.on_connection_close()

    async def _receive(self) -> _Message:
        if not self._received:
            self._received = True
            return {"type": "http.request", "body": self._handler.request.body or b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: _Message) -> None:
        if self._gone.is_set():
            return
        if message["type"] == "http.response.start":
            self._begun = message
            if any(value.startswith(_EVENTS) for name, value in message["headers"] if name == b"content-type"):
                self._handler._transforms = []  # compressed events wait in the buffers of proxies and clients
                self._commit(message)
                await self._flush()  # a stream without an event so far is open all the same
            return
        if not self._committed and self._begun is not None:
            self._commit(self._begun)
        if message.get("body"):
            self._handler.write(message["body"])
        if message.get("more_body"):
            await self._flush()  # else the handler's end writes headers and text in one piece

    def _commit(self, begun: _Message) -> None:
        self._committed = True
        self._handler.set_status(begun["status"])
        self._handler.clear_header("Content-Type")
        for name, value in begun["headers"]:
            if (text := name.decode("latin-1")) not in _NOT_OURS:
                self._handler.set_header(text.title(), value.decode("latin-1"))

    async def _flush(self) -> None:
        try:
            await self._handler.flush()
        except StreamClosedError:
            self.disconnect()


def _scope(handler: RequestHandler) -> dict[str, Any]:
    request = handler.request
    host, _, port = request.host.rpartition(":")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": request.version.removeprefix("HTTP/"),
        "method": request.method,
        "scheme": request.protocol,
        "path": request.path,
        "raw_path": request.path.encode("utf-8", "replace"),
        "root_path": "",
        "query_string": request.query.encode("utf-8", "replace"),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
            for name, value in request.headers.get_all()
        ],
        "client": (request.remote_ip or "", 0),
        "server": (host, int(port)) if port.isdigit() else (request.host, None),
    }


class _Lifespan:
    """Holds the session manager open in one task from beginning to end, as its cancel scopes demand."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self.app: _App = manager.asgi_app
        self._manager = manager
        loop = asyncio.get_running_loop()
        self.leaving: asyncio.Future[None] = loop.create_future()
        """Done once calls that run are no longer waited for."""
        self._ready: asyncio.Future[None] = loop.create_future()
        self._leave = asyncio.Event()
        self._task = asyncio.create_task(self._hold(), name="kb-mcp")

    async def ready(self) -> None:
        await asyncio.shield(self._ready)

    async def leave(self, seconds: float) -> None:
        self._leave.set()
        await asyncio.wait([self._task], timeout=seconds)
        self._task.cancel()

    async def _hold(self) -> None:
        try:
            async with self._manager.run():
                self._ready.set_result(None)
                await self._leave.wait()
        except Exception as error:
            if self._ready.done():
                _log.exception("the sessions of the MCP server ended badly")
            else:
                self._ready.set_exception(error)


async def _stop_watching() -> None:
    """End the task with which the library behind the event streams polls for the end of a uvicorn that is not there."""
    tasks = [
        task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__qualname__", "") == "_shutdown_watcher"
    ]
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_MOMENT)
