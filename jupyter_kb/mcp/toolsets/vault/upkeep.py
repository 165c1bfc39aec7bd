"""The state of the vault: `reindex_vault`, `diagnostics`, `status`."""

from __future__ import annotations

from typing import Annotated, Any

from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import DEFAULT_TOKENS, Budget, without_empty
from jupyter_kb.mcp.tools import Payload, Shown, tool
from jupyter_kb.mcp.toolsets.vault.notes import SCAN_WAIT


@tool(
    """Report what changed in the vault since the last report (or the start): notes added and removed, sections added,
    removed, modified. Use it to see what others edited. Reading and searching need no call of this: they see
    the disk.""",
    output={
        "type": "object",
        "properties": {
            "files_added": {"type": "array"},
            "files_removed": {"type": "array"},
            "files_changed": {"type": "array"},
            "diagnostics": {"type": "integer"},
        },
        "required": ["files_added", "files_removed", "files_changed", "diagnostics"],
    },
)
def reindex_vault(call: Call) -> Payload:
    """What changed since the last report."""
    report = call.operations.reindex(reader=call.reader)
    budget = Budget(DEFAULT_TOKENS)
    budget.take("x" * 160)
    changed: list[Any] = [
        {"file": change.file}
        | without_empty(
            sections_added=change.sections_added,
            sections_removed=change.sections_removed,
            sections_modified=change.sections_modified,
        )
        for change in report.files_changed
    ]
    payload: Payload = {
        "files_changed": budget.take_list(changed),
        "files_added": budget.take_list(list(report.files_added)),
        "files_removed": budget.take_list(list(report.files_removed)),
        "diagnostics": report.diagnostics,
    }
    left_out = {
        key: number
        for key, whole in (
            ("files_changed", changed),
            ("files_added", report.files_added),
            ("files_removed", report.files_removed),
        )
        if (number := len(whole) - len(payload[key]))
    }
    return payload | without_empty(left_out=left_out)


@tool(
    """What wants attention in the vault: unreadable notes, bad front matter, links that lead nowhere or to several
    notes. Each has a hint that says what to do.""",
    output={
        "type": "object",
        "properties": {"diagnostics": {"type": "array"}, "total": {"type": "integer"}},
        "required": ["diagnostics", "total"],
    },
)
def diagnostics(
    call: Call,
    *,
    path: Annotated[str | None, "Only notes under this path: glob or part of the path"] = None,
    kind: Annotated[str | None, "E.g. unresolved-link, ambiguous-link, front-matter"] = None,
    limit: Annotated[int, Shown(minimum=1)] = 50,
    offset: Annotated[int, Shown(minimum=0)] = 0,
) -> Payload:
    """What wants a person's attention."""
    entries, total = call.operations.diagnostics(
        path=path or None, kind=kind or None, limit=limit, offset=offset, wait=SCAN_WAIT
    )
    budget = Budget(DEFAULT_TOKENS)
    budget.take("x" * 80)
    rows = budget.take_list(
        [
            {"file": entry.file}
            | without_empty(line=entry.line, kind=entry.kind, message=entry.message, hint=entry.hint)
            for entry in entries
        ]
    )
    has_more = offset + len(rows) < total
    return {"diagnostics": rows, "total": total} | without_empty(
        has_more=has_more, next_offset=offset + len(rows) if has_more else None
    )


@tool(
    "The vault's name, counts of notes, sections and links, whether it may be written, and the state of the index.",
    output={"type": "object", "properties": {"vault": {"type": "string"}}, "required": ["vault"]},
)
def status(call: Call) -> Payload:
    """The state of the vault and its index."""
    state = call.operations.status()
    model = state.model
    return {
        "vault": state.vault,
        "notes": state.notes,
        "sections": state.sections,
        "links": state.links,
        "diagnostics": state.diagnostics,
        "read_only": state.read_only,
        "language": state.language,
        "version": state.version,
    } | without_empty(
        last_scan=state.last_scan,
        indexing={"done": state.indexing[0], "total": state.indexing[1]} if state.indexing else None,
        index="on disk" if state.index_location else "in memory",
        index_bytes=state.index_bytes or None,
        note=state.note,
        model=model and model.name,
        device=model and model.device,
        dtype=model and model.dtype,
        embedded=model and model.embedded,
        pending=model and model.chunks - model.embedded,
        model_problem=model and model.problem,
    )
