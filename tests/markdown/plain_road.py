"""Blocks by the plain road: markdown-it's own parse, read token by token; `read_blocks` has to agree with it."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

_MD = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").use(footnote_plugin)
# CommonMark takes any destination; only a renderer has to fear `javascript:`.
_MD.validateLink = lambda url: True  # type: ignore[method-assign]


def plain_blocks(text: str) -> tuple[tuple[int, int] | None, list[tuple[int, int, int, int]], list[str], int]:
    """Of a text with line feeds only: the preamble's first and last line; level, first, last and own last line of each
    heading; the inline texts outside tables, blanks at their lines' beginnings dropped; how many rows tables have.
    """
    tokens: list[Token] = []
    _MD.block.parse(text, _MD, {}, tokens)
    lines = text.split("\n")
    preamble: tuple[int, int] | None = None
    headings: list[tuple[int, int, int, int]] = []
    for token in tokens:
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, end = token.map
        while end - 1 > first and not lines[end - 1].strip(" \t"):
            end -= 1
        if token.type == "heading_open":
            headings.append((int(token.tag[1]), first, end - 1, end - 1))
        elif headings:
            headings[-1] = (*headings[-1][:3], end - 1)
        else:
            preamble = (preamble[0] if preamble else first, end - 1)
    return preamble, headings, _inline_texts(tokens), sum(token.type == "tr_open" for token in tokens)


def _inline_texts(tokens: list[Token]) -> list[str]:
    texts = []
    in_table = False
    for token in tokens:
        if token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        elif token.type == "inline" and not in_table and token.content:
            texts.append(flush(token.content))
    return texts


def flush(text: str) -> str:
    """`text` without blanks at the beginnings of its lines and white space at its ends."""
    return re.sub(r"\n[ \t]+", "\n", text).strip()
