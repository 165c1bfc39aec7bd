"""MCP over standard input and output: nothing but protocol frames leaves through stdout, and the end comes promptly."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from jupyter_kb.index.location import locate
from jupyter_kb.settings import Settings

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from jupyter_kb.sharing import SharedKnowledgeBase

_log = logging.getLogger(__name__)

_SETTLE = 5.0  # seconds that a small vault's first scan may delay the first answer; it takes milliseconds
_LAST_ANSWERS = 1.5  # seconds for calls in progress after the input ended; clients kill after two
_LAST_WORK = 0.5  # seconds for the index to come to a halt


def serve_stdio(
    root: Path, *, toolset: str = "vault", index_dir: Path | None = None, settings: Settings | None = None
) -> None:
    """Serve a vault over stdin and stdout until the input ends (or SIGINT, SIGTERM).

    Raises
    ------
    VaultNotFoundError : `root` is no folder; nothing was written to stdout.
    InvalidRequestError : there is no such toolset.
    """
    location = locate(root, index_dir)
    with _claimed_streams() as (source, sink):
        from jupyter_kb.mcp.session import Session

        def opener() -> SharedKnowledgeBase:
            # imports the database, where this process comes to own the index: not before the first answer
            from jupyter_kb.rest.loopback import LoopbackServer
            from jupyter_kb.sharing import SharedKnowledgeBase

            return SharedKnowledgeBase(
                location.root, settings=settings, index_dir=index_dir, publish=LoopbackServer, on_own=session.own
            )

        session = Session(opener)
        session.start()
        try:
            from jupyter_kb.mcp.server import build_server
            from jupyter_kb.mcp.toolsets import find_toolset

            read_only = bool((settings or location.settings() or Settings()).read_only)
            server = build_server(find_toolset(toolset), session, read_only=read_only)
            session.settle(_SETTLE)
            asyncio.run(_serve(server, source, sink))
        finally:
            ended = session.close(seconds=_LAST_WORK)
        if not ended:
            # A thread that works for the index cannot be stopped, and unwinding the interpreter under it may crash.
            # The index is derived data and stands any end; what had to be written to notes is written.
            os._exit(0)


@contextlib.contextmanager
def _claimed_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Private copies of stdin and stdout; meanwhile descriptor 0 is empty and descriptor 1 is stderr.

    Whatever else prints, in C or in a child process, thus cannot break a frame or take one away.
    """
    sys.stdout.flush()
    # Descriptors 0 to 2 are open, so the copies lie above them and are not inherited by children.
    own = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.close(nothing)
    try:
        # Never closed: a thread may still block on them, and a reused number would hand it somebody else's file.
        yield os.fdopen(own[0], "rb", closefd=False), os.fdopen(own[1], "wb", buffering=0, closefd=False)
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os.dup2(own[0], 0)
        os.dup2(own[1], 1)


# ── the transport ───────────────────────────────────────────────────────────────────────────────


class _Writer:
    """Writes frames on a daemon thread: a client that stops reading can hold up neither the loop nor the exit."""

    def __init__(self, sink: BinaryIO, gone: Callable[[], None]) -> None:
        self._sink = sink
        self._gone = gone
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="kb-stdout", daemon=True)
        self._thread.start()

    def put(self, frame: str) -> None:
        self._frames.put(frame.encode() + b"\n")

    def close(self) -> None:
        self._frames.put(None)
        self._thread.join(1.0)

    def _write(self) -> None:
        while (frame := self._frames.get()) is not None:
            view = memoryview(frame)
            try:
                while view:
                    view = view[self._sink.write(view) :]
            except OSError:
                self._gone()  # nobody reads any more
                return


class _Unanswered:
    """The requests that came in and have no answer yet."""

    def __init__(self) -> None:
        self._identifiers: set[str] = set()
        self._none = asyncio.Event()
        self._none.set()

    def add(self, identifier: Any) -> None:
        self._identifiers.add(repr(identifier))
        self._none.clear()

    def discard(self, identifier: Any) -> None:
        self._identifiers.discard(repr(identifier))
        if not self._identifiers:
            self._none.set()

    async def wait_none(self) -> None:
        await self._none.wait()


def _read_lines(source: BinaryIO, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]) -> None:
    """Hand over each line; None at the end. Runs on a daemon thread, since reading cannot be interrupted."""
    with contextlib.suppress(RuntimeError):  # the loop ended first
        try:
            for line in source:
                if line.strip():
                    loop.call_soon_threadsafe(lines.put_nowait, line)
        except (OSError, ValueError) as error:
            _log.warning("reading stdin failed: %s", error)
        loop.call_soon_threadsafe(lines.put_nowait, None)


def _refusal(line: bytes, error: Exception) -> str:
    """The answer to a line that is no message; silence would leave its sender waiting."""
    identifier, code, text = None, -32700, "Parse error"
    with contextlib.suppress(ValueError, RecursionError):
        message = json.loads(line)
        code, text = -32600, "Invalid Request"
        if isinstance(message, dict) and isinstance(message.get("id"), str | int):
            identifier = message["id"]
    _log.warning("refused a line of %d bytes: %s", len(line), type(error).__name__)
    return json.dumps({"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": text}})


async def _serve(server: Server[Any], source: BinaryIO, sink: BinaryIO) -> None:
    import anyio
    import mcp_types as types
    from mcp.shared.message import SessionMessage

    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def end() -> None:
        with contextlib.suppress(RuntimeError):  # the loop ended first
            loop.call_soon_threadsafe(lines.put_nowait, None)

    with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows; not on the main thread
        for signal_ in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signal_, lines.put_nowait, None)
    threading.Thread(target=_read_lines, args=(source, loop, lines), name="kb-stdin", daemon=True).start()
    writer, unanswered = _Writer(sink, end), _Unanswered()
    incoming, to_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    from_server, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive() -> None:
        async with incoming:
            while (line := await lines.get()) is not None:
                try:
                    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except Exception as error:
                    writer.put(_refusal(line, error))
                    continue
                if isinstance(message, types.JSONRPCRequest):
                    unanswered.add(message.id)
                elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
                    unanswered.discard((message.params or {}).get("requestId"))
                await incoming.send(SessionMessage(message))
            with anyio.move_on_after(_LAST_ANSWERS):
                await unanswered.wait_none()

    async def send() -> None:
        async with outgoing:
            async for item in outgoing:
                message = item.message
                writer.put(message.model_dump_json(by_alias=True, exclude_unset=True))
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                    unanswered.discard(message.id)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        tasks.start_soon(send)
        await server.run(to_server, from_server, server.create_initialization_options())
    writer.close()
