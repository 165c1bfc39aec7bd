"""What wants attention: findings in single notes, links that lead nowhere or to several places, shared aliases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog
from jupyter_kb.graph.hints import Hints, listed, written
from jupyter_kb.graph.resolve import ExactResolver, Resolution, VaultResolver
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
    exact: bool = False,
) -> tuple[tuple[Diagnostic, ...], int]:
    """A page of the diagnostics in order of file and line, and how many there are in all.

    `path` is a glob or, without glob characters, a case-insensitive substring; `kind` one of `DiagnosticKind`. Links
    are resolved the way people write them; `exact` resolves wikilinks by the exact rules, which know no aliases, and
    gives besides only what is wrong with notes. `limit=0` only counts.
    """
    if kind is not None and kind not in get_args(DiagnosticKind):
        raise InvalidRequestError(
            f"'{kind}' is no kind of diagnostic", hint=f"the kinds are {', '.join(get_args(DiagnosticKind))}"
        )
    passes = path_matcher(path) if path else None
    with database.snapshot():
        entries = _exact_entries(database, kind) if exact else _entries(database, vault, kind)
        found = [entry for entry in entries if passes is None or passes(entry.file)]
        rank = _EXACT_KINDS.index if exact else str
        found.sort(key=lambda entry: (entry.file, entry.line or 0, rank(entry.kind)))  # stable: each kind in order
        page = []
        for entry in found[offset : offset + limit]:
            message, hint = entry.worded()
            page.append(Diagnostic(file=entry.file, kind=entry.kind, message=message, line=entry.line, hint=hint))
    return tuple(page), len(found)


class Count:
    """How many diagnostics a vault has; counted again only after a change of the index, by one for all who ask."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._known = (-1, 0)  # generation of the index, and how many there were
        self._counting = threading.Lock()

    def total(self, *, settled: bool = True) -> int:
        """All of them, those of links included; while the index is not `settled`, as many as there were before.

        Links are judged anew for it: of a large vault that takes most of a second.
        """
        if not settled:
            return self._known[1]
        with self._counting:
            generation = self._database.generation
            if self._known[0] != generation:
                self._known = generation, diagnostics(self._database, self._vault, limit=0)[1]
            return self._known[1]


def exact_diagnostics(database: Database, file: str | None = None) -> tuple[Diagnostic, ...]:
    """Wikilinks that do not resolve by the exact rules, in the structural toolset's words; of one note or of all."""
    with database.snapshot():
        catalog = Catalog(database)
        resolver = ExactResolver(catalog)
        if file is None:
            catalog.load_names()
            rows = link_rows(database, _EXACT)
        else:
            rows = link_rows(database, f"{_EXACT} AND n.path = ?", [file])
        resolver.expect([(row.link.source, row.link.raw_target) for row in rows])
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
_EXACT_KINDS: tuple[DiagnosticKind, ...] = (
    "unreadable-file",
    "file-too-large",
    "invalid-utf8",
    "front-matter",
    "unclosed-front-matter",
    "too-many-headings",
    "unresolved-link",
    "ambiguous-link",
)


# ── the kinds ───────────────────────────────────────────────────────────────────────────────────


def _entries(database: Database, vault: Vault, kind: str | None) -> Iterator[_Entry]:
    if kind not in ("unresolved-link", "ambiguous-link", "duplicate-alias"):
        yield from _stored(database, kind)
    if kind in (None, "unresolved-link", "ambiguous-link"):
        yield from (entry for entry in _links(database, vault) if kind in (None, entry.kind))
    if kind in (None, "duplicate-alias"):
        yield from _aliases(database)


def _exact_entries(database: Database, kind: str | None) -> Iterator[_Entry]:
    yield from (entry for entry in _stored(database, kind) if entry.kind in _EXACT_KINDS)
    for found in exact_diagnostics(database) if kind in (None, "unresolved-link", "ambiguous-link") else ():
        if kind in (None, found.kind):
            worded = partial(_as_stored, found.message, found.hint)
            yield _Entry(file=found.file, line=found.line, kind=found.kind, worded=worded)


def _stored(database: Database, kind: str | None) -> Iterator[_Entry]:
    for file, found, message, line, hint in database.query(_STORED):
        if kind in (None, found):
            yield _Entry(file=file, line=line, kind=found, worded=partial(_as_stored, message, hint))


def _as_stored(message: str, hint: str | None) -> tuple[str, str | None]:
    return message, hint


def _links(database: Database, vault: Vault) -> Iterator[_Entry]:
    catalog = Catalog(database)
    catalog.load_names()
    resolver = VaultResolver(catalog, Attachments(vault))
    hints = Hints(catalog)
    rows = link_rows(database, "TRUE")
    resolver.expect([row.link for row in rows])
    for row in rows:
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


def _link_in_words(catalog: Catalog, hints: Hints, row: LinkRow, resolution: Resolution) -> tuple[str, str | None]:
    section = _section(catalog, row)
    where = f" in section '{section}'" if section else ""
    return f"link '{written(row.link)}'{where} does not resolve: {resolution.reason}", hints.hint(row.link, resolution)


def _section(catalog: Catalog, row: LinkRow) -> str:
    return "" if row.ordinal is None else catalog.sections(row.link.source)[row.ordinal].heading_path


def _aliases(database: Database) -> Iterator[_Entry]:
    for file, alias, others, leads_there in database.query(_ALIASES):
        yield _Entry(
            file=file,
            line=None,
            kind="duplicate-alias",
            worded=partial(_alias_in_words, alias, others, leads_there),
        )


def _alias_in_words(alias: str, others: list[str], leads_there: bool) -> tuple[str, str | None]:
    outcome = "leads there" if leads_there else "is ambiguous"
    return (
        f"alias '{alias}' is also {'the file name' if leads_there else 'an alias'} of {listed(others)}",
        f"[[{alias}]] {outcome}: change the alias, or link to the note by its own name",
    )


# Aliases that another note carries too, or that are another note's file name; a file name wins over every alias, so a
# note's alias that is also its own file name does no harm.
_ALIASES = """
    WITH taken AS (
        SELECT DISTINCT a.note_id, a.alias, other.path, other.stem_key = a.alias_key AS by_name
        FROM aliases a JOIN notes n USING (note_id)
        JOIN (SELECT alias_key AS key, note_id FROM aliases UNION SELECT stem_key, note_id FROM notes) named
          ON named.key = a.alias_key AND named.note_id <> a.note_id
        JOIN notes other ON other.note_id = named.note_id
        WHERE n.stem_key <> a.alias_key
    ), strongest AS (
        SELECT note_id, alias, path, by_name, max(by_name) OVER (PARTITION BY note_id, alias) AS leads_there FROM taken
    )
    SELECT n.path, alias, list(s.path ORDER BY s.path), bool_or(leads_there)
    FROM strongest s JOIN notes n USING (note_id) WHERE by_name = leads_there
    GROUP BY n.path, alias ORDER BY n.path, alias
"""
_STORED = "SELECT path, kind, message, line, hint FROM diagnostics ORDER BY path, line, kind, message"
