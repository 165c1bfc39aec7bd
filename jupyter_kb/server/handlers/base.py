"""What every route under `kb/` goes through before its own work: Host, Origin, who it is, what they may, how much."""

from __future__ import annotations

import http
import re
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlparse

from jupyter_core.utils import ensure_async
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import origin_matches_pat
from tornado import web

from jupyter_kb import wire
from jupyter_kb.errors import KBError

if TYPE_CHECKING:
    from types import TracebackType

    from jupyter_kb.server.service import Service

RESOURCE = "jupyter_kb"
"""What Jupyter's authorizer is asked about, with the action `read` or `write`."""

_DRAINED = 256 * 1024
"""So large a body is read before a refusal: a client that is still writing may not see an answer that came before."""
_ANONYMOUS = re.compile(r"[0-9a-f]{32}")


@web.stream_request_body
class KnowledgeBaseHandler(JupyterHandler):
    """Refuses what is not allowed before the body is read; errors are JSON objects.

    Not Jupyter's APIHandler, which forces one content type on every answer.
    """

    auth_resource = RESOURCE

    def initialize(self, service: Service) -> None:
        """Take what the route was made with."""
        self.service = service
        self._chunks: list[bytes] = []
        self._received = 0
        self._refusal: web.HTTPError | None = None

    # ── admission ───────────────────────────────────────────────────────────────────────────────

    async def prepare(self) -> None:  # type: ignore[override]
        """Refuse, or let the body come. Jupyter redirects to its login page instead, which no program can use."""
        announced = int(self.request.headers.get("Content-Length") or 0)  # Tornado has seen that it is a number
        try:
            await self._admit(announced)
        except web.HTTPError as refusal:
            if not 0 < announced <= _DRAINED:  # nothing to read, or too much
                raise
            self._refusal = refusal

    async def _admit(self, announced: int) -> None:
        if not self.check_host():
            self.current_user = None
            raise web.HTTPError(403, "requests with this Host header are refused")
        if not self._is_own_origin():
            self.current_user = None
            raise web.HTTPError(403, "requests from other origins are refused")
        self.service.start()
        try:
            await super().prepare(_redirect_to_login=False)
        except web.HTTPError:
            if getattr(self, "_jupyter_current_user", self) is not None:  # nobody asked, or it is about something else
                raise
        if not self.current_user:
            raise web.HTTPError(401, "a token or a login is needed")
        limit = self.service.max_request_bytes
        if announced > limit:
            raise web.HTTPError(413, f"the body is larger than {limit} bytes")

    def check_xsrf_cookie(self) -> None:
        """Leave those who are nobody to the 401, which tells more."""
        if getattr(self, "_jupyter_current_user", self) is not None:
            super().check_xsrf_cookie()

    def _is_own_origin(self) -> bool:
        """Whether a page of this server asks, or none at all. Jupyter lets any origin pass that has a token."""
        origin = self.get_origin()
        if origin is None or self.allow_origin == "*":
            return True
        try:
            if urlparse(origin.lower()).netloc == self.request.host.lower():
                return True
        except ValueError:  # brackets that hold no address
            return False
        if self.allow_origin:
            return bool(origin == self.allow_origin)
        return bool(self.allow_origin_pat and origin_matches_pat(self.allow_origin_pat, origin))

    def data_received(self, chunk: bytes) -> None:
        """Collect the body, up to the limit."""
        self._received += len(chunk)
        if self._refusal is None and self._received <= self.service.max_request_bytes:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()

    def body(self) -> bytes:
        """The whole body; for the beginning of every method.

        Raises
        ------
        HTTPError : the request is refused, or the body larger than allowed.
        """
        if self._refusal is not None:
            raise self._refusal
        if self._received > self.service.max_request_bytes:
            raise web.HTTPError(413, f"the body is larger than {self.service.max_request_bytes} bytes")
        body = b"".join(self._chunks)
        self._chunks.clear()
        self.request.body = body
        return body

    async def _unimplemented(self, *arguments: str | None) -> None:
        """Say so to those only who are let in."""
        self.body()
        raise web.HTTPError(405, f"this address does not take {self.request.method}")

    head = get = post = put = patch = delete = options = _unimplemented

    # ── rights ──────────────────────────────────────────────────────────────────────────────────

    async def may(self, right: Literal["read", "write"]) -> bool:
        """Whether Jupyter's authorizer lets this user do so."""
        asked = self.authorizer.is_authorized(self, self.current_user, right, RESOURCE)
        return bool(await ensure_async(asked))

    @property
    def actor(self) -> str:
        """Who asks: the user's name; behind a shared token, where Jupyter makes up a new name each time, `token`."""
        user = self.current_user
        name = str(getattr(user, "username", user))
        return "token" if _ANONYMOUS.fullmatch(name) else name

    # ── the log ─────────────────────────────────────────────────────────────────────────────────

    def _request_summary(self) -> str:
        """What the log says of a request. Tornado would add the query, and with it a token."""
        return f"{self.request.method} {self.request.path} ({self.request.remote_ip})"

    def log_exception(
        self, typ: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Log a refusal as Jupyter does, a defect without the request itself: its query and headers hold secrets."""
        if isinstance(value, web.HTTPError):
            super().log_exception(typ, value, tb)
        elif typ is not None and value is not None:
            self.log.error("Uncaught exception %s", self._request_summary(), exc_info=(typ, value, tb))

    # ── answers ─────────────────────────────────────────────────────────────────────────────────

    def compute_etag(self) -> str | None:
        """None: the routes that have one set it."""
        return None

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """The error as JSON: `{message, reason, code, hint, details}`."""
        error = kwargs.get("exc_info", (None, None))[1]
        if isinstance(error, KBError):
            self.fail(error)
            return
        phrase = http.HTTPStatus(status_code).phrase
        reason = getattr(error, "reason", None) or phrase
        message = getattr(error, "log_message", None) or reason
        if status_code == 401:
            self.set_header("WWW-Authenticate", 'Bearer realm="Jupyter"')
        code = phrase.lower().replace(" ", "-")
        self.finish_json({"message": message, "reason": reason, "code": code, "hint": None, "details": {}})

    def fail(self, error: KBError) -> None:
        """Answer with an error."""
        self.set_status(error.status)
        self.finish_json(wire.error_body(error))

    def finish_json(self, value: Any) -> None:
        """Answer with a value as JSON."""
        self.set_header("Content-Type", "application/json")
        self.finish(wire.encode(value))
