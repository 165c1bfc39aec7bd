"""The end of a server, asked for or not: soon, with nothing left behind, and the next start finds everything whole."""

from __future__ import annotations

import os
import pty
import random
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.discovery import read_private
from tests.server.jupyter import SECONDS, Jupyter
from tests.server.test_security import INITIALIZE, MCP_HEADERS

pytestmark = pytest.mark.slow

SOON = 3.0
"""Two seconds are promised; one is for a loaded machine."""
WORDS = ("sensor", "lamp", "flux", "gain", "drift", "cuvette", "chamber", "protocol", "sample", "leaf", "light")


def vault(root: Path, notes: int) -> Path:
    """A vault of so many notes of some kilobytes."""
    draw = random.Random(7)
    root.mkdir(parents=True)
    for number in range(notes):
        sections = (f"## Part {part}\n\n{' '.join(draw.choices(WORDS, k=150))}\n" for part in range(8))
        (root / f"{number}.md").write_text(f"# Note {number}\n\n[[{number // 2}]]\n\n" + "\n".join(sections))
    return root


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault whose indexing takes some seconds."""
    return vault(tmp_path_factory.mktemp("large") / "notes", 3000)


def left_behind(server: Jupyter) -> list[str]:
    """Processes of the server's session that still run, by what they were started with."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == server.process.pid and state != "Z":
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # it ended meanwhile
    return found


def stopped(server: Jupyter, sign: signal.Signals = signal.SIGTERM) -> None:
    """Stop it and look at what is left."""
    took = server.ends(sign)

    assert server.process.returncode == 0, server.log
    assert took < SOON, server.log
    assert left_behind(server) == []
    assert list((server.home / "runtime").glob(f"jupyter_kb-{server.process.pid}.json")) == []
    assert list((server.home / "data").rglob("owner.json")) == []
    assert "Traceback" not in server.log


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_server_stops_at_once(tmp_path: Path, sign: signal.Signals) -> None:
    with Jupyter(tmp_path, vault(tmp_path / "notes", 3)) as server:
        server.indexed("notes")
        stopped(server, sign)


def test_an_idle_server_stops_at_once_in_a_terminal(tmp_path: Path) -> None:
    terminal, stdin = pty.openpty()
    server = Jupyter(tmp_path, vault(tmp_path / "notes", 3)).start(stdin=stdin)
    os.close(stdin)
    try:
        server.indexed("notes")
        stopped(server, signal.SIGINT)
    finally:
        server.__exit__()
        os.close(terminal)


@pytest.mark.parametrize("moment", ["opening", "scanning", "embedding"])
def test_a_server_at_work_stops_soon(tmp_path: Path, large: Path, moment: str) -> None:
    config = {"JupyterKB": {"model": "none" if moment == "scanning" else "hashing:384"}}
    with Jupyter(tmp_path, large, config) as server:
        streams = [_stream(server) for _ in range(3)] if moment != "opening" else []
        if moment == "scanning":
            server.until(lambda status: status["indexing"], lambda: server.api("vaults/notes/status"))
        if moment == "embedding":
            server.until(lambda status: status["model"]["embedded"] > 0, lambda: server.api("vaults/notes/status"))
        searching = [threading.Thread(target=_search, args=(server,)) for _ in range(20)]
        for thread in searching:
            thread.start()

        stopped(server)

        for thread in searching:
            thread.join(SECONDS)
        for stream in streams:
            assert stream.recv(65536) in (b"", b"0\r\n\r\n")  # ended, not left hanging
            stream.close()


def test_a_model_that_is_loading_is_not_left_behind(tmp_path: Path) -> None:
    config = {"JupyterKB": {"model": "sentence-transformers/all-MiniLM-L6-v2"}}
    with Jupyter(tmp_path, vault(tmp_path / "notes", 50), config) as server:
        server.until(lambda running: len(running) > 1, lambda: left_behind(server))

        stopped(server)


def _search(server: Jupyter) -> None:
    try:
        server.ask("GET", "api/vaults/notes/search?q=lamp")
    except Exception:  # the server stops under it
        return


def _stream(server: Jupyter) -> socket.socket:
    """An MCP session whose stream is open."""
    answer = server.ask("POST", "mcp", json=INITIALIZE, headers=MCP_HEADERS)
    assert answer.status_code == 200, answer.text
    head = [
        f"GET {server.base}kb/mcp HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Authorization: token {server.token}",
        f"Mcp-Session-Id: {answer.headers['Mcp-Session-Id']}",
        "Accept: text/event-stream",
    ]
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
    connection.sendall("\r\n".join([*head, "", ""]).encode())
    assert b"200 OK" in connection.recv(65536)
    return connection


# ── killed ──────────────────────────────────────────────────────────────────────────────────────


def kill(server: Jupyter) -> None:
    """End it as a power cut would, and wait until nothing of it is left."""
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(SECONDS)
    server.until(lambda running: running == [], lambda: left_behind(server))


def test_a_server_killed_while_indexing_goes_on_at_the_next_start(tmp_path: Path, large: Path) -> None:
    with Jupyter(tmp_path, large) as server:
        server.until(lambda status: status["notes"] > 0, lambda: server.api("vaults/notes/status"))
        kill(server)
    with Jupyter(tmp_path, large) as server:
        status = server.indexed("notes")

        assert status["notes"] == 3000
        assert status["sections"] == 3000 * 9
        assert server.api("vaults/notes/search?q=lamp&mode=text")["total"] > 1000
        assert status["index_location"] is not None
        stopped(server)


def test_a_server_killed_while_embedding_goes_on_at_the_next_start(tmp_path: Path) -> None:
    root = vault(tmp_path / "notes", 400)
    config = {"JupyterKB": {"model": "hashing:384"}}
    with Jupyter(tmp_path, root, config) as server:
        server.until(lambda model: model["embedded"] > 0, lambda: server.api("vaults/notes/status")["model"])
        kill(server)
    with Jupyter(tmp_path, root, config) as server:
        model = server.until(
            lambda model: model["chunks"] > 0 and model["embedded"] == model["chunks"],
            lambda: server.api("vaults/notes/status")["model"],
        )

        assert model["problem"] is None
        assert server.api("vaults/notes/search?q=lamp+gain&mode=semantic&limit=1")["hits"]
        stopped(server)


def test_a_server_killed_while_editing_leaves_whole_notes(tmp_path: Path) -> None:
    root = vault(tmp_path / "notes", 20)
    before = {path.name: path.read_text() for path in root.iterdir()}
    with Jupyter(tmp_path, root) as server:
        server.indexed("notes")
        edits = _edits(server, 6)
        for _ in range(40):
            next(edits)
        kill(server)
    with Jupyter(tmp_path, root) as server:
        status = server.indexed("notes")
        assert status["notes"] == 20
        for path in root.iterdir():
            assert path.suffix == ".md", "a temporary file was left behind"
            text = path.read_text()
            assert text.startswith(before[path.name])
            assert set(text.removeprefix(before[path.name]).split("\n")) <= {"", "An edit."}
        stopped(server)


def _edits(server: Jupyter, count: int) -> Iterator[Any]:
    """Something for each edit that was done, while several go on without end on threads."""
    done = threading.Semaphore(0)

    def edit(number: int) -> None:
        draw = random.Random(number)
        while True:
            section = {"file": f"{draw.randrange(20)}.md", "heading_path": "Part 7"}
            try:
                shown = server.ask("GET", "api/vaults/notes/section", params=section)
                body = {"section": section, "operation": "append", "body": "\nAn edit.\n"}
                headers = {"If-Match": shown.headers["ETag"]}
                if server.ask("PATCH", "api/vaults/notes/section", json=body, headers=headers).status_code == 200:
                    done.release()
            except Exception:  # the server is killed under it
                return

    for number in range(count):
        threading.Thread(target=edit, args=(number,), daemon=True).start()
    while True:
        yield done.acquire(timeout=SECONDS)


# ── again ───────────────────────────────────────────────────────────────────────────────────────


def test_an_unchanged_vault_is_not_read_again(tmp_path: Path, large: Path) -> None:
    with Jupyter(tmp_path, large) as server:
        server.indexed("notes")
        stopped(server)
    with Jupyter(tmp_path, large) as server:
        assert server.api("vaults/notes/search?q=lamp&limit=1")["hits"]
        server.indexed("notes")
        assert "0 notes are new, 0 changed, 0 removed, 3000 as they were" in server.log
        stopped(server)


def test_kernels_find_the_server_by_its_record(tmp_path: Path) -> None:
    with Jupyter(tmp_path, vault(tmp_path / "notes", 3)) as server:
        server.indexed("notes")
        record = read_private(server.home / "runtime" / f"jupyter_kb-{server.process.pid}.json")

        assert record is not None
        assert record["vaults"] == {"notes": str(server.root)}
        assert record["default"] == "notes"
        assert record["token"] != server.token
        stopped(server)
