"""Links as they are resolved when asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jupyter_kb.models.places import Provenance

LinkKind = Literal["wikilink", "embed", "markdown"]
LinkStatus = Literal["resolved", "ambiguous", "missing"]


@dataclass(frozen=True, kw_only=True)
class LinkTarget:
    """What a link points to; `heading_path` is None for the whole note."""

    file: str
    heading_path: str | None = None


@dataclass(frozen=True, kw_only=True)
class Backlink:
    """A link that resolves, seen from its target (structural toolset)."""

    source: Provenance
    raw_target: str
    target_heading_path: str | None


@dataclass(frozen=True, kw_only=True)
class ResolvedLink:
    """One link with what it means. `context` is the line around it; `candidates` only when ambiguous."""

    source: Provenance
    line: int
    raw_target: str
    kind: LinkKind
    status: LinkStatus
    target: LinkTarget | None = None
    candidates: tuple[LinkTarget, ...] = ()
    context: str = ""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LinkPage:
    """A window on a list of links; `total` counts all of them."""

    links: tuple[ResolvedLink, ...]
    total: int
