"""Waiting for a room has an end, and who gave up changes nothing later. The rooms here are made to fail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_kb.errors import WriteFailedError
from jupyter_kb.server.rooms import EXTENSION, Rooms


class Loop:
    """An event loop on a thread of its own, with a server on it that has the given rooms."""

    def __init__(self, root: Path, rooms: dict[str, Any]) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        app = SimpleNamespace(ywebsocket_server=SimpleNamespace(rooms=rooms))
        manager = SimpleNamespace(extension_apps={EXTENSION: [app]})
        contents = SimpleNamespace(get=lambda path, **_: {"last_modified": 1, "hash": "h"})
        server: Any = SimpleNamespace(extension_manager=manager, root_dir=str(root), contents_manager=contents)
        self.rooms = Rooms(server)
        self.do(self._start)

    async def _start(self) -> None:
        self.rooms.start()

    def do(self, function: Any) -> Any:
        """What a coroutine function gives on the loop."""
        return asyncio.run_coroutine_threadsafe(function(), self.loop).result(30)

    async def _end(self) -> None:
        while self.rooms._tasks:
            await asyncio.sleep(0)

    def close(self) -> None:
        self.do(self._end)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(30)
        self.loop.close()


class Document:
    """As much of a document as is asked for."""

    def __init__(self, text: str) -> None:
        self.source, self.dirty, self.hash = text, True, ""


def room(path: str, text: str = "old\n", *, ready: bool = True) -> Any:
    observed = asyncio.Event()
    observed.set()
    loader = SimpleNamespace(path=path, last_modified=1, _lock=asyncio.Lock())
    return SimpleNamespace(
        ready=ready, ydoc_observed=observed, _file=loader, _update_lock=asyncio.Lock(), _document=Document(text)
    )


@contextmanager
def served(root: Path, rooms: dict[str, Any]) -> Iterator[Loop]:
    loop = Loop(root, rooms)
    try:
        yield loop
    finally:
        loop.close()


def test_a_room_that_stays_locked_is_given_up_and_left_alone(tmp_path: Path) -> None:
    held = room("n.md")
    with served(tmp_path, {"text:file:1": held}) as loop:
        loop.do(held._file._lock.acquire)

        with pytest.raises(WriteFailedError, match=r"does not answer \(waited 0.1 s\)"), opened(loop, tmp_path, 0.1):
            pass

        async def let_go() -> bool:
            held._file._lock.release()
            for _ in range(20):
                await asyncio.sleep(0)
            return bool(held._file._lock.locked())

        assert loop.do(let_go) is False


def test_a_room_that_is_never_filled_is_given_up(tmp_path: Path) -> None:
    with (
        served(tmp_path, {"text:file:1": room("n.md", ready=False)}) as loop,
        pytest.raises(WriteFailedError, match="does not answer"),
        opened(loop, tmp_path, 0.1),
    ):
        pass


def test_a_change_that_was_given_up_does_not_happen_later(tmp_path: Path) -> None:
    held = room("n.md")
    with served(tmp_path, {"text:file:1": held}) as loop, opened(loop, tmp_path, 0.2) as document:
        loop.do(held._update_lock.acquire)
        with pytest.raises(WriteFailedError, match="does not answer"):
            document.put("old\n", "new\n")

        async def let_go() -> None:
            held._update_lock.release()
            for _ in range(20):
                await asyncio.sleep(0)

        loop.do(let_go)
        assert held._document.source == "old\n"  # a change would have failed: this document has no text of its own


def test_a_room_is_let_go_when_the_edit_is_done_or_fails(tmp_path: Path) -> None:
    held = room("n.md")
    with served(tmp_path, {"text:file:1": held}) as loop:

        def edit() -> None:
            with opened(loop, tmp_path, 5.0):
                assert held._file._lock.locked()
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            edit()

        async def free() -> None:
            async with held._file._lock:
                pass

        loop.do(free)


def test_two_editors_that_know_nothing_of_each_other_allow_no_edit(tmp_path: Path) -> None:
    rooms = {"text:file:1": room("n.md"), "text:other:1": room("n.md")}
    with (
        served(tmp_path, rooms) as loop,
        pytest.raises(WriteFailedError, match="2 ways"),
        opened(loop, tmp_path, 5.0),
    ):
        pass


def test_rooms_of_other_files_and_of_no_file_are_passed_over(tmp_path: Path) -> None:
    rooms = {"text:file:1": room("other.md"), "JupyterLab:globalAwareness": object(), "json:notebook:2": room("n.md")}
    with served(tmp_path, rooms) as loop, opened(loop, tmp_path, 5.0) as document:
        assert document is None


def test_a_link_on_the_way_to_the_file_is_seen_through(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vault")
    with (
        served(tmp_path, {"text:file:1": room("link/n.md")}) as loop,
        opened(loop, tmp_path / "vault", 5.0) as document,
    ):
        assert document is not None
        assert document.text() == "old\n"


def test_a_server_whose_loop_has_ended_is_no_place_to_wait_for(tmp_path: Path) -> None:
    with served(tmp_path, {"text:file:1": room("n.md")}) as loop:
        pass
    with pytest.raises(WriteFailedError, match="stopping"), opened(loop, tmp_path, 5.0):
        pass


def test_the_event_loop_does_not_wait_for_itself(tmp_path: Path) -> None:
    with served(tmp_path, {"text:file:1": room("n.md")}) as loop:

        async def edit() -> None:
            with opened(loop, tmp_path, 5.0):
                pass

        with pytest.raises(RuntimeError, match="event loop"):
            loop.do(edit)


def opened(loop: Loop, folder: Path, timeout: float) -> Any:
    return loop.rooms.opened(folder.resolve() / "n.md", timeout=timeout)
