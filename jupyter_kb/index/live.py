"""An index that follows its vault: news become updates and scans, and readers learn what they may rely on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_kb.index.indexer import Indexer
    from jupyter_kb.models import Watching
    from jupyter_kb.settings import Settings
    from jupyter_kb.vault.vault import Vault
    from jupyter_kb.vault.watch import State, Watcher

QUICK_SECONDS = 0.015
"""A comparison of disk and index that takes no longer is made at each read, watch or no watch."""
RARE = 300
"""A read makes one all the same when so many times its duration have passed since the last: 0.3 % of the time at most.
A comparison that was slow by chance thus decides for a few seconds only."""


_IN_WORDS: dict[State, Watching] = {
    "stopped": "off",
    "starting": "starting",
    "watching": "events",
    "polling": "polling",
    "lost": "lost",
}


class LiveIndex:
    """Keeps one index up to date while other programs change the notes, once started. Safe to use from several threads.

    How fresh a reader finds the index:

    - In a small vault (comparing takes at most 15 ms), and wherever the watch is not sure of itself (at its start,
      while many files change, when a folder came or went, after an error, where it can only poll), a read compares the
      index with the disk first, as without a watch: it sees everything that was written before it.
    - Otherwise, unless the last comparison was long ago for what it takes, a read relies on the watch, and waits for an
      update that is under way. It sees everything that was written at least 0.1 s before it, or 0.4 s if files keep
      changing (`watch.QUIET_MS`, `watch.DEBOUNCE_MS`); the latter is the bound.
    - Edits of this process are in the index when their call returns, always.
    """

    def __init__(self, vault: Vault, indexer: Indexer, scan: Callable[[], object], settings: Settings) -> None:
        self._vault = vault
        self._indexer = indexer
        self._scan = scan
        self._mode = settings.watch
        self._lock = threading.Lock()
        self._watcher: Watcher | None = None
        self._ended = False

    @property
    def state(self) -> State:
        """What the watch does now; `stopped` before it starts as well."""
        watcher = self._watcher
        return watcher.state if watcher is not None else "stopped"

    @property
    def watching(self) -> Watching:
        """The same in words for people who look after a vault."""
        return _IN_WORDS[self.state]

    def start(self) -> None:
        """Watch, and scan, on a thread; returns at once. Nothing happens with the setting `off` or a second time."""
        with self._lock:
            if self._mode == "off" or self._watcher is not None or self._ended:
                return
            from jupyter_kb.vault.watch import Watcher  # late: most commands do not watch

            polling = True if self._mode == "poll" else None
            self._watcher = Watcher(self._vault, self._indexer.update, self._scan, polling=polling)
            self._watcher.start()

    def stop(self) -> None:
        """End the thread. A scan that it is in must have been told to stop."""
        with self._lock:
            self._ended = True
            watcher = self._watcher
        if watcher is not None:
            watcher.stop()

    def is_current(self, wait: float | None = None) -> bool:
        """Whether a read needs no scan of its own. Waits, at most `wait` seconds, for an update that is under way."""
        watcher = self._watcher
        seconds, when = self._indexer.compared
        if watcher is None or seconds <= QUICK_SECONDS or time.perf_counter() - when > RARE * seconds:
            return False
        return watcher.settled(wait)
