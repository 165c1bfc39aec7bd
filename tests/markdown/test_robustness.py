"""Notes made to hurt: each kind of input takes time in proportion to its length, and none raises.

Where the time grew with the square of the length, each of these would take a minute; the limit leaves room for a
loaded machine.
"""

from __future__ import annotations

import inspect
import json
import sys
import time

import pytest

from jupyter_kb.markdown.blocks import MAX_HEADINGS
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.splice import replace_body

SIZE = 100_000
LIMIT = 20.0

INLINE = (
    "[",
    "[[",
    "[[a",
    "![",
    "![[",
    "[a](",
    "[a](b ",
    "[a](<",
    '[a](b "',
    "[a](b (",
    "[a](\\(",
    "[](",
    "]",
    "[x][a]",
    "[x ",
    "[[a|[b]",
    "`",
    "` ",
    "`a``b",
    "<",
    "<a ",
    "<a x='b ",
    '<a x="',
    "</a",
    "<!--",
    "<!X",
    "<?",
    "<![CDATA[",
    "<ab:",
    "<a@",
    "\\",
    "\\[",
    "%%",
    "%% ",
    "#t ",
    "#",
    "^a ",
    "é[[é]]",
    "| ",
    "*a ",
    "_",
    "&amp",
    "~~",
    "==a",
)
LINES = (
    "# a\n",
    "#\n",
    "a\n===\n",
    "a\n",
    "a\n\n",
    "\n",
    "- a\n",
    "- a\n\n",
    "1. a\n",
    "> a\n",
    "> a\n\n",
    "    a\n",
    "```\n",
    "```\n~~~\n",
    "|a|b|\n",
    "a|b\n-|-\n",
    "<div>\n",
    '<b c="\n',
    "<!--\n",
    "[a]: b\n",
    '[a]: b "\n',
    "[a]: b\n'\n",
    "[^a]: b\n",
    "[a\nb\n\n",
    "%%\n\n",
    "- [[a]]\n",
    "---\n",
    "***\n",
    "# *a* [b](c) `d`\n",
    "\r",
    "# a\r",
    "\t\n",
    "\0\n",
)
NESTED = (
    ">" * SIZE,
    "> " * SIZE,
    "- " * SIZE,
    "1. " * SIZE,
    "[^a]: " * SIZE,
    ">" * 100 + "a\n" + "b\n" * (SIZE // 100),
    "- " * 100 + "a\n" + "b\n" * (SIZE // 100),
    "".join("  " * depth + "- a\n" for depth in range(600)),
    "".join("> " * (depth % 100) + "a\n" for depth in range(2_000)),
    "# " + "[" * SIZE,
    "# " + "*a " * SIZE,
    "[a]: b\n\n" + "[" * SIZE + "]" * SIZE,
    "[" * SIZE + "[a](b)" * SIZE,
    "![" * SIZE + "](a)" * SIZE,
    "[[" + "a" * SIZE,
    "[[a|" + "[x]" * SIZE,
    "<a" + " x" * SIZE,
    "<" + "a" * SIZE + "@",
    "[a](" + "(" * SIZE + ")" * SIZE,
    "[a](b '" + "\\" * SIZE,
    "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "|b\n" * 1_000,
    "---\n" + "--- x\n" * SIZE,
    "# " + " #" * SIZE,
    "# a" + " " * SIZE + "b",
    "#" * SIZE,
    " " * SIZE + "a",
    "[" + "a\n" * SIZE + "]: b",
    " ".join("`" * length for length in range(1, 600)),
)


def _read(text: str) -> Document:
    """Everything that a note is asked for."""
    begin = time.perf_counter()
    document = parse(text.encode())
    paths = [(section.heading_path, section.line_range.end, section.content_hash) for section in document.sections]
    json.dumps([paths, document.tags, document.block_ids, [link.raw_target for link in document.links]])
    assert time.perf_counter() - begin < LIMIT
    return document


@pytest.mark.parametrize("piece", [*INLINE, *LINES], ids=repr)
def test_a_piece_repeated_without_end_is_read_in_time(piece):
    assert _read(piece * (SIZE // len(piece))).head.start == 0


@pytest.mark.parametrize("piece", INLINE, ids=repr)
def test_headings_full_of_markup_are_read_in_time(piece):
    line = "# " + piece * (900 // len(piece)) + "\n"
    assert len(_read(line * 20).sections) == 20


@pytest.mark.parametrize("text", NESTED, ids=lambda text: repr(text[:12]))
def test_nesting_without_end_is_read_in_time(text):
    assert _read(text).data == text.encode()


def test_nesting_needs_little_of_the_stack():
    depth = len(inspect.stack(0))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 150)
    try:
        document = parse(b"> - " * 5_000 + b"a\n\n# After\n")
    finally:
        sys.setrecursionlimit(limit)
    assert document.sections[-1].heading == "After"


def check_tiles(document: Document) -> None:
    edge = document.head.end
    for section in document.sections:
        assert section.span.start == edge <= section.start < section.end
        edge = section.span.end
    assert edge == len(document.data)


@pytest.mark.parametrize(
    ("more", "cut"), [(0, False), (1, True), (900_100, True)], ids=["all", "one-more", "very-many-more"]
)
def test_headings_beyond_the_limit_are_text_of_a_root_that_no_other_section_reaches(more, cut):
    data = (
        b"---\na: 1\n---\nintro\n\n# top\n"
        + b"## a\n" * (MAX_HEADINGS - 2)
        + b"## b\ntext\n"
        + b"# \n" * more
        + b"\n\n"
    )
    document = parse(data)
    check_tiles(document)
    top, last = document.sections[1], document.sections[-1]
    assert len(document.sections) == MAX_HEADINGS + 1
    assert (last.heading, last.level, last.parent) == (("b", 1, None) if cut else ("b", 2, 1))
    assert last.end == (len(data.rstrip()) + 1 if cut else len(data.rstrip()))
    assert top.end == (last.span_start - 1 if cut else last.end)
    findings = [(finding.kind, finding.line) for finding in document.diagnostics]
    assert findings == [("too-many-headings", last.line)] * cut


def test_a_note_beyond_the_limit_can_be_edited_above_it():
    document = parse(b"# top\n\nold\n\n" + b"## a\r\n" * MAX_HEADINGS + b"### [[x]] `\n\n```\n")
    top, last = document.sections[0], document.sections[-1]
    result = replace_body(document, top, b"new", own_only=True)
    assert result == document.data.replace(b"old", b"new")
    after = parse(result)
    check_tiles(after)
    assert after.content(after.sections[-1]) == document.content(last)
    assert [section.own_hash for section in after.sections[1:]] == [
        section.own_hash for section in document.sections[1:]
    ]
