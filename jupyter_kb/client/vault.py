"""VaultClient: one vault of a server, with the verbs of `Operations`; each is one request."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from jupyter_kb import wire
from jupyter_kb.client.connection import quoted
from jupyter_kb.client.pages import gathered
from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.models import (
    Backlink,
    BacklinkPage,
    Diagnostic,
    DiagnosticPage,
    EditResult,
    EmbedResult,
    FolderNode,
    Graph,
    GrepRequest,
    GrepResults,
    LinkKind,
    LinkPage,
    NoteName,
    NotePage,
    Outline,
    ReindexReport,
    Rendered,
    SearchRequest,
    SearchResults,
    SectionContent,
    SectionEdit,
    SectionRef,
    Status,
    Suggestions,
)

if TYPE_CHECKING:
    from jupyter_kb.client import Client

_T = TypeVar("_T")

ACTOR_HEADER = "KB-Actor"
"""Who asked for an edit, among processes that know each other's secret."""
_TAG_CHARACTERS = frozenset(string.printable) - frozenset('"' + string.whitespace)


class VaultClient:
    """The verbs of `KnowledgeBase` on one vault of a server."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.name = name
        self._path = f"vaults/{quoted(name)}/"

    # ── the index as a whole ────────────────────────────────────────────────────────────────────

    def status(self) -> Status:
        """Counts, sizes and the state of the index and the model."""
        return self._get(Status, "status")

    def reindex(self, *, reader: str = "", fresh: bool = True) -> ReindexReport:
        """Scan, and report what changed since the last report to this `reader`."""
        query = {"reader": reader or None, "fresh": None if fresh else fresh}
        return self._send(ReindexReport, "POST", "reindex", query=query, repeatable=False)

    def embed(self) -> EmbedResult:
        """Make the vectors that are missing; the answer comes when all are there."""
        return self._send(EmbedResult, "POST", "embed")

    # ── finding ─────────────────────────────────────────────────────────────────────────────────

    def search(
        self, request: SearchRequest, *, fresh: bool = True, wait: float | None = None, fill: int = 0
    ) -> SearchResults:
        """Sections that answer a query or are like a section, best first; without either, all."""
        body = {**wire.dump(request), "fresh": fresh, "wait": wait, "fill": fill}

        def page(limit: int, offset: int) -> SearchResults:
            return self._send(SearchResults, "POST", "search", {**body, "limit": limit, "offset": offset})

        return gathered(page, request.limit, request.offset)

    def grep(self, request: GrepRequest) -> GrepResults:
        """Lines of the notes that hold exactly these characters, or match this expression."""
        return self._send(GrepResults, "POST", "grep", wire.dump(request))

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def tree(self, *, folder: str = "") -> FolderNode:
        """The folders of the vault, or of one folder of it, with their notes."""
        return self._get(FolderNode, "tree", folder=folder)

    def notes(self, *, query: str = "", folder: str = "", limit: int = 50, offset: int = 0) -> NotePage:
        """Notes by name: those whose title, alias or path holds the query's letters, best first; all without one."""
        return self._pages(NotePage, "notes", limit, offset, query=query, folder=folder)

    def find_note(self, name: str) -> str:
        """The key of the one note that a name can only mean."""
        return self._get(NoteName, "note", name=name).file

    def suggest(self, file: str) -> list[str]:
        """Up to three names of notes near one that does not exist."""
        return list(self._get(Suggestions, "suggestions", file=file).suggestions)

    def outline(self, file: str) -> Outline:
        """The heading tree of one note, with hashes."""
        return self._get(Outline, "outline", file=file)

    def get_section(self, section: SectionRef, *, children: bool = True, levels_up: int = 0) -> SectionContent:
        """The exact bytes of a section, with the hash that an edit of them must name."""
        path = section.heading_path
        return self._get(
            SectionContent,
            "section",
            file=section.file,
            heading_path=path if isinstance(path, str) else None,
            heading=path if isinstance(path, tuple) else None,
            line=section.line,
            exact=section.exact,
            children=children,
            levels_up=levels_up,
        )

    def render(self, markdown: str, *, file: str | None = None) -> Rendered:
        """Markdown as safe HTML, its wikilinks resolved as if it stood in `file`."""
        return self._send(Rendered, "POST", "render", {"markdown": markdown, "file": file})

    # ── links ───────────────────────────────────────────────────────────────────────────────────

    def backlinks(
        self, file: str, heading_path: str | None = None, *, fresh: bool = True, wait: float | None = None
    ) -> tuple[Backlink, ...]:
        """Wikilinks that resolve, by the exact rules, to a note or to one of its sections."""
        query = {"file": file, "heading_path": heading_path, "fresh": fresh, "wait": wait}
        return self._pages(BacklinkPage, "backlinks", None, 0, **query).backlinks

    def links(
        self,
        file: str,
        heading_path: str | None = None,
        *,
        direction: Literal["in", "out", "both"] = "in",
        kind: LinkKind | None = None,
        limit: int = 50,
        offset: int = 0,
        fresh: bool = True,
        wait: float | None = None,
    ) -> LinkPage:
        """Links to or from a note or section, resolved the way people write them."""
        return self._pages(
            LinkPage,
            "links",
            limit,
            offset,
            file=file,
            heading_path=heading_path,
            direction=direction,
            kind=kind,
            fresh=fresh,
            wait=wait,
        )

    def graph(
        self, file: str | None = None, *, depth: int = 1, limit: int = 150, offset: int = 0, fresh: bool = True
    ) -> Graph:
        """Notes and the links between them: those around a note, at most `depth` links away, or the whole vault."""
        return self._pages(Graph, "graph", limit, offset, file=file, depth=depth, fresh=fresh)

    def diagnostics(
        self,
        *,
        path: str | None = None,
        kind: str | None = None,
        limit: int = 50,
        offset: int = 0,
        exact: bool = False,
        fresh: bool = True,
        wait: float | None = None,
    ) -> tuple[tuple[Diagnostic, ...], int]:
        """What wants a person's attention, and how many entries there are before paging."""
        page = self._pages(
            DiagnosticPage, "diagnostics", limit, offset, path=path, kind=kind, exact=exact, fresh=fresh, wait=wait
        )
        return page.diagnostics, page.total

    # ── editing ─────────────────────────────────────────────────────────────────────────────────

    def edit_section(
        self, edit: SectionEdit, *, actor: str = "local", reader: str = "", wait: float | None = None
    ) -> EditResult:
        """Change one section under the guard of its hash; when this returns, the change is in the index too.

        Raises
        ------
        ServerUnreachableError : with `sent` the edit may have been done; read the section before repeating it.
        """
        headers = {ACTOR_HEADER: quoted(actor)}
        if edit.expected_hash:
            if not _TAG_CHARACTERS.issuperset(edit.expected_hash):
                raise InvalidRequestError(
                    "expected_hash is not a content_hash", hint="copy content_hash as it was given, in lower case"
                )
            headers["If-Match"] = f'"{edit.expected_hash}"'
        body = {key: value for key, value in asdict(edit).items() if key != "expected_hash"}
        query = _query({"wait": wait, "reader": reader or None})
        answer = self.client.ask(
            "PATCH", f"{self._path}section", query=query, body=body, headers=headers, repeatable=False
        )
        done: EditResult = wire.load(EditResult, answer, ignore_unknown=True)
        return done

    def create_note(self, file: str, content: str = "", *, actor: str = "local", reader: str = "") -> EditResult:
        """Make a note, with the folders that it needs; never over one that is there."""
        answer = self.client.ask(
            "POST",
            f"{self._path}notes",
            query=_query({"reader": reader or None}),
            body={"file": file, "content": content},
            headers={ACTOR_HEADER: quoted(actor)},
            repeatable=False,
        )
        done: EditResult = wire.load(EditResult, answer, ignore_unknown=True)
        return done

    # ── requests ────────────────────────────────────────────────────────────────────────────────

    def _get(self, kind: type[_T], resource: str, /, **query: Any) -> _T:
        answer = self.client.ask("GET", self._path + resource, query=_query(query))
        found: _T = wire.load(kind, answer, ignore_unknown=True)
        return found

    def _pages(self, kind: type[_T], resource: str, limit: int | None, offset: int, /, **query: Any) -> _T:
        def page(limit: int, offset: int) -> Any:
            return self._get(kind, resource, **query, limit=limit, offset=offset)

        found: _T = gathered(page, limit, offset)
        return found

    def _send(
        self,
        kind: type[_T],
        method: str,
        resource: str,
        body: Any = None,
        *,
        query: dict[str, Any] | None = None,
        repeatable: bool = True,
    ) -> _T:
        answer = self.client.ask(
            method, self._path + resource, query=_query(query or {}), body=body, repeatable=repeatable
        )
        found: _T = wire.load(kind, answer, ignore_unknown=True)
        return found

    # ── life ────────────────────────────────────────────────────────────────────────────────────

    def close(self) -> None:
        """Give the connections of its client back."""
        self.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _query(values: dict[str, Any]) -> list[tuple[str, str]]:
    """Values as query parameters: None is left out, a list is repeated."""
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        several: Sequence[Any] = value if isinstance(value, tuple | list) else (value,)
        pairs += [(name, _text(one)) for one in several if one is not None]
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
