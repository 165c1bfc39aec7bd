"""How a request names a note, and that no name leads out of the vault."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import FileTooLargeError, InvalidPathError, KBError, NoteNotFoundError, VaultNotFoundError
from jupyter_kb.settings import Settings
from jupyter_kb.vault.paths import normalise
from jupyter_kb.vault.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with two notes, beside a secret that is not in it."""
    root = tmp_path / "vault"
    (root / "a").mkdir(parents=True)
    (root / "p.md").write_bytes(b"# P\n")
    (root / "a" / "q.md").write_bytes(b"# Q\n")
    (tmp_path / "secret.md").write_bytes(b"# Secret\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "s.md").write_bytes(b"# Secret\n")
    return Vault(root)


@pytest.mark.parametrize(
    "name", ["a/q.md", "/a/q.md", "./a/q.md", "a//q.md", "a\\q.md", "a/./q.md", "\\a\\q.md", "a/q.md/"]
)
def test_slashes_and_dots_in_a_name_do_not_matter(vault: Vault, name: str) -> None:
    assert vault.resolve(name) == "a/q.md"
    assert vault.read(name) == b"# Q\n"


@pytest.mark.parametrize(
    "name",
    [
        "../secret.md",
        "a/../p.md",
        "..",
        "a/..",
        "..\\secret.md",
        "a\\..\\..\\secret.md",
        "",
        ".",
        "/",
        "p.md\0",
        "\0",
        "\ud800.md",
    ],
)
def test_a_name_that_leads_nowhere_in_the_vault_is_refused_in_words(vault: Vault, name: str) -> None:
    with pytest.raises(InvalidPathError, match="is not a vault-relative path") as raised:
        vault.read(name)
    raised.value.message.encode()  # can be printed and sent


def test_an_absolute_path_is_taken_below_the_root(vault: Vault) -> None:
    with pytest.raises(NoteNotFoundError):
        vault.read(str(vault.root.parent / "secret.md"))


def test_a_name_has_one_spelling(vault: Vault) -> None:
    with pytest.raises(NoteNotFoundError) as raised:
        vault.read("P.md")
    assert raised.value.details["suggestions"] == ["p.md", "a/q.md"]


@pytest.mark.parametrize(
    "name", ["x" * 300 + ".md", "/".join(["d"] * 3000) + "/x.md", "a/q.md/r.md", "nope/x.md", "q.md"]
)
def test_a_name_that_cannot_exist_is_simply_not_found(vault: Vault, name: str) -> None:
    with pytest.raises(NoteNotFoundError, match="could not be read: "):
        vault.read(name)
    assert vault.stat(name) is None


def test_the_reason_of_the_system_is_passed_on(vault: Vault) -> None:
    with pytest.raises(NoteNotFoundError) as raised:
        vault.read("pp.md")
    assert raised.value.message == "file 'pp.md' could not be read: No such file or directory"
    assert raised.value.hint == "did you mean 'p.md'?"


@pytest.mark.parametrize("name", ["notes.txt", "p.md.bak", ".git/config.md", "node_modules/x.md", ".hidden.md", ".md"])
def test_what_is_not_a_note_of_the_vault_is_not_read(vault: Vault, name: str) -> None:
    target = vault.root / name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(b"# X\n")
    with pytest.raises(NoteNotFoundError, match="it is not a note of this vault"):
        vault.read(name)
    assert vault.stat(name) is None


def test_links_below_the_root_are_never_followed(vault: Vault) -> None:
    outside = vault.root.parent
    (vault.root / "file.md").symlink_to(outside / "secret.md")
    (vault.root / "inside.md").symlink_to("p.md")
    (vault.root / "dangling.md").symlink_to("nowhere.md")
    (vault.root / "folder").symlink_to(outside / "outside")
    (vault.root / "circle").symlink_to(".")
    (vault.root / "deep").mkdir()
    (vault.root / "deep" / "folder").symlink_to(outside / "outside")
    names = ["file.md", "inside.md", "dangling.md", "folder/s.md", "circle/p.md", "deep/folder/s.md"]
    for name in names:
        with pytest.raises(InvalidPathError, match="symbolic link"):
            vault.read(name)
        with pytest.raises(InvalidPathError, match="symbolic link"):
            vault.path(name)
        assert vault.stat(name) is None
    assert [file.key for file in vault.list()] == ["a/q.md", "p.md"]


def test_the_root_itself_may_be_a_link(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("vault")
    through = Vault(tmp_path / "link")
    assert through.root == vault.root
    assert through.read("a/q.md") == b"# Q\n"
    assert through.path("a/q.md") == vault.root / "a" / "q.md"


def test_a_path_is_given_for_a_note_that_does_not_exist_yet(vault: Vault) -> None:
    assert vault.path("b/c/new.md") == vault.root / "b" / "c" / "new.md"


def test_pipes_sockets_and_folders_that_bear_a_notes_name_never_block(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(vault.root / "pipe.md")
    (vault.root / "folder.md").mkdir()
    monkeypatch.chdir(vault.root)  # a socket's name has little room
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
    for name in ("pipe.md", "folder.md", "socket.md"):
        with pytest.raises(NoteNotFoundError, match="could not be read: "):
            vault.read(name)
        assert vault.stat(name) is None
    assert [file.key for file in vault.list()] == ["a/q.md", "p.md"]


def test_a_file_over_the_limit_is_listed_and_not_read(vault: Vault) -> None:
    (vault.root / "big.md").write_bytes(b"x" * 101)
    (vault.root / "fits.md").write_bytes(b"x" * 100)
    small = Vault(vault.root, Settings(max_file_bytes=100))
    assert "big.md" in [file.key for file in small.list()]
    assert len(small.read("fits.md")) == 100
    with pytest.raises(FileTooLargeError, match="larger than 100 bytes"):
        small.read("big.md")


def test_a_root_that_is_missing_or_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VaultNotFoundError, match=r"vault path '.*nowhere' does not exist"):
        Vault(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(VaultNotFoundError, match=r"vault path '.*file' is not a directory"):
        Vault(tmp_path / "file")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(VaultNotFoundError):
        Vault(tmp_path / "circle")


def test_a_root_that_vanishes_later_is_said_so(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    tmp_path.rmdir()
    with pytest.raises(VaultNotFoundError, match="does not exist"):
        vault.list()
    with pytest.raises(NoteNotFoundError):
        vault.read("p.md")


hostile = st.lists(
    st.sampled_from(
        ["..", ".", "", "a", "q.md", "p.md", "secret.md", "link", "s.md", "\\", "\0", "~", "C:", "é", "\udcff"]
    ),
    max_size=6,
).flatmap(lambda parts: st.sampled_from(["/", "\\", "//"]).map(lambda joint: joint.join(parts)))


@given(name=hostile | st.text(max_size=20))
def test_no_name_reaches_a_byte_outside_the_vault(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    base = tmp_path_factory.getbasetemp() / "hostile"
    if not base.exists():
        (base / "vault" / "a").mkdir(parents=True)
        (base / "vault" / "a" / "q.md").write_bytes(b"inside")
        (base / "secret.md").write_bytes(b"outside")
        (base / "a").mkdir()
        (base / "a" / "s.md").write_bytes(b"outside")
        (base / "vault" / "link").symlink_to(base / "a")
    vault = Vault(base / "vault")
    try:
        assert vault.read(name) == b"inside"
    except KBError as error:
        error.message.encode()


def test_a_path_longer_than_any_system_allows_is_refused_without_repeating_it() -> None:
    with pytest.raises(InvalidPathError) as caught:
        normalise("a/" * 1_000_000 + "b.md")
    assert len(caught.value.message) < 300
