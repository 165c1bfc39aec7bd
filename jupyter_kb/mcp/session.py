"""What the tools of a server share: one vault, opened and scanned on its own thread, and threads to run on."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from jupyter_kb.kb import KnowledgeBase

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_SMALL = 2_000  # files; a vault up to this size is scanned before the first answer


class SessionClosedError(Exception):
    """The server is stopping; the call did nothing."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A text as it was handed out; `own` where sub-sections were left out of it."""

    text: str
    own: bool


class Readings:
    """The texts that were handed out last, by hash: so a conflict can show what changed since the read."""

    def __init__(self, *, capacity: int = 4_000_000) -> None:
        self._texts: OrderedDict[str, Reading] = OrderedDict()
        self._capacity = capacity
        self._size = 0
        self._lock = threading.Lock()

    def remember(self, content_hash: str, text: str, *, own: bool = False) -> None:
        """Keep a text until `capacity` characters of newer ones have come."""
        with self._lock:
            old = self._texts.pop(content_hash, None)
            self._size += len(text) - (len(old.text) if old else 0)
            self._texts[content_hash] = Reading(text=text, own=own)
            while self._size > self._capacity and len(self._texts) > 1:
                self._size -= len(self._texts.popitem(last=False)[1].text)

    def find(self, prefix: str) -> Reading | None:
        """The one text whose hash begins so; None when there is none, or more than one."""
        with self._lock:
            found = [reading for content_hash, reading in self._texts.items() if content_hash.startswith(prefix)]
        return found[0] if len(found) == 1 and prefix else None


class Session:
    """One vault behind one server. `opener` runs on a worker thread, since it may import and read for a while.

    Tools run on the session's own threads: those of the event loop's library would keep a stopping server alive.
    """

    def __init__(self, opener: Callable[[], KnowledgeBase], *, workers: int = 16) -> None:
        self.readings = Readings()
        self._opener = opener
        self._opened: Future[KnowledgeBase] = Future()
        self._settled = threading.Event()
        self._serving = threading.Event()
        self._owns = True
        self._worker: threading.Thread | None = None
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="kb-tool")
        self._running: set[Future[Any]] = set()
        self._writing: set[Future[Any]] = set()

    @classmethod
    def over(cls, knowledge_base: KnowledgeBase) -> Self:
        """A session over a knowledge base that is open already and stays its caller's to close."""
        session = cls(lambda: knowledge_base)
        session._owns = False
        session._opened.set_result(knowledge_base)
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

    def knowledge_base(self) -> KnowledgeBase:
        """The open vault; waits for it, not for the scan.

        Raises
        ------
        KBError : it cannot be opened.
        SessionClosedError : the server is stopping.
        """
        return self._opened.result()

    def _open(self) -> None:
        try:
            knowledge_base = self._opener()
        except Exception as error:
            _log.error("the vault cannot be opened: %s", error)
            self._resolve(error)
        else:
            self._resolve(knowledge_base)
            self._first_scan(knowledge_base)
        finally:
            self._settled.set()

    def _first_scan(self, knowledge_base: KnowledgeBase) -> None:
        if _is_large(knowledge_base.vault.root):
            self._settled.set()
            self._serving.wait()  # such a scan would slow down what stands between a client and its first answer
        try:
            if self._opened.exception() is None:
                knowledge_base.scan()
                if self._owns:
                    knowledge_base.embed_in_background(only_if_begun=True)
            else:  # closed while opening: nobody else will
                knowledge_base.close()
        except Exception:
            _log.exception("the first scan failed; each read tries again")

    def _resolve(self, outcome: KnowledgeBase | Exception) -> None:
        try:
            if isinstance(outcome, Exception):
                self._opened.set_exception(outcome)
            else:
                self._opened.set_result(outcome)
        except InvalidStateError:
            pass  # closed meanwhile

    # ── running and ending ──────────────────────────────────────────────────────────────────────

    async def run(self, function: Callable[..., _T], /, *arguments: object, writes: bool = False) -> _T:
        """Call a blocking function on one of the session's threads; `close` waits for one that `writes` to its end."""
        future = self._pool.submit(function, *arguments)
        running = self._writing if writes else self._running
        running.add(future)
        future.add_done_callback(running.discard)
        return await asyncio.wrap_future(future)

    def close(self, *, seconds: float = 5.0) -> bool:
        """Stop scanning, drop calls that wait, let those that run end, and let go of the vault.

        A write is never cut short. False when something else still runs after `seconds`: then the vault stays open.
        """
        deadline = time.monotonic() + seconds
        self._serving.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._resolve(SessionClosedError("the server is stopping"))
        mine = self._opened.result() if self._owns and self._opened.exception() is None else None
        if mine is not None:
            mine.indexer.stop()
        wait(set(self._writing))
        unfinished = wait(set(self._running), timeout=max(0.0, deadline - time.monotonic())).not_done
        if self._worker is not None:
            self._worker.join(max(0.0, deadline - time.monotonic()))
        if unfinished or (self._worker is not None and self._worker.is_alive()):
            return False
        if mine is not None:
            mine.close()
        return True


def _is_large(root: Path) -> bool:
    """Whether a folder holds more files than a first answer should wait for."""
    files = 0
    for _, _, names in os.walk(root):
        files += len(names)
        if files > _SMALL:
            return True
    return False
