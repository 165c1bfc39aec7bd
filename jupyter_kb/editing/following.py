"""What the index has to do with an edit: which links it breaks, and that it is found afterwards.

An edit never fails for the index: by then the note may be written, and whoever asked must hear that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from jupyter_kb.editing.creation import create_note
from jupyter_kb.editing.relinking import Relinking, Written
from jupyter_kb.editing.section import SectionOutcome, edit_section
from jupyter_kb.errors import KBError
from jupyter_kb.events import NoteChanged
from jupyter_kb.graph.backlinks import links
from jupyter_kb.graph.rewrite import lost_links
from jupyter_kb.models import EditResult, Operation, ResolvedLink, SectionEdit

if TYPE_CHECKING:
    from jupyter_kb.events import EventBus
    from jupyter_kb.index.database import Database
    from jupyter_kb.index.indexer import Indexer
    from jupyter_kb.markdown.document import Document
    from jupyter_kb.vault.vault import Vault

_log = logging.getLogger(__name__)

_MOST_LINKS = 10_000


class FollowedEditing:
    """Guarded edits of a vault, each followed by its index and told to who listens."""

    def __init__(self, vault: Vault, database: Database, indexer: Indexer, events: EventBus) -> None:
        self._vault = vault
        self._database = database
        self._indexer = indexer
        self._events = events

    def edit_section(self, edit: SectionEdit, *, actor: str, reader: str, refresh: Callable[[], object]) -> EditResult:
        """Change one section; `refresh` brings the index up to date with the disk first."""
        if not edit.strict:  # the structural answer names no links
            _try(refresh)
        file = self._vault.resolve(edit.section.file)
        relinking = Relinking(self._vault, self._database, file) if edit.update_links else None
        broken: list[ResolvedLink] = []
        written: list[Written] = []
        with self._indexer.own_edits.announced(by=reader) as announce:
            outcome = edit_section(self._vault, edit, announce=announce, finish=relinking.own if relinking else None)
            if relinking is not None:
                _try(lambda: written.extend(relinking.others(announce, write=outcome.written)))
            elif not edit.strict:
                _try(lambda: broken.extend(self._links_broken_by(outcome)))
            if outcome.written:
                _try(lambda: self._indexer.update([outcome.file], by=reader, before=outcome.before))
            if written:
                _try(lambda: self._indexer.update([note.file for note in written], by=reader))
        if outcome.written:
            self._tell(outcome.file, edit.operation, actor, outcome.after)
        for note in written:
            self._tell(note.file, "update_links", actor, note.after)
        done = outcome.result(tuple(broken))
        if relinking is None:
            return done
        return replace(done, links_updated=tuple(relinking.updated), links_left=tuple(relinking.left))

    def _tell(self, file: str, operation: Operation | Literal["update_links"], actor: str, note: Document) -> None:
        self._events.publish(NoteChanged(file=file, operation=operation, actor=actor, version=note.version))

    def create_note(self, file: str, content: str, *, actor: str, reader: str) -> EditResult:
        """Make a note, which is in the index when this returns."""
        with self._indexer.own_edits.announced(by=reader) as announce:
            done = create_note(self._vault, file, content, announce=announce)
            _try(lambda: self._indexer.update([done.file], by=reader))
        self._events.publish(NoteChanged(file=done.file, operation="create", actor=actor, version=done.version))
        return done

    def _links_broken_by(self, outcome: SectionOutcome) -> tuple[ResolvedLink, ...]:
        """Links that pointed at a heading which the edit takes away; asked while the index still knows that heading."""
        gone = set(outcome.gone)
        if not gone:
            return ()
        page = links(self._database, self._vault, outcome.file, None, direction="in", limit=_MOST_LINKS, context=False)
        found = [link for link in page.links if link.target and link.target.heading_path in gone]
        if outcome.places is None:
            return tuple(found)
        lost = lost_links(found, outcome.before, outcome.after, outcome.places)  # a link by a name alone still finds it
        return tuple(link for link, is_lost in zip(found, lost, strict=True) if is_lost)


def _try(work: Callable[[], object]) -> None:
    try:
        work()
    except KBError as error:
        _log.warning("the index could not follow an edit: %s", error.message)
    except Exception:
        _log.exception("the index could not follow an edit")
