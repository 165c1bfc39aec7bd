"""Somebody who has a note open in JupyterLab with jupyter-collaboration: a client of its rooms as a browser is one."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any, Self

import pytest

from tests.server.jupyter import SECONDS, TOKEN, Jupyter

pycrdt = pytest.importorskip("pycrdt", reason="jupyter-collaboration is not installed")
websocket = pytest.importorskip("websocket", reason="the client of WebSockets is not installed")

EXTENSIONS = {"jupyter_server_ydoc": True, "jupyter_server_fileid": True}


class Editor:
    """A document in a room. `drop` loses the connection without losing what was typed."""

    def __init__(self, server: Jupyter, path: str) -> None:
        self.server, self.path = server, path
        self.doc = pycrdt.Doc(allow_multithreading=True)
        self.source: Any = self.doc.get("source", type=pycrdt.Text)
        self._changed = threading.Condition()
        self._answers = 0
        self.connect()

    # ── the connection ──────────────────────────────────────────────────────────────────────────

    def connect(self) -> None:
        """Enter the room, and wait until both sides hold the same."""
        body = {"format": "text", "type": "file"}
        headers = {"Authorization": f"token {TOKEN}"}
        answer = self.server.client.put(f"api/collaboration/session/{self.path}", json=body, headers=headers)
        assert answer.status_code in (200, 201), self.server.log
        session = answer.json()
        room = f"{session['format']}:{session['type']}:{session['fileId']}"
        address = f"{self.server.url.replace('http', 'ws', 1)}api/collaboration/room/{room}"
        self._socket = websocket.create_connection(
            f"{address}?sessionId={session['sessionId']}&token={TOKEN}", timeout=SECONDS, suppress_origin=True
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.arrive()

    def arrive(self) -> None:
        """Wait until the room has all that was typed, and this side all that the room has."""
        with self._changed:
            awaited = self._answers + 1
            self._socket.send_binary(pycrdt.create_sync_message(self.doc))
            assert self._changed.wait_for(lambda: self._answers >= awaited, SECONDS), self.server.log

    def _read(self) -> None:
        while True:
            try:
                message = self._socket.recv()
            except (OSError, websocket.WebSocketException):
                return  # closed, here or there
            if not message or not isinstance(message, bytes):
                return
            if message[0] != pycrdt.YMessageType.SYNC:
                continue
            with self._changed:
                reply = pycrdt.handle_sync_message(message[1:], self.doc)
                if reply is not None:
                    self._socket.send_binary(reply)
                self._answers += message[1] == pycrdt.YSyncMessageType.SYNC_STEP2
                self._changed.notify_all()

    def drop(self) -> None:
        """Leave the room."""
        self._socket.close()
        self._reader.join(SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()

    # ── the text ────────────────────────────────────────────────────────────────────────────────

    @property
    def text(self) -> str:
        """What the person sees."""
        with self._changed:
            return str(self.source)

    def type(self, characters: str, *, before: str) -> None:
        """Put characters just before others that are there once."""
        with self._changed:
            sent: list[bytes] = []
            listening = self.doc.observe(lambda event: sent.append(event.update))
            place = len(str(self.source).partition(before)[0].encode())
            assert before in str(self.source)
            with self.doc.transaction():
                self.source.insert(place, characters)
            self.doc.unobserve(listening)
            with contextlib.suppress(OSError, websocket.WebSocketException):  # a browser keeps what it cannot send
                for update in sent:
                    self._socket.send_binary(pycrdt.create_update_message(update))

    def until(self, wanted: Callable[[str], bool]) -> str:
        """Wait until the text is as wanted."""
        with self._changed:
            assert self._changed.wait_for(lambda: wanted(str(self.source)), SECONDS), str(self.source)
            return str(self.source)


class Typist:
    """Types one character after the other into an editor, until it is stopped."""

    def __init__(self, editor: Editor, *, before: str, pause: float = 0.01) -> None:
        self.typed = ""
        self._editor, self._before, self._pause = editor, before, pause
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._type, daemon=True)
        self._thread.start()

    def _type(self) -> None:
        while not self._stop.wait(self._pause):
            character = "abcdefghij"[len(self.typed) % 10] if len(self.typed) % 7 else "é"
            self._editor.type(character, before=self._before)
            self.typed += character

    def stop(self) -> str:
        """All that was typed."""
        self._stop.set()
        self._thread.join(SECONDS)
        return self.typed


def eventually(wanted: Callable[[], object], what: Callable[[], object]) -> None:
    """Look again until it holds."""
    deadline = time.monotonic() + SECONDS
    while not wanted():
        assert time.monotonic() < deadline, what()
        threading.Event().wait(0.02)
