"""Reading: `outline` of a note or folder, and `get_section`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from jupyter_kb.errors import InvalidPathError, InvalidRequestError, KBError, NotFoundError, SectionNotFoundError
from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import CHARACTERS_PER_TOKEN, DEFAULT_TOKENS, SHORT_HASH, Budget, span, without_empty
from jupyter_kb.mcp.tools import (
    InvalidArgumentError,
    Payload,
    Shown,
    parameters_of,
    read_arguments,
    tool,
)
from jupyter_kb.mcp.toolsets.vault.errors import failure
from jupyter_kb.mcp.toolsets.vault.notes import (
    FILE,
    HEADING_PATH,
    HeadingPath,
    count,
    fitting_nodes,
    with_note,
)
from jupyter_kb.models import FolderNode, Outline, OutlineNode, SectionContent, SectionRef

_MOST_SECTIONS = 20
_HEAD = 400  # characters of JSON around a section's text


# ── outline ─────────────────────────────────────────────────────────────────────────────────────


@tool(
    """The headings of a note, nested, without text: see what it holds and take heading_path for get_section. size is
    in bytes; content_hash covers a section with all below it. Without file, or with a folder: the folders and
    notes there, with counts. What does not fit max_tokens is counted in below and left_out.""",
    output={
        "type": "object",
        "properties": {
            "file": {"type": "string"},
            "sections": {"type": "array"},
            "folders": {"type": "array"},
            "files": {"type": "array"},
        },
    },
)
def outline(
    call: Call,
    *,
    file: Annotated[str | None, "Note or folder"] = None,
    heading_path: Annotated[HeadingPath, Shown(text="Only this section", schema={"type": ["string", "array"]})] = None,
    max_depth: Annotated[int, Shown(minimum=1)] = 6,
    hashes: bool = True,
    max_tokens: Annotated[int, Shown(minimum=100)] = DEFAULT_TOKENS,
) -> Payload:
    """The heading tree of a note, or the folder tree."""
    operations = call.operations
    budget = Budget(max_tokens)
    budget.take("x" * 160)
    if file is None or file.strip() in ("", ".", "/", "./"):
        return _folder(operations.tree(), budget)
    try:
        found = with_note(call, file, operations.outline)
    except NotFoundError as error:
        try:
            return _folder(operations.tree(folder=file), budget)
        except (NotFoundError, InvalidPathError):
            raise error from None
    if not heading_path:
        return _whole_outline(found, max_depth, hashes, budget)
    place = operations.get_section(SectionRef(file=found.file, heading_path=heading_path), children=False)
    section = _find(found.sections, place)
    shown, _ = fitting_nodes([section], max_depth, budget, hashes=hashes)
    return {"file": found.file, "sections": shown}


def _whole_outline(found: Outline, max_depth: int, hashes: bool, budget: Budget) -> Payload:
    diagnostics = [
        without_empty(kind=entry.kind, message=entry.message, line=entry.line, hint=entry.hint)
        for entry in found.diagnostics
    ]
    left_out = {}
    budget.take(diagnostics)
    front_matter = found.front_matter
    if front_matter and len(str(front_matter)) > budget.left // 3:
        left_out["front_matter"] = "its fields: " + ", ".join(map(str, front_matter))[:400]
        front_matter = None
    budget.take(front_matter)
    shown, missing = fitting_nodes(found.sections, max_depth, budget, hashes=hashes)
    if missing:
        left_out["sections"] = (
            f"{missing} more, from line {found.sections[len(shown)].line_range.start}: raise max_tokens"
        )
    return (
        {"file": found.file}
        | without_empty(
            title=found.title if found.title != found.file.rpartition("/")[2].rpartition(".")[0] else None,
            front_matter=front_matter,
            diagnostics=diagnostics,
        )
        | {"sections": shown, "version": found.version}
        | without_empty(left_out=left_out)
    )


def _find(sections: Iterable[OutlineNode], place: SectionContent) -> OutlineNode:
    """The outline's node of a section that was just read."""
    for section in sections:
        if section.heading_path == place.heading_path and section.line_range.start == place.line_range.start:
            return section
        if section.line_range.start <= place.line_range.start <= section.line_range.end:
            return _find(section.children, place)
    raise InvalidRequestError("the note changed while it was read", hint="call outline again")


def _folder(folder: FolderNode, budget: Budget) -> Payload:
    """A folder's sub-folders (all levels where they fit, else the first) and the notes directly in it."""
    everything = [_folder_row(child) for child in _below(folder)]
    folders = everything if budget.fits(everything) else [_folder_row(child) for child in folder.folders]
    shown = budget.take_list(folders)
    files = budget.take_list([file.rpartition("/")[2] for file in folder.files])
    left_out = without_empty(
        folders=(len(folders) - len(shown)) or None, files=(len(folder.files) - len(files)) or None
    )
    return {
        "folder": folder.path or "/",
        "notes": folder.notes,
    } | without_empty(notes_below=folder.notes_below or None, folders=shown, files=files, left_out=left_out)


def _below(folder: FolderNode) -> Iterable[FolderNode]:
    for child in folder.folders:
        yield child
        yield from _below(child)


def _folder_row(folder: FolderNode) -> Payload:
    return {"folder": folder.path, "notes": folder.notes} | without_empty(notes_below=folder.notes_below or None)


# ── get_section ─────────────────────────────────────────────────────────────────────────────────


@tool(
    """The exact text of one section, with the content_hash that edit_section takes. Name it by heading_path or line,
    as search, grep or outline gave it; neither: the whole note. children false stops before the first
    sub-heading, and the edit then replaces just that. levels_up takes the section around it. sections reads up
    to 20 at once. A section over max_tokens comes as its intro and outline with outline_only true: pick a
    sub-section, or raise max_tokens.""",
    output={
        "type": "object",
        "properties": {
            "content": {"type": "string"},
            "content_hash": {"type": "string"},
            "sections": {"type": "array"},
        },
    },
)
def get_section(
    call: Call,
    *,
    file: Annotated[str | None, FILE] = None,
    heading_path: Annotated[HeadingPath, HEADING_PATH] = None,
    line: Annotated[int | None, Shown(text="Any line of it, instead", minimum=1)] = None,
    children: bool = True,
    levels_up: Annotated[int, Shown(minimum=0)] = 0,
    sections: Annotated[tuple[dict[str, Any], ...], "Several: objects of file, heading_path or line, children"] = (),
    max_tokens: Annotated[int, Shown(minimum=100)] = DEFAULT_TOKENS,
) -> Payload:
    """The exact text of one section, or of several."""
    budget = Budget(max_tokens)
    if sections:
        return _several(call, sections, file, budget)
    if file is None:
        raise InvalidRequestError("missing argument 'file'", hint="pass file and heading_path, or sections")
    return _section(
        call,
        budget,
        file=file,
        heading_path=heading_path,
        line=line,
        children=children,
        levels_up=levels_up,
    )


def _several(call: Call, wanted: tuple[dict[str, Any], ...], file: str | None, budget: Budget) -> Payload:
    answers: list[Payload] = []
    for entry in wanted[:_MOST_SECTIONS]:
        given = {"file": file, **entry} if file is not None else entry
        try:
            answer = _section(call, budget, **read_arguments(_ENTRY, given))
        except KBError as error:
            answer = _named(entry) | {"error": failure(error)}
        except InvalidArgumentError as error:
            answer = _named(entry) | {"error": {"message": str(error)}}
        budget.take(answer)
        answers.append(answer)
    left = len(wanted) - len(answers)
    return {"sections": answers} | without_empty(
        left_out=f"{left} sections: at most {_MOST_SECTIONS} at once" if left else None
    )


def _named(entry: Payload) -> Payload:
    return {key: entry[key] for key in ("file", "heading_path", "line") if key in entry}


def _section(
    call: Call,
    budget: Budget,
    *,
    file: str,
    heading_path: HeadingPath = None,
    line: Annotated[int | None, Shown(minimum=1)] = None,
    children: bool = True,
    levels_up: Annotated[int, Shown(minimum=0)] = 0,
) -> Payload:
    operations = call.operations

    def read(name: str) -> SectionContent:
        reference = SectionRef(file=name, heading_path=heading_path, line=line)
        try:
            return operations.get_section(reference, children=children, levels_up=levels_up)
        except SectionNotFoundError:
            if heading_path or line is not None:
                raise
            return operations.get_section(SectionRef(file=name))  # "" for want of a heading path

    section = with_note(call, file, read)
    payload = _payload(section)
    if budget.fits(payload):
        call.readings.remember(section.content_hash, section.content, own=not children)
        return payload
    found = operations.outline(section.file)
    if section.level == 0 and not section.heading_path:
        parts = found.sections
    else:
        parts = _find(found.sections, section).children if section.children else ()
    if parts:
        return _opened(call, section, parts, budget)
    return _beginning(section, budget)


def _payload(section: SectionContent) -> Payload:
    return {
        "file": section.file,
        "heading_path": section.heading_path,
        "content": section.content,
        "byte_range": span(section.byte_range),
        "line_range": span(section.line_range),
        "content_hash": section.content_hash[:SHORT_HASH],
        "version": section.version,
    } | without_empty(
        same_heading_at_lines=list(section.same_heading_at_lines), invalid_utf8=not _decodable(section.content)
    )


def _decodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _opened(call: Call, section: SectionContent, parts: tuple[OutlineNode, ...], budget: Budget) -> Payload:
    """A section that is too long: its own text (with that text's hash) where it fits, and its parts' outline."""
    payload: Payload = {"file": section.file, "heading_path": section.heading_path}
    if section.heading_path:
        own = call.operations.get_section(SectionRef(file=section.file, line=section.line_range.start), children=False)
        intro = _payload(own)
        if own.heading_path == section.heading_path and len(own.content) < budget.left // 2 and budget.take(intro):
            call.readings.remember(own.content_hash, own.content, own=True)
            payload = intro
    budget.take("x" * _HEAD)
    shown, missing = fitting_nodes(parts, 6, budget)
    needed = len(section.content) // CHARACTERS_PER_TOKEN + _HEAD // CHARACTERS_PER_TOKEN
    return (
        payload
        | {"outline_only": True, "outline": shown}
        | without_empty(
            left_out=without_empty(
                sections=missing or None, text=f"about {needed} tokens with all {count(parts)} sub-sections"
            )
        )
    )


def _beginning(section: SectionContent, budget: Budget) -> Payload:
    """The beginning of a long section without sub-headings; no hash: nobody may replace what they did not see."""
    room = max(0, budget.left - _HEAD)
    while True:
        cut = section.content[:room]
        cut = cut[: cut.rfind("\n") + 1] or cut
        payload = _payload(section) | {"content": cut}
        if room < _HEAD or budget.fits(payload):
            break
        room = room * 3 // 4  # JSON writes some characters longer
    del payload["content_hash"]
    needed = (len(section.content) * 11 // 10 + _HEAD) // CHARACTERS_PER_TOKEN
    more = (
        f"max_tokens {needed} gives all, with its hash"
        if Budget(needed).fits(_payload(section))
        else "too long for one answer: grep with context_lines shows parts of it"
    )
    return payload | {"truncated": True, "left_out": f"{len(section.content) - len(cut)} characters; {more}"}


_ENTRY = parameters_of(_section)
