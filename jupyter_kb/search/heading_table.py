"""The tokens of all headings of an index, kept in memory between searches and brought up to date note by note."""

from __future__ import annotations

import bisect
import re
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database

_TOKEN = re.compile(r"[^\W_]+")


def tokens(text: str) -> list[str]:
    """Maximal runs of letters and digits, lower-cased."""
    return _TOKEN.findall(text.lower())


class Vocabulary:
    """Numbers for tokens; a token keeps its number. Searches may ask while a refresh adds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number: dict[str, int] = {}
        self._sorted: list[str] = []

    def __len__(self) -> int:
        return len(self._number)

    def add(self, words: Sequence[str]) -> list[int]:
        """Numbers for these tokens, new ones where needed."""
        number = self._number
        with self._lock:
            return [number.setdefault(word, len(number)) for word in words]

    def number(self, token: str) -> int:
        """The number of a token, -1 for one that no heading holds."""
        return self._number.get(token, -1)

    def matching(self, token: str) -> NDArray[np.bool_]:
        """Which tokens begin with this one, or are the beginning of it."""
        with self._lock:
            if len(self._sorted) != len(self._number):
                self._sorted = sorted(self._number)
            found = np.zeros(len(self._number), dtype=bool)
            start = bisect.bisect_left(self._sorted, token)
            end = bisect.bisect_right(self._sorted, token + "\U0010ffff")
            found[[self._number[word] for word in self._sorted[start:end]]] = True
            found[[self._number[part] for i in range(1, len(token)) if (part := token[:i]) in self._number]] = True
        return found


@dataclass(frozen=True, kw_only=True)
class HeadingTable:
    """Headings in columns, one row a section (preambles left out), rows without order.

    `words` holds the token numbers of all heading paths end to end; row i owns `words[starts[i]:starts[i + 1]]`, and
    the heading's own tokens are the `own[i]` that end `tail[i]` before its end (a path may go on with the number of
    `Name[2]`).
    """

    vocabulary: Vocabulary
    versions: dict[int, str] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    sections: NDArray[np.int64]
    notes: NDArray[np.int32]
    depths: NDArray[np.int64]
    paths: NDArray[Any]
    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    own: NDArray[np.int32]
    tail: NDArray[np.int32]

    def holding(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row, whether its heading path holds one of the chosen tokens."""
        # a sum over the whole, then differences: rows without a token come out as they should
        total = np.concatenate(([0], np.cumsum(chosen[self.words], dtype=np.int64)))
        return total[self.starts[1:]] > total[self.starts[:-1]]

    def path_tokens(self, row: int) -> list[int]:
        """Token numbers of a row's heading path."""
        found: list[int] = self.words[self.starts[row] : self.starts[row + 1]].tolist()
        return found

    def heading_tokens(self, row: int) -> list[int]:
        """Token numbers of a row's heading."""
        end = int(self.starts[row + 1] - self.tail[row])
        found: list[int] = self.words[end - int(self.own[row]) : end].tolist()
        return found


_SECTIONS = """
    SELECT section_id, note_id, heading, heading_path FROM sections
    WHERE level > 0 AND note_id IN (SELECT unnest(?::INTEGER[]))
"""
_tables: weakref.WeakKeyDictionary[Database, tuple[int, HeadingTable]] = weakref.WeakKeyDictionary()
_refreshing = threading.Lock()


def heading_table(database: Database) -> HeadingTable:
    """The headings as the index holds them now; only notes that changed since the last call are read again."""
    with _refreshing:
        generation, table = _tables.get(database) or (-1, _empty())
        if generation != database.generation:
            # the counter is read before the rows: a write in between only means one more refresh
            generation = database.generation
            with database.snapshot():
                table = _refreshed(database, table)
            _tables[database] = generation, table
        return table


def _empty() -> HeadingTable:
    return _built(Vocabulary(), {}, {}, [])


def _refreshed(database: Database, old: HeadingTable) -> HeadingTable:
    versions: dict[int, str] = {}
    files: dict[int, str] = {}
    for note, version, path in database.query("SELECT note_id, version, path FROM notes"):
        versions[note] = version
        files[note] = path
    stale = [note for note, version in versions.items() if old.versions.get(note) != version]
    rows = database.query(_SECTIONS, [stale]) if stale else []
    gone = {note for note, version in old.versions.items() if versions.get(note) != version}
    new = _built(old.vocabulary, versions, files, rows)
    if not len(old.sections) or len(gone) == len(old.versions):
        return new
    return _joined(old, np.isin(old.notes, list(gone), invert=True), new)


def _built(
    vocabulary: Vocabulary, versions: dict[int, str], files: dict[int, str], rows: Sequence[tuple[Any, ...]]
) -> HeadingTable:
    words: list[int] = []
    starts = [0]
    own: list[int] = []
    tail: list[int] = []
    for _, _, heading, path in rows:
        words += vocabulary.add(tokens(path))
        starts.append(len(words))
        own.append(len(tokens(heading)))
        tail.append(0 if path.endswith(heading) else 1)
    paths = np.empty(len(rows), dtype=object)
    paths[:] = [row[3] for row in rows]
    return HeadingTable(
        vocabulary=vocabulary,
        versions=versions,
        files=files,
        sections=np.array([row[0] for row in rows], dtype=np.int64),
        notes=np.array([row[1] for row in rows], dtype=np.int32),
        depths=np.array([path.count(" > ") for path in paths], dtype=np.int64),
        paths=paths,
        words=np.array(words, dtype=np.int32),
        starts=np.array(starts, dtype=np.int64),
        own=np.array(own, dtype=np.int32),
        tail=np.array(tail, dtype=np.int32),
    )


def _joined(old: HeadingTable, keep: NDArray[np.bool_], new: HeadingTable) -> HeadingTable:
    """The kept rows of the old table, then those of the new one."""
    lengths = np.concatenate((np.diff(old.starts)[keep], np.diff(new.starts)))
    return HeadingTable(
        vocabulary=new.vocabulary,
        versions=new.versions,
        files=new.files,
        sections=np.concatenate((old.sections[keep], new.sections)),
        notes=np.concatenate((old.notes[keep], new.notes)),
        depths=np.concatenate((old.depths[keep], new.depths)),
        paths=np.concatenate((old.paths[keep], new.paths)),
        words=np.concatenate((old.words[np.repeat(keep, np.diff(old.starts))], new.words)),
        starts=np.concatenate(([0], np.cumsum(lengths))),
        own=np.concatenate((old.own[keep], new.own)),
        tail=np.concatenate((old.tail[keep], new.tail)),
    )
