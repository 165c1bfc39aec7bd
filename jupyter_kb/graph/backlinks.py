"""Who links here, and where this leads.

Candidates come from the index by the folded name of their target; what each one means is then decided by the resolvers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from jupyter_kb.errors import AmbiguousSectionError, SectionNotFoundError
from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog, Note, Section
from jupyter_kb.graph.context import Contexts
from jupyter_kb.graph.resolve import ExactResolver, Resolution, VaultResolver
from jupyter_kb.graph.rows import LinkRow, indexed_note, link_keys, link_rows, provenances
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.markdown.nearest import nearest
from jupyter_kb.markdown.sections import SEPARATOR
from jupyter_kb.models import (
    Backlink,
    ByteRange,
    LineRange,
    LinkKind,
    LinkPage,
    LinkTarget,
    Provenance,
    ResolvedLink,
)

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.vault.vault import Vault

Direction = Literal["in", "out", "both"]

# ── the structural toolset's ────────────────────────────────────────────────────────────────────

_EXACT_CANDIDATES = f"""
    SELECT l.raw_target, l.note_id::BIGINT << {ORDINAL_BITS} | l.ordinal, l.position, n.path
    FROM links l JOIN notes n USING (note_id)
    WHERE l.kind = 'wikilink' AND l.ordinal IS NOT NULL
      AND (l.target_key IN (SELECT unnest(?::VARCHAR[])) OR (l.file_part = '' AND l.note_id = ?))
"""


def backlinks(database: Database, file: str, heading_path: str | None = None) -> tuple[Backlink, ...]:
    """Wikilinks that resolve, by the exact rules, to a note (whole or any heading of it) or to one of its headings.

    In byte order of file, then of the heading path of the deepest section that holds the link, then by position; one
    entry an occurrence. A heading path that does not exist has no backlinks.

    Raises
    ------
    NoteNotFoundError : the note is not in the index.
    """
    with database.snapshot():
        catalog = Catalog(database)
        note = indexed_note(catalog, file)
        resolver = ExactResolver(catalog)
        candidates = database.query(_EXACT_CANDIDATES, [link_keys([note.path]), note.note_id])
        meant: dict[str, LinkTarget] = {}
        for raw in dict.fromkeys(row[0] for row in candidates):
            resolution = resolver.resolve(note, raw)
            target = resolution.target
            if resolution.status != "resolved" or target is None or target.file != note.path:
                continue
            if heading_path in (None, target.heading_path):
                meant[raw] = target
        found = [row for row in candidates if row[0] in meant]
        sources = provenances(database, {section: path for _, section, _, path in found})
    found.sort(key=lambda row: (row[3], sources[row[1]].heading_path, row[2]))
    return tuple(
        Backlink(source=sources[section], raw_target=raw, target_heading_path=meant[raw].heading_path)
        for raw, section, _, _ in found
    )


# ── the vault toolset's ─────────────────────────────────────────────────────────────────────────


def links(
    database: Database,
    vault: Vault,
    file: str,
    heading_path: str | None = None,
    *,
    direction: Direction = "in",
    kind: LinkKind | None = None,
    limit: int = 50,
    offset: int = 0,
    context: bool = True,
) -> LinkPage:
    """Links to (`in`) or from (`out`) a note or a section of it, by file and position in it.

    With a heading path, `in` has the links to exactly this heading, `out` those from the section and all below it.
    Ambiguous links are links to each of their candidates; links to a heading that a note does not have (any more) are
    links to the note. `context=False` spares reading the notes. A link outside every section has an empty heading
    path and hash in its source.

    Raises
    ------
    NoteNotFoundError : the note is not in the index.
    SectionNotFoundError, AmbiguousSectionError : no, or no single section ends in that heading path.
    """
    with database.snapshot():
        catalog = Catalog(database)
        note = indexed_note(catalog, file)
        sections = _sections(catalog, note, heading_path)
        resolver = VaultResolver(catalog, Attachments(vault))
        found: dict[tuple[str, int], tuple[LinkRow, Resolution]] = {}
        if direction in ("in", "both"):
            wanted = LinkTarget(file=note.path, heading_path=sections[0].heading_path if sections else None)
            rows = incoming(database, catalog, note, kind)
            resolver.expect([row.link for row in rows])
            for row in rows:
                resolution = resolver.resolve(row.link)
                if _leads_to(resolution, wanted):
                    found[row.link.source.path, row.position] = row, resolution
        if direction in ("out", "both"):
            rows = _outgoing(database, note, kind)
            if sections is not None:
                below = _below(catalog.sections(note), sections)
                rows = [row for row in rows if row.ordinal in below]
            resolver.expect([row.link for row in rows])
            for row in rows:
                found.setdefault((note.path, row.position), (row, resolver.resolve(row.link)))
        window = [found[key] for key in sorted(found)[offset : offset + limit]]
        shown = resolved_links(database, window, Contexts(vault) if context else None)
    return LinkPage(links=shown, total=len(found))


def resolved_links(
    database: Database, found: Sequence[tuple[LinkRow, Resolution]], contexts: Contexts | None
) -> tuple[ResolvedLink, ...]:
    """Links and what they mean as the values that doors show."""
    sources = provenances(
        database, {row.section_id: row.link.source.path for row, _ in found if row.section_id is not None}
    )
    shown = []
    for row, resolution in found:
        file = row.link.source.path
        source = sources.get(row.section_id) if row.section_id is not None else None
        shown.append(
            ResolvedLink(
                source=source or _outside_sections(file, row),
                line=row.line,
                raw_target=row.link.raw_target,
                kind=row.link.kind,
                status=resolution.status,
                target=resolution.target,
                candidates=resolution.candidates,
                context=contexts.around(file, row.start, row.end) if contexts else "",
                reason=resolution.reason,
            )
        )
    return tuple(shown)


def _leads_to(resolution: Resolution, wanted: LinkTarget) -> bool:
    targets = (*resolution.candidates, resolution.target)
    if wanted.heading_path is None:
        return any(target and target.file == wanted.file for target in targets)
    return wanted in targets


def _outside_sections(file: str, row: LinkRow) -> Provenance:
    return Provenance(
        file=file,
        heading_path="",
        byte_range=ByteRange(start=row.start, end=row.end),
        line_range=LineRange(start=row.line, end=row.line),
        content_hash="",
    )


# A destination such as `docs/page/` has no last segment, and with it no key.
_CANDIDATES = """
    (l.target_key IN (SELECT unnest($keys::VARCHAR[])) OR (l.file_part = '' AND l.note_id = $note)
     OR (l.target_key = '' AND l.file_part LIKE '%/' AND regexp_extract(lower(l.file_part), '([^/]*)/+$', 1) IN
         (SELECT unnest($keys::VARCHAR[]))))
"""


def incoming(database: Database, catalog: Catalog, note: Note, kind: LinkKind | None) -> list[LinkRow]:
    """Links whose target is named like the note; whether they mean it is for a resolver to say."""
    condition = _CANDIDATES
    parameters: dict[str, object] = {"keys": link_keys([note.path, *catalog.aliases(note)]), "note": note.note_id}
    if kind is not None:
        condition += " AND l.kind = $kind"
        parameters["kind"] = kind
    return link_rows(database, condition, parameters)


def _outgoing(database: Database, note: Note, kind: LinkKind | None) -> list[LinkRow]:
    if kind is None:
        return link_rows(database, "l.note_id = ?", [note.note_id])
    return link_rows(database, "l.note_id = ? AND l.kind = ?", [note.note_id, kind])


def _sections(catalog: Catalog, note: Note, heading_path: str | None) -> list[Section] | None:
    """The sections of that heading path (several where paths collide), else the one that ends so; None for the note."""
    if heading_path is None:
        return None
    sections = catalog.sections(note)
    if found := [section for section in sections if section.heading_path == heading_path]:
        return found
    found = [section for section in sections if section.heading_path.endswith(SEPARATOR + heading_path)]
    if len(found) == 1:
        return found
    if found:
        raise AmbiguousSectionError(
            f"heading path '{heading_path}' names {len(found)} sections of '{note.path}'",
            hint="give the full heading path",
            candidates=[{"heading_path": section.heading_path, "line": section.line} for section in found],
        )
    raise SectionNotFoundError(
        f"heading path '{heading_path}' was not found in file '{note.path}'",
        suggestions=nearest(heading_path, [section.heading_path for section in sections]),
    )


def _below(sections: Sequence[Section], roots: Sequence[Section]) -> set[int | None]:
    """Ordinals of these sections and all below them."""
    below: set[int | None] = {root.ordinal for root in roots}
    for section in sections:  # parents come first
        if section.parent in below and section.parent is not None:
            below.add(section.ordinal)
    return below
