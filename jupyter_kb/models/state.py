"""The index as a whole: scans, reports, models, status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Watching = Literal["events", "polling", "starting", "lost", "off"]
"""How changes of the notes are noticed: the system tells of them, the vault is looked through now and then, the watch
begins or was lost for the moment, or there is none. In the last three cases each read looks for itself."""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """How one note's sections changed; topmost for added and removed, deepest for modified."""

    file: str
    sections_added: tuple[str, ...] = ()
    sections_removed: tuple[str, ...] = ()
    sections_modified: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReindexReport:
    """What changed since the last report or the start."""

    files_added: tuple[str, ...] = ()
    files_removed: tuple[str, ...] = ()
    files_changed: tuple[FileChange, ...] = ()
    diagnostics: int = 0


@dataclass(frozen=True, kw_only=True)
class ScanResult:
    """One pass of disk against index. Counts of notes; `seconds` of wall time."""

    added: int
    changed: int
    removed: int
    unchanged: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class EmbedResult:
    """One filling of vectors. Counts of chunks: newly embedded, set aside since they cannot be, still to do."""

    embedded: int
    failed: int
    pending: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ModelStatus:
    """The embedding model of a vault and how far its vectors are.

    `name` as configured; `device` and `dtype` are known once it ran in this process, `server` (host and port) where it
    runs on one. `chunks` counts pieces of text, `embedded` those
    with a vector; `vector_bytes` is the size of the vectors' file. `problem` says why the model cannot be used, `hint`
    what to do. `replaces` names the model whose vectors are searched until the new ones are complete. `paused`: nothing
    is embedded until somebody resumes it. `seconds_left` is an estimate from the last minute's pace, None while nothing
    is embedded or it has only begun.
    """

    name: str
    chunks: int = 0
    embedded: int = 0
    vector_bytes: int = 0
    dimensions: int | None = None
    device: str | None = None
    dtype: str | None = None
    server: str | None = None
    replaces: str | None = None
    reranker: str | None = None
    problem: str | None = None
    hint: str | None = None
    paused: bool = False
    seconds_left: float | None = None


@dataclass(frozen=True, kw_only=True)
class Status:
    """The state of one vault. `index_location` is None for a private in-memory index, and `note` says why.

    `indexing` is how many notes the scan that is running has done, and of how many; `seconds_left` how long it will
    still take, None where that is not known.
    """

    vault: str
    root: str
    notes: int
    sections: int
    links: int
    diagnostics: int
    index_location: str | None
    index_bytes: int
    read_only: bool
    last_scan: str | None
    indexing: tuple[int, int] | None = None
    note: str | None = None
    language: str = "english"
    version: str = ""
    model: ModelStatus | None = None
    watching: Watching = "off"
    seconds_left: float | None = None


@dataclass(frozen=True, kw_only=True)
class VaultInfo:
    """A vault that a server offers. `problem` says why it cannot be used; `ready` once it can be asked.

    `contents_path` is where Jupyter's contents API has its folder, with `/`, empty for Jupyter's own root folder; None
    where Jupyter does not reach it.
    """

    name: str
    root: str
    is_default: bool = False
    ready: bool = False
    problem: str | None = None
    contents_path: str | None = None
