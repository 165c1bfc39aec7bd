"""The files of a database: what lies beside it, which process owns it, and what only looks like a file."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path

import filelock

from jupyter_kb.errors import IndexUnavailableError


class IndexOwnedError(IndexUnavailableError):
    """Another process owns the index: ask it, or work on an index in memory."""

    code = "index-owned"


def own(path: Path) -> filelock.BaseFileLock:
    """Take the file for this process; its folder is made where there is none.

    DuckDB's own lock is not enough: it vanishes when anything in the process opens and closes the file.

    Raises
    ------
    IndexOwnedError : another process has it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(beside(path, ".lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        raise IndexOwnedError(f"another process uses the index {path}") from None
    return lock


def beside(path: Path, suffix: str) -> Path:
    """The file that belongs to another one, by its name."""
    return path.with_name(path.name + suffix)


def scratch() -> Path:
    """A name for a folder that DuckDB makes when it needs one, and takes away when it closes."""
    return Path(tempfile.gettempdir(), f"jupyter-kb-{os.getpid()}-{secrets.token_hex(8)}")


def is_file(path: Path) -> bool:
    """Whether it is, or may become, a file with content; pipes, sockets, devices and folders may not. Opens nothing."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True
