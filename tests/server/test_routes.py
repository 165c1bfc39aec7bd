"""No route answers a stranger; `make check` asks the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import JupyterHandler

from jupyter_kb.server.handlers.rest import RestHandler
from tests.server.routes import built_in

ROOT = Path(__file__).parents[2]


def test_no_route_answers_a_stranger() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.server.routes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.stdout, done.returncode) == ("", 0), done.stderr


def test_a_route_that_forgets_to_ask_is_found() -> None:
    class Forgetful(JupyterHandler):
        pass

    class Clever(RestHandler):
        def prepare(self) -> Any:  # type: ignore[override]
            return None

    class Open(RestHandler):
        @allow_unauthenticated
        async def get(self, path: str) -> None:  # type: ignore[override]
            self.finish()

    assert built_in("/kb/x", RestHandler) == []
    assert "is no" in built_in("/kb/x", Forgetful)[0]
    assert "prepare" in built_in("/kb/x", Clever)[0]
    assert "open to everybody" in built_in("/kb/x", Open)[0]
