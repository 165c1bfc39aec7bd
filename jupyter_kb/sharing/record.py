"""owner.json: how to reach the process that owns an index. Lies beside the index and is for its user alone (0600).

It is a hint and no proof: what counts is the lock. A record that is old, damaged or open to others is passed over.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

NAME = "owner.json"
_MOST_BYTES = 1 << 16
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, kw_only=True)
class OwnerRecord:
    """`url` is the address of the owner's API on this machine, `token` the secret that it takes, `started` in seconds
    since 1970."""

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
    temporary = folder / f".{NAME}-{secrets.token_hex(8)}.tmp"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(record), file)
        os.replace(temporary, folder / NAME)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def read(folder: Path) -> OwnerRecord | None:
    """The record, if it is this user's, closed to others, whole, and of a process that runs; None otherwise."""
    try:
        handle = os.open(folder / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            return None
        try:
            record = _parsed(json.loads(file.read(_MOST_BYTES)))
        except (OSError, ValueError, RecursionError):
            return None
    return record if record is not None and _runs(record.pid) else None


def remove(folder: Path, record: OwnerRecord | None = None) -> None:
    """Take the record away; only the given one, where one is given."""
    if record is not None and read(folder) != record:
        return
    with contextlib.suppress(OSError):
        (folder / NAME).unlink()


def _parsed(data: Any) -> OwnerRecord | None:
    if not isinstance(data, dict):
        return None
    pid, url, token, started = (data.get(name) for name in ("pid", "url", "token", "started"))
    if type(pid) is not int or pid <= 0 or not isinstance(url, str) or not isinstance(token, str):
        return None
    if not isinstance(started, int | float) or not token.isascii() or not token.isprintable():
        return None
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK or parts.port is None:
        return None
    return OwnerRecord(pid=pid, url=url, token=token, started=float(started))


def _runs(pid: int) -> bool:
    """Whether there is such a process of this user's; its number may be another one's by now."""
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True
