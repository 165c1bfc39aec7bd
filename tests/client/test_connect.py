"""connect: the vault that is meant, from the server that has it; a script without a server opens it itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import jupyter_kb
from jupyter_kb import discovery
from jupyter_kb.client import VaultClient
from jupyter_kb.discovery import ServerRecord
from jupyter_kb.errors import ServerNotFoundError, ServerUnreachableError, VaultNotFoundError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import SectionRef
from jupyter_kb.rest.loopback import LoopbackServer
from tests.client.test_client import Vaults
from tests.test_discovery import ENVIRONMENT

SCRIPT = """
import json, jupyter_kb, sys
vault = jupyter_kb.connect(*sys.argv[1:])
status = vault.status()
print(json.dumps([type(vault).__name__, status.root, sorted({"duckdb", "torch", "tornado"} & set(sys.modules))]))
"""


@pytest.fixture(autouse=True)
def _no_signs_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("RUNTIME", "DATA"):
        monkeypatch.setenv(f"JUPYTER_{kind}_DIR", str(tmp_path / kind.lower()))
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def vaults(tmp_path: Path) -> Iterator[Vaults]:
    opened = {}
    for name, folder in (("lab", "lab"), ("inner", "lab/inner"), ("home", "home")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(f"# {name}\n")
        opened[name] = KnowledgeBase.open(tmp_path / folder, in_memory=True)
    offered = Vaults(opened)
    offered.default = "home"
    yield offered
    for kb in opened.values():
        kb.close()


@pytest.fixture
def server(vaults: Vaults, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server that this process finds as a kernel does."""
    with LoopbackServer(vaults, "secret") as server:
        roots = {vault.name: vault.root for vault in vaults.list()}
        path = discovery.publish(ServerRecord(pid=os.getpid(), url=server.url, token="secret", vaults=roots))
        monkeypatch.setenv(discovery.INFO_VARIABLE, str(path))
        yield server


def name_of(path: str | Path | None = None) -> str:
    vault = jupyter_kb.connect(path)
    assert isinstance(vault, VaultClient)
    with vault:
        return vault.name


def script(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A script of its own, in a folder."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.usefixtures("server")
def test_the_vault_that_holds_the_working_folder_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path / "lab" / "inner")
    inside = name_of()
    monkeypatch.chdir(tmp_path / "lab")
    outside = name_of()
    monkeypatch.chdir(tmp_path)

    assert (inside, outside, name_of()) == ("inner", "lab", "home")


@pytest.mark.usefixtures("server")
def test_a_folder_a_note_or_a_name_may_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert [name_of(path) for path in (tmp_path / "lab", "lab/inner/a.md", "lab", "inner")] == [
        "lab",
        "inner",
        "lab",
        "inner",
    ]
    with pytest.raises(VaultNotFoundError):
        jupyter_kb.connect("nothing-of-this-name")


def test_a_kernel_is_told_when_its_server_has_no_knowledge_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_PARENT_PID", "1")

    with pytest.raises(ServerNotFoundError) as caught:
        jupyter_kb.connect()

    assert caught.value.details["looked"]
    assert "is jupyter-kb installed where the server runs" in str(caught.value.hint)


def test_a_server_that_the_environment_names_must_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUPYTER_KB_URL", "http://127.0.0.1:9/")

    with pytest.raises(ServerUnreachableError, match="no server answers"):
        jupyter_kb.connect(tmp_path)


@pytest.mark.usefixtures("server")
def test_a_program_that_finds_a_server_imports_no_database(tmp_path: Path) -> None:
    done = script(tmp_path / "lab")

    assert json.loads(done.stdout) == ["VaultClient", str(tmp_path / "lab"), []]


def test_a_script_without_a_server_opens_the_vault_itself(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n")
    unknown = script(tmp_path / "notes")
    named = script(tmp_path, str(tmp_path / "notes"))
    known = script(tmp_path / "notes")  # by now it is a vault

    assert "no Jupyter server was found, and the working folder is no vault" in unknown.stderr
    for done in (named, known):
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)[:2] == ["SharedKnowledgeBase", str(tmp_path / "notes")]


def test_two_scripts_may_open_the_same_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n")
    first = jupyter_kb.connect(tmp_path / "notes")
    try:
        second = script(tmp_path, str(tmp_path / "notes"))
        assert json.loads(second.stdout)[0] == "SharedKnowledgeBase"
        assert first.get_section(SectionRef(file="a.md")).content == "# A\n"
    finally:
        first.close()  # type: ignore[attr-defined]
