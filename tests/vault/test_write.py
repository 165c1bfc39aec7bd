"""Replacing a note: whole or not at all, never over something unseen, nothing left behind."""

from __future__ import annotations

import errno
import logging
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.errors import (
    ConflictError,
    FileTooLargeError,
    InvalidPathError,
    NoteNotFoundError,
    ReadOnlyError,
    WriteFailedError,
)
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.write import blob_id, guarded_write, replace_file
from tests.vault.unprivileged import run_unprivileged, unprivileged_folder


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with one note in a folder."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "n.md").write_bytes(b"old")
    return Vault(tmp_path)


def shout(data: bytes) -> bytes:
    return data.upper()


def everything(vault: Vault) -> list[str]:
    return sorted(str(path.relative_to(vault.root)) for path in vault.root.rglob("*"))


def test_a_note_is_replaced_by_what_the_change_makes_of_it(vault: Vault) -> None:
    assert guarded_write(vault, "a/n.md", shout) == b"OLD"
    assert vault.read("a/n.md") == b"OLD"
    assert everything(vault) == ["a", "a/n.md"]


def test_equal_bytes_are_not_written(vault: Vault) -> None:
    before = vault.stat("a/n.md")
    assert guarded_write(vault, "a/n.md", bytes) == b"old"
    assert vault.stat("a/n.md") == before


def test_a_change_that_raises_changes_nothing(vault: Vault) -> None:
    def refuse(data: bytes) -> bytes:
        raise ConflictError("no")

    before = vault.stat("a/n.md")
    with pytest.raises(ConflictError, match="no"):
        guarded_write(vault, "a/n.md", refuse)
    assert vault.stat("a/n.md") == before
    assert guarded_write(vault, "a/n.md", shout) == b"OLD"  # and the lock is free again


def test_a_reader_holds_the_old_file_while_it_is_replaced(vault: Vault) -> None:
    with open(vault.root / "a" / "n.md", "rb") as reader:
        guarded_write(vault, "a/n.md", shout)
        assert reader.read() == b"old"


def test_a_whole_file_is_replaced_under_its_bytes_or_its_version(vault: Vault) -> None:
    replace_file(vault, "a/n.md", expected=b"old", new=b"one")
    replace_file(vault, "a/n.md", expected=blob_id(b"one"), new=b"two")
    for stale in (b"old", blob_id(b"old"), b"", ""):
        with pytest.raises(ConflictError, match="changed since it was read") as raised:
            replace_file(vault, "a/n.md", expected=stale, new=b"three")
        assert raised.value.details == {"current_version": blob_id(b"two")}
    assert vault.read("a/n.md") == b"two"


def test_the_version_is_the_id_that_git_gives() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


# ── what is kept ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_is_kept(vault: Vault, mode: int) -> None:
    path = vault.root / "a" / "n.md"
    path.chmod(mode)
    guarded_write(vault, "a/n.md", shout)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept_where_that_is_permitted(vault: Vault) -> None:
    path = vault.root / "a" / "n.md"
    os.chown(path, 1234, 2345)
    guarded_write(vault, "a/n.md", shout)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_extended_attributes_are_kept(vault: Vault) -> None:
    path = vault.root / "a" / "n.md"
    if not hasattr(os, "setxattr"):
        pytest.skip("no extended attributes on this system")
    try:
        os.setxattr(path, "user.colour", b"green")
    except OSError:
        pytest.skip("no extended attributes on this file system")
    guarded_write(vault, "a/n.md", shout)
    assert os.getxattr(path, "user.colour") == b"green"


# ── other writers ───────────────────────────────────────────────────────────────────────────────


def before_the_rename(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int = 1) -> None:
    """Let somebody who knows nothing of locks act when the new file is complete but not yet in place."""
    flush = os.fsync
    left = [times]

    def flush_and_act(handle: int) -> None:
        flush(handle)
        if stat.S_ISREG(os.fstat(handle).st_mode) and left[0] > 0:
            left[0] -= 1
            act()

    monkeypatch.setattr(os, "fsync", flush_and_act)


def test_what_another_program_writes_in_between_is_seen_and_kept(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vault.root / "a" / "n.md"
    before_the_rename(monkeypatch, lambda: path.write_bytes(b"theirs"))
    seen: list[bytes] = []

    def change(data: bytes) -> bytes:
        seen.append(data)
        return data + b" and ours"

    assert guarded_write(vault, "a/n.md", change) == b"theirs and ours"
    assert vault.read("a/n.md") == b"theirs and ours"
    assert seen == [b"old", b"theirs"]
    assert everything(vault) == ["a", "a/n.md"]


def test_one_more_or_less_byte_in_between_is_a_change(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vault.root / "a" / "n.md"
    for theirs in (b"old!", b"ol", b""):
        path.write_bytes(b"old")
        with monkeypatch.context() as patch:
            before_the_rename(patch, lambda theirs=theirs: path.write_bytes(theirs))  # type: ignore[misc]
            assert guarded_write(vault, "a/n.md", lambda data: data + b"+") == theirs + b"+"


def test_a_note_that_keeps_changing_is_a_conflict(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vault.root / "a" / "n.md"
    before_the_rename(monkeypatch, lambda: path.write_bytes(path.read_bytes() + b"!"), times=1000)
    with pytest.raises(ConflictError, match="kept changing"):
        guarded_write(vault, "a/n.md", shout)
    assert vault.read("a/n.md") == b"old!!!!!"
    assert everything(vault) == ["a", "a/n.md"]


def test_a_note_that_vanishes_in_between_does_not_come_back(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    before_the_rename(monkeypatch, (vault.root / "a" / "n.md").unlink)
    with pytest.raises(NoteNotFoundError):
        guarded_write(vault, "a/n.md", shout)
    assert everything(vault) == ["a"]


def test_a_note_that_turns_into_a_link_in_between_is_not_followed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = vault.root / "a" / "n.md"
    (vault.root / "target").write_bytes(b"old")

    def swap() -> None:
        path.unlink()
        path.symlink_to(vault.root / "target")

    before_the_rename(monkeypatch, swap)
    with pytest.raises(InvalidPathError, match="symbolic link"):
        guarded_write(vault, "a/n.md", shout)
    assert (vault.root / "target").read_bytes() == b"old"
    assert everything(vault) == ["a", "a/n.md", "target"]


@pytest.mark.parametrize("name", ["../n.md", "a/../../n.md", "link/n.md", "", "a/n.txt", "a/none.md", "a"])
def test_nothing_is_written_where_no_note_is(vault: Vault, tmp_path: Path, name: str) -> None:
    (vault.root / "link").symlink_to("a")
    (vault.root / "a" / "n.txt").write_bytes(b"text")
    with pytest.raises((InvalidPathError, NoteNotFoundError)):
        guarded_write(vault, name, shout)
    assert (vault.root / "a" / "n.txt").read_bytes() == b"text"
    assert vault.read("a/n.md") == b"old"


# ── refusals and failures ───────────────────────────────────────────────────────────────────────


def test_a_read_only_vault_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"old")
    vault = Vault(tmp_path, Settings(read_only=True))
    with pytest.raises(ReadOnlyError):
        guarded_write(vault, "n.md", shout)
    with pytest.raises(ReadOnlyError):
        replace_file(vault, "n.md", expected=b"old", new=b"new")
    assert vault.read("n.md") == b"old"


def test_nobody_makes_a_note_so_large_that_it_could_not_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"old")
    vault = Vault(tmp_path, Settings(max_file_bytes=10))
    with pytest.raises(FileTooLargeError):
        guarded_write(vault, "n.md", lambda data: data * 4)
    assert vault.read("n.md") == b"old"


FAILURES = [
    ("open", errno.EACCES, "Permission denied", "check the permissions"),
    ("open", errno.EROFS, "Read-only file system", "mounted read-only"),
    ("open", errno.ENOSPC, "No space left on device", "free some space"),
    ("write", errno.ENOSPC, "No space left on device", "free some space"),
    ("write", errno.EDQUOT, "Disk quota exceeded", "free some space"),
    ("fchmod", errno.EPERM, "Operation not permitted", "permissions and attributes"),
    ("fsync", errno.EIO, "Input/output error", "the system refused"),
    ("fsync", errno.ENOSPC, "No space left on device", "free some space"),
    ("close", errno.EIO, "Input/output error", "the system refused"),
    ("replace", errno.EACCES, "Permission denied", "check the permissions"),
    ("replace", errno.EXDEV, "Invalid cross-device link", "the system refused"),
]


@pytest.mark.parametrize(("call", "number", "reason", "hint"), FAILURES)
def test_whatever_the_system_refuses_the_note_is_as_it_was_and_nothing_is_left(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, call: str, number: int, reason: str, hint: str
) -> None:
    real: Callable[..., Any] = getattr(os, call)
    temporary: set[int] = set()
    open_file = os.open

    def opening(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if call == "open" and flags & os.O_CREAT and str(path).endswith(".kb-tmp"):
            raise OSError(number, os.strerror(number))
        handle = open_file(path, flags, *rest, **more)
        if flags & os.O_CREAT and str(path).endswith(".kb-tmp"):
            temporary.add(handle)
        return handle

    def failing(subject: Any, *rest: Any, **more: Any) -> Any:
        if call == "write" and subject in temporary:
            real(subject, rest[0][:1])  # some of it got through before the disk was full
        if call == "close" and subject in temporary:
            real(subject)
        if call == "replace" or subject in temporary:
            temporary.discard(subject)
            raise OSError(number, os.strerror(number))
        return real(subject, *rest, **more)

    before = (vault.stat("a/n.md"), vault.read("a/n.md"))
    with monkeypatch.context() as patch:
        if call != "open":
            patch.setattr(os, call, failing)
        patch.setattr(os, "open", opening)
        with pytest.raises(WriteFailedError) as raised:
            guarded_write(vault, "a/n.md", shout)
    assert raised.value.message == f"file 'a/n.md' could not be written: {reason}"
    assert hint in (raised.value.hint or "")
    assert (raised.value.hint or "").endswith("the file is as it was")
    assert (vault.stat("a/n.md"), vault.read("a/n.md")) == before
    assert everything(vault) == ["a", "a/n.md"]


def test_a_folder_that_cannot_be_flushed_is_no_failed_write(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    flush = os.fsync

    def failing(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        flush(handle)

    monkeypatch.setattr(os, "fsync", failing)
    with caplog.at_level(logging.WARNING):
        assert guarded_write(vault, "a/n.md", shout) == b"OLD"
    assert "could not be flushed" in caplog.text


def test_the_new_bytes_are_on_the_disk_before_the_name_is_and_the_name_afterwards(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    flush, rename = os.fsync, os.replace

    def flushing(handle: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else f"file of {os.fstat(handle).st_size}")
        flush(handle)

    def renaming(*names: Any, **folders: Any) -> None:
        calls.append("rename")
        rename(*names, **folders)

    monkeypatch.setattr(os, "fsync", flushing)
    monkeypatch.setattr(os, "replace", renaming)
    guarded_write(vault, "a/n.md", lambda data: data * 100)
    assert calls == ["file of 300", "rename", "folder"]


def test_a_real_limit_on_the_size_of_files_leaves_the_note_alone() -> None:
    with unprivileged_folder() as root:
        (root / "n.md").write_bytes(b"old")
        code = """
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            vault = Vault(root)
            try:
                guarded_write(vault, "n.md", lambda data: data * 10_000)
            except WriteFailedError as error:
                print(error.message, "|", error.hint, "|", vault.read("n.md"), sorted(os.listdir(root)))
        """
        assert run_unprivileged(code, root) == (
            "file 'n.md' could not be written: File too large"
            " | the file would be larger than the system allows; the file is as it was | b'old' ['n.md']"
        )


@pytest.mark.parametrize(("what", "mode"), [(".", 0o555), ("n.md", 0o444)])
def test_a_folder_or_file_without_write_permission_is_respected(what: str, mode: int) -> None:
    with unprivileged_folder() as root:
        (root / "n.md").write_bytes(b"old")
        code = f"""
            os.chmod(root / "{what}", {mode})
            try:
                guarded_write(Vault(root), "n.md", bytes.upper)
            except WriteFailedError as error:
                print(error.message, "|", error.hint)
            print((root / "n.md").read_bytes(), sorted(os.listdir(root)))
            os.chmod(root, 0o755)
        """
        assert run_unprivileged(code, root) == (
            "file 'n.md' could not be written: Permission denied | this user may not write here:"
            " check the permissions of the file and its folder; the file is as it was\nb'old' ['n.md']"
        )


# ── leftovers ───────────────────────────────────────────────────────────────────────────────────


def test_what_a_killed_writer_left_is_never_listed_and_is_cleared_when_it_is_old(vault: Vault) -> None:
    folder = vault.root / "a"
    old, young, others = ".n.md.0123456789abcdef.kb-tmp", ".n.md.fedcba9876543210.kb-tmp", ".n.md.kb-tmp"
    for name in (old, young, others):
        (folder / name).write_bytes(b"half")
    long_ago = time.time() - 4000
    os.utime(folder / old, (long_ago, long_ago))
    os.utime(folder / others, (long_ago, long_ago))
    assert [file.key for file in Vault(vault.root, Settings(hidden=True)).list()] == ["a/n.md"]
    guarded_write(vault, "a/n.md", shout)
    assert sorted(os.listdir(folder)) == sorted([young, others, "n.md"])


def test_names_as_long_as_the_system_allows_can_be_written(vault: Vault) -> None:
    for name in ("x" * 252 + ".md", "é" * 126 + ".md", "漢" * 84 + ".md"):
        (vault.root / name).write_bytes(b"old")
        assert guarded_write(vault, name, shout) == b"OLD"
