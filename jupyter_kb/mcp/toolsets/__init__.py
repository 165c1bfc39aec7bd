"""The toolsets: each is an outermost layer (names, parameters, payloads, error texts) over the same operations."""

from __future__ import annotations

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.mcp.tools import Toolset
from jupyter_kb.mcp.toolsets import structural, vault

TOOLSETS = {toolset.name: toolset for toolset in (vault.TOOLSET, structural.TOOLSET)}


def find_toolset(name: str) -> Toolset:
    """A toolset by name.

    Raises
    ------
    InvalidRequestError : there is none of that name.
    """
    try:
        return TOOLSETS[name]
    except KeyError:
        known = ", ".join(TOOLSETS)
        raise InvalidRequestError(f"there is no toolset '{name}'", hint=f"choose one of {known}") from None
