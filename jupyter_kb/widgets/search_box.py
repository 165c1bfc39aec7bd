"""SearchBox: search as you type, in a notebook; the chosen section drives other widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from traitlets import Enum, Int, List, Unicode, observe

from jupyter_kb.magics.results import Found, Hits
from jupyter_kb.models import Filters, Hit, SearchRequest, SearchResults
from jupyter_kb.render import html, markdown
from jupyter_kb.render.lines import marked, visible
from jupyter_kb.widgets.base import Latest, NotesWidget
from jupyter_kb.widgets.front_end import script, style
from jupyter_kb.widgets.places import reference, steps

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import SearchMode
    from jupyter_kb.operations import Operations

_PATIENCE = 2.0
"""Seconds that an answer waits for a scan that is running; past it, what is indexed so far is searched."""


class SearchBox(NotesWidget):
    """A search field with its results. Choose one with a click or Enter, and `selected` names it.

    Parameters
    ----------
    query : what to search for at once.
    vault : what `jupyter_kb.connect` gave, the name of a vault or a folder; by default the vault that `%kb` uses.

    Examples
    --------
    ``box = SearchBox("dark adaptation")``, then ``traitlets.link((box, "selected"), (editor, "section"))``.
    """

    _esm = script("search_box")
    _css = style("search_box")

    query = Unicode(help="What is searched for. Setting it searches.").tag(sync=True)
    mode = Enum(("hybrid", "text", "semantic"), "hybrid", help="By words and meaning, by words, or by meaning.").tag(
        sync=True
    )
    limit = Int(10, min=1, max=200, help="So many results at most.").tag(sync=True)
    path = Unicode(help="Only notes whose path matches, or holds this text.").tag(sync=True)
    tags = List(Unicode(), help="Only notes with all of these tags.").tag(sync=True)
    selected = Unicode(help="The chosen section, as `%kb get` takes it: `NOTE > HEADING`.").tag(sync=True)
    total = Int(help="How many sections were found in all.").tag(sync=True)

    _rows: List[Any] = List(help="The results as the front end shows them.").tag(sync=True)
    _answered = Unicode(help="The question that the results answer.").tag(sync=True)
    _remarks = List(Unicode()).tag(sync=True)

    def __init__(
        self, query: str = "", *, vault: Session | Operations | str | Path | None = None, **traits: Any
    ) -> None:
        self._results: SearchResults | None = None
        self._ready = False
        super().__init__(vault=vault, query=query, **traits)
        self._latest = Latest(self)
        if self.query.strip():
            self._take(self._now(self._search))
        self._ready = True

    @property
    def hits(self) -> Hits:
        """The results, as `%kb search` gives them: `box.hits[0].text`."""
        return Hits(self._session, self._results or SearchResults(query="", mode="text", hits=(), total=0))

    @property
    def section(self) -> Found | None:
        """The chosen result, with its text and the guarded way to change it; None before one is chosen."""
        chosen = [found for found in self.hits if reference(found.hit) == self.selected]
        return chosen[0] if chosen else None

    @observe("query", "mode", "limit", "path", "tags")
    def _changed(self, _: object) -> None:
        if not self._ready:
            return
        if not self.query.strip():
            self._latest.drop()
            self._take(None)
        else:
            self._latest(self._search, self._take)

    def _search(self) -> SearchResults:
        request = SearchRequest(
            query=self.query,
            mode=cast("SearchMode", self.mode),
            limit=self.limit,
            per_file=3,
            filters=Filters(path=self.path or None, tags=tuple(self.tags)),
        )
        return self.kb.search(request, wait=_PATIENCE)

    def _take(self, found: SearchResults | None) -> None:
        self._results = found
        self._apply(
            _rows=[_row(hit, found.mode) for hit in found.hits] if found else [],
            _remarks=list(html.search_remarks(found)) if found else [],
            _answered=found.query if found else "",
            total=found.total if found else 0,
            problem="",
        )

    # ── where no widget is shown ────────────────────────────────────────────────────────────────

    def _plain(self) -> str:
        return self.hits._plain() if self._results else "SearchBox: nothing was searched for"

    def _markdown(self) -> str:
        return markdown.search(self._results) if self._results else "Search notes"

    def _html(self) -> str:
        if self._results is None:
            return html.message("Search notes")
        return html.search(self._results, address=self._session.address)


def _row(hit: Hit, mode: str) -> dict[str, Any]:
    return {
        "ref": reference(hit),
        "file": visible(hit.file),
        "heading": visible(hit.heading_path),
        "title": visible(hit.title),
        "place": steps(hit.file, hit.title, hit.heading_path),
        "parts": [[text, style == "mark"] for text, style in marked(hit.snippet, hit.marks)],
        "meaning": by_meaning(hit, mode),
    }


def by_meaning(hit: Hit, mode: str) -> bool:
    """Whether it was found although its words differ."""
    return mode != "text" and bool(hit.snippet) and not hit.marks
