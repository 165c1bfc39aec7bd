"""connect: the vault that a program means, asked of the server that has it, or opened here where there is none."""

from __future__ import annotations

import atexit
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jupyter_kb import discovery
from jupyter_kb.client import Client
from jupyter_kb.errors import ServerNotFoundError, ServerUnreachableError, VaultNotFoundError

if TYPE_CHECKING:
    from jupyter_kb.client import VaultClient
    from jupyter_kb.discovery import Server
    from jupyter_kb.models import VaultInfo
    from jupyter_kb.operations import Operations


def connect(path: str | Path | None = None) -> Operations:
    """The vault that holds `path` (a folder, a note, or the name of a vault; by default the working folder).

    It is asked of the Jupyter server that has it. Without a path, and where no vault holds the working folder, that is
    the server's default vault. A plain script without a server opens the vault itself; a kernel does not, since its
    server is there or should be.

    Raises
    ------
    ServerNotFoundError : no server has such a vault, and this process is a kernel, or the path is no folder either.
    ServerUnreachableError : the environment names a server, and it does not answer.
    """
    looked: list[str] = []
    problem: ServerUnreachableError | None = None
    folder = _folder(path)
    for server in discovery.servers(folder, looked):
        try:
            vault = _served(server, path)
        except ServerUnreachableError as error:
            if server.found == discovery.URL_VARIABLE:
                raise
            problem = problem or error
            looked.append(f"{server.found}: {error.message}")
            continue
        if vault is not None:
            return vault
        looked.append(f"{server.found}: none of its vaults holds {folder}")
    if path is None and discovery.is_started_by_jupyter():
        raise ServerNotFoundError(
            problem.message if problem else "no Jupyter server with a knowledge base was found",
            hint="is jupyter-kb installed where the server runs, and the server restarted since? "
            "`jupyter_kb.connect(FOLDER)` opens a folder without it",
            looked=looked,
        )
    return _embedded(path, looked)


def _folder(path: str | Path | None) -> Path:
    place = Path(path).expanduser() if path is not None else Path.cwd()
    return place if place.is_dir() or path is None else place.parent


def _served(server: Server, path: str | Path | None) -> VaultClient | None:
    """The vault on this server; None where it has none that is meant."""
    client = Client(server.url, server.token)
    try:
        vaults = client.vaults()
        name = _chosen(vaults, path)
    except BaseException:
        client.close()
        raise
    if name is None and (path is not None or not vaults):
        client.close()
        return None
    return client.vault(name)


def _chosen(vaults: Iterable[VaultInfo], path: str | Path | None) -> str | None:
    """The vault whose folder holds the path, the deepest of several; or the one of that name."""
    place = (Path(path).expanduser() if path is not None else Path.cwd()).resolve()
    holding = [vault for vault in vaults if place.is_relative_to(Path(vault.root).resolve())]
    if holding:
        return max(holding, key=lambda vault: len(Path(vault.root).resolve().parts)).name
    return next((vault.name for vault in vaults if isinstance(path, str) and vault.name == path), None)


def _embedded(path: str | Path | None, looked: list[str]) -> Operations:
    """The vault opened in this process, and offered to others as long as it lives."""
    location = importlib.import_module("jupyter_kb.index.location")  # by name: who has a server imports no database
    folder = _folder(path)
    if path is not None and not Path(path).expanduser().exists():
        raise VaultNotFoundError(
            f"there is neither a folder nor a vault '{path}'", hint="name a folder of notes, or a vault of the server"
        )
    root = location.find_vault(folder)
    if path is None and not location.locate(root).exists():
        raise ServerNotFoundError(
            "no Jupyter server was found, and the working folder is no vault",
            hint="name the folder of your notes: jupyter_kb.connect('/home/me/notes')",
            looked=looked,
        )
    sharing = importlib.import_module("jupyter_kb.sharing")
    rest = importlib.import_module("jupyter_kb.rest.loopback")
    shared = sharing.SharedKnowledgeBase(root, publish=rest.LoopbackServer)
    atexit.register(shared.close)
    return cast("Operations", shared)
