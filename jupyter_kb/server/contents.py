"""Where Jupyter's own file browser and editors find a vault's folder: its path below the contents manager's root."""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_core.paths import is_hidden
from jupyter_server.services.contents.filemanager import FileContentsManager
from jupyter_server.services.contents.manager import ContentsManager


def contents_path(manager: ContentsManager, folder: Path) -> str | None:
    """The folder's path as Jupyter's contents API takes it, with `/`; empty for the root itself.

    The way on which the folder was configured comes first, since a link below the root is a folder like any other;
    then where it really lies. None where the contents manager cannot reach it, because it lies elsewhere, is hidden, or
    because the manager keeps no files on this machine.
    """
    if not isinstance(manager, FileContentsManager):
        return None
    root = os.path.abspath(manager.root_dir)
    real = os.path.realpath(folder)
    for way, start in ((folder, root), (folder, os.path.realpath(root)), (Path(real), os.path.realpath(root))):
        path = os.path.relpath(os.path.abspath(way), start)
        inside = path != os.pardir and not path.startswith(os.pardir + os.sep)
        if inside and os.path.realpath(os.path.join(root, path)) == real:
            if path == os.curdir:
                return ""
            hidden = not manager.allow_hidden and is_hidden(os.path.join(root, path), root)
            return None if hidden else Path(path).as_posix()
    return None
