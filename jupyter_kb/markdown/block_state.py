"""The state of a block parse: how lines are bounded and indented now, and the headings and inline text found so far."""

from __future__ import annotations

from itertools import accumulate
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token


class Heading(NamedTuple):
    """A top-level heading: its first and last line (from 0), and where its text begins and ends."""

    level: int
    line: int
    last_line: int
    start: int
    end: int


class Leaf(NamedTuple):
    """A stretch of inline text: one paragraph, heading, row of a table, or HTML block.

    `segments` are its lines where a quote's markers lie between them; None where `start:end` is the text itself.
    """

    start: int
    end: int
    kind: Literal["text", "row", "html"]
    segments: tuple[tuple[int, int], ...] | None


class BlockState(StateBlock):
    """markdown-it's state of a block parse, built line-wise and without a token stream."""

    def __init__(self, text: str, md: MarkdownIt) -> None:
        self.src = text
        self.md = md
        self.env = {}
        self.tokens = []
        self.leaves: list[Leaf] = []
        self.headings: list[Heading] = []
        lines = text.split("\n")
        if not lines[-1].strip(" \t"):
            lines.pop()
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        starts[-1] = len(text)
        self.bMarks = starts
        self.eMarks = [start + len(line) for start, line in zip(starts, lines, strict=False)]
        self.tShift = [len(line) - len(line.lstrip(" \t")) for line in lines]
        self.sCount = self.tShift.copy()
        if "\t" in text:
            for number, line in enumerate(lines):
                if self.tShift[number] and "\t" in line:
                    self.sCount[number] = _columns(line, self.tShift[number])
        # A fake last line saves the rules their bounds checks.
        self.eMarks.append(len(text))
        self.tShift.append(0)
        self.sCount.append(0)
        self.bsCount = [0] * len(starts)
        self.line_starts = starts.copy()
        self.blkIndent = 0
        self.line = 0
        self.lineMax = len(lines)
        self.tight = False
        self.ddIndent = -1
        self.listIndent = -1
        self.parentType = "root"
        self.level = 0
        self.result = ""
        self._code_enabled = True
        self._token = Token("", "", 0)

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Count the level only: nobody reads the tokens, and making them is a third of a parse."""
        self.level += nesting
        return self._token

    def add_leaf(self, first: int, end: int, kind: Literal["text", "html"] = "text") -> None:
        """Keep the inline text of the lines `first` to `end - 1` as they are bounded now, inside their container."""
        marks, shifts, ends = self.bMarks, self.tShift, self.eMarks
        start = marks[first] + shifts[first]
        segments = None
        if end - first > 1 and self.level and marks[first + 1 : end] != self.line_starts[first + 1 : end]:
            segments = tuple((marks[line] + shifts[line], ends[line]) for line in range(first, end))
        self.leaves.append(Leaf(start, ends[end - 1], kind, segments))

    def forget_last_heading(self) -> None:
        """Take back the heading that was read last, and its text."""
        heading = self.headings.pop()
        if self.leaves and self.leaves[-1].start == heading.start:
            self.leaves.pop()


def _columns(line: str, shift: int) -> int:
    columns = 0
    for character in line[:shift]:
        columns += 4 - columns % 4 if character == "\t" else 1
    return columns
