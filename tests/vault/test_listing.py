"""Which files the vault lists, in which order, and what it says of the rest."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jupyter_kb.errors import NoteNotFoundError
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from tests.vault.unprivileged import run_unprivileged, unprivileged_folder


def make(root: Path, *names: str) -> Path:
    """Empty files of these names below `root`."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    return root


def keys(root: Path, settings: Settings | None = None) -> list[str]:
    return [file.key for file in Vault(root, settings).list()]


def test_notes_are_files_with_the_extension_md_in_any_case(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "B.MD", "c.Md", "d.markdown", "e.txt", "f", "md", "g.md.bak", "h.mdx", "d.md/inner.md")
    assert keys(tmp_path) == ["B.MD", "a.md", "c.Md", "d.md/inner.md"]


def test_the_order_is_that_of_the_bytes_of_the_keys(tmp_path: Path) -> None:
    names = ["a/b.md", "a-b.md", "a.md", "B.md", "é.md", "z.md", "\uffff.md", "\U0001f600.md", "ab/c.md", "a/b/c.md"]
    assert keys(make(tmp_path, *names)) == sorted(names, key=str.encode)


def test_a_listed_note_carries_what_tells_a_change(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"12345")
    found = os.stat(tmp_path / "a.md")
    vault = Vault(tmp_path)
    (file,) = vault.list()
    assert (file.size, file.mtime_ns, file.ctime_ns) == (5, found.st_mtime_ns, found.st_ctime_ns)
    assert file.inode == found.st_ino
    assert vault.stat("a.md") == file
    (tmp_path / "b.md").write_bytes(b"54321")
    os.utime(tmp_path / "b.md", ns=(found.st_mtime_ns, found.st_mtime_ns))
    os.replace(tmp_path / "b.md", tmp_path / "a.md")
    assert vault.list() != [file]  # the same size and time, another file


def test_an_empty_vault_lists_nothing(tmp_path: Path) -> None:
    assert keys(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="names are text on Windows")
def test_names_that_cannot_be_sent_are_reported_and_the_rest_is_listed(tmp_path: Path) -> None:
    make(tmp_path, "good.md", "back\\slash.md", "with\nbreak.md")
    base = os.fsencode(tmp_path)
    try:
        Path(os.fsdecode(base + b"/bad\xff.md")).write_bytes(b"")
        os.mkdir(base + b"/dir\xfe")
        Path(os.fsdecode(base + b"/dir\xfe/x.md")).write_bytes(b"")
        Path(os.fsdecode(base + b"/bad\xff.txt")).write_bytes(b"")
    except OSError:
        pytest.skip("this file system takes proper Unicode only")
    listing = Vault(tmp_path).listing()
    assert [file.key for file in listing.files] == ["good.md", "with\nbreak.md"]
    assert [problem.file for problem in listing.problems] == ["back\\slash.md", "bad\\udcff.md", "dir\\udcfe"]
    assert {problem.kind for problem in listing.problems} == {"unreadable-file"}
    assert all(problem.hint == "rename it" for problem in listing.problems)


def test_a_folder_that_may_not_be_read_is_reported() -> None:
    with unprivileged_folder() as root:
        make(root, "a.md", "closed/b.md")
        code = """
            os.chmod(root / "closed", 0)
            listing = Vault(root).listing()
            os.chmod(root / "closed", 0o700)
            print([file.key for file in listing.files], [(p.file, p.kind, p.message) for p in listing.problems])
        """
        assert run_unprivileged(code, root) == (
            "['a.md'] [('closed', 'unreadable-file', 'the folder could not be read: Permission denied')]"
        )


def test_a_note_that_may_not_be_read_is_an_error_of_its_own() -> None:
    with unprivileged_folder() as root:
        make(root, "a.md")
        code = """
            os.chmod(root / "a.md", 0)
            try:
                Vault(root).read("a.md")
            except NoteUnreadableError as error:
                print(error.message)
        """
        assert run_unprivileged(code, root) == "file 'a.md' could not be read: Permission denied"


def test_the_tree_counts_notes_in_a_folder_and_below_it(tmp_path: Path) -> None:
    make(tmp_path, "top.md", "a/1.md", "a/2.md", "a/b/c/3.md", "empty/none.txt", "z/4.md")
    vault = Vault(tmp_path)
    tree = vault.tree()
    assert (tree.name, tree.path, tree.notes, tree.notes_below, tree.files) == (tmp_path.name, "", 1, 4, ("top.md",))
    assert [folder.path for folder in tree.folders] == ["a", "z"]
    a = tree.folders[0]
    assert (a.notes, a.notes_below, a.files) == (2, 1, ("a/1.md", "a/2.md"))
    b = a.folders[0]
    assert (b.name, b.path, b.notes, b.notes_below) == ("b", "a/b", 0, 1)
    assert vault.tree("a/") == vault.tree("\\a") == a
    assert vault.tree("/") == vault.tree(".") == tree


def test_the_tree_of_an_unknown_folder_suggests_near_ones(tmp_path: Path) -> None:
    make(tmp_path, "projects/plan.md", "people/ada.md")
    with pytest.raises(NoteNotFoundError, match="folder 'project' holds no notes") as raised:
        Vault(tmp_path).tree("project")
    assert raised.value.details["suggestions"][0] == "projects"


def test_the_tree_of_an_empty_vault_is_its_root(tmp_path: Path) -> None:
    assert Vault(tmp_path).tree().folders == ()


@pytest.mark.data
def test_thousands_of_notes_are_listed_in_well_under_a_tenth_of_a_second(data_dir: Path) -> None:
    vault = Vault(data_dir / "vaults" / "obsidian-hub")
    assert len(vault.list()) == 6571
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        vault.list()
        best = min(best, time.perf_counter() - start)
    assert best < 0.1
