"""What a tool is: a function whose annotated parameters give its JSON schema and the reading of arguments."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jupyter_kb.errors import KBError

Payload = dict[str, Any]

_NAMES = {str: "string", int: "integer", bool: "boolean"}


class InvalidArgumentError(Exception):
    """An argument is missing, unknown or of a wrong type; the text names it and says what is expected."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a model reads about a parameter, as metadata in `Annotated`.

    `schema` replaces the derived type, `minimum` is checked too. `also`: what models call it elsewhere; not taken for
    it, but answered with its name.
    """

    text: str = ""
    minimum: int | None = None
    schema: Mapping[str, Any] | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a tool; `kind` is the bare type, without `None` and annotations."""

    name: str
    kind: Any
    required: bool
    default: Any
    shown: Shown

    def schema(self) -> Payload:
        """Its JSON schema, self-contained and short."""
        schema: Payload = dict(self.shown.schema) if self.shown.schema is not None else _schema(self.kind)
        if self.shown.minimum:
            schema["minimum"] = self.shown.minimum
        if self.shown.text:
            schema["description"] = self.shown.text
        if self.default not in (None, "", (), {}) and not self.required:
            schema["default"] = self.default
        return schema


def _schema(kind: Any) -> Payload:
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return {"type": "array", "items": _schema(inner[0])}
    if origin is dict:
        return {"type": "object"}
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_schema(part) for part in inner]}
    raise TypeError(f"no schema for {kind!r}")


# ── reading arguments ───────────────────────────────────────────────────────────────────────────


def _wanted(kind: Any) -> str:
    if typing.get_origin(kind) is Literal:
        return "one of " + ", ".join(repr(value) for value in typing.get_args(kind))
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return " or ".join(_wanted(part) for part in typing.get_args(kind))
    return {
        str: "a string",
        int: "a whole number",
        bool: "true or false",
        tuple: "an array",
        dict: "an object",
    }[typing.get_origin(kind) or kind]


def _exact(kind: Any, value: Any) -> Any:
    """The value as `kind` where it is of that JSON type already; raises ValueError otherwise."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        if isinstance(value, str) and value in inner:
            return value
    elif origin is tuple:
        if isinstance(value, list):
            return tuple(_exact(inner[0], item) for item in value)
    elif origin is dict:
        if isinstance(value, dict):
            return value
    elif origin in (types.UnionType, typing.Union):
        for part in inner:
            try:
                return _exact(part, value)
            except ValueError:
                continue
    elif kind is int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(value, kind):
        return value
    raise ValueError


def _forgiving(kind: Any, value: Any) -> Any:
    """The value as `kind`, also where a model wrote it in another form that leaves no doubt about its meaning."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(value, str) and origin in (types.UnionType, typing.Union) and value.lstrip().startswith("["):
        with contextlib.suppress(ValueError):  # an array that was written as a string, or else a plain string
            return _exact(kind, json.loads(value))
    with contextlib.suppress(ValueError):
        return _exact(kind, value)
    if isinstance(value, str) and kind is not str:
        text = value.strip()
        if origin is Literal and text.lower() in inner:
            return text.lower()
        if kind is bool and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind is int:
            return int(text)
        if origin in (tuple, dict) and text[:1] in ("[", "{"):
            return _exact(kind, json.loads(text))
        if origin is tuple and inner[0] is str:
            return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is bool and value in (0, 1):
        return bool(value)
    if kind is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if origin is tuple and not isinstance(value, list):
        return (_exact(inner[0], value),)
    raise ValueError


def read_arguments(
    parameters: Iterable[Parameter], arguments: Mapping[str, Any], *, strict: bool = False
) -> dict[str, Any]:
    """The values for a function's parameters; those left out, or null, are left to its defaults.

    Raises
    ------
    InvalidArgumentError : one is missing, of a wrong type or out of range.
    """
    take = _exact if strict else _forgiving
    values: dict[str, Any] = {}
    for parameter in parameters:
        given = arguments.get(parameter.name)
        if given is None:
            if parameter.required:
                raise InvalidArgumentError(f"missing argument {parameter.name!r}: {_wanted(parameter.kind)}")
            continue
        try:
            value = take(parameter.kind, given)
        except (ValueError, RecursionError):
            raise InvalidArgumentError(f"argument {parameter.name!r} must be {_wanted(parameter.kind)}") from None
        minimum = parameter.shown.minimum
        if minimum is not None and value < minimum:
            raise InvalidArgumentError(f"argument {parameter.name!r} must be at least {minimum}")
        values[parameter.name] = value
    return values


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keyword-only parameters of a function, from its annotations."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = []
    for name, declared in inspect.signature(function).parameters.items():
        if declared.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        kind: Any = hints[name]
        shown: Any = Shown()
        if typing.get_origin(kind) is typing.Annotated:
            kind, shown = typing.get_args(kind)[:2]
        parameters.append(
            Parameter(
                name=name,
                kind=_without_none(kind),
                required=declared.default is inspect.Parameter.empty,
                default=declared.default,
                shown=shown if isinstance(shown, Shown) else Shown(text=shown),
            )
        )
    return tuple(parameters)


def _without_none(kind: Any) -> Any:
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        parts = [part for part in typing.get_args(kind) if part is not type(None)]
        return parts[0] if len(parts) == 1 else typing.Union[tuple(parts)]  # noqa: UP007 - built at run time
    return kind


# ── tools ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool of a toolset.

    `strict` takes arguments of exactly the declared type and ignores unknown ones; otherwise obvious slips are
    forgiven and unknown arguments are refused where the tool writes (`writes`), reported in the answer where it
    only reads."""

    name: str
    description: str
    function: Callable[..., Payload]
    parameters: tuple[Parameter, ...]
    output: Payload
    writes: bool = False
    destructive: bool = False
    idempotent: bool = False
    strict: bool = False

    def input_schema(self) -> Payload:
        """JSON schema of the arguments."""
        schema: Payload = {
            "type": "object",
            "properties": {parameter.name: parameter.schema() for parameter in self.parameters},
        }
        required = [parameter.name for parameter in self.parameters if parameter.required]
        return schema | ({"required": required} if required else {})

    def read(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Arguments for the function, and the names of those that it does not know.

        Raises
        ------
        InvalidArgumentError : one is missing, of a wrong type or out of range, or unknown to a tool that writes.
        """
        known = sorted(parameter.name for parameter in self.parameters)
        ignored = [name for name in arguments if name not in known]
        for name in [] if self.strict else ignored:
            meant = self._meant(name, known)
            if meant is not None and meant not in arguments:  # ignoring it would answer another question than was asked
                raise InvalidArgumentError(f"unknown argument {name!r}: did you mean {meant!r}?")
            if self.writes:
                raise InvalidArgumentError(f"unknown argument {name!r}: {self.name} takes {', '.join(known)}")
        return read_arguments(self.parameters, arguments, strict=self.strict), ignored

    def _meant(self, name: str, known: list[str]) -> str | None:
        """The one parameter that an unknown name can only mean; None where it may mean several or none."""
        for parameter in self.parameters:
            if name in parameter.shown.also:
                return parameter.name
        words = set(name.split("_"))
        alike = [other for other in known if words < set(other.split("_")) or words > set(other.split("_"))]
        if len(alike) == 1:
            return alike[0]
        return next(iter(difflib.get_close_matches(name, known, 1)), None)


@dataclass(frozen=True, kw_only=True)
class Toolset:
    """The outermost layer over a vault: names, parameters, payloads and, in `failure`, what an error looks like."""

    name: str
    instructions: str
    tools: tuple[Tool, ...]
    failure: Callable[[KBError], Payload]


def tool(
    description: str,
    *,
    output: Payload,
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    strict: bool = False,
) -> Callable[[Callable[..., Payload]], Tool]:
    """Make a tool of a function: its first parameter is the session, every other one (keyword-only) an argument."""

    def build(function: Callable[..., Payload]) -> Tool:
        return Tool(
            name=function.__name__,
            description=" ".join(description.split()),
            function=function,
            parameters=parameters_of(function),
            output=output,
            writes=writes,
            destructive=destructive,
            idempotent=idempotent,
            strict=strict,
        )

    return build
