"""Conditions on front matter as people write them, `year>=2020`, and the filter that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from jupyter_kb.errors import InvalidRequestError

FORMS = "FIELD=VALUE, FIELD=ONE|OTHER, FIELD>=VALUE (or > <= <), FIELD (has a value) or !FIELD (has none)"

_CONDITION = re.compile(r"([^=<>]*)(==|=>|=<|>=|<=|<>|=|>|<)(.*)", re.DOTALL)
_RANGES = {">=": "gte", ">": "gt", "<=": "lte", "<": "lt"}
_BAR = re.compile(r"(?<!\\)\|")
# What YAML would take for more than a scalar, or for a comment.
_INDICATORS = "!&*|>%@`{[#"


def front_matter(conditions: Iterable[str]) -> dict[str, Any]:
    """The conditions as the value of `Filters.front_matter`; several on one field hold together.

    Raises
    ------
    InvalidRequestError : a condition that is none, or two that do not go together.
    """
    asked: dict[str, dict[str, Any]] = {}
    for condition in conditions:
        field, operator, value = _parsed(condition)
        known = asked.setdefault(field, {})
        if operator == "all_of" and operator in known:
            known[operator] += value
        elif operator in known and known[operator] != value:
            raise _wrong(f"'{field}' has the same kind of condition twice")
        else:
            known[operator] = value
    return {field: _together(field, operators) for field, operators in asked.items()}


def _parsed(condition: str) -> tuple[str, str, Any]:
    """Field, operator and value of one condition."""
    found = _CONDITION.fullmatch(condition)
    if found is None:
        missing = condition.startswith("!")
        return _name(condition[missing:], condition), "exists", not missing
    name, sign, text = found.groups()
    if name.startswith("!") or name.endswith("!") or sign not in ("=", *_RANGES):
        raise _wrong(f"'{condition}' has no such comparison; there are {FORMS}")
    field = _name(name, condition)
    if sign in _RANGES:
        return field, _RANGES[sign], _bound(text, condition)
    values = [_scalar(part.replace(r"\|", "|"), condition) for part in _BAR.split(text)]
    return field, "any_of" if len(values) > 1 else "all_of", values


def _name(text: str, condition: str) -> str:
    if not text.strip():
        raise _wrong(f"'{condition}' names no field; write {FORMS}")
    return text.strip()


def _together(field: str, operators: dict[str, Any]) -> Any:
    """The conditions on one field as one."""
    if len(operators) > 1 and operators.get("exists"):
        del operators["exists"]  # the others say so too
    names = set(operators)
    if len(names) > 1 and not names <= set(_RANGES.values()):
        raise _wrong(f"the conditions on '{field}' exclude each other: ask for values, for a range or for `!{field}`")
    if "any_of" in operators:
        return operators["any_of"]
    if len(operators.get("all_of", ())) == 1:
        return operators["all_of"][0]
    return operators


def _bound(text: str, condition: str) -> Any:
    from jupyter_kb.search.comparable import comparable

    value = _scalar(text, condition)
    if isinstance(value, bool) or comparable(str(value)) is None:
        raise _wrong(f"'{condition}' compares with neither a number nor a date (2024-05-31)")
    return value


def _scalar(written: str, condition: str) -> Any:
    """A scalar as a note's front matter is read; what is none there is taken as the text it is."""
    import yaml

    from jupyter_kb.markdown.yaml_values import parse_yaml

    text: Any = written.strip()
    if text and text[0] not in _INDICATORS and (text[0] in "'\"" or "#" not in text):
        try:
            values: Sequence[Any] = list(parse_yaml(f"value: {text}").values())
        except (yaml.YAMLError, ValueError):
            return text
        if len(values) == 1 and not isinstance(values[0], dict | list):
            text = values[0]
    if text is None or text == "":
        raise _wrong(f"'{condition}' has no value; `!FIELD` finds notes without one")
    return text


def _wrong(message: str) -> InvalidRequestError:
    return InvalidRequestError(message)
