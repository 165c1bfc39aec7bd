"""What an edit must prove before it is worked out: that it saw the text, and that the new text stays in its place."""

from __future__ import annotations

import re

from jupyter_kb.errors import (
    AmbiguousSectionError,
    ConflictError,
    HashRequiredError,
    InvalidBodyError,
    InvalidRequestError,
)
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.lines import decode
from jupyter_kb.models import SectionEdit
from jupyter_kb.vault.paths import shown

SHORTEST_HASH = 12
_HASH = re.compile(r"[0-9a-f]{12,64}")
_TAKES_HEADING = frozenset({"insert_before", "insert_after", "insert_child", "rename"})
_TAKES_BODY = frozenset({"replace", "append", "prepend", "insert_before", "insert_after", "insert_child", "rewrite"})
_MARKS = re.compile(r"#{1,6}(?:[ \t]|$)")


def check_request(edit: SectionEdit) -> None:
    """Refuse what no file could make right.

    Raises
    ------
    HashRequiredError : no hash. InvalidRequestError : a hash too short, a heading missing or on several lines, an
    argument that the operation does not take, text that cannot be written as UTF-8.
    """
    if edit.strict:
        if edit.operation != "replace":
            raise InvalidRequestError(f"the operation '{edit.operation}' is not part of the structural rules")
    else:
        _check_hash(edit.expected_hash)
        if edit.operation != "rewrite" and edit.section.heading_path is None and edit.section.line is None:
            raise InvalidRequestError("name the section: by heading_path, or by line")
    if edit.operation in _TAKES_HEADING:
        _check_heading(edit.operation, edit.heading)
    elif edit.heading is not None:
        raise InvalidRequestError(
            f"'{edit.operation}' takes no heading",
            hint="rename changes a heading, insert_before, insert_after and insert_child add one",
        )
    if edit.operation == "move":
        if not edit.target:
            raise InvalidRequestError("'move' needs a target", hint="the heading path of a section of the same note")
    elif edit.target is not None or edit.place != "after":
        raise InvalidRequestError(f"'{edit.operation}' takes no target and no place", hint="move takes them")
    if edit.body and edit.operation not in _TAKES_BODY:
        raise InvalidRequestError(f"'{edit.operation}' takes no body")
    if edit.update_links and edit.operation != "rename":
        raise InvalidRequestError(f"'{edit.operation}' updates no links", hint="rename does")
    for name, text in (("body", edit.body), ("heading", edit.heading or "")):
        try:
            text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise InvalidRequestError(f"the {name} holds half a character at position {error.start}") from None
    if edit.operation in ("append", "prepend") and not edit.body.strip():
        raise InvalidRequestError(f"'{edit.operation}' needs a body")


def _check_hash(expected: str) -> None:
    if not expected:
        raise HashRequiredError(
            "an edit names the hash of the text that it replaces: expected_hash is missing",
            hint="read the section and pass its content_hash on as expected_hash",
        )
    if not _HASH.fullmatch(expected):
        raise InvalidRequestError(
            f"expected_hash '{shown(expected[:80])}' is not a content_hash or the first {SHORTEST_HASH} digits of one",
            hint="copy content_hash as it was given, in lower case",
        )


def _check_heading(operation: str, heading: str | None) -> None:
    if heading is None or not heading.strip():
        raise InvalidRequestError(f"'{operation}' needs a heading")
    if "\n" in heading or "\r" in heading:
        raise InvalidRequestError("a heading is one line")
    if _MARKS.match(heading.strip()):
        raise InvalidRequestError(
            f"heading '{shown(heading.strip())}' begins with its marks",
            hint="leave out the '#': the place decides the level",
        )


def guarded_part(document: Document, section: Section, edit: SectionEdit, name: str) -> bool:
    """Whether the edit's hash is that of the section's own text (True) or of its whole subtree (False).

    `name` is how the request called the section.

    Raises
    ------
    ConflictError : neither; `details` has today's hash and text. The own text's come along where they differ.
    InvalidRequestError : a deletion or a move that knows of the own text only.
    """
    expected, current = edit.expected_hash, section.content_hash
    if edit.strict:
        if expected != current:
            raise _conflict(document, section, edit, name)
        return False
    if current.startswith(expected):
        return False
    if not section.own_hash.startswith(expected):
        raise _conflict(document, section, edit, name)
    if edit.operation in ("delete", "move"):
        raise InvalidRequestError(
            f"section '{name}' has sub-sections, which the hash does not cover",
            hint=f"read it with its sub-sections, and {edit.operation} it with that hash",
        )
    return True


def check_equal_siblings(document: Document, section: Section, expected: str, name: str) -> None:
    """A path without a number stands for the first of equal siblings; refuse it where the hash fits another one (too).

    Raises
    ------
    AmbiguousSectionError : `details["candidates"]` lists `{heading_path, line}`.
    """
    if section.occurrence > 1:  # addressed as `Name[2]`
        return
    equal = [other for other in document.sections if (other.parent, other.heading) == (section.parent, section.heading)]
    if any(
        other is not section and (other.content_hash.startswith(expected) or other.own_hash.startswith(expected))
        for other in equal
    ):
        raise AmbiguousSectionError(
            f"heading path '{name}' stands for the first of {len(equal)} equal headings, and the hash fits another",
            hint="give the line of the one that you read",
            candidates=[{"heading_path": other.heading_path, "line": other.line} for other in equal],
        )


def _conflict(document: Document, section: Section, edit: SectionEdit, name: str) -> ConflictError:
    current = section.content_hash
    details = {
        "current_hash": current,
        "current_content": decode(document.content(section)),
        "current_version": document.version,
    }
    if section.own_hash != current:
        details["current_own_hash"] = section.own_hash
    return ConflictError(
        f"section '{name}' in '{shown(edit.section.file)}' changed since it was read:"
        f" expected hash {shown(edit.expected_hash)}, current hash {current}",
        hint="look at current_content; if the change still makes sense, repeat it with current_hash",
        **details,
    )


def check_body(body: bytes, level: int, name: str) -> Document:
    """The new text, parsed on its own; it may hold only headings deeper than `level`, that of its section.

    Raises
    ------
    InvalidBodyError : a heading that would end the section `name`; in a preamble (level 0) any heading at all.
    """
    document = parse(b"\n" + body)  # the line end keeps a leading `---` from being read as front matter
    for section in document.sections:
        if section.level > 0 and (section.level <= level or not level):
            raise InvalidBodyError(_escape(section, level, name), hint=_body_hint(level), level=section.level)
    return document


def _escape(section: Section, level: int, name: str) -> str:
    start = f"new body contains heading '{section.heading}' at level {section.level}"
    if not level:
        return f"{start}, but the text before the first heading can hold none"
    return (
        f"{start}, which would escape section '{name}' at level {level};"
        f" use headings deeper than level {level} or edit a higher-level section"
    )


def _body_hint(level: int) -> str:
    if not level:
        return "insert_after and insert_child add sections"
    return "the body is what stands under the heading: leave the heading line itself out"
