"""Values as JSON and back: what REST writes and the client reads, errors included."""

from __future__ import annotations

import dataclasses
import difflib
import http
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from jupyter_kb import errors
from jupyter_kb.errors import InvalidRequestError, KBError

__all__ = ["decode", "dump", "encode", "error_body", "error_from", "load", "schema", "schemas"]

Direction = Literal["validation", "serialization"]

_REFERENCE = "#/components/schemas/{model}"


# ── values ──────────────────────────────────────────────────────────────────────────────────────


def dump(value: Any) -> Any:
    """A value as JSON has it: dataclasses as objects with every field, tuples as arrays."""
    if dataclasses.is_dataclass(value):
        kind: Any = type(value)
        return {name: dump(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, list | tuple):
        return [dump(item) for item in value]
    if isinstance(value, Mapping):
        return {key: dump(item) for key, item in value.items()}
    return value


def load(kind: Any, data: Any, *, ignore_unknown: bool = False) -> Any:
    """The value of type `kind` that `dump` made `data` of; fields that have a default may be left out.

    Nothing is guessed: `"3"` is no number. `ignore_unknown` passes over fields that a newer version may have added.

    Raises
    ------
    InvalidRequestError : a field is unknown, missing or of a wrong type; the message names it.
    """
    hidden = False
    try:
        try:
            text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except UnicodeEncodeError:
            hidden = True
            text = json.dumps(_mapped(data, _hide), ensure_ascii=False, allow_nan=False).encode()
        (value,) = _adapter(kind, ignore_unknown).validate_json(b"[%b]" % text, strict=True)
    except ValidationError as error:
        raise _invalid(kind, data, error) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequestError(f"this is not a value that JSON can hold: {error}") from None
    return _mapped(value, _show) if hidden else value


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _adapter(kind: Any, ignore_unknown: bool) -> TypeAdapter[Any]:
    # a dataclass takes no settings from here, but inherits those of a tuple around it
    return TypeAdapter(tuple[kind], config=ConfigDict(extra="ignore" if ignore_unknown else "forbid"))


# ── bytes ───────────────────────────────────────────────────────────────────────────────────────


def encode(value: Any) -> bytes:
    r"""A JSON-ready value as bytes. Bytes of notes that are no UTF-8 (lone surrogates) are written as `\udcXX`."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """The inverse of `encode`.

    Raises
    ------
    InvalidRequestError : not JSON in UTF-8, or nested too deeply.
    """
    try:
        return json.loads(data.decode(), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise InvalidRequestError(f"this is not JSON in UTF-8: byte {error.start} belongs to no character") from None
    except RecursionError:
        raise InvalidRequestError("this JSON is nested too deeply") from None
    except ValueError as error:
        raise InvalidRequestError(f"this is not JSON: {error}") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON's")


# pydantic takes no lone surrogates, so each travels through it as this character and its number
_MARK = "\U0010ffff"
_UNTAKEN = re.compile(f"[{_MARK}\ud800-\udfff]")
_MARKED = re.compile(_MARK + "([0-9a-f]{6})")


def _hide(text: str) -> str:
    return _UNTAKEN.sub(lambda found: f"{_MARK}{ord(found[0]):06x}", text)


def _show(text: str) -> str:
    return _MARKED.sub(lambda found: chr(int(found[1], 16)), text)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {_mapped(key, change): _mapped(item, change) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value, **{name: _mapped(getattr(value, name), change) for name in _names(type(value))}
        )
    return value


# ── what is wrong with a value ──────────────────────────────────────────────────────────────────


_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")


def _invalid(kind: Any, data: Any, error: ValidationError) -> InvalidRequestError:
    place, found = max(
        ((_place(data, found["loc"][1:]), found) for found in error.errors(include_url=False, include_input=False)),
        # of the parts of a union the one that came furthest, and a wrong name before the right one that is missing
        key=lambda pair: (len(pair[0]), pair[1]["type"] in _UNKNOWN),
    )
    name = ".".join(map(str, place))
    if found["type"] in _UNKNOWN:
        known = sorted(_fields_at(kind, place[:-1]))
        near = difflib.get_close_matches(str(place[-1]), known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}" if known else None
        return InvalidRequestError(f"there is no field '{name}'", hint=hint, field=name)
    if found["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return InvalidRequestError(f"the field '{name}' is missing", field=name)
    wanted = found["msg"].replace("Input should be", "must be", 1)
    if found["type"] == "dataclass_type":
        wanted = "must be an object"
    elif found["type"] == "json_invalid":
        wanted = "is nested too deeply"
    return InvalidRequestError(f"'{name}' {wanted}" if name else f"the value {wanted}", field=name)


def _place(data: Any, location: Iterable[Any]) -> list[Any]:
    """Where pydantic found an error, without the names of the types that it tried there."""
    place: list[Any] = []
    parts = list(location)
    for number, part in enumerate(parts):
        if isinstance(data, list | tuple | dict) and part in (data if isinstance(data, dict) else range(len(data))):
            data = data[part]
        elif not (isinstance(data, dict) and number == len(parts) - 1):
            continue  # not a key: the name of a type
        place.append(part)
    return place


def _fields_at(kind: Any, place: Sequence[Any]) -> set[str]:
    """The fields of all dataclasses that may stand at a place of a value."""
    kinds = [kind]
    for part in (*place, None):
        kinds = [inner for outer in kinds for inner in _without_unions(outer)]
        if part is None:
            break
        kinds = [inner for outer in kinds for inner in _inside(outer, part)]
    return {field.name for found in kinds if dataclasses.is_dataclass(found) for field in dataclasses.fields(found)}


def _without_unions(kind: Any) -> list[Any]:
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return [inner for part in typing.get_args(kind) for inner in _without_unions(part)]
    return [kind]


def _inside(kind: Any, part: Any) -> list[Any]:
    if dataclasses.is_dataclass(kind):
        hint = typing.get_type_hints(kind).get(part)
        return [] if hint is None else [hint]
    return [inner for inner in typing.get_args(kind) if inner is not Ellipsis]


# ── schemas ─────────────────────────────────────────────────────────────────────────────────────


class _Schemas(GenerateJsonSchema):
    def field_is_required(self, field: Any, total: bool) -> bool:
        """An answer has every field; a request may leave out those with a default."""
        return self.mode == "serialization" or super().field_is_required(field, total)

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never: a title that repeats the field's name says nothing."""
        return False


def schemas(wanted: Iterable[tuple[Any, Direction]]) -> tuple[dict[tuple[Any, Direction], Any], dict[str, Any]]:
    """JSON schemas of types, by type and direction, and the definitions that their references point to.

    A request is for validation, an answer a serialization, in which every field is there.
    """
    pairs = list(dict.fromkeys(wanted))
    inputs = [(str(number), mode, TypeAdapter(kind)) for number, (kind, mode) in enumerate(pairs)]
    found, definitions = TypeAdapter.json_schemas(
        typing.cast(Any, inputs), ref_template=_REFERENCE, schema_generator=_Schemas
    )
    by_pair = {pairs[int(str(number))]: entry for (number, _), entry in found.items()}
    return by_pair, definitions.get("$defs", {})


def schema(kind: Any, direction: Direction = "serialization") -> dict[str, Any]:
    """The JSON schema of one type, with references to `#/components/schemas/…`; `$defs` holds what they point to."""
    found, definitions = schemas([(kind, direction)])
    return {**found[kind, direction], "$defs": definitions}


# ── errors ──────────────────────────────────────────────────────────────────────────────────────


def error_body(error: KBError) -> dict[str, Any]:
    """An error as JSON. `reason` is HTTP's phrase for its status, as Jupyter's own errors have it."""
    try:
        reason = http.HTTPStatus(error.status).phrase
    except ValueError:
        reason = "Error"
    return {
        "message": error.message,
        "reason": reason,
        "code": error.code,
        "hint": error.hint,
        "details": dump(error.details),
    }


def error_from(body: Any, status: int) -> KBError:
    """The error that `error_body` made this of; of another server's answer a KBError with its message and status."""
    fields = body if isinstance(body, dict) else {}
    code, hint, details = fields.get("code"), fields.get("hint"), fields.get("details")
    kind = _by_code().get(code) if isinstance(code, str) else None
    text = fields.get("message") or fields.get("reason")
    error = (kind or KBError)(
        text if isinstance(text, str) else f"the server answered with status {status}",
        hint=hint if isinstance(hint, str) else None,
    )
    error.details = details if isinstance(details, dict) else {}
    if error.status != status:
        vars(error)["status"] = status
    if kind is None and isinstance(code, str):
        vars(error)["code"] = code
    return error


@cache
def _by_code() -> dict[str, type[KBError]]:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, KBError)]
    return {kind.code: kind for kind in found}
