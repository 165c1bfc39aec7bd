"""Finding a server: in the order of the places, and past all that is old, damaged or not this user's."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb import discovery
from jupyter_kb.discovery import ServerRecord
from jupyter_kb.errors import InvalidRequestError, ServerNotFoundError

ENVIRONMENT = (
    "JUPYTER_KB_URL",
    "JUPYTER_KB_TOKEN",
    "JUPYTER_KB_INFO",
    "JPY_PARENT_PID",
    "JUPYTERHUB_API_TOKEN",
    "JUPYTERHUB_SERVICE_URL",
    "JUPYTERHUB_SERVICE_PREFIX",
)


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty runtime folder, and an environment without signs of a server."""
    folder = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work" / "notes"
    place.mkdir(parents=True)
    return place


def published(root: Path | str = "/nowhere", *, pid: int | None = None, token: str = "secret") -> Path:
    pid = pid or os.getpid()
    record = ServerRecord(pid=pid, url="http://127.0.0.1:5/kb/api", token=token, vaults={"v": str(root)}, default="v")
    return discovery.publish(record)


def jupyter(runtime: Path, root: Path, *, pid: int | None = None, port: int = 8888, **fields: Any) -> Path:
    pid = pid or os.getpid()
    runtime.mkdir(exist_ok=True)
    path = runtime / f"jpserver-{pid}.json"
    record = {"pid": pid, "url": f"http://localhost:{port}/base/", "token": "jt", "root_dir": str(root), "sock": ""}
    path.write_text(json.dumps({**record, **fields}))
    path.chmod(0o600)
    return path


def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("JUPYTER_KB_INFO", str(published()))
    monkeypatch.setenv("JUPYTER_KB_URL", "https://hub.example/user/ada")
    monkeypatch.setenv("JUPYTER_KB_TOKEN", "t")

    found = list(discovery.servers(folder))

    assert [(server.url, server.token) for server in found] == [("https://hub.example/user/ada/kb/api/", "t")]


def test_what_is_no_address_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("JUPYTER_KB_URL", "http://[")

    with pytest.raises(InvalidRequestError, match="JUPYTER_KB_URL is no address"):
        discovery.find(folder)


def test_a_kernel_finds_the_record_of_its_server(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("JUPYTER_KB_INFO", str(published()))

    found = discovery.find(folder)

    assert (found.url, found.token) == ("http://127.0.0.1:5/kb/api/", "secret")


def test_the_server_that_started_this_process_is_found(
    monkeypatch: pytest.MonkeyPatch, runtime: Path, folder: Path
) -> None:
    jupyter(runtime, Path("/nowhere"))
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))

    found = discovery.find(folder)

    assert (found.url, found.token) == ("http://localhost:8888/base/kb/api/", "jt")
    assert found.jupyter_url == "http://localhost:8888/base/"


def test_jupyterhub_names_its_server(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "ht")
    monkeypatch.setenv("JUPYTERHUB_SERVICE_URL", "http://0.0.0.0:49152/user/ada/")
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")

    found = discovery.find(folder)

    assert (found.url, found.token) == ("http://127.0.0.1:49152/user/ada/kb/api/", "ht")


def test_the_running_server_whose_root_holds_the_folder_is_found(runtime: Path, folder: Path) -> None:
    jupyter(runtime, folder.parent)

    assert discovery.find(folder).url == "http://localhost:8888/base/kb/api/"
    assert discovery.find(folder / "deeper").token == "jt"
    with pytest.raises(ServerNotFoundError):
        discovery.find(folder.parent.parent)


def test_the_nearest_root_wins_and_a_tie_is_not_guessed(runtime: Path, folder: Path) -> None:
    jupyter(runtime, folder.parent.parent)
    jupyter(runtime, folder, pid=os.getppid(), port=9999)
    nearest = discovery.find(folder).url
    jupyter(runtime, folder)

    assert nearest == "http://localhost:9999/base/kb/api/"
    with pytest.raises(ServerNotFoundError):
        discovery.find(folder)


def test_a_server_whose_vault_holds_the_folder_counts_as_one_whose_root_does(runtime: Path, folder: Path) -> None:
    published(folder)
    jupyter(runtime, folder)  # the same process

    found = list(discovery.servers(folder))

    assert [server.token for server in found] == ["secret"]
    assert found[0].jupyter_url == "http://localhost:8888/base/"


def test_what_was_looked_at_is_told(folder: Path, runtime: Path) -> None:
    with pytest.raises(ServerNotFoundError) as caught:
        discovery.find(folder)

    looked = caught.value.details["looked"]
    assert looked[:3] == ["JUPYTER_KB_URL", "JUPYTER_KB_INFO", "JPY_PARENT_PID"]
    assert str(runtime) in looked[-1]


NOWHERE = json.dumps({"pid": os.getpid(), "url": "http://[", "token": "secret"})


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 0}', "[" * 100_000, '{"pid": "1", "url": 5}', NOWHERE])
def test_a_damaged_record_is_passed_over(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    path = published(folder)
    path.write_text(text)
    monkeypatch.setenv("JUPYTER_KB_INFO", str(path))

    assert list(discovery.servers(folder)) == []


def test_the_record_of_a_dead_server_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, runtime: Path, folder: Path
) -> None:
    pid = dead()
    monkeypatch.setenv("JUPYTER_KB_INFO", str(published(folder, pid=pid)))
    monkeypatch.setenv("JPY_PARENT_PID", str(pid))
    jupyter(runtime, folder, pid=pid)

    assert list(discovery.servers(folder)) == []


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_record_that_others_may_read_or_write_is_not_believed(folder: Path, mode: int) -> None:
    published(folder).chmod(mode)

    assert list(discovery.servers(folder)) == []


def test_a_record_is_for_its_user_alone_and_leaves_with_its_server(runtime: Path) -> None:
    path = published(token="hidden")
    mode = stat.S_IMODE(path.stat().st_mode)
    record = ServerRecord(pid=1, url="http://h/", token="hidden")
    discovery.withdraw(path)
    discovery.withdraw(path)

    assert mode == 0o600
    assert list(runtime.iterdir()) == []
    assert "hidden" not in repr(record)


def test_a_server_on_a_unix_socket_alone_is_passed_over(runtime: Path, folder: Path) -> None:
    jupyter(runtime, folder, sock="/run/jupyter.sock", url="http+unix://%2Frun%2Fjupyter.sock/")

    assert list(discovery.servers(folder)) == []


def test_finding_imports_neither_database_nor_server_nor_model(folder: Path) -> None:
    program = (
        "import sys, jupyter_kb.discovery, jupyter_kb.client.connect; "
        "print(*{'duckdb', 'torch', 'tornado', 'numpy'} & set(sys.modules))"
    )
    path = os.pathsep.join([str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )

    assert done.stdout.split() == []
