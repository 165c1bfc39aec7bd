"""What changed in the sections of notes between two moments, told by its cause.

A section is known by its heading path and compared by its content hash. Since a change below alters every hash above
it, only the deepest modified sections are told; of added and removed ones only the topmost, for the rest goes without
saying.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from jupyter_kb.models import FileChange, ReindexReport

if TYPE_CHECKING:
    from jupyter_kb.index.own_edits import OwnEdit
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


class Ledger:
    """The notes that changed since the last report, each as it was at that time (None: it was not there)."""

    def __init__(self) -> None:
        self._then: dict[str, Marks | None] = {}

    def paths(self) -> list[str]:
        """The notes that changed."""
        return list(self._then)

    def enter(
        self,
        paths: Iterable[str],
        old: Mapping[str, Marks],
        new: Mapping[str, Marks],
        *,
        own: bool = False,
        before: Document | None = None,
    ) -> None:
        """Notes changed from `old` to `new` (left out of a mapping: not there).

        An `own` change is nothing to report. If it found the file as `before`, which is not `old`, then the change
        from `old` to `before` was a foreign one.
        """
        for path in paths:
            if not own:
                self._then.setdefault(path, old.get(path))
                continue
            found = old.get(path)
            if before is not None and (seen := document_marks(before)) != found:
                self._then.setdefault(path, found)
                found = seen
            then = self._then.get(path)
            if path not in new:
                self._then.pop(path, None)
            elif then is not None:
                self._then[path] = without(then, found or {}, new[path])

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


NO_EDITS: Mapping[str, Sequence[OwnEdit]] = {}


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
        paths: list[str],
        old: Mapping[str, Marks],
        new: Mapping[str, Marks],
        *,
        by: str | None = None,
        before: Document | None = None,
        edits: Mapping[str, Sequence[OwnEdit]] = NO_EDITS,
    ) -> None:
        """Enter a change everywhere; it is an own one for the reader that made it (`by`).

        `edits` tells of single notes which edits of whom led to `new`, whoever brings them in.
        """
        for path, steps in edits.items():
            then = {path: old[path]} if path in old else {}
            for edit, following in zip(steps, (*steps[1:], None), strict=True):
                found = following.before if following else None
                now = {path: document_marks(found) if found else new[path]}
                self._enter([path], then, now, edit.by, edit.before)
                then = now
        self._enter([path for path in paths if path not in edits], old, new, by, before)

    def _enter(
        self,
        paths: list[str],
        old: Mapping[str, Marks],
        new: Mapping[str, Marks],
        by: str | None,
        before: Document | None,
    ) -> None:
        for reader, ledger in self._of.items():
            own = reader == by
            ledger.enter(paths, old, new, own=own, before=before if own else None)

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
