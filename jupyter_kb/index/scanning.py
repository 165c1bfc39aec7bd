"""One scan at a time: who reads brings the index up to date first, or learns how far somebody else's scan is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from jupyter_kb.index.live import LiveIndex
from jupyter_kb.index.pace import Pace

if TYPE_CHECKING:
    from jupyter_kb.index.indexer import Indexer
    from jupyter_kb.models import ScanResult
    from jupyter_kb.settings import Settings
    from jupyter_kb.vault.vault import Vault

Progress = Callable[[int, int], None]


class Scanning:
    """The scans of one index. Entering it (`with`) waits for the one that is running and lets no other begin.

    Attributes
    ----------
    live : where the files are watched once it is started; a read then may need no scan.
    progress : notes done and in all of the scan that is running, None where none is (or it has found nothing to do).
    """

    def __init__(self, vault: Vault, indexer: Indexer, settings: Settings) -> None:
        self._indexer = indexer
        self._lock = threading.Lock()
        self.live = LiveIndex(vault, indexer, self.scan, settings)
        self.progress: tuple[int, int] | None = None
        self._pace = Pace()
        self._known = 0.0  # when the last scan that came to its end began

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the scan that is running will still take; None where none is, or where it has only begun."""
        return self._pace.seconds_left()

    def scan(self, progress: Progress | None = None) -> ScanResult:
        """Bring the index up to date with the disk; `progress(done, total)` counts notes."""
        with self._lock:
            return self._scan(progress)

    def _scan(self, progress: Progress | None = None) -> ScanResult:
        def follow(done: int, total: int) -> None:
            self.progress = (done, total)
            self._pace.tell(done, total)
            if progress is not None:
                progress(done, total)

        begun = time.perf_counter()
        try:
            result = self._indexer.scan(follow)
        finally:
            self.progress = None
            self._pace.stop()
        self._known = begun
        return result

    def refresh(self, wait: float | None) -> tuple[int, int] | None:
        """Scan before an indexed read, or rely on the watch.

        Past `wait` seconds of somebody else's scan: its progress, and no scan. One scan serves all who asked before it
        began.
        """
        asked = time.perf_counter()
        if self.live.is_current(wait):
            return None
        if not self._lock.acquire(timeout=-1 if wait is None else wait):
            return self.progress or (0, 0)
        try:
            if self._known <= asked:
                self._scan()
        finally:
            self._lock.release()
        return None

    def refresh_once(self) -> None:
        """Scan where that was never done; otherwise the index is taken as it is."""
        if self._indexer.last_scan is None:
            self.refresh(0.0)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
