"""One writer at a time for each note, among the threads of this process and among processes of the same user.

Lock files lie in a folder of the user's own, never in the vault, and stay there: removing one while somebody waits
for it would split the lock in two. They are empty. Programs that know nothing of them are caught by comparing the
note's bytes just before it is replaced.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout
from jupyter_core.paths import jupyter_runtime_dir

from jupyter_kb.errors import WriteFailedError

_POLL_SECONDS = 0.005
_guard = threading.Lock()
_threads: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()


@contextmanager
def lock(path: Path, *, timeout: float) -> Iterator[None]:
    """Hold the note at `path` (absolute, free of links) alone; wait at most `timeout` seconds. Not re-entrant.

    Raises
    ------
    WriteFailedError : somebody else still holds it, or there is no folder to put a lock file into.
    """
    name = hashlib.blake2b(os.fsencode(path), digest_size=20).hexdigest()
    deadline = time.monotonic() + timeout
    with _guard:
        among_threads = _threads.setdefault(name, threading.Lock())
    if not among_threads.acquire(timeout=max(timeout, 0)):
        raise _busy(path, timeout)
    try:
        try:
            among_processes = FileLock(_folder() / f"{name}.lock", mode=0o600)
            among_processes.acquire(timeout=max(deadline - time.monotonic(), 0), poll_interval=_POLL_SECONDS)
        except Timeout:
            raise _busy(path, timeout) from None
        except OSError as error:
            raise WriteFailedError(
                f"file '{path.name}' could not be locked: {error.strerror or error}",
                hint="Jupyter's runtime folder must be writable: `jupyter --paths` shows where it is",
            ) from error
        try:
            yield
        finally:
            among_processes.release()
    finally:
        among_threads.release()


def _folder() -> Path:
    """The user's folder of lock files: in Jupyter's runtime folder, or a temporary one where that is closed."""
    folder = Path(jupyter_runtime_dir()) / "kb-locks"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"jupyter-kb-locks-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    # The place is open to all: somebody else's folder of that name could hold our locks hostage.
    if hasattr(os, "getuid") and (not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid()):
        raise PermissionError(1, f"{folder} belongs to somebody else")
    return folder


def _busy(path: Path, timeout: float) -> WriteFailedError:
    return WriteFailedError(
        f"file '{path.name}' is being written by somebody else (waited {timeout:g} s)",
        hint="nothing was changed; send the same request again",
    )
