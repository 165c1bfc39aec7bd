"""Who owns an index: a lock on a file beside it, which the system takes back from a process that dies, however it dies.

Imports no database, so that a process that finds the index taken starts quickly.
"""

from __future__ import annotations

from pathlib import Path

import filelock

from jupyter_kb.errors import IndexUnavailableError

OWNED = "another process owns the index: this one works on its own, in memory"
"""Why an index is in memory that another process owns."""


class IndexOwnedError(IndexUnavailableError):
    """Another process owns the index: ask it, or work on an index in memory."""

    code = "index-owned"


def own(path: Path) -> filelock.BaseFileLock:
    """Take a database file for this process; releasing the lock gives it back.

    DuckDB's own lock is not enough: it vanishes when anything in the process opens and closes the file.

    Raises
    ------
    IndexOwnedError : another process has it, or another owner in this one.
    OSError : the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = filelock.FileLock(path.with_name(path.name + ".lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        raise IndexOwnedError(f"another process uses the index {path}") from None
    return lock


def unusable(error: OSError) -> str:
    """Why an index is in memory whose folder cannot be used."""
    return f"the index folder cannot be used ({error.strerror or error}): this process works in memory"
