"""How the program ends: one exit status for each kind of outcome, and how an error is told on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
    UNAVAILABLE: "vault, index or model unavailable, or a file that cannot be read or written",
    FAULT: "a fault in the program; run with --debug and report it",
    INTERRUPTED: "interrupted",
}

EXIT_STATUS: dict[type[errors.KBError], int] = {
    errors.KBError: UNAVAILABLE,
    errors.InvalidRequestError: USAGE,
    errors.InvalidPathError: USAGE,
    errors.MethodNotAllowedError: USAGE,
    errors.RequestTooLargeError: USAGE,
    errors.InvalidBodyError: REFUSED,
    errors.UnauthorizedError: UNAVAILABLE,
    errors.ForbiddenError: UNAVAILABLE,
    errors.NotFoundError: NOT_FOUND,
    errors.VaultNotFoundError: UNAVAILABLE,
    errors.NoteNotFoundError: NOT_FOUND,
    errors.SectionNotFoundError: NOT_FOUND,
    errors.AmbiguousSectionError: NOT_FOUND,
    errors.NoteExistsError: REFUSED,
    errors.ConflictError: REFUSED,
    errors.HashRequiredError: REFUSED,
    errors.UnverifiedEditError: REFUSED,
    errors.ReadOnlyError: UNAVAILABLE,
    errors.FileTooLargeError: UNAVAILABLE,
    errors.NoteUnreadableError: UNAVAILABLE,
    errors.WriteFailedError: UNAVAILABLE,
    errors.IndexUnavailableError: UNAVAILABLE,
    errors.ServerUnreachableError: UNAVAILABLE,
    errors.ServerNotFoundError: UNAVAILABLE,
    errors.ModelError: UNAVAILABLE,
    errors.ModelNotFoundError: UNAVAILABLE,
    errors.ModelBusyError: UNAVAILABLE,
    errors.ModelFailedError: UNAVAILABLE,
}


def exit_status(error: BaseException) -> int:
    """The exit status of an error; a class that is not in the table takes its nearest ancestor's."""
    if isinstance(error, OSError):
        return UNAVAILABLE
    return next((EXIT_STATUS[kind] for kind in type(error).__mro__ if kind in EXIT_STATUS), FAULT)


def tell(error: Exception, *, as_json: bool = False, debug: bool = False) -> int:
    """Write an error to standard error, for a person or (`as_json`) for a program, and give the exit status."""
    import json
    import traceback

    from jupyter_kb.cli.wording import translated

    if debug:
        traceback.print_exception(error)
    payload = translated(_payload(error))
    lines = [json.dumps(payload)] if as_json else _in_words(payload)
    for line in lines:
        print(line, file=sys.stderr)
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


def _in_words(payload: dict[str, Any]) -> Iterator[str]:
    """The message, what a person needs to act on it (sections that share a name, the current hash), and what to do."""
    from jupyter_kb.cli.wording import short
    from jupyter_kb.render.lines import visible, with_tilde

    details = payload.get("details", {})
    message = visible(with_tilde(short(payload["message"])))
    yield f"Error: {message}"
    for candidate in details.get("candidates", ()):
        place = candidate if isinstance(candidate, dict) else {"heading_path": candidate}
        line = f"line {place['line']}: " if place.get("line") else ""
        yield f"  {line}{visible(str(place.get('heading_path', '')))}"
    current = short(str(details.get("current_hash", "")))
    if current not in message:
        yield f"  current hash: {current}"
    hint, near = payload.get("hint"), [str(name) for name in details.get("suggestions", ())]
    if near and (hint is None or near[0] in hint):
        hint = f"did you mean {' or '.join(repr(visible(name)) for name in near)}?"
    if hint:
        yield f"Hint: {visible(short(hint))}"
