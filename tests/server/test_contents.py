"""Where Jupyter's contents API has a vault's folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupyter_server.services.contents.manager import ContentsManager

from jupyter_kb.server.contents import contents_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "home" / "notes" / "lab").mkdir(parents=True)
    (tmp_path / "elsewhere" / "vault").mkdir(parents=True)
    return tmp_path / "home"


def test_a_folder_below_the_root_has_a_path_and_the_root_an_empty_one(root: Path) -> None:
    manager = LargeFileManager(root_dir=str(root))

    assert contents_path(manager, root / "notes" / "lab") == "notes/lab"
    assert contents_path(manager, root / "notes" / "..") == ""
    assert contents_path(manager, root) == ""


def test_a_folder_elsewhere_has_none(root: Path) -> None:
    manager = LargeFileManager(root_dir=str(root))

    assert contents_path(manager, root.parent / "elsewhere" / "vault") is None
    assert contents_path(manager, root.parent) is None
    assert contents_path(manager, root.parent / "home2") is None


def test_a_link_below_the_root_is_where_its_folder_is(root: Path) -> None:
    (root / "linked").symlink_to(root.parent / "elsewhere")
    manager = LargeFileManager(root_dir=str(root))

    assert contents_path(manager, root / "linked" / "vault") == "linked/vault"
    assert manager.get("linked/vault", type="directory")["path"] == "linked/vault"


def test_a_link_to_a_folder_below_the_root_leads_there(root: Path) -> None:
    (root.parent / "short").symlink_to(root / "notes")

    assert contents_path(LargeFileManager(root_dir=str(root)), root.parent / "short" / "lab") == "notes/lab"


def test_a_root_that_is_a_link_makes_no_difference(root: Path) -> None:
    (root.parent / "shown").symlink_to(root)
    manager = LargeFileManager(root_dir=str(root.parent / "shown"))

    assert contents_path(manager, root / "notes") == "notes"
    assert contents_path(manager, root.parent / "shown" / "notes") == "notes"


def test_a_hidden_folder_has_one_only_where_jupyter_shows_such(root: Path) -> None:
    (root / ".hidden" / "lab").mkdir(parents=True)
    manager = LargeFileManager(root_dir=str(root))

    assert contents_path(manager, root / ".hidden" / "lab") is None
    manager.allow_hidden = True
    assert contents_path(manager, root / ".hidden" / "lab") == ".hidden/lab"


def test_a_manager_without_files_on_this_machine_has_none(root: Path) -> None:
    assert contents_path(ContentsManager(root_dir=str(root)), root) is None
