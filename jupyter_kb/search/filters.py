"""Filters of a search as conditions on notes. Values of a request are parameters, never part of the SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index.links import fold
from jupyter_kb.index.notes import container_text, scalar_text
from jupyter_kb.search.globs import path_matcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.models import Filters

MOST_CONDITIONS = 50
"""Tags and fields of one filter."""

_TAG = "SELECT DISTINCT note_id FROM tags WHERE tag_key = ? OR starts_with(tag_key, ?)"
_FIELD = "SELECT DISTINCT note_id FROM properties WHERE field = ? AND value = ?"


def conditions(filters: Filters) -> list[tuple[str, list[str]]]:
    """What tags and front matter ask: queries for the notes that have each, with their parameters.

    Raises
    ------
    InvalidRequestError : an empty tag, or too many conditions.
    """
    if len(filters.tags) + len(filters.front_matter) > MOST_CONDITIONS:
        raise InvalidRequestError(f"a filter has at most {MOST_CONDITIONS} tags and fields")
    asked = []
    for tag in dict.fromkeys(filters.tags):
        key = fold(tag.strip().lstrip("#").rstrip("/"))
        if not key:
            raise InvalidRequestError("a tag to filter by is empty")
        asked.append((_TAG, [key, f"{key}/"]))
    for field, value in filters.front_matter.items():
        if isinstance(value, tuple):
            value = list(value)
        text = (container_text if isinstance(value, dict | list) else scalar_text)(value)
        asked.append((_FIELD, [field, text]))
    return asked


def matching_notes(database: Database, filters: Filters) -> NDArray[np.int64] | None:
    """The note_ids that pass, ascending; None when nothing is asked, so that all do.

    Raises
    ------
    InvalidRequestError : the path is a glob that makes no sense, a tag is empty, or there are too many conditions.
    """
    if not (filters.path or filters.tags or filters.front_matter):
        return None
    passes = path_matcher(filters.path) if filters.path else None
    asked = conditions(filters)
    rows = database.query("SELECT note_id, path FROM notes ORDER BY note_id")
    notes = np.array([note_id for note_id, path in rows if passes is None or passes(path)], dtype=np.int64)
    for sql, parameters in asked:
        notes = notes[np.isin(notes, database.columns(sql, parameters)["note_id"])]
    return notes
