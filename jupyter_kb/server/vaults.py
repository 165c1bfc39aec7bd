"""The vaults of a server: each opened, scanned and watched on threads of its own, and kept for whoever asks."""

from __future__ import annotations

import builtins
import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from typing import Protocol

from jupyter_kb.errors import IndexUnavailableError, KBError, VaultNotFoundError
from jupyter_kb.markdown.nearest import nearest
from jupyter_kb.models import VaultInfo
from jupyter_kb.operations import Operations

_log = logging.getLogger(__name__)

_RETRY = 5.0
"""Seconds after which a vault that could not be opened is tried again, when somebody asks for it."""


class Opened(Operations, Protocol):
    """A vault that can be asked, and closed."""

    def close(self) -> None:
        """Let go of it."""


Opener = Callable[[str, Path], Opened]


class Vault:
    """One of them. Safe to use from several threads."""

    def __init__(self, name: str, root: Path, opener: Opener) -> None:
        self.name, self.root = name, root
        self._opener = opener
        self._lock = threading.Lock()
        self._opened: Future[Opened] | None = None
        self._failed = 0.0  # when it last could not be opened
        self._closed = False

    def open(self) -> Future[Opened]:
        """Begin to open it on a thread, unless that is done or under way."""
        with self._lock:
            current = self._opened
            if current is not None:
                failed = current.done() and current.exception() is not None
                if self._closed or not failed or time.monotonic() - self._failed < _RETRY:
                    return current
            future: Future[Opened] = Future()
            self._opened = future
            if self._closed:
                future.set_exception(_stopping())
            else:
                threading.Thread(target=self._open, args=(future,), name=f"kb-open {self.name}", daemon=True).start()
            return future

    def get(self) -> Opened:
        """It, opened; waits for that.

        Raises
        ------
        KBError : it cannot be opened, or the server is stopping.
        """
        return self.open().result()

    def info(self, *, is_default: bool, contents_path: str | None) -> VaultInfo:
        """What a list says of it, without waiting."""
        opened = self._opened
        error = opened.exception() if opened is not None and opened.done() else None
        return VaultInfo(
            name=self.name,
            root=str(self.root),
            is_default=is_default,
            ready=opened is not None and opened.done() and error is None,
            problem=str(error) if error is not None else None,
            contents_path=contents_path,
        )

    def close(self) -> None:
        """Let go of it. Who waits for it is told that the server stops."""
        with self._lock:
            self._closed = True
            opened = self._opened
        if opened is None or _settle(opened, _stopping()):
            return  # if it is being opened, that thread closes it
        if opened.exception() is None:
            opened.result().close()

    def _open(self, future: Future[Opened]) -> None:
        try:
            opened = self._opener(self.name, self.root)
        except Exception as error:
            if isinstance(error, KBError):
                _log.error("the vault %s cannot be opened: %s", self.name, error)
            else:
                _log.exception("the vault %s cannot be opened", self.name)
                error = IndexUnavailableError(f"the vault '{self.name}' cannot be opened", hint="the log says why")
            self._failed = time.monotonic()
            _settle(future, error)
            return
        if not _settle(future, opened):
            opened.close()  # the server stopped meanwhile


class Vaults:
    """All of them, by name, as the REST API and MCP ask for them.

    `contents_path` tells where Jupyter's contents API has a folder.
    """

    def __init__(
        self,
        folders: Mapping[str, Path],
        default: str,
        opener: Opener,
        contents_path: Callable[[Path], str | None] = lambda folder: None,
    ) -> None:
        self.default = default
        self._contents_path = contents_path
        self._vaults = {name: Vault(name, root, opener) for name, root in folders.items()}

    def start(self) -> None:
        """Begin to open all."""
        for vault in self._vaults.values():
            vault.open()

    def list(self) -> tuple[VaultInfo, ...]:
        """What there is, whether or not it is open yet."""
        return tuple(
            vault.info(is_default=name == self.default, contents_path=self._contents_path(vault.root))
            for name, vault in self._vaults.items()
        )

    def get(self, name: str) -> Operations:
        """One of them; waits until it is open.

        Raises
        ------
        VaultNotFoundError : there is none of that name; `details["suggestions"]` holds near ones.
        KBError : it cannot be opened, or the server is stopping.
        """
        return self.named(name).get()

    def named(self, name: str) -> Vault:
        """One of them, opened or not; raises as `get` does for a name that no vault has."""
        try:
            return self._vaults[name]
        except KeyError:
            near = nearest(name, self._vaults)
            hint = f"did you mean '{near[0]}'?" if near else None
            raise VaultNotFoundError(f"there is no vault '{name[:80]}'", hint=hint, suggestions=near) from None

    def close(self, seconds: float) -> bool:
        """Let go of all at the same time; False when one is not done after so long."""
        threads = [
            threading.Thread(target=_close, args=(vault,), name=f"kb-close {vault.name}", daemon=True)
            for vault in self._vaults.values()
        ]
        for thread in threads:
            thread.start()
        return joined(threads, seconds)


def joined(threads: builtins.list[threading.Thread], seconds: float) -> bool:
    """Wait for threads to end; False when one still runs after so long."""
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)


def _close(vault: Vault) -> None:
    try:
        vault.close()
    except Exception:  # the others have to be closed all the same
        _log.exception("the vault %s was not closed well", vault.name)


def _settle(future: Future[Opened], outcome: Opened | Exception) -> bool:
    """Whether the future had no outcome before."""
    try:
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    except InvalidStateError:
        return False
    return True


def _stopping() -> IndexUnavailableError:
    return IndexUnavailableError("the server is stopping")
