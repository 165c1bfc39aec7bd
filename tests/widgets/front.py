"""The other end of a widget's channel: keeps what the kernel sends, and sends what a page would."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from comm.base_comm import BaseComm

SECONDS = 20.0
"""How long anything may take before a test fails; a loaded machine is no failure."""


class Channel(BaseComm):
    """A channel whose kernel's messages are kept, each with the thread that sent it."""

    front: Front

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
    ) -> None:
        """Keep a message."""
        self.front.sent.append((threading.current_thread(), data or {}))


class Front:
    """What the kernel sent, in its order."""

    def __init__(self) -> None:
        self.sent: list[tuple[threading.Thread, dict[str, Any]]] = []

    def open(self, *arguments: Any, **options: Any) -> Channel:
        """A channel, as a widget asks for it."""
        channel: type[Channel] = type("Channel", (Channel,), {"front": self})
        return channel(*arguments, **options)

    def updates(self) -> list[dict[str, Any]]:
        """The states that were sent after the widgets were made."""
        return [data["state"] for _, data in self.sent if data.get("method") == "update"]

    def set(self, widget: Any, **state: Any) -> None:
        """Change traits, as a page does."""
        widget._handle_msg(
            {"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}, "buffers": []}
        )

    def tell(self, widget: Any, kind: str, **content: Any) -> None:
        """Send a message, as a page does."""
        data = {"method": "custom", "content": {"kind": kind, **content}}
        widget._handle_msg({"content": {"data": data}, "buffers": []})


def until(condition: Callable[[], object]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + SECONDS
    gate = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        gate.wait(0.01)
