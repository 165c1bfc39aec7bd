"""Links between notes: single ones, what could be one, as a graph, and those that want attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from jupyter_kb.models import (
    BacklinkPage,
    DiagnosticKind,
    DiagnosticPage,
    Graph,
    LinkKind,
    LinkPage,
    MentionPage,
    ResolvedTargets,
)
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Given, route

_File = Annotated[str, "The note's path in the vault"]
_Fresh = Annotated[bool, "Compare the index with the disk first"]
_Wait = Annotated[float | None, "Seconds to wait for a scan that is already running"]


@route("GET", "vaults/{vault}/backlinks")
def backlinks(
    vault: Operations,
    *,
    file: _File,
    heading_path: Annotated[str | None, "The whole heading path of a section; the whole note without it"] = None,
    limit: Annotated[int, "Links"] = 10_000,
    offset: Annotated[int, "Links to pass over"] = 0,
    fresh: _Fresh = True,
    wait: _Wait = None,
) -> BacklinkPage:
    """Wikilinks that lead, by the exact rules, to a note or to one of its sections."""
    found = vault.backlinks(file, heading_path, fresh=fresh, wait=wait)
    return BacklinkPage(backlinks=found[offset : offset + limit], total=len(found))


@route("GET", "vaults/{vault}/links", errors=(409,))
def links(
    vault: Operations,
    *,
    file: _File,
    heading_path: Annotated[str | None, "The heading path of a section, or a unique end of it"] = None,
    direction: Annotated[Literal["in", "out", "both"], "To the note or section, from it, or both"] = "in",
    kind: Annotated[LinkKind | None, "Only links of this kind"] = None,
    limit: Annotated[int, "Links"] = 50,
    offset: Annotated[int, "Links to pass over"] = 0,
    fresh: _Fresh = True,
    wait: _Wait = None,
) -> LinkPage:
    """Links to or from a note or section, resolved the way people write them."""
    return vault.links(
        file, heading_path, direction=direction, kind=kind, limit=limit, offset=offset, fresh=fresh, wait=wait
    )


@route("GET", "vaults/{vault}/mentions")
def mentions(
    vault: Operations,
    *,
    file: _File,
    limit: Annotated[int, "Mentions"] = 50,
    offset: Annotated[int, "Mentions to pass over"] = 0,
    fresh: _Fresh = True,
    wait: _Wait = None,
) -> MentionPage:
    """Places in other notes where a note's title or one of its aliases stands without being a link.

    Of a name that stands in very many notes a part of them is looked through, and `more` is true; the next request goes
    on from there.
    """
    return vault.mentions(file, limit=limit, offset=offset, fresh=fresh, wait=wait)


@dataclass(frozen=True, kw_only=True)
class ResolveBody:
    """Targets of wikilinks (`Note#Heading`, what stands between the brackets), up to 500, and the note they are in."""

    targets: tuple[str, ...]
    file: str | None = None


@route("POST", "vaults/{vault}/resolve")
def resolve(
    vault: Operations, *, body: Annotated[ResolveBody, Given(text="The targets", source="body")]
) -> ResolvedTargets:
    """What links mean that may stand in no note yet, in the order of their targets.

    The rules are those by which a note is shown. The index is not compared with the disk first.
    """
    return ResolvedTargets(targets=vault.resolve(body.targets, file=body.file))


@route("GET", "vaults/{vault}/graph")
def graph(
    vault: Operations,
    *,
    file: Annotated[str | None, "The notes around this one; the whole vault without it"] = None,
    depth: Annotated[int, "At most so many links away"] = 1,
    limit: Annotated[int, "Nodes"] = 150,
    offset: Annotated[int, "Nodes to pass over"] = 0,
    fresh: _Fresh = True,
) -> Graph:
    """Notes and the links between them.

    The edges of a page are those of its nodes to each other and to the nodes of earlier pages.
    """
    return vault.graph(file, depth=depth, limit=limit, offset=offset, fresh=fresh)


@route("GET", "vaults/{vault}/diagnostics")
def diagnostics(
    vault: Operations,
    *,
    path: Annotated[str | None, "A glob over the notes' paths, or a part of them"] = None,
    kind: Annotated[DiagnosticKind | None, "Only findings of this kind"] = None,
    limit: Annotated[int, Given(text="Findings; with 0 they are only counted")] = 50,
    offset: Annotated[int, "Findings to pass over"] = 0,
    exact: Annotated[bool, "Judge wikilinks by the exact rules"] = False,
    fresh: _Fresh = True,
    wait: _Wait = None,
) -> DiagnosticPage:
    """What wants a person's attention: links without a target, files that cannot be read, broken front matter."""
    found, total = vault.diagnostics(
        path=path, kind=kind, limit=limit, offset=offset, exact=exact, fresh=fresh, wait=wait
    )
    return DiagnosticPage(diagnostics=found, total=total)
