"""One scan at a time, and what others learn of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.events import EventBus
from jupyter_kb.index import indexer
from jupyter_kb.index.database import Database
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.index.scanning import Progress, Scanning
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault


@pytest.fixture
def scanning(tmp_path: Path) -> Iterator[Scanning]:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text("# Note\n")
    vault, settings = Vault(tmp_path), Settings()
    with Database(None) as database:
        yield Scanning(vault, Indexer(vault, database, EventBus(), settings), settings)


def test_a_scan_tells_how_far_it_is_while_it_runs(scanning: Scanning) -> None:
    seen: list[tuple[tuple[int, int], tuple[int, int] | None]] = []

    result = scanning.scan(lambda done, total: seen.append(((done, total), scanning.progress)))

    assert result.added == 3
    assert seen[-1] == ((3, 3), (3, 3))
    assert scanning.progress is None


def test_a_scan_tells_how_long_it_will_still_take(scanning: Scanning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "BATCH_NOTES", 1)
    seen: list[float] = []

    def follow(done: int, total: int) -> None:
        deadline = time.monotonic() + 10
        while not seen and 1 < done < total and time.monotonic() < deadline:
            if (left := scanning.seconds_left) is not None:
                seen.append(left)

    scanning.scan(follow)

    assert len(seen) == 1
    assert 0 < seen[0] < 10
    assert scanning.seconds_left is None


def test_a_scan_that_a_read_begins_tells_how_far_it_is_too(scanning: Scanning, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int] | None] = []
    tell = scanning._indexer._tell

    def told(done: int, total: int, progress: Progress | None) -> None:
        tell(done, total, progress)
        seen.append(scanning.progress)

    monkeypatch.setattr(scanning._indexer, "_tell", told)
    assert scanning.refresh(None) is None

    assert seen == [(0, 3), (3, 3)]
    assert scanning.progress is None


def test_who_will_not_wait_learns_how_far_somebody_elses_scan_is(scanning: Scanning) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def hold(done: int, total: int) -> None:
        inside.set()
        assert go_on.wait(20)

    running = threading.Thread(target=lambda: scanning.scan(hold))
    running.start()
    try:
        assert inside.wait(20)
        assert scanning.refresh(0.0) == (0, 3)
        assert scanning.refresh(0.01) == (0, 3)
    finally:
        go_on.set()
        running.join(20)
    assert scanning.refresh(0.0) is None


def test_who_enters_lets_no_scan_begin(scanning: Scanning) -> None:
    with scanning:
        assert scanning.refresh(0.0) == (0, 0)

    assert scanning.refresh(None) is None


def test_a_first_scan_is_done_once(scanning: Scanning, tmp_path: Path) -> None:
    scanning.refresh_once()
    (tmp_path / "late.md").write_text("# Late\n")
    scanning.refresh_once()

    assert scanning.scan().added == 1


def test_one_scan_serves_all_who_asked_before_it_began(scanning: Scanning, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, all_asked, scans = threading.Semaphore(0), threading.Event(), []
    scan = scanning._indexer.scan

    def counted(progress: Any) -> Any:
        scans.append(1)
        all_asked.wait(30)
        return scan(progress)

    def is_current(wait: float | None) -> bool:
        asked.release()
        return False

    monkeypatch.setattr(scanning._indexer, "scan", counted)
    monkeypatch.setattr(scanning.live, "is_current", is_current)
    readers = [threading.Thread(target=scanning.refresh, args=(None,)) for _ in range(6)]
    for reader in readers:
        reader.start()
    for _ in readers:
        assert asked.acquire(timeout=30)
    all_asked.set()
    for reader in readers:
        reader.join(30)

    assert len(scans) == 2  # the one that the first reader began, and one for all the others
