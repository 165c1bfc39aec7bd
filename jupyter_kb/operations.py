"""What can be done with a vault, whoever does it: the index's owner itself, or a client that asks the owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from jupyter_kb.models import (
        Backlink,
        Diagnostic,
        EditResult,
        EmbedResult,
        FolderNode,
        Graph,
        GrepRequest,
        GrepResults,
        LinkKind,
        LinkPage,
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
    )


class Operations(Protocol):
    """The verbs of `KnowledgeBase` that doors call. Safe to use from several threads; every one may raise a KBError.

    `fresh` compares the index with the disk first; `wait` bounds the seconds spent on a scan that is already running.
    """

    def status(self) -> Status:
        """Counts, sizes and the state of the index and the model."""

    def reindex(self, *, reader: str = "", fresh: bool = True) -> ReindexReport:
        """Scan, and report what changed since the last report to this `reader`, its own edits left out.

        A reader's first call begins its account, with `fresh=False` without a scan.
        """

    def embed(self) -> EmbedResult:
        """Make the vectors that are missing."""

    def search(
        self, request: SearchRequest, *, fresh: bool = True, wait: float | None = None, fill: int = 0
    ) -> SearchResults:
        """Sections that answer a query or are like a section, best first; without either, all."""

    def grep(self, request: GrepRequest) -> GrepResults:
        """Lines of the notes that hold exactly these characters, or match this expression."""

    def tree(self, *, folder: str = "") -> FolderNode:
        """The folders of the vault, or of one folder of it, with their notes."""

    def notes(self, *, query: str = "", folder: str = "", limit: int = 50, offset: int = 0) -> NotePage:
        """Notes by name: those whose title, alias or path holds the query's letters, best first; all without one."""

    def find_note(self, name: str) -> str:
        """The key of the one note that a name can only mean."""

    def suggest(self, file: str) -> list[str]:
        """Up to three names of notes near one that does not exist."""

    def outline(self, file: str) -> Outline:
        """The heading tree of one note, with hashes."""

    def get_section(self, section: SectionRef, *, children: bool = True, levels_up: int = 0) -> SectionContent:
        """The exact bytes of a section, with the hash that an edit of them must name."""

    def edit_section(
        self, edit: SectionEdit, *, actor: str = "local", reader: str = "", wait: float | None = None
    ) -> EditResult:
        """Change one section under the guard of its hash; when this returns, the change is in the index too.

        `actor` is who wants it, for the record; the next report to `reader` leaves it out.
        """

    def create_note(self, file: str, content: str = "", *, actor: str = "local", reader: str = "") -> EditResult:
        """Make a note, with the folders that it needs; never over one that is there."""

    def render(self, markdown: str, *, file: str | None = None) -> Rendered:
        """Markdown as safe HTML, its wikilinks resolved as if it stood in `file`."""

    def backlinks(
        self, file: str, heading_path: str | None = None, *, fresh: bool = True, wait: float | None = None
    ) -> tuple[Backlink, ...]:
        """Wikilinks that resolve, by the exact rules, to a note or to one of its sections."""

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

    def graph(
        self, file: str | None = None, *, depth: int = 1, limit: int = 150, offset: int = 0, fresh: bool = True
    ) -> Graph:
        """Notes and the links between them: those around a note, at most `depth` links away, or the whole vault."""

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
        """What wants a person's attention, and how many entries there are before paging.

        `exact` judges links by the exact rules (structural toolset) instead of the way people write them.
        """
