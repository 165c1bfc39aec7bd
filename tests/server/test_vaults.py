"""The vaults of a server: opened on threads, told apart by name, let go of together."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.errors import IndexUnavailableError, KBError, VaultNotFoundError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.server import vaults as hosting
from jupyter_kb.server.vaults import Vaults
from jupyter_kb.settings import Settings


def opened(name: str, root: Path) -> Any:
    return KnowledgeBase.open(root, settings=Settings(model="none"), in_memory=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "one.md").write_text("# One\n")
    return tmp_path


def test_a_vault_is_opened_once_and_kept(root: Path) -> None:
    vaults = Vaults({"lab": root / "lab"}, "lab", opened)
    vaults.start()

    assert vaults.get("lab") is vaults.get("lab")
    assert [(info.name, info.ready, info.is_default, info.problem) for info in vaults.list()] == [
        ("lab", True, True, None)
    ]
    assert vaults.close(10)


def test_a_name_that_no_vault_has_is_answered_with_near_ones(root: Path) -> None:
    vaults = Vaults({"lab": root / "lab", "spare": root / "lab"}, "lab", opened)

    with pytest.raises(VaultNotFoundError) as caught:
        vaults.get("lap")
    assert caught.value.details["suggestions"][0] == "lab"
    assert caught.value.hint == "did you mean 'lab'?"


def test_who_comes_before_it_is_open_waits(root: Path) -> None:
    go = threading.Event()
    vaults = Vaults({"lab": root / "lab"}, "lab", lambda name, root: (go.wait(10), opened(name, root))[1])
    vaults.start()
    assert not vaults.list()[0].ready
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(vaults.get("lab").tree()))
    asking.start()
    go.set()
    asking.join(10)

    assert list(found[0].files) == ["one.md"]
    assert vaults.close(10)


def test_a_folder_that_is_missing_is_a_problem_of_this_vault_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "_RETRY", 0.0)
    vaults = Vaults({"gone": root / "gone", "lab": root / "lab"}, "lab", opened)
    with pytest.raises(VaultNotFoundError):
        vaults.get("gone")
    assert "does not exist" in str(vaults.list()[0].problem)
    assert vaults.get("lab").status().notes == 0

    (root / "gone").mkdir()  # a network folder that came late

    assert vaults.get("gone").status().root == str(root / "gone")
    assert vaults.list()[0].problem is None
    assert vaults.close(10)


def test_a_defect_in_opening_is_told_without_its_details(root: Path) -> None:
    def broken(name: str, root: Path) -> Any:
        raise RuntimeError("a secret")

    vaults = Vaults({"lab": root / "lab"}, "lab", broken)

    with pytest.raises(IndexUnavailableError, match="cannot be opened"):
        vaults.get("lab")


def test_closing_tells_those_who_wait_and_closes_what_is_still_being_opened(root: Path) -> None:
    begun, go, closed = threading.Event(), threading.Event(), threading.Event()

    def slow(name: str, root: Path) -> Any:
        begun.set()
        go.wait(10)
        knowledge_base = opened(name, root)
        knowledge_base.meaning.close = closed.set
        return knowledge_base

    vaults = Vaults({"lab": root / "lab"}, "lab", slow)
    errors: list[KBError] = []

    def ask() -> None:
        try:
            vaults.get("lab")
        except KBError as error:
            errors.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    begun.wait(10)
    assert vaults.close(10)
    asking.join(10)

    assert "stopping" in str(errors[0])
    go.set()
    assert closed.wait(10)
    with pytest.raises(IndexUnavailableError, match="stopping"):
        vaults.get("lab")
