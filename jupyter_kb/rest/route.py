"""What a route is: a function whose annotated parameters say what is read from a request, and from where."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from jupyter_kb.models import VaultInfo
from jupyter_kb.operations import Operations

Right = Literal["read", "write"]
Source = Literal["query", "header", "body", "actor"]

T = TypeVar("T")

_MANY = (1 << 31) - 1


# ── what doors hand in and get back ─────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request as a door read it.

    `path` is what stands below `…/api/`, decoded (`vaults/lab/search`); header names are in lower case; `actor` is who
    asks, for the record of edits.
    """

    method: str
    path: str
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    actor: str = "local"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a door sends."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class Vaults(Protocol):
    """The vaults that a host offers. Both methods are called on worker threads."""

    def list(self) -> tuple[VaultInfo, ...]:
        """All of them, ready or not."""

    def get(self, name: str) -> Operations:
        """One of them; may block until it is open.

        Raises
        ------
        VaultNotFoundError : there is none of that name; `details["suggestions"]` holds near ones.
        """


# ── what a function declares ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class Reply(Generic[T]):
    """An answer with more than a value: `value` None with status 304 sends no body."""

    value: T | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Where a parameter comes from, and what a reader of the documentation learns about it (in `Annotated`).

    `name` is that of the query parameter or header where it is not the function's; numbers lie in `minimum` to
    `maximum`, both included.
    """

    text: str = ""
    source: Source = "query"
    name: str | None = None
    minimum: int = 0
    maximum: int = _MANY


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One keyword parameter of a route's function; `kind` is its type without `None` and annotations."""

    name: str
    shown: str
    kind: Any
    required: bool
    default: Any
    given: Given

    @property
    def source(self) -> Source:
        """Where its value is read."""
        return self.given.source


@dataclass(frozen=True, kw_only=True)
class Route:
    """One method of one address. `pattern` is like `vaults/{vault}/search`; `answer` the type of what it sends.

    `status` is that of its answer, `errors` are the status codes to expect besides those that every route may give.
    """

    method: str
    pattern: str
    right: Right
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    answer: Any
    summary: str
    description: str = ""
    errors: tuple[int, ...] = ()
    status: int = 200

    @property
    def name(self) -> str:
        """Its name in the API document."""
        return self.function.__name__

    def match(self, segments: Sequence[str]) -> dict[str, str] | None:
        """What the parts in braces stand for in a path of these segments; None where it is another path."""
        wanted = self.pattern.split("/")
        if len(wanted) != len(segments):
            return None
        values: dict[str, str] = {}
        for part, segment in zip(wanted, segments, strict=True):
            if part.startswith("{"):
                values[part[1:-1]] = segment
            elif part != segment:
                return None
        return values


def route(
    method: str, pattern: str, *, right: Right = "read", errors: Sequence[int] = (), status: int = 200
) -> Callable[[Callable[..., Any]], Route]:
    """Make a route of a function: its first parameter is the vault (or the vaults), every other one is keyword-only."""

    def build(function: Callable[..., Any]) -> Route:
        text = inspect.getdoc(function) or ""
        summary, _, description = text.partition("\n\n")
        hints = typing.get_type_hints(function, include_extras=True)
        answer = hints["return"]
        if typing.get_origin(answer) is Reply:
            (answer,) = typing.get_args(answer)
        return Route(
            method=method,
            pattern=pattern,
            right=right,
            function=function,
            parameters=_parameters(function, hints),
            answer=answer,
            summary=" ".join(summary.split()).rstrip("."),
            description=description,
            errors=tuple(errors),
            status=status,
        )

    return build


def _parameters(function: Callable[..., Any], hints: Mapping[str, Any]) -> tuple[Parameter, ...]:
    parameters = []
    for name, declared in inspect.signature(function).parameters.items():
        if declared.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        kind, given = hints[name], Given()
        if typing.get_origin(kind) is typing.Annotated:
            kind, note = typing.get_args(kind)[:2]
            given = note if isinstance(note, Given) else Given(text=note)
        parameters.append(
            Parameter(
                name=name,
                shown=given.name or name,
                kind=_without_none(kind),
                required=declared.default is inspect.Parameter.empty,
                default=declared.default,
                given=given,
            )
        )
    return tuple(parameters)


def _without_none(kind: Any) -> Any:
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        parts = [part for part in typing.get_args(kind) if part is not type(None)]
        return parts[0] if len(parts) == 1 else kind
    return kind
