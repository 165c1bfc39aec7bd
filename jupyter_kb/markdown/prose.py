"""What of a note is plain prose: where words stand that are no part of a link, code, a formula or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from jupyter_kb.markdown.blocks import Blocks
from jupyter_kb.markdown.inline import scan
from jupyter_kb.markdown.links import Comments, texts

# A formula's dollar signs cling to it, and none stands behind a backslash: prices are no formulas.
_ADDRESS_OR_FORMULA = re.compile(
    r"""
    (?:https?://|www\.)\S+
    | \[\^[^\]\s]+\]
    | (?<!\\)\$\$ (?:[^$]|\$(?!\$))+ \$\$
    | (?<![\\$])\$ (?=[^\s$]) [^$]* (?<=[^\s\\]) \$ (?!\d)
    """,
    re.VERBOSE,
)


def occurrences(body: str, blocks: Blocks, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where a pattern that matches within lines is found in the prose of a parsed text, as characters of it.

    No prose are links, embeds and pictures with their texts, tags, footnote marks, addresses, code, HTML, formulas,
    comments, and headings, which are names themselves.
    """
    headings = {heading.start for heading in blocks.headings}
    comments = Comments(body, blocks) if "%%" in body else None
    for leaf in blocks.leaves:
        piece = body[leaf.start : leaf.end]
        if leaf.kind == "html" or leaf.start in headings or not pattern.search(piece):
            continue
        for text in texts(leaf, piece, plain=True):
            found = [match.span() for match in pattern.finditer(text.text)]
            if not found:
                continue
            hidden: list[tuple[int, int]] = []
            marks = scan(text.text, blocks.references, passed=hidden)
            hidden += [(mark.start, mark.end) for mark in marks]
            hidden += [match.span() for match in _ADDRESS_OR_FORMULA.finditer(text.text)]
            for start, end in _outside(found, hidden):
                place = text.character(start), text.character(end - 1) + 1
                if comments is None or not comments.hides(place[0]):
                    yield place


def _outside(found: list[tuple[int, int]], hidden: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges, which are sorted and apart, that touch none of the hidden ones."""
    borders = sorted(chain(hidden, [(1 << 62, 1 << 62)]))
    at = covered = 0
    for start, end in found:
        while borders[at][0] < end:
            covered = max(covered, borders[at][1])
            at += 1
        if covered <= start:
            yield start, end
