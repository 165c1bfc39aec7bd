"""How the program ends: one exit status for each kind of outcome, and how an error is told on standard error."""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

from jupyter_kb import errors

OK = 0
NOTHING_FOUND = 1
USAGE = 2
NOT_FOUND = 3
REFUSED = 4
UNAVAILABLE = 5
FAULT = 70
INTERRUPTED = 130
OUTPUT_CLOSED = 141

MEANING: dict[int, str] = {
    OK: "done",
    NOTHING_FOUND: "nothing found (search, grep)",
    USAGE: "wrong usage, or an argument that makes no sense",
    NOT_FOUND: "no such note or section, or several answer to the name",
    REFUSED: "edit refused: the text changed, no hash was given, or the new text does not fit",
    UNAVAILABLE: "vault or index unavailable, or a file that cannot be read or written",
    FAULT: "a fault in the program; run with --debug and report it",
    INTERRUPTED: "interrupted",
}

EXIT_STATUS: dict[type[errors.KBError], int] = {
    errors.KBError: UNAVAILABLE,
    errors.InvalidRequestError: USAGE,
    errors.InvalidPathError: USAGE,
    errors.InvalidBodyError: REFUSED,
    errors.NotFoundError: NOT_FOUND,
    errors.VaultNotFoundError: UNAVAILABLE,
    errors.NoteNotFoundError: NOT_FOUND,
    errors.SectionNotFoundError: NOT_FOUND,
    errors.AmbiguousSectionError: NOT_FOUND,
    errors.ConflictError: REFUSED,
    errors.HashRequiredError: REFUSED,
    errors.UnverifiedEditError: REFUSED,
    errors.ReadOnlyError: UNAVAILABLE,
    errors.FileTooLargeError: UNAVAILABLE,
    errors.NoteUnreadableError: UNAVAILABLE,
    errors.WriteFailedError: UNAVAILABLE,
    errors.IndexUnavailableError: UNAVAILABLE,
}


def exit_status(error: BaseException) -> int:
    """The exit status of an error; a class that is not in the table takes its nearest ancestor's."""
    if isinstance(error, OSError):
        return UNAVAILABLE
    return next((EXIT_STATUS[kind] for kind in type(error).__mro__ if kind in EXIT_STATUS), FAULT)


def tell(error: Exception, *, as_json: bool = False, debug: bool = False) -> int:
    """Write an error to standard error, for a person or (`as_json`) for a program, and give the exit status."""
    if debug:
        traceback.print_exception(error)
    payload = _payload(error)
    if as_json:
        print(json.dumps(payload), file=sys.stderr)
    else:
        print(f"Error: {payload['message']}", file=sys.stderr)
        for line in _particulars(payload.get("details", {})):
            print(f"  {line}", file=sys.stderr)
        if payload.get("hint"):
            print(f"Hint: {payload['hint']}", file=sys.stderr)
    return exit_status(error)


def _payload(error: Exception) -> dict[str, Any]:
    if isinstance(error, errors.KBError):
        return error.payload()
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        return {"message": f"{error.filename}: {reason}" if error.filename else reason, "code": "os-error"}
    return {
        "message": f"unexpected {type(error).__name__}: {error}",
        "code": "fault",
        "hint": "run it again as `jupyter kb --debug …` (or with JUPYTER_KB_DEBUG=1) to see where it happened",
    }


def _particulars(details: dict[str, Any]) -> list[str]:
    """What a person can act on: the sections that share a name, the near names, the hash of today's text."""
    lines = []
    for candidate in details.get("candidates", ()):
        if isinstance(candidate, dict):
            lines.append(f"line {candidate.get('line')}: {candidate.get('heading_path')}")
        else:
            lines.append(str(candidate))
    if details.get("suggestions"):
        lines.append("did you mean: " + "; ".join(str(name) for name in details["suggestions"]))
    if details.get("current_hash"):
        lines.append(f"current hash: {details['current_hash']}")
    return lines
