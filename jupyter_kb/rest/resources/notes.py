"""The notes of a vault: by name, by folder, and what a name means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from jupyter_kb.models import EditResult, FolderNode, NoteName, NotePage, Suggestions
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Given, route


@route("GET", "vaults/{vault}/notes")
def notes(
    vault: Operations,
    *,
    query: Annotated[str, "Words of a title, file name, alias or path"] = "",
    folder: Annotated[str, "Only notes below this folder"] = "",
    limit: Annotated[int, Given(text="Notes")] = 50,
    offset: Annotated[int, "Notes to pass over"] = 0,
) -> NotePage:
    """Notes by name, best first; without a query all of them in order of their paths.

    With a query the index is not compared with the disk first, so that it can be asked at each key that is pressed.
    """
    return vault.notes(query=query, folder=folder, limit=limit, offset=offset)


@dataclass(frozen=True, kw_only=True)
class NewNote:
    """A note to be made: its path in the vault, which ends in `.md`, and its text."""

    file: str
    content: str = ""


@route("POST", "vaults/{vault}/notes", right="write", status=201, errors=(403, 409, 413, 507))
def create_note(
    vault: Operations,
    *,
    note: Annotated[NewNote, Given(text="What to make, and where", source="body")],
    reader: Annotated[str, "The reader of reports (POST reindex) who makes this note, and need not be told"] = "",
    actor: Annotated[str, Given(source="actor")] = "local",
) -> EditResult:
    """Make a note, with the folders that it needs.

    Nothing that is there is ever written over: if the note exists, perhaps in another case, the error (409,
    `note-exists`) has its path in `details.file`. Folders are meant in whatever case they are written;
    `file` of the answer is the note's path as it is on disk.
    """
    return vault.create_note(note.file, note.content, actor=actor, reader=reader)


@route("GET", "vaults/{vault}/tree")
def tree(
    vault: Operations, *, folder: Annotated[str, "This folder and those below it; all without it"] = ""
) -> FolderNode:
    """The folders of the vault with their notes."""
    return vault.tree(folder=folder)


@route("GET", "vaults/{vault}/note")
def note(
    vault: Operations, *, name: Annotated[str, "A path, or the end of one, in any case, perhaps without `.md`"]
) -> NoteName:
    """The one note that a name can only mean.

    Where there are several the error has them in `details.candidates`, where there is none the near ones in
    `details.suggestions`.
    """
    return NoteName(file=vault.find_note(name))


@route("GET", "vaults/{vault}/suggestions")
def suggestions(vault: Operations, *, file: Annotated[str, "A path that no note has"]) -> Suggestions:
    """Up to three names of notes near one that does not exist."""
    return Suggestions(suggestions=tuple(vault.suggest(file)))
