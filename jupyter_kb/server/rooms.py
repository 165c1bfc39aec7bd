"""Notes that are open in JupyterLab with jupyter-collaboration: edits go into the room, where people are typing.

A room lives on the server's event loop, an edit on a thread. The thread asks for the room and gets it held: its
loader's lock keeps the room from saving and from reading the file anew; typing goes on. While the thread computes and
writes, the loop is free; whatever it does for the thread is short, and the thread waits for it no longer than it was
told to. A thread that gave up can be sure that nothing happens later.

Nothing of jupyter-collaboration is imported: the extension is there or it is not. What is used of it beyond its public
interface are two locks of `jupyter_server_ydoc`: `FileLoader._lock` (saving, loading, looking at the file) and
`DocumentRoom._update_lock` (a change that the room is not to save).
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_server.utils import ensure_async
from tornado.web import HTTPError

from jupyter_kb.errors import KBError, WriteFailedError
from jupyter_kb.vault.documents import Replacement, replacements

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

    from jupyter_kb.vault.documents import OpenDocument

_log = logging.getLogger(__name__)

EXTENSION = "jupyter_server_ydoc"
_LONGEST = 60.0
"""Seconds after which a room is let go whatever its thread does: a lost thread must not keep it from saving."""
_PAUSE = 0.01
"""Seconds between two looks at a room that is being filled."""

_T = TypeVar("_T")
_Claim = Future[_T]
"""The answer to a thread. Whoever sets it running decides: the loop, which then answers at once, or the thread's
giving up, after which the loop does nothing."""


class Rooms:
    """The documents that are open in this server; see `vault.documents.OpenDocuments`."""

    def __init__(self, server: ServerApp) -> None:
        self._server = server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """To be called on the event loop; before that no note is open."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()

    @contextmanager
    def opened(self, path: Path, *, timeout: float) -> Iterator[OpenDocument | None]:
        """Hold the document that is open for a file; None where there is none.

        Raises
        ------
        WriteFailedError : it did not answer in time, or is open in two editors that know nothing of each other.
        """
        if self._loop is None or self._collaboration() is None:
            yield None
            return
        if threading.get_ident() == self._thread:
            raise RuntimeError("an edit would wait for the event loop that it runs on")
        held = _Held()
        found: tuple[Any, str] | None = self.ask(path, timeout, lambda claim: self._hold(path, claim, held))
        try:
            yield None if found is None else RoomDocument(self, *found, path, held, timeout)
        finally:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(held.released.set)
                if found is None:
                    self._loop.call_soon_threadsafe(lambda: self._spawn(self._look(path)))

    def ask(self, path: Path, timeout: float, work: Callable[[_Claim[_T]], Coroutine[Any, Any, None]]) -> _T:
        """Have the loop do something, and wait for its answer; if that takes too long it is not done at all.

        Raises
        ------
        WriteFailedError : it takes too long.
        """
        assert self._loop is not None
        claim: _Claim[_T] = Future()

        try:
            self._loop.call_soon_threadsafe(lambda: self._spawn(_answered(claim, work(claim))))
        except RuntimeError:
            raise WriteFailedError(f"file '{path.name}' was not written: the server is stopping") from None
        try:
            try:
                return claim.result(timeout)
            except TimeoutError:
                if not claim.cancel():
                    return claim.result()  # the loop is at it, and does not wait for anything any more
        except KBError:
            raise
        except Exception as error:
            _log.exception("an open document failed")
            raise WriteFailedError(
                f"file '{path.name}' is open in JupyterLab and its document failed: {error}",
                hint="nothing was changed; the log says more",
            ) from error
        raise WriteFailedError(
            f"file '{path.name}' is open in JupyterLab and its document does not answer (waited {timeout:g} s)",
            hint="nothing was changed; send the same request again",
        )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ── on the event loop ───────────────────────────────────────────────────────────────────────

    def _collaboration(self) -> Any | None:
        """The extension's application, if it is at work. From any thread."""
        for app in self._server.extension_manager.extension_apps.get(EXTENSION, ()):
            if getattr(app, "ywebsocket_server", None) is not None:
                return app
        return None

    async def _hold(self, path: Path, claim: _Claim[Any], held: _Held) -> None:
        """Find the room, see to it that it knows the file as it is, and hold it until the thread is done."""
        while not claim.cancelled():
            room: Any = self._room(path)
            if room is None:
                break
            if not (room.ready and room.ydoc_observed.is_set()):
                await asyncio.sleep(_PAUSE)
                continue
            loader, document = room._file, room._document
            async with loader._lock:
                if self._room(path) is not room:
                    continue
                changed = await self._changed(loader.path)
                if changed is None:
                    break  # the file is gone: whoever reads it will see
                if changed == loader.last_modified:
                    if claim.set_running_or_notify_cancel():
                        claim.set_result((room, document.source))
                        await held.end()
                    return
            await _notify(loader)  # another program wrote: the room takes that in first, as it would soon anyway
        if claim.set_running_or_notify_cancel():
            claim.set_result(None)

    async def _look(self, path: Path) -> None:
        """A note was perhaps written as a file: a room that was opened meanwhile looks at it at once."""
        with suppress(KBError):
            room = self._room(path)
            if room is not None and room.ready:
                await _notify(room._file)

    def _room(self, path: Path) -> Any | None:
        """The room of a file's text.

        Raises
        ------
        WriteFailedError : there are several.
        """
        app = self._collaboration()
        root = self._server.root_dir
        found = []
        for name, room in list(app.ywebsocket_server.rooms.items()) if app is not None else ():
            if name.count(":") < 2 or not name.startswith("text:") or not hasattr(room, "_file"):
                continue
            with suppress(RuntimeError):  # its file was deleted
                if os.path.realpath(os.path.join(root, *room._file.path.split("/"))) == str(path):
                    found.append(room)
        if len(found) > 1:
            raise WriteFailedError(
                f"file '{path.name}' is open in JupyterLab in {len(found)} ways that know nothing of each other",
                hint="close all but one, then send the same request again",
            )
        return found[0] if found else None

    async def _model(self, path: str, **options: Any) -> Any:
        contents: Any = self._server.contents_manager
        return await ensure_async(contents.get(path, content=False, **options))

    async def _changed(self, path: str) -> Any | None:
        """When a file was changed, for the contents manager; None where there is none."""
        try:
            return (await self._model(path))["last_modified"]
        except HTTPError as error:
            if error.status_code == 404:
                return None
            raise

    async def told(self, room: Any, text: str, held: _Held) -> None:
        """Let a held room know that the file holds this text."""
        loader = room._file
        model = await self._model(loader.path, require_hash=True)
        if held.over:
            return
        loader.last_modified = model["last_modified"]
        async with room._update_lock:
            if room._document.source == text:
                room._document.dirty = False
                room._document.hash = model["hash"]


class _Held:
    """How long a room is held: until its thread lets it go, or for the longest time."""

    def __init__(self) -> None:
        self.released = asyncio.Event()
        self.over = False

    async def end(self) -> None:
        """Wait for it."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.released.wait(), _LONGEST)
        self.over = True


class RoomDocument:
    """A document in its room, held; see `vault.documents.OpenDocument`. For one thread."""

    def __init__(self, rooms: Rooms, room: Any, text: str, path: Path, held: _Held, timeout: float) -> None:
        self._rooms, self._room, self._text = rooms, room, text
        self._path, self._held, self._timeout = path, held, timeout

    def text(self) -> str:
        """What it held when it was opened."""
        return self._text

    def put(self, old: str, new: str) -> bool:
        """Change what differs; False if it is not `old` now."""
        changes = replacements(old, new)

        async def put(claim: _Claim[bool]) -> None:
            async with self._room._update_lock:  # else the room would save it, which the thread does
                if not claim.set_running_or_notify_cancel():
                    return
                is_old = not self._held.over and self._room._document.source == old
                if is_old:
                    _change(self._room._document, changes)
                claim.set_result(is_old)

        return self._rooms.ask(self._path, self._timeout, put)

    def saved(self, text: str) -> None:
        """The file holds this text by now."""

        async def tell(claim: _Claim[None]) -> None:
            await self._rooms.told(self._room, text, self._held)
            if claim.set_running_or_notify_cancel():
                claim.set_result(None)

        try:
            self._rooms.ask(self._path, self._timeout, tell)
        except Exception as error:  # the note is written; a room that was not told of it reads it anew
            _log.warning("the open document %s was not told that it was saved: %s", self._path.name, error)


def _change(document: Any, changes: list[Replacement]) -> None:
    text = document.ydoc["source"]
    with document.ydoc.transaction():
        for start, end, new in reversed(changes):  # from behind, so that the places before stay what they are
            if end > start:
                del text[start:end]
            if new:
                text.insert(start, new)


async def _notify(loader: Any) -> None:
    try:
        await loader.maybe_notify()
    except HTTPError as error:
        if error.status_code != 404:
            raise


async def _answered(claim: _Claim[Any], work: Coroutine[Any, Any, None]) -> None:
    """The work, whose failure is an answer too."""
    try:
        await work
    except (Exception, asyncio.CancelledError) as error:
        if not claim.done() and (claim.running() or claim.set_running_or_notify_cancel()):
            claim.set_exception(error)
        elif not isinstance(error, asyncio.CancelledError):
            _log.exception("an open document failed")
