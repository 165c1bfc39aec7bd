"""Notes by name, for lists and quick switchers: by title, file name, alias or path, best first."""

from __future__ import annotations

import heapq
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_kb.events import IndexUpdated
from jupyter_kb.index.links import fold
from jupyter_kb.markdown.lines import readable
from jupyter_kb.models import NoteInfo, NotePage
from jupyter_kb.vault.paths import normalise

if TYPE_CHECKING:
    from jupyter_kb.events import Event, EventBus
    from jupyter_kb.index.database import Database

_MANY = 200
_MOST_WORDS = 16
_MOST_LETTERS = 64


@dataclass(frozen=True)
class _Entry:
    """A note and, folded, what it answers to.

    `names` are its title, file name and aliases, each between line feeds; `words` the same with all but letters and
    digits as single blanks.
    """

    note_id: int
    path: str
    title: str
    size: int
    modified: float
    path_key: str
    names: str
    words: str


_ENTRIES = r"""
    SELECT note_id, path, title, size, mtime_ns / 1e9, nfc_normalize(lower(path)) AS path_key,
           concat(chr(10), nfc_normalize(lower(title)), chr(10), stem_key, chr(10), keys, chr(10)) AS names,
           regexp_replace(names, '[^\p{L}\p{M}\p{N}]+', ' ', 'g')
    FROM notes
    LEFT JOIN (SELECT note_id, string_agg(alias_key, chr(10)) AS keys FROM aliases GROUP BY note_id) USING (note_id)
"""
_SOME = "WHERE path IN (SELECT unnest(?::VARCHAR[]))"


class Names:
    """The names of a vault's notes, kept in memory: a list of them is asked for at each key that is pressed.

    Safe to use from several threads.
    """

    def __init__(self, database: Database, events: EventBus) -> None:
        self._database = database
        self._reading = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._stale: set[str] | None = None  # paths of notes that changed; None: all
        events.subscribe(self._forget)

    def _forget(self, event: Event) -> None:
        """Read the names of changed notes anew when they are next asked for."""
        if isinstance(event, IndexUpdated):
            with self._reading:
                if self._stale is not None:
                    self._stale.update((*event.added, *event.changed, *event.removed))

    def notes(self, *, query: str = "", folder: str = "", limit: int = 50, offset: int = 0) -> NotePage:
        """A page of the notes below a folder, in order of their paths; with a query of those that answer, best first.

        A note answers where each word of the query is part of its title, file name, an alias or its path, in any case.
        A whole name comes before a beginning, that before the beginning of a word in it, that before any other place,
        names before paths, and short titles before long ones. Where no note answers, those do in one of whose names the
        letters of the query stand in this order.

        Raises
        ------
        InvalidPathError : the folder's path leads out of the vault.
        """
        prefix = "" if not folder.strip("/\\.") and ".." not in folder else normalise(folder) + "/"
        entries = self._known()
        if prefix:
            entries = [entry for entry in entries if entry.path.startswith(prefix)]
        words = fold(readable(query)).split()[:_MOST_WORDS]
        if words:
            ranked = _by_words(entries, words) or _by_letters(entries, "".join(words))
            entries = [entry for *_, entry in heapq.nsmallest(offset + limit, ranked, key=lambda found: found[:3])]
            total = len(ranked)
        else:
            total = len(entries)
        return NotePage(notes=self._shown(entries[offset : offset + limit]), total=total)

    def _known(self) -> list[_Entry]:
        """All notes, in order of their paths."""
        with self._reading:
            if self._stale is None or len(self._stale) > _MANY:
                rows = self._database.query(_ENTRIES)
                self._entries = {}
            elif self._stale:
                rows = self._database.query(_ENTRIES + _SOME, [list(self._stale)])
                self._entries = {path: entry for path, entry in self._entries.items() if path not in self._stale}
            else:
                return list(self._entries.values())
            self._entries |= {entry.path: entry for entry in (_Entry(*row) for row in rows)}
            self._entries = dict(sorted(self._entries.items()))
            self._stale = set()
            return list(self._entries.values())

    def _shown(self, entries: list[_Entry]) -> tuple[NoteInfo, ...]:
        ids = [entry.note_id for entry in entries]
        aliases, tags = self._lists("alias", "aliases", ids), self._lists("tag", "tags", ids)
        return tuple(
            NoteInfo(
                file=entry.path,
                title=entry.title,
                aliases=aliases.get(entry.note_id, ()),
                tags=tags.get(entry.note_id, ()),
                size=entry.size,
                modified=entry.modified,
            )
            for entry in entries
        )

    def _lists(self, column: str, table: str, ids: list[int]) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        if ids:
            rows = self._database.query(
                f"SELECT note_id, {column} FROM {table} WHERE note_id IN (SELECT unnest(?::INTEGER[])) ORDER BY rowid",
                [ids],
            )
            for note_id, value in rows:
                found[note_id] = (*found.get(note_id, ()), value)
        return found


_Ranked = list[tuple[int, int, str, _Entry]]


def _by_words(entries: list[_Entry], words: list[str]) -> _Ranked:
    """The entries that hold all words, each with its rank: how well it answers, length of the title, path."""
    for word in words:
        entries = [entry for entry in entries if word in entry.names or word in entry.path_key]
    query = " ".join(words)
    whole, first, begins = f"\n{query}\n", f"\n{query}", f" {query}"
    ranked = []
    for entry in entries:
        names = entry.names
        if query in names:
            rank = 0 if whole in names else 1 if first in names else 2 if begins in entry.words else 3
        else:
            rank = 4 if query in entry.path_key else 5
        ranked.append((rank, len(entry.title), entry.path, entry))
    return ranked


def _by_letters(entries: list[_Entry], letters: str) -> _Ranked:
    if len(letters) > _MOST_LETTERS:
        return []
    # each step goes to the next such letter and never back, so a name is read once
    steps = "".join(f"(?>[^\n{re.escape(letter)}]*+{re.escape(letter)})" for letter in letters)
    leads = re.compile("^" + steps, re.MULTILINE).search
    named = [entry for entry in entries if leads(entry.names)]
    found = named or [entry for entry in entries if leads(entry.path_key)]
    return [(0, len(entry.title), entry.path, entry) for entry in found]
