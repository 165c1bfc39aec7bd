"""Paths by pattern: what the `path` of a filter lets through."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from jupyter_kb.errors import InvalidRequestError

_GLOB = re.compile(r"[*?\[]")
_PART = re.compile(r"(?P<any>/?\*\*/?)|(?P<some>\*)|(?P<one>\?)|\[(?P<set>!?\]?[^\]]*)\]|(?P<plain>.)", re.DOTALL)


def path_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for vault-relative paths.

    With `*`, `?` or `[` in it the pattern is a glob over the whole path: `*` and `?` stay within a folder, `**` does
    not; without a `/` it is matched against the file's name alone. Otherwise any path that holds the text passes,
    whatever its case.

    Raises
    ------
    InvalidRequestError : a set of characters in `[]` that makes no sense, such as `[z-a]`.
    """
    if not _GLOB.search(pattern):
        wanted = pattern.casefold()
        return lambda path: wanted in path.casefold()
    matches = _compiled(pattern)
    if "/" in pattern:
        return lambda path: matches(path) is not None
    return lambda path: matches(path.rpartition("/")[2]) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Callable[[str], re.Match[str] | None]:
    translated = "".join(map(_translated, _PART.finditer(pattern.removeprefix("/"))))
    try:
        return re.compile(translated, re.DOTALL).fullmatch
    except re.error as error:
        raise InvalidRequestError(f"'{pattern}' is not a glob: {error.msg}") from None


def _translated(part: re.Match[str]) -> str:
    if part["any"]:
        left = "/" if part["any"].startswith("/") else ""
        return f"{left}(?:.*/)?" if part["any"].endswith("/") else f"{left}.*"
    if part["some"]:
        return "[^/]*"
    if part["one"]:
        return "[^/]"
    if part["set"]:
        negated = part["set"].startswith("!")
        inner = part["set"][negated:].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
        return f"[{'^/' if negated else ''}{inner}]"
    return re.escape(part[0])
