"""Stdio servers as agents start them: real processes, with calls that are answered in order."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

SERVE = """
import sys
from pathlib import Path
from jupyter_kb.mcp.stdio import serve_stdio
serve_stdio(Path(sys.argv[1]), index_dir=Path(sys.argv[2]))
"""
PATIENCE = 60.0


class ServerDiedError(Exception):
    """The server ended before it answered."""


class Agent:
    """One stdio server with its client. A call waits for its answer."""

    def __init__(self, root: Path, index_dir: Path) -> None:
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(root), str(index_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        self.pid = self.process.pid
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 1
        threading.Thread(target=self._read, daemon=True).start()
        self._request(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a tool's answer; an error as `{"error": …}`."""
        answer = self._request("tools/call", name=tool, arguments=arguments)
        if "error" in answer:
            return {"error": answer["error"]}
        result = answer["result"]
        content: dict[str, Any] = result["structuredContent"]
        return {"error": content} if result.get("isError") else content

    def end(self) -> None:
        """Let it end as a client does, and wait for that."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def _request(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        answer = self._answers.get(timeout=PATIENCE)
        if answer is None:
            raise ServerDiedError
        assert answer["id"] == self._number
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, OSError):
            raise ServerDiedError from None

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            for line in self.process.stdout:
                self._answers.put(json.loads(line))
        except ValueError:  # closed, or cut off in the middle of a line
            pass
        self._answers.put(None)
