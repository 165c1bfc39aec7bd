"""The heading tree of a note."""

from __future__ import annotations

from typing import Annotated

from jupyter_kb.models import Outline
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import route


@route("GET", "vaults/{vault}/outline", errors=(413,))
def outline(vault: Operations, *, file: Annotated[str, "The note's path in the vault"]) -> Outline:
    """The heading tree of one note, with hashes.

    The note is read from disk now. The error for a note that does not exist has up to three near names in
    `details.suggestions`.
    """
    return vault.outline(file)
