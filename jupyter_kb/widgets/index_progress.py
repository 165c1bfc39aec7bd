"""IndexProgress: how far a vault's index is, while one goes on working."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from traitlets import Enum, List, Unicode

from jupyter_kb.errors import KBError, ServerUnreachableError
from jupyter_kb.render.frames import frame
from jupyter_kb.render.lines import visible
from jupyter_kb.render.markdown import escaped
from jupyter_kb.widgets.base import NotesWidget, sentence
from jupyter_kb.widgets.front_end import script, style
from jupyter_kb.widgets.progress_rows import done, going_on, rows, told

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import Status
    from jupyter_kb.operations import Operations
    from jupyter_kb.render.elements import Html

_EVERY = 0.5
"""Seconds between two looks at a vault that is at work."""


class IndexProgress(NotesWidget):
    """Progress of reading notes, of the text index, and of preparing meaning search. It ends as one line.

    Parameters
    ----------
    vault : what `jupyter_kb.connect` gave, the name of a vault or a folder; by default the vault that `%kb` uses.
    start : whether to begin preparing what is missing, too. A Jupyter server does that by itself, a kernel that opened
        a folder without one does not.
    """

    _esm = script("index_progress")
    _css = style("index_progress")

    state = Enum(
        ("working", "paused", "stopped", "ready"), "working", help="Whether the index is ready, or why it is not yet."
    ).tag(sync=True)
    line = Unicode(help="The one line that is shown at the end, or what is going on.").tag(sync=True)

    _title = Unicode().tag(sync=True)
    _told = Unicode().tag(sync=True)
    _rows: List[Any] = List().tag(sync=True)

    def __init__(
        self, *, vault: Session | Operations | str | Path | None = None, start: bool = False, **traits: Any
    ) -> None:
        super().__init__(vault=vault, **traits)
        self._began = time.monotonic()
        self._first: Status | None = None
        self._worked = False
        self._over = threading.Event()
        self._filling = start
        self._on("pause", lambda _: self.pause())
        self._on("resume", lambda _: self.resume())
        self._on("stop", lambda _: self.stop())
        self._show(self._now(lambda: self.kb.status()))
        if start:
            threading.Thread(target=self._fill, name="kb-progress-work", daemon=True).start()
        if self.state != "ready":
            threading.Thread(target=self._watch, name="kb-progress", daemon=True).start()

    # ── what programs use ───────────────────────────────────────────────────────────────────────

    def pause(self) -> None:
        """Let the preparation of meaning search rest; what is done is kept."""
        self._rest(True)

    def resume(self) -> None:
        """Go on with it."""
        self._rest(False)

    def stop(self) -> None:
        """Stop preparing meaning search, and watching it; what is done is kept."""
        if self.state not in ("ready", "stopped"):
            self._rest(True)
            self._apply(state="stopped", line=f"Stopped: {self.line}")
            self._over.set()

    def wait(self, seconds: float = 600.0) -> bool:
        """Wait until the index is ready or this was stopped, so many seconds at most; whether it is ready."""
        self._over.wait(seconds)
        return self.state == "ready"

    def close(self) -> None:
        """Stop watching; the index is worked on all the same."""
        self._over.set()
        super().close()

    # ── watching ────────────────────────────────────────────────────────────────────────────────

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            try:
                status = self.kb.status()
            except ServerUnreachableError as error:
                self._forget(error)
                self._apply(problem=sentence(error))
            except KBError as error:
                self._apply(problem=sentence(error))
            else:
                self._show(status)

    def _fill(self) -> None:
        try:
            self.kb.reindex()
            self.kb.embed()
        except KBError as error:
            self._apply(problem=sentence(error))
        self._filling = False

    def _rest(self, paused: bool) -> None:
        try:
            self.kb.pause_embedding(paused)
        except KBError as error:
            self._forget(error)
            self._apply(problem=sentence(error))
        else:
            self._apply(state="paused" if paused else "working")

    def _show(self, status: Status) -> None:
        self._first = self._first or status
        spent = time.monotonic() - self._began
        found = rows(self._first, status, spent)
        ready = all(row.done for row in found) and not self._filling
        self._worked = self._worked or not ready
        paused = status.model is not None and status.model.paused
        values: dict[str, Any] = {
            "state": "ready" if ready else "paused" if paused else "working",
            "line": done(status, spent if self._worked else None) if ready else going_on(found),
            "problem": "",
            "_title": f"Indexing {visible(status.vault)}",
            "_told": told(spent, found, paused=paused),
            "_rows": [row.shown() for row in found],
        }
        if self.state != "stopped":
            self._apply(**values)
        if ready:
            self._over.set()

    # ── where no widget is shown ────────────────────────────────────────────────────────────────

    def _plain(self) -> str:
        return self.line

    def _markdown(self) -> str:
        return escaped(self.line)

    def _html(self) -> Html:
        return frame(self.line)
