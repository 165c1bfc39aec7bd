"""What a person may be about to type: paths of notes, headings of a note, folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mcp_types import CompleteResult, Completion, PromptReference, ResourceTemplateReference

from jupyter_kb.errors import InvalidRequestError, NotFoundError
from jupyter_kb.mcp.addresses import SCHEME

if TYPE_CHECKING:
    from jupyter_kb.mcp.session import Session
    from jupyter_kb.models import FolderNode, OutlineNode
    from jupyter_kb.operations import Operations

_MOST = 100  # the protocol's limit


def complete(
    session: Session,
    reference: PromptReference | ResourceTemplateReference,
    argument: str,
    typed: str,
    known: Mapping[str, str],
) -> CompleteResult:
    """Values for an argument that begin with, or hold, what was `typed`. `known` are the other arguments so far."""
    operations = session.operations()
    if argument in ("path", "file") and _is_ours(reference):
        page = operations.notes(query=typed, limit=_MOST)
        return _result([note.file for note in page.notes], page.total)
    if argument == "section":
        found = _matching(_heading_paths(operations, known.get("path") or known.get("file")), typed)
    elif argument == "folder":
        found = _matching((folder.path for folder in _below(operations.tree())), typed)
    else:
        found = []
    return _result(found[:_MOST], len(found))


def _is_ours(reference: PromptReference | ResourceTemplateReference) -> bool:
    """Whether a reference is a prompt's or that of an address of a note; others have no arguments that are known."""
    return isinstance(reference, PromptReference) or reference.uri.startswith(f"{SCHEME}://")


def _result(values: list[str], total: int) -> CompleteResult:
    return CompleteResult(completion=Completion(values=values, total=total, has_more=total > len(values)))


def _matching(names: Iterable[str], typed: str) -> list[str]:
    """The names that begin with the letters, in any case; then those that hold them."""
    wanted = typed.casefold()
    beginning, holding = [], []
    for name in dict.fromkeys(names):
        folded = name.casefold()
        if folded.startswith(wanted) or folded.rpartition(" > ")[2].startswith(wanted):
            beginning.append(name)
        elif wanted in folded:
            holding.append(name)
    return beginning + holding


def _heading_paths(operations: Operations, file: str | None) -> Iterable[str]:
    if not file:
        return ()
    try:
        outline = operations.outline(file)
    except NotFoundError:
        try:
            outline = operations.outline(operations.find_note(file))
        except (NotFoundError, InvalidRequestError):
            return ()  # a name that is not complete yet has no headings
    except InvalidRequestError:
        return ()
    return _paths(outline.sections)


def _paths(sections: Iterable[OutlineNode]) -> Iterable[str]:
    for section in sections:
        if section.heading_path:
            yield section.heading_path
        yield from _paths(section.children)


def _below(folder: FolderNode) -> Iterable[FolderNode]:
    for child in folder.folders:
        yield child
        yield from _below(child)
