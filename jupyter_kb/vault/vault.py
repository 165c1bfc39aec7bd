"""A vault: its root, the listing of its notes, and reading them; no road leads out of the folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from jupyter_kb.errors import (
    FileTooLargeError,
    InvalidPathError,
    NoteNotFoundError,
    NoteUnreadableError,
    VaultNotFoundError,
)
from jupyter_kb.markdown.nearest import nearest
from jupyter_kb.models import FolderNode
from jupyter_kb.settings import Settings
from jupyter_kb.vault import folders, ignore
from jupyter_kb.vault.ignore import IgnoreRules
from jupyter_kb.vault.listing import FileStat, Listing, walk, walk_folders
from jupyter_kb.vault.paths import ABSENT, Folder, LinkRefusedError, NotRegularError, normalise, reason, shown

if TYPE_CHECKING:
    from jupyter_kb.vault.documents import OpenDocuments

__all__ = ["FileStat", "Listing", "Vault", "too_large"]

_MAX_RULES_BYTES = 1 << 20


class Vault:
    """The notes below one folder. Holds no open files; safe to use from several threads.

    Attributes
    ----------
    root : the folder, absolute, with every link on the way to it resolved once. Below it no link is followed.
    name : the folder's name.
    settings : what counts as a note, and how large one may be.
    documents : the shared editors in which notes may be open, where there are such; what is written goes through them.

    Raises
    ------
    VaultNotFoundError : the folder does not exist or is not a folder.
    """

    def __init__(self, root: Path | str, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.documents: OpenDocuments | None = None
        try:
            self.root = Path(root).resolve(strict=True)
            is_folder = self.root.is_dir()
        except (OSError, RuntimeError, ValueError):  # RuntimeError: links in a circle; ValueError: NUL
            raise VaultNotFoundError(f"vault path '{shown(str(root))}' does not exist") from None
        if not is_folder:
            raise VaultNotFoundError(f"vault path '{shown(str(root))}' is not a directory")
        self.name = self.root.name or str(self.root)
        self._rules = IgnoreRules(self.settings, "")
        self._rules_stamp: tuple[int, ...] | None = None

    # ── names ───────────────────────────────────────────────────────────────────────────────────

    def resolve(self, file: str) -> str:
        """The key of a note from the name in a request; the note need not exist.

        Raises
        ------
        InvalidPathError : the name leads out of the vault or can name no file.
        """
        return normalise(file)

    def path(self, key: str) -> Path:
        """The absolute path of a key, for programs that want one; it need not exist. Our own reads go through `read`.

        Raises
        ------
        InvalidPathError : as `resolve`, or a symbolic link stands on the way.
        """
        names = normalise(key).split("/")
        try:
            with Folder.open(self.root, names[:-1]) as folder:
                folder.lstat(names[-1])
        except LinkRefusedError as error:
            raise _link_refused(key) from error
        except OSError:
            pass  # absent or closed to us: whoever uses the path will see
        return self.root.joinpath(*names)

    def is_note(self, key: str) -> bool:
        """Whether a note of that name would belong to the vault, by the rules of `list`; it need not exist."""
        rules = self.rules()
        if not rules.holds(key):
            return False
        parts = key.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            mark = self.root / folder / ignore.VIRTUAL_ENVIRONMENT_MARK
            if os.path.lexists(mark) and rules.verdict(folder + "/") is not False:
                return False
        return True

    def suggest(self, file: str) -> list[str]:
        """Up to three names of notes that are nearest to a name that was not found."""
        try:
            return nearest(file, (found.key for found in self.list()))
        except (VaultNotFoundError, NoteUnreadableError):
            return []

    # ── listing ─────────────────────────────────────────────────────────────────────────────────

    def list(self) -> list[FileStat]:
        """Every note as it is on disk now, in byte order of the keys.

        Raises
        ------
        VaultNotFoundError, NoteUnreadableError : the root itself cannot be walked.
        """
        return list(self.listing().files)

    def listing(self) -> Listing:
        """As `list`, together with what had to be left out and why."""
        return walk(self.root, self.rules())

    def folders(self) -> frozenset[str]:
        """The keys of the folders in which notes may lie, "" for the root; raises as `list`."""
        return walk_folders(self.root, self.rules())

    def rules(self) -> IgnoreRules:
        """The rules as the disk has them now."""
        text = ""
        stamp: tuple[int, ...] = ()
        try:
            with Folder.open(self.root, []) as folder:
                stamp = _stamp(folder.lstat(ignore.FILE_NAME))
                text = folder.read(ignore.FILE_NAME, _MAX_RULES_BYTES).decode("utf-8-sig", "replace")
        except OSError:
            pass  # no rules of its own
        if text != self._rules.text:
            self._rules = IgnoreRules(self.settings, text)
        self._rules_stamp = stamp
        return self._rules

    def tree(self, folder: str = "") -> FolderNode:
        """The folders that hold notes, with counts. `folder` asks for one of them and what is below it.

        Raises
        ------
        NoteNotFoundError : no note lies in that folder or below it.
        """
        return folders.tree(self.name, [file.key for file in self.list()], folder)

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def stat(self, key: str) -> FileStat | None:
        """The note as it is on disk now; None where there is none, or its name is not one of the vault's notes."""
        if not self.is_note(key):
            return None
        try:
            with self.folder(key) as (folder, name):
                found = folder.lstat(name)
        except OSError:
            return None
        if not S_ISREG(found.st_mode):
            return None
        return FileStat.of(key, found)

    def read(self, file: str, *, suggest: bool = True) -> bytes:
        """The bytes of a note, now. `suggest=False` saves the walk for near names when there is no such note.

        Raises
        ------
        InvalidPathError : not a path inside the vault, or a symbolic link.
        NoteNotFoundError : no such note; `details["suggestions"]` has near names.
        FileTooLargeError : over `max_file_bytes`.
        NoteUnreadableError : the operating system refused.
        """
        return self.read_dated(file, suggest=suggest)[0]

    def read_dated(self, file: str, *, suggest: bool = True) -> tuple[bytes, float]:
        """As `read`, together with the mtime of the file that was read, in seconds since 1970."""
        key = normalise(file)
        if not self._current_rules().holds(key):
            raise self._not_found(file, "it is not a note of this vault", suggest)
        limit = self.settings.max_file_bytes
        try:
            with self.folder(key) as (folder, name):
                data, modified = folder.read_dated(name, limit + 1)
        except LinkRefusedError as error:
            raise _link_refused(file) from error
        except OSError as error:
            if isinstance(error, NotRegularError) or error.errno in ABSENT:
                raise self._not_found(file, reason(error), suggest) from error
            raise NoteUnreadableError(
                f"file '{shown(file)}' could not be read: {reason(error)}",
                hint="check that this user may read the file and the folders above it",
            ) from error
        if len(data) > limit:
            raise too_large(file, limit)
        return data, modified

    @contextmanager
    def folder(self, key: str) -> Iterator[tuple[Folder, str]]:
        """The folder of a key, held open, and the file's name in it. Raises OSError, LinkRefusedError for a link."""
        *names, name = normalise(key).split("/")
        with Folder.open(self.root, names) as opened:
            yield opened, name

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _current_rules(self) -> IgnoreRules:
        """As `rules`, at the price of one `stat`: a scan reads thousands of notes."""
        try:
            stamp = _stamp(os.lstat(self.root / ignore.FILE_NAME))
        except OSError:
            stamp = ()
        return self._rules if stamp == self._rules_stamp else self.rules()

    def _not_found(self, file: str, why: str, suggest: bool) -> NoteNotFoundError:
        suggestions = self.suggest(file) if suggest else []
        return NoteNotFoundError(
            f"file '{shown(file)}' could not be read: {why}",
            hint=f"did you mean '{suggestions[0]}'?" if suggestions else None,
            suggestions=suggestions,
        )


def too_large(file: str, limit: int) -> FileTooLargeError:
    """The error for a note over the size limit, read or about to be written."""
    return FileTooLargeError(
        f"file '{shown(file)}' is larger than {limit} bytes",
        hint="raise max_file_bytes in the settings, or split the note",
        limit=limit,
    )


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _link_refused(file: str) -> InvalidPathError:
    return InvalidPathError(
        f"file '{shown(file)}' is a symbolic link or lies behind one",
        hint="symbolic links below the vault's folder are never followed; name the file itself",
    )
