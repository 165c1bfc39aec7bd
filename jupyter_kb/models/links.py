"""Links as they are resolved when asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jupyter_kb.models.places import ByteRange, Provenance

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


@dataclass(frozen=True, kw_only=True)
class ResolvedTarget:
    """What the target of a wikilink means that may stand in no note yet.

    A missing heading or block keeps the note that was found as `target`; `candidates` only when ambiguous.
    `suggestions` are up to three names of notes near one that is missing, as a link may name them.
    """

    raw_target: str
    status: LinkStatus
    target: LinkTarget | None = None
    candidates: tuple[LinkTarget, ...] = ()
    reason: str | None = None
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A place where a note is named without a link.

    `source` is the section that holds it, `line` its line in the file, `context` the whole text of that line; `text` is
    the name as written, and stands at `span` (characters of `context`, half-open) and at `byte_range` in the file.
    """

    source: Provenance
    line: int
    context: str
    text: str
    span: tuple[int, int]
    byte_range: ByteRange


@dataclass(frozen=True, kw_only=True)
class MentionPage:
    """A window on a list of mentions. `total` counts all; with `more`, only those in the notes looked at so far."""

    mentions: tuple[Mention, ...]
    total: int
    more: bool = False
