"""Blocks of a Markdown text: where its headings stand, where each one's own content ends, and where inline text lies.

CommonMark decides, with tables and footnote definitions. The block rules are markdown-it-py's; this module drives them:
it looks at a line's first character before it calls a rule, reads paragraphs in one pass instead of two, keeps ranges
instead of tokens, and stays linear and shallow on text that nests without end. Character offsets count the normalised
text (every line end one line feed).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, code, reference, table

from jupyter_kb.markdown.block_rules import OPENERS, Rule, Ruler, may_be_delimiter_row, paragraph
from jupyter_kb.markdown.block_state import BlockState, Heading, Leaf
from jupyter_kb.markdown.commonmark import CommonMark

__all__ = ["MAX_HEADINGS", "MAX_NESTING", "Blocks", "Heading", "Leaf", "read_blocks"]

# A list takes two levels. Deeper text is taken as one paragraph, which also bounds the Python stack.
MAX_NESTING = 32
# A section takes kilobytes of memory and a row of the index: a file of nothing but `#` would take gigabytes.
MAX_HEADINGS = 100_000
# As much of a text as is looked at first: what bounds the lines of such a file takes half a gigabyte too.
_FIRST_LINES = 1_000_000


class Blocks(NamedTuple):
    """What a text consists of.

    preamble : first and last line of the blocks before the first heading; None where there are none.
    preamble_start : where its text begins.
    own_last_lines : for each heading the last line of the blocks before the next heading; the heading's own where there
        are none.
    references : destinations of link definitions by normalised label.
    line_starts : where each line that was looked at begins, and the end of the last one.
    is_cut : there are more than `MAX_HEADINGS` headings. The last one of `headings` then counts as level 1 and has all
        that follows, unread, as its own: no edit of another section can reach it.
    """

    preamble: tuple[int, int] | None
    preamble_start: int
    headings: list[Heading]
    own_last_lines: list[int]
    leaves: list[Leaf]
    references: dict[str, str]
    line_starts: list[int]
    is_cut: bool


def read_blocks(text: str) -> Blocks:
    """The blocks of `text`, whose line ends are all line feeds. Never raises; linear in the length of the text."""
    if text.count("\n") > _FIRST_LINES:
        beginning = _PARSER.read(BlockState(_first_lines(text), _MD))
        if beginning.is_cut:
            return _with_rest(beginning, text)
    blocks = _PARSER.read(BlockState(text, _MD))
    return _with_rest(blocks, text) if blocks.is_cut else blocks


def _first_lines(text: str) -> str:
    end = 0
    for _ in range(_FIRST_LINES):
        end = text.index("\n", end) + 1
    return text[:end]


def _with_rest(blocks: Blocks, text: str) -> Blocks:
    """The last heading as the root of all that follows, up to the last line that is not blank."""
    blocks.headings[-1] = blocks.headings[-1]._replace(level=1)
    blocks.own_last_lines[-1] = text.count("\n", 0, len(text.rstrip(" \t\n")))
    return blocks


class _Parser(ParserBlock):
    """markdown-it's block parser with rules picked by a line's first character."""

    def read(self, state: BlockState) -> Blocks:
        """Parse the whole text and note what stands at its top level."""
        preamble_start, preamble = 0, (-1, -1)
        own_last_lines: list[int] = []
        is_cut = False
        line, end = 0, state.lineMax
        while (line := state.skipEmptyLines(line)) < end:
            state.line = line
            rule = self.step(state, line, end)
            last = state.line - 1
            while last > line and state.isEmpty(last):
                last -= 1
            if len(state.headings) > MAX_HEADINGS:
                state.forget_last_heading()
                is_cut = True
                break
            if len(state.headings) > len(own_last_lines):
                own_last_lines.append(last)
            elif rule is reference:
                pass
            elif own_last_lines:
                own_last_lines[-1] = last
            else:
                if preamble[0] < 0:
                    # The indentation of a code block belongs to its text.
                    preamble_start = state.bMarks[line] + (0 if rule is code else state.tShift[line])
                    preamble = (line, last)
                preamble = (preamble[0], last)
            line = state.line
        return Blocks(
            preamble_start=preamble_start,
            preamble=preamble if preamble[0] >= 0 else None,
            headings=state.headings,
            own_last_lines=own_last_lines,
            leaves=state.leaves,
            references={label: entry["href"] for label, entry in state.env.get("references", {}).items()},
            line_starts=state.line_starts,
            is_cut=is_cut,
        )

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803 - markdown-it's names
        """Read the blocks of a container: the list, quote and footnote rules call this."""
        line = startLine
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= MAX_NESTING:
                self._opaque(state, line, endLine)
            else:
                self.step(state, line, endLine)
            line = state.line

    def step(self, state: Any, line: int, end: int) -> Rule | None:
        """Read the block that begins at `line`, move `state.line` behind it, return its rule (None: a paragraph)."""
        if state.sCount[line] - state.blkIndent >= 4:
            code(state, line, end, False)
            return code
        source = state.src
        if line + 1 < end and may_be_delimiter_row(state, line + 1) and table(state, line, end, False):
            for row in range(line, state.line):
                if row != line + 1:
                    start = state.bMarks[row] + state.tShift[row]
                    state.leaves.append(Leaf(start, state.eMarks[row], "row", None))
            return table
        for rule in OPENERS.get(source[state.bMarks[line] + state.tShift[line]], ()):
            if rule(state, line, end, False):
                return rule
        paragraph(state, line, end)
        return None

    @staticmethod
    def _opaque(state: Any, line: int, end: int) -> None:
        following = line + 1
        while following < end and (state.isEmpty(following) or state.sCount[following] >= state.blkIndent):
            following += 1
        state.add_leaf(line, following)
        state.line = following


_MD = CommonMark()
_PARSER = _Parser()
_PARSER.ruler = Ruler()  # type: ignore[assignment]
_MD.block = _PARSER
