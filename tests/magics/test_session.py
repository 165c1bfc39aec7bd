"""The way from a kernel to a vault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyter_kb.client import Client
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.magics import extension
from jupyter_kb.magics.session import Session
from jupyter_kb.models import VaultInfo
from jupyter_kb.operations import Operations
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings
from tests.magics.shells import Notebook


class Host:
    """A server of two vaults that can be started again, on another port and with another secret."""

    def __init__(self, folder: Path, demo_vault: Path) -> None:
        other = folder / "other"
        other.mkdir()
        (other / "only.md").write_text("# Only here\n", encoding="utf-8")
        self._roots = {"lab": demo_vault, "other": other}
        self._open = {
            name: KnowledgeBase.open(root, settings=Settings(model="none"), in_memory=True)
            for name, root in self._roots.items()
        }
        self._starts = 0
        self.connections = 0
        self.start()

    def list(self) -> tuple[VaultInfo, ...]:
        return tuple(
            VaultInfo(name=name, root=str(root), is_default=name == "lab", ready=True)
            for name, root in self._roots.items()
        )

    def get(self, name: str) -> KnowledgeBase:
        return self._open[name]

    def start(self) -> None:
        self._starts += 1
        self._secret = f"secret-{self._starts}"
        self._server = LoopbackServer(self, self._secret)
        self._server.start()

    def stop(self) -> None:
        self._server.close()

    def close(self) -> None:
        self.stop()
        for kb in self._open.values():
            kb.close()

    def connect(self, path: str | None) -> Operations:
        self.connections += 1
        name = next((vault.name for vault in self.list() if vault.root == path), "lab")
        return Client(self._server.url, self._secret, timeout=5).vault(name)


@pytest.fixture
def host(tmp_path: Path, demo_vault: Path) -> Iterator[Host]:
    host = Host(tmp_path, demo_vault)
    yield host
    host.close()


@pytest.fixture
def notebook(host: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Notebook]:
    """A shell that reaches the host over HTTP."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    vaults: Sequence[VaultInfo] = host.list()
    extension.load(shell, Session(host.connect, lambda: vaults))
    yield Notebook(shell)
    extension.unload(shell)
    InteractiveShell.clear_instance()


def test_nothing_is_connected_before_the_first_command(notebook: Notebook, host: Host) -> None:
    notebook.run("%kb")
    notebook.run("%kb search -h")
    assert host.connections == 0

    notebook.run("%kb status")
    notebook.run("%kb search gain")
    assert host.connections == 1


def test_vaults_of_the_server_are_listed_and_chosen_by_name(notebook: Notebook, demo_vault: Path) -> None:
    listed = notebook.run("%kb use")
    assert [vault.name for vault in listed.known] == ["lab", "other"]
    assert listed.current == str(demo_vault)

    assert notebook.run("%kb use other").status.notes in (0, 1)  # perhaps before its first scan
    assert [hit.file for hit in notebook.run("%kb search only")] == ["only.md"]
    assert notebook.run("%kb use").current != str(demo_vault)
    assert "did you mean 'other'?" in notebook.fails("%kb use othr")
    assert notebook.complete("%kb use o") == ["%kb use other"]


def test_what_was_read_in_one_vault_is_not_read_in_another(notebook: Notebook, tmp_path: Path) -> None:
    (tmp_path / "other" / "inbox.md").write_text("# Inbox\n\n## Ideas\n\nOthers'.\n", encoding="utf-8")
    notebook.run("%kb get inbox > Ideas")
    notebook.run("%kb use other")

    assert "has not read 'Ideas'" in notebook.fails("%%kb edit inbox > Ideas\nmine")
    notebook.run("%kb use lab")
    notebook.run("%%kb edit inbox > Ideas\nmine")


def test_a_server_that_was_started_again_is_found_again(notebook: Notebook, host: Host) -> None:
    notebook.run("%kb use other")
    host.stop()
    assert notebook.fails("%kb search only")

    host.start()
    assert [hit.file for hit in notebook.run("%kb search only")] == ["only.md"]
    assert host.connections == 2


def test_undecodable_text_crosses_the_wire_and_is_shown_safely(notebook: Notebook, demo_vault: Path) -> None:
    (demo_vault / "bytes.md").write_bytes(b"# A\n\n\xff\x1b[31m\n")
    section = notebook.run("%kb get bytes > A")

    assert section.text.encode("utf-8", "surrogateescape") == b"# A\n\n\xff\x1b[31m"
    for shown in section._repr_mimebundle_().values():
        assert "�␛[31m" in shown
