"""The verbs of `Operations`, each handed on to whoever can answer it at the moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from jupyter_kb.models import (
        Backlink,
        Diagnostic,
        EmbedResult,
        Facets,
        FolderNode,
        Graph,
        GrepRequest,
        GrepResults,
        LinkKind,
        LinkPage,
        MentionPage,
        NotePage,
        Outline,
        Rendered,
        ResolvedTarget,
        SearchRequest,
        SearchResults,
        SectionContent,
        SectionRef,
        Status,
    )
    from jupyter_kb.operations import Operations

_T = TypeVar("_T")


class Verbs:
    """All verbs but those that need more than being handed on."""

    def _ask(self, use: Callable[[Operations], _T]) -> _T:
        raise NotImplementedError

    def embed(self) -> EmbedResult:
        """Make the vectors that are missing."""
        return self._ask(lambda vault: vault.embed())

    def pause_embedding(self, paused: bool) -> Status:
        """Make no vectors from now on, or go on with it; `embed` goes on, too."""
        return self._ask(lambda vault: vault.pause_embedding(paused))

    def search(
        self, request: SearchRequest, *, fresh: bool = True, wait: float | None = None, fill: int = 0
    ) -> SearchResults:
        """Sections that answer a query or are like a section, best first; without either, all."""
        return self._ask(lambda vault: vault.search(request, fresh=fresh, wait=wait, fill=fill))

    def grep(self, request: GrepRequest) -> GrepResults:
        """Lines of the notes that hold exactly these characters, or match this expression."""
        return self._ask(lambda vault: vault.grep(request))

    def tree(self, *, folder: str = "") -> FolderNode:
        """The folders of the vault, or of one folder of it, with their notes."""
        return self._ask(lambda vault: vault.tree(folder=folder))

    def notes(self, *, query: str = "", folder: str = "", limit: int = 50, offset: int = 0) -> NotePage:
        """Notes by name: those whose title, alias or path holds the query's letters, best first; all without one."""
        return self._ask(lambda vault: vault.notes(query=query, folder=folder, limit=limit, offset=offset))

    def facets(self) -> Facets:
        """The tags, folders and front matter of the vault's notes with how many notes have each, most used first."""
        return self._ask(lambda vault: vault.facets())

    def find_note(self, name: str) -> str:
        """The key of the one note that a name can only mean."""
        return self._ask(lambda vault: vault.find_note(name))

    def suggest(self, file: str) -> list[str]:
        """Up to three names of notes near one that does not exist."""
        return self._ask(lambda vault: vault.suggest(file))

    def outline(self, file: str) -> Outline:
        """The heading tree of one note, with hashes."""
        return self._ask(lambda vault: vault.outline(file))

    def get_section(self, section: SectionRef, *, children: bool = True, levels_up: int = 0) -> SectionContent:
        """The exact bytes of a section, with the hash that an edit of them must name."""
        return self._ask(lambda vault: vault.get_section(section, children=children, levels_up=levels_up))

    def render(self, markdown: str, *, file: str | None = None) -> Rendered:
        """Markdown as safe HTML, its wikilinks resolved as if it stood in `file`."""
        return self._ask(lambda vault: vault.render(markdown, file=file))

    def backlinks(
        self, file: str, heading_path: str | None = None, *, fresh: bool = True, wait: float | None = None
    ) -> tuple[Backlink, ...]:
        """Wikilinks that resolve, by the exact rules, to a note or to one of its sections."""
        return self._ask(lambda vault: vault.backlinks(file, heading_path, fresh=fresh, wait=wait))

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
        return self._ask(
            lambda vault: vault.links(
                file,
                heading_path,
                direction=direction,
                kind=kind,
                limit=limit,
                offset=offset,
                fresh=fresh,
                wait=wait,
            )
        )

    def mentions(
        self, file: str, *, limit: int = 50, offset: int = 0, fresh: bool = True, wait: float | None = None
    ) -> MentionPage:
        """Places in other notes where a note's title or one of its aliases stands without being a link."""
        return self._ask(lambda vault: vault.mentions(file, limit=limit, offset=offset, fresh=fresh, wait=wait))

    def resolve(self, targets: Sequence[str], *, file: str | None = None) -> tuple[ResolvedTarget, ...]:
        """What wikilinks with these targets (`Note#Heading`) mean as if they stood in `file`, in this order."""
        return self._ask(lambda vault: vault.resolve(targets, file=file))

    def graph(
        self, file: str | None = None, *, depth: int = 1, limit: int = 150, offset: int = 0, fresh: bool = True
    ) -> Graph:
        """Notes and the links between them: those around a note, at most `depth` links away, or the whole vault."""
        return self._ask(lambda vault: vault.graph(file, depth=depth, limit=limit, offset=offset, fresh=fresh))

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
        return self._ask(
            lambda vault: vault.diagnostics(
                path=path, kind=kind, limit=limit, offset=offset, exact=exact, fresh=fresh, wait=wait
            )
        )
