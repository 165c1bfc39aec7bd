"""Writing: `edit_section`, under the guard of the hash that was read."""

from __future__ import annotations

import difflib
from typing import Annotated, Literal

from jupyter_kb.errors import ConflictError, HashRequiredError, InvalidRequestError, KBError
from jupyter_kb.mcp.call import Call, Reading
from jupyter_kb.mcp.results import CHARACTERS_PER_TOKEN, DEFAULT_TOKENS, SHORT_HASH, Budget, span, without_empty
from jupyter_kb.mcp.tools import Payload, Shown, tool
from jupyter_kb.mcp.toolsets.vault.linking import link_row
from jupyter_kb.mcp.toolsets.vault.notes import FILE, HEADING_PATH, HeadingPath, with_note
from jupyter_kb.models import EditResult, OutlineNode, SectionEdit, SectionRef

_MOST_LINKS = 20
LINKS_WAIT = 1.0
"""Seconds that an edit waits for a running scan, whose index tells which links the edit breaks."""


@tool(
    """Change one section; needs the content_hash of what you read (get_section, or a complete search result). You
    replace exactly what was read: with children, or the section's own text. body is Markdown without the
    heading line. Operations: replace, append, prepend; insert_* add a section (heading, body); rename (heading);
    delete. If the section changed meanwhile nothing is written: the answer has
    current_content and current_hash to go on with. dry_run shows the diff only.""",
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
    call: Call,
    *,
    file: Annotated[str, FILE],
    heading_path: Annotated[HeadingPath, HEADING_PATH] = None,
    line: Annotated[int | None, Shown(text="Any line of it, instead", minimum=1)] = None,
    expected_hash: Annotated[str, "content_hash as read"] = "",
    operation: Literal[
        "replace", "append", "prepend", "insert_before", "insert_after", "insert_child", "rename", "delete"
    ] = "replace",
    body: str | None = None,
    heading: Annotated[str | None, "New heading, without #"] = None,
    dry_run: bool = False,
) -> Payload:
    """Change one section under the guard of its hash."""
    expected = expected_hash.strip().lower()
    if not expected:
        raise HashRequiredError("missing argument 'expected_hash': the content_hash that you read")
    if body is None and operation in ("replace", "append", "prepend"):
        raise InvalidRequestError("missing argument 'body'", hint="to empty a section pass body as an empty string")
    read = call.readings.find(expected)

    def edit(name: str) -> Payload:
        section = SectionRef(file=name, heading_path=heading_path, line=line)
        own = read.own if read else _is_own(call, section, expected)
        request = SectionEdit(
            section=section,
            expected_hash=expected,
            operation=operation,
            body=body or "",
            heading=heading,
            dry_run=dry_run,
        )
        try:
            return _payload(
                call.operations.edit_section(request, actor=call.actor, reader=call.reader, wait=LINKS_WAIT), own
            )
        except ConflictError as error:
            raise _explained(call, section, error, read, own) from None

    return with_note(call, file, edit)


def _is_own(call: Call, section: SectionRef, expected: str) -> bool:
    """Whether the hash is that of a section's own text only, where the reading of it is forgotten."""
    operations = call.operations
    try:
        if operations.get_section(section).content_hash.startswith(expected):
            return False
        return operations.get_section(section, children=False).content_hash.startswith(expected)
    except KBError:
        return False  # the edit itself says what is wrong


def _payload(done: EditResult, own: bool) -> Payload:
    """What the edit did: the changed part of the outline with hashes to go on with, and the diff.

    `content_hash` covers what the edit's hash covered: whoever read a section's own text only gets that text's hash.
    """
    edited = _around(done.sections, done.heading_path)
    content_hash = edited[0].own_hash if own and edited else done.content_hash
    budget = Budget(DEFAULT_TOKENS)
    links = [link_row(link) for link in done.broken_links]
    shown = _changed(done.sections, frozenset(done.changed))
    head = {"file": done.file} | without_empty(
        heading_path=done.heading_path,
        content_hash=content_hash[:SHORT_HASH] if content_hash else None,
        written=done.written,
        dry_run=not done.written,
    )
    budget.take(head | {"version": done.version})
    left_out = {}
    if not budget.take(shown):
        shown = [_node(section) for section in edited]
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


def _node(section: OutlineNode) -> Payload:
    return {
        "heading_path": section.heading_path,
        "level": section.level,
        "line_range": span(section.line_range),
        "content_hash": section.content_hash[:SHORT_HASH],
    }


def _changed(sections: tuple[OutlineNode, ...], changed: frozenset[str]) -> list[Payload]:
    """The sections whose hash is new, nested: those that changed and those that hold them."""
    return [
        _node(section) | without_empty(children=_changed(section.children, changed))
        for section in sections
        if section.heading_path in changed
    ]


def _around(sections: tuple[OutlineNode, ...], heading_path: str | None) -> list[OutlineNode]:
    """The section itself, out of the whole outline."""
    found = []
    for section in sections:
        if section.heading_path == heading_path:
            found.append(section)
        found += _around(section.children, heading_path)
    return found


def _explained(call: Call, section: SectionRef, error: ConflictError, read: Reading | None, own: bool) -> ConflictError:
    """The conflict over the part that was read, with what changed since where that text is remembered.

    What is too long is left out. The hash goes with it: nobody may replace what they did not see.
    """
    if "current_hash" not in error.details:  # the file changes faster than it can be written
        return error
    current, current_hash = str(error.details["current_content"]), str(error.details["current_hash"])
    if own:
        part = call.operations.get_section(section, children=False)
        current, current_hash = part.content, part.content_hash
    room = DEFAULT_TOKENS * CHARACTERS_PER_TOKEN
    diff = _diff(read.text, current) if read else ""
    if len(diff) > room // 2:
        diff = ""
    content = current if len(current) + len(diff) <= room else ""
    if not content and not diff:
        hint = "the text is long: call get_section, then edit with its content_hash"
        return ConflictError(error.message, hint=hint)
    call.readings.remember(current_hash, current, own=own)
    return ConflictError(
        error.message,
        **without_empty(current_hash=current_hash, current_content=content, diff_since_read=diff),
    )


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "as read", "now", n=1, lineterm="")
    return "\n".join(lines)
