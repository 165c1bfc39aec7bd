"""Searching: by words and meaning, and for exact characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from jupyter_kb.models import (
    Filters,
    Granularity,
    GrepRequest,
    GrepResults,
    SearchMode,
    SearchRequest,
    SearchResults,
)
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Given, route


@dataclass(frozen=True, kw_only=True)
class SearchBody(SearchRequest):
    """A search, and how long it may take.

    `fresh` compares the index with the disk first, `wait` bounds the seconds spent on a scan that is already running,
    and up to `fill` pieces of text that have no vector yet get theirs first.
    """

    fresh: bool = True
    wait: float | None = None
    fill: int = 0


@route("GET", "vaults/{vault}/search")
def search(
    vault: Operations,
    *,
    q: Annotated[str, "What is searched for; without it all sections are listed"] = "",
    mode: Annotated[SearchMode, "By words and meaning, by one of them, or in headings only"] = "hybrid",
    limit: Annotated[int, "Hits"] = 10,
    offset: Annotated[int, "Hits to pass over"] = 0,
    per_file: Annotated[int | None, Given(text="Hits of one note at most", minimum=1)] = None,
    path: Annotated[str | None, "A glob over the notes' paths, or a part of them"] = None,
    tag: Annotated[tuple[str, ...], "A tag that the note has"] = (),
    under: Annotated[tuple[str, ...], "A heading of the section's heading path; several: neighbours in it"] = (),
    modified_after: Annotated[str | None, "RFC 3339, or a date"] = None,
    modified_before: Annotated[str | None, "RFC 3339, or a date"] = None,
    granularity: Annotated[Granularity | None, "What a hit is"] = None,
    explain: Annotated[bool, "How each hit came to its place"] = False,
    fresh: Annotated[bool, "Compare the index with the disk first"] = True,
    wait: Annotated[float | None, "Seconds to wait for a scan that is already running"] = None,
    fill: Annotated[int, "Pieces of text that get their vectors first"] = 0,
) -> SearchResults:
    """Sections that answer a query, best first."""
    request = SearchRequest(
        query=q,
        mode=mode,
        filters=Filters(
            path=path,
            tags=tag,
            heading_prefix=under,
            modified_after=modified_after,
            modified_before=modified_before,
        ),
        limit=limit,
        offset=offset,
        per_file=per_file,
        granularity=granularity,
        explain=explain,
    )
    return vault.search(request, fresh=fresh, wait=wait, fill=fill)


@route("POST", "vaults/{vault}/search")
def search_with(
    vault: Operations, *, body: Annotated[SearchBody, Given(text="The search", source="body")]
) -> SearchResults:
    """Sections that answer a query or are like a section, with all that can be asked for."""
    request = SearchRequest(**{name: getattr(body, name) for name in SearchRequest.__dataclass_fields__})
    return vault.search(request, fresh=body.fresh, wait=body.wait, fill=body.fill)


@route("POST", "vaults/{vault}/grep")
def grep(
    vault: Operations, *, request: Annotated[GrepRequest, Given(text="What is searched for", source="body")]
) -> GrepResults:
    """Lines of the notes, as they are on disk, that hold exactly these characters or match an expression."""
    return vault.grep(request)
