"""As many entries as were asked for, whatever the size of the pages in which a server sends them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from jupyter_kb.models import BacklinkPage, DiagnosticPage, Graph, LinkPage, MentionPage, NotePage, SearchResults

_Page = TypeVar(
    "_Page", bound="SearchResults | NotePage | LinkPage | MentionPage | BacklinkPage | DiagnosticPage | Graph"
)

_ENTRIES: dict[type, str] = {
    SearchResults: "hits",
    NotePage: "notes",
    LinkPage: "links",
    MentionPage: "mentions",
    BacklinkPage: "backlinks",
    DiagnosticPage: "diagnostics",
    Graph: "nodes",
}


def gathered(ask: Callable[[int, int], _Page], limit: int | None, offset: int) -> _Page:
    """One page of `limit` entries (None: all) from those that `ask(limit, offset)` gives, which may end early."""
    page: Any = ask(_MOST if limit is None else limit, offset)
    name = _ENTRIES[type(page)]
    while True:
        entries = getattr(page, name)
        wanted = page.total - offset if limit is None else min(limit, page.total - offset)
        if len(entries) >= wanted:
            return cast("_Page", page)
        more = ask(wanted - len(entries), offset + len(entries))
        if not getattr(more, name):  # entries have gone meanwhile
            return cast("_Page", page)
        page = _joined(page, more, name)


_MOST = (1 << 31) - 1


def _joined(page: Any, more: Any, name: str) -> Any:
    changed: dict[str, Any] = {name: (*getattr(page, name), *getattr(more, name))}
    if isinstance(more, SearchResults):
        changed["has_more"] = more.has_more
    elif isinstance(more, MentionPage):  # the second look went further
        changed |= {"total": more.total, "more": more.more}
    elif isinstance(more, Graph):
        edges = (*page.edges, *more.edges)
        changed["edges"] = tuple(sorted(edges, key=lambda edge: (edge.source, edge.target)))
    return replace(page, **changed)
