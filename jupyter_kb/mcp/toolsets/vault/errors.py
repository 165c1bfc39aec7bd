"""What an error looks like to an agent: one sentence, the facts that help, and what to call instead."""

from __future__ import annotations

from typing import Any

from jupyter_kb.errors import (
    AmbiguousSectionError,
    ConflictError,
    HashRequiredError,
    InvalidBodyError,
    KBError,
    NoteNotFoundError,
    SectionNotFoundError,
    UnverifiedEditError,
)
from jupyter_kb.mcp.results import SHORT_HASH, without_empty
from jupyter_kb.mcp.tools import Payload

_HINTS: dict[type[KBError], str] = {
    NoteNotFoundError: "pass one of suggestions, or find the note with search, or call outline without file",
    SectionNotFoundError: "pass one of suggestions, or call outline with this file for its heading paths",
    AmbiguousSectionError: "pass the line of the candidate that you mean",
    ConflictError: "work your change into current_content and call edit_section again with current_hash",
    HashRequiredError: "call get_section first and pass its content_hash as expected_hash",
    InvalidBodyError: (
        "leave the section's own heading line out of body and use deeper headings in it;"
        " insert_after adds a section beside this one, rename changes its heading"
    ),
    UnverifiedEditError: "close code fences and HTML blocks in body, then call edit_section again",
}


def failure(error: KBError) -> Payload:
    """The payload of a failed call: `message`, `code`, `hint`, and the error's details."""
    details: dict[str, Any] = dict(error.details)
    if "current_hash" in details:
        details["current_hash"] = details["current_hash"][:SHORT_HASH]
    hint = _HINTS.get(type(error), error.hint)
    if isinstance(error, ConflictError) and error.hint:
        hint = error.hint
    return {"message": error.message, "code": error.code} | without_empty(hint=hint, **details)
