"""The headings above each section as numbers, so that a run of headings is found in all sections at once.

Kept in memory between searches and brought up to date note by note.
"""

from __future__ import annotations

import re
import threading
import unicodedata
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_kb.index.notes import ORDINAL_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database

# Format characters (zero-width, soft hyphen, byte order mark, direction marks), and selectors of glyphs.
_GLYPHS = re.compile("[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_NONE = -1
_ORDINAL = (1 << ORDINAL_BITS) - 1


def folded(heading: str) -> str:
    """A heading as it is compared here: without case, invisible characters, and differences in white space.

    Its Unicode form counts: `é` is not `e` with an accent.
    """
    if heading.isascii():
        return " ".join(heading.lower().split())
    seen = "".join(letter for letter in _GLYPHS.sub("", heading) if unicodedata.category(letter) != "Cf")
    return " ".join(seen.casefold().split())


class _Names:
    """Numbers for headings; those that are the same when folded have the same one, and keep it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: dict[str, int] = {}
        self._folded: dict[str, int] = {"": _NONE}

    def number(self, heading: str) -> int:
        """The number of a heading, a new one where needed; -1 for one of which nothing can be seen."""
        found = self._written.get(heading)
        if found is None:
            with self._lock:
                found = self._folded.setdefault(folded(heading), len(self._folded))
                self._written[heading] = found
        return found

    def find(self, heading: str) -> int | None:
        """The number of a heading; None where the index has none of that name."""
        return self._folded.get(folded(heading))


@dataclass(frozen=True, kw_only=True)
class HeadingChains:
    """All sections of an index by ascending section_id, and for each its heading and its parent.

    `headings` and `numbered` are numbers of names, -1 for none; the second is that of the heading with its `[n]` where
    equal siblings have one. `parents` are row numbers; a section without parent is its own.
    """

    names: _Names
    versions: dict[int, str] = field(default_factory=dict)
    sections: NDArray[np.int64]
    headings: NDArray[np.int32]
    numbered: NDArray[np.int32]
    parents: NDArray[np.int64]

    def below(self, run: Sequence[str]) -> NDArray[np.int64]:
        """The section_ids, ascending, in whose heading path these headings stand one below the other."""
        rooted = self.parents == np.arange(len(self.parents))
        passing = np.zeros(len(self.sections), dtype=bool)
        for place, heading in enumerate(run):
            number = self.names.find(heading)
            if number is None or number == _NONE:
                return self.sections[:0]
            equal = (self.headings == number) | (self.numbered == number)
            passing = equal & passing[self.parents] & ~rooted if place else equal
        while True:  # once for each level of headings
            wider = passing | passing[self.parents]
            if np.array_equal(wider, passing):
                return self.sections[passing]
            passing = wider


_SECTIONS = """
    SELECT section_id, parent, CASE WHEN level > 0 THEN heading ELSE '' END AS heading,
           CASE WHEN level > 0 AND heading_path <> heading AND NOT ends_with(heading_path, ' > ' || heading)
                THEN heading || regexp_extract(heading_path, '\\[[0-9]+\\]$') ELSE NULL END AS numbered
    FROM sections WHERE note_id IN (SELECT unnest(?::INTEGER[])) ORDER BY section_id
"""
_chains: weakref.WeakKeyDictionary[Database, tuple[int, HeadingChains]] = weakref.WeakKeyDictionary()
_refreshing = threading.Lock()


def heading_chains(database: Database) -> HeadingChains:
    """The headings as the index holds them now; only notes that changed since the last call are read again."""
    with _refreshing:
        known, chains = _chains.get(database) or (-1, _built(_Names(), {}, []))
        if known != database.generation:
            with database.snapshot() as generation:
                chains = _refreshed(database, chains)
            if generation is not None:  # None: a write is under way, and this state has no number yet
                _chains[database] = generation, chains
        return chains


def _refreshed(database: Database, old: HeadingChains) -> HeadingChains:
    versions: dict[int, str] = dict(database.query("SELECT note_id, version FROM notes"))
    stale = [note for note, version in versions.items() if old.versions.get(note) != version]
    gone = [note for note, version in old.versions.items() if versions.get(note) != version]
    if not stale and not gone:
        return old
    new = _built(old.names, versions, database.query(_SECTIONS, [stale]) if stale else [])
    return _joined(old, np.isin(old.sections >> ORDINAL_BITS, gone, invert=True), new) if len(old.sections) else new


def _built(names: _Names, versions: dict[int, str], rows: Sequence[tuple[Any, ...]]) -> HeadingChains:
    headings = [names.number(row[2]) for row in rows]
    return HeadingChains(
        names=names,
        versions=versions,
        sections=np.array([row[0] for row in rows], dtype=np.int64),
        headings=np.array(headings, dtype=np.int32),
        numbered=np.array(
            [own if row[3] is None else names.number(row[3]) for row, own in zip(rows, headings, strict=True)],
            dtype=np.int32,
        ),
        # the rows of a note stand together, one for each ordinal
        parents=np.array(
            [place if row[1] is None else place - (row[0] & _ORDINAL) + row[1] for place, row in enumerate(rows)],
            dtype=np.int64,
        ),
    )


def _joined(old: HeadingChains, keep: NDArray[np.bool_], new: HeadingChains) -> HeadingChains:
    """The kept rows of the old chains, and those of the new ones, in order."""
    sections = np.concatenate((old.sections[keep], new.sections))
    order = np.argsort(sections, kind="stable")
    # how far before a row its parent stands does not change when rows of other notes come and go
    back = [(np.arange(len(chains.parents)) - chains.parents) for chains in (old, new)]
    distance = np.concatenate((back[0][keep], back[1]))[order]
    return HeadingChains(
        names=new.names,
        versions=new.versions,
        sections=sections[order],
        headings=np.concatenate((old.headings[keep], new.headings))[order],
        numbered=np.concatenate((old.numbered[keep], new.numbered))[order],
        parents=np.arange(len(order)) - distance,
    )
