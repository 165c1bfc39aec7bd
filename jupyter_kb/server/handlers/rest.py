"""`kb/api/…`: hands requests to the REST API on a worker thread, and sends what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from tornado import web

from jupyter_kb.errors import KBError
from jupyter_kb.rest import api
from jupyter_kb.rest.route import Answer, Request
from jupyter_kb.server.handlers.base import KnowledgeBaseHandler

_NOT_OURS = ("token", "_xsrf")
"""Parameters of a query that Jupyter reads, not the API."""


class RestHandler(KnowledgeBaseHandler):
    """All of the API: which addresses there are, and which right each needs, says its route table."""

    _work: Future[Answer] | None = None

    async def _serve(self, path: str | None) -> None:
        path = path or ""
        request = Request(
            method=str(self.request.method),
            path=path,
            query=self._query(),
            headers={name.lower(): value for name, value in self.request.headers.get_all()},
            body=self.body(),
            actor=self.actor,
        )
        try:
            route, _ = api.find(request.method, path)
        except KBError as error:
            self._send(api.failure(error))
            return
        if not await self.may(route.right):
            raise web.HTTPError(403, f"you may not {route.right} here")
        try:
            self._work = self.service.workers_for(path).submit(api.handle, request, self.service.vaults)
            answer = await asyncio.wrap_future(self._work)
        except RuntimeError:
            raise web.HTTPError(503, "the server is stopping") from None
        except asyncio.CancelledError:
            if self._work is not None and self._work.cancelled():  # the client has gone, or the server is stopping
                raise web.HTTPError(503, "the server is stopping") from None
            raise
        self._send(answer)

    get = post = put = patch = delete = _serve  # type: ignore[assignment]

    def on_connection_close(self) -> None:
        """Do not begin what nobody waits for any more."""
        super().on_connection_close()
        if self._work is not None:
            self._work.cancel()

    def _query(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, Any] = {
            name: self.get_query_arguments(name, strip=False)
            for name in self.request.query_arguments
            if name not in _NOT_OURS
        }
        return found

    def _send(self, answer: Answer) -> None:
        self.set_status(answer.status)
        for name, value in answer.headers.items():
            self.set_header(name, value)
        if answer.status == 304:
            self.clear_header("Content-Type")
            self.finish()
            return
        self.set_header("Content-Type", answer.content_type)
        self.finish(answer.body)
