"""The files of a database: what lies beside it, and what only looks like a file."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path


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
