"""Opening an index: which settings hold, and whether it is the lasting one or a private one in memory."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_kb.index.database import Database, IndexOwnedError
from jupyter_kb.index.location import IndexLocation, locate
from jupyter_kb.index.ownership import OWNED, unusable
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

if TYPE_CHECKING:
    from filelock import BaseFileLock

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A vault and its index. `location` is None for a private index in memory, and `note` says why."""

    vault: Vault
    database: Database
    settings: Settings
    location: IndexLocation | None = None
    note: str | None = None


def open_index(
    root: Path | str,
    *,
    settings: Settings | None = None,
    index_dir: Path | str | None = None,
    in_memory: bool = False,
) -> Opened:
    """The index of the vault at `root`, with the settings of the last time where none are given.

    Raises
    ------
    VaultNotFoundError : `root` does not exist or is not a folder.
    """
    location = locate(root, index_dir)
    if in_memory:
        return private_index(location, settings, "the index is in memory, as asked")
    try:
        return owned_index(location, settings)
    except IndexOwnedError:
        note = OWNED
    except OSError as error:
        note = unusable(error)
    _log.warning("%s", note)
    return private_index(location, settings, note)


def owned_index(location: IndexLocation, settings: Settings | None, *, lock: BaseFileLock | None = None) -> Opened:
    """The lasting index, and its settings remembered; `lock` where the caller took the index already.

    Raises
    ------
    IndexOwnedError : another process owns it. OSError : its folder cannot be made or written.
    """
    remembered = location.settings()
    chosen = settings or remembered or Settings()
    vault = Vault(location.root, chosen)
    lasting = replace(chosen, read_only=False)  # a server that only reads does not forbid later edits
    if remembered != lasting:
        location.save(lasting)
    database = Database(location.database, lock=lock)
    return Opened(vault=vault, database=database, settings=chosen, location=location)


def private_index(location: IndexLocation, settings: Settings | None, note: str) -> Opened:
    """An index in memory, for this process alone; `note` says why."""
    chosen = settings or location.settings() or Settings()
    vault = Vault(location.root, chosen)
    return Opened(vault=vault, database=Database(None), settings=chosen, note=note)
