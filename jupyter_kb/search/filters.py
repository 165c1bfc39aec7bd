"""Filters of a search as conditions on notes. Values of a request are parameters, never part of the SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_kb.index.links import fold
from jupyter_kb.index.notes import container_text, scalar_text
from jupyter_kb.search.globs import path_matcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database
    from jupyter_kb.models import Filters

_TAG = "note_id IN (SELECT note_id FROM tags WHERE tag_key = ? OR starts_with(tag_key, ?))"
_FIELD = "note_id IN (SELECT note_id FROM properties WHERE field = ? AND value = ?)"


def condition(filters: Filters) -> tuple[str, list[Any]]:
    """What tags and front matter ask, as a condition on the table `notes` with its parameters; `TRUE` for nothing."""
    parts: list[str] = []
    parameters: list[Any] = []
    for tag in filters.tags:
        key = fold(tag.strip().lstrip("#").rstrip("/"))
        parts.append(_TAG)
        parameters += [key, f"{key}/"]
    for field, value in filters.front_matter.items():
        if isinstance(value, tuple):
            value = list(value)
        parts.append(_FIELD)
        parameters += [field, (container_text if isinstance(value, dict | list) else scalar_text)(value)]
    return " AND ".join(parts) or "TRUE", parameters


def matching_notes(database: Database, filters: Filters) -> NDArray[np.int64] | None:
    """The note_ids that pass; None when nothing is asked, so that all do.

    Raises
    ------
    InvalidRequestError : the path is a glob that makes no sense.
    """
    if not (filters.path or filters.tags or filters.front_matter):
        return None
    where, parameters = condition(filters)
    rows = database.query(f"SELECT note_id, path FROM notes WHERE {where}", parameters)
    passes = path_matcher(filters.path) if filters.path else None
    return np.array([note_id for note_id, path in rows if passes is None or passes(path)], dtype=np.int64)
