"""What a filter asks of a note's front matter, checked and ready to be compared with its values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import ge, gt, le, lt
from typing import Any

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index.notes import scalar_text
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.nearest import near
from jupyter_kb.search.comparable import Comparable, comparable

MOST_FIELDS = 20
"""Fields of one filter."""
MOST_VALUES = 500
"""Values of one field."""
MOST_LISTED = 30
"""Fields that an error lists."""
EMPTY = frozenset({"null", "", "[]", "{}"})
"""Texts of values that count as no value: nothing behind the colon, empty text, an empty list or mapping."""

TITLE = "title"
"""The field that is the note's title, wherever that comes from."""

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"gte": ge, "gt": gt, "lte": le, "lt": lt}
OPERATORS = ("any_of", "all_of", *_COMPARISONS, "exists")
"""What an object may hold that stands for a condition."""
_FORMS = "give a value, a list of values (any of them), or an object with any_of, all_of, gte, gt, lte, lt or exists"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What must hold for one field; exactly one of the four is given.

    Values are texts as the table `properties` holds them: several where the field is a list.
    """

    field: str
    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    bounds: tuple[tuple[str, Comparable], ...] = ()
    exists: bool | None = None

    def passes(self, values: Collection[str]) -> bool:
        """Whether a note passes whose field has these values."""
        if self.exists is not None:
            return self.exists == any(value not in EMPTY for value in values)
        if self.bounds:
            return any(map(self.within, values))
        if self.all_of:
            return all(value in values for value in self.all_of)
        return any(value in values for value in self.any_of)

    def holds(self, title: str, properties: Iterable[tuple[str, str]]) -> bool:
        """Whether a note passes that has this title, and these fields with their values."""
        if self.field == TITLE:
            return self.passes((title,))
        below = f"{self.field}." if self.exists is not None else None
        return self.passes(
            {value for name, value in properties if name == self.field or (below and name.startswith(below))}
        )

    def within(self, value: str) -> bool:
        """Whether one value lies in the range asked for; text lies in none, and numbers in no range of dates."""
        found = comparable(value)
        return found is not None and all(
            kind == found[0] and _COMPARISONS[operator](found[1], bound) for operator, (kind, bound) in self.bounds
        )


def conditions(front_matter: Mapping[str, Any]) -> list[Condition]:
    """The conditions of `Filters.front_matter`.

    Raises
    ------
    InvalidRequestError : a condition that makes no sense; names the field and what to write instead.
    """
    if len(front_matter) > MOST_FIELDS:
        raise InvalidRequestError(f"a filter has at most {MOST_FIELDS} front-matter fields, not {len(front_matter)}")
    return [_condition(field, asked) for field, asked in front_matter.items()]


def _condition(field: str, asked: Any) -> Condition:
    name = readable(field)
    if not name.strip():
        raise InvalidRequestError("a filter has a field without a name", hint="fields are named as in front matter")
    if isinstance(asked, Mapping):
        return _operators(name, asked)
    if isinstance(asked, list | tuple):
        return Condition(field=name, any_of=_texts(name, "the list", asked))
    return Condition(field=name, any_of=(_text(name, asked),))


def _operators(field: str, asked: Mapping[str, Any]) -> Condition:
    unknown = [name for name in asked if name not in OPERATORS]
    if not asked:
        raise InvalidRequestError(f"filter '{field}': the object is empty", hint=_FORMS)
    if unknown:
        raise InvalidRequestError(
            f"filter '{field}': unknown operator '{readable(str(unknown[0]))}'",
            hint=f"the operators are {', '.join(OPERATORS)}; a nested value is asked for with dots: "
            f"'{field}.{readable(str(unknown[0]))}'",
        )
    sets = [name for name in ("any_of", "all_of") if name in asked]
    ranges = [name for name in _COMPARISONS if name in asked]
    if len(sets) == 2:
        raise InvalidRequestError(
            f"filter '{field}': any_of and all_of exclude each other", hint="keep one of the two for this field"
        )
    if sets and ranges:
        raise InvalidRequestError(
            f"filter '{field}': {sets[0]} and {ranges[0]} exclude each other",
            hint="ask for certain values or for a range, not for both in one field",
        )
    if "exists" in asked:
        if len(asked) > 1:
            raise InvalidRequestError(
                f"filter '{field}': exists stands alone", hint="the other operators only pass where the field exists"
            )
        if not isinstance(asked["exists"], bool):
            raise InvalidRequestError(f"filter '{field}': exists is true or false")
        return Condition(field=field, exists=asked["exists"])
    if sets:
        values = asked[sets[0]]
        if not isinstance(values, list | tuple):
            raise InvalidRequestError(
                f"filter '{field}': {sets[0]} is a list", hint=f'write {{"{sets[0]}": ["one", "two"]}}'
            )
        texts = _texts(field, sets[0], values)
        return Condition(field=field, any_of=texts) if sets[0] == "any_of" else Condition(field=field, all_of=texts)
    return Condition(field=field, bounds=_bounds(field, {name: asked[name] for name in ranges}))


def _bounds(field: str, asked: Mapping[str, Any]) -> tuple[tuple[str, Comparable], ...]:
    found = []
    for operator, value in asked.items():
        bound = None if isinstance(value, bool) else comparable(_text(field, value))
        if bound is None:
            raise InvalidRequestError(
                f"filter '{field}': {operator} needs a number or a date, not {_shown(value)}",
                hint="write a date as 2024-05-31 or 2024-05-31T14:00:00Z",
            )
        found.append((operator, bound))
    if len({kind for _, (kind, _) in found}) > 1:
        raise InvalidRequestError(
            f"filter '{field}': a range lies between two numbers or two dates, not between one of each"
        )
    return tuple(found)


def _texts(field: str, what: str, values: Sequence[Any]) -> tuple[str, ...]:
    if not values:
        raise InvalidRequestError(
            f"filter '{field}': {what} is empty", hint='leave the field out, or ask for {"exists": true}'
        )
    if len(values) > MOST_VALUES:
        raise InvalidRequestError(f"filter '{field}': at most {MOST_VALUES} values, not {len(values)}")
    return tuple(dict.fromkeys(_text(field, value) for value in values))


def _text(field: str, value: Any) -> str:
    """A value as the table `properties` spells it."""
    if value is None:
        raise InvalidRequestError(
            f"filter '{field}': null is no value", hint='{"exists": false} finds notes without a value there'
        )
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str | int | float):
        raise InvalidRequestError(
            f"filter '{field}': a value is text, a number, true or false, not {_shown(value)}", hint=_FORMS
        )
    return readable(scalar_text(value))


def _shown(value: Any) -> str:
    names = {dict: "an object", list: "a list", tuple: "a list", bool: str(value).lower(), type(None): "null"}
    return names.get(type(value), f"'{readable(str(value))[:100]}'")


def unknown_field(field: str, fields: Iterable[str]) -> InvalidRequestError:
    """The error for a field that no note has. `fields`: those that exist, the most frequent first."""
    there = [name for name in fields if name != TITLE]
    listed = [*there[: MOST_LISTED - 1], TITLE]
    alike = near(field, [*there, TITLE])
    meant = f"did you mean {' or '.join(map(repr, alike))}? " if alike else ""
    more = ", …" if len(there) >= len(listed) else ""
    return InvalidRequestError(
        f"filter '{field}': no note has this front-matter field",
        hint=f"{meant}the fields are {', '.join(listed)}{more}",
        fields=listed,
        suggestions=alike,
    )
