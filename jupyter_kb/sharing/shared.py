"""SharedKnowledgeBase: the verbs of `Operations` on a vault, whichever process owns its index at the moment.

A request that is under way when the owner ends is repeated at the next one. All reads can be; of an edit it is found
out first whether it was done (`fate`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from jupyter_kb.errors import IndexUnavailableError, KBError, ServerUnreachableError
from jupyter_kb.index.location import locate
from jupyter_kb.index.ownership import OWNED, IndexOwnedError, unusable
from jupyter_kb.models import EmbedResult, ReindexReport, ScanResult, SearchRequest, Status
from jupyter_kb.settings import Settings
from jupyter_kb.sharing import record as records
from jupyter_kb.sharing.progress import Progress, embedded, followed, scanned_by
from jupyter_kb.sharing.seats import GuestSeat, OwnerSeat, PrivateSeat, Publish, Seat, silence
from jupyter_kb.sharing.writing import Writing

if TYPE_CHECKING:
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.operations import Operations
    from jupyter_kb.vault.documents import OpenDocuments

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

PATIENCE = 5.0
"""Seconds to wait for an owner that cannot be asked (a command that is about to end) before working in memory."""
_PAUSE = 0.02
_WATCH = 0.15
"""Seconds between two looks of a process that waits for its turn to own the index."""
_SILENT = 1.0
"""Seconds for which an owner that was silent is taken to be so still."""
_UNUSABLE = 2.0
"""Seconds until an index folder that could not be used (the disk was full, say) is tried again."""
_MOST_READERS = 100
_REPEATS = 8
"""A request that brings down one owner after the other must not go round for ever."""


class SharedKnowledgeBase(Writing):
    """A vault's operations, whoever owns its index. Safe to use from several threads; close it when done (or `with`).

    Parameters
    ----------
    root : the vault's folder.
    settings : for the case that this process owns the index; without them those of the last time hold.
    publish : makes the server that answers to other processes while this one is the owner; without it they wait.
    on_own : called on a thread of its own each time that this process has become the owner, with the knowledge base.
    own : False leaves the index to others: it is asked for where it has an owner, else one in memory serves.
    follow : watch in the background for the owner's end, to take over without being asked anything.
    documents : the shared editors of this process, through which it writes.

    Raises
    ------
    VaultNotFoundError : `root` is no folder.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        settings: Settings | None = None,
        index_dir: Path | str | None = None,
        publish: Publish | None = None,
        on_own: Callable[[KnowledgeBase], None] | None = None,
        own: bool = True,
        follow: bool = True,
        patience: float = PATIENCE,
        documents: OpenDocuments | None = None,
    ) -> None:
        self.location = locate(root, index_dir)
        self.root = self.location.root
        self.name = self.root.name or str(self.root)
        self._given = settings
        self._read_only = settings is not None and settings.read_only
        self._publish = publish
        self._on_own = on_own
        self._owning = own
        self._patience = patience
        self._documents = documents
        self._changing = threading.RLock()
        self._seat: Seat | None = None
        self._silent: tuple[records.OwnerRecord | None, float] = (None, 0.0)
        self._unusable_until = 0.0
        self._readers: dict[str, None] = {}
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []
        if follow and own:
            self._start(self._follow, "kb-follow")

    # ── life ────────────────────────────────────────────────────────────────────────────────────

    @property
    def settings(self) -> Settings:
        """Those of this process where it was given some, else those that are remembered for the vault."""
        return self._given or self.location.settings() or Settings()

    @property
    def standing(self) -> Literal["owner", "guest", "private"]:
        """Whether this process owns the index, asks the owner, or works on its own; waits until that is settled.

        Raises
        ------
        ServerUnreachableError : the owner is there and does not answer.
        """
        return self._settled().kind

    @property
    def owned(self) -> KnowledgeBase | None:
        """The knowledge base itself where this process owns the index or works in memory."""
        seat = self._settled()
        return seat.knowledge_base if isinstance(seat, OwnerSeat | PrivateSeat) else None

    def stop(self) -> None:
        """Let what runs in the background come to its end; `close` then takes less time."""
        seat = self._seat
        if isinstance(seat, OwnerSeat):
            seat.stop()

    def close(self) -> None:
        """Give the index back, or the connections to its owner."""
        self._closing.set()
        with self._changing:
            seat, self._seat = self._seat, None
        if seat is not None:
            seat.close()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ── finding a seat ──────────────────────────────────────────────────────────────────────────

    def _settled(self) -> Seat:
        """The seat, which is looked for where there is none."""
        seat = self._seat
        if seat is not None:
            return seat
        with self._changing:
            if self._seat is None:
                self._take(self._look())
            assert self._seat is not None
            return self._seat

    def _look(self) -> Seat:
        until = time.monotonic() + self._patience
        while True:
            if self._closing.is_set():
                raise IndexUnavailableError("the vault is closed")
            seat = self._try()
            if seat is not None:
                return seat
            if not self._owning:
                return self._private("the index is in memory, as asked")
            if time.monotonic() > until:
                return self._alone(OWNED)
            self._closing.wait(_PAUSE)

    def _try(self) -> Seat | None:
        """A seat that can be had now; None where another process owns the index and cannot be asked.

        Raises
        ------
        ServerUnreachableError : the owner is there and does not answer.
        """
        if self._owning:
            try:
                return OwnerSeat(self.location, self._given, self._publish, self._documents)
            except IndexOwnedError:
                pass
            except OSError as error:
                return self._alone(unusable(error))
        return self._visit()

    def _alone(self, note: str) -> Seat:
        _log.warning("%s", note)
        return self._private(note)

    def _private(self, note: str) -> Seat:
        return PrivateSeat(self.location, self._given, note, self._documents)

    def _visit(self) -> Seat | None:
        record = records.read(self.location.folder)
        if record is None:
            return None
        known, until = self._silent
        if known == record and time.monotonic() < until:  # all who waited for the one who asked
            raise silence(record)
        try:
            return GuestSeat(self.location, record)
        except ServerUnreachableError as error:
            if error.details.get("silent"):
                self._silent = record, time.monotonic() + _SILENT
                if self._owning:
                    raise silence(record) from error
        except Exception as error:  # whatever answers at an address that somebody else has by now
            _log.debug("%s is not the owner: %s", record.url, error)
        return None

    def _take(self, seat: Seat) -> None:
        former, self._seat = self._seat, seat
        if former is not None:
            former.leave()
        for reader in tuple(self._readers):
            if isinstance(seat, OwnerSeat):  # what changed since the old owner looked at the disk is news to them
                seat.knowledge_base.indexer.follow(reader, resumed=True)
            try:
                seat.operations.reindex(reader=reader, fresh=False)
            except KBError as error:
                _log.debug("the new owner keeps no account of changes: %s", error)
                break
        if isinstance(seat, OwnerSeat) and self._on_own is not None:
            self._start(self._tell_owned, "kb-own", seat.knowledge_base)

    def _tell_owned(self, knowledge_base: KnowledgeBase) -> None:
        try:
            assert self._on_own is not None
            self._on_own(knowledge_base)
        except Exception:
            if not self._closing.is_set():
                _log.exception("the owner's work in the background failed")

    def _lost(self, seat: Seat) -> None:
        """The owner that this seat asks is gone."""
        with self._changing:
            if self._seat is seat:
                self._seat = None
        seat.close()

    def _start(self, target: Callable[..., None], name: str, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, name=name, daemon=True)
        self._threads = [known for known in self._threads if known.is_alive()] + [thread]
        thread.start()

    def _follow(self) -> None:
        """Until the end: be ready to take over, and do so as soon as the owner is gone."""
        if self._publish is not None:
            import jupyter_kb.kb  # noqa: F401  (takes a second, which would then be missing)
        told = ""
        while not self._closing.wait(_WATCH):
            try:
                self._look_around()
            except ServerUnreachableError:
                pass  # whoever asks will hear it
            except Exception as error:
                if not self._closing.is_set() and repr(error) != told:  # it comes again several times a second
                    _log.exception("looking after the owner of the index failed")
                    told = repr(error)

    def _look_around(self) -> None:
        seat = self._seat
        if isinstance(seat, OwnerSeat) and not seat.displaced:
            seat.publish()
            return
        with self._changing:
            if self._seat is not seat or self._closing.is_set():
                return
            if isinstance(seat, OwnerSeat):
                _log.warning("the index %s was deleted while it was used: it is made anew", self.location.folder)
                self._seat = None
                seat.close()  # at once, for the new one would be opened as the old one is still
                self._take(self._look())
                return
            found = self._promotion(seat)
            if found is not None:
                self._take(found)

    def _promotion(self, seat: Seat | None) -> Seat | None:
        """A better seat than this one, if it can be had without waiting for an owner that hangs."""
        if time.monotonic() < self._unusable_until:
            return None
        try:
            return OwnerSeat(self.location, self._given, self._publish, self._documents)
        except IndexOwnedError:
            return self._visit() if isinstance(seat, PrivateSeat) else None
        except OSError:
            self._unusable_until = time.monotonic() + _UNUSABLE
            return None

    # ── asking ──────────────────────────────────────────────────────────────────────────────────

    def _ask(self, use: Callable[[Operations], _T]) -> _T:
        return self._on_seat(lambda seat: use(seat.operations))

    def _on_seat(self, use: Callable[[Seat], _T], *, editing: bool = False) -> _T:
        """Call a verb on whichever seat there is, and again on the next one where the owner ended meanwhile."""
        repeats = 0
        while True:
            seat = self._settled()
            try:
                with seat.used(editing=editing):
                    return use(seat)
            except ServerUnreachableError as error:
                if not isinstance(seat, GuestSeat):
                    raise
                if error.details.get("silent"):
                    raise silence(seat.record, editing=editing) from error
                repeats += bool(error.details.get("sent"))
                if repeats > _REPEATS:
                    raise
            except IndexUnavailableError as error:
                if not (isinstance(seat, GuestSeat) and error.details.get("handover")):
                    raise
                self._closing.wait(_PAUSE)
            self._lost(seat)

    def reindex(self, *, reader: str = "", fresh: bool = True) -> ReindexReport:
        """Scan, and report what changed since the last report to this `reader`; a new owner begins a new account."""
        found = self._ask(lambda vault: vault.reindex(reader=reader, fresh=fresh))
        with self._changing:
            self._readers.pop(reader, None)
            self._readers[reader] = None
            if len(self._readers) > _MOST_READERS:
                self._readers.pop(next(iter(self._readers)))
        return found

    def refresh(self, progress: Progress | None = None) -> None:
        """Compare the index with the disk, so that what follows may be asked with `fresh=False`."""

        def work(seat: Seat) -> None:
            if isinstance(seat, OwnerSeat | PrivateSeat):
                seat.knowledge_base.scan(progress)
                return
            with followed(seat.operations, progress, lambda state: state.indexing):
                seat.operations.search(SearchRequest(limit=0), fresh=True)

        self._on_seat(work)

    def scan(self, progress: Progress | None = None) -> ScanResult:
        """Bring the index up to date with the disk; `progress(done, total)` counts notes."""

        def work(seat: Seat) -> ScanResult:
            if isinstance(seat, OwnerSeat | PrivateSeat):
                return seat.knowledge_base.scan(progress)
            with followed(seat.operations, progress, lambda state: state.indexing):
                return scanned_by(seat.operations)

        return self._on_seat(work)

    def embed(self, progress: Progress | None = None) -> EmbedResult:
        """Make the vectors that are missing; `progress(done, total)` counts chunks."""

        def work(seat: Seat) -> EmbedResult:
            if isinstance(seat, OwnerSeat | PrivateSeat):
                return seat.knowledge_base.embed(progress)
            with followed(seat.operations, progress, embedded):
                return seat.operations.embed()

        return self._on_seat(work)

    def status(self) -> Status:
        """Counts, sizes and the state of the index and the model."""
        found = self._ask(lambda vault: vault.status())
        return replace(found, read_only=found.read_only or self._read_only)
