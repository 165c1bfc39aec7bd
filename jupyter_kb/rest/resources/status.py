"""What answers here, the vaults that there are, and the state of each."""

from __future__ import annotations

from jupyter_kb import __version__
from jupyter_kb.models import ApiIndex, Status, VaultList
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Vaults, route


@route("GET", "")
def index(offered: Vaults) -> ApiIndex:
    """What answers at this address, and in which version."""
    return ApiIndex(name="jupyter-kb", version=__version__, openapi="openapi.json")


@route("GET", "vaults")
def vaults(offered: Vaults) -> VaultList:
    """The vaults that this server offers."""
    return VaultList(vaults=offered.list())


@route("GET", "vaults/{vault}/status")
def status(vault: Operations) -> Status:
    """Counts, sizes and the state of the index and the model.

    As they are now, without waiting for a scan.
    """
    return vault.status()
