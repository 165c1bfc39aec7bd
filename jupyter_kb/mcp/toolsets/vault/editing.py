"""Writing: `edit_section`, under the guard of the hash that was read."""

from __future__ import annotations

import difflib
from typing import Annotated, Literal

from jupyter_kb.errors import ConflictError, HashRequiredError
from jupyter_kb.mcp.results import CHARACTERS_PER_TOKEN, DEFAULT_TOKENS, SHORT_HASH, Budget, without_empty
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.tools import Payload, Shown, tool
from jupyter_kb.mcp.toolsets.vault.linking import link_row
from jupyter_kb.mcp.toolsets.vault.notes import FILE, HEADING_PATH, HeadingPath, nodes, with_note
from jupyter_kb.models import EditResult, OutlineNode, SectionEdit, SectionRef

_MOST_LINKS = 20


@tool(
    """Change one section; needs the content_hash of what you read (get_section, or a complete search result). You replace
    exactly what was read: with children, or the section's own text. body is Markdown without the heading line. Operations:
    replace, append, prepend; insert_after and insert_child add a section (heading, body); rename (heading); delete. If the
    section changed meanwhile nothing is written: the answer has current_content and current_hash to go on with. dry_run shows
    the diff only.""",
    output={
        "type": "object",
        "properties": {
            "content_hash": {"type": "string"},
            "sections": {"type": "array"},
            "diff": {"type": "string"},
            "version": {"type": "string"},
        },
        "required": ["sections", "version"],
    },
    writes=True,
    destructive=True,
)
def edit_section(
    session: Session,
    *,
    file: Annotated[str, FILE],
    heading_path: Annotated[HeadingPath, HEADING_PATH] = None,
    line: Annotated[int | None, Shown(text="Any line of it, instead", minimum=1)] = None,
    expected_hash: Annotated[str, "content_hash as read"] = "",
    operation: Literal[
        "replace", "append", "prepend", "insert_after", "insert_child", "rename", "delete"
    ] = "replace",
    body: str | None = None,
    heading: Annotated[str | None, "New heading, without #"] = None,
    dry_run: bool = False,
) -> Payload:
    """Change one section under the guard of its hash."""
    expected = expected_hash.strip().lower()
    if not expected:
        raise HashRequiredError("missing argument 'expected_hash': the content_hash that you read")
    before = session.readings.find(expected)

    def edit(name: str) -> EditResult:
        return session.knowledge_base().edit_section(
            SectionEdit(
                section=SectionRef(file=name, heading_path=heading_path, line=line),
                expected_hash=expected,
                operation=operation,
                body=body or "",
                heading=heading,
                dry_run=dry_run,
            ),
            actor="mcp",
        )

    try:
        done = with_note(session, file, edit)
    except ConflictError as error:
        raise _explained(error, before) from None
    return _payload(done)


def _payload(done: EditResult) -> Payload:
    """What the edit did: the changed part of the outline with hashes to go on with, and the diff."""
    budget = Budget(DEFAULT_TOKENS)
    links = [link_row(link) for link in done.broken_links]
    shown = nodes(done.sections, 6, only=frozenset(done.changed))
    head = {"file": done.file} | without_empty(
        heading_path=done.heading_path,
        content_hash=done.content_hash[:SHORT_HASH] if done.content_hash else None,
        written=done.written,
        dry_run=not done.written,
    )
    budget.take(head | {"version": done.version})
    left_out = {}
    if not budget.take(shown):
        shown = nodes(_around(done.sections, done.heading_path), 1)
        left_out["sections"] = "call outline for the others"
        budget.take(shown)
    broken = budget.take_list(links[:_MOST_LINKS])
    if len(broken) < len(links):
        left_out["broken_links"] = f"{len(links) - len(broken)} more: call links"
    diff = done.diff
    if not budget.take(diff):
        diff = ""
        left_out["diff"] = f"{len(done.diff)} characters"
    return (
        head
        | {"sections": shown, "version": done.version}
        | without_empty(diff=diff, broken_links=broken, left_out=left_out)
    )


def _around(sections: tuple[OutlineNode, ...], heading_path: str | None) -> list[OutlineNode]:
    """The section itself, out of the whole outline."""
    found = []
    for section in sections:
        if section.heading_path == heading_path:
            found.append(section)
        found += _around(section.children, heading_path)
    return found


def _explained(error: ConflictError, before: str | None) -> ConflictError:
    """The conflict with what changed since the read, where that text is remembered; long texts are left out, and it is said."""
    details = dict(error.details)
    current = str(details.get("current_content", ""))
    room = DEFAULT_TOKENS * CHARACTERS_PER_TOKEN
    if before is not None:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), current.splitlines(keepends=True), "as read", "now", n=1
        )
        diff = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
        if len(diff) < room // 2:
            details["diff_since_read"] = diff
            room -= len(diff)
    hint = None
    if len(current) > room:
        details.pop("current_content", None)
        if "diff_since_read" not in details:
            details.pop("current_hash", None)
            hint = "the text is long and changed much: call get_section, then edit with the new content_hash"
    return ConflictError(error.message, hint=hint, **details)
