"""A notebook with each magic, executed by a real kernel: alone, with another process, and with a Jupyter server."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from jupyter_kb.index.location import locate
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import VaultInfo
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
OTHERS = "import pathlib; note = pathlib.Path('vault/inbox.md'); text = note.read_text(); "
CELLS = [
    "%load_ext jupyter_kb",
    "%kb use vault",
    "%kb status",
    "%kb search how long is dark adaptation?",
    "hits = %kb search gain -n 3",
    "len(hits), hits[0].file, len(hits.to_frame())",
    "%kb outline npq-protocol",
    "%kb get inbox > Ideas",
    "%kb backlinks kestrel > Daily check",
    "%kb links npq-protocol > Sequence",
    "%%kb edit inbox > Ideas --dry-run\n- A standing teapot.",
    "%%kb edit inbox > Ideas\n- A standing teapot.",
    "%kb search teapot --mode text",
    "%kb insert inbox > Ideas",
    f"{OTHERS}note.write_text(text.replace('- A standing teapot.', '- A fallen teapot.'))",
    "%%kb edit inbox > Ideas\n- lost?",
    "%kb reindex",
    "%kb serch",
]


class Executed:
    """The cells of a notebook that was run, by their source."""

    def __init__(self, folder: Path, cells: list[str], environment: dict[str, str]) -> None:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=120,
            allow_errors=True,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute(env={**os.environ, "PYTHONPATH": str(ROOT), **environment})
        self._outputs = {cell.source: cell.outputs for cell in notebook.cells}

    def shown(self, cell: str, kind: str = "text/plain") -> str:
        """What a cell shows in one of its forms."""
        found = [output.data[kind] for output in self._outputs[cell] if "data" in output and kind in output.data]
        assert len(found) == 1, self._outputs[cell]
        return str(found[0])

    def error(self, cell: str) -> str:
        """The line with which a cell failed."""
        (found,) = [output for output in self._outputs[cell] if output.output_type == "error"]
        assert found.ename == "MagicError"
        assert len(found.traceback) == 1
        return str(found.evalue)

    def outputs(self, cell: str) -> list[Any]:
        """All that a cell gave."""
        return list(self._outputs[cell])


@pytest.fixture
def home(demo_vault: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the notebook, with the demo vault in it; whoever opens that uses no model."""
    locate(demo_vault).save(Settings(model="none"))
    monkeypatch.setenv("IPYTHONDIR", str(demo_vault.parent / "ipython"))
    return demo_vault.parent


@pytest.fixture
def loopback(demo_vault: Path) -> Iterator[dict[str, str]]:
    """The environment that leads a kernel to a process that owns the vault's index."""
    with KnowledgeBase.open(demo_vault, settings=Settings(model="none"), in_memory=True) as kb:

        class Vaults:
            def list(self) -> tuple[VaultInfo, ...]:
                return (VaultInfo(name="vault", root=str(demo_vault), is_default=True, ready=True),)

            def get(self, name: str) -> KnowledgeBase:
                return kb

        secret = secrets.token_hex()
        server = LoopbackServer(Vaults(), secret)
        server.start()
        try:
            yield {"JUPYTER_KB_URL": server.url, "JUPYTER_KB_TOKEN": secret}
        finally:
            server.close()


@pytest.fixture
def jupyter(home: Path) -> Iterator[dict[str, str]]:
    """The environment that leads a kernel to a running Jupyter server whose vault is the demo vault."""
    token = secrets.token_hex()
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", f"--ServerApp.port={port}"]
    command += [f"--IdentityProvider.token={token}", "--ServerApp.jpserver_extensions={'jupyter_kb': True}"]
    command += [f"--ServerApp.root_dir={home}", "--allow-root", "--JupyterKB.model=none"]
    command += [f"--JupyterKB.vaults={{'vault': '{home / 'vault'}'}}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=home)
        try:
            url = f"http://127.0.0.1:{port}/kb/api"
            _wait_for(f"{url}/vaults", token, server, home / "server.log")
            yield {"JUPYTER_KB_URL": url, "JUPYTER_KB_TOKEN": token}
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_for(url: str, token: str, server: subprocess.Popen[bytes], log: Path) -> None:
    request = urllib.request.Request(url, headers={"Authorization": f"token {token}"})
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(request, timeout=10).close()
            return
        except (urllib.error.URLError, OSError):
            alive = server.poll() is None and time.monotonic() < deadline
            assert alive, log.read_text(encoding="utf-8", errors="replace")
            server_ended = _ended_within(server, 0.1)
            assert not server_ended, log.read_text(encoding="utf-8", errors="replace")


def _ended_within(server: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        server.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


@pytest.mark.parametrize("way", ["embedded", "loopback", "jupyter"])
def test_a_notebook_shows_each_magic(home: Path, way: str, request: pytest.FixtureRequest) -> None:
    environment: dict[str, str] = {} if way == "embedded" else request.getfixturevalue(way)
    run = Executed(home, CELLS, environment)

    assert run.outputs("%load_ext jupyter_kb") == []
    assert str(home / "vault") in run.shown("%kb status")
    found = "%kb search how long is dark adaptation?"
    assert "npq-protocol.md" in run.shown(found)
    assert '<div class="jupyter-kb kb-wide">' in run.shown(found, "text/html")
    assert "- [[glossary#Dark adaptation|glossary > Dark adaptation]]: " in run.shown(found, "text/markdown")
    assert run.outputs("hits = %kb search gain -n 3") == []
    assert run.shown("len(hits), hits[0].file, len(hits.to_frame())").startswith("(3, '")
    assert "Dark adaptation time" in run.shown("%kb outline npq-protocol")
    assert "Hanne suggests" in run.shown("%kb get inbox > Ideas")
    assert "methods/npq-protocol.md" in run.shown("%kb backlinks kestrel > Daily check")
    assert "glossary.md > Glossary > Saturating pulse" in run.shown("%kb links npq-protocol > Sequence")
    assert run.shown("%%kb edit inbox > Ideas --dry-run\n- A standing teapot.").startswith("would write inbox.md")
    assert run.shown("%%kb edit inbox > Ideas\n- A standing teapot.").startswith(
        "wrote inbox.md > Inbox > Ideas\nnew hash"
    )
    assert "[0] inbox.md > Inbox > Ideas" in run.shown("%kb search teapot --mode text")
    assert "in the cell below" in run.shown("%kb insert inbox > Ideas")
    conflict = "%%kb edit inbox > Ideas\n- lost?"
    assert run.error(conflict).startswith("not written: 'Ideas' changed since it was read")
    assert "Your text, not written" in run.shown(conflict, "text/html")
    assert "inbox.md" in run.shown("%kb reindex")
    assert run.error("%kb serch") == "there is no command 'serch'; did you mean 'search'?"
    assert "- A fallen teapot." in (home / "vault" / "inbox.md").read_text(encoding="utf-8")


def test_a_refused_edit_stops_the_notebook(home: Path) -> None:
    cells = ["%load_ext jupyter_kb", "%kb use vault", "%%kb edit inbox > Ideas\nunseen", "ran_on = True"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, kernel_name="python3", timeout=120, resources={"metadata": {"path": str(home)}})

    with pytest.raises(CellExecutionError, match="has not read 'Ideas'"):
        client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert notebook.cells[-1].execution_count is None


def test_a_front_end_is_asked_for_a_cell_and_offered_completions(home: Path, loopback: dict[str, str]) -> None:
    manager, client = start_new_kernel(cwd=str(home), env={**os.environ, "PYTHONPATH": str(ROOT), **loopback})
    try:
        client.execute_interactive("%load_ext jupyter_kb", timeout=60)
        reply = client.execute_interactive("%kb insert inbox > Ideas", timeout=60, output_hook=lambda message: None)
        (payload,) = reply["content"]["payload"]
        assert payload["source"] == "set_next_input"
        assert payload["text"].startswith("## Ideas\n\nHanne suggests")
        assert payload["replace"] is False

        line = "%kb get npq-protocol > Seq"
        found = client.complete(line, reply=True, timeout=60)["content"]
        assert found["matches"] == ["NPQ protocol > Sequence"]
        assert line[found["cursor_start"] : found["cursor_end"]] == "Seq"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_loading_is_quick_and_light() -> None:
    program = (
        "import sys, time\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "before = set(sys.modules)\n"
        "start = time.process_time()\n"
        "shell.run_line_magic('load_ext', 'jupyter_kb')\n"
        "print(time.process_time() - start)\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    seconds, modules = done.stdout.splitlines()

    heavy = {
        "click",
        "duckdb",
        "httpx2",
        "markdown_it",
        "mcp",
        "numpy",
        "pandas",
        "pydantic",
        "torch",
        "tornado",
        "yaml",
    }
    assert heavy & {name.partition(".")[0] for name in modules.split()} == set()
    assert float(seconds) < 1.0  # 0.2 on an idle machine
