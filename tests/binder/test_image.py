"""Binder's files as repo2docker reads them, and the steps of its image in a clean environment."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from repo2docker.app import Repo2Docker
from repo2docker.buildpacks import BuildPack, PythonBuildPack

from tests.server.jupyter import SECONDS

ROOT = Path(__file__).parents[2]
USER_STEPS = "${NB_USER}"


@pytest.fixture
def buildpack(monkeypatch: pytest.MonkeyPatch) -> BuildPack:
    """What repo2docker takes the checkout for."""
    monkeypatch.chdir(ROOT)
    packs = [kind("buildpack-deps:jammy") for kind in Repo2Docker().buildpacks]
    return next(pack for pack in packs if pack.detect())


def test_repo2docker_takes_the_binder_folder_and_its_python(buildpack: BuildPack) -> None:
    assert type(buildpack) is PythonBuildPack
    assert buildpack.binder_dir == "binder"
    assert buildpack.python_version == "3.11"
    assert buildpack.get_post_build_scripts() == ["binder/postBuild"]
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)


def test_nothing_before_the_last_step_brings_torch(buildpack: BuildPack) -> None:
    # by itself it would be the build with CUDA, which does not fit
    wanted = (ROOT / "binder" / "requirements.txt").read_text()
    assert not any(line.startswith(("torch", "sentence", ".", "jupyter-kb")) for line in wanted.splitlines())
    steps = [script for _, script in buildpack.get_preassemble_scripts() + buildpack.get_assemble_scripts()]
    assert all("torch" not in step for step in steps)


def test_the_workspace_opens_what_there_is() -> None:
    workspace = json.loads((ROOT / "binder" / "workspace.json").read_text())["data"]
    for widget in workspace["layout-restorer:data"]["main"]["dock"]["widgets"]:
        assert (ROOT / workspace[widget]["data"]["path"]).is_file()
    sources = "".join(path.read_text() for path in (ROOT / "labextension" / "src").rglob("*.ts*"))
    for side in ("left", "right"):
        for panel in workspace["layout-restorer:data"][side]["widgets"]:
            assert panel == "filebrowser" or f"'{panel}'" in sources, panel


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A checkout and an environment in which the image's steps have been run as its user runs them."""
    work = tmp_path_factory.mktemp("image")
    checkout, home, prefix = work / "checkout", work / "home", work / "prefix"
    home.mkdir()
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, files.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_bytes((ROOT / name).read_bytes())
            (checkout / name).chmod((ROOT / name).stat().st_mode)
    venv.create(prefix, with_pip=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER_", "JPY_", "PYTHON"))
    }
    environment |= {
        "HOME": str(home),
        "PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "NB_PYTHON_PREFIX": str(prefix),
        "KERNEL_PYTHON_PREFIX": str(prefix),
        "TORCH_INDEX_URL": _index(),  # this machine may not reach PyTorch's own
    }
    os.chdir(checkout)
    try:
        pack = PythonBuildPack("buildpack-deps:jammy")
        assert pack.detect()
        steps = [
            script
            for user, script in pack.get_preassemble_scripts() + pack.get_assemble_scripts()
            if user == USER_STEPS
        ]
        steps += [shlex.quote(str(checkout / script)) for script in pack.get_post_build_scripts()]
    finally:
        os.chdir(ROOT)
    for step in steps:
        done = subprocess.run(["bash", "-c", step], cwd=checkout, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{step}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return checkout, environment


def _index() -> str:
    """The package index that pip uses here."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True
    )
    return os.environ.get("PIP_INDEX_URL") or asked.stdout.strip() or "https://pypi.org/simple"


@pytest.mark.slow
def test_the_image_opens_the_tour_with_the_vault_indexed(image: tuple[Path, dict[str, str]]) -> None:
    checkout, environment = image
    command = ["jupyter", "lab", "--no-browser", "--allow-root", "--ServerApp.port=0", "--IdentityProvider.token=t"]
    with subprocess.Popen(
        command, cwd=checkout, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        too_late = threading.Timer(SECONDS, process.kill)
        too_late.start()
        try:
            assert process.stderr is not None
            lines: list[str] = []
            for line in process.stderr:
                lines.append(line)
                if address := re.search(r"http://127\.0\.0\.1:\d+(?=/lab/workspaces/demo\?)", line):
                    break
            else:
                raise AssertionError("".join(lines))
            too_late.cancel()
            threading.Thread(target=process.stderr.read, daemon=True).start()
            ask = Asking(address[0])
            [vault] = ask.json("kb/api/vaults")["vaults"]
            assert (vault["name"], vault["contents_path"]) == ("lab-notes", "notebooks/vault")
            status = ask.until("kb/api/vaults/lab-notes/status", lambda status: status["last_scan"] is not None)
            notes = [path for path in (checkout / "notebooks" / "vault").rglob("*.md") if "scratch" not in path.parts]
            assert status["notes"] == len(notes)  # .kbignore leaves out what is in scratch
            assert status["model"]["chunks"] == status["model"]["embedded"] > 0
            assert ask.json("api/contents/notebooks/tour.ipynb?content=0")["type"] == "notebook"
            assert "notebook:notebooks/tour.ipynb" in ask.json("lab/api/workspaces/demo")["data"]
            assert "jupyter-kb" in ask.text("lab")
        finally:
            too_late.cancel()
            process.terminate()


class Asking:
    """Questions to a server with the token `t`."""

    def __init__(self, base: str) -> None:
        self.base = base

    def text(self, path: str) -> str:
        """The body of an answer."""
        answer = httpx2.get(
            f"{self.base}/{path}", headers={"Authorization": "token t"}, timeout=SECONDS, follow_redirects=True
        )
        assert answer.status_code == 200, answer.text
        return answer.text

    def json(self, path: str) -> Any:
        """The body as JSON."""
        return json.loads(self.text(path))

    def until(self, path: str, wanted: Callable[[Any], bool]) -> Any:
        """The body once it is as wanted."""
        deadline = time.monotonic() + SECONDS
        while not wanted(value := self.json(path)):
            assert time.monotonic() < deadline, value
            threading.Event().wait(0.05)
        return value
