"""What wants attention: findings in single notes, links that lead nowhere or to several places, shared aliases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog, bare
from jupyter_kb.graph.near import NearNames
from jupyter_kb.graph.resolve import ExactResolver, Resolution, VaultResolver, WrittenLink
from jupyter_kb.graph.rows import LinkRow, link_rows
from jupyter_kb.models import Diagnostic, DiagnosticKind
from jupyter_kb.search.globs import path_matcher

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.vault.vault import Vault


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A finding before it is put into words, which is dear: only those of the page asked for are."""

    file: str
    line: int | None
    kind: DiagnosticKind
    worded: Callable[[], tuple[str, str | None]]


def diagnostics(
    database: Database,
    vault: Vault,
    *,
    path: str | None = None,
    kind: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[tuple[Diagnostic, ...], int]:
    """A page of the diagnostics in order of file and line, and how many there are in all.

    `path` is a glob or, without glob characters, a case-insensitive substring; `kind` one of `DiagnosticKind`. Links
    are resolved the way people write them. `limit=0` only counts.
    """
    passes = path_matcher(path) if path else None
    with database.snapshot():
        found = [entry for entry in _entries(database, vault, kind) if passes is None or passes(entry.file)]
        found.sort(key=lambda entry: (entry.file, entry.line or 0))
        page = []
        for entry in found[offset : offset + limit]:
            message, hint = entry.worded()
            page.append(Diagnostic(file=entry.file, kind=entry.kind, message=message, line=entry.line, hint=hint))
    return tuple(page), len(found)


def exact_diagnostics(database: Database, file: str | None = None) -> tuple[Diagnostic, ...]:
    """Wikilinks that do not resolve by the exact rules, in the structural toolset's words; of one note or of all."""
    with database.snapshot():
        catalog = Catalog(database)
        if file is None:
            catalog.load()
            rows = link_rows(database, _EXACT)
        else:
            rows = link_rows(database, f"{_EXACT} AND n.path = ?", [file])
        resolver = ExactResolver(catalog)
        return tuple(
            Diagnostic(
                file=row.link.source.path,
                kind=_kind(resolution),
                message=f"wikilink '[[{row.link.raw_target}]]' in section '{_section(catalog, row)}' of "
                f"'{row.link.source.path}' does not resolve: {resolution.reason}",
                line=row.line,
            )
            for row in rows
            if (resolution := resolver.resolve(row.link.source, row.link.raw_target)).status != "resolved"
        )


_EXACT = "l.kind = 'wikilink' AND l.ordinal IS NOT NULL"


# ── the kinds ───────────────────────────────────────────────────────────────────────────────────


def _entries(database: Database, vault: Vault, kind: str | None) -> Iterator[_Entry]:
    if kind not in ("unresolved-link", "ambiguous-link", "duplicate-alias"):
        yield from _stored(database, kind)
    if kind in (None, "unresolved-link", "ambiguous-link"):
        yield from (entry for entry in _links(database, vault) if kind in (None, entry.kind))
    if kind in (None, "duplicate-alias"):
        yield from _aliases(database)


def _stored(database: Database, kind: str | None) -> Iterator[_Entry]:
    for file, found, message, line, hint in database.query("SELECT path, kind, message, line, hint FROM diagnostics"):
        if kind in (None, found):
            yield _Entry(file=file, line=line, kind=found, worded=partial(_as_stored, message, hint))


def _as_stored(message: str, hint: str | None) -> tuple[str, str | None]:
    return message, hint


def _links(database: Database, vault: Vault) -> Iterator[_Entry]:
    catalog = Catalog(database)
    catalog.load()
    resolver = VaultResolver(catalog, Attachments(vault))
    hints = _Hints(catalog)
    for row in link_rows(database, "TRUE"):
        resolution = resolver.resolve(row.link)
        if resolution.status != "resolved":
            yield _Entry(
                file=row.link.source.path,
                line=row.line,
                kind=_kind(resolution),
                worded=partial(_link_in_words, catalog, hints, row, resolution),
            )


def _kind(resolution: Resolution) -> DiagnosticKind:
    return "ambiguous-link" if resolution.status == "ambiguous" else "unresolved-link"


def _link_in_words(catalog: Catalog, hints: _Hints, row: LinkRow, resolution: Resolution) -> tuple[str, str | None]:
    section = _section(catalog, row)
    where = f" in section '{section}'" if section else ""
    return f"link '{_written(row.link)}'{where} does not resolve: {resolution.reason}", hints.hint(row.link, resolution)


def _section(catalog: Catalog, row: LinkRow) -> str:
    return "" if row.ordinal is None else catalog.sections(row.link.source)[row.ordinal].heading_path


def _written(link: WrittenLink, target: str | None = None) -> str:
    """A link as it is written, or as it would be with another target."""
    target = link.raw_target if target is None else target
    if link.kind == "wikilink":
        return f"[[{target}]]"
    if link.kind == "embed":
        return f"![]({target})" if link.syntax == "markdown" else f"![[{target}]]"
    return f"[…]({target})"


class _Hints:
    """What to do about a link, said only where it is asked for."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._names: NearNames | None = None

    def hint(self, link: WrittenLink, resolution: Resolution) -> str:
        """One sentence."""
        if resolution.status == "ambiguous":
            return self._choice(link, resolution)
        if resolution.target is not None:
            return self._heading(link, resolution.target.file)
        return self._file(link)

    def _choice(self, link: WrittenLink, resolution: Resolution) -> str:
        files = list(dict.fromkeys(candidate.file for candidate in resolution.candidates))
        if len(files) == 1:
            return "give the headings different texts, or link to a block id"
        fragment = f"#{link.fragment}" if link.fragment else ""
        choices = [_written(link, f"/{bare(file)}{fragment}") for file in files[:_CHOICES]]
        return f"write the path from the vault's folder: {' or '.join(choices)}{' …' if len(files) > _CHOICES else ''}"

    def _heading(self, link: WrittenLink, file: str) -> str:
        note = self._catalog.note(file)
        wanted = (link.fragment or "").rpartition("#")[2].strip()
        if note is None or wanted.startswith("^"):
            return "correct the block id, or add it at the end of the block"
        headings = [section.heading for section in self._catalog.sections(note) if section.level > 0]
        near = NearNames(headings).find(wanted.replace("-", " ") if link.syntax == "markdown" else wanted)
        return f"did you mean the heading '{near}'?" if near else f"add the heading to '{file}' or correct the link"

    def _file(self, link: WrittenLink) -> str:
        if self._names is None:
            self._names = NearNames(bare(path.rpartition("/")[2]) for path in self._catalog.paths())
        wanted = link.file_part.strip("/ ").rpartition("/")[2]
        near = self._names.find(bare(wanted))
        if near is None:
            return "correct the link, or create what it names"
        notes = self._catalog.named(near)
        return f"did you mean '{notes[0].path if len(notes) == 1 else near}'?"


_CHOICES = 3


def _aliases(database: Database) -> Iterator[_Entry]:
    for file, alias, others in database.query(_ALIASES):
        yield _Entry(file=file, line=None, kind="duplicate-alias", worded=partial(_alias_in_words, alias, others))


def _alias_in_words(alias: str, others: list[str]) -> tuple[str, str | None]:
    named = ", ".join(f"'{other}'" for other in others[:_CHOICES]) + (" …" if len(others) > _CHOICES else "")
    return (
        f"alias '{alias}' is also a name of {named}",
        f"[[{alias}]] does not lead here: give this note another alias, or link to it by its own name",
    )


# Aliases that another note carries too, or that are another note's file name.
_ALIASES = """
    SELECT n.path, a.alias, list(DISTINCT other.path ORDER BY other.path)
    FROM aliases a JOIN notes n USING (note_id)
    JOIN (SELECT alias_key AS key, note_id FROM aliases UNION SELECT stem_key, note_id FROM notes) named
      ON named.key = a.alias_key AND named.note_id <> a.note_id
    JOIN notes other ON other.note_id = named.note_id
    GROUP BY n.path, a.alias
"""
