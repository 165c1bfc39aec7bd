"""Where new text meets old: what keeps the lower one from becoming a part of the upper one."""

from __future__ import annotations

import re

from jupyter_kb.editing.reach import Reach
from jupyter_kb.errors import UnverifiedEditError
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.splice import line_end

_LEADING = re.compile(rb"(?:[ \t]*(?:\r\n?|\n))*([ \t]*)")
_ITEM = re.compile(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_SMALLEST_CODE_INDENT = 4


def kept_apart(document: Document, section: Section, operation: str, body: bytes, *, own: bool, name: str) -> bytes:
    """`body`, so that text appended or prepended to a section stays a block of its own.

    Up to three blanks before its first line mean nothing, but for a list item above them: they are dropped. An appended
    list item keeps them, since going on with a list, or in it, is what they are for.

    Raises
    ------
    UnverifiedEditError : the indentation cannot be dropped, for it makes code, or belongs to the old text.
    """
    data = document.data
    if operation == "append" and not _ITEM.match(body):
        end = section.own_end if own else section.end
        last = document.section_at(end - 1) or section
        if _would_nest(data[last.heading_end : end], body):
            if _indent(body) >= _SMALLEST_CODE_INDENT:
                raise _grown_together(name)
            return body[_LEADING.match(body).end() :]  # type: ignore[union-attr]
    elif operation == "prepend" and _would_nest(body, data[section.heading_end : section.own_end]):
        raise _grown_together(name)
    return body


def loosened(document: Document, new: bytes, limits: Reach, operation: str) -> bytes | None:
    """The file after appending or prepending, with one more line end at the joint; None where there is no such joint.

    Two tables, or two paragraphs that look like the beginning of one, only look like one block that goes on.
    """
    behind = len(new) - (len(document.data) - limits.end)
    at = {"append": limits.start, "prepend": behind}.get(operation)
    if at is None or (operation == "prepend" and new[at - 1 : at] not in (b"\r", b"\n")):
        return None
    return new[:at] + line_end(document) + new[at:]


def _would_nest(above: bytes, below: bytes) -> bool:
    """Whether a list item in `above` would take in the first line of `below`, behind a blank line."""
    indent = min(_indent(below), _SMALLEST_CODE_INDENT - 1)
    if not indent:
        return False
    # A heading in that place is a section of the note, unless something else holds it.
    probe = parse(b"\n" + above + b"\n\n" + b" " * indent + b"# probe")
    return not probe.sections or probe.sections[-1].heading != "probe"


def _indent(text: bytes) -> int:
    found = _LEADING.match(text)
    return len(found[1].expandtabs(4)) if found and found.end() < len(text) else 0


def _grown_together(name: str) -> UnverifiedEditError:
    return UnverifiedEditError(
        f"the new text would grow together with the text around it in section '{name}'; edit rejected, file unmodified",
        hint="indented text below a list belongs to its last item: begin with a line that is not indented",
    )
