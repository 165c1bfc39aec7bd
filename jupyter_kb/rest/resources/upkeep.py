"""The index's upkeep: comparing it with the disk, and making vectors. No note is changed by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from jupyter_kb.models import EmbedResult, ReindexReport, Status
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Given, route


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
    """Make the vectors that are missing; the answer comes when all are there, which may take an hour.

    Ends a pause. If somebody pauses it meanwhile, the answer comes then, and `pending` says what is left.
    """
    return vault.embed()


@dataclass(frozen=True, kw_only=True)
class EmbeddingBody:
    """Whether embedding rests."""

    paused: bool


@route("POST", "vaults/{vault}/embedding", errors=(503,))
def pause_embedding(
    vault: Operations, *, body: Annotated[EmbeddingBody, Given(text="What shall be", source="body")]
) -> Status:
    """Make no vectors from now on, what is under way ending with its batch; or go on.

    A pause holds until it is ended here or by POST embed, or until the server ends. Searches find by meaning what has a
    vector.
    """
    return vault.pause_embedding(body.paused)
