"""Hypothesis strategies for the package's values, made from their types."""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from typing import Any, Literal

from hypothesis import strategies as st

# text as notes give it: any character, and bytes that are no UTF-8 as lone surrogates
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from([chr(0xDC00 + byte) for byte in range(0x80, 0x100)]),
    max_size=12,
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
_SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: st.integers(),
    float: NUMBERS,
    bool: st.booleans(),
    type(None): st.none(),
    Any: JSON,
}


@cache
def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type: of a dataclass with any values in its fields."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (types.UnionType, typing.Union):
        return st.one_of([values(part) for part in inner])
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(_later(inner[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, inner))
    if origin is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=3)
    assert dataclasses.is_dataclass(kind), kind
    hints = typing.get_type_hints(kind)
    fields = {field.name: _later(hints[field.name]) for field in dataclasses.fields(kind)}
    return st.builds(typing.cast(type, kind), **fields)


def _later(kind: Any) -> st.SearchStrategy[Any]:
    """The same, made when it is needed: a type may hold itself."""
    return st.deferred(lambda: values(kind))
