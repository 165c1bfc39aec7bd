"""Lists as values with a name: what REST sends where an operation gives a bare tuple or text."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_kb.models.links import Backlink, ResolvedTarget
from jupyter_kb.models.places import Diagnostic
from jupyter_kb.models.state import VaultInfo


@dataclass(frozen=True, kw_only=True)
class ApiIndex:
    """What a client finds at the API's own address. `openapi` is where its document lies below that address."""

    name: str
    version: str
    openapi: str


@dataclass(frozen=True, kw_only=True)
class VaultList:
    """The vaults that a server offers."""

    vaults: tuple[VaultInfo, ...]


@dataclass(frozen=True, kw_only=True)
class BacklinkPage:
    """A window on a list of backlinks; `total` counts all of them."""

    backlinks: tuple[Backlink, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class DiagnosticPage:
    """A window on a list of diagnostics; `total` counts all of them."""

    diagnostics: tuple[Diagnostic, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class NoteName:
    """The key of the one note that a name can only mean."""

    file: str


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """Names of notes near one that does not exist, nearest first."""

    suggestions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ResolvedTargets:
    """What targets of links mean, in the order in which they were given."""

    targets: tuple[ResolvedTarget, ...]
