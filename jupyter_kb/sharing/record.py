"""owner.json: how to reach the process that owns an index. Lies beside the index and is for its user alone (0600).

It is a hint and no proof: what counts is the lock. A record that is old, damaged or open to others is passed over.
"""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jupyter_kb.discovery import read_private, runs, write_private

NAME = "owner.json"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, kw_only=True)
class OwnerRecord:
    """`url` is the address of the owner's API on this machine, `token` the secret that it takes there, `started` in
    seconds since 1970."""

    pid: int
    url: str
    token: str = field(repr=False)
    started: float


def write(folder: Path, record: OwnerRecord) -> None:
    """Put the record in its place, whole or not at all.

    Raises
    ------
    OSError : the folder cannot be written.
    """
    write_private(folder / NAME, asdict(record))


def read(folder: Path) -> OwnerRecord | None:
    """The record, if it is this user's, closed to others, whole, and of a process that runs; None otherwise."""
    record = _parsed(read_private(folder / NAME))
    return record if record is not None and runs(record.pid) else None


def remove(folder: Path, record: OwnerRecord | None = None) -> None:
    """Take the record away; only the given one, where one is given."""
    if record is not None and read(folder) != record:
        return
    with contextlib.suppress(OSError):
        (folder / NAME).unlink()


def _parsed(data: dict[str, Any] | None) -> OwnerRecord | None:
    if data is None:
        return None
    pid, url, token, started = (data.get(name) for name in ("pid", "url", "token", "started"))
    if type(pid) is not int or not isinstance(url, str) or not isinstance(token, str):
        return None
    if not isinstance(started, int | float) or not (token.isascii() and token.isprintable()):
        return None
    try:
        parts = urlsplit(url)
        local = parts.scheme == "http" and parts.hostname in _LOOPBACK and parts.port is not None
    except ValueError:  # no number for a port
        return None
    return OwnerRecord(pid=pid, url=url, token=token, started=float(started)) if local else None
