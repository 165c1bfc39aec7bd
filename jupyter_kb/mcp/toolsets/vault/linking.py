"""Links: `links` to or from a note as people write them, and `backlinks` in the structural shape."""

from __future__ import annotations

from typing import Annotated, Literal

from jupyter_kb.errors import SectionNotFoundError
from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import DEFAULT_TOKENS, SHORT_HASH, Budget, provenance, without_empty
from jupyter_kb.mcp.tools import Payload, Shown, tool
from jupyter_kb.mcp.toolsets.vault.notes import FILE, SCAN_WAIT, HeadingPath, joined, with_note
from jupyter_kb.models import LinkTarget, ResolvedLink

_CONTEXT = 200
_ALL = 100_000


def _target(target: LinkTarget) -> Payload:
    return {"file": target.file} | without_empty(heading_path=target.heading_path)


def link_row(link: ResolvedLink) -> Payload:
    """One link as JSON."""
    return {
        "from": {
            "file": link.source.file,
            "heading_path": link.source.heading_path,
            "line": link.line,
        },
        "raw_target": link.raw_target,
        "kind": link.kind,
        "status": link.status,
    } | without_empty(
        to=_target(link.target) if link.target else None,
        candidates=[_target(candidate) for candidate in link.candidates],
        reason=link.reason,
        context=link.context[:_CONTEXT],
    )


@tool(
    """Links of a note or section: in (what points at it, before you rename or delete), out (what it points at), both.
    Wikilinks, Markdown links and embeds, resolved as Obsidian does; status ambiguous lists its candidates.
    context is the line around the link. Pass a link's from or to on to get_section.""",
    output={
        "type": "object",
        "properties": {"links": {"type": "array"}, "total": {"type": "integer"}},
        "required": ["links", "total"],
    },
)
def links(
    call: Call,
    *,
    file: Annotated[str, FILE],
    heading_path: Annotated[HeadingPath, Shown(schema={"type": ["string", "array"]})] = None,
    direction: Literal["in", "out", "both"] = "in",
    kind: Literal["wikilink", "markdown", "embed"] | None = None,
    limit: Annotated[int, Shown(minimum=1)] = 50,
    offset: Annotated[int, Shown(minimum=0)] = 0,
) -> Payload:
    """Links to or from a note or section."""
    page = with_note(
        call,
        file,
        lambda name: call.operations.links(
            name,
            joined(heading_path),
            direction=direction,
            kind=kind,
            limit=limit,
            offset=offset,
            wait=SCAN_WAIT,
        ),
    )
    budget = Budget(DEFAULT_TOKENS)
    budget.take("x" * 80)
    rows = budget.take_list([link_row(link) for link in page.links])
    return _paged("links", rows, page.total, offset)


@tool(
    """Sections that link to a note or, with heading_path, to one of its sections, with the hash of each linking
    section: a shorter answer than links direction in.""",
    output={
        "type": "object",
        "properties": {"backlinks": {"type": "array"}, "total": {"type": "integer"}},
        "required": ["backlinks", "total"],
    },
)
def backlinks(
    call: Call,
    *,
    file: Annotated[str, FILE],
    heading_path: Annotated[HeadingPath, Shown(schema={"type": ["string", "array"]})] = None,
    limit: Annotated[int, Shown(minimum=1)] = 50,
    offset: Annotated[int, Shown(minimum=0)] = 0,
) -> Payload:
    """Links that lead to a note or section, in the structural toolset's shape."""
    found = with_note(call, file, lambda name: _resolved(call, name, joined(heading_path)))
    budget = Budget(DEFAULT_TOKENS)
    budget.take("x" * 120)
    rows = budget.take_list(
        [
            {
                "from": provenance(link.source, digits=SHORT_HASH),
                "raw_target": link.raw_target,
                "target_heading_path": link.target.heading_path if link.target else None,
            }
            for link in found[offset : offset + limit]
        ]
    )
    return {"file": file, "heading_path": joined(heading_path)} | _paged("backlinks", rows, len(found), offset)


def _resolved(call: Call, file: str, heading_path: str | None) -> list[ResolvedLink]:
    """Links that lead there without doubt, by file and heading path; none where there is no such section."""
    try:
        page = call.operations.links(file, heading_path, direction="in", limit=_ALL, wait=SCAN_WAIT)
    except SectionNotFoundError:
        return []
    found = [link for link in page.links if link.status == "resolved"]
    return sorted(found, key=lambda link: (link.source.file, link.source.heading_path))


def _paged(key: str, rows: list[Payload], total: int, offset: int) -> Payload:
    has_more = offset + len(rows) < total
    return {key: rows, "total": total} | without_empty(
        has_more=has_more, next_offset=offset + len(rows) if has_more else None
    )
