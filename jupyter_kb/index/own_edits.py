"""Whose a change is: edits of this process that are being written, or are written and not yet surely in the index."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jupyter_kb.markdown.document import Document

Announce = Callable[[str, "Document | None", "Document"], None]
"""To be told of a note, as it is (None: not there) and as it will be, just before it is written."""


class OwnEdit(NamedTuple):
    """One edit: what it found in the file (None: no file), and the reader of reports that made it."""

    before: Document | None
    by: str


class OwnEdits:
    """Whoever finds such a text first, the editor's own update, a scan or the watch, learns here whose it is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edits: dict[tuple[str, str], OwnEdit] = {}  # by note and version

    @contextmanager
    def announced(self, by: str) -> Iterator[Announce]:
        """While it lasts, texts that the yielded function was told of count as this reader's."""
        told: list[tuple[str, str]] = []

        def announce(file: str, before: Document | None, after: Document) -> None:
            told.append((file, after.version))
            with self._lock:
                self._edits.setdefault(told[-1], OwnEdit(before, by))

        try:
            yield announce
        finally:
            with self._lock:
                for edit in told:
                    self._edits.pop(edit, None)

    def among(self, versions: Iterable[tuple[str, str]]) -> dict[str, list[OwnEdit]]:
        """Of notes with their new versions, those that are own edits; see `leading_to`."""
        return {file: edits for file, version in versions if (edits := self.leading_to(file, version))}

    def leading_to(self, file: str, version: str) -> list[OwnEdit]:
        """The edits that made this version, in order; none if it is not an own one.

        There may be several: of two threads, the second may write before the first has told the index of its edit.
        """
        steps: list[OwnEdit] = []
        passed: set[str] = set()
        with self._lock:
            while version not in passed and (edit := self._edits.get((file, version))):
                steps.append(edit)
                passed.add(version)
                if edit.before is None:
                    break
                version = edit.before.version
        return steps[::-1]
