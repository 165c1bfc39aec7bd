"""What is asked of a vault's links: the methods of `KnowledgeBase` that are about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from jupyter_kb.graph import backlinks as linking
from jupyter_kb.graph import diagnostics as checks
from jupyter_kb.models import Backlink, Diagnostic, Graph, LinkKind, LinkPage, MentionPage, ResolvedTarget

if TYPE_CHECKING:
    from jupyter_kb.graph.mentions import Mentions
    from jupyter_kb.graph.picture import Pictures
    from jupyter_kb.graph.written import Targets
    from jupyter_kb.index.database import Database
    from jupyter_kb.index.scanning import Scanning
    from jupyter_kb.vault.vault import Vault


class LinkQuestions:
    """Links of one vault, read from its index."""

    vault: Vault
    database: Database
    _scanning: Scanning
    _pictures: Pictures
    _mentions: Mentions
    _targets: Targets

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

    def mentions(
        self, file: str, *, limit: int = 50, offset: int = 0, fresh: bool = True, wait: float | None = None
    ) -> MentionPage:
        """Places in other notes where a note's title or one of its aliases stands without being a link.

        Raises
        ------
        NoteNotFoundError : the note is not in the vault.
        """
        if fresh:
            self._scanning.refresh(wait)
        return self._mentions.of(self.vault.resolve(file), limit=limit, offset=offset)

    def resolve(self, targets: Sequence[str], *, file: str | None = None) -> tuple[ResolvedTarget, ...]:
        """What wikilinks with these targets (`Note#Heading`) mean as if they stood in `file`, by the index as it is.

        In the order of the targets; the first 100 notes that are missing come with up to three near names.

        Raises
        ------
        InvalidRequestError : more than 500 targets.
        """
        source = None if file is None else self.vault.resolve(file)
        self._scanning.refresh_once()
        return self._targets.resolve(source, targets)

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
