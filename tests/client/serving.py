"""A server whose answers a test decides, on a real socket: what a good one never does is done here."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Answer = Callable[["Handler"], None]


class Handler(http.server.BaseHTTPRequestHandler):
    """Gives each request to the test."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """Any request."""
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append(f"{self.command} {self.path}")
        self.server.answer(self)

    do_POST = do_PATCH = do_GET  # noqa: N815

    def send(self, body: bytes, status: int = 200, content_type: str = "application/json") -> None:
        """Answer."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


class Server(http.server.ThreadingHTTPServer):
    """Keeps what was asked."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_address[1]}/kb/api/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are part of the tests."""


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """A server that runs while the block does."""
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
