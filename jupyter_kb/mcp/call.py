"""What a tool is given besides its arguments: the vault, who asks, and the texts that were handed out before."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_kb.operations import Operations


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A text as it was handed out; `own` where sub-sections were left out of it."""

    text: str
    own: bool


class Readings:
    """The texts that were handed out last, by hash: so a conflict can show what changed since the read."""

    def __init__(self, *, capacity: int = 4_000_000) -> None:
        self._texts: OrderedDict[str, Reading] = OrderedDict()
        self._capacity = capacity
        self._size = 0
        self._lock = threading.Lock()

    def remember(self, content_hash: str, text: str, *, own: bool = False) -> None:
        """Keep a text until `capacity` characters of newer ones have come."""
        with self._lock:
            old = self._texts.pop(content_hash, None)
            self._size += len(text) - (len(old.text) if old else 0)
            self._texts[content_hash] = Reading(text=text, own=own)
            while self._size > self._capacity and len(self._texts) > 1:
                self._size -= len(self._texts.popitem(last=False)[1].text)

    def find(self, prefix: str) -> Reading | None:
        """The one text whose hash begins so; None when there is none, or more than one."""
        with self._lock:
            found = [reading for content_hash, reading in self._texts.items() if content_hash.startswith(prefix)]
        return found[0] if len(found) == 1 and prefix else None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a tool.

    `actor` is who asks, for the record of edits; `reader` tells callers apart, so that each is told of every change
    that is not its own, once.
    """

    operations: Operations
    readings: Readings = field(default_factory=Readings)
    actor: str = "local"
    reader: str = ""
