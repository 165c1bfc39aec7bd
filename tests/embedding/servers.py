"""A server that reranks, in a thread of the test: what it answers is the test's to say."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any]


@dataclass
class Rerank:
    """A server on this machine. `answer` gets the body of a request and gives status and body; both are kept.

    A body of bytes is sent as it is. While `released` is not set, answers wait.
    """

    answer: Callable[[dict[str, Any]], Answer]
    path: str = "/v1/rerank"
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)


def by_length(body: dict[str, Any]) -> Answer:
    """Longer texts first, in the form of llama.cpp: sorted by score, as many as asked for."""
    results = [{"index": place, "relevance_score": float(len(text))} for place, text in enumerate(body["documents"])]
    results.sort(key=lambda result: -result["relevance_score"])
    return 200, {"object": "list", "usage": {}, "results": results[: body["top_n"]]}


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Answer] = by_length, *, path: str = "/v1/rerank") -> Iterator[Rerank]:
    """Serve until the block ends; `url` is without path."""
    state = Rerank(answer=answer, path=path)
    state.released.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            status: int
            content: Any
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            state.paths.append(self.path)
            if self.path != state.path:
                status, content = 404, {"error": {"code": 404, "message": "File Not Found"}}
            else:
                body = json.loads(raw)
                state.requests.append(body)
                state.keys.append(self.headers["Authorization"])
                status, content = state.answer(body)
            state.released.wait(timeout=30)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # whoever asked has gone
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
