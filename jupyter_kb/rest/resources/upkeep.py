"""The index's upkeep: comparing it with the disk, and making vectors. No note is changed by it."""

from __future__ import annotations

from typing import Annotated

from jupyter_kb.models import EmbedResult, ReindexReport
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import route


@route("POST", "vaults/{vault}/reindex")
def reindex(
    vault: Operations,
    *,
    reader: Annotated[str, "Whose report this is: each reader is told of each change once, and not of its own"] = "",
    fresh: Annotated[bool, "Compare the index with the disk first"] = True,
) -> ReindexReport:
    """What changed in the vault since the last report to this reader."""
    return vault.reindex(reader=reader, fresh=fresh)


@route("POST", "vaults/{vault}/embed", errors=(503,))
def embed(vault: Operations) -> EmbedResult:
    """Make the vectors that are missing; the answer comes when all are there, which may take an hour."""
    return vault.embed()
