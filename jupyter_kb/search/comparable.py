"""Values that a range can compare: numbers, and dates with or without a time of day."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal

from jupyter_kb.errors import InvalidRequestError

Comparable = tuple[Literal["number", "date"], int | float]
"""Kind and value; the value of a date is nanoseconds since 1970. Only two of one kind can be compared."""

DATE_HINT = "write a date as 2024-05-31, or as 2024-05-31T14:00:00Z with its offset from UTC"

_LONGEST = 40
_FIRST = "+-.0123456789"
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?(?:([Zz])|([-+])(\d\d):(\d\d))?)?", re.ASCII
)
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_LEAST, _MOST = -(2**63), 2**63 - 1


def comparable(text: str) -> Comparable | None:
    """What a text stands for: a number, a date (midnight UTC) or a date with a time (UTC without an offset).

    None for any other text. Texts of more than 40 characters are neither.
    """
    return _read(text) if text[:1] in _FIRST and 0 < len(text) <= _LONGEST else None


@lru_cache(maxsize=65_536)
def _read(text: str) -> Comparable | None:
    if _INTEGER.fullmatch(text):
        return "number", int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        return ("number", value) if abs(value) < float("inf") else None
    found = _DATE.fullmatch(text)
    moment = _nanoseconds(found) if found else None
    return None if moment is None else ("date", moment)


def instant(text: str, name: str) -> int:
    """A moment in nanoseconds since 1970, from RFC 3339 or `YYYY-MM-DD` (midnight UTC).

    Moments before 1677 or after 2262 become the nearest one that 64 bits can hold.

    Raises
    ------
    InvalidRequestError : anything else; the message begins with `name`.
    """
    found = _DATE.fullmatch(text.strip())
    moment = _nanoseconds(found) if found else None
    complete = found is not None and (found[2] is None or (len(found[2]) == 8 and bool(found[4] or found[5])))
    if moment is None or not complete:
        raise InvalidRequestError(f"{name}: '{text}' is not a date", hint=DATE_HINT)
    return min(max(moment, _LEAST), _MOST)


def _nanoseconds(found: re.Match[str]) -> int | None:
    """Since 1970; None for a day or time that the calendar does not have."""
    day, time, fraction, _, sign, hours, minutes = found.groups()
    if hours and (int(hours) > 23 or int(minutes) > 59):
        return None
    try:
        moment = datetime.fromisoformat(f"{day}T{time or '00:00'}")
    except ValueError:
        return None
    total = (moment - _EPOCH) // _MICROSECOND * 1000 + int((fraction or "0")[:9].ljust(9, "0"))
    if sign:
        total -= (1 if sign == "+" else -1) * (int(hours) * 60 + int(minutes)) * 60 * 10**9
    return total
