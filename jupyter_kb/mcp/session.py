"""What the tools of a server share: one vault, opened and scanned on its own thread, and threads to run on."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from jupyter_kb.kb import KnowledgeBase

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_SMALL = 2_000  # notes; a vault up to this size is scanned before the first answer


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

    def __init__(self, opener: Callable[[], KnowledgeBase], *, workers: int = 4) -> None:
        self.readings = Readings()
        self._opener = opener
        self._opened: Future[KnowledgeBase] = Future()
        self._settled = threading.Event()
        self._serving = threading.Event()
        self._owns = True
        self._worker: threading.Thread | None = None
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="kb-tool")

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
            try:
                if self._opened.exception() is None:
                    knowledge_base.scan(self._pace)
            except Exception:
                _log.exception("the first scan failed; each read tries again")
            finally:
                if self._opened.exception() is not None:  # closed while opening: nobody else will
                    knowledge_base.close()
        finally:
            self._settled.set()

    def _pace(self, done: int, total: int) -> None:
        # The scan of a large vault would slow down what stands between a client and its first answer.
        if total > _SMALL and not self._serving.is_set():
            self._settled.set()
            self._serving.wait()

    def _resolve(self, outcome: KnowledgeBase | Exception) -> None:
        try:
            if isinstance(outcome, Exception):
                self._opened.set_exception(outcome)
            else:
                self._opened.set_result(outcome)
        except InvalidStateError:
            pass  # closed meanwhile

    # ── running and ending ──────────────────────────────────────────────────────────────────────

    async def run(self, function: Callable[..., _T], /, *arguments: object) -> _T:
        """Call a blocking function on one of the session's threads."""
        return await asyncio.wrap_future(self._pool.submit(function, *arguments))

    def close(self, *, seconds: float = 5.0) -> None:
        """Stop scanning, let running calls end (a write is never cut short), and let go of the vault."""
        self._serving.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._resolve(SessionClosedError("the server is stopping"))
        if self._opened.exception() is None and self._owns:
            self._opened.result().indexer.stop()
        self._pool.shutdown(wait=True)
        if self._worker is not None:
            self._worker.join(seconds)
        if self._opened.exception() is None and self._owns:
            self._opened.result().close()
