"""New notes: made where nothing is, and never over anything."""

from __future__ import annotations

from collections.abc import Callable

from blake3 import blake3

from jupyter_kb.editing.diff import unified_diff
from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.projections import outline_nodes
from jupyter_kb.models import EditResult
from jupyter_kb.vault.create import create_file, place_for
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.write import refuse_if_read_only


def create_note(
    vault: Vault, file: str, content: str, *, announce: Callable[[str, None, Document], None] | None = None
) -> EditResult:
    """Make a note. In the result `content_hash` is that of the whole file, as `get_section` gives it.

    `announce` is called with the note's key, None and the note to be before it is written.

    Raises
    ------
    NoteExistsError : it is there already, perhaps in another case; nothing was written.
    InvalidPathError, InvalidRequestError, FileTooLargeError : what is no name for a note, or no text for one.
    ReadOnlyError, WriteFailedError : nothing was written.
    """
    refuse_if_read_only(vault)
    try:
        data = content.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidRequestError(f"the content holds half a character at position {error.start}") from None
    key = place_for(vault, file)
    note = parse(data)
    if announce is not None:
        announce(key, None, note)
    create_file(vault, key, data)
    return created(key, note)


def created(key: str, note: Document) -> EditResult:
    """What is told of a note that was made."""
    return EditResult(
        file=key,
        heading_path=None,
        content_hash=blake3(note.data).hexdigest(),
        version=note.version,
        sections=outline_nodes(note),
        changed=tuple(section.heading_path for section in note.sections),
        diff=unified_diff(key, "", note.text),
        written=True,
    )
