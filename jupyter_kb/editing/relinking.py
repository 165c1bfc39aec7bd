"""Letting the links of the vault follow a renamed heading: in its own note, and in each other one under its own guard.

A note that changed since it was read, or cannot be written, is reported and left as it is.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_kb.errors import ConflictError, KBError
from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.backlinks import incoming
from jupyter_kb.graph.catalog import Catalog, Note
from jupyter_kb.graph.resolve import VaultResolver, WrittenLink
from jupyter_kb.graph.rewrite import Followed, RenamedHeading, is_markdown
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.links import Link
from jupyter_kb.models import LeftLinks, UpdatedLinks
from jupyter_kb.vault.documents import read_now
from jupyter_kb.vault.write import replace_file

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.index.own_edits import Announce
    from jupyter_kb.vault.vault import Vault

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Written:
    """A note whose links were rewritten, as it is now."""

    file: str
    after: Document


class Relinking:
    """The links that follow one renaming in the note `file`; made for one edit and thrown away."""

    def __init__(self, vault: Vault, database: Database, file: str) -> None:
        self._vault = vault
        self._database = database
        self._file = file
        self._renamed: RenamedHeading | None = None
        self._own: Followed | None = None
        self._counts: Counter[str] = Counter()
        self.updated: list[UpdatedLinks] = []
        self.left: list[LeftLinks] = []

    def own(self, before: Document, after: Document, ordinal: int) -> Document:
        """The renamed note with its own links rewritten too; may be asked again where the note changed meanwhile."""
        self._renamed = RenamedHeading(before, after, ordinal)
        try:
            self._own = self._follow(self._renamed, self._file, after)
        except Exception:  # an edit does not fail for the index, which cannot tell what the links mean
            _log.exception("the links of a renamed note could not be looked up")
            self._own = Followed(after=after, count=0)
        return self._own.after

    def others(self, announce: Announce, *, write: bool) -> Iterator[Written]:
        """Rewrite the links in all other notes, one by one as they are yielded; without `write` only tell of them."""
        renamed, own = self._renamed, self._own
        if renamed is None or own is None:
            return
        self._tell(self._file, own)
        for file in self._sources(renamed):
            try:
                before = parse(read_now(self._vault, file, suggest=False))
                found = self._follow(renamed, file, before)
                if write and found.count:
                    announce(file, before, found.after)
                    replace_file(self._vault, file, expected=before.data, new=found.after.data)
            except KBError as error:
                changed = isinstance(error, ConflictError)
                reason = "the note changed while its links were being updated" if changed else error.message
                self.left.append(LeftLinks(file=file, count=self._count(file), reason=reason))
                continue
            self._tell(file, found)
            if write and found.count:
                yield Written(file=file, after=found.after)

    def _tell(self, file: str, found: Followed) -> None:
        if found.count:
            title = found.after.title(file.rpartition("/")[2].rpartition(".")[0])
            self.updated.append(UpdatedLinks(file=file, title=title, count=found.count))
        self.left += [LeftLinks(file=file, count=n, reason=why) for why, n in Counter(found.left).items()]

    def _sources(self, renamed: RenamedHeading) -> list[str]:
        """The other notes that the index knows to link to the heading; what they say now is read from the notes."""
        with self._database.snapshot():
            catalog = Catalog(self._database)
            note = catalog.note(self._file)
            if note is None:
                return []
            rows = [
                row
                for row in incoming(self._database, catalog, note, None)
                if row.link.source.path != note.path
                and any(renamed.concerns(row.link.fragment, markdown=kind) for kind in _kinds(row.link))
            ]
            resolver = VaultResolver(catalog, Attachments(self._vault))
            self._counts = Counter(row.link.source.path for row in rows if resolver.note(row.link) == note)
        return sorted(self._counts)

    def _count(self, file: str) -> int:
        return self._counts[file]

    def _follow(self, renamed: RenamedHeading, file: str, document: Document) -> Followed:
        with self._database.snapshot():
            catalog = Catalog(self._database)
            source = catalog.note(file) or Note(note_id=-1, path=file, stem=file.rpartition("/")[2].removesuffix(".md"))
            resolver = VaultResolver(catalog, Attachments(self._vault))

            def leads_here(link: Link) -> bool:
                if not link.file_part:
                    return file == self._file
                note = resolver.note(
                    WrittenLink(
                        source=source,
                        kind=link.kind,
                        syntax="markdown" if is_markdown(document, link) else "wiki",
                        raw_target=link.raw_target,
                        file_part=link.file_part,
                        fragment=link.fragment,
                    )
                )
                return note is not None and note.path == self._file

            return renamed.follow(document, leads_here)


def _kinds(link: WrittenLink) -> tuple[bool, ...]:
    return (False, True) if link.syntax == "either" else (link.syntax == "markdown",)
