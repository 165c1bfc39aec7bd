"""`%kb search`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.magics.results import Hits
from jupyter_kb.models import Filters, SearchRequest, SectionRef

if TYPE_CHECKING:
    from jupyter_kb.magics.grammar import Arguments
    from jupyter_kb.magics.session import Session

_FILLED = 64
"""Pieces of text without a vector that a search embeds first: the model is started anyway."""
_CAP = 3
"""Sections of one note, unless asked otherwise."""


def search(session: Session, arguments: Arguments) -> Hits:
    """Find sections; without a query list notes."""
    asked, like, mode = arguments.text, arguments.get("like"), arguments.get("mode")
    ranks = bool(asked) or like is not None
    if like is not None and asked:
        raise InvalidRequestError("give a QUERY or --like, not both")
    if ranks and (arguments.get("order") or arguments.get("descending")):
        raise InvalidRequestError("what answers a QUERY is ordered by rank; --order and --descending are for lists")
    cap = arguments.get("per_file", _CAP if ranks and mode != "headings" else 0)
    request = SearchRequest(
        query=asked,
        mode=mode if mode and ranks else "hybrid",
        filters=_filters(arguments),
        limit=arguments.get("limit", 10),
        offset=arguments.get("offset", 0),
        per_file=cap or None,
        granularity=arguments.get("granularity"),
        like=_section_like(session, like) if like is not None else None,
        weight=arguments.get("weight"),
        rerank=arguments.get("rerank"),
        explain=arguments.get("explain", False),
        order_by=arguments.get("order"),
        descending=arguments.get("descending", False),
    )
    results = session.kb.search(request, fill=_FILLED)
    if mode is None and results.note and not _has_vectors(session):
        results = replace(results, note=None)  # who has no vectors, and asked for no mode, wants words
    return Hits(session, results, explain=arguments.get("explain", False))


def _filters(arguments: Arguments) -> Filters:
    from jupyter_kb.search.where import front_matter

    return Filters(
        path=arguments.get("path"),
        tags=tuple(tag.removeprefix("#") for tag in arguments.get("tag", ())),
        front_matter=front_matter(arguments.get("where", ())),
        modified_after=arguments.get("modified_after"),
        modified_before=arguments.get("modified_before"),
        heading_prefix=arguments.get("under", ()),
    )


def _section_like(session: Session, name: str) -> SectionRef:
    """The section that `NOTE#HEADING` means."""
    file, mark, heading = name.partition("#")
    return SectionRef(file=session.kb.find_note(file), heading_path=heading.strip() if mark else None)


def _has_vectors(session: Session) -> bool:
    model = session.kb.status().model
    return model is not None and model.embedded > 0
