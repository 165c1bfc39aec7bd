"""Where notes are named without being linked: found in the index roughly, and in the notes on disk exactly.

A name that is a common word stands in thousands of notes, and reading those takes seconds. So a question takes a
bounded time, and the next one about the same note goes on where it ended.
"""

from __future__ import annotations

import re
import threading
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jupyter_kb.errors import KBError
from jupyter_kb.graph.catalog import Catalog
from jupyter_kb.graph.rows import indexed_note
from jupyter_kb.index.terms import UNSPACED
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.prose import occurrences
from jupyter_kb.models import ByteRange, Mention, MentionPage, Provenance

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.vault.vault import Vault

SECONDS = 0.2
"""How long one question looks through notes."""
SHORTEST = 3
"""Characters of a name that is looked for; two where it is of a script without spaces, each of which says more."""

_UNSPACED = re.compile(f"[{UNSPACED}]")
# a letter or digit with which a word would go on; those of scripts without spaces end every word
_LETTER = rf"[^\W{UNSPACED}]"
_BOUNDS = rf"(?<!{_LETTER})", rf"(?!{_LETTER})"
# the same for DuckDB, whose expressions look at no neighbours
_ROUGH = (rf"(?:^|[^\pL\pN_]|[{UNSPACED}])", rf"(?:$|[^\pL\pN_]|[{UNSPACED}])")
# most places are links already, and need not be looked at
_LINKS = r"\[\[[^\[\]\n]*\]\]|\]\([^()\s]*\)"
_HOLDERS = """
    SELECT path FROM notes
    WHERE note_id <> $note AND note_id IN (
        SELECT note_id FROM sections
        WHERE regexp_matches(text, $names) AND regexp_matches(regexp_replace(text, $links, '[]', 'g'), $names)
    )
    ORDER BY mtime_ns DESC, path
"""


class Mentions:
    """Answers for one vault; remembers how far the last question came. Safe to use from several threads."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._asking = threading.Lock()
        self._last: tuple[tuple[int | None, str], _Search] | None = None

    def of(self, file: str, *, limit: int = 50, offset: int = 0, seconds: float = SECONDS) -> MentionPage:
        """A page of the places in other notes where this note's title or an alias stands in prose (`prose.py`).

        In any case of letters, as whole words except in scripts without spaces, of two names at one place the longer.
        Notes edited last come first.

        Raises
        ------
        NoteNotFoundError : the note is not in the index.
        """
        begun = time.monotonic()
        with self._asking:
            search = self._search(file)
            while not search.done:
                search.step()
                if time.monotonic() - begun > seconds:
                    break
            return MentionPage(
                mentions=tuple(search.found[offset : offset + limit]), total=len(search.found), more=not search.done
            )

    def _search(self, file: str) -> _Search:
        with self._database.snapshot() as generation:
            key = generation, file
            if generation is None or self._last is None or self._last[0] != key:
                note = indexed_note(Catalog(self._database), file)
                names = [*self._database.query(_TITLE, [note.note_id]), *self._database.query(_ALIASES, [note.note_id])]
                self._last = key, self._begun(note.note_id, worth_finding(name for (name,) in names))
        return self._last[1]

    def _begun(self, note_id: int, names: list[str]) -> _Search:
        if not names:
            return _Search(self._vault, [], re.compile(r"(?!)"))
        rough = "(?i)" + "|".join(_whole(name, *_ROUGH) for name in names)
        holders = self._database.query(_HOLDERS, {"note": note_id, "names": rough, "links": _LINKS})
        return _Search(self._vault, [path for (path,) in holders], pattern(names))


_TITLE = "SELECT title FROM notes WHERE note_id = ?"
_ALIASES = "SELECT alias FROM aliases WHERE note_id = ?"


class _Search:
    """Looks through one note after the other."""

    def __init__(self, vault: Vault, files: list[str], names: re.Pattern[str]) -> None:
        self._vault = vault
        self._files = iter(files)
        self._names = names
        self.found: list[Mention] = []
        self._next = next(self._files, None)

    @property
    def done(self) -> bool:
        """Whether no note is left."""
        return self._next is None

    def step(self) -> None:
        """Look through the next note; one that cannot be read any more names nothing."""
        file, self._next = self._next, next(self._files, None)
        if file is None:
            return
        try:
            document = parse(self._vault.read(file, suggest=False))
        except KBError:
            return
        self.found += _mentions(file, document, self._names)


def worth_finding(names: Iterable[str]) -> list[str]:
    """Those long enough to say something, each once, the longest first."""
    kept = {
        name.lower(): name for name in map(str.strip, names) if len(name) >= (2 if _UNSPACED.search(name) else SHORTEST)
    }
    return sorted(kept.values(), key=lambda name: (-len(name), name))


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Finds these names, the first that fits, as whole words."""
    return re.compile("|".join(map(_whole, names)), re.IGNORECASE)


def _whole(name: str, before: str = _BOUNDS[0], behind: str = _BOUNDS[1]) -> str:
    """An expression for a name; what must stand before and behind it counts where words are written with spaces."""
    begin = "" if _UNSPACED.match(name[0]) else before
    end = "" if _UNSPACED.match(name[-1]) else behind
    return begin + re.escape(name) + end


def _mentions(file: str, document: Document, names: re.Pattern[str]) -> Iterator[Mention]:
    body, places = document.body, document.places
    line_starts = document.blocks.line_starts
    for start, end in occurrences(body, document.blocks, names):
        begin = line_starts[bisect_right(line_starts, start) - 1]
        stop = body.find("\n", end)
        place = ByteRange(
            start=places.byte(start), end=places.byte(end - 1) + len(body[end - 1].encode("utf-8", "surrogateescape"))
        )
        section = document.sections[places.section(place.start)]
        yield Mention(
            source=Provenance(
                file=file,
                heading_path=section.heading_path,
                byte_range=section.byte_range,
                line_range=section.line_range,
                content_hash=section.content_hash,
            ),
            line=places.line(place.start),
            context=readable(body[begin : stop if stop >= 0 else len(body)]),
            text=readable(body[start:end]),
            span=(start - begin, end - begin),
            byte_range=place,
        )
