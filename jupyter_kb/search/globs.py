"""Paths by pattern: what the `path` of a filter lets through."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index.links import fold

LONGEST = 1_000
MOST_DEEP = 4
MOST_FOLDERS = 50
"""Folders of one filter."""

_GLOB = re.compile(r"[*?\[]")
_PART = re.compile(r"(?P<any>/?\*\*/?)|(?P<some>\*)|(?P<one>\?)|\[(?P<set>!?\]?[^\]]*)\]|(?P<plain>.)", re.DOTALL)


def path_matcher(pattern: str | tuple[str, ...]) -> Callable[[str], bool]:
    """A test for vault-relative paths; of several patterns any lets a path through.

    With `*`, `?` or `[` in it the pattern is a glob over the whole path: `*` and `?` stay within a folder, `**` does
    not; without a `/` it is matched against the file's name alone. Otherwise any path that holds the text passes,
    whatever its case.

    Raises
    ------
    InvalidRequestError : a set of characters in `[]` that makes no sense, such as `[z-a]`.
    """
    if isinstance(pattern, tuple):
        tests = [path_matcher(one) for one in pattern]
        return lambda path: any(passes(path) for passes in tests)
    if not _GLOB.search(pattern):
        wanted = pattern.casefold()
        return lambda path: wanted in path.casefold()
    matches = _compiled(pattern)
    if "/" in pattern:
        return lambda path: matches(path) is not None
    return lambda path: matches(path.rpartition("/")[2]) is not None


def folder_matcher(folders: Sequence[str]) -> Callable[[str], bool]:
    """A test for vault-relative paths: those in one of the folders or below it, and in none that `!` stands before.

    A folder is named by its path or the end of it, with `/` before it by its path alone; case makes no difference.

    Raises
    ------
    InvalidRequestError : a folder without a name, or too many of them.
    """
    if len(folders) > MOST_FOLDERS:
        raise InvalidRequestError(f"a filter has at most {MOST_FOLDERS} folders, not {len(folders)}")
    wanted, unwanted = (
        [_inside(folder.removeprefix("!")) for folder in folders if folder.startswith("!") is sign]
        for sign in (False, True)
    )

    def passes(path: str) -> bool:
        within = fold(f"//{path}")
        return (not wanted or any(part in within for part in wanted)) and not any(part in within for part in unwanted)

    return passes


def _inside(folder: str) -> str:
    """What the path of a note in a folder holds, when two strokes begin it."""
    name = fold(folder.strip("/"))
    if not name:
        raise InvalidRequestError("a folder to filter by has no name")
    return f"//{name}/" if folder.startswith("/") else f"/{name}/"


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Callable[[str], re.Match[str] | None]:
    if len(pattern) > LONGEST or pattern.count("**") > MOST_DEEP:
        raise InvalidRequestError(
            f"a path pattern has at most {LONGEST} characters and {MOST_DEEP} times '**'",
            hint="a shorter text without '*' finds all paths that hold it",
        )
    try:
        return re.compile(_expression(pattern.removeprefix("/")), re.DOTALL).fullmatch
    except re.error as error:
        raise InvalidRequestError(f"'{pattern}' is not a glob: {error.msg}") from None


def _expression(pattern: str) -> str:
    """The glob as a regular expression that takes time linear in a path but for each `**`.

    A `*` that another one follows takes the first place where what stands between them fits (an atomic group): within
    one folder no later place can serve better.
    """
    done, star, between = "", False, ""
    for part in _PART.finditer(pattern):
        if not (part["some"] or part["any"]):
            between += _translated(part)
            continue
        if star:  # before `**` a later place may be the right one after all
            done += f"(?>[^/]*?{between})" if part["some"] else f"[^/]*{between}"
        else:
            done += between
        star, between = bool(part["some"]), ""
        if part["any"]:
            done += _translated(part)
    return done + ("[^/]*" if star else "") + between


def _translated(part: re.Match[str]) -> str:
    if part["any"]:
        left = "/" if part["any"].startswith("/") else ""
        return f"{left}(?:.*/)?" if part["any"].endswith("/") else f"{left}.*"
    if part["one"]:
        return "[^/]"
    if part["set"]:
        negated = part["set"].startswith("!")
        inner = part["set"][negated:].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
        return f"[{'^/' if negated else ''}{inner}]"
    return re.escape(part[0])
