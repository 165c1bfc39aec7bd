"""Which vault a widget works with: the one that `%kb` uses, unless another is named."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jupyter_kb.magics import extension
from jupyter_kb.magics.session import Session

if TYPE_CHECKING:
    from jupyter_kb.operations import Operations


class _Given(Session):
    """The way to a vault that somebody else opened, and will close."""

    def __init__(self, vault: Operations) -> None:
        super().__init__(lambda _: vault, list)

    def close(self) -> None:
        """Nothing is let go of here."""


_sessions: dict[str | None, Session] = {}
_lock = threading.Lock()


def session_for(vault: Session | Operations | str | Path | None) -> Session:
    """The way to a vault: a name or folder, or what `jupyter_kb.connect` gave; None is the vault of `%kb`.

    Nothing is connected yet.
    """
    if isinstance(vault, Session):
        return vault
    if vault is None or isinstance(vault, str | Path):
        shared = extension.current() if vault is None else None
        return shared or _own(None if vault is None else str(vault))
    return _Given(vault)


def _own(path: str | None) -> Session:
    """One session for each vault that was named, so that widgets share its connection."""
    with _lock:
        if path not in _sessions:
            _sessions[path] = Session(lambda chosen: _connect(chosen or path))
        return _sessions[path]


def _connect(path: str | None) -> Operations:
    import jupyter_kb

    return cast("Operations", cast("Any", jupyter_kb).connect(path))
