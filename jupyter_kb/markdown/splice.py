"""New bytes from old: edits of one section that leave every other byte of the file as it is; nothing is written.

Whoever writes the result parses it again first: a body may hold an unclosed fence, and only a parse shows what it
swallows.
"""

from __future__ import annotations

import re

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.lines import decode, encode
from jupyter_kb.markdown.style import (
    LINE_END,
    blank_line_after_headings,
    blank_line_before_headings,
    blank_lines_end,
    continues_block,
    is_atx_heading,
    line_end,
)

__all__ = [
    "append_body",
    "atx_parts",
    "delete_section",
    "escaping_heading",
    "insert_after",
    "insert_before",
    "insert_child",
    "line_end",
    "prepend_body",
    "rename_heading",
    "replace_body",
]

# Unicode's White_Space (str.strip takes four control characters more).
_WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_LOOKS_CLOSED = re.compile(r"(?:^|(?<=[ \t]))#+$")


def escaping_heading(body: bytes, level: int) -> Section | None:
    """The first heading in `body` that would end a section of this level, None where there is none."""
    # The line feed keeps a leading `---` from being read as front matter.
    sections = parse(b"\n" + body).sections
    return next((section for section in sections if 0 < section.level <= level), None)


def replace_body(document: Document, section: Section, body: bytes, *, own_only: bool, strict: bool = False) -> bytes:
    """The file with `body` under the section's heading.

    `own_only` replaces the section's own text and leaves its sub-sections; otherwise all that stands under the heading
    is replaced. The line ends of `body` become the file's own, blank lines at its ends are dropped, and the blank line
    (or its absence) between heading and text stays as it was. A body that says the same as before gives back the same
    bytes.

    `strict` is a literal splice: heading, one line break (`\\r\\n` where the heading has one), `body` without trailing
    white space.
    """
    data = document.data
    end = section.own_end if own_only else section.end
    if strict:
        new = _without_trailing_space(body)
        line_break = b"\r\n" if data.startswith(b"\r\n", section.heading_end) else b"\n"
        return data[: section.heading_end] + (line_break + new if new else b"") + data[end:]
    new = _normalised(document, body)
    begin = _body_begin(document, section, end)
    if end > section.heading_end and new == _normalised(document, data[begin:end]):
        return data
    if not new:
        return data[: section.heading_end] + data[end:] if section.level else delete_section(document, section)
    gap = data[section.heading_end : begin] if end > section.heading_end else _gap_after_heading(document, section)
    tail = _gap_before_rest(document, end, roomy=end == section.heading_end and blank_line_before_headings(document))
    return data[: section.heading_end] + gap + new + tail + data[end:]


def append_body(document: Document, section: Section, body: bytes, *, own_only: bool = True) -> bytes:
    """The file with `body` at the end of the section's own text, or with `own_only=False` at the end of its last
    sub-section.

    A blank line is put between, except where a list or table goes on.
    """
    data = document.data
    end = section.own_end if own_only else section.end
    new = _normalised(document, body)
    if not new:
        return data
    if end == section.heading_end:
        return replace_body(document, section, body, own_only=own_only)
    begin = _body_begin(document, section, end)
    break_ = line_end(document) * (1 if continues_block(data[begin:end], new) else 2)
    return data[:end] + break_ + new + _gap_before_rest(document, end) + data[end:]


def prepend_body(document: Document, section: Section, body: bytes) -> bytes:
    """The file with `body` between the section's heading and its own text."""
    data = document.data
    new = _normalised(document, body)
    if not new:
        return data
    if section.own_end == section.heading_end:
        return replace_body(document, section, body, own_only=True)
    begin = _body_begin(document, section, section.own_end)
    break_ = line_end(document) * (1 if continues_block(new, data[begin : section.own_end]) else 2)
    return data[:begin] + new + break_ + data[begin:]


def insert_before(document: Document, section: Section, heading: str, body: bytes) -> bytes:
    """The file with a new section before `section`, at the same level.

    Raises
    ------
    InvalidRequestError : the preamble stands before all sections; or the heading is bad (see `insert_after`).
    """
    if not section.level:
        raise InvalidRequestError(
            "the preamble stands before all sections", hint="insert before the first section, or after the preamble"
        )
    data, begin = document.data, section.span_start
    apart = blank_line_before_headings(document) or not is_atx_heading(data[begin:])
    new = _new_section(document, section.level, heading, body)
    return data[:begin] + new + line_end(document) * (2 if apart else 1) + data[begin:]


def insert_after(document: Document, section: Section, heading: str, body: bytes) -> bytes:
    """The file with a new section behind `section` and all its sub-sections, at the same level.

    Behind the preamble the new section takes the level of the heading that follows it (else 1).

    Raises
    ------
    InvalidRequestError : the heading is empty, has several lines, or begins with `#` marks.
    """
    level = section.level
    if not level:
        following = document.sections[section.ordinal + 1 : section.ordinal + 2]
        level = following[0].level if following else 1
    return _insert(document, section.end, level, heading, body)


def insert_child(document: Document, section: Section, heading: str, body: bytes) -> bytes:
    """The file with a new last sub-section of `section`, at the level of its last one (else one deeper than `section`).

    Raises
    ------
    InvalidRequestError : the preamble and a level-6 section have no sub-sections; or the heading is bad (see
        `insert_after`).
    """
    if not section.level:
        raise InvalidRequestError("the preamble has no heading and cannot have sub-sections", hint="use insert_after")
    level = document.sections[section.children[-1]].level if section.children else section.level + 1
    if level > 6:
        raise InvalidRequestError("a heading of level 6 cannot have sub-sections", hint="use insert_after or append")
    return _insert(document, section.end, level, heading, body)


def rename_heading(document: Document, section: Section, heading: str) -> bytes:
    """The file with another heading text, in the same style: level, closing `#` marks and underline stay.

    Raises
    ------
    InvalidRequestError : the section is the preamble; or the heading is bad (see `insert_after`).
    """
    if not section.level:
        raise InvalidRequestError("the preamble has no heading to rename")
    data = document.data
    text = _one_line(heading)
    new = _underlined(data, section, text) if section.setext else None
    if new is None:
        marks, blanks, closing = atx_parts(data[section.start : section.heading_end])
        new = (marks or b"#" * section.level) + (blanks or b" ") + _atx_text(text) + closing
    return data[: section.start] + new + data[section.heading_end :]


def delete_section(document: Document, section: Section) -> bytes:
    """The file without the section, its sub-sections and the blank lines behind them.

    Link definitions behind its last text stay, and so does the way the file ends.
    """
    data = document.data
    begin = section.span_start
    before = document.sections[section.ordinal - 1] if section.ordinal else None
    rest = blank_lines_end(data, section.end)
    if data[rest:].strip(b" \t"):
        apart = before is None or len(LINE_END.findall(data, before.own_end, begin)) > 1
        glue = b"" if apart or is_atx_heading(data[rest:]) else line_end(document)
        return data[:begin] + glue + data[rest:]
    if before is None:
        return data[:begin]
    # Link definitions may stand between the section before and this one.
    kept = max(before.own_end, len(data[:begin].rstrip(b" \t\r\n")))
    final = LINE_END.search(data, kept, begin) if data.endswith((b"\n", b"\r")) else None
    return data[:kept] + (final[0] if final else b"")


def _insert(document: Document, end: int, level: int, heading: str, body: bytes) -> bytes:
    data = document.data
    break_ = line_end(document)
    roomy = blank_line_before_headings(document)
    new = _new_section(document, level, heading, body)
    return data[:end] + break_ * (2 if roomy else 1) + new + _gap_before_rest(document, end, roomy=roomy) + data[end:]


def _new_section(document: Document, level: int, heading: str, body: bytes) -> bytes:
    new = b"#" * level + b" " + _atx_text(_one_line(heading))
    text = _normalised(document, body)
    return new + line_end(document) * (2 if blank_line_after_headings(document) else 1) + text if text else new


def _one_line(heading: str) -> str:
    text = heading.strip(_WHITE_SPACE)
    if not text:
        raise InvalidRequestError("the heading is empty")
    if "\n" in text or "\r" in text:
        raise InvalidRequestError("the heading has more than one line")
    if re.match(r"#{1,6}(?:[ \t]|$)", text):
        raise InvalidRequestError("the heading begins with '#' marks", hint="give its text alone; the level is kept")
    return text


def _atx_text(text: str) -> bytes:
    """Heading text that an ATX heading does not take for its closing marks."""
    return encode(_LOOKS_CLOSED.sub(lambda closing: "\\" + closing[0], text))


def atx_parts(line: bytes) -> tuple[bytes, bytes, bytes]:
    """The opening marks of an ATX heading, the blanks behind them, and its closing marks with the blanks before
    them.
    """
    text = line.lstrip(b"#")
    marks = line[: len(line) - len(text)]
    core = text.lstrip(b" \t")
    blanks = text[: len(text) - len(core)]
    inner = core.rstrip(b" \t").rstrip(b"#")
    if not marks or not inner.endswith((b" ", b"\t")) or len(inner) == len(core.rstrip(b" \t")):
        return marks, blanks, b""
    return marks, blanks, core[len(inner.rstrip(b" \t")) :]


def _underlined(data: bytes, section: Section, text: str) -> bytes | None:
    """A setext heading with another text; None where the text would not be a heading there."""
    *lines, underline = re.split(rb"(\r\n?|\n)", data[section.start : section.heading_end])
    marks = underline.strip(b" \t")
    if len(lines) == 2 and len(marks) == len(decode(lines[0]).strip()):
        underline = underline.replace(marks, marks[:1] * max(3, len(text)))
    new = encode(text) + lines[-1] + underline
    sections = parse(b"\n" + new).sections
    if len(sections) == 1 and sections[0].setext and sections[0].end == len(new) + 1 and sections[0].start == 1:
        return new
    return None


def _without_trailing_space(body: bytes) -> bytes:
    return encode(decode(body).rstrip(_WHITE_SPACE))


def _normalised(document: Document, body: bytes) -> bytes:
    """`body` with the file's line ends and without blank lines at its ends."""
    text = LINE_END.sub(b"\n", _without_trailing_space(body))
    return text[blank_lines_end(text, 0) :].replace(b"\n", line_end(document))


def _body_begin(document: Document, section: Section, end: int) -> int:
    """Where the first line that is not blank begins under a heading; `end` where there is none before it."""
    if not section.level:
        return section.start
    return min(end, blank_lines_end(document.data, section.heading_end))


def _gap_after_heading(document: Document, section: Section) -> bytes:
    if not section.level:
        return b""
    return line_end(document) * (2 if blank_line_after_headings(document) else 1)


def _gap_before_rest(document: Document, end: int, *, roomy: bool = False) -> bytes:
    """What keeps new text apart from what follows at `end`: a line end where no blank line is there and one is needed.

    A paragraph would swallow link definitions and the text of a setext heading, but not an ATX heading.
    """
    data = document.data
    line = LINE_END.match(data, end)
    if not line or blank_lines_end(data, line.end()) > line.end() or not data[line.end() :].strip(b" \t"):
        return b""
    return b"" if is_atx_heading(data[line.end() :]) and not roomy else line_end(document)
