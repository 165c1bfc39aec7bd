"""KnowledgeBase: everything one can do with a vault, one short method an operation.

Read this file as the table of contents. Doors (command line, MCP, later REST and notebooks) call these methods and
hold no logic of their own; the rooms below do the work.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from jupyter_kb import __version__
from jupyter_kb.editing import section as editing
from jupyter_kb.errors import KBError
from jupyter_kb.events import EventBus, IndexUpdated, NoteChanged
from jupyter_kb.graph import backlinks as graph
from jupyter_kb.graph import diagnostics as checks
from jupyter_kb.index.database import Database, IndexOwnedError
from jupyter_kb.index.following import Following
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.index.location import IndexLocation, locate
from jupyter_kb.markdown import projections
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import (
    Backlink,
    Diagnostic,
    EditResult,
    EmbedResult,
    FolderNode,
    GrepRequest,
    GrepResults,
    LinkKind,
    LinkPage,
    Outline,
    ReindexReport,
    ResolvedLink,
    ScanResult,
    SearchRequest,
    SearchResults,
    SectionContent,
    SectionEdit,
    SectionRef,
    Status,
)
from jupyter_kb.search import grep as grepping
from jupyter_kb.search.meaning import Meaning
from jupyter_kb.settings import Settings
from jupyter_kb.vault.names import note_named
from jupyter_kb.vault.vault import Vault

if TYPE_CHECKING:
    from jupyter_kb.embedding.base import Embedder, Reranker

_log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]


class KnowledgeBase:
    """One vault with its index. Safe to use from several threads; close it when done (or use `with`).

    Reads see the disk: `outline`, `get_section` and `edit_section` read the file itself, and whatever goes through the
    index first compares the index with the disk (one `stat` a note). `fresh=False` skips that comparison.
    """

    def __init__(
        self,
        vault: Vault,
        database: Database,
        *,
        settings: Settings,
        location: IndexLocation | None = None,
        note: str | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.vault = vault
        self.database = database
        self.settings = settings
        self.location = location
        self.note = note
        self.events = EventBus()
        self.indexer = Indexer(vault, database, self.events, settings)
        self.meaning = Meaning(
            vault,
            database,
            settings,
            vectors_file=location.vectors if location else None,
            embedder=embedder,
            reranker=reranker,
        )
        self.following = Following(vault, self.indexer, self.scan, settings)
        self._scanning = threading.Lock()
        self._progress: tuple[int, int] | None = None
        self._diagnostics = (-1, 0)  # generation of the index, and how many there were

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
        location = locate(root, index_dir)
        remembered = location.settings()
        chosen = settings or remembered or Settings()
        vault = Vault(location.root, chosen)
        models: dict[str, Any] = {"embedder": embedder, "reranker": reranker}
        if in_memory:
            return cls(vault, Database(None), settings=chosen, note="the index is in memory, as asked", **models)
        try:
            # a server that only reads does not forbid later edits
            lasting = replace(chosen, read_only=False)
            if remembered != lasting:
                location.save(lasting)
            return cls(vault, Database(location.database), settings=chosen, location=location, **models)
        except IndexOwnedError:
            note = "another process owns the index: this one works on its own, in memory"
        except OSError as error:
            note = f"the index folder cannot be used ({error.strerror or error}): this process works in memory"
        _log.warning("%s", note)
        return cls(vault, Database(None), settings=chosen, note=note, **models)

    def close(self) -> None:
        """Let go of the index; a scan that is running ends after its current batch, so does an embedding."""
        self.indexer.stop()
        self.following.stop()
        self.meaning.close()
        with self._scanning:
            self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ── the index as a whole ────────────────────────────────────────────────────────────────────

    def scan(self, progress: Progress | None = None) -> ScanResult:
        """Bring the index up to date with the disk; `progress(done, total)` counts notes."""

        def follow(done: int, total: int) -> None:
            self._progress = (done, total)
            if progress is not None:
                progress(done, total)

        with self._scanning:
            try:
                return self.indexer.scan(follow)
            finally:
                self._progress = None

    def reindex(self) -> ReindexReport:
        """Scan, and report what changed since the last report (or since the index was opened and first scanned)."""
        self.scan()
        return replace(self.indexer.report(), diagnostics=self._count_diagnostics())

    def watch(self) -> None:
        """From now on follow the files on a thread: `index.following` says what freshness a reader then gets."""
        self.following.start()

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
        counts = self.indexer.counts()
        return Status(
            vault=self.vault.name,
            root=str(self.vault.root),
            notes=counts.notes,
            sections=counts.sections,
            links=counts.links,
            diagnostics=self._count_diagnostics(),
            index_location=str(self.location.folder) if self.location else None,
            index_bytes=self.database.size(),
            read_only=self.settings.read_only,
            last_scan=self.indexer.last_scan,
            indexing=self._progress,
            note=self.note,
            language=self.settings.language,
            version=__version__,
            model=self.meaning.status(),
        )

    def _count_diagnostics(self) -> int:
        """All of them, those of links included; counted again only after a change of the index."""
        generation = self.database.generation
        if self._diagnostics[0] != generation:
            self._diagnostics = (generation, self.diagnostics(limit=0, fresh=False)[1])
        return self._diagnostics[1]

    def _refresh(self, wait: float | None) -> tuple[int, int] | None:
        """Scan before an indexed read. Past `wait` seconds of somebody else's scan: its progress, and no scan."""
        if self.following.is_current(wait):
            return None
        if not self._scanning.acquire(timeout=-1 if wait is None else wait):
            return self._progress or (0, 0)
        try:
            self.indexer.scan()
        finally:
            self._scanning.release()
        return None

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
        indexing = self._refresh(wait) if fresh else None
        return replace(self.meaning.search(request, fill=fill), indexing=indexing)

    def grep(self, request: GrepRequest) -> GrepResults:
        """Lines of the notes, as they are on disk, that hold exactly these characters (or match this expression)."""
        return grepping.grep(self.vault, request)

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def tree(self, *, folder: str = "") -> FolderNode:
        """The folders of the vault, or of one folder of it, with their notes."""
        return self.vault.tree(folder)

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

    def read(self, file: str) -> Document:
        """One note, read and parsed from disk now."""
        return parse(self.vault.read(self.vault.resolve(file)))

    def outline(self, file: str) -> Outline:
        """The heading tree of one note, with hashes.

        Raises
        ------
        NoteNotFoundError : with up to three near names.
        """
        key = self.vault.resolve(file)
        return projections.outline(key, parse(self.vault.read(key)))

    def get_section(self, section: SectionRef, *, children: bool = True, levels_up: int = 0) -> SectionContent:
        """The exact bytes of a section, with the hash that an edit of them must name.

        `children=False` stops before the first sub-heading; `levels_up` takes an ancestor instead. A reference without
        heading path and line gives the whole file.

        Raises
        ------
        NoteNotFoundError, SectionNotFoundError, AmbiguousSectionError
        """
        key = self.vault.resolve(section.file)
        return projections.content(key, parse(self.vault.read(key)), section, children=children, levels_up=levels_up)

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
            self._refresh(wait)
        return graph.backlinks(self.database, self.vault.resolve(file), heading_path)

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
            self._refresh(wait)
        return graph.links(
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
        fresh: bool = True,
        wait: float | None = None,
    ) -> tuple[tuple[Diagnostic, ...], int]:
        """What wants a person's attention, and how many entries there are before paging."""
        if fresh:
            self._refresh(wait)
        return checks.diagnostics(self.database, self.vault, path=path, kind=kind, limit=limit, offset=offset)

    # ── editing ─────────────────────────────────────────────────────────────────────────────────

    def edit_section(self, edit: SectionEdit, *, actor: str = "local", wait: float | None = None) -> EditResult:
        """Change one section under the guard of its hash; when this returns, the change is in the index too.

        The index serves only to tell which links the edit breaks: an edit does not fail for it, and `wait` bounds the
        seconds spent on a scan that is already running.

        Raises
        ------
        ConflictError : the text changed since it was read; nothing was written.
        InvalidBodyError, UnverifiedEditError : the result would change other sections; nothing was written.
        ReadOnlyError, WriteFailedError : the file is as it was.
        """
        if not edit.strict:  # the structural answer names no links
            self._despite_the_index(lambda: self._refresh(wait))
        broken: list[ResolvedLink] = []
        with self.indexer.own_edits.announced() as announce:
            outcome = editing.edit_section(self.vault, edit, announce=announce)
            if not edit.strict:
                self._despite_the_index(lambda: broken.extend(self._links_broken_by(outcome)))
            if outcome.written:
                self._despite_the_index(lambda: self.indexer.update([outcome.file], own=True, before=outcome.before))
        if outcome.written:
            self.events.publish(
                NoteChanged(file=outcome.file, operation=edit.operation, actor=actor, version=outcome.after.version)
            )
        return outcome.result(tuple(broken))

    def _despite_the_index(self, work: Callable[[], object]) -> None:
        """Do what an edit wants from the index; its failure must not pass for a failure of the edit."""
        try:
            work()
        except KBError as error:
            _log.warning("the index could not follow an edit: %s", error.message)
        except Exception:  # the note is written by now: whoever asked must hear that
            _log.exception("the index could not follow an edit")

    def _links_broken_by(self, outcome: editing.SectionOutcome) -> tuple[ResolvedLink, ...]:
        """Links that pointed at a heading which the edit takes away; asked while the index still knows that heading."""
        gone = set(outcome.gone)
        if not gone:
            return ()
        page = graph.links(
            self.database, self.vault, outcome.file, None, direction="in", kind=None, limit=10_000, context=False
        )
        return tuple(link for link in page.links if link.target and link.target.heading_path in gone)
