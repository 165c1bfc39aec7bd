"""What a link means.

Two sets of rules over one catalog. `ExactResolver` is the structural toolset's: names and headings character by
character, for programs that must know beforehand what a link does. `VaultResolver` reads links the way people write
them in Obsidian, on GitHub and for site generators; whatever the exact rules resolve, it resolves to the same note.
Neither ever guesses: a tie is ambiguous and names its candidates.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from jupyter_kb.graph.anchors import Anchors
from jupyter_kb.graph.catalog import Catalog, Note, bare, name_keys
from jupyter_kb.index.links import fold
from jupyter_kb.models import LinkKind, LinkStatus, LinkTarget


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """What a link means. `reason` says why it does not resolve, as the end of a sentence.

    A missing heading or block in a note that was found keeps that note as `target`.
    """

    status: LinkStatus
    target: LinkTarget | None = None
    candidates: tuple[LinkTarget, ...] = ()
    reason: str | None = None


Syntax = Literal["wiki", "markdown", "either"]


@dataclass(frozen=True, kw_only=True)
class WrittenLink:
    """A link as it stands in the note `source`; the parts are those of the links table.

    `syntax` tells `![[x]]` from `![](x)`, which are of one kind; `either` where that is not known.
    """

    source: Note
    kind: LinkKind
    syntax: Syntax
    raw_target: str
    file_part: str
    fragment: str | None


class Files(Protocol):
    """Files that are no notes; `graph.attachments` looks on disk."""

    def at(self, path: str) -> bool:
        """Whether something lies at this path below the root."""

    def named(self, target: str) -> list[str]:
        """Paths that end in these segments."""


class ExactResolver:
    """Wikilinks by the structural rules.

    Without `/` the file part is the stem of a note, unique in the vault; with `/` its path from the root, `.md`
    optional. The heading part, all after the first `#`, is the text of a heading of that note, unique in it. Nothing
    is trimmed, folded or tried in another way. Embeds and Markdown links are none of its business.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._headings: dict[int, dict[str, list[str]]] = {}

    def resolve(self, source: Note, raw_target: str) -> Resolution:
        """`raw_target` is the text between the brackets, up to the first `|`."""
        file_part, mark, heading = raw_target.partition("#")
        notes = self.notes(file_part) if file_part else [source]
        if not notes:
            path = " path" if "/" in file_part else ""
            return Resolution(status="missing", reason=f"no file matches{path} '{file_part}'")
        if len(notes) > 1:
            return Resolution(
                status="ambiguous",
                candidates=tuple(LinkTarget(file=note.path) for note in notes),
                reason=f"'{file_part}' matches multiple files: {', '.join(note.path for note in notes)}",
            )
        file = notes[0].path
        if not mark:
            return Resolution(status="resolved", target=LinkTarget(file=file))
        paths = self._by_text(notes[0]).get(heading, [])
        if not paths:
            return Resolution(status="missing", target=LinkTarget(file=file), reason=f"no heading named '{heading}'")
        if len(paths) > 1:
            return Resolution(
                status="ambiguous",
                candidates=tuple(LinkTarget(file=file, heading_path=path) for path in paths),
                reason=f"heading '{heading}' is ambiguous: {', '.join(paths)}",
            )
        return Resolution(status="resolved", target=LinkTarget(file=file, heading_path=paths[0]))

    def expect(self, links: Iterable[tuple[Note, str]]) -> None:
        """Read ahead what `resolve` will ask for, given (source, raw target) of many links."""
        parts = [(source, raw.partition("#")) for source, raw in links]
        self._catalog.expect_names(key for _, (file, _, _) in parts for key in name_keys(file.rpartition("/")[2]))
        self._catalog.expect_sections(
            note.note_id
            for source, (file, mark, _) in parts
            if mark
            for note in (self.notes(file) if file else [source])
        )

    def notes(self, file_part: str) -> list[Note]:
        """The notes that a file part names."""
        found = self._catalog.named(file_part.rpartition("/")[2])
        if "/" not in file_part:
            return [note for note in found if note.stem == file_part]
        for path in (file_part, file_part + ".md"):
            if exact := [note for note in found if note.path == path]:
                return exact
        return []

    def _by_text(self, note: Note) -> dict[str, list[str]]:
        known = self._headings.get(note.note_id)
        if known is None:
            known = self._headings[note.note_id] = {}
            for section in self._catalog.sections(note):
                if section.level > 0:
                    known.setdefault(section.heading, []).append(section.heading_path)
        return known


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What a file part means: notes, or files that are no notes, or neither for a reason. More than one is a tie."""

    notes: Sequence[Note] = ()
    files: Sequence[str] = ()
    reason: str = ""


class VaultResolver:
    """Links of all kinds as people write them.

    For wikilinks and embeds, in this order: the exact rules; `./` and `../` from the linking note's folder; `/` from
    the root; the path from the root, then any path ending so, first in this spelling, then in another Unicode form,
    then in any case; an alias; a file on disk that is no note. `.md` may be left out and blanks around names do not
    count. For Markdown links: the path from the linking note's folder, from the root, a file on disk there, then any
    path ending so. Neither the same folder nor a shorter path decides a tie.
    """

    def __init__(self, catalog: Catalog, files: Files) -> None:
        self._catalog = catalog
        self._files = files
        self._exact = ExactResolver(catalog)
        self._found: dict[tuple[str, Syntax, str], _Found] = {}
        self._anchors: dict[int, Anchors] = {}
        self._places: dict[tuple[int, bool, str], list[str | None]] = {}

    def resolve(self, link: WrittenLink) -> Resolution:
        """What one link means."""
        found = self._file(link)
        if len(found.notes) + len(found.files) > 1:
            paths = [note.path for note in found.notes] or found.files
            return Resolution(
                status="ambiguous",
                candidates=tuple(LinkTarget(file=path) for path in paths),
                reason=f"'{link.file_part.strip()}' may mean any of: {', '.join(paths)}",
            )
        if found.files:
            return Resolution(status="resolved", target=LinkTarget(file=found.files[0]))
        if not found.notes:
            return Resolution(status="missing", reason=found.reason)
        return self._place(found.notes[0], link)

    def note(self, link: WrittenLink) -> Note | None:
        """The one note that a link leads into, whatever its fragment says."""
        found = self._file(link)
        return found.notes[0] if len(found.notes) == 1 and not found.files else None

    def expect(self, links: Sequence[WrittenLink]) -> None:
        """Read ahead what `resolve` will ask for."""
        parts = {link.file_part.strip("/ ") for link in links}
        self._catalog.expect_names(key for part in parts for key in name_keys(part.rpartition("/")[2]))
        self._catalog.expect_aliases(fold(part) for part in parts)
        self._catalog.expect_sections(
            found.notes[0].note_id for link in links if link.fragment and len((found := self._file(link)).notes) == 1
        )

    def _place(self, note: Note, link: WrittenLink) -> Resolution:
        fragment = (link.fragment or "").strip()
        if not fragment:
            return Resolution(status="resolved", target=LinkTarget(file=note.path))
        paths = self._find(note, fragment, link.syntax == "markdown")
        if len(paths) == 1:
            return Resolution(status="resolved", target=LinkTarget(file=note.path, heading_path=paths[0]))
        what = "block" if fragment.rpartition("#")[2].lstrip().startswith("^") else "heading"
        if paths:
            return Resolution(
                status="ambiguous",
                candidates=tuple(LinkTarget(file=note.path, heading_path=path) for path in paths),
                reason=f"{what} '{fragment}' may mean any of: {', '.join(path or 'the top' for path in paths)}",
            )
        return Resolution(
            status="missing",
            target=LinkTarget(file=note.path),
            reason=f"there is no {what} '{fragment}' in '{note.path}'",
        )

    def _find(self, note: Note, fragment: str, markdown: bool) -> list[str | None]:
        key = (note.note_id, markdown, fragment)
        if key not in self._places:
            anchors = self._anchors.get(note.note_id)
            if anchors is None:
                anchors = Anchors(self._catalog.sections(note), self._catalog.blocks(note))
                self._anchors[note.note_id] = anchors
            self._places[key] = anchors.find(fragment, markdown=markdown)
        return self._places[key]

    # ── files ───────────────────────────────────────────────────────────────────────────────────

    def _file(self, link: WrittenLink) -> _Found:
        target = link.file_part.strip()
        if not target:
            return _Found(notes=[link.source])
        relative = link.syntax != "wiki" or target.startswith(_RELATIVE)
        folder = link.source.path.rpartition("/")[0] if relative else ""
        key = (folder, link.syntax, link.file_part)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(target, folder, link)
        return found

    def _look_up(self, target: str, folder: str, link: WrittenLink) -> _Found:
        if link.syntax == "markdown":
            return self._by_destination(target, folder)
        if notes := self._exact.notes(link.file_part):
            return _Found(notes=notes)
        beside = joined(folder, target)
        if link.syntax == "either" and beside and is_attachment(beside) and self._files.at(beside):
            return _Found(files=[beside])
        return self._by_name(target, folder)

    def _by_name(self, target: str, folder: str) -> _Found:
        if target.startswith(_RELATIVE):
            return self._at([joined(folder, target)], target)
        if target.startswith("/"):
            return self._at([joined("", target)], target)
        path = joined("", target)
        if path is None:
            return _Found(reason=f"'{target}' leads out of the vault")
        if notes := self._ending_in(path) or self._alias(target):
            return _Found(notes=notes)
        if "/" in path and self._files.at(path):
            return _Found(files=[path])
        if is_attachment(path) and (files := self._files.named(path)):
            return _Found(files=files)
        return _Found(reason=f"no note, alias or file is named '{target}'")

    def _by_destination(self, target: str, folder: str) -> _Found:
        if target.startswith("/"):
            return self._at([joined("", target)], target)
        paths = [joined(folder, target), joined("", target)]
        found = self._at(paths[:1] if target.startswith(_RELATIVE) else paths, target)
        if found.notes or found.files or paths[1] is None or target.startswith(_RELATIVE):
            return found
        if notes := self._ending_in(paths[1]):
            return _Found(notes=notes)
        return _Found(files=self._files.named(paths[1]), reason=found.reason)

    def _at(self, paths: Sequence[str | None], target: str) -> _Found:
        """A note, else a file, at the first of these paths that has one; an exact spelling comes before all others."""
        inside = [path for path in dict.fromkeys(paths) if path is not None]
        if not inside:
            return _Found(reason=f"'{target}' leads out of the vault")
        for spelling in _SPELLINGS:
            for path in inside:
                found = self._catalog.named(path.rpartition("/")[2])
                if notes := [note for note in found if spelling(path) in _forms(note, spelling)]:
                    return _Found(notes=notes)
        for path in inside:
            if self._files.at(path):
                return _Found(files=[path])
        return _Found(reason=f"there is no note or file at '{inside[0] or target}'")

    def _ending_in(self, path: str) -> list[Note]:
        """Notes whose path ends in these segments; one whose whole path it is comes first, if the path has a folder."""
        found = self._catalog.named(path.rpartition("/")[2])
        for spelling in _SPELLINGS:
            wanted = spelling(path)
            if "/" in path and (notes := [note for note in found if wanted in _forms(note, spelling)]):
                return notes
            ending = "/" + wanted
            if notes := [n for n in found if any(f"/{form}".endswith(ending) for form in _forms(n, spelling))]:
                return notes
        return []

    def _alias(self, target: str) -> list[Note]:
        found = self._catalog.aliased(target)
        for spelling in _SPELLINGS:
            wanted = spelling(target)
            if notes := {note.path: note for alias, note in found if spelling(alias.strip()) == wanted}:
                return list(notes.values())
        return []


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


_SPELLINGS: tuple[Callable[[str], str], ...] = (str, _composed, fold)


def _forms(note: Note, spelling: Callable[[str], str]) -> Iterable[str]:
    return spelling(note.path), spelling(bare(note.path))


_RELATIVE = ("./", "../")


def is_attachment(path: str) -> bool:
    """Whether the last segment has an extension, and another one than notes have."""
    name = path.rpartition("/")[2]
    return "." in name[1:] and bare(name) == name


def joined(folder: str, target: str) -> str | None:
    """The vault-relative path of a target as seen from a folder; None when it leads out of the vault."""
    segments = folder.split("/") if folder else []
    for segment in target.split("/"):
        if segment == "..":
            if not segments:
                return None
            segments.pop()
        elif segment not in ("", "."):
            segments.append(segment)
    return "/".join(segments)
