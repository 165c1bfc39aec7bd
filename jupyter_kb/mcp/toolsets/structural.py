"""The structural toolset: six tools over headings, with exact addresses, full hashes and literal error texts.

Clients match these shapes and texts word for word, so nothing here is shortened, paged or guessed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from jupyter_kb.errors import (
    FileTooLargeError,
    InvalidPathError,
    KBError,
    NoteNotFoundError,
    NoteUnreadableError,
    SectionNotFoundError,
)
from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import provenance, span
from jupyter_kb.mcp.tools import Payload, Toolset, tool
from jupyter_kb.models import OutlineNode, SearchRequest, SectionEdit, SectionRef
from jupyter_kb.operations import Operations

_ALL = 10_000_000  # hits; this toolset does not page
_DIAGNOSTICS = 50
_FINDINGS = (
    "unreadable-file",
    "file-too-large",
    "invalid-utf8",
    "front-matter",
    "unclosed-front-matter",
    "too-many-headings",
    "unresolved-link",
    "ambiguous-link",
)

_FILE = "Path relative to the vault, with `/`, as other tools give it"
_PATH = "Full heading path, its parts joined by ` > `, as other tools give it"


def _object(*required: str, **properties: Any) -> Payload:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT: Payload = {"type": "string"}
_NUMBER: Payload = {"type": "integer"}
_TEXTS: Payload = {"type": "array", "items": _TEXT}
_RANGE = _object("start", "end", start=_NUMBER, end=_NUMBER)
_PLACE = _object(
    "file",
    "heading_path",
    "byte_range",
    "line_range",
    "content_hash",
    file=_TEXT,
    heading_path=_TEXT,
    byte_range=_RANGE,
    line_range=_RANGE,
    content_hash=_TEXT,
)
_NODES: Payload = {"type": "array", "items": {"$ref": "#/$defs/node"}}
_OUTLINE = _object("file", "sections", file=_TEXT, sections=_NODES) | {
    "$defs": {
        "node": _object(
            "heading",
            "level",
            "heading_path",
            "line_range",
            "children",
            heading=_TEXT,
            level=_NUMBER,
            heading_path=_TEXT,
            line_range=_RANGE,
            content_hash=_TEXT,
            children=_NODES,
        )
    }
}


def _nodes(sections: Iterable[OutlineNode], *, hashes: bool) -> list[Payload]:
    nodes = []
    for section in sections:
        node: Payload = {
            "heading": section.heading,
            "level": section.level,
            "heading_path": section.heading_path,
            "line_range": span(section.line_range),
        }
        if hashes:
            node["content_hash"] = section.content_hash
        node["children"] = _nodes(section.children, hashes=hashes)
        nodes.append(node)
    return nodes


def _failure(error: KBError) -> Payload:
    payload: Payload = {"message": error.message}
    if isinstance(error, NoteNotFoundError | SectionNotFoundError | NoteUnreadableError | FileTooLargeError):
        payload["suggestions"] = error.details.get("suggestions", [])
    if "current_hash" in error.details:
        payload["current_hash"] = error.details["current_hash"]
    return payload


class _NotIndexedError(NoteNotFoundError):
    """A read tool was given a name that is no note's."""


def _not_indexed(call: Call, file: str, error: KBError) -> _NotIndexedError:
    suggestions = error.details.get("suggestions")
    if suggestions is None:
        suggestions = call.operations.suggest(file)
    return _NotIndexedError(f"file '{file}' is not indexed", suggestions=suggestions)


def _not_found(file: str, heading_path: str, error: SectionNotFoundError) -> SectionNotFoundError:
    return SectionNotFoundError(
        f"heading path '{heading_path}' was not found in file '{file}'",
        suggestions=error.details.get("suggestions", []),
    )


@tool(
    """The heading tree of one file, in document order, without text: use it to see what a file holds and to get the
    `heading_path` that get_section, edit_section and backlinks take. Text before the first heading is the
    section `Preamble` of level 0. `line_range` counts from 1, both ends included. The file is read from disk
    now. An unknown file answers with up to three near names in `suggestions`.""",
    output=_OUTLINE,
    strict=True,
)
def outline(call: Call, *, file: Annotated[str, _FILE]) -> Payload:
    """The heading tree of one file."""
    try:
        found = call.operations.outline(file)
    except (InvalidPathError, NoteNotFoundError) as error:
        raise _not_indexed(call, file, error) from None
    payload: Payload = {"file": file, "sections": _nodes(found.sections, hashes=False)}
    if found.diagnostics:
        payload["diagnostics"] = [{"file": entry.file, "message": entry.message} for entry in found.diagnostics]
    return payload


@tool(
    """The exact text of one section (heading, own text and everything nested under it) with its place and
    `content_hash`. Use it before editing: edit_section takes that hash as `expected_hash`. `heading_path` must
    match as a whole, letter by letter, as outline and search give it; an unknown one answers with near ones in
    `suggestions`.""",
    output=_object("content", "provenance", content=_TEXT, provenance=_PLACE),
    strict=True,
)
def get_section(call: Call, *, file: Annotated[str, _FILE], heading_path: Annotated[str, _PATH]) -> Payload:
    """The exact bytes of one section."""
    try:
        section = call.operations.get_section(SectionRef(file=file, heading_path=heading_path, exact=True))
    except (InvalidPathError, NoteNotFoundError) as error:
        raise _not_indexed(call, file, error) from None
    except SectionNotFoundError as error:
        raise _not_found(file, heading_path, error) from None
    return {"content": section.content, "provenance": provenance(section)}


@tool(
    """Search the headings of all files (headings and heading paths only, not the text below them). Use it to find
    where a subject is treated when you know a word of its heading; words may be shortened (`inst` finds
    Installation) and come in any order. Results are ordered best first; pass their `file` and `heading_path` on
    to get_section.""",
    output=_object(
        "query",
        "results",
        query=_TEXT,
        results={
            "type": "array",
            "items": _object("heading", "score", "provenance", heading=_TEXT, score=_NUMBER, provenance=_PLACE),
        },
    ),
    strict=True,
)
def search(call: Call, *, query: Annotated[str, "Words of a heading or heading path"]) -> Payload:
    """Headings that answer a query."""
    found = call.operations.search(SearchRequest(query=query, mode="headings", limit=_ALL))
    results = [
        {
            "heading": hit.heading,
            "score": int(hit.score),
            "provenance": {
                "file": hit.file,
                "heading_path": hit.heading_path,
                "byte_range": span(hit.byte_range),
                "line_range": span(hit.line_range),
                "content_hash": hit.content_hash,
            },
        }
        for hit in found.hits
    ]
    return {"query": query, "results": results}


@tool(
    """The wikilinks `[[...]]` of the whole vault that lead to a file or, with `heading_path`, to one of its sections.
    Use it before renaming or rewriting something that others may point at. `from` is the section that holds the
    link, `raw_target` the link as written. A heading path that nothing points at gives an empty list.""",
    output=_object(
        "file",
        "heading_path",
        "backlinks",
        file=_TEXT,
        heading_path={"type": ["string", "null"]},
        backlinks={
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "from": _PLACE,
                    "raw_target": _TEXT,
                    "target_heading_path": {"type": ["string", "null"]},
                },
                "required": ["from", "raw_target", "target_heading_path"],
            },
        },
    ),
    strict=True,
)
def backlinks(
    call: Call,
    *,
    file: Annotated[str, _FILE],
    heading_path: Annotated[str | None, _PATH + "; leave out for the whole file"] = None,
) -> Payload:
    """Links that lead to a file or section."""
    try:
        found = call.operations.backlinks(file, heading_path)
    except (InvalidPathError, NoteNotFoundError) as error:
        raise _not_indexed(call, file, error) from None
    return {
        "file": file,
        "heading_path": heading_path,
        "backlinks": [
            {
                "from": provenance(link.source),
                "raw_target": link.raw_target,
                "target_heading_path": link.target_heading_path,
            }
            for link in found
        ],
    }


@tool(
    """Replace the body of one section: everything under its heading line, nested sections included; the heading stays.
    Read the section first and pass its `content_hash` as `expected_hash`: if it changed meanwhile nothing is
    written and the answer has `current_hash`; read again then. `body` is without the heading line and may hold
    deeper headings only. The answer is the file's fresh outline with hashes.""",
    output=_OUTLINE,
    writes=True,
    destructive=True,
    strict=True,
)
def edit_section(
    call: Call,
    *,
    file: Annotated[str, _FILE],
    heading_path: Annotated[str, _PATH],
    body: Annotated[str, "New Markdown below the heading line"],
    expected_hash: Annotated[str, "All 64 digits of content_hash from get_section"],
) -> Payload:
    """Replace the body of one section under the guard of its hash."""
    edit = SectionEdit(
        section=SectionRef(file=file, heading_path=heading_path, exact=True),
        body=body,
        expected_hash=expected_hash,
        strict=True,
    )
    try:
        done = call.operations.edit_section(edit, actor=call.actor, reader=call.reader)
    except NoteNotFoundError as error:
        error.details.setdefault("suggestions", call.operations.suggest(file))
        raise
    except SectionNotFoundError as error:
        raise _not_found(file, heading_path, error) from None
    return {"file": file, "sections": _nodes(done.sections, hashes=True)}


@tool(
    """Compare the index with the disk and report what changed since the last report (or the start): files added and
    removed, and in changed files the sections added, removed and modified. Use it to learn what somebody else
    edited; reading and searching need no call of this, they see the disk as it is. A second call right after
    reports nothing.""",
    output=_object(
        "files_added",
        "files_removed",
        "files_changed",
        files_added=_TEXTS,
        files_removed=_TEXTS,
        files_changed={
            "type": "array",
            "items": _object(
                "file",
                "sections_added",
                "sections_removed",
                "sections_modified",
                file=_TEXT,
                sections_added=_TEXTS,
                sections_removed=_TEXTS,
                sections_modified=_TEXTS,
            ),
        },
    ),
    strict=True,
)
def reindex_vault(call: Call) -> Payload:
    """What changed since the last report."""
    operations = call.operations
    report = operations.reindex(reader=call.reader)
    payload: Payload = {
        "files_added": list(report.files_added),
        "files_removed": list(report.files_removed),
        "files_changed": [
            {
                "file": change.file,
                "sections_added": list(change.sections_added),
                "sections_removed": list(change.sections_removed),
                "sections_modified": list(change.sections_modified),
            }
            for change in report.files_changed
        ],
    }
    findings = _findings(operations)
    if findings:
        payload["diagnostics"] = findings[:_DIAGNOSTICS]
        payload["diagnostics_total"] = len(findings)
    return payload


def _findings(operations: Operations) -> list[Payload]:
    """What is wrong with notes, and the wikilinks that do not resolve by this toolset's exact rules."""
    entries, _ = operations.diagnostics(exact=True, limit=_ALL, fresh=False)
    return [{"file": entry.file, "message": entry.message} for entry in entries if entry.kind in _FINDINGS]


TOOLSET = Toolset(
    name="structural",
    instructions=(
        "A folder of Markdown notes, addressed by heading. Find a section with search (headings only) or outline, "
        "read it with get_section, change it with edit_section and the content_hash that you read. Copy file and "
        "heading_path from one answer into the next call."
    ),
    tools=(backlinks, edit_section, get_section, outline, reindex_vault, search),
    failure=_failure,
)
