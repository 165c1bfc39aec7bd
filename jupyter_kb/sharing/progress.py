"""Long work that another process does: how far it is, and what came of it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from uuid import uuid4

from jupyter_kb.errors import KBError
from jupyter_kb.models import ScanResult

if TYPE_CHECKING:
    from jupyter_kb.models import Status
    from jupyter_kb.operations import Operations

Progress = Callable[[int, int], None]

_INTERVAL = 0.3  # seconds


@contextlib.contextmanager
def followed(
    operations: Operations, progress: Progress | None, read: Callable[[Status], tuple[int, int] | None]
) -> Iterator[None]:
    """While the block works, tell `progress` now and then what `read` finds in the status."""
    if progress is None:
        yield
        return
    over = threading.Event()

    def follow() -> None:
        while not over.wait(_INTERVAL):
            with contextlib.suppress(KBError):
                found = read(operations.status())
                if found is not None and not over.is_set():
                    progress(*found)

    thread = threading.Thread(target=follow, name="kb-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def embedded(state: Status) -> tuple[int, int] | None:
    """Pieces of text with a vector, and all of them."""
    return (state.model.embedded, state.model.chunks) if state.model is not None else None


def scanned_by(operations: Operations) -> ScanResult:
    """A scan by another process, counted by a report of changes that nobody else reads."""
    begin = time.perf_counter()
    reader = uuid4().hex
    operations.reindex(reader=reader, fresh=False)
    report = operations.reindex(reader=reader)
    added, changed = len(report.files_added), len(report.files_changed)
    return ScanResult(
        added=added,
        changed=changed,
        removed=len(report.files_removed),
        unchanged=max(0, operations.status().notes - added - changed),
        seconds=time.perf_counter() - begin,
    )
