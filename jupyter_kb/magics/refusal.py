"""How a magic fails: the cell ends with an error, told in one line without a traceback."""

from __future__ import annotations

import re
from typing import Any

from jupyter_kb.errors import KBError
from jupyter_kb.render.lines import visible, with_tilde

_LONG_HASH = re.compile(r"\b([0-9a-f]{16})[0-9a-f]{48}\b")
_NO_NOTE = re.compile(r"file ('.*') could not be read: .*", re.DOTALL)
_AS_LINKED = re.compile(r"no note '([^'#]+)#([^'#]+)' in")  # the way a link names a section
_CONNECT = re.compile(r"jupyter_kb\.connect\('?([^')]*)'?\)")
_MOST_CANDIDATES = 5


class MagicError(Exception):
    """What went wrong, for a person. Cells that come after it do not run, as with any other error."""

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this instead of making a traceback.
        return [f"\x1b[1mError:\x1b[0m {self}"]


def told(error: Exception) -> MagicError:
    """An expected error (of this package, or of the operating system) as a magic tells it."""
    if isinstance(error, KBError):
        return MagicError(_line(error.message, error.hint, error.details, error.code))
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        return MagicError(_line(f"{error.filename}: {reason}" if error.filename else reason, None, {}, ""))
    return MagicError(_line(str(error), None, {}, ""))


def _line(message: str, hint: str | None, details: dict[str, Any], code: str) -> str:
    missing = _NO_NOTE.fullmatch(message)
    if missing and code == "note-not-found":
        message = f"there is no note {missing[1]} in this vault"
    linked = _AS_LINKED.search(message)
    if linked and code == "note-not-found":
        return visible(with_tilde(f"{message}; did you mean `{linked[1]} > {linked[2]}`?"))
    near = [str(name) for name in details.get("suggestions", ())]
    candidates = [_candidate(one) for one in details.get("candidates", ())]
    if candidates:
        more = len(candidates) - _MOST_CANDIDATES
        listed = ", ".join(candidates[:_MOST_CANDIDATES]) + (f", … ({more} more)" if more > 0 else "")
        hint = f"{listed}: {hint}" if hint else listed
    elif near and (hint is None or near[0] in hint):
        hint = "did you mean " + " or ".join(f"'{name}'" for name in near) + "?"
    if hint:
        hint = _CONNECT.sub(r"%kb use \1", hint)  # what a program calls is a line in a notebook
    whole = f"{message}; {hint}" if hint else message
    return visible(with_tilde(_LONG_HASH.sub(r"\1", whole)))


def _candidate(found: Any) -> str:
    if isinstance(found, dict):
        line = f" (line {found['line']})" if found.get("line") else ""
        return f"'{found.get('heading_path', '')}'{line}"
    return f"'{found}'"
