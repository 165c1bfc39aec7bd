"""What is searched for, and what a search answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from jupyter_kb.models.notes import SectionRef
from jupyter_kb.models.places import ByteRange, LineRange

SearchMode = Literal["hybrid", "semantic", "text", "headings"]
Granularity = Literal["section", "chunk", "document"]
Fusion = Literal["weighted", "rrf"]
Order = Literal["path", "title", "modified"]


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a hit must fulfil; all given conditions hold together.

    `path`: a glob (`projects/**`, `*.draft.md`) or, without glob characters, a case-insensitive substring; of several
    any.
    `tags`: each must be on the note, nested tags count (`method` finds `method/optical`).
    `front_matter`: field (dots reach into nested values) → condition: a scalar (equality, or membership in a list
    field), a list (any of), or operators: `{"any_of": […]}`, `{"all_of": […]}`, `{"gte" | "gt" | "lte" | "lt": …}`
    (which may be combined; numbers compare as numbers, ISO dates as dates), `{"exists": true | false}` (null, empty
    text and empty lists count as missing). `title` is the note's title. A field that no note has is an error.
    `modified_after` (inclusive), `modified_before` (exclusive): RFC 3339 or `YYYY-MM-DD` (midnight UTC), compared with
    the file's mtime.
    `folders`: names of folders; notes in one of them or below it. A name is a path or the end of one, or with `/`
    before it a path from the root. `!` before a folder or a tag leaves out what has it.
    `heading_prefix`: neighbouring headings that stand, whole, somewhere in the section's heading path, in any case; the
    one filter that is about sections and not about notes.
    """

    path: str | tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    front_matter: dict[str, Any] = field(default_factory=dict)
    modified_after: str | None = None
    modified_before: str | None = None
    heading_prefix: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """One search, or without query and `like` an enumeration.

    `limit` and `offset` count hits; `per_file` caps the hits of one note (None: no cap). `granularity`: what a hit is;
    None is sections, and documents in an enumeration. `like`: rank by likeness to a section instead of a query.
    `fusion` and `weight` (share of meaning against words, 0 to 1; None: the vault's) are for mode hybrid. `rerank`
    None: where the vault has a reranker. `explain` fills `Hit.explanation`. `only_near` leaves out what has
    no word of the query and is not much nearer to it by meaning than most. `order_by` and `descending`: the
    order of the notes; None is best first, and by path in an enumeration.
    """

    query: str = ""
    mode: SearchMode = "hybrid"
    filters: Filters = Filters()
    limit: int = 10
    offset: int = 0
    per_file: int | None = None
    granularity: Granularity | None = None
    like: SectionRef | None = None
    fusion: Fusion = "weighted"
    weight: float | None = None
    rerank: bool | None = None
    explain: bool = False
    only_near: bool = False
    order_by: Order | None = None
    descending: bool = False


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """How a hit came to its place: rank (from 1) and score in each leg, None where the leg does not have it.

    `vector_score` is the cosine of the chunk plus a share of the mean of its note's, `text_score` BM25F's; `fused`
    is what both give together, before a reranker.
    """

    text_rank: int | None = None
    text_score: float | None = None
    vector_rank: int | None = None
    vector_score: float | None = None
    fused: float | None = None
    rerank_score: float | None = None


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A section that answers a query.

    Ranges and `content_hash` are those of the section with all below it, `own_hash` covers its own text only.
    `score` is comparable within one answer only. `snippet` is the best passage as plain text with `marks`
    (half-open character ranges of the matched words in it). `text` is the best passage at full length, at most 1,000
    characters; `complete` says that `text` is the section's whole own content. `span` is the best chunk as
    characters of the section's own text; `passage_bytes` and `passage_lines` say where it lies in the file, when chunks
    were asked for. `modified`: the note's mtime in seconds since 1970, in an enumeration ordered by it.
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
    span: tuple[int, int] | None = None
    passage_bytes: ByteRange | None = None
    passage_lines: LineRange | None = None
    modified: float | None = None
    explanation: Explanation | None = None


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """An answer to a search: a window on one fixed ordering. `total` counts all hits before paging, `notes`
    the notes that they are in.

    `mode` is the one that was used, and `note` says why it is not the one asked for, or what else the caller should
    know. `pending` counts chunks that have no vector yet, so that meaning cannot find them. `unknown_tags`, where there
    is no hit: tags asked for that no note has, each with up to three near ones that notes have.
    """

    query: str
    mode: SearchMode
    hits: tuple[Hit, ...]
    total: int
    notes: int = 0
    has_more: bool = False
    indexing: tuple[int, int] | None = None
    pending: int = 0
    reranked: bool = False
    note: str | None = None
    unknown_tags: tuple[tuple[str, tuple[str, ...]], ...] = ()


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
