"""Small vaults on disk with their index, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jupyter_kb.events import EventBus
from jupyter_kb.index.database import Database
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault


class IndexedVault:
    """A folder of notes and an index of it in memory."""

    def __init__(self, root: Path, files: Mapping[str, str | bytes] | None = None) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.vault = Vault(root, Settings())
        self.database = Database(None)
        self.indexer = Indexer(self.vault, self.database, EventBus(), Settings())
        self.write(files or {})

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Put files into the vault and into the index."""
        for key, content in files.items():
            path = self.root / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.indexer.scan()

    def close(self) -> None:
        """Give the index up."""
        self.database.close()
