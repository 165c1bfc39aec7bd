"""What a route's function asks for, read from a request: query parameters as their types, headers, the body."""

from __future__ import annotations

import difflib
import math
import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from jupyter_kb import wire
from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.rest.route import Parameter, Request, Route

_NUMBER = re.compile(r"[-+]?[0-9.]{1,20}(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
"""Python takes more for a number: spaces around it, underscores in it, digits of every script."""
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def read(route: Route, request: Request) -> dict[str, Any]:
    """The values for the keyword parameters of a route's function; those that are left out keep their defaults.

    Raises
    ------
    InvalidRequestError : a query parameter is unknown, missing, given twice or of a wrong type, or the body is.
    """
    queried = [parameter for parameter in route.parameters if parameter.source == "query"]
    _refuse_unknown(queried, request.query)
    values: dict[str, Any] = {}
    for parameter in route.parameters:
        if parameter.source == "actor":
            values[parameter.name] = request.actor
        elif parameter.source == "header":
            if (header := request.headers.get(parameter.shown)) is not None:
                values[parameter.name] = header
        elif parameter.source == "body":
            values[parameter.name] = wire.load(parameter.kind, wire.decode(request.body or b"{}"))
        elif texts := request.query.get(parameter.shown):
            values[parameter.name] = _value(parameter, texts)
        elif parameter.required:
            raise InvalidRequestError(
                f"the query parameter '{parameter.shown}' is missing: {wanted(parameter.kind)}", field=parameter.shown
            )
    return values


def _refuse_unknown(parameters: Sequence[Parameter], query: Mapping[str, Sequence[str]]) -> None:
    known = [parameter.shown for parameter in parameters]
    for name in query:
        # Jupyter's own: its token, and the time that its front end adds to get past caches
        if name in known or name == "token" or name.isdecimal():
            continue
        near = difflib.get_close_matches(name, known, 1)
        takes = f"this address takes {', '.join(known)}" if known else "this address takes none"
        raise InvalidRequestError(
            f"there is no query parameter '{name[:100]}'",
            hint=f"did you mean '{near[0]}'?" if near else takes,
            field=name[:100],
        )


def _value(parameter: Parameter, texts: Sequence[str]) -> Any:
    kind = parameter.kind
    if typing.get_origin(kind) is tuple:
        item = typing.get_args(kind)[0]
        return tuple(_single(parameter, item, text) for text in texts)
    if len(texts) > 1:
        raise InvalidRequestError(f"the query parameter '{parameter.shown}' is given twice", field=parameter.shown)
    return _single(parameter, kind, texts[0])


def _single(parameter: Parameter, kind: Any, text: str) -> Any:
    try:
        value = _converted(kind, text)
    except (ValueError, KeyError):
        raise InvalidRequestError(
            f"the query parameter '{parameter.shown}' must be {wanted(kind)}", field=parameter.shown
        ) from None
    least, most = parameter.given.minimum, parameter.given.maximum
    if kind in (int, float) and not least <= value <= most:
        raise InvalidRequestError(
            f"the query parameter '{parameter.shown}' must be from {least} to {most}", field=parameter.shown
        )
    return value


def _converted(kind: Any, text: str) -> Any:
    if typing.get_origin(kind) is Literal:
        if text not in typing.get_args(kind):
            raise ValueError
        return text
    if kind is bool:
        return _BOOLEANS[text.lower()]
    if kind in (int, float) and not _NUMBER.fullmatch(text):
        raise ValueError
    if kind is int:
        return int(text)
    if kind is float:
        number = float(text)
        if not math.isfinite(number):
            raise ValueError
        return number
    return text


def wanted(kind: Any) -> str:
    """What a value of this type looks like, in words."""
    if typing.get_origin(kind) is Literal:
        return "one of " + ", ".join(typing.get_args(kind))
    if typing.get_origin(kind) is tuple:
        return wanted(typing.get_args(kind)[0]) + ", any number of times"
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "a text")
