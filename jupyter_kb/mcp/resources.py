"""Notes as resources, so that a person can attach one to a conversation: listed, read whole or by section, exact."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mcp_types import (
    Annotations,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from jupyter_kb.errors import FileTooLargeError, InvalidRequestError, NoteNotFoundError, SectionNotFoundError
from jupyter_kb.mcp.addresses import Address, read_address, templates
from jupyter_kb.mcp.results import LARGEST
from jupyter_kb.models import NoteInfo, SectionContent, SectionRef

if TYPE_CHECKING:
    from jupyter_kb.mcp.session import Session
    from jupyter_kb.operations import Operations

MARKDOWN = "text/markdown"
_PAGE = 500  # notes; some 150 KB of JSON


def list_notes(session: Session, cursor: str | None) -> ListResourcesResult:
    """One page of the vault's notes, by path.

    Raises
    ------
    InvalidRequestError : the cursor is none that a page ended with.
    """
    if cursor is not None and not cursor.isdecimal():
        raise InvalidRequestError(f"'{cursor[:50]}' is no cursor of this list", hint="begin again without a cursor")
    offset, vault = int(cursor or 0), session.name()
    page = session.operations().notes(limit=_PAGE, offset=offset)
    following = offset + len(page.notes)
    return ListResourcesResult(
        resources=[_resource(vault, note) for note in page.notes],
        next_cursor=str(following) if page.notes and following < page.total else None,
    )


def _resource(vault: str, note: NoteInfo) -> Resource:
    modified = datetime.fromtimestamp(note.modified, UTC).isoformat(timespec="seconds")
    return Resource(
        uri=str(Address(vault=vault, file=note.file)),
        name=_shown(note.file),
        title=_shown(note.title),
        mime_type=MARKDOWN,
        size=note.size,
        annotations=Annotations(last_modified=modified),
    )


def list_templates(session: Session) -> ListResourceTemplatesResult:
    """How addresses of notes and sections are made."""
    note, section = templates(session.name())
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=note,
                name="note",
                title="Note",
                description="A note as it is on disk now; path as search and outline give it",
                mime_type=MARKDOWN,
            ),
            ResourceTemplate(
                uri_template=section,
                name="section",
                title="Section of a note",
                description="A section with all below it; its heading path, or a unique end of it",
                mime_type=MARKDOWN,
            ),
        ]
    )


def read(session: Session, uri: str) -> ReadResourceResult:
    """The exact text that an address names; bytes where they are not UTF-8.

    Raises
    ------
    KBError : no such vault, note or section (with near ones), or too long for one answer.
    """
    address = read_address(uri)
    if address.vault.casefold() != session.name().casefold():
        raise InvalidRequestError(
            f"this server's vault is '{session.name()}', not '{address.vault}'",
            hint=f"addresses here begin with kb://{session.name()}/",
        )
    found = section_at(session.operations(), address.file, address.heading_path)
    return ReadResourceResult(contents=[contents(session.name(), found, uri=uri)])


def section_at(operations: Operations, file: str, heading_path: str | None) -> SectionContent:
    """A note, or a section of it: by its whole heading path, else by a unique end of it. Names of notes are forgiving.

    Raises
    ------
    KBError : no such note or section (with near ones), or it is too long for one answer.
    """
    try:
        found = _section(operations, file, heading_path)
    except NoteNotFoundError:
        found = _section(operations, operations.find_note(file), heading_path)
    size = found.byte_range.end - found.byte_range.start
    if size > LARGEST:
        parts = [node.heading_path for node in operations.outline(found.file).sections]
        raise FileTooLargeError(
            f"{size} bytes are too many for one answer, which holds {LARGEST}",
            hint="take a section of it, or read it piece by piece with get_section",
            suggestions=[part for part in parts if part != found.heading_path][:20],
        )
    return found


def _section(operations: Operations, file: str, heading_path: str | None) -> SectionContent:
    if heading_path is None:
        return operations.get_section(SectionRef(file=file))
    try:
        return operations.get_section(SectionRef(file=file, heading_path=heading_path, exact=True))
    except SectionNotFoundError:
        return operations.get_section(SectionRef(file=file, heading_path=heading_path))


def contents(
    vault: str, found: SectionContent, *, uri: str | None = None
) -> TextResourceContents | BlobResourceContents:
    """A section as the contents of a resource, with the hash that an edit of it names."""
    address = uri or str(Address(vault=vault, file=found.file, heading_path=found.heading_path or None))
    about = {"jupyter-kb/content_hash": found.content_hash, "jupyter-kb/version": found.version}
    try:
        found.content.encode()
    except UnicodeEncodeError:  # JSON cannot carry these bytes as text
        blob = base64.b64encode(found.content.encode("utf-8", "surrogateescape")).decode()
        return BlobResourceContents(uri=address, mime_type=MARKDOWN, blob=blob, _meta=about)
    return TextResourceContents(uri=address, mime_type=MARKDOWN, text=found.content, _meta=about)


def _shown(name: str) -> str:
    return name.encode("utf-8", "replace").decode()
