"""The walk over a vault's folders: which notes are there, and what could not be listed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from jupyter_kb.errors import NoteUnreadableError, VaultNotFoundError
from jupyter_kb.models import Diagnostic
from jupyter_kb.vault.ignore import VIRTUAL_ENVIRONMENT_MARK, IgnoreRules
from jupyter_kb.vault.paths import ABSENT, is_text, reason, shown

_UNSPEAKABLE = "its name is not valid UTF-8 or holds a backslash, so it cannot be addressed"


@dataclass(frozen=True, kw_only=True)
class FileStat:
    """One note on disk. `size` in bytes; a change of any value means that the note must be looked at again.

    `ctime_ns` is what no program can set: it tells of a rewrite after which size, `mtime_ns` and inode were restored.
    """

    key: str
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0

    @classmethod
    def of(cls, key: str, found: os.stat_result) -> FileStat:
        """What the operating system said of a file."""
        return cls(
            key=key,
            size=found.st_size,
            mtime_ns=found.st_mtime_ns,
            ctime_ns=found.st_ctime_ns,
            inode=found.st_ino,
        )


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The notes in byte order of their keys, and what could not be listed. Files over the size limit are in `files`."""

    files: tuple[FileStat, ...]
    problems: tuple[Diagnostic, ...] = ()


class _Walk:
    """One walk. An entry costs one `stat` if it is a note and none if it is not."""

    def __init__(self, rules: IgnoreRules) -> None:
        self.rules = rules
        self.files: list[FileStat] = []
        self.folders: list[str] = []
        self.problems = list(rules.problems)
        self.waiting: list[tuple[str, str, bool]] = []  # path, key with "/" at its end, wanted even if an environment

    def enter(self, path: str, prefix: str, wanted: bool) -> None:
        """Take in one folder. Raises OSError if it cannot be read."""
        with os.scandir(path) as scan:
            entries = list(scan)
        self.folders.append(prefix[:-1])
        if not wanted and any(entry.name == VIRTUAL_ENVIRONMENT_MARK for entry in entries):
            return
        for entry in entries:
            key = prefix + entry.name
            try:
                self._take(entry, key)
            except FileNotFoundError:
                pass  # gone since its folder was read
            except OSError as error:
                self.problem(key, f"failed to read Markdown file: {reason(error)}", "check its permissions")

    def _take(self, entry: os.DirEntry[str], key: str) -> None:
        name, rules = entry.name, self.rules
        if entry.is_dir(follow_symlinks=False):
            if rules.folder_is_in(key, name) and self._speakable(name, key):
                self.waiting.append((entry.path, key + "/", rules.verdict(key + "/") is False))
        elif rules.file_is_in(key, name) and entry.is_file(follow_symlinks=False) and self._speakable(name, key):
            self.files.append(FileStat.of(key, entry.stat(follow_symlinks=False)))

    def _speakable(self, name: str, key: str) -> bool:
        if is_text(name) and "\\" not in name:
            return True
        self.problem(key, _UNSPEAKABLE, "rename it")
        return False

    def problem(self, key: str, message: str, hint: str) -> None:
        """Note what had to be left out."""
        self.problems.append(Diagnostic(file=shown(key), kind="unreadable-file", message=message, hint=hint))


class _FolderWalk(_Walk):
    """One walk that looks for folders only: no `stat` at all."""

    def _take(self, entry: os.DirEntry[str], key: str) -> None:
        if entry.is_dir(follow_symlinks=False):
            super()._take(entry, key)


def walk(root: Path, rules: IgnoreRules) -> Listing:
    """The notes below a folder, by these rules. Symbolic links are not followed.

    Raises
    ------
    VaultNotFoundError, NoteUnreadableError : the root itself cannot be walked.
    """
    found = _Walk(rules)
    _through(found, root)
    return Listing(
        # Code point order is the byte order of UTF-8.
        files=tuple(sorted(found.files, key=lambda file: file.key)),
        problems=tuple(sorted(found.problems, key=lambda problem: (problem.file, problem.line or 0))),
    )


def walk_folders(root: Path, rules: IgnoreRules) -> frozenset[str]:
    """The keys of the folders that `walk` would open, "" for the root; virtual environments too: they may cease to be.

    Raises
    ------
    VaultNotFoundError, NoteUnreadableError : the root itself cannot be walked.
    """
    found = _FolderWalk(rules)
    _through(found, root)
    return frozenset(found.folders)


def _through(found: _Walk, root: Path) -> None:
    try:
        found.enter(str(root), "", True)
    except OSError as error:
        if error.errno in ABSENT:
            raise VaultNotFoundError(f"vault path '{shown(str(root))}' does not exist") from error
        raise NoteUnreadableError(f"vault path '{shown(str(root))}' could not be walked: {reason(error)}") from error
    while found.waiting:
        path, prefix, wanted = found.waiting.pop()
        try:
            found.enter(path, prefix, wanted)
        except OSError as error:
            if error.errno not in ABSENT:
                found.problem(prefix[:-1], f"the folder could not be read: {reason(error)}", "check its permissions")
