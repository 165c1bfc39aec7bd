"""New bytes from old: one section with all below it at another place of its note; nothing is written.

A section takes along the blank lines that keep it apart, so that moving it back gives the old bytes again.
"""

from __future__ import annotations

from jupyter_kb.errors import InvalidRequestError, UnverifiedEditError
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.splice import atx_parts, delete_section
from jupyter_kb.markdown.style import LINE_END, blank_line_before_headings, is_atx_heading, line_end

_DEEPEST = 6


def subtree(document: Document, section: Section) -> list[Section]:
    """The section and all below it, in document order."""
    end = section.ordinal + 1
    while end < len(document.sections) and document.sections[end].level > section.level:
        end += 1
    return list(document.sections[section.ordinal : end])


def move_section(document: Document, section: Section, target: Section, *, before: bool) -> tuple[bytes, int]:
    """The file with `section` and all below it next to `target`, as its sibling; and the ordinal that it has there.

    Its headings get more or fewer `#` marks by the difference of the two levels. Where it stands there already, the
    file is as it was.

    Raises
    ------
    InvalidRequestError : the preamble, a target inside the section, underlined headings that would have to change their
        level, or a heading that would be deeper than 6.
    UnverifiedEditError : what is around the section grows together without it.
    """
    moving = subtree(document, section)
    _refuse_what_cannot_move(section, target, moving)
    new_level = target.level - section.level
    beside = section.ordinal + len(moving) if before else target.ordinal + len(subtree(document, target))
    if not new_level and beside == (target.ordinal if before else section.ordinal):
        return document.data, section.ordinal
    chunk = _with_levels(document, moving, new_level)
    joint = _joint(document, section)
    rest = parse(_without(document, section))
    if len(rest.sections) != len(document.sections) - len(moving):
        raise UnverifiedEditError(
            f"without the section '{section.heading_path}' the text around it would grow together",
            hint="look for a code fence or HTML comment that is never closed above it",
        )
    anchor = rest.sections[target.ordinal - (len(moving) if target.ordinal > section.ordinal else 0)]
    ordinal = anchor.ordinal + (0 if before else len(subtree(rest, anchor)))
    return _put(rest, ordinal, chunk, joint), ordinal


def with_level(line: bytes, shift: int) -> bytes:
    """An ATX heading with so many marks more (or fewer); closing marks follow where they were as many."""
    marks, _, closing = atx_parts(line)
    new = b"#" * (len(marks) + shift)
    body = line[len(marks) :]
    if closing.strip(b" \t") == marks:
        body = body[: len(body) - len(closing)] + closing.replace(marks, new)
    return new + body


def _refuse_what_cannot_move(section: Section, target: Section, moving: list[Section]) -> None:
    if not section.level or not target.level:
        raise InvalidRequestError(
            "the preamble has no heading: it cannot be moved, and nothing be moved beside it",
            hint="name a section with a heading",
        )
    if any(target is inner for inner in moving):
        raise InvalidRequestError(
            f"section '{section.heading_path}' cannot be moved into itself", hint="name a target outside of it"
        )
    shift = target.level - section.level
    for inner in moving if shift else ():
        if inner.setext:
            raise InvalidRequestError(
                f"the heading '{inner.heading}' is underlined, so it cannot get level {inner.level + shift}",
                hint="write it with '#' marks first (rename keeps the underline; replace the section above)",
            )
        if inner.level + shift > _DEEPEST:
            raise InvalidRequestError(
                f"the heading '{inner.heading}' would get level {inner.level + shift}, and there are {_DEEPEST}",
                hint="move it beside a section of a higher level",
            )


def _with_levels(document: Document, moving: list[Section], shift: int) -> bytes:
    data = document.data
    parts = []
    position = moving[0].span_start
    for section in moving:
        heading = data[section.start : section.heading_end]
        parts += [data[position : section.start], with_level(heading, shift) if shift else heading]
        position = section.heading_end
    return b"".join((*parts, data[position : moving[0].end]))


def _joint(document: Document, section: Section) -> bytes:
    """The blank lines that go with a section: those behind it, at the end of the file those before it."""
    data, sections = document.data, document.sections
    behind = section.ordinal + len(subtree(document, section))
    gaps = []
    if behind < len(sections):
        gaps.append(data[section.end : sections[behind].span_start])
    if section.ordinal:
        gaps.append(data[sections[section.ordinal - 1].own_end : section.span_start])
    usual = line_end(document) * (2 if blank_line_before_headings(document) else 1)
    return next((gap for gap in gaps if not gap.strip(b" \t\r\n")), usual)


def _without(document: Document, section: Section) -> bytes:
    data = document.data
    if section.ordinal and not data[section.end :].strip(b" \t\r\n"):
        end = document.sections[section.ordinal - 1].own_end
        if not data[end : section.span_start].strip(b" \t\r\n"):
            return data[:end] + data[section.end :]  # the file goes on to end as it did
    return delete_section(document, section)


def _put(document: Document, ordinal: int, chunk: bytes, joint: bytes) -> bytes:
    """The file with `chunk` as the section of that ordinal."""
    data = document.data
    break_ = line_end(document)
    if ordinal < len(document.sections):
        at = document.sections[ordinal].span_start
        if not is_atx_heading(data[at:]) and len(LINE_END.findall(joint)) < 2:
            joint = break_ * 2
        gap = b""
        if not is_atx_heading(chunk) and ordinal:
            above = data[document.sections[ordinal - 1].own_end : at]
            gap = b"" if len(LINE_END.findall(above)) > 1 else break_
        return data[:at] + gap + chunk + joint + data[at:]
    end = len(data.rstrip(b" \t\r\n"))
    if document.sections:
        end = max(end, document.sections[-1].own_end)
    if not is_atx_heading(chunk) and len(LINE_END.findall(joint)) < 2:
        joint = break_ * 2
    return data[:end] + joint + chunk + data[end:]
