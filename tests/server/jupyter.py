"""A real Jupyter server in a process of its own, with folders of its own, and what a test asks of it."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import httpx2

TOKEN = "a-token-of-the-tests"
SECONDS = 60.0
"""How long anything may take before a test fails; a loaded machine is no failure."""


class Jupyter:
    """`config` is that of the server, by class and trait. The extension's index goes below `home`, never to the user's.

    `python` is the text of a configuration file, for what JSON cannot say.
    """

    def __init__(
        self,
        home: Path,
        root: Path,
        config: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        python: str = "",
        base_url: str = "/",
        token: str = TOKEN,
        environment: Mapping[str, str] | None = None,
        extensions: Mapping[str, bool] | None = None,
    ) -> None:
        self.home, self.root, self.token = home, root, token
        self.port = _free_port()
        self.base = base_url
        self.url = f"http://127.0.0.1:{self.port}{base_url}"
        self.lines: list[str] = []
        self._running: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "IPYTHONDIR": str(home / "ipython"),
            **{f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
            "JUPYTER_NO_CONFIG": "",
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]),
            **(environment or {}),
        }
        del self.environment["JUPYTER_NO_CONFIG"]
        for name in ("JUPYTER_TOKEN", "JUPYTER_KB_URL", "JUPYTER_KB_TOKEN", "JUPYTER_KB_INFO", "JPY_PARENT_PID"):
            self.environment.pop(name, None)
        loaded = {"jupyter_kb": True, "jupyterlab": False, "jupyter_lsp": False, "notebook_shim": False}
        loaded |= {"jupyter_server_terminals": False, "jupyter_server_ydoc": False, "jupyter_server_fileid": False}
        loaded |= extensions or {}
        server = {
            "port": self.port,
            "port_retries": 0,
            "ip": "127.0.0.1",
            "root_dir": str(root),
            "base_url": base_url,
            "open_browser": False,
            "allow_root": True,
            "answer_yes": True,
            "jpserver_extensions": loaded,
        }
        config = config or {}
        merged: dict[str, Any] = {
            **config,
            "ServerApp": {**server, **config.get("ServerApp", {})},
            "IdentityProvider": {"token": token, **config.get("IdentityProvider", {})},
            "JupyterKB": {"model": "none", **config.get("JupyterKB", {})},
        }
        folder = home / "config"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "jupyter_server_config.json").write_text(json.dumps(merged))
        (folder / "jupyter_server_config.py").write_text(python)

    # ── life ────────────────────────────────────────────────────────────────────────────────────

    def start(self, *, stdin: int = subprocess.DEVNULL) -> Self:
        """Start it and wait until it listens."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server"],
            cwd=self.home,
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._running.get(timeout=SECONDS), self.log
        self.client = httpx2.Client(base_url=self.url, timeout=SECONDS)
        return self

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.lines.append(line)
                if "is running at" in line:
                    self._running.put(True)
        self._running.put(False)

    @property
    def log(self) -> str:
        """What it has written so far."""
        return "".join(self.lines)

    def ends(self, sign: signal.Signals = signal.SIGTERM, *, seconds: float = SECONDS) -> float:
        """Tell it to stop; how many seconds that took."""
        begin = time.monotonic()
        self.process.send_signal(sign)
        self.process.wait(seconds)
        took = time.monotonic() - begin
        self._reader.join(seconds)
        self.client.close()
        return took

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(SECONDS)
        self._reader.join(SECONDS)
        self.client.close()

    # ── asking ──────────────────────────────────────────────────────────────────────────────────

    def ask(self, method: str, path: str, *, token: str | None = None, **options: Any) -> httpx2.Response:
        """One request below `kb/`, with the token unless the headers say otherwise."""
        headers = {"Authorization": f"token {token or self.token}", **options.pop("headers", {})}
        return self.client.request(method, f"kb/{path}", headers=headers, **options)

    def api(self, path: str, **options: Any) -> Any:
        """What GET gives for a path of the API; it has to succeed."""
        answer = self.ask("GET", f"api/{path}", **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def until(self, wanted: Any, what: Any) -> Any:
        """Ask again until `wanted` holds for what `what` gives."""
        deadline = time.monotonic() + SECONDS
        while not wanted(value := what()):
            assert time.monotonic() < deadline, (value, self.log)
            threading.Event().wait(0.02)
        return value

    def indexed(self, vault: str) -> dict[str, Any]:
        """The vault's status once its first scan is through."""
        status: dict[str, Any] = self.until(
            lambda status: status["last_scan"] is not None, lambda: self.api(f"vaults/{vault}/status")
        )
        return status


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
