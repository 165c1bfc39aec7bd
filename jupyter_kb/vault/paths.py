"""Names of notes, and folders held open so that no symbolic link is ever followed.

A check of a path followed by its use leaves a gap in which somebody may swap a folder for a link. So where the system
can, each folder below the root is opened through its parent, refusing links, and files are opened through their folder.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from jupyter_kb.errors import InvalidPathError

_THROUGH_FOLDERS = os.open in os.supports_dir_fd
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Non-blocking: a pipe or device that bears a note's name must not hold the reader up.
_READ = os.O_RDONLY | _NO_LINKS | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_FOLDER = os.O_RDONLY | _NO_LINKS | getattr(os, "O_DIRECTORY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS


ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
"""Numbers of the errors that say: there is no such file."""


class LinkRefusedError(OSError):
    """A symbolic link stands where a folder or file of the vault was meant."""


class NotRegularError(OSError):
    """A folder, pipe, socket or device stands where a file was meant."""


def shown(name: str) -> str:
    """A name that may hold undecodable bytes, as text that can be printed and sent."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def reason(error: OSError) -> str:
    """What the system said."""
    return error.strerror or type(error).__name__


LONGEST = 32_768
"""Characters; longer paths than this exist nowhere."""


def normalise(file: str) -> str:
    r"""The key of a note from the name in a request: `/p.md`, `./p.md`, `a//p.md` and `a\p.md` all work.

    Raises
    ------
    InvalidPathError : a `..` segment, a NUL, no segment at all, characters that no file name can hold, or too many.
    """
    if len(file) > LONGEST:
        raise InvalidPathError(
            f"file '{shown(file[:100])}…' is not a vault-relative path: it has {len(file)} characters",
            hint=f"a path has at most {LONGEST}",
        )
    segments = [segment for segment in file.replace("\\", "/").split("/") if segment not in ("", ".")]
    key = "/".join(segments)
    if not segments or ".." in segments or "\0" in key or not is_text(key) or (os.name == "nt" and ":" in key):
        raise InvalidPathError(
            f"file '{shown(file)}' is not a vault-relative path",
            hint="name a note by its path below the vault's folder, such as 'projects/plan.md'",
        )
    return key


def is_text(name: str) -> bool:
    """Whether a file name is proper Unicode; names that are not cannot be sent to anybody."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Folder:
    """One folder of a vault, held open. All methods take names directly inside it and raise OSError."""

    def __init__(self, path: str, handle: int | None) -> None:
        self.path = path
        self._handle = handle

    @classmethod
    def open(cls, root: Path, names: list[str]) -> Self:
        """Open `root` (already resolved) and then each of `names` below it, refusing links on the way."""
        folder = cls(str(root), os.open(root, _FOLDER) if _THROUGH_FOLDERS else None)
        for name in names:
            with folder:
                folder = folder.below(name)
        return folder

    def below(self, name: str) -> Self:
        """A folder in this one, opened. Raises LinkRefusedError for a link, NotADirectoryError for a file."""
        path = os.path.join(self.path, name)
        if self._handle is None:
            if not stat.S_ISDIR(self.lstat(name).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
            return type(self)(path, None)
        try:
            return type(self)(path, os.open(name, _FOLDER, dir_fd=self._handle))
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
                self.lstat(name)  # says so if it is a link: systems differ in how they refuse one
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def lstat(self, name: str) -> os.stat_result:
        """What stands under that name. Raises LinkRefusedError for a symbolic link (on Windows also a junction)."""
        if self._handle is None:
            found = os.lstat(os.path.join(self.path, name))
        else:
            found = os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == 0xA0000003:
            raise LinkRefusedError(errno.ELOOP, "it is a symbolic link", os.path.join(self.path, name))
        return found

    def open_file(self, name: str) -> int:
        """A descriptor for reading a regular file; the caller closes it."""
        path = os.path.join(self.path, name)
        _must_be_regular(self.lstat(name), path)
        handle = os.open(path, _READ) if self._handle is None else os.open(name, _READ, dir_fd=self._handle)
        try:
            _must_be_regular(os.fstat(handle), path)
            if sys.platform == "darwin":
                _must_be_spelled(handle, name)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def read(self, name: str, limit: int) -> bytes:
        """At most `limit` bytes of a regular file."""
        return self.read_dated(name, limit)[0]

    def read_dated(self, name: str, limit: int) -> tuple[bytes, float]:
        """At most `limit` bytes of a regular file, and its mtime in seconds since 1970, taken before they were read."""
        handle = self.open_file(name)
        try:
            modified = os.fstat(handle).st_mtime_ns / 1e9
            return read_all(handle, limit), modified
        finally:
            os.close(handle)

    def create(self, name: str, mode: int = 0o600) -> int:
        """A descriptor for writing a new file, by default one that only its owner may read; the caller closes it."""
        if self._handle is None:
            return os.open(os.path.join(self.path, name), _CREATE, mode)
        return os.open(name, _CREATE, mode, dir_fd=self._handle)

    def make(self, name: str) -> None:
        """Make a folder in this one."""
        if self._handle is None:
            os.mkdir(os.path.join(self.path, name))
        else:
            os.mkdir(name, dir_fd=self._handle)

    def link(self, source: str, target: str) -> None:
        """Give the file `source` a second name that nothing has yet. Raises FileExistsError where something has it."""
        if self._handle is None:
            os.link(os.path.join(self.path, source), os.path.join(self.path, target))
        else:
            os.link(source, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def writable(self, name: str) -> bool:
        """Whether the file's own permissions let this user change it."""
        if self._handle is None:
            return os.access(os.path.join(self.path, name), os.W_OK)
        return os.access(name, os.W_OK, dir_fd=self._handle, effective_ids=os.access in os.supports_effective_ids)

    def replace(self, source: str, target: str) -> None:
        """Give the file `source` the name `target`, in one step."""
        if self._handle is None:
            os.replace(os.path.join(self.path, source), os.path.join(self.path, target))
        else:
            os.replace(source, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def unlink(self, name: str) -> None:
        """Remove a file."""
        if self._handle is None:
            os.unlink(os.path.join(self.path, name))
        else:
            os.unlink(name, dir_fd=self._handle)

    def names(self) -> list[str]:
        """The names of everything in the folder."""
        return os.listdir(self.path if self._handle is None else self._handle)

    def sync(self) -> None:
        """Make renames in this folder last through a power cut, where the system can."""
        if self._handle is not None:
            os.fsync(self._handle)


def read_all(handle: int, limit: int) -> bytes:
    """At most `limit` bytes from the start of an open file."""
    parts: list[bytes] = []
    size = os.fstat(handle).st_size + 1  # one more, to notice a file that grows
    while limit > 0 and (part := os.read(handle, min(size, limit))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _must_be_regular(found: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise NotRegularError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularError(errno.EINVAL, "it is not a regular file", path)


if sys.platform == "darwin":
    import fcntl
    import unicodedata

    def _must_be_spelled(handle: int, name: str) -> None:
        """Refuse `NOTE.md` for `note.md`: the file system would open it, and one note would have two keys."""
        true_path = fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")
        true_name = os.fsdecode(true_path.rpartition(b"/")[2])
        if unicodedata.normalize("NFC", true_name) != unicodedata.normalize("NFC", name):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
