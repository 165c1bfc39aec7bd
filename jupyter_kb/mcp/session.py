"""What the calls of a server share: one vault, perhaps opened and scanned here, and threads to run on."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, InvalidStateError, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import uuid4

from jupyter_kb.errors import KBError
from jupyter_kb.mcp.call import Call, Readings

if TYPE_CHECKING:
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.operations import Operations
    from jupyter_kb.sharing import SharedKnowledgeBase

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_SMALL = 2_000  # files; a vault up to this size is scanned before the first answer
_MOST_READERS = 10_000


STOPPING = "the server is stopping"


class SessionClosedError(Exception):
    """The server is stopping, and nobody waits for the call any more."""


class Session:
    """One vault behind one server. `opener` runs on a worker thread, since it may import and read for a while.

    Tools run on the session's own threads: those of the event loop's library would keep a stopping server alive.
    """

    def __init__(
        self,
        opener: Callable[[], SharedKnowledgeBase],
        *,
        name: str | None = None,
        workers: int = 16,
        pool: Executor | None = None,
    ) -> None:
        self.readings = Readings()
        self.reader = uuid4().hex
        """What tells this session's reports from those of others that ask the same vault."""
        self._name = name
        self._opener = opener
        self._opened: Future[SharedKnowledgeBase] = Future()
        self._operations: Callable[[], Operations] = self._wait_open
        self._settled = threading.Event()
        self._serving = threading.Event()
        self._scanned = threading.Event()
        self._worker: threading.Thread | None = None
        self._pool = pool or ThreadPoolExecutor(workers, thread_name_prefix="kb-tool")
        self._running: set[Future[Any]] = set()
        self._writing: set[Future[Any]] = set()
        self._met: set[str] = set()
        self._meeting = threading.Lock()

    @classmethod
    def over(
        cls,
        operations: Operations | Callable[[], Operations],
        *,
        name: str | None = None,
        pool: Executor | None = None,
    ) -> Self:
        """A session over a vault that is its caller's to open and close.

        A function is called for each call, on one of the session's threads, and may wait there until the vault is
        open. `name` is what the vault is called in addresses; by default what it calls itself. `pool` has the threads
        to use instead.
        """
        session = cls(_nothing_to_open, name=name, pool=pool)
        session._operations = operations if callable(operations) else lambda: operations
        session._opened.set_exception(SessionClosedError("this session opened nothing"))
        session._settled.set()
        return session

    # ── opening ─────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Begin to open and to scan."""
        self._worker = threading.Thread(target=self._open, name="kb-open", daemon=True)
        self._worker.start()

    def settle(self, seconds: float) -> None:
        """Wait until a small vault is scanned, so that "since the start" means just that; not for a large one."""
        self._settled.wait(seconds)
        self._serving.set()

    def operations(self) -> Operations:
        """The vault; waits until it is open, not for a scan.

        Raises
        ------
        KBError : it cannot be opened.
        SessionClosedError : the server is stopping.
        """
        return self._operations()

    def _wait_open(self) -> Operations:
        return self._opened.result()

    def name(self) -> str:
        """What the vault is called in addresses."""
        if self._name is None:
            self._name = self.operations().status().vault
        return self._name

    def call(self, *, actor: str, reader: str = "") -> Call:
        """What a tool is given. A reader's account begins with the first call; `reader` tells those of a session."""
        operations, whole = self.operations(), self.reader + reader
        with self._meeting:
            if whole not in self._met:
                operations.reindex(reader=whole, fresh=False)
                if len(self._met) >= _MOST_READERS:
                    self._met.clear()  # their accounts are long forgotten
                self._met.add(whole)
        return Call(operations=operations, readings=self.readings, actor=actor, reader=whole)

    def own(self, knowledge_base: KnowledgeBase) -> None:
        """This process owns the index from now on: keep it fresh. Called on a thread of its own."""
        self._scanned.wait()  # by the one that opens the vault, which knows when it may begin
        knowledge_base.scan()
        knowledge_base.watch()
        knowledge_base.embed_in_background(only_if_begun=True)

    def _open(self) -> None:
        try:
            vault = self._opener()
        except Exception as error:
            _log.error("the vault cannot be opened: %s", error)
            self._resolve(error)
        else:
            self._resolve(vault)
            self._first_scan(vault)
        finally:
            self._settled.set()
            self._scanned.set()

    def _first_scan(self, vault: SharedKnowledgeBase) -> None:
        if _is_large(vault.root):
            self._settled.set()
            self._serving.wait()  # such a scan would slow down what stands between a client and its first answer
        try:
            if self._opened.exception() is None:
                vault.reindex(reader=self.reader, fresh=False)
                vault.refresh()
            else:  # closed while opening: nobody else will
                vault.close()
        except KBError as error:
            _log.warning("the first scan failed, each read tries again: %s", error)
        except Exception:
            _log.exception("the first scan failed; each read tries again")

    def _resolve(self, outcome: SharedKnowledgeBase | Exception) -> None:
        try:
            if isinstance(outcome, Exception):
                self._opened.set_exception(outcome)
            else:
                self._opened.set_result(outcome)
        except InvalidStateError:
            pass  # closed meanwhile

    # ── running and ending ──────────────────────────────────────────────────────────────────────

    async def run(self, function: Callable[..., _T], /, *arguments: object, writes: bool = False) -> _T:
        """Call a blocking function on one of the session's threads; `close` waits for one that `writes` to its end.

        Raises
        ------
        SessionClosedError : the server is stopping; the function was not called.
        """
        try:
            future = self._pool.submit(function, *arguments)
        except RuntimeError:  # the pool is closed
            raise SessionClosedError(STOPPING) from None
        running = self._writing if writes else self._running
        running.add(future)
        future.add_done_callback(running.discard)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if future.cancelled() and task is not None and not task.cancelling():  # by `close`, not by the client
                raise SessionClosedError(STOPPING) from None
            raise

    def close(self, *, seconds: float = 5.0) -> bool:
        """Stop scanning, drop calls that wait, let those that run end, and let go of the vault.

        A write is never cut short. False when something else still runs after `seconds`: then the vault stays open.
        """
        deadline = time.monotonic() + seconds
        self._serving.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._resolve(SessionClosedError(STOPPING))
        mine = self._opened.result() if self._opened.exception() is None else None
        if mine is not None:
            mine.stop()
        wait(set(self._writing))
        unfinished = wait(set(self._running), timeout=max(0.0, deadline - time.monotonic())).not_done
        if self._worker is not None:
            self._worker.join(max(0.0, deadline - time.monotonic()))
        if unfinished or (self._worker is not None and self._worker.is_alive()):
            return False
        if mine is not None:
            mine.close()
        return True


def _nothing_to_open() -> SharedKnowledgeBase:
    raise SessionClosedError("this session opens nothing")


def _is_large(root: Path) -> bool:
    """Whether a folder holds more files than a first answer should wait for."""
    files = 0
    for _, _, names in os.walk(root):
        files += len(names)
        if files > _SMALL:
            return True
    return False
