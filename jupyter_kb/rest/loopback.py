"""The API for other processes of the same user on this machine: on a loopback port, for who knows the secret."""

from __future__ import annotations

import contextlib
import http.server
import io
import logging
import secrets
import selectors
import socket
import threading
import time
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from jupyter_kb.errors import (
    ForbiddenError,
    IndexUnavailableError,
    InvalidRequestError,
    KBError,
    RequestTooLargeError,
    UnauthorizedError,
)
from jupyter_kb.rest import api
from jupyter_kb.rest.route import Answer, Request, Vaults
from jupyter_kb.workers import Workers

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_log = logging.getLogger(__name__)

BASE = "/kb/api/"
"""Where the API lies: the same as on a Jupyter server without a base URL."""
LARGEST_BODY = 16 * 1024 * 1024
_LONGEST_ACTOR = 200
_MOST_QUERY_FIELDS = 1_000
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


class LoopbackServer:
    """Serves vaults on 127.0.0.1, on a port that the system picks, until `close`.

    Every request needs `Authorization: token SECRET`, and a Host that is this machine: a web page whose name leads here
    does not get in. Nothing is answered to browsers' requests from any page.

    Parameters
    ----------
    secret : what is asked for; the caller writes it where only this user can read it.
    workers : requests that are worked on at the same time; others wait.
    connections : how many there may be; one more is closed at once.
    idle, patience : seconds that a connection may be silent between requests, and that one request may take to come.
    """

    def __init__(
        self,
        vaults: Vaults,
        secret: str,
        *,
        workers: int = 16,
        connections: int = 512,
        idle: float = 300.0,
        patience: float = 15.0,
    ) -> None:
        self._server = _Server(vaults, secret, workers, connections, idle, patience)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="kb-loopback", daemon=True)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self.port}{BASE}".rstrip("/")

    def start(self) -> None:
        """Begin to answer; requests that came since the server was made are answered first."""
        self._thread.start()

    def close(self, *, seconds: float = 2.0) -> None:
        """Stop: requests that are being worked on get so long to end, and every connection is closed."""
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.stop(seconds)

    def __enter__(self) -> LoopbackServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    server_address: tuple[str, int]

    def __init__(
        self, vaults: Vaults, secret: str, workers: int, connections: int, idle: float, patience: float
    ) -> None:
        self.vaults = vaults
        self.idle, self.patience = idle, patience
        self._authorizations = [f"{scheme} {secret}".encode() for scheme in ("token", "bearer")]
        self._pool = Workers(workers, "kb-loopback")
        self._most = connections
        self._open: dict[socket.socket, bool] = {}  # and whether a request of it is being worked on
        self._changed = threading.Condition()
        self._stopping = False
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        """As a TCP server does; the one above asks for this machine's full name, which may take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address

    def knows(self, authorization: str) -> bool:
        """Whether this is the secret, behind `token` or `Bearer`."""
        scheme, _, secret = authorization.strip().partition(" ")
        given = f"{scheme.lower()} {secret.strip()}".encode("utf-8", "replace")
        return any(secrets.compare_digest(given, expected) for expected in self._authorizations)

    def work(self, request: Request) -> Answer:
        """Have a request answered by a worker; those that name no vault need none, and are never kept waiting."""
        if not request.path.startswith("vaults/"):
            return api.handle(request, self.vaults)
        try:
            return self._pool.submit(api.handle, request, self.vaults).result()
        except (CancelledError, RuntimeError):
            return api.failure(IndexUnavailableError("the server is stopping", handover=True))

    # ── connections ─────────────────────────────────────────────────────────────────────────────

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether one more connection is served."""
        with self._changed:
            if self._stopping or len(self._open) >= self._most:
                return False
            self._open[request] = False
            return True

    def busy(self, connection: socket.socket, working: bool) -> bool:
        """Note that a request begins or ends; False when its connection is to be closed."""
        with self._changed:
            if connection in self._open:
                self._open[connection] = working
            self._changed.notify_all()
            return not self._stopping

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._changed:
            self._open.pop(request, None)
            self._changed.notify_all()
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is nothing to tell of."""
        _log.debug("a connection ended", exc_info=True)

    def stop(self, seconds: float) -> None:
        """Close the port and all connections, those that are at work after some seconds at most."""
        self.server_close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            self._stopping = True
            for connection in [connection for connection, working in self._open.items() if not working]:
                _end(connection)
            self._changed.wait_for(lambda: not any(self._open.values()), seconds)
            for connection in self._open:
                _end(connection)


def _writes(request: Request) -> bool:
    """Whether it changes a note."""
    return request.method == "PATCH" or (request.method == "POST" and request.path.endswith("/notes"))


def _has_gone(connection: socket.socket) -> bool:
    """Whether the other side has closed its end."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0)) and not connection.recv(1, socket.MSG_PEEK)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has ended already
        connection.shutdown(socket.SHUT_RDWR)


class _Patient(io.RawIOBase):
    """What a connection sends, up to a deadline: a byte now and then does not keep it open."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.deadline = 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    wbufsize = -1
    disable_nagle_algorithm = True

    def setup(self) -> None:
        """Read with a deadline instead of a time-out for each byte."""
        super().setup()
        self.rfile.close()
        self._patient = _Patient(self.connection)
        self.rfile = self._reader = io.BufferedReader(self._patient)

    def handle_one_request(self) -> None:
        """Wait for a request and answer it."""
        self.close_connection = True
        try:
            self._patient.deadline = time.monotonic() + self.server.idle
            if not self._reader.peek(1):
                return
            self._patient.deadline = time.monotonic() + self.server.patience
            self.raw_requestline = self.rfile.readline(65_537)
            if not self.server.busy(self.connection, True):
                return
            if len(self.raw_requestline) > 65_536:
                self.requestline = self.request_version = self.command = ""
                self.send_error(414)
            elif self.parse_request():
                self._answer()
            self.wfile.flush()
        except (TimeoutError, ConnectionError, BrokenPipeError):
            self.close_connection = True
        finally:
            if not self.server.busy(self.connection, False):
                self.close_connection = True

    def _answer(self) -> None:
        try:
            self._admit()
            request = self._read()
        except KBError as error:
            self.close_connection = True  # what else it sent was not read
            self._send(api.failure(error))
            return
        if _writes(request) and _has_gone(self.connection):
            # it gave up while this process was stopped, and may have edited by other means since
            raise ConnectionError("the client went away")
        self._send(self.server.work(request))

    def _admit(self) -> None:
        """Refuse before anything else is read."""
        host = self.headers.get("Host", "")
        if _host_name(host) not in _HERE or "Origin" in self.headers:
            raise ForbiddenError("this server answers programs on its own machine only")
        if not self.server.knows(self.headers.get("Authorization", "")):
            raise UnauthorizedError("the secret is missing or wrong", hint="send it as 'Authorization: token …'")

    def _read(self) -> Request:
        parts = urlsplit(self.path)
        path = unquote(parts.path, errors="surrogateescape")
        try:
            query = parse_qs(
                parts.query,
                keep_blank_values=True,
                errors="surrogateescape",
                max_num_fields=_MOST_QUERY_FIELDS,
            )
        except ValueError:
            raise InvalidRequestError("the query has too many fields") from None
        return Request(
            method=self.command,
            path=path.removeprefix(BASE) if path.startswith(BASE) else path,
            query=query,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self._body(),
            actor=_actor(self.headers.get("KB-Actor")),
        )

    def _body(self) -> bytes:
        if "Transfer-Encoding" in self.headers:
            raise InvalidRequestError("send the body's length as Content-Length", hint="it cannot be sent in chunks")
        text = self.headers.get("Content-Length", "0").strip()
        if not text.isascii() or not text.isdecimal():
            raise InvalidRequestError("Content-Length is not a number")
        length = int(text[:20])
        if length > LARGEST_BODY:
            raise RequestTooLargeError(
                f"the request has {length:,} bytes; {LARGEST_BODY:,} are read at most", limit=LARGEST_BODY
            )
        if length and self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
            self.wfile.flush()
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionError("the client went away")
        return body

    def handle_expect_100(self) -> bool:
        """Not yet: the body is asked for once its length and the secret are known to be right."""
        return True

    def _send(self, answer: Answer) -> None:
        self.connection.settimeout(self.server.patience)  # what is left of the deadline was for reading
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 304:
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the class above finds wrong with a request's form."""
        self.close_connection = True
        if self.request_version == "HTTP/0.9":
            self.request_version = self.protocol_version
        error = InvalidRequestError(message or "this is not a request in HTTP/1.1")
        vars(error)["status"] = int(code)
        self._send(api.failure(error))

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: they may hold what a person looks for."""


def _host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _actor(header: str | None) -> str:
    """Who asks, as a process that knows the secret says."""
    name = unquote(header or "", errors="replace")[:_LONGEST_ACTOR]
    return name if name and name.isprintable() else "local"
