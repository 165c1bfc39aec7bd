"""The tree of a vault's folders, from the keys of its notes."""

from __future__ import annotations

from collections.abc import Iterable

from jupyter_kb.errors import NoteNotFoundError
from jupyter_kb.markdown.nearest import nearest
from jupyter_kb.models import FolderNode
from jupyter_kb.vault.paths import normalise, shown


def tree(name: str, keys: Iterable[str], folder: str = "") -> FolderNode:
    """The folders that hold some of `keys` (in order), as values; `folder` picks one, "" or "/" the whole vault.

    Raises
    ------
    NoteNotFoundError : no key lies in that folder.
    """
    path = "" if not folder.strip("/\\.") and ".." not in folder else normalise(folder)
    files: dict[str, list[str]] = {"": []}
    folders: dict[str, list[str]] = {"": []}
    for key in keys:
        parent = key.rpartition("/")[0]
        _enter(parent, files, folders)
        files[parent].append(key)
    if path not in files:
        raise NoteNotFoundError(
            f"folder '{shown(folder)}' holds no notes", suggestions=nearest(path, (other for other in files if other))
        )
    return _node(path, path.rpartition("/")[2] or name, files, folders)


def _enter(folder: str, files: dict[str, list[str]], folders: dict[str, list[str]]) -> None:
    """Make a folder known, with every folder above it."""
    while folder not in files:
        files[folder] = []
        folders.setdefault(folder, [])
        parent = folder.rpartition("/")[0]
        folders.setdefault(parent, []).append(folder)
        folder = parent


def _node(path: str, name: str, files: dict[str, list[str]], folders: dict[str, list[str]]) -> FolderNode:
    below = tuple(_node(child, child.rpartition("/")[2], files, folders) for child in sorted(folders[path]))
    own = files[path]
    return FolderNode(
        name=name,
        path=path,
        notes=len(own),
        notes_below=sum(child.notes + child.notes_below for child in below),
        folders=below,
        files=tuple(own),
    )
