"""What there is to filter by: tags, folders and front matter, each with the number of notes that have it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from jupyter_kb.models import Facets, FolderCount, PropertyCount, TagCount, ValueCount

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database

MOST = 1_000
"""Tags and folders in one answer."""
MOST_PROPERTIES = 100
MOST_VALUES = 20
LONGEST = 200
"""Characters; a longer value is a text and nothing to choose from."""

_TAGS = "SELECT DISTINCT note_id, tag, tag_key FROM tags"
_PATHS = "SELECT path FROM notes"
_FIELDS = "SELECT field, count(DISTINCT note_id) FROM properties GROUP BY field"
_VALUES = f"""
    SELECT field, value, count(DISTINCT note_id) FROM properties
    WHERE length(value) <= {LONGEST} AND field IN (SELECT unnest(?::VARCHAR[])) GROUP BY field, value
"""
_LONG = f"""
    SELECT field, count(DISTINCT value) FROM properties
    WHERE length(value) > {LONGEST} AND field IN (SELECT unnest(?::VARCHAR[]))
      AND NOT starts_with(value, '[') AND NOT starts_with(value, '{{')
    GROUP BY field
"""


def facets(database: Database) -> Facets:
    """All of them, as far as they fit."""
    with database.snapshot():
        paths = [path for (path,) in database.query(_PATHS)]
        tags = _tags(database)
        properties = Counter(dict(database.query(_FIELDS)))
        shown = _first(properties, MOST_PROPERTIES)
        values = _values(database, [name for name, _ in shown])
        long = dict(database.query(_LONG, [[name for name, _ in shown]]))
    folders = Counter(folder for path in paths for folder in _above(path))
    return Facets(
        notes=len(paths),
        tags=tuple(TagCount(name=name, count=count) for name, count in _first(tags, MOST)),
        folders=tuple(FolderCount(path=path, count=count) for path, count in _first(folders, MOST)),
        properties=tuple(
            PropertyCount(
                name=name,
                count=count,
                values=tuple(ValueCount(value=value, count=held) for value, held in _first(values[name], MOST_VALUES)),
                more_values=max(0, len(values[name]) - MOST_VALUES) + long.get(name, 0),
            )
            for name, count in shown
        ),
        more_tags=max(0, len(tags) - MOST),
        more_folders=max(0, len(folders) - MOST),
        more_properties=max(0, len(properties) - MOST_PROPERTIES),
    )


def _tags(database: Database) -> Counter[str]:
    """Notes by tag, nested ones included, under the spelling that most notes use."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    notes: defaultdict[str, set[int]] = defaultdict(set)
    for note_id, tag, key in database.query(_TAGS):
        spellings[key][tag] += 1
        for outer in _outer(key):
            notes[outer].add(note_id)
    return Counter({_first(spelled, 1)[0][0]: len(notes[key]) for key, spelled in spellings.items()})


def _outer(key: str) -> list[str]:
    parts = key.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _above(path: str) -> list[str]:
    return _outer(path.rpartition("/")[0]) if "/" in path else []


def _values(database: Database, names: list[str]) -> defaultdict[str, Counter[str]]:
    """Of each property its scalars with the number of notes that have them."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for field, value, count in database.query(_VALUES, [names]):
        if not _is_container(value):
            found[field][value] = count
    return found


def _is_container(value: str) -> bool:
    """Whether this is the whole of a list or mapping, which the index keeps beside its items."""
    if value[:1] not in ("[", "{"):
        return False
    try:
        json.loads(value)
    except ValueError:
        return False  # a text, such as a link
    return True


def _first(counted: Counter[str], most: int) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
