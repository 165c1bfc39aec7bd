"""Finding: `search` by words and `grep` by exact characters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from jupyter_kb.errors import InvalidRequestError, KBError
from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import DEFAULT_TOKENS, SHORT_HASH, Budget, span, without_empty
from jupyter_kb.mcp.tools import Payload, Shown, tool
from jupyter_kb.mcp.toolsets.vault.notes import SCAN_WAIT
from jupyter_kb.models import Filters, GrepMatch, GrepRequest, Hit, SearchRequest, SectionRef
from jupyter_kb.search.conditions import OPERATORS

_SNIPPET = 160
_PASSAGE = 1_000
_LINE = 300  # characters of a matching line
_MOST = 50

_PATH = Shown(
    text="Glob (`projects/**`) or part of the path",
    also=("file", "files", "folder", "directory", "glob"),
)
_SCOPE = ("path", "modified_after", "modified_before", "heading_prefix")
_WRAPPINGS = ("front_matter", "frontmatter", "properties")


@tool(
    """Find sections by meaning and words; start here with a question, in your own words. "a phrase", +must,
    -not and prefix* narrow it. Pass file and heading_path of a result to get_section for whole text.
    complete: true means text is the whole section: edit it with that content_hash. Without query: lists what
    passes the filters, in order_by.""",
    output={
        "type": "object",
        "properties": {"results": {"type": "array", "items": {"type": "object"}}},
        "required": ["results"],
    },
)
def search(
    call: Call,
    *,
    query: Annotated[str, Shown(also=("q", "text", "question"))] = "",
    mode: Literal["hybrid", "semantic", "text", "headings"] = "hybrid",
    granularity: Annotated[
        Literal["section", "chunk", "document"] | None, "Default section; document without query"
    ] = None,
    path: Annotated[str | None, _PATH] = None,
    tags: Annotated[tuple[str, ...], "All of these"] = (),
    filters: Annotated[
        dict[str, Any] | None,
        Shown(
            text="Front matter: field → value, [any of] or {all_of|gte|lte|gt|lt|exists: …}",
            also=("front_matter", "where", "metadata"),
        ),
    ] = None,
    modified_after: Annotated[str | None, Shown(text="Date or RFC 3339", also=("since",))] = None,
    modified_before: Annotated[str | None, Shown(also=("until",))] = None,
    heading_prefix: Annotated[tuple[str, ...], "Only below these headings"] = (),
    more_like: Annotated[str | None, Shown(text="file#heading path, instead of query", also=("similar_to",))] = None,
    order_by: Annotated[
        Literal["relevance", "modified", "path"],
        Shown(text="Without query: path, or modified (newest first)", also=("sort", "sort_by", "order")),
    ] = "relevance",
    limit: Annotated[int, Shown(minimum=1, also=("top_k", "k", "n", "count", "max_results"))] = 5,
    per_file: Annotated[int, Shown(text="Most results of one note", minimum=1)] = 2,
    offset: Annotated[int, Shown(minimum=0)] = 0,
    context: Annotated[Literal["passage", "snippet", "none"], "How much text: 1,000 characters, 160, none"] = "passage",
    max_tokens: Annotated[int, Shown(minimum=100)] = DEFAULT_TOKENS,
    explain: Annotated[bool, "Add scores, lines, hashes"] = False,
) -> Payload:
    """Sections that answer a query."""
    listing = not query.strip() and more_like is None
    if order_by != "relevance" and not listing:
        raise InvalidRequestError(
            f"what answers a query is ordered by relevance, not by {order_by}",
            hint="leave query and more_like out to list notes in this order, or leave order_by out; "
            "modified_after keeps what is recent",
        )
    asked = _unwrapped(filters or {})
    request = SearchRequest(
        query=query,
        mode="hybrid" if listing else mode,
        filters=Filters(
            path=path or None,
            tags=tuple(tag.lstrip("#") for tag in tags),
            front_matter=asked,
            modified_after=modified_after or None,
            modified_before=modified_before or None,
            heading_prefix=heading_prefix,
        ),
        limit=min(limit, _MOST),
        offset=offset,
        per_file=None if listing else per_file,
        granularity=granularity,
        explain=explain,
        order_by="modified" if order_by == "modified" else None,
        descending=order_by == "modified",
        like=_section_like(more_like) if more_like is not None else None,
    )
    try:
        found = call.operations.search(request, wait=SCAN_WAIT)
    except InvalidRequestError as error:
        misplaced = [name for name in _SCOPE if name in asked]
        if misplaced and "fields" in error.details:
            error.hint = f"{misplaced[0]} is an argument of search itself, beside filters"
        raise
    budget = Budget(max_tokens)
    budget.take("x" * 120)  # the keys around the results
    rows = []
    for rank, hit in enumerate(found.hits, offset + 1):
        row = _row(call, hit, context) | (_explained(hit, rank) if explain else {})
        if not budget.take(row):
            row = _row(call, hit, "snippet" if context == "passage" else "none")
            if not budget.take(row):
                break
        rows.append(row)
    cut = len(rows) < len(found.hits)
    has_more = found.has_more or cut
    return {"results": rows} | without_empty(
        total=found.total if listing else None,
        has_more=has_more,
        next_offset=offset + len(rows) if has_more else None,
        mode_used=found.mode if found.mode != mode and not listing else None,
        note=found.note,
        unknown_tags=dict(found.unknown_tags),
        granularity_used="section" if granularity == "chunk" and found.mode == "text" else None,
        pending_embeddings=found.pending or None,
        left_out=f"{len(found.hits) - len(rows)} results over max_tokens" if cut else None,
        indexing={"done": found.indexing[0], "total": found.indexing[1]} if found.indexing else None,
    )


def _unwrapped(filters: dict[str, Any]) -> dict[str, Any]:
    """Front-matter conditions, also where they were put into an object of their own among the filters.

    No condition is an object of fields, so nothing else can be meant.
    """
    asked: dict[str, Any] = {}
    for name, condition in filters.items():
        wrapped = name in _WRAPPINGS and isinstance(condition, dict) and not set(condition) & set(OPERATORS)
        asked |= condition if wrapped else {name: condition}
    return asked


def _section_like(name: str) -> SectionRef:
    file, mark, heading = name.partition("#")
    return SectionRef(file=file.strip(), heading_path=heading.strip() if mark else None)


def _row(call: Call, hit: Hit, context: str) -> Payload:
    stem = hit.file.rpartition("/")[2].rpartition(".")[0]
    row: Payload = {"file": hit.file} | without_empty(heading_path=hit.heading_path)
    if hit.title not in ("", stem, hit.heading):
        row["title"] = hit.title
    if hit.modified is not None:
        row["modified"] = datetime.fromtimestamp(hit.modified, UTC).isoformat(timespec="seconds")
    if context == "passage":
        row |= without_empty(text=hit.text[:_PASSAGE])
        if hit.complete and len(hit.text) <= _PASSAGE:
            row |= _whole(call, hit)
    elif context == "snippet":
        row |= without_empty(text=hit.snippet[:_SNIPPET])
    return row


def _whole(call: Call, hit: Hit) -> Payload:
    """That the text is the section's whole own text, and that text's hash; nothing where the disk has moved on."""
    try:
        own = call.operations.get_section(SectionRef(file=hit.file, line=hit.line_range.start), children=False)
    except KBError:
        return {}
    if own.heading_path != hit.heading_path or hit.text not in own.content:
        return {}
    call.readings.remember(own.content_hash, own.content, own=True)
    return {"complete": True, "content_hash": own.content_hash[:SHORT_HASH]}


def _explained(hit: Hit, rank: int) -> Payload:
    legs = hit.explanation
    return {
        "line_range": span(hit.passage_lines or hit.line_range),
        "content_hash": hit.content_hash[:SHORT_HASH],
        "score": round(hit.score, 4),
        "rank": rank,
    } | without_empty(
        text_rank=legs and legs.text_rank,
        text_score=legs and legs.text_score and round(legs.text_score, 4),
        vector_rank=legs and legs.vector_rank,
        vector_score=legs and legs.vector_score and round(legs.vector_score, 4),
        rerank_score=legs and legs.rerank_score and round(legs.rerank_score, 4),
    )


@tool(
    """Find exact characters (or with is_regex a Python regular expression) in the notes as they are on disk now:
    names, identifiers, code, punctuation. For questions use search. Each match has its line and the section
    that holds it: pass file and heading_path, or line, on to get_section. output files or counts answers with
    notes instead of lines.""",
    output={
        "type": "object",
        "properties": {"total": {"type": "integer"}, "matches": {"type": "array"}},
        "required": ["total"],
    },
)
def grep(
    call: Call,
    *,
    pattern: Annotated[str, Shown(also=("query", "q", "text"))],
    is_regex: bool = False,
    case_sensitive: bool = False,
    path: Annotated[str | None, _PATH] = None,
    context_lines: Annotated[int, Shown(minimum=0)] = 0,
    output: Literal["lines", "files", "counts"] = "lines",
    limit: Annotated[int, Shown(minimum=1)] = 50,
    offset: Annotated[int, Shown(minimum=0)] = 0,
    max_tokens: Annotated[int, Shown(minimum=100)] = DEFAULT_TOKENS,
) -> Payload:
    """Lines that hold a pattern."""
    found = call.operations.grep(
        GrepRequest(
            pattern=pattern,
            is_regex=is_regex,
            case_sensitive=case_sensitive,
            filters=Filters(path=path or None),
            context_lines=min(context_lines, 10),
            limit=limit + offset if output == "lines" else 1_000_000,
        )
    )
    budget = Budget(max_tokens)
    budget.take("x" * 120)
    rows: list[Any]
    counts = found.counts[offset : offset + limit]
    if output == "lines":
        rows = [_match(match, pattern, is_regex) for match in found.matches[offset:]]
    elif output == "files":
        rows = [file for file, _ in counts]
    else:
        rows = [{"file": file, "count": number} for file, number in counts]
    kept = budget.take_list(rows)
    available = found.total if output == "lines" else len(found.counts)
    has_more = offset + len(kept) < available
    return {"matches" if output == "lines" else output: kept, "total": found.total} | without_empty(
        files_total=len(found.counts) if output != "lines" else None,
        has_more=has_more,
        next_offset=offset + len(kept) if has_more else None,
        truncated="time" if found.truncated == "time" else None,
    )


def _match(match: GrepMatch, pattern: str, is_regex: bool) -> Payload:
    return {
        "file": match.file,
        "heading_path": match.heading_path,
        "line": match.line,
        "text": _clipped(match.text, pattern, is_regex),
    } | without_empty(
        before=[_clipped(line, "", False) for line in match.before],
        after=[_clipped(line, "", False) for line in match.after],
    )


def _clipped(line: str, pattern: str, is_regex: bool) -> str:
    """A line of at most `_LINE` characters around the match, `…` where it was cut."""
    if len(line) <= _LINE:
        return line
    at = 0 if is_regex else max(0, line.casefold().find(pattern.casefold()))
    start = max(0, min(at - _LINE // 3, len(line) - _LINE))
    end = start + _LINE
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
