"""New notes: never over anything, whole from their first moment, and nothing left where they could not be made."""

from __future__ import annotations

import errno
import os
import re
import threading
from pathlib import Path

import pytest

from jupyter_kb.errors import FileTooLargeError, InvalidPathError, NoteExistsError, ReadOnlyError, WriteFailedError
from jupyter_kb.settings import Settings
from jupyter_kb.vault.create import create_file, place_for
from jupyter_kb.vault.paths import Folder
from jupyter_kb.vault.vault import Vault


def make(vault: Vault, file: str, data: bytes = b"# New\n") -> str:
    key = place_for(vault, file)
    create_file(vault, key, data)
    return key


def everything(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_note_and_its_folders_are_made_with_the_rights_that_the_user_gives(tmp_path: Path) -> None:
    assert make(Vault(tmp_path), "a/b\\c.md") == "a/b/c.md"
    (tmp_path / "by hand").write_bytes(b"")
    assert (tmp_path / "a/b/c.md").read_bytes() == b"# New\n"
    assert (tmp_path / "a/b/c.md").stat().st_mode == (tmp_path / "by hand").stat().st_mode
    assert everything(tmp_path) == ["a", "a/b", "a/b/c.md", "by hand"]


@pytest.mark.parametrize("name", ["docs/note.md", "docs/Note.md", "DOCS/note.MD", "docs/Fünf.md", "docs/FU\u0308NF.md"])
def test_nothing_is_written_over_a_note_in_whatever_case_or_form_its_name_is_given(tmp_path: Path, name: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/note.md").write_bytes(b"old")
    (tmp_path / "docs/fünf.md").write_bytes(b"old")
    with pytest.raises(NoteExistsError) as caught:
        make(Vault(tmp_path), name)
    assert caught.value.details["file"] in ("docs/note.md", "docs/fünf.md")
    assert everything(tmp_path) == ["docs", "docs/fünf.md", "docs/note.md"]
    assert (tmp_path / "docs/note.md").read_bytes() == b"old"


def test_who_comes_second_between_the_look_and_the_making_is_refused(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    key = place_for(vault, "a.md")
    (tmp_path / "a.md").write_bytes(b"theirs")
    with pytest.raises(NoteExistsError):
        create_file(vault, key, b"ours")
    assert (tmp_path / "a.md").read_bytes() == b"theirs"
    assert everything(tmp_path) == ["a.md"]


def test_of_many_at_once_one_makes_the_note(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    made: list[int] = []

    def work(number: int) -> None:
        try:
            make(vault, "x/a.md", b"%d" % number)
            made.append(number)
        except NoteExistsError:
            pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert (tmp_path / "x/a.md").read_bytes() == b"%d" % made[0]
    assert everything(tmp_path) == ["x", "x/a.md"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("../a.md", "path below the vault"),
        ("a\0.md", "path below the vault"),
        ("", "path below the vault"),
        ("a.txt", r"call it 'a\.txt\.md'"),
        ("a", r"call it 'a\.md'"),
        (".md", "call it"),
        (".hidden.md", "choose another folder"),
        ("node_modules/a.md", "choose another folder"),
        ("drafts/a.md", r"\.kbignore"),
        ("file.md/a.md", "choose another folder"),
    ],
)
def test_what_is_no_name_for_a_note_is_refused_with_what_to_do(tmp_path: Path, name: str, hint: str) -> None:
    (tmp_path / ".kbignore").write_text("drafts/\n")
    (tmp_path / "file.md").write_text("x")
    before = everything(tmp_path)
    with pytest.raises(InvalidPathError) as caught:
        make(Vault(tmp_path), name)
    assert caught.value.hint is not None
    assert re.search(hint, caught.value.hint)
    assert everything(tmp_path) == before


def test_no_note_is_made_behind_a_symbolic_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/link").symlink_to(outside)
    (tmp_path / "vault/dangling.md").symlink_to(outside / "gone.md")
    vault = Vault(tmp_path / "vault")
    with pytest.raises(InvalidPathError):
        make(vault, "link/a.md")
    with pytest.raises(InvalidPathError):
        create_file(vault, "link/a.md", b"x")
    with pytest.raises(NoteExistsError):
        make(vault, "dangling.md")
    assert list(outside.iterdir()) == []


def test_a_vault_that_is_only_read_gets_no_note(tmp_path: Path) -> None:
    with pytest.raises(ReadOnlyError):
        make(Vault(tmp_path, Settings(read_only=True)), "a.md")
    with pytest.raises(FileTooLargeError):
        make(Vault(tmp_path, Settings(max_file_bytes=10)), "b/a.md", b"x" * 11)
    assert everything(tmp_path) == []


def test_where_the_disk_is_full_nothing_is_left_not_even_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    (tmp_path / "there").mkdir()
    with pytest.raises(WriteFailedError, match="could not be created") as caught:
        make(Vault(tmp_path), "there/new/a.md")
    assert "free some space" in str(caught.value.hint)
    assert everything(tmp_path) == ["there"]


def test_a_disk_without_hard_links_takes_notes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(self: Folder, source: str, target: str) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(Folder, "link", unable)
    vault = Vault(tmp_path)
    key = make(vault, "a.md")
    assert (tmp_path / key).read_bytes() == b"# New\n"
    with pytest.raises(NoteExistsError):
        create_file(vault, key, b"other")
    assert (tmp_path / key).read_bytes() == b"# New\n"
    assert everything(tmp_path) == ["a.md"]
