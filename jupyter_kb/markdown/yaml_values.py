"""YAML as values that JSON can hold, built from the parser's events: no tag is obeyed, and size and depth are bounded.

Scalars follow YAML 1.2's core schema, as note editors read them (`no` and `12:30` are text); dates become ISO 8601
strings.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from typing import Any

import yaml

# Aliases count with all that they stand for, so that ten lines cannot mean a billion values.
MAX_VALUES = 100_000
MAX_DEPTH = 64

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DATE = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)")
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?"
    r"(?:[ \t]*(Z|([-+])(\d\d?)(?::?(\d\d))?))?"
)
_CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str) -> dict[str, Any]:
    """A YAML mapping as JSON-ready values.

    Raises
    ------
    yaml.YAMLError : not YAML.
    ValueError : not a mapping, nested deeper than 64, or more than 100,000 values with aliases counted in full.
    """
    builder = _Builder()
    for event in yaml.parse(text, Loader=_Loader):
        builder.take(event)
    value = builder.root
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("front matter is not a mapping of fields to values")
    return value


class _Builder:
    """Values from YAML's events, on a stack of its own: depth and size are bounded, and no tag is ever obeyed."""

    def __init__(self) -> None:
        self.root: Any = None
        self._stack: list[tuple[Any, str | None, int]] = []
        self._keys: list[Any] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._count += 1
            self._add(_scalar(event), event.anchor, 1)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if len(self._stack) >= MAX_DEPTH:
                raise ValueError(f"front matter is nested deeper than {MAX_DEPTH} levels")
            value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
            self._stack.append((value, event.anchor, self._count))
            self._keys.append(_NO_KEY)
            self._count += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            value, anchor, before = self._stack.pop()
            self._keys.pop()
            self._add(value, anchor, self._count - before)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise ValueError(f"alias '{event.anchor}' stands before or inside its own value")
            value, size = self._anchors[event.anchor]
            self._count += size
            self._add(value, None, size)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise ValueError("front matter holds more than one YAML document")
        if self._count > MAX_VALUES:
            raise ValueError(f"front matter stands for more than {MAX_VALUES} values")

    def _add(self, value: Any, anchor: str | None, size: int) -> None:
        if anchor:
            self._anchors[anchor] = (value, size)
        if not self._stack:
            self.root = value
            return
        container = self._stack[-1][0]
        if isinstance(container, list):
            container.append(value)
        elif self._keys[-1] is _NO_KEY:
            self._keys[-1] = value if isinstance(value, _Merge) else _key(value)
        else:
            key, self._keys[-1] = self._keys[-1], _NO_KEY
            if isinstance(key, _Merge):
                self._merge(container, value)
            else:
                container[key] = value

    @staticmethod
    def _merge(container: dict[str, Any], value: Any) -> None:
        for source in value if isinstance(value, list) else [value]:
            if isinstance(source, dict):
                for key, item in source.items():
                    container.setdefault(key, item)


class _Merge(str):
    """The plain scalar `<<` where a key stands."""


_NO_KEY: Any = object()


def _key(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ValueError("a field's name must be text, not a list or a mapping (quote it if it begins with '{' or '[')")


def _scalar(event: Any) -> Any:
    text: str = event.value
    if event.tag is not None or not event.implicit[0]:
        return _tagged(event.tag, text)
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    first = text[0]
    if first in "-+.0123456789":
        return _number_or_date(text)
    return _Merge(text) if text == "<<" else text


def _tagged(tag: str | None, text: str) -> Any:
    if tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        return _number_or_date(text)
    if tag == "tag:yaml.org,2002:null":
        return None
    if tag == "tag:yaml.org,2002:bool":
        return _CONSTANTS.get(text, text)
    return text


def _number_or_date(text: str) -> Any:
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else text
    if _DATE.fullmatch(text) or _TIMESTAMP.fullmatch(text):
        return _iso(text)
    return text


def _integer(text: str) -> int | str:
    # JSON numbers and database columns hold 64 bits; anything longer is an identifier, not a quantity.
    if len(text) > 24:
        return text
    value = int(text, 8 if text.startswith("0o") else 16 if text.startswith("0x") else 10)
    return value if -(2**63) <= value < 2**63 else text


def _iso(text: str) -> str:
    """A YAML date or timestamp as ISO 8601; one that is not in the calendar stays as it is written."""
    try:
        if found := _DATE.fullmatch(text):
            year, month, day = map(int, found.groups())
            return date(year, month, day).isoformat()
        found = _TIMESTAMP.fullmatch(text)
        assert found
        year, month, day, hour, minute, second = map(int, found.groups()[:6])
        micros = int((found[7] or "0")[:6].ljust(6, "0"))
        moment = datetime(year, month, day, hour, minute, second, micros)
    except ValueError:
        return text
    zone = "" if not found[8] else "Z" if found[8] == "Z" else f"{found[9]}{int(found[10]):02}:{found[11] or '00'}"
    return moment.isoformat() + zone
