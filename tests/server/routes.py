"""Fails when a route under `kb/` answers somebody without a token: `python -m tests.server.routes`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jupyter_server.serverapp import ServerApp
from tornado.httpclient import AsyncHTTPClient
from tornado.routing import PathMatches, RuleRouter
from tornado.web import RequestHandler

from jupyter_kb.rest.resources import ROUTES
from jupyter_kb.server.handlers.base import KnowledgeBaseHandler

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def handlers(router: RuleRouter) -> Iterator[tuple[str, type[RequestHandler]]]:
    """Every pattern of an application, with what answers there."""
    for rule in router.rules:
        if isinstance(rule.target, RuleRouter):
            yield from handlers(rule.target)
        elif isinstance(rule.matcher, PathMatches) and isinstance(rule.target, type):
            yield rule.matcher.regex.pattern, rule.target


def built_in(pattern: str, handler: type[RequestHandler]) -> list[str]:
    """What is wrong with a handler as it is written."""
    if not issubclass(handler, KnowledgeBaseHandler):
        return [f"{pattern}: {handler.__name__} is no {KnowledgeBaseHandler.__name__}"]
    own = [
        name
        for name in ("prepare", "_admit", "body", "may")
        if getattr(handler, name) is not getattr(KnowledgeBaseHandler, name)
    ]
    free = [method for method in METHODS if getattr(getattr(handler, method.lower()), "__allow_unauthenticated", False)]
    return [
        *(f"{pattern}: {handler.__name__} has a `{name}` of its own" for name in own),
        *(f"{pattern}: {method} is open to everybody" for method in free),
    ]


async def asked(url: str, methods: tuple[str, ...] = METHODS) -> list[str]:
    """What is wrong with the answers that a stranger gets."""
    wrong = []
    for method in methods:
        body = b"{}" if method in ("POST", "PUT", "PATCH") else None
        answer = await AsyncHTTPClient().fetch(url, method=method, body=body, raise_error=False, follow_redirects=False)
        if answer.code != 401:
            wrong.append(f"{method} {url} gives {answer.code} to a stranger")
    return wrong


async def examine(app: ServerApp) -> list[str]:
    """All that is wrong. Addresses that match no pattern of ours are Jupyter's to refuse."""
    base = app.web_app.settings["base_url"]
    ours = [entry for entry in handlers(app.web_app.default_router) if entry[0].startswith(f"{base}kb")]
    wrong = [problem for entry in ours for problem in built_in(*entry)]
    if not ours:
        wrong.append("there is no route under kb/ at all")
    url = f"http://127.0.0.1:{app.port}{base}kb/"
    paths = {route.pattern.replace("{vault}", "vault") for route in ROUTES}
    for path in [*(f"api/{path}" for path in sorted(paths)), "api", "api/nothing", "mcp", "mcp/vault", "mcp/v/a/b"]:
        wrong += await asked(url + path)
    return wrong


def main() -> int:
    """Start a server in this process, look at it, print; 1 when something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("CONFIG", "DATA", "RUNTIME"):
            os.environ[f"JUPYTER_{kind}_DIR"] = str(Path(folder) / kind.lower())
        app = ServerApp.instance(
            root_dir=folder,
            jpserver_extensions={"jupyter_kb": True},
            open_browser=False,
            allow_root=True,
            log_level="ERROR",
        )
        app.initialize(argv=["--JupyterKB.model=none"], find_extensions=False)
        wrong = app.io_loop.run_sync(lambda: _examined(app))
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    return 1 if wrong else 0


async def _examined(app: ServerApp) -> list[str]:
    try:
        return await examine(app)
    finally:
        await app.cleanup_extensions()
        app.http_server.stop()
        await asyncio.sleep(0)


if __name__ == "__main__":
    sys.exit(main())
