"""The one road by which a note comes to be: never over anything that is there, and whole from its first moment on."""

from __future__ import annotations

import errno
import os
import unicodedata
from contextlib import suppress

from jupyter_kb.errors import InvalidPathError, KBError, NoteExistsError, WriteFailedError
from jupyter_kb.vault.lock import lock
from jupyter_kb.vault.paths import Folder, LinkRefusedError, normalise, shown
from jupyter_kb.vault.vault import Vault, too_large
from jupyter_kb.vault.write import hint, refuse_if_read_only, sync, temporary_name, write_all

_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


def place_for(vault: Vault, file: str) -> str:
    """The key that a new note of this name gets: folders that are there are meant in whatever case they are written.

    Nothing is made yet.

    Raises
    ------
    InvalidPathError : the name leads out of the vault, or no note of the vault may be called so; the hint says what to
        do.
    NoteExistsError : something has that name, perhaps in another case or Unicode form: on many disks, and on those
        that the vault is copied to, they would be one file.
    """
    names = normalise(file).split("/")
    _refuse_what_is_no_note(vault, "/".join(names))
    try:
        _spell_as_on_disk(vault, names, file)
    except LinkRefusedError as error:
        raise InvalidPathError(
            f"'{shown(file)}' lies behind a symbolic link",
            hint="symbolic links below the vault's folder are never followed; choose a folder of the vault",
        ) from error
    except NotADirectoryError as error:
        raise InvalidPathError(
            f"'{shown(file)}' would lie in something that is no folder", hint="choose another folder"
        ) from error
    except OSError as error:
        raise _failed(file, error) from error
    key = "/".join(names)
    _refuse_what_is_no_note(vault, key)
    return key


def _spell_as_on_disk(vault: Vault, names: list[str], file: str) -> None:
    """Put the spelling of what is there into `names`; raises NoteExistsError where all of them are."""
    folder = Folder.open(vault.root, [])
    for depth, name in enumerate(names):
        with folder:
            there = folder.names()
            found = name if name in there else _alike(name, there)
            if found is None:
                return
            names[depth] = found
            if depth < len(names) - 1:
                folder = folder.below(found)
    raise _exists("/".join(names), file)


def create_file(vault: Vault, key: str, data: bytes) -> None:
    """Make the note `key` (of `place_for`) with these bytes, and the folders that it needs.

    Raises
    ------
    NoteExistsError : somebody was quicker; nothing was written.
    ReadOnlyError, FileTooLargeError, InvalidPathError
    WriteFailedError : the system refused; nothing of the note is left.
    """
    refuse_if_read_only(vault)
    if len(data) > vault.settings.max_file_bytes:
        raise too_large(key, vault.settings.max_file_bytes)
    *names, name = key.split("/")
    made: list[str] = []
    with lock(vault.path(key), timeout=vault.settings.lock_timeout):
        try:
            for depth in range(len(names)):
                with Folder.open(vault.root, names[:depth]) as above, suppress(FileExistsError):
                    above.make(names[depth])
                    made.append("/".join(names[: depth + 1]))
            with Folder.open(vault.root, names) as folder:
                _create_in(folder, name, data)
        except FileExistsError as error:
            raise _exists(key, key) from error
        except LinkRefusedError as error:
            raise InvalidPathError(f"file '{shown(key)}' lies behind a symbolic link") from error
        except OSError as error:
            _remove_empty(vault, made)
            raise _failed(key, error) from error


def _create_in(folder: Folder, name: str, data: bytes) -> None:
    temporary = temporary_name(name)
    handle = folder.create(temporary, 0o666)  # the system takes away what the user's mask forbids
    try:
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        try:
            folder.link(temporary, name)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.close(folder.create(name, 0o666))  # the name is ours from here on
            folder.replace(temporary, name)
            return
    finally:
        with suppress(OSError):
            folder.unlink(temporary)
        sync(folder)


def _refuse_what_is_no_note(vault: Vault, key: str) -> None:
    if vault.is_note(key):
        return
    if not key.lower().endswith(".md") or key.rpartition("/")[2].lower() == ".md":
        raise InvalidPathError(
            f"'{shown(key)}' is not a name for a note: its end is not '.md'", hint=f"call it '{shown(key)}.md'"
        )
    raise InvalidPathError(
        f"'{shown(key)}' would not belong to the vault: a rule leaves it out",
        hint="choose another folder or name; rules are hidden names, .kbignore and the settings exclude and include",
    )


def _alike(name: str, there: list[str]) -> str | None:
    """An entry that differs from `name` in case or Unicode form only."""
    return min((entry for entry in there if _spelling(entry) == _spelling(name)), default=None)


def _spelling(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _remove_empty(vault: Vault, folders: list[str]) -> None:
    """Take back folders that were made for a note that did not come to be."""
    for key in reversed(folders):
        with suppress(OSError):
            os.rmdir(vault.root / key)


def _exists(key: str, asked: str) -> KBError:
    spelled = "" if key == asked else f", spelled '{shown(key)}'"
    return NoteExistsError(
        f"there is a note '{shown(asked)}' already{spelled}",
        hint="open that one, or choose another name",
        file=shown(key),
    )


def _failed(file: str, error: OSError) -> WriteFailedError:
    return WriteFailedError(
        f"file '{shown(file)}' could not be created: {error.strerror or type(error).__name__}",
        hint=f"{hint(error)}; nothing was written",
    )
