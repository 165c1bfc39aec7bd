"""Where a process stands with an index: it owns it, is a guest of the owner, or works on its own, in memory."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from jupyter_kb.errors import IndexUnavailableError, ServerUnreachableError, VaultNotFoundError
from jupyter_kb.index.location import IndexLocation
from jupyter_kb.index.ownership import own
from jupyter_kb.models import EditResult, ReindexReport, SectionEdit, Status, VaultInfo
from jupyter_kb.sharing import record as records
from jupyter_kb.sharing.record import OwnerRecord
from jupyter_kb.sharing.verbs import Verbs

if TYPE_CHECKING:
    from jupyter_kb.client import Client, VaultClient
    from jupyter_kb.operations import Operations
    from jupyter_kb.settings import Settings
    from jupyter_kb.vault.documents import OpenDocuments

_log = logging.getLogger(__name__)

_VAULT = "vault"
"""The name of the one vault that an owner offers to the other processes."""
_SILENCE = 8.0
"""Seconds without a sign of life after which an owner is said to hang."""
_LAST_EDITS = 15.0
"""Seconds that an owner that ends gives to edits that are being written; more than one waits for a note's lock."""
_LAST_ANSWERS = 0.5
"""Seconds that it gives to other calls of other processes, which can repeat them at the next owner."""
_LAST_CALLS = 1.0
"""Seconds until calls that have still not ended are made to."""

_T = TypeVar("_T")


class Publication(Protocol):
    """A server that answers on this machine for the vaults that it was given, to whoever knows the secret."""

    @property
    def url(self) -> str:
        """The address of its API; known once it is started."""

    def start(self) -> None:
        """Begin to answer. Raises OSError."""

    def close(self, *, seconds: float = ...) -> None:
        """Stop: what is being worked on gets so long to end, then open connections are cut."""


class OneVault:
    """What an owner offers to the other processes: its vault, as long as it stays the owner."""

    def __init__(self, seat: OwnerSeat) -> None:
        self._seat = seat
        self._closed = False

    def list(self) -> tuple[VaultInfo, ...]:
        """The one vault."""
        return (VaultInfo(name=_VAULT, root=str(self._seat.knowledge_base.vault.root), is_default=True, ready=True),)

    def get(self, name: str) -> Operations:
        """The one vault.

        Raises
        ------
        VaultNotFoundError : another name. IndexUnavailableError : this process is about to give the index back.
        """
        if name != _VAULT:
            raise VaultNotFoundError(f"there is no vault '{name}' here")
        if self._closed:
            raise _leaving()
        return _Served(self)

    def ask(self, use: Callable[[Operations], _T], *, editing: bool = False) -> _T:
        """Use the knowledge base, which stays open meanwhile."""
        with self._seat.used(editing=editing):
            if self._closed:
                raise _leaving()
            return use(self._seat.knowledge_base)

    def close(self) -> None:
        """Refuse from now on."""
        self._closed = True


class _Served(Verbs):
    """The verbs of a vault that is offered."""

    def __init__(self, vault: OneVault) -> None:
        self._vault = vault

    def _ask(self, use: Callable[[Operations], _T]) -> _T:
        return self._vault.ask(use)

    def status(self) -> Status:
        """Counts, sizes and the state of the index and the model."""
        return self._vault.ask(lambda vault: vault.status())

    def reindex(self, *, reader: str = "", fresh: bool = True) -> ReindexReport:
        """Scan, and report what changed since the last report to this `reader`."""
        return self._vault.ask(lambda vault: vault.reindex(reader=reader, fresh=fresh))

    def edit_section(
        self, edit: SectionEdit, *, actor: str = "local", reader: str = "", wait: float | None = None
    ) -> EditResult:
        """Change one section under the guard of its hash."""
        return self._vault.ask(
            lambda vault: vault.edit_section(edit, actor=actor, reader=reader, wait=wait), editing=True
        )

    def create_note(self, file: str, content: str = "", *, actor: str = "local", reader: str = "") -> EditResult:
        """Make a note; never over one that is there."""
        return self._vault.ask(lambda vault: vault.create_note(file, content, actor=actor, reader=reader), editing=True)


def _leaving() -> IndexUnavailableError:
    return IndexUnavailableError("the index is about to have another owner", handover=True)


Publish = Callable[[OneVault, str], Publication]
"""Makes a server for a vault and a secret."""


# ── seats ───────────────────────────────────────────────────────────────────────────────────────


class Seat:
    """One way to work on the vault, with the number of calls that are using it."""

    kind: Literal["owner", "guest", "private"]

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        self._state = threading.Condition()
        self._users = self._editing = 0
        self._left = False

    @contextlib.contextmanager
    def used(self, *, editing: bool = False) -> Iterator[None]:
        """Keep the operations open until the block is left."""
        with self._state:
            self._users += 1
            self._editing += editing
        try:
            yield
        finally:
            with self._state:
                self._users -= 1
                self._editing -= editing
                self._state.notify_all()
                last = self._left and not self._users
            if last:
                self.close()

    def leave(self) -> None:
        """Close it as soon as nobody uses it any more."""
        with self._state:
            self._left = True
            idle = not self._users
        if idle:
            self.close()

    def close(self) -> None:
        """Give back what belongs to it."""
        raise NotImplementedError


class PrivateSeat(Seat):
    """An index in memory: everything works, by words only, and what others index is not seen."""

    kind = "private"

    def __init__(
        self, location: IndexLocation, settings: Settings | None, note: str, documents: OpenDocuments | None
    ) -> None:
        from jupyter_kb.index.opening import private_index
        from jupyter_kb.kb import KnowledgeBase

        self.knowledge_base = KnowledgeBase(private_index(location, writable(settings), note))
        self.knowledge_base.vault.documents = documents
        super().__init__(self.knowledge_base)

    def close(self) -> None:
        """Forget the index."""
        self.knowledge_base.close()


class GuestSeat(Seat):
    """The owner is another process, which is asked."""

    kind = "guest"
    operations: VaultClient

    def __init__(self, location: IndexLocation, record: OwnerRecord) -> None:
        from jupyter_kb.client import Client

        self.record = record
        self.client: Client = Client(record.url, record.token, timeout=_SILENCE)
        try:
            roots = [vault.root for vault in self.client.vaults()]
            if roots != [str(location.root)]:
                raise ServerUnreachableError(f"{record.url} is not the owner of this index", sent=False, silent=False)
        except BaseException:
            self.client.close()
            raise
        super().__init__(self.client.vault(_VAULT))

    def close(self) -> None:
        """Give the connections back."""
        self.client.close()


def silence(record: OwnerRecord, *, editing: bool = False) -> ServerUnreachableError:
    """The error for an owner that is there and gives no sign of life."""
    hint = f"let it go on, or end it (`kill -9 {record.pid}`): another process then takes the index over"
    if editing:
        hint += "; if it goes on it may still do this edit, so read the section before you repeat it"
    return ServerUnreachableError(
        f"process {record.pid} owns the index and does not answer (waited {_SILENCE:g} s)",
        hint=hint,
        sent=editing,
        silent=True,
        pid=record.pid,
    )


def writable(settings: Settings | None) -> Settings | None:
    """Settings for a knowledge base that others use too: a door that only reads does not forbid them to write."""
    return settings and replace(settings, read_only=False)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies there now; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class OwnerSeat(Seat):
    """This process owns the index, and answers to the others where it was given a way to.

    Raises
    ------
    IndexOwnedError : another process does. OSError : the folder of the index cannot be used.
    """

    kind = "owner"

    def __init__(
        self,
        location: IndexLocation,
        settings: Settings | None,
        publish: Publish | None,
        documents: OpenDocuments | None,
    ) -> None:
        lock = own(location.database)
        try:
            records.remove(location.folder)  # whoever wrote it is gone
            from jupyter_kb.index.opening import owned_index
            from jupyter_kb.kb import KnowledgeBase

            self.knowledge_base = KnowledgeBase(owned_index(location, writable(settings), lock=lock))
            self.knowledge_base.vault.documents = documents
        except BaseException:
            lock.release()
            raise
        super().__init__(self.knowledge_base)
        self._location = location
        self._lock_file = Path(lock.lock_file)
        self._identity = _identity(self._lock_file)
        self._publish = publish
        self._vaults = OneVault(self)
        self._publication: Publication | None = None
        self._record: OwnerRecord | None = None
        self._told = False
        self.publish()

    def publish(self) -> None:
        """See to it that the others can find this process; to be called now and then."""
        if self._publish is None or (self._record and records.read(self._location.folder) == self._record):
            return
        try:
            if self._publication is None:
                token = secrets.token_urlsafe(32)
                publication = self._publish(self._vaults, token)
                publication.start()
                self._publication = publication
                self._record = OwnerRecord(pid=os.getpid(), url=publication.url, token=token, started=time.time())
            if self._record is not None:
                records.write(self._location.folder, self._record)
        except OSError as error:
            if not self._told:
                _log.warning("other processes cannot ask this one about the index: %s", error)
            self._told = True

    @property
    def displaced(self) -> bool:
        """Whether the index was deleted under this process, whose lock then keeps nobody away any more."""
        return _identity(self._lock_file) != self._identity

    def stop(self) -> None:
        """Let a scan or an embedding that is running come to its end."""
        self.knowledge_base.indexer.stop()

    def close(self) -> None:
        """Give the index back: first nothing new begins, at last the lock is released.

        What is being written to notes is written. A call that does not end keeps the index until the process ends.
        """
        self._vaults.close()
        self.stop()
        self._wait(lambda: not self._editing, _LAST_EDITS)
        if self._record is not None:
            records.remove(self._location.folder, self._record)
        if self._publication is not None:
            self._publication.close(seconds=_LAST_ANSWERS)
        if not self._wait(lambda: not self._users, _LAST_CALLS):
            self.knowledge_base.meaning.close()  # what waits for a model ends with it
            if not self._wait(lambda: not self._users, _LAST_CALLS):
                _log.warning("a call does not end: the index stays with this process until it ends")
                return
        self.knowledge_base.close()

    def _wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        with self._state:
            return self._state.wait_for(condition, timeout=seconds)
