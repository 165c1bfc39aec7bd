"""How a Jupyter server feels while the extension works: `python -m tests.benchmarks.serving FOLDER` prints JSON.

Asked all the while: Jupyter's own `/api/status`, and a kernel through its websocket. Figures are in milliseconds, for
five times: nothing to do, indexing, the model being loaded, embedding (the first minute of it), 50 searches at once.
Other programs on the machine count, too: the figures of the idle time say how much.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import websocket

from tests.server.jupyter import Jupyter

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PAUSE = 0.02
"""Seconds between two questions of a probe."""
SEARCHES = 50


class Probe:
    """Asks again and again on a thread; the times are put under the name of the phase."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self._ask = ask
        self.phase = "idle"
        self.times: dict[str, list[float]] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._ended.wait(PAUSE):
            phase, begin = self.phase, time.perf_counter()
            self._ask()
            self.times.setdefault(phase, []).append((time.perf_counter() - begin) * 1000)

    def end(self) -> None:
        """Ask no more."""
        self._ended.set()
        self._thread.join()

    def figures(self, name: str) -> dict[str, float]:
        """Median, 99th percentile and worst of each phase."""
        found = {}
        for phase, times in self.times.items():
            ordered = sorted(times)
            found[f"{name}_{phase}_p50"] = statistics.median(ordered)
            found[f"{name}_{phase}_p99"] = ordered[min(int(len(ordered) * 0.99), len(ordered) - 1)]
            found[f"{name}_{phase}_max"] = ordered[-1]
        return found


def echo(server: Jupyter) -> Callable[[], None]:
    """A question to a new kernel: runs one expression and waits for its reply."""
    headers = {"Authorization": f"token {server.token}"}
    kernel = server.client.post("api/kernels", headers=headers, json={}).raise_for_status().json()["id"]
    connection = websocket.create_connection(
        f"ws://127.0.0.1:{server.port}{server.base}api/kernels/{kernel}/channels",
        header=headers,
        timeout=120,
        sockopt=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # as browsers do
    )

    def ask() -> None:
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "username": "", "session": "s", "version": "5.3"}
        content = {"code": "1", "silent": True, "store_history": False, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        connection.send(json.dumps(message))
        while True:
            assert connection.sock is not None
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)  # Jupyter's frames wait for it
            answer = json.loads(connection.recv())
            if answer["msg_type"] == "execute_reply" and answer["parent_header"]["msg_id"] == number:
                return

    ask()
    return ask


@contextmanager
def probed(server: Jupyter) -> Iterator[tuple[Probe, Probe]]:
    """Both probes, at work."""
    headers = {"Authorization": f"token {server.token}"}
    with httpx2.Client(base_url=server.url, timeout=120, headers=headers) as client:

        def status() -> None:
            client.get("api/status").raise_for_status()

        asking = echo(server)
        status()
        probes = Probe(status), Probe(asking)
        try:
            yield probes
        finally:
            for probe in probes:
                probe.end()


def wait(seconds: float, condition: Callable[[], bool]) -> float:
    """Wait until a condition holds, at most so long; how long that took."""
    begin = time.monotonic()
    while not condition() and time.monotonic() - begin < seconds:
        threading.Event().wait(0.5)
    return time.monotonic() - begin


def at_work(home: Path, empty: Path, vault: Path, seconds: float) -> dict[str, float]:
    """How it feels while indexing, embedding and searching; the vault is indexed afterwards."""
    figures: dict[str, float] = {}
    config: dict[str, dict[str, Any]] = {"JupyterKB": {"model": MODEL, "vaults": {"empty": str(empty)}}}
    with Jupyter(home / "idle", empty, config) as server:
        wait(60, lambda: server.api("vaults/empty/status")["last_scan"] is not None)
        with probed(server) as probes:
            wait(seconds / 2, lambda: False)
        figures |= probes[0].figures("status") | probes[1].figures("echo")
        server.ends()
    config["JupyterKB"]["vaults"] = {"vault": str(vault)}
    with Jupyter(home, empty, config) as server:
        with probed(server) as probes:

            def enter(phase: str) -> None:
                for probe in probes:
                    probe.phase = phase

            def status() -> dict[str, Any]:
                found: dict[str, Any] = server.api("vaults/vault/status")
                return found

            enter("indexing")
            figures["indexing_s"] = wait(600, lambda: status()["last_scan"] is not None)
            enter("loading")
            wait(60, lambda: status()["model"]["embedded"] > 0)
            enter("embedding")
            wait(seconds, lambda: False)
            figures["embedded_per_s"] = status()["model"]["embedded"] / seconds
            enter("searching")
            figures |= searches(server)
        figures |= probes[0].figures("status") | probes[1].figures("echo")
        figures["stop_s"] = server.ends()
    return figures


def searches(server: Jupyter) -> dict[str, float]:
    """Many searches at the same time."""
    words = ["plugin", "theme", "community", "graph view", "daily notes", "how do I publish a vault", "css snippet"]

    def search(number: int) -> tuple[int, float]:
        begin = time.perf_counter()
        query = {"q": words[number % len(words)]}
        answer = server.ask("GET", "api/vaults/vault/search", params=query)
        return answer.status_code, (time.perf_counter() - begin) * 1000

    with ThreadPoolExecutor(SEARCHES) as threads:
        done = list(threads.map(search, range(SEARCHES)))
    times = sorted(took for _, took in done)
    return {
        "searches_answered": sum(code == 200 for code, _ in done),
        "searches_p50": statistics.median(times),
        "searches_max": times[-1],
    }


def restart(home: Path, empty: Path, vault: Path) -> dict[str, float]:
    """How soon the vault can be searched again, and how long Jupyter takes by itself."""
    config = {"JupyterKB": {"model": MODEL, "vaults": {"vault": str(vault)}}}
    begin = time.monotonic()
    with Jupyter(home / "bare", empty, extensions={"jupyter_kb": False}) as bare:
        alone = time.monotonic() - begin
        bare.ends()
    begin = time.monotonic()
    with Jupyter(home, empty, config) as server:
        listening = time.monotonic() - begin
        server.api("vaults/vault/search?q=plugin&mode=text")
        ready = time.monotonic() - begin
        server.ends()
    return {
        "jupyter_start_s": alone,
        "start_s": listening,
        "ready_s": ready - listening,
        "ready_since_start_s": ready,
    }


def main() -> int:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--seconds", type=float, default=60, help="how long embedding is watched")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, empty = Path(folder), Path(folder) / "empty"
        empty.mkdir()
        figures = at_work(home, empty, arguments.vault.resolve(), arguments.seconds)
        figures |= restart(home, empty, arguments.vault.resolve())
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
