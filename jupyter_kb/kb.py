"""KnowledgeBase: everything one can do with a vault, one short method an operation.

Read this file as the table of contents. Doors (command line, MCP, later REST and notebooks) call these methods and
hold no logic of their own; the rooms below do the work.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from jupyter_kb import __version__
from jupyter_kb.editing.following import FollowedEditing
from jupyter_kb.events import EventBus, IndexUpdated
from jupyter_kb.graph import backlinks as linking
from jupyter_kb.graph import diagnostics as checks
from jupyter_kb.graph.picture import Pictures
from jupyter_kb.graph.written import resolve_written
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.index.opening import Opened, open_index
from jupyter_kb.index.scanning import Progress, Scanning
from jupyter_kb.markdown import projections
from jupyter_kb.markdown.document import parse
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
    ScanResult,
    SearchRequest,
    SearchResults,
    SectionContent,
    SectionEdit,
    SectionRef,
    Status,
)
from jupyter_kb.render import note as shown_note
from jupyter_kb.search import grep as grepping
from jupyter_kb.search.meaning import Meaning
from jupyter_kb.search.names import Names
from jupyter_kb.settings import Settings
from jupyter_kb.vault.names import note_named

if TYPE_CHECKING:
    from jupyter_kb.embedding.base import Embedder, Reranker


class KnowledgeBase:
    """One vault with its index. Safe to use from several threads; close it when done (or use `with`).

    Reads see the disk: `outline`, `get_section` and `edit_section` read the file itself, and whatever goes through the
    index first compares the index with the disk (one `stat` a note). `fresh=False` skips that comparison.
    """

    def __init__(self, opened: Opened, *, embedder: Embedder | None = None, reranker: Reranker | None = None) -> None:
        self.vault = vault = opened.vault
        self.database = database = opened.database
        self.settings = opened.settings
        self.location = opened.location
        self.note = opened.note
        self.events = EventBus()
        self.indexer = Indexer(vault, database, self.events, self.settings)
        self.meaning = Meaning(
            vault,
            database,
            self.settings,
            vectors_file=self.location.vectors if self.location else None,
            embedder=embedder,
            reranker=reranker,
        )
        self._editing = FollowedEditing(vault, database, self.indexer, self.events)
        self._names = Names(database, self.events)
        self._pictures = Pictures(database, vault)
        self._attention = checks.Count(database, vault)
        self._scanning = Scanning(vault, self.indexer, self.settings)
        self.live = self._scanning.live

    # ── life ────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        settings: Settings | None = None,
        index_dir: Path | str | None = None,
        in_memory: bool = False,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> Self:
        """Open a vault and its index; nothing is scanned yet.

        Without `settings` those of the last time hold. When another process owns the index, or its folder cannot be
        written, a private index in memory serves this process, fully, and `status().note` says so. `embedder` and
        `reranker` stand in for those that the settings name.

        Raises
        ------
        VaultNotFoundError : `root` does not exist or is not a folder.
        """
        opened = open_index(root, settings=settings, index_dir=index_dir, in_memory=in_memory)
        return cls(opened, embedder=embedder, reranker=reranker)

    def close(self) -> None:
        """Let go of the index; a scan that is running ends with what it has written, an embedding after its batch."""
        self.indexer.stop()
        self.live.stop()
        self.meaning.close()
        with self._scanning:
            self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── the index as a whole ────────────────────────────────────────────────────────────────────

    def scan(self, progress: Progress | None = None) -> ScanResult:
        """Bring the index up to date with the disk; `progress(done, total)` counts notes."""
        return self._scanning.scan(progress)

    def reindex(self, *, reader: str = "", fresh: bool = True) -> ReindexReport:
        """Scan, and report what changed since the last report to this `reader`, its own edits left out.

        At first: since the first scan without a name, else since the reader first asked. With `fresh=False` without a
        scan, and without a count of diagnostics.
        """
        self.indexer.follow(reader)
        if not fresh:
            return self.indexer.report(reader)
        self.scan()
        return replace(self.indexer.report(reader), diagnostics=self._attention.total())

    def watch(self) -> None:
        """From now on follow the files on a thread: `index.live` says what freshness a reader then gets."""
        self.live.start()

    def embed(self, progress: Progress | None = None) -> EmbedResult:
        """Make the vectors that are missing; `progress(done, total)` counts chunks. Without a model: ModelError."""
        return self.meaning.embed(progress)

    def embed_in_background(self, *, only_if_begun: bool = False) -> None:
        """From now on do so on a thread, after each change of the index, perhaps only where there are vectors."""
        if not only_if_begun or self.meaning.vectors.searchable() is not None:
            self.events.subscribe(lambda event: self.meaning.tell() if isinstance(event, IndexUpdated) else None)
            self.meaning.follow()

    def status(self) -> Status:
        """Counts, sizes and the state of the index, as they are now, without waiting for a scan."""
        last_scan = self.indexer.last_scan  # first: a scan that ends meanwhile must not vouch for older counts
        counts = self.indexer.counts()
        indexing = self._scanning.progress
        return Status(
            vault=self.vault.name,
            root=str(self.vault.root),
            notes=counts.notes,
            sections=counts.sections,
            links=counts.links,
            diagnostics=self._attention.total(settled=indexing is None),
            index_location=str(self.location.folder) if self.location else None,
            index_bytes=self.database.size(),
            read_only=self.settings.read_only,
            last_scan=last_scan,
            indexing=indexing,
            note=self.note,
            language=self.settings.language,
            version=__version__,
            model=self.meaning.status(),
        )

    # ── finding ─────────────────────────────────────────────────────────────────────────────────

    def search(
        self, request: SearchRequest, *, fresh: bool = True, wait: float | None = None, fill: int = 0
    ) -> SearchResults:
        """Sections (chunks, documents) that answer a query or are like a section, best first; without either, all.

        `wait` bounds the seconds spent on a scan that is already running; past it the answer covers what is indexed so
        far and `indexing` says how far that is. Where meaning cannot be searched, words are, and `note` says why. Up to
        `fill` pieces of text that have no vector yet get theirs first.

        Raises
        ------
        InvalidRequestError : filters or a combination of parameters that make no sense.
        """
        indexing = self._scanning.refresh(wait) if fresh else None
        return replace(self.meaning.search(request, fill=fill), indexing=indexing)

    def grep(self, request: GrepRequest) -> GrepResults:
        """Lines of the notes, as they are on disk, that hold exactly these characters (or match this expression)."""
        return grepping.grep(self.vault, request)

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def tree(self, *, folder: str = "") -> FolderNode:
        """The folders of the vault, or of one folder of it, with their notes."""
        return self.vault.tree(folder)

    def notes(self, *, query: str = "", folder: str = "", limit: int = 50, offset: int = 0) -> NotePage:
        """Notes by name: those whose title, alias or path holds the words of a query, best first; all without one.

        With a query the index is not compared with the disk first: this is asked at each key that is pressed.
        """
        if query:
            self._scanning.refresh_once()
        else:
            self._scanning.refresh(0.0)
        return self._names.notes(query=query, folder=folder, limit=limit, offset=offset)

    def find_note(self, name: str) -> str:
        """The key of the one note that a name can only mean.

        Besides the key itself: another case of letters, without `.md`, without leading folders.

        Raises
        ------
        NoteNotFoundError : `details["suggestions"]` holds up to three near names.
        InvalidRequestError : several notes answer to the name; `details["candidates"]` lists them.
        InvalidPathError : the name leads out of the vault.
        """
        return note_named(self.vault.resolve(name), [stat.key for stat in self.vault.list()])

    def suggest(self, file: str) -> list[str]:
        """Up to three names of notes near one that does not exist."""
        return self.vault.suggest(file)

    def outline(self, file: str) -> Outline:
        """The heading tree of one note, with hashes.

        Raises
        ------
        NoteNotFoundError : with up to three near names.
        """
        key = self.vault.resolve(file)
        data, modified = self.vault.read_dated(key)
        return projections.outline(key, parse(data), modified=modified)

    def get_section(self, section: SectionRef, *, children: bool = True, levels_up: int = 0) -> SectionContent:
        """The exact bytes of a section, with the hash that an edit of them must name.

        `children=False` stops before the first sub-heading; `levels_up` takes an ancestor instead. A reference without
        heading path and line gives the whole file.

        Raises
        ------
        NoteNotFoundError, SectionNotFoundError, AmbiguousSectionError
        """
        key = self.vault.resolve(section.file)
        data, modified = self.vault.read_dated(key)
        return projections.content(key, parse(data), section, children=children, levels_up=levels_up, modified=modified)

    # ── links ───────────────────────────────────────────────────────────────────────────────────

    def backlinks(
        self, file: str, heading_path: str | None = None, *, fresh: bool = True, wait: float | None = None
    ) -> tuple[Backlink, ...]:
        """Wikilinks that resolve, by the exact rules, to a note or to one of its sections.

        Raises
        ------
        NoteNotFoundError : the note is not in the vault.
        """
        if fresh:
            self._scanning.refresh(wait)
        return linking.backlinks(self.database, self.vault.resolve(file), heading_path)

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
        """Links to or from a note or section, resolved the way people write them (aliases, any case, relative paths).

        Raises
        ------
        NoteNotFoundError : the note is not in the vault.
        """
        if fresh:
            self._scanning.refresh(wait)
        return linking.links(
            self.database,
            self.vault,
            self.vault.resolve(file),
            heading_path,
            direction=direction,
            kind=kind,
            limit=limit,
            offset=offset,
        )

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

        `exact` judges wikilinks by the exact rules, and knows besides only what is wrong with single notes.
        """
        if fresh:
            self._scanning.refresh(wait)
        return checks.diagnostics(
            self.database, self.vault, path=path, kind=kind, limit=limit, offset=offset, exact=exact
        )

    def graph(
        self, file: str | None = None, *, depth: int = 1, limit: int = 150, offset: int = 0, fresh: bool = True
    ) -> Graph:
        """Notes and the links between them: those around a note, at most `depth` links away, or the whole vault.

        Raises
        ------
        NoteNotFoundError : the note is not in the vault.
        """
        if fresh:
            self._scanning.refresh(None)
        key = None if file is None else self.vault.resolve(file)
        return self._pictures.graph(key, depth=depth, limit=limit, offset=offset)

    # ── editing ─────────────────────────────────────────────────────────────────────────────────

    def edit_section(
        self, edit: SectionEdit, *, actor: str = "local", reader: str = "", wait: float | None = None
    ) -> EditResult:
        """Change one section under the guard of its hash; when this returns, the change is in the index too.

        `actor` is who wants it, for the record; the next report to `reader` leaves it out.

        The index serves only to tell which links the edit breaks: an edit does not fail for it, and `wait` bounds the
        seconds spent on a scan that is already running.

        Raises
        ------
        ConflictError : the text changed since it was read; nothing was written.
        InvalidBodyError, UnverifiedEditError : the result would change other sections; nothing was written.
        ReadOnlyError, WriteFailedError : the file is as it was.
        """
        refresh = partial(self._scanning.refresh, wait)
        return self._editing.edit_section(edit, actor=actor, reader=reader, refresh=refresh)

    def create_note(self, file: str, content: str = "", *, actor: str = "local", reader: str = "") -> EditResult:
        """Make a note, with the folders that it needs; when this returns, it is in the index too.

        Raises
        ------
        NoteExistsError : it is there already, perhaps in another case; nothing was written.
        InvalidPathError : not a name for a note of this vault; the hint says why.
        """
        return self._editing.create_note(file, content, actor=actor, reader=reader)

    # ── showing ─────────────────────────────────────────────────────────────────────────────────

    def render(self, markdown: str, *, file: str | None = None) -> Rendered:
        """Markdown as safe HTML, its wikilinks resolved as if it stood in `file`, by the index as it is.

        Raises
        ------
        RequestTooLargeError : more than a million characters.
        """
        source = None if file is None else self.vault.resolve(file)
        self._scanning.refresh_once()
        return shown_note.render(markdown, lambda links: resolve_written(self.database, self.vault, source, links))
