"""Waiting for what a thread or another process brings about."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(condition: Callable[[], object], *, seconds: float = 30.0) -> None:
    """Look again and again until it holds. A loaded machine takes its time; only what never comes fails."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)
