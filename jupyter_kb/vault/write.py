"""The one road by which a note is written: compare, write a new file beside it, rename.

A reader sees the old note or the new one, never a part of either, and when anything fails the note is as it was.
A note that is open in a shared editor is changed there in the same step, and with it the file gets what was typed.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from stat import S_IMODE

from jupyter_kb.errors import ConflictError, InvalidPathError, ReadOnlyError, WriteFailedError
from jupyter_kb.vault.documents import OpenDocument, as_bytes, opened, text_to_put
from jupyter_kb.vault.lock import lock
from jupyter_kb.vault.paths import Folder, LinkRefusedError, shown
from jupyter_kb.vault.vault import Vault, too_large

_log = logging.getLogger(__name__)

_ATTEMPTS = 5
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}\.kb-tmp", re.DOTALL)
_STALE_SECONDS = 3600
_MAX_NAME_BYTES = 255

_HINTS = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "the disk quota is used up: free some space",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EACCES: "this user may not write here: check the permissions of the file and its folder",
    errno.EPERM: "the system forbids changing this file: check its permissions and attributes",
    errno.ENAMETOOLONG: "the name is too long: choose a shorter one",
    errno.EROFS: "the file system is mounted read-only",
}


class _ChangedUnderneath(Exception):  # noqa: N818 - a signal between two functions of this module
    """The note is not the one that the new bytes were made from."""


def guarded_write(vault: Vault, key: str, change: Callable[[bytes], bytes]) -> bytes:
    """Replace a note by `change(its bytes)`, and return the new bytes. Equal bytes are not written.

    The note is locked over reading, changing and replacing. When a program that knows nothing of locks writes in
    between, or somebody types, `change` is called again with what the note is then; so `change` decides what is a
    conflict, and raises.

    Raises
    ------
    ReadOnlyError, NoteNotFoundError, NoteUnreadableError, FileTooLargeError, InvalidPathError
    ConflictError : the note keeps changing.
    WriteFailedError : the system refused, or another writer holds the note; the file is as it was.
    """
    refuse_if_read_only(vault)
    path, timeout = vault.path(key), vault.settings.lock_timeout
    with lock(path, timeout=timeout):
        until = time.monotonic() + timeout
        for attempt in count(1):
            with opened(vault, path) as document:
                new = _attempt(vault, key, change, document)
            if new is not None:
                return new
            # whoever types pauses sooner or later; a program that writes again and again may not
            if attempt >= _ATTEMPTS and (document is None or time.monotonic() > until):
                break
    raise ConflictError(
        f"file '{shown(key)}' kept changing while it was being written",
        hint="another program writes it; try again later",
    )


def _attempt(vault: Vault, key: str, change: Callable[[bytes], bytes], document: OpenDocument | None) -> bytes | None:
    """The new bytes, written; None if the note changed meanwhile."""
    disk = vault.read(key)
    if document is None:
        new = change(disk)
        return new if new == disk or _replace(vault, key, disk, new) else None
    text = document.text()
    current = as_bytes(text, disk, key)
    new = change(current)
    if new == current == disk:
        return new
    wanted = text_to_put(new, key)
    if not _replace(vault, key, disk, new, _Put(document, text, wanted)):
        return None
    document.saved(wanted)
    return new


class _Put:
    """The change in the open document that belongs to a change of the file; `back` where the latter fails."""

    def __init__(self, document: OpenDocument, old: str, new: str) -> None:
        self._document, self._old, self._new = document, old, new

    def done(self) -> bool:
        """Whether the document holds the new text now; else somebody typed."""
        return self._document.put(self._old, self._new)

    def back(self) -> None:
        """As far as nobody typed in these microseconds; what was typed then is worth more than what fails here."""
        with suppress(WriteFailedError):
            self._document.put(self._new, self._old)


def replace_file(vault: Vault, key: str, *, expected: bytes | str, new: bytes) -> None:
    """Replace a whole note that is still `expected`: its bytes, or its version (git blob id).

    Raises
    ------
    ConflictError : the note is another one by now; `details["current_version"]` names it.
    ReadOnlyError, NoteNotFoundError, NoteUnreadableError, FileTooLargeError, InvalidPathError, WriteFailedError
    """

    def change(current: bytes) -> bytes:
        version = blob_id(current)
        if expected not in (current, version):
            raise ConflictError(f"file '{shown(key)}' changed since it was read", current_version=version)
        return new

    guarded_write(vault, key, change)


def blob_id(data: bytes) -> str:
    """The version of a note: the id that Git gives to these bytes as a blob, 40 hex digits."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def refuse_if_read_only(vault: Vault) -> None:
    """Raises ReadOnlyError where the settings forbid writing."""
    if vault.settings.read_only:
        raise ReadOnlyError(
            f"vault '{vault.name}' is read-only", hint="open it without the read-only setting to write notes"
        )


def _replace(vault: Vault, key: str, current: bytes, new: bytes, put: _Put | None = None) -> bool:
    """Whether it was done; else the note changed meanwhile."""
    if len(new) > vault.settings.max_file_bytes:
        raise too_large(key, vault.settings.max_file_bytes)
    try:
        with vault.folder(key) as (folder, name):
            _remove_stale(folder)
            if not folder.writable(name):  # renaming would get past the file's own permissions
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            _replace_in(folder, name, current, new, put)
        return True
    except _ChangedUnderneath:
        return False
    except LinkRefusedError as error:
        raise InvalidPathError(f"file '{shown(key)}' is a symbolic link or lies behind one") from error
    except FileNotFoundError:
        return False
    except OSError as error:
        raise WriteFailedError(
            f"file '{shown(key)}' could not be written: {error.strerror or type(error).__name__}",
            hint=f"{hint(error)}; the file is as it was",
        ) from error


def _replace_in(folder: Folder, name: str, current: bytes, new: bytes, put: _Put | None) -> None:
    temporary = temporary_name(name)
    handle = folder.create(temporary)
    try:
        try:
            write_all(handle, new)
            _copy_attributes(folder, name, handle)
            os.fsync(handle)
        finally:
            os.close(handle)
        _exchange(folder, temporary, name, current, put)
    except BaseException:
        with suppress(OSError):
            folder.unlink(temporary)
        raise
    sync(folder)


def temporary_name(name: str) -> str:
    """A name for the file that is written beside the one called `name`; listings and scans pass it over."""
    suffix = f".{secrets.token_hex(8)}.kb-tmp"
    stem = os.fsencode(name)[: _MAX_NAME_BYTES - len(suffix) - 1].decode("utf-8", "ignore")
    return f".{stem}{suffix}"


def sync(folder: Folder) -> None:
    """Make a new name last through a power cut; the note is in place, and its bytes are on the disk already."""
    try:
        folder.sync()
    except OSError as error:
        _log.warning("the folder %s could not be flushed: %s", shown(folder.path), error)


def hint(error: OSError) -> str:
    """What to do about a write that the system refused."""
    return _HINTS.get(error.errno or 0, "the system refused")


def _exchange(folder: Folder, temporary: str, name: str, current: bytes, put: _Put | None) -> None:
    """The last comparison and the renaming, with as little as possible between them."""
    if folder.read(name, len(current) + 1) != current or (put is not None and not put.done()):
        raise _ChangedUnderneath
    try:
        if put is not None and folder.read(name, len(current) + 1) != current:
            raise _ChangedUnderneath
        folder.replace(temporary, name)
    except BaseException:
        if put is not None:
            put.back()
        raise


def write_all(handle: int, data: bytes) -> None:
    """Write all of it to an open file."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _copy_attributes(folder: Folder, name: str, handle: int) -> None:
    """Owner, mode and extended attributes of the old file, each as far as this user may set them."""
    source = folder.open_file(name)
    try:
        old, ours = os.fstat(source), os.fstat(handle)
        if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (ours.st_uid, ours.st_gid):
            try:
                os.fchown(handle, old.st_uid, old.st_gid)
            except OSError:
                with suppress(OSError):
                    os.fchown(handle, -1, old.st_gid)
        os.fchmod(handle, S_IMODE(old.st_mode))
        if hasattr(os, "listxattr"):
            with suppress(OSError):
                for attribute in os.listxattr(source):
                    with suppress(OSError):
                        os.setxattr(handle, attribute, os.getxattr(source, attribute))
    finally:
        os.close(source)


def _remove_stale(folder: Folder) -> None:
    """Clear away what writers left who were killed: nobody takes an hour to write a note."""
    for name in folder.names():
        if _TEMPORARY.fullmatch(name):
            with suppress(OSError):
                if time.time() - folder.lstat(name).st_mtime > _STALE_SECONDS:
                    folder.unlink(name)
