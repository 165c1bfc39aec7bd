"""The values that the rooms hand to each other: frozen, keyword-only dataclasses without behaviour.

Never `slots=True`: the MCP SDK silently drops the output schema of slotted dataclasses.
Units: byte offsets count the file as stored (byte order mark and front matter included), ranges are half-open;
lines are counted from 1 and line ranges are inclusive; hashes are lower-case hexadecimal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

# ── where something is ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class ByteRange:
    """Half-open range of offsets in the file as stored."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class LineRange:
    """Lines from 1, both ends included; `end` holds the last byte of the range."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where a section's bytes lie, and the hash that an edit of them must name."""

    file: str
    heading_path: str
    byte_range: ByteRange
    line_range: LineRange
    content_hash: str


DiagnosticKind = Literal[
    "unreadable-file",
    "file-too-large",
    "invalid-utf8",
    "front-matter",
    "unclosed-front-matter",
    "too-many-headings",
    "unresolved-link",
    "ambiguous-link",
    "duplicate-alias",
    "ignore-pattern",
]


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """Something in the vault that wants a person's attention; indexing went on.

    `line` counts from 1, None where the whole file is meant. `hint` says what to do.
    """

    file: str
    kind: DiagnosticKind
    message: str
    line: int | None = None
    hint: str | None = None


# ── outline and sections ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class OutlineNode:
    """A section in an outline. `size` is the byte length of the whole subtree."""

    heading: str
    level: int
    heading_path: str
    line_range: LineRange
    size: int
    content_hash: str
    own_hash: str
    children: tuple[OutlineNode, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outline:
    """The heading tree of one note as it is on disk now. `version` is the file's git blob id."""

    file: str
    title: str
    version: str
    sections: tuple[OutlineNode, ...]
    front_matter: dict[str, Any] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FolderNode:
    """A folder of the vault. `notes` lie in it directly, `notes_below` in the folders under it, without its own.

    `files` are the keys of the notes in it.
    """

    name: str
    path: str
    notes: int
    notes_below: int
    folders: tuple[FolderNode, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SectionRef:
    """How a request names a section: by heading path (string or list of headings) or by line.

    With neither, the whole note is meant. `exact` takes the structural rules (whole path, first match wins);
    otherwise a unique suffix is accepted and ambiguity is an error that lists the candidates.
    """

    file: str
    heading_path: str | tuple[str, ...] | None = None
    line: int | None = None
    exact: bool = False


@dataclass(frozen=True, kw_only=True)
class SectionContent:
    """The exact bytes of one section, as text.

    `content` decodes UTF-8 with surrogateescape: encoding it back the same way gives the file's bytes.
    `content_hash` is BLAKE3-256 of exactly `byte_range`; `children` tells whether sub-sections are in it.
    `same_heading_at_lines`: where siblings with the same heading begin.
    """

    file: str
    heading: str
    heading_path: str
    level: int
    content: str
    byte_range: ByteRange
    line_range: LineRange
    content_hash: str
    version: str
    children: bool = True
    same_heading_at_lines: tuple[int, ...] = ()


# ── search ──────────────────────────────────────────────────────────────────────────────────────

SearchMode = Literal["text", "headings"]


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a hit must fulfil; all given conditions hold together.

    `path`: a glob (`projects/**`, `*.draft.md`) or, without glob characters, a case-insensitive substring.
    `tags`: each must be on the note, nested tags count (`method` finds `method/optical`).
    `front_matter`: field (dots reach into nested values) → value; equality, or membership in a list field.
    """

    path: str | None = None
    tags: tuple[str, ...] = ()
    front_matter: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """One search. `limit` and `offset` count hits; `per_file` caps the hits of one note (None: no cap)."""

    query: str
    mode: SearchMode = "text"
    filters: Filters = Filters()
    limit: int = 10
    offset: int = 0
    per_file: int | None = None


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A section that answers a query.

    Ranges and `content_hash` are those of the section with all below it, `own_hash` covers its own text only.
    `score` is comparable within one answer only. `snippet` is the best passage as plain text with `marks`
    (half-open character ranges of the matched words in it). `text` is the best passage at full length, at most 1,000
    characters; `complete` says that `text` is the section's whole own content.
    """

    file: str
    title: str
    heading: str
    heading_path: str
    score: float
    byte_range: ByteRange
    line_range: LineRange
    content_hash: str
    own_hash: str
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    text: str = ""
    complete: bool = False


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """An answer to a search: a window on one fixed ordering. `total` counts all hits before paging."""

    query: str
    mode: SearchMode
    hits: tuple[Hit, ...]
    total: int
    has_more: bool = False
    indexing: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class GrepRequest:
    """A search for exact characters in the notes as they are on disk. `limit` counts matching lines."""

    pattern: str
    is_regex: bool = False
    case_sensitive: bool = False
    filters: Filters = Filters()
    context_lines: int = 0
    limit: int = 50
    time_budget: float = 5.0


@dataclass(frozen=True, kw_only=True)
class GrepMatch:
    """One matching line (without its line end) and the deepest section that holds it."""

    file: str
    heading_path: str
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GrepResults:
    """Matching lines in file order. `counts` has every file with a match; `truncated` says why it stopped early."""

    matches: tuple[GrepMatch, ...]
    total: int
    counts: tuple[tuple[str, int], ...] = ()
    truncated: Literal["limit", "time"] | None = None


# ── links ───────────────────────────────────────────────────────────────────────────────────────

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


# ── edits ───────────────────────────────────────────────────────────────────────────────────────

Operation = Literal["replace", "append", "prepend", "insert_after", "insert_child", "rename", "delete"]


@dataclass(frozen=True, kw_only=True)
class SectionEdit:
    """One guarded edit.

    `expected_hash` is the hash of the text that the caller read: the subtree's or the section's own; any prefix of at
    least 12 digits (`strict` wants all 64). The part whose hash was given is the part that is replaced.
    `heading` is the new heading's text for insert_after, insert_child and rename.
    `strict` selects the structural rules: literal splice, no line-end normalisation, replace only.
    """

    section: SectionRef
    expected_hash: str
    operation: Operation = "replace"
    body: str = ""
    heading: str | None = None
    dry_run: bool = False
    strict: bool = False


@dataclass(frozen=True, kw_only=True)
class EditResult:
    """What an edit did (or would do, with `dry_run`).

    `sections` is the whole fresh outline, `changed` the heading paths whose hash is new; `diff` is unified;
    `removed` lists the heading paths that are gone, topmost only; `broken_links` are the links that pointed at them.
    """

    file: str
    heading_path: str | None
    content_hash: str | None
    version: str
    sections: tuple[OutlineNode, ...]
    changed: tuple[str, ...]
    diff: str
    written: bool
    removed: tuple[str, ...] = ()
    broken_links: tuple[ResolvedLink, ...] = ()


# ── the index as a whole ────────────────────────────────────────────────────────────────────────


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
class Status:
    """The state of one vault. `index_location` is None for a private in-memory index, and `note` says why."""

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
