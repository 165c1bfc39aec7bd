"""Opening an index: which settings hold, and whether it is the lasting one or a private one in memory."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_kb.index.database import Database, IndexOwnedError
from jupyter_kb.index.location import IndexLocation, locate
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

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
    remembered = location.settings()
    chosen = settings or remembered or Settings()
    vault = Vault(location.root, chosen)
    if in_memory:
        return Opened(vault=vault, database=Database(None), settings=chosen, note="the index is in memory, as asked")
    try:
        lasting = replace(chosen, read_only=False)  # a server that only reads does not forbid later edits
        if remembered != lasting:
            location.save(lasting)
        return Opened(vault=vault, database=Database(location.database), settings=chosen, location=location)
    except IndexOwnedError:
        note = "another process owns the index: this one works on its own, in memory"
    except OSError as error:
        note = f"the index folder cannot be used ({error.strerror or error}): this process works in memory"
    _log.warning("%s", note)
    return Opened(vault=vault, database=Database(None), settings=chosen, note=note)
