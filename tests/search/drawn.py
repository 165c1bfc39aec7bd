"""Small vaults and filters at random, and by hand what passes: the plain reading that the index must agree with."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import Filters
from tests.index.vaults import IndexedVault

# ── vaults ──────────────────────────────────────────────────────────────────────────────────────

_FIELDS = ("a", "b", "a.b", "title", "c")
_DAYS = ("2024-01-02", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05+05:00", "2023-12-31T23:00:00", "2024-02-30")
_TEXTS = ("x", "X", "7", "7.0", "-1.5e3", "", "it's", "%", "日本", *_DAYS)
_NUMBERS = (7, -1, 7.0, 0.5, 2**53, 2**53 + 1)
SCALARS = st.sampled_from((*_TEXTS, *_NUMBERS, True, False))
_VALUES = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("b", "c")), inner, max_size=2),
    max_leaves=4,
)
_HEADINGS = ("A", "a", "B", "A > B", "Stra\u00dfe", "STRASSE", "A\u200b", "\ufeffB  B", "B B", "é", "e\u0301", "\u00ad")
_NAMES = ("a", "B", "b/c", "b/d", "Z/a", "é")


@dataclass(frozen=True, kw_only=True)
class Note:
    """A note to be written; `mtime` in nanoseconds."""

    front_matter: dict[str, Any] | None
    body: str
    mtime: int


def _body(lines: list[tuple[int, str]]) -> str:
    return "\n\n".join(f"{'#' * level} {text}" if level else f"words {text}" for level, text in lines) + "\n"


NOTES = st.builds(
    Note,
    front_matter=st.none() | st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=3),
    body=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(_HEADINGS)), max_size=6).map(_body),
    mtime=st.sampled_from((0, 1_704_067_200 * 10**9 - 1, 1_704_067_200 * 10**9, 1_800_000_000 * 10**9)),
)
VAULTS = st.dictionaries(st.sampled_from([f"{name}.md" for name in _NAMES]), NOTES, max_size=5)


@contextmanager
def written(notes: dict[str, Note]) -> Iterator[IndexedVault]:
    """A vault of these notes, indexed in two steps, so that rows do not happen to stand in any order."""
    with TemporaryDirectory() as folder:
        vault = IndexedVault(Path(folder))
        try:
            vault.write(dict.fromkeys(list(notes)[1::2], "---\na: x\n---\n# A\n\n# B\n"))
            vault.indexer.scan()
            for key, note in notes.items():
                block = ""
                if note.front_matter is not None:
                    fields = (f"{name}: {json.dumps(value)}\n" for name, value in note.front_matter.items())
                    block = f"---\n{''.join(fields)}---\n"
                vault.write({key: block + note.body})
                os.utime(vault.root / key, ns=(note.mtime, note.mtime))
            vault.indexer.scan()
            yield vault
        finally:
            vault.close()


# ── filters ─────────────────────────────────────────────────────────────────────────────────────

_BOUNDS = st.sampled_from((0, 7, 7.5, "7", "-2", 2**53 + 1))
_DATES = st.sampled_from(("2024-01-02", "2024-01-01T22:04:05Z", "2024-01-02T03:04:05+05:00"))
_CONDITIONS = (
    SCALARS
    | st.lists(SCALARS, min_size=1, max_size=3)
    | st.fixed_dictionaries({"any_of": st.lists(SCALARS, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"all_of": st.lists(SCALARS, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"exists": st.booleans()})
    | st.dictionaries(st.sampled_from(("gte", "gt", "lte", "lt")), _BOUNDS, min_size=1, max_size=2)
    | st.dictionaries(st.sampled_from(("gte", "gt", "lte", "lt")), _DATES, min_size=1, max_size=2)
)
FILTERS = st.builds(
    Filters,
    path=st.none() | st.sampled_from(("b", "É", "/", ".md", ("c", "É"))),
    front_matter=st.dictionaries(st.sampled_from(_FIELDS), _CONDITIONS, max_size=2),
    modified_after=st.none() | st.sampled_from(("2024-01-01", "1969-12-31T23:00:00-01:00")),
    modified_before=st.none() | st.sampled_from(("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000001+00:00")),
    heading_prefix=st.lists(st.sampled_from(_HEADINGS[:-1]), max_size=2).map(tuple),
)


# ── by hand ─────────────────────────────────────────────────────────────────────────────────────


def _several(paths: str | tuple[str, ...]) -> tuple[str, ...]:
    return paths if isinstance(paths, tuple) else (paths,)


def passing(documents: dict[str, Document], mtimes: dict[str, int], filters: Filters) -> dict[str, list[int]]:
    """For each note that passes, in byte order, the ordinals of its sections that do (0 for one without sections)."""
    found: dict[str, list[int]] = {}
    for key in sorted(documents, key=str.encode):
        document = documents[key]
        values = document.front_matter.values if document.front_matter else {}
        title = document.title(Path(key).stem)
        if not (
            (not filters.path or any(path.casefold() in key.casefold() for path in _several(filters.path)))
            and _in_time(mtimes[key], filters.modified_after, filters.modified_before)
            and all(_holds(values, title, field, asked) for field, asked in filters.front_matter.items())
        ):
            continue
        sections = [
            section.ordinal
            for section in document.sections
            if _under(document, section.ordinal, filters.heading_prefix)
        ]
        if not document.sections and not filters.heading_prefix:
            sections = [0]
        if sections:
            found[key] = sections
    return found


def unknown(documents: dict[str, Document], filters: Filters) -> set[str]:
    """The fields asked for that no note has."""
    values = [document.front_matter.values for document in documents.values() if document.front_matter]
    return {
        field
        for field in filters.front_matter
        if field != "title" and not any(_nodes(value, field) or _longer(value, field) for value in values)
    }


def read(vault: IndexedVault) -> tuple[dict[str, Document], dict[str, int]]:
    """All notes of a vault, parsed, and when they were modified."""
    files = {path.relative_to(vault.root).as_posix(): path for path in vault.root.rglob("*.md")}
    return (
        {key: parse(path.read_bytes()) for key, path in files.items()},
        {key: path.stat().st_mtime_ns for key, path in files.items()},
    )


def _nodes(value: Any, field: str) -> list[Any]:
    """What stands under a field: scalars and containers, the items of lists one by one."""
    found: list[Any] = []
    if isinstance(value, list):
        return [node for item in value for node in _nodes(item, field)]
    if not isinstance(value, dict):
        return found
    for name, inner in value.items():
        if name == field:
            found += _spread(inner)
        elif field.startswith(f"{name}."):
            found += _nodes(inner, field.removeprefix(f"{name}."))
    return found


def _longer(values: dict[str, Any], field: str) -> list[Any]:
    """What stands under names that themselves hold dots and go on behind the field."""
    return [node for name, inner in values.items() if name.startswith(f"{field}.") for node in _spread(inner)]


def _spread(value: Any) -> list[Any]:
    return [value, *(node for item in value for node in _spread(item))] if isinstance(value, list) else [value]


def _holds(values: dict[str, Any], title: str, field: str, asked: Any) -> bool:
    nodes = [title] if field == "title" else _nodes(values, field)
    if isinstance(asked, dict) and "exists" in asked:
        there = nodes if field == "title" else nodes + _longer(values, field)
        return bool(asked["exists"] == any(node not in (None, "", [], {}) for node in there))
    scalars = [node for node in nodes if not isinstance(node, list | dict)]
    if not isinstance(asked, dict):
        asked = {"any_of": asked if isinstance(asked, list) else [asked]}
    if "any_of" in asked:
        return any(_same(wanted, scalar) for wanted in asked["any_of"] for scalar in scalars)
    if "all_of" in asked:
        return all(any(_same(wanted, scalar) for scalar in scalars) for wanted in asked["all_of"])
    return any(_within(scalar, asked) for scalar in scalars)


def _same(left: Any, right: Any) -> bool:
    return _spelled(left) == _spelled(right)


def _spelled(value: Any) -> str:
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)


def _within(value: Any, asked: dict[str, Any]) -> bool:
    found = _ordered(value)
    for operator, bound in asked.items():
        wanted = _ordered(bound)
        if found is None or wanted is None or type(found) is not type(wanted):
            return False
        rises = found > wanted  # type: ignore[operator]
        if not {"gte": rises or found == wanted, "gt": rises}.get(operator, True):
            return False
        if not {"lte": not rises, "lt": not rises and found != wanted}.get(operator, True):
            return False
    return True


def _ordered(value: Any) -> Fraction | datetime | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        return Fraction(str(value))
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _in_time(mtime: int, after: str | None, before: str | None) -> bool:
    return (after is None or mtime >= _clock(after)) and (before is None or mtime < _clock(before))


def _clock(text: str) -> int:
    moments = {
        "1969-12-31T23:00:00-01:00": 0,
        "2024-01-01": 1_704_067_200 * 10**9,
        "2024-01-01T00:00:00Z": 1_704_067_200 * 10**9,
        "2024-01-01T00:00:00.000000001+00:00": 1_704_067_200 * 10**9 + 1,
    }
    return moments[text]


def _under(document: Document, ordinal: int, run: tuple[str, ...]) -> bool:
    chain: list[set[str]] = []
    walk: int | None = ordinal
    while walk is not None:
        section = document.sections[walk]
        if section.level:
            chain.insert(0, {_seen(section.heading), _seen(section.path[-1])})
        walk = section.parent
    wanted = [_seen(heading) for heading in run]
    return not wanted or any(
        all(name in names for name, names in zip(wanted, chain[start:], strict=False))
        for start in range(len(chain) - len(wanted) + 1)
    )


def _seen(heading: str) -> str:
    return " ".join("".join(c for c in heading if unicodedata.category(c) != "Cf").casefold().split())
