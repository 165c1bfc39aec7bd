"""Requests to one server over HTTP/1.1: connections that are kept, shared by threads, and given up when all is silent.

http.client rather than a larger library, for two reasons: a command line that asks a running server must start at once,
and a request may rightly last an hour (vectors for a whole vault), so that a dead server is told from a busy one by
asking it something else meanwhile.
"""

from __future__ import annotations

import contextlib
import http.client
import selectors
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from jupyter_kb.discovery import is_address
from jupyter_kb.errors import InvalidRequestError, ServerUnreachableError

_KEPT = 8
"""Connections that are kept for the next requests."""
_CONNECT = 5.0
_LONGEST = 3600.0
_CLOSED = (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError)

Query = Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Response:
    """What a server answered."""

    status: int
    body: bytes
    content_type: str


class Connections:
    """The connections to one server. Safe to use from several threads.

    `url` is the address below which the paths of requests lie; `timeout` the seconds for which a server may be silent,
    also to a second question, before it is given up.
    """

    def __init__(self, url: str, token: str | None, *, timeout: float) -> None:
        if not is_address(url):
            raise InvalidRequestError(f"'{url}' is no address of a server", hint="it begins with http:// or https://")
        parts = urlsplit(url)
        self.url = url.rstrip("/") + "/"
        self._host, self._port, self._secure = str(parts.hostname), parts.port, parts.scheme == "https"
        self._base = parts.path.rstrip("/") + "/"
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"token {token}"} if token else {})
        self._timeout = timeout
        self._lock = threading.Lock()
        self._idle: list[http.client.HTTPConnection] = []
        self._busy: set[socket.socket] = set()  # a connection lets go of its own while the end of an answer is read
        self._closed = False

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Query = (),
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        repeatable: bool = True,
    ) -> Response:
        """Send a request and wait for its answer, for as long as the server is alive.

        `path` is quoted already. One that is `repeatable` is sent once more where a kept connection turns out closed.

        Raises
        ------
        ServerUnreachableError : no connection, or it was lost, or silence; `sent` says whether the server may have got
            the request, `silent` whether it is still there and does not answer.
        """
        target = self._base + path + (f"?{urlencode(query, errors='surrogateescape')}" if query else "")
        fields = {**self._headers, **(headers or {})}
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection, kept = self._take()
        try:
            return self._exchange(connection, method, target, fields, body)
        except _LostError as error:
            if not (kept and repeatable and error.closed):
                raise self._unreachable(error) from error
        connection = self._open()
        try:
            return self._exchange(connection, method, target, fields, body)
        except _LostError as error:
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Give up all connections; requests that wait for an answer end as if the server were gone."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for sock in self._busy:
                with contextlib.suppress(OSError):  # it may be at its end already
                    sock.shutdown(socket.SHUT_RDWR)
        for connection in idle:
            connection.close()

    # ── one exchange ────────────────────────────────────────────────────────────────────────────

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        fields: dict[str, str],
        body: bytes | None,
    ) -> Response:
        sock = connection.sock
        with self._lock:
            self._busy.add(sock)
        try:
            connection.request(method, target, body, fields)
            self._wait(connection)
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _LostError(error) from error
        except BaseException:  # interrupted: what comes over it now belongs to nobody
            connection.close()
            raise
        finally:
            with self._lock:
                self._busy.discard(sock)
        if answer.will_close:
            connection.close()
        else:
            self._keep(connection)
        return Response(status=answer.status, body=data, content_type=answer.getheader("Content-Type", ""))

    def _wait(self, connection: http.client.HTTPConnection) -> None:
        """Until an answer begins; TimeoutError when the server leaves a second question unanswered too."""
        if self._secure:  # what can be read there need not be an answer
            return
        with selectors.DefaultSelector() as selector:
            selector.register(connection.sock, selectors.EVENT_READ)
            while not selector.select(self._timeout / 2):
                if not self._is_alive():
                    raise TimeoutError(f"no sign of life for {self._timeout:g} s")

    def _is_alive(self) -> bool:
        """Whether the server answers anything at all, on a connection of its own."""
        probe = self._connection(self._timeout / 2)
        try:
            probe.request("GET", f"{self._base}vaults", headers=self._headers)
            probe.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            probe.close()
        return True

    # ── connections ─────────────────────────────────────────────────────────────────────────────

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and whether it was used before."""
        while True:
            with self._lock:
                if not self._idle:
                    break
                connection = self._idle.pop()
            if not _has_ended(connection.sock):
                return connection, True
            connection.close()
        return self._open(), False

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close()

    def _open(self) -> http.client.HTTPConnection:
        connection = self._connection(min(_CONNECT, self._timeout))
        try:
            connection.connect()
        except OSError as error:
            raise ServerUnreachableError(
                f"no server answers at {self.url}: {error.strerror or error}", sent=False, silent=_is_silence(error)
            ) from error
        connection.sock.settimeout(_LONGEST if self._secure else self._timeout)
        return connection

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=seconds)

    def _unreachable(self, error: _LostError) -> ServerUnreachableError:
        silent = _is_silence(error.cause)
        told = f"the server at {self.url} " + (
            f"does not answer (waited {self._timeout:g} s)" if silent else "went away before it answered"
        )
        return ServerUnreachableError(told, sent=True, silent=silent)


class _LostError(Exception):
    """An exchange failed after its request was sent, at least in part."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause

    @property
    def closed(self) -> bool:
        """Whether the other side closed the connection without a word."""
        return isinstance(self.cause, _CLOSED)


def _has_ended(sock: socket.socket | None) -> bool:
    """Whether a connection that waits for nothing has something to tell: only its end."""
    if sock is None:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _is_silence(error: BaseException) -> bool:
    return isinstance(error, TimeoutError)


def quoted(segment: str) -> str:
    """A name as one segment of a path."""
    return quote(segment, safe="", errors="surrogateescape")
