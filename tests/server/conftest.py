"""One server for most tests; it has two vaults and lies below a base URL, as behind JupyterHub."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.conftest import DEMO_VAULT
from tests.server.jupyter import Jupyter

AUTHORIZER = """
from jupyter_server.auth import Authorizer

class ByHeader(Authorizer):
    '''Who says to be a reader may not write; who says to be nobody may do nothing.'''

    def is_authorized(self, handler, user, action, resource):
        role = handler.request.headers.get("X-Role", "")
        if resource != "jupyter_kb":
            return True
        return role == "" or (role == "reader" and action == "read")

c.ServerApp.authorizer_class = ByHeader
"""


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """A server with the vaults `lab` (the demo vault, the default) and `spare` (one note)."""
    home = tmp_path_factory.mktemp("server")
    root = home / "notebooks"
    shutil.copytree(DEMO_VAULT, root / "lab")
    (root / "spare").mkdir()
    (root / "spare" / "one.md").write_text("# One\n\nThe only note.\n")
    config = {"JupyterKB": {"model": "hashing:64", "vaults": {"lab": "lab", "spare": str(root / "spare")}}}
    with Jupyter(home, root, config, python=AUTHORIZER, base_url="/user/anna/") as server:
        yield server
