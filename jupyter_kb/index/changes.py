"""What changed in the sections of notes between two moments, told by its cause.

A section is known by its heading path and compared by its content hash. Since a change below alters every hash above
it, only the deepest modified sections are told; of added and removed ones only the topmost, for the rest goes without
saying.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from jupyter_kb.models import FileChange, ReindexReport

if TYPE_CHECKING:
    from jupyter_kb.markdown.document import Document


class Mark(NamedTuple):
    """One heading path: the hashes of the sections that bear it (one, unless paths collide), and the path above."""

    hashes: tuple[str, ...]
    above: str | None


Marks = dict[str, Mark]
"""Heading path to mark, for one note."""


def marks(rows: Iterable[tuple[int, int | None, str, str]]) -> Marks:
    """Marks from (ordinal, parent's ordinal, heading path, content hash), in document order."""
    found: Marks = {}
    paths: dict[int, str] = {}
    for ordinal, parent, path, content_hash in rows:
        paths[ordinal] = path
        known = found.get(path)
        if known:
            found[path] = known._replace(hashes=(*known.hashes, content_hash))
        else:
            found[path] = Mark((content_hash,), None if parent is None else paths[parent])
    return found


def compare(file: str, old: Marks, new: Marks) -> FileChange | None:
    """How the sections of one note changed; None where they did not."""
    added = new.keys() - old.keys()
    removed = old.keys() - new.keys()
    modified = {path for path in new.keys() & old.keys() if new[path].hashes != old[path].hashes}
    above_a_change = {path for tree in (old, new) for path in _above(tree, (added | removed | modified) & tree.keys())}
    change = FileChange(
        file=file,
        sections_added=_sorted(path for path in added if new[path].above not in added),
        sections_removed=_sorted(path for path in removed if old[path].above not in removed),
        sections_modified=_sorted(modified - above_a_change),
    )
    return change if added or removed or change.sections_modified else None


def without(old: Marks, before: Marks, after: Marks) -> Marks:
    """`old` as it would be, had what changed from `before` to `after` been so from the start."""
    adjusted = dict(old)
    for path in before.keys() | after.keys():
        if before.get(path) != after.get(path):
            if path in after:
                adjusted[path] = after[path]
            else:
                adjusted.pop(path, None)
    return adjusted


Announce = Callable[[str, "Document", "Document"], None]
"""To be told of a note, as it is and as it will be, just before it is written."""


class Edit(NamedTuple):
    """One edit of a note: what it found in the file, and which reader of reports made it."""

    before: Document
    by: str


class OwnEdits:
    """Edits of this process that are being written, or were written and are not yet surely in the index.

    Whoever finds such a text first, the editor's own update, a scan or the watch, thereby knows whose it is.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._edits: dict[tuple[str, str], Edit] = {}  # by note and version

    @contextmanager
    def announced(self, by: str) -> Iterator[Announce]:
        """While it lasts, what the yielded function was told counts as an edit by this reader of reports."""
        told: list[tuple[str, str]] = []

        def announce(file: str, before: Document, after: Document) -> None:
            told.append((file, after.version))
            with self._lock:
                self._edits.setdefault(told[-1], Edit(before, by))

        try:
            yield announce
        finally:
            with self._lock:
                for edit in told:
                    self._edits.pop(edit, None)

    def among(self, versions: Iterable[tuple[str, str]]) -> dict[str, list[Edit]]:
        """Of notes with their new versions those that are own edits, with all edits that led to it, in their order."""
        with self._lock:
            return {file: self._chain(file, version) for file, version in versions if (file, version) in self._edits}

    def _chain(self, file: str, version: str) -> list[Edit]:
        chain: list[Edit] = []
        passed: set[str] = set()
        while version not in passed and (file, version) in self._edits:
            passed.add(version)
            chain.append(self._edits[file, version])
            version = chain[-1].before.version
        return chain[::-1]


class Ledger:
    """The notes that changed since the last report, each as it was at that time (None: it was not there)."""

    def __init__(self) -> None:
        self._then: dict[str, Marks | None] = {}

    def paths(self) -> list[str]:
        """The notes that changed."""
        return list(self._then)

    def enter(self, path: str, old: Marks | None, new: Marks | None, *, own: bool = False) -> None:
        """A note changed from `old` to `new` (None: not there). An `own` change is nothing to report."""
        if not own:
            self._then.setdefault(path, old)
            return
        then = self._then.get(path)
        if new is None:
            self._then.pop(path, None)
        elif then is not None:
            self._then[path] = without(then, old or {}, new)

    def close(self, now: Mapping[str, Marks]) -> ReindexReport:
        """Report, with `now` for the notes of `paths()` that are there, and begin anew."""
        then, self._then = self._then, {}
        changed = [
            change
            for path, old in sorted(then.items())
            if old is not None and path in now and (change := compare(path, old, now[path]))
        ]
        return ReindexReport(
            files_added=_sorted(path for path, old in then.items() if old is None and path in now),
            files_removed=_sorted(path for path, old in then.items() if old is not None and path not in now),
            files_changed=tuple(changed),
        )


class Ledgers:
    """A ledger for each reader of reports; `""` is whoever asks without a name, and is there from the start.

    Nothing is entered before `open`: what a first scan finds is no change. Of many readers the one that was told
    longest ago is forgotten; asking again it begins anew.
    """

    MOST = 64

    def __init__(self) -> None:
        self.is_open = False
        self._of = OrderedDict({"": Ledger()})

    def open(self) -> None:
        """From now on, enter changes."""
        self.is_open = True

    def follow(self, reader: str) -> None:
        """Keep a ledger for this reader from now on, if there is none."""
        if reader in self._of:
            self._of.move_to_end(reader)
            return
        self._of[reader] = Ledger()
        if len(self._of) > self.MOST:
            del self._of[next(name for name in self._of if name)]

    def paths(self, reader: str) -> list[str]:
        """The notes that changed for a reader."""
        return self._of[reader].paths()

    def enter(
        self,
        paths: Iterable[str],
        old: Mapping[str, Marks],
        new: Mapping[str, Marks],
        edits: Mapping[str, Sequence[Edit]],
    ) -> None:
        """Enter a change of notes from `old` to `new` (left out: not there) everywhere, step by step.

        `edits` are those that led to `new`; each is an own one for the reader that made it. If the first found the file
        other than `old`, then that change came from elsewhere.
        """
        for path in paths:
            known, end = old.get(path), new.get(path)
            steps = [(document_marks(edit.before), edit.by) for edit in edits.get(path, ())]
            ends: list[Marks | None] = [marks for marks, _ in steps[1:]]
            for ledger_of, ledger in self._of.items():
                if not steps:
                    ledger.enter(path, known, end)
                    continue
                if steps[0][0] != known:
                    ledger.enter(path, known, steps[0][0])
                for (begin, by), then in zip(steps, [*ends, end], strict=True):
                    ledger.enter(path, begin, then, own=by == ledger_of)

    def close(self, reader: str, now: Mapping[str, Marks]) -> ReindexReport:
        """Report to one reader, with `now` for the notes of its `paths` that are there."""
        return self._of[reader].close(now)


def document_marks(document: Document) -> Marks:
    """The marks of a parsed note."""
    return marks((s.ordinal, s.parent, s.heading_path, s.content_hash) for s in document.sections)


def _above(tree: Mapping[str, Mark], paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        walk = tree[path].above
        while walk is not None and walk not in found:
            found.add(walk)
            walk = tree[walk].above
    return found


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(paths))  # code point order is the byte order of UTF-8
