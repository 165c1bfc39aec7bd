"""Filters of a search: the notes and sections that pass. Values of a request are parameters, never part of the SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index.links import fold
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.nearest import near
from jupyter_kb.search.comparable import instant
from jupyter_kb.search.conditions import EMPTY, TITLE, Condition, conditions, unknown_field
from jupyter_kb.search.globs import folder_matcher, path_matcher
from jupyter_kb.search.heading_chains import folded, heading_chains

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.models import Filters

    Notes = NDArray[np.int64]

MOST_TAGS = 50
"""Tags of one filter."""
MOST_HEADINGS = 16
"""Headings of one filter."""

_TAG = "SELECT note_id FROM tags WHERE tag_key = ? OR starts_with(tag_key, ?)"
_TAGS = "SELECT DISTINCT tag, tag_key FROM tags ORDER BY tag_key, tag"
_VALUE = "SELECT note_id FROM properties WHERE field = ? AND value = ?"
_ANY = "SELECT note_id FROM properties WHERE field = ? AND value IN (SELECT unnest(?::VARCHAR[]))"
_ALL = """
    SELECT note_id FROM properties WHERE field = ? AND value IN (SELECT unnest(?::VARCHAR[]))
    GROUP BY note_id HAVING count(DISTINCT value) = ?
"""
_VALUES = "SELECT note_id, value FROM properties WHERE field = ?"
_FILLED = """
    SELECT note_id FROM properties
    WHERE (field = ? OR starts_with(field, ?)) AND value NOT IN (SELECT unnest(?::VARCHAR[]))
"""
_FIELD = "SELECT 1 FROM properties WHERE field = ? OR starts_with(field, ?) LIMIT 1"
_FIELDS = "SELECT field FROM properties GROUP BY field ORDER BY count(DISTINCT note_id) DESC, field"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What passes a filter.

    `notes`: note_ids, ascending. `sections`: section_ids, ascending, where the filter looks at sections; None where all
    sections of the notes pass.
    """

    notes: NDArray[np.int64]
    sections: NDArray[np.int64] | None = None

    def mask(self, section_ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these sections pass."""
        if self.sections is None:
            return _among(section_ids >> ORDINAL_BITS, self.notes)
        return _among(section_ids, self.sections)


def scope(database: Database, filters: Filters) -> Scope | None:
    """What passes; None when nothing is asked, so that all do.

    Raises
    ------
    InvalidRequestError : a condition that makes no sense, too many of them, or a front-matter field that no note has.
    """
    asked = conditions(filters.front_matter)
    tags, unwanted = tag_keys(filters.tags)
    after, before = moments(filters)
    run = heading_run(filters)
    passes = path_matcher(filters.path) if filters.path else None
    within = folder_matcher(filters.folders) if filters.folders else None
    moved = after is not None or before is not None
    if not (asked or tags or unwanted or passes or within or run or moved):
        return None
    notes = _in_time(database, after, before)
    if passes is not None:
        notes = _both(notes, _passing(database, "path", passes))
    if within is not None:
        notes = _both(notes, _passing(database, "path", within))
    for key in tags:
        notes = _both(notes, _tagged(database, key))
    for key in unwanted:
        notes = notes[~_among(notes, np.unique(_tagged(database, key)))]
    for condition in asked:
        notes = _both(notes, _holding(database, condition))
    if not run:
        return Scope(notes=notes)
    sections = heading_chains(database).below(run)
    sections = sections[_among(sections >> ORDINAL_BITS, notes)]
    return Scope(notes=np.unique(sections >> ORDINAL_BITS), sections=sections)


def matching_notes(database: Database, filters: Filters) -> NDArray[np.int64] | None:
    """The note_ids that pass, ascending; None when nothing is asked, so that all do.

    A note passes a filter for headings when one of its sections does.

    Raises
    ------
    InvalidRequestError : as for `scope`.
    """
    passing = scope(database, filters)
    return None if passing is None else passing.notes


def unknown_tags(database: Database, tags: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Of tags to filter by those that no note has, each with up to three near ones that notes have.

    Raises
    ------
    InvalidRequestError : an empty tag, or too many.
    """
    asked, _ = tag_keys(tags)
    there: dict[str, str] = {}  # as it is written, by what it is folded to; outer tags of nested ones too
    for tag, key in database.query(_TAGS) if asked else ():
        parts, names = key.split("/"), tag.split("/")
        for depth in range(1, len(parts) + 1):
            there.setdefault("/".join(parts[:depth]), "/".join(names[:depth]))
    return tuple((key, tuple(there[other] for other in near(key, there))) for key in asked if key not in there)


# ── what is asked ───────────────────────────────────────────────────────────────────────────────


def tag_keys(tags: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tags to filter by as the index folds them, each once: those that notes must have, and (`!tag`) must not have.

    Raises
    ------
    InvalidRequestError : an empty tag, or too many.
    """
    if len(tags) > MOST_TAGS:
        raise InvalidRequestError(f"a filter has at most {MOST_TAGS} tags, not {len(tags)}")
    keys: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for tag in map(str.strip, map(readable, tags)):
        name = fold(tag.removeprefix("!").lstrip("#").rstrip("/"))
        if not name:
            raise InvalidRequestError("a tag to filter by is empty")
        keys[tag.startswith("!")][name] = None
    return list(keys[False]), list(keys[True])


def moments(filters: Filters) -> tuple[int | None, int | None]:
    """From when on (inclusive) and until when (exclusive), in nanoseconds since 1970; None where it is not asked.

    Raises
    ------
    InvalidRequestError : not a date; says how to write one.
    """
    after = None if filters.modified_after is None else instant(filters.modified_after, "modified_after")
    before = None if filters.modified_before is None else instant(filters.modified_before, "modified_before")
    return after, before


def heading_run(filters: Filters) -> tuple[str, ...]:
    """The headings asked for.

    Raises
    ------
    InvalidRequestError : one of which nothing can be seen, or too many.
    """
    run = filters.heading_prefix
    if len(run) > MOST_HEADINGS:
        raise InvalidRequestError(f"heading_prefix has at most {MOST_HEADINGS} headings, not {len(run)}")
    if not all(map(folded, run)):
        raise InvalidRequestError(
            "heading_prefix has an empty heading", hint="name whole headings from the outer to the inner one"
        )
    return tuple(run)


# ── what passes ─────────────────────────────────────────────────────────────────────────────────


def _in_time(database: Database, after: int | None, before: int | None) -> Notes:
    """The notes modified in a stretch of time, ascending."""
    bounds = {">=": after, "<": before}
    asked = [(f"mtime_ns {comparison} ?", bound) for comparison, bound in bounds.items() if bound is not None]
    where = f"WHERE {' AND '.join(text for text, _ in asked)}" if asked else ""
    notes = database.columns(f"SELECT note_id FROM notes {where} ORDER BY note_id", [bound for _, bound in asked])
    return notes["note_id"].astype(np.int64)


def _tagged(database: Database, key: str) -> Notes:
    """The notes with a tag or one nested in it; in any order, and some perhaps twice."""
    return database.columns(_TAG, [key, f"{key}/"])["note_id"].astype(np.int64)


def _holding(database: Database, condition: Condition) -> Notes:
    """The notes that pass a condition; in any order, and some perhaps twice.

    Raises
    ------
    InvalidRequestError : no note has the field.
    """
    field, below = condition.field, f"{condition.field}."
    if field == TITLE:
        return _passing(database, "title", lambda title: condition.passes((title,)))
    if condition.exists is not None:
        found = database.columns(_FILLED, [field, below, sorted(EMPTY)])["note_id"]
        known = len(found) > 0
        if not condition.exists:
            everything = database.columns("SELECT note_id FROM notes")["note_id"]
            found = everything[np.isin(everything, found, invert=True)]
    elif condition.bounds:
        values = database.columns(_VALUES, [field])
        found = values["note_id"][np.fromiter(map(condition.within, values["value"].tolist()), dtype=bool)]
        known = len(values["value"]) > 0
    elif condition.all_of:
        found = database.columns(_ALL, [field, list(condition.all_of), len(condition.all_of)])["note_id"]
        known = len(found) > 0
    else:
        sql, wanted = (_VALUE, condition.any_of[0]) if len(condition.any_of) == 1 else (_ANY, list(condition.any_of))
        found = database.columns(sql, [field, wanted])["note_id"]
        known = len(found) > 0
    if not known and not database.query(_FIELD, [field, below]):
        raise unknown_field(field, (name for (name,) in database.query(_FIELDS)))
    return found.astype(np.int64)


def _passing(database: Database, column: Literal["path", "title"], passes: Callable[[str], bool]) -> Notes:
    """The notes whose path or title passes a test."""
    rows = database.columns(f"SELECT note_id, {column} FROM notes")
    found: Notes = rows["note_id"][np.fromiter(map(passes, rows[column].tolist()), dtype=bool)]
    return found


def _both(notes: Notes, others: Notes) -> Notes:
    return notes[_among(notes, np.unique(others))]


def _among(wanted: Notes, there: Notes) -> NDArray[np.bool_]:
    """Which numbers are among others that are in ascending order."""
    if not len(there):
        return np.zeros(len(wanted), dtype=bool)
    places = np.searchsorted(there, wanted)
    places[places == len(there)] = 0
    found: NDArray[np.bool_] = there[places] == wanted
    return found
