"""Learning of changes in a vault's folders as they happen, through watchfiles.

The system tells which names changed. It does not tell everything, and watchfiles keeps it to itself when the system's
queue ran over. So single notes are reported where the news is clear, and everything is to be looked at where it is not:
after many changes at once, a change of a folder or of the rules, an error, a pause of this process, and now and then.

Only folders in which notes may lie are watched, each by itself, and no link is followed: what happens in `node_modules`
costs nothing.
"""

from __future__ import annotations

import atexit
import logging
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from jupyter_kb.errors import VaultNotFoundError
from jupyter_kb.vault import ignore
from jupyter_kb.vault.mounts import network_mount
from jupyter_kb.vault.paths import is_text
from jupyter_kb.vault.vault import Vault

_log = logging.getLogger(__name__)

State = Literal["stopped", "starting", "watching", "polling", "lost"]

QUIET_MS = 50
"""Changes are told once none has been added for so long."""
DEBOUNCE_MS = 300
"""They are told after so long even if they go on."""
BURST = 100
"""So many notes at once are not told one by one."""

_BURST_QUIET_MS = 100
_BURST_SECONDS = 3.0
_CHECK_MS = 1000
# A queue of the system's holds 16,384 events, four for a file that is written: after so many distinct ones, some of the
# rest may be lost.
_FLOOD = 2048
_PAUSE_SECONDS = 2.0
_LOST_SECONDS = 0.5
_FAILURE_SECONDS = 10.0
_MOST_FAILURES = 5
# The folder list and, in it, each folder by name; other systems watch a tree as a whole.
_WHOLE_TREE = sys.platform in ("darwin", "win32")


@dataclass(kw_only=True)
class News:
    """What a batch of changes comes to: notes by their keys, or `whole`, to look at everything; `anew`: folders too."""

    keys: set[str] = field(default_factory=set)
    whole: bool = False
    anew: bool = False


class _CannotWatchError(Exception):
    """The system refuses to tell of changes."""


class Watcher:
    """Calls `update(keys)` for single notes that changed and `scan()` when everything is to be looked at, on a thread.

    At the start, and whenever changes may have been missed, comes a scan. Both calls may raise; a scan follows later.

    Parameters
    ----------
    polling : only call `scan`, every `poll_seconds` (later where a scan takes long); None: for network folders only.
    safety_seconds : how often to look at everything although nothing gave cause.
    """

    def __init__(
        self,
        vault: Vault,
        update: Callable[[Sequence[str]], object],
        scan: Callable[[], object],
        *,
        polling: bool | None = None,
        poll_seconds: float = 2.0,
        safety_seconds: float = 300.0,
    ) -> None:
        self.state: State = "stopped"
        self._vault = vault
        self._update = update
        self._scan = scan
        self._polling = polling
        self._poll_seconds = poll_seconds
        self._safety_seconds = safety_seconds
        self._certain = False
        self._updating = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    # ── life ────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Begin, on a thread of its own; returns at once. Once only."""
        self.state = "starting"
        self._thread = threading.Thread(target=self._run, name="kb-watch", daemon=True)
        # The end of the program waits for an update that is under way.
        atexit.register(self.stop)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; waits for a call of `update` or `scan` that is under way."""
        self._stop.set()
        atexit.unregister(self.stop)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def settled(self, wait: float | None = None) -> bool:
        """Whether every change older than the time of grouping was handed on; waits for an `update` that is under way.

        Past `wait` seconds (None: no limit) the answer is no.
        """
        if not self._certain or not self._updating.acquire(timeout=-1 if wait is None else wait):
            return False
        self._updating.release()
        return self._certain

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            begin = time.monotonic()
            try:
                pause = self._poll() if self._must_poll() else self._watch()
                failures = 0
            except VaultNotFoundError:
                self.state = "lost"
                pause = _LOST_SECONDS
            except Exception as error:  # the watch ends only when it is told to
                failures = failures + 1 if time.monotonic() - begin < _FAILURE_SECONDS else 1
                pause = min(0.1 * 2**failures, 30.0)
                self._failed(error, failures)
            finally:
                self._certain = False
            self._stop.wait(pause)
        self.state = "stopped"

    def _failed(self, error: Exception, times: int) -> None:
        of_the_watch = isinstance(error, WatchfilesRustInternalError | OSError)
        if isinstance(error, _CannotWatchError) or (of_the_watch and times >= _MOST_FAILURES):
            self._polling = True
            _log.warning(
                "the system does not tell of changes in the vault %s, which is looked at every few seconds instead: %s",
                self._vault.name,
                error,
            )
        elif of_the_watch or times > 1:
            _log.debug("watching the vault %s begins anew: %s", self._vault.name, error)
        else:
            _log.error("the index could not follow a change in the vault %s", self._vault.name, exc_info=error)

    # ── polling ─────────────────────────────────────────────────────────────────────────────────

    def _must_poll(self) -> bool:
        if self._polling is not None:
            return self._polling
        root = self._vault.root
        # watchfiles takes no name that is not proper Unicode
        return not is_text(str(root)) or network_mount(root, self._vault.rules().walks) is not None

    def _poll(self) -> float:
        begin = time.monotonic()
        self._scan()
        self.state = "polling"
        return max(self._poll_seconds, 20 * (time.monotonic() - begin))

    # ── watching ────────────────────────────────────────────────────────────────────────────────

    def _watch(self) -> float:
        """Until the folders to watch are others. Returns how long to pause before the next time, in seconds."""
        begin = time.monotonic()
        root = self._identity()
        folders = self._vault.folders()
        with self._notify(folders) as notify:
            self._scan()
            ready = time.monotonic()
            if self._stop.is_set():
                return 0
            if _WHOLE_TREE or self._vault.folders() == folders:  # else one came before its parent was watched
                self.state = "watching"
                self._certain = True
                self._serve(notify, folders, root)
        # Folders that come and go all the time must not take all the time.
        return min(max(4 * (ready - begin) - (time.monotonic() - ready), 0), 2.0)

    def _notify(self, folders: frozenset[str]) -> RustNotify:
        root = str(self._vault.root)
        paths = [root] if _WHOLE_TREE else [os.path.join(root, folder) if folder else root for folder in folders]
        try:
            # Permissions are not ignored: with that option the limit on watches is passed over in silence too.
            return RustNotify(paths, False, False, 0, _WHOLE_TREE, False)
        except (FileNotFoundError, PermissionError):  # it went since it was listed
            raise
        except (OSError, WatchfilesRustInternalError, UnicodeError) as error:
            raise _CannotWatchError(str(error)) from error

    def _serve(self, notify: RustNotify, folders: frozenset[str], root: tuple[int, int]) -> None:
        next_check, next_safety = time.monotonic(), time.monotonic() + self._safety_seconds
        seen = time.monotonic()
        while True:
            found = notify.watch(DEBOUNCE_MS, QUIET_MS, _CHECK_MS, self._stop)
            now = time.monotonic()
            # This process may have been stopped for a while, and the system's queue may have run over.
            paused = now - seen > (_CHECK_MS + DEBOUNCE_MS) / 1000 + _PAUSE_SECONDS
            seen = now
            if found in ("stop", "signal"):
                return
            if now >= next_check:
                next_check = now + _CHECK_MS / 1000
                if self._identity() != root:  # renaming a folder above it is no event
                    return
            if paused or now >= next_safety:
                next_safety = now + self._safety_seconds
                self._certain = False
                self._scan()
                if not _WHOLE_TREE and self._vault.folders() != folders:
                    return
                self._certain = True
                seen = time.monotonic()
            if not isinstance(found, str) and not self._told(notify, found, folders):
                return

    def _told(self, notify: RustNotify, found: set[tuple[int, str]], folders: frozenset[str]) -> bool:
        """Hand on a batch of changes. False: the folders must be watched anew."""
        with self._updating:
            news = sift(found, self._vault, folders)
            self._certain = not news.whole
            if not news.whole:
                if news.keys:
                    self._update(sorted(news.keys))
                return True
        deadline = time.monotonic() + _BURST_SECONDS
        while time.monotonic() < deadline:
            more = notify.watch(_CHECK_MS, _BURST_QUIET_MS, 2 * _BURST_QUIET_MS, self._stop)
            if isinstance(more, str):
                break
            found |= more
        if sift(found, self._vault, folders).anew or self._stop.is_set():
            return False
        self._scan()
        self._certain = True
        return True

    def _identity(self) -> tuple[int, int]:
        """Which folder stands at the root now. Raises VaultNotFoundError if there is none."""
        try:
            found = os.lstat(self._vault.root)
        except OSError:
            found = None
        if found is None or not stat.S_ISDIR(found.st_mode):
            raise VaultNotFoundError(f"vault path '{self._vault.root}' does not exist")
        return found.st_dev, found.st_ino


def sift(found: set[tuple[int, str]], vault: Vault, folders: frozenset[str]) -> News:
    """What changes (kind and absolute path) mean for a vault of which these folders are watched."""
    rules = vault.rules()
    prefix = os.path.join(str(vault.root), "")
    news = News()
    for change, path in found:
        key = path[len(prefix) :].replace(os.sep, "/")
        name = key.rpartition("/")[2]
        if key in folders or key == ignore.FILE_NAME or name == ignore.VIRTUAL_ENVIRONMENT_MARK:
            news.anew = True  # the root's key is ""
        elif "\\" in name and os.sep != "\\":
            news.whole |= rules.file_is_in(key, name)
        elif rules.holds(key):
            news.keys.add(key)
            news.anew |= change != Change.deleted and _is_folder(path)
        elif change != Change.deleted and rules.walks(key) and _is_folder(path):
            news.anew = True
    # On a file system that takes `a.md` and `A.md` for the same, only a listing tells how the note is spelled now.
    clash = len({key.casefold() for key in news.keys}) < len(news.keys)
    news.anew |= len(found) > _FLOOD
    news.whole |= news.anew or clash or len(news.keys) > BURST
    return news


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
