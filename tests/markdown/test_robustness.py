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

from jupyter_kb.markdown.document import Document, parse

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
