"""Files of the vault that are no notes (images, PDFs …), as targets of links: looked up on disk when a link asks."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from jupyter_kb.errors import InvalidPathError
from jupyter_kb.index.links import fold

if TYPE_CHECKING:
    from jupyter_kb.vault.vault import Vault

_LEFT_OUT = frozenset({"node_modules", "__pycache__", ".git"})


class Attachments:
    """What lies in the vault's folder now. Made for one question; the walk by name happens once, when first needed."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._by_name: defaultdict[str, list[str]] | None = None

    def at(self, path: str) -> bool:
        """Whether a file or folder lies at this path below the root; nothing behind a symbolic link does."""
        try:
            return self._vault.path(path).exists()
        except (InvalidPathError, OSError):
            return False

    def named(self, target: str) -> list[str]:
        """Paths of files that end in these segments, in byte order; in the given spelling, else in any case."""
        if self._by_name is None:
            self._by_name = self._walk()
        found = self._by_name.get(fold(target.rpartition("/")[2]), [])
        exact = [path for path in found if f"/{path}".endswith(f"/{target}")]
        return exact or [path for path in found if f"/{fold(path)}".endswith(f"/{fold(target)}")]

    def _walk(self) -> defaultdict[str, list[str]]:
        names: defaultdict[str, list[str]] = defaultdict(list)
        hidden = self._vault.settings.hidden
        waiting = [(str(self._vault.root), "")]
        while waiting:
            folder, prefix = waiting.pop()
            try:
                with os.scandir(folder) as scan:
                    entries = list(scan)
            except OSError:
                continue  # a folder closed to us holds nothing that a link could show
            for entry in entries:
                if entry.name in _LEFT_OUT or (entry.name.startswith(".") and not hidden):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{prefix}{entry.name}/"))
                elif entry.is_file(follow_symlinks=False):
                    names[fold(entry.name)].append(prefix + entry.name)
        for paths in names.values():
            paths.sort()
        return names
