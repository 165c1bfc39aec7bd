"""Blocks of a Markdown text: where its headings stand, where each one's own content ends, and where inline text lies.

CommonMark decides, with tables and footnote definitions. The block rules are markdown-it-py's; this module drives them: it looks at a
line's first character before it calls a rule, reads paragraphs in one pass instead of two, keeps ranges instead of tokens, and stays
linear and shallow on text that nests without end. Character offsets count the normalised text (every line end one line feed).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, code, fence, hr, html_block, list_block, reference, table
from markdown_it.token import Token
from mdit_py_plugins.footnote.index import footnote_def

Rule = Callable[[StateBlock, int, int, bool], bool]

# A list takes two levels. Deeper text is taken as one paragraph, which also bounds the Python stack.
MAX_NESTING = 32

_ATX = re.compile(r"#{1,6}(?![^ \t])")


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


class Blocks(NamedTuple):
    """What a text consists of.

    preamble : first and last line of the blocks before the first heading; None where there are none.
    preamble_start : where its text begins.
    own_last_lines : for each heading the last line of the blocks before the next heading; the heading's own where there are none.
    references : destinations of link definitions by normalised label.
    line_starts : where each line begins, and the end of the text.
    """

    preamble: tuple[int, int] | None
    preamble_start: int
    headings: list[Heading]
    own_last_lines: list[int]
    leaves: list[Leaf]
    references: dict[str, str]
    line_starts: list[int]


def read_blocks(text: str) -> Blocks:
    """The blocks of `text`, whose line ends are all line feeds. Never raises; linear in the length of the text."""
    state = _State(text)
    return _PARSER.read(state)


class _State(StateBlock):
    """markdown-it's state of a block parse, built line-wise and without a token stream."""

    def __init__(self, text: str) -> None:
        self.src = text
        self.md = _MD
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


def _columns(line: str, shift: int) -> int:
    columns = 0
    for character in line[:shift]:
        columns += 4 - columns % 4 if character == "\t" else 1
    return columns


class _Parser(ParserBlock):
    """markdown-it's block parser with rules picked by a line's first character."""

    def read(self, state: _State) -> Blocks:
        """Parse the whole text and note what stands at its top level."""
        preamble_start, preamble = 0, (-1, -1)
        own_last_lines: list[int] = []
        line, end = 0, state.lineMax
        while (line := state.skipEmptyLines(line)) < end:
            state.line = line
            rule = self.step(state, line, end)
            last = state.line - 1
            while last > line and state.isEmpty(last):
                last -= 1
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
        )

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
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

    def step(self, state: Any, line: int, end: int) -> Rule:
        """Read one block that begins at `line`, move `state.line` behind it, and return the rule that matched."""
        if state.sCount[line] - state.blkIndent >= 4:
            code(state, line, end, False)
            return code
        source = state.src
        if line + 1 < end and _may_be_delimiter_row(state, line + 1) and table(state, line, end, False):
            for row in range(line, state.line):
                if row != line + 1:
                    start = state.bMarks[row] + state.tShift[row]
                    state.leaves.append(Leaf(start, state.eMarks[row], "row", None))
            return table
        for rule in _OPENERS.get(source[state.bMarks[line] + state.tShift[line]], ()):
            if rule(state, line, end, False):
                return rule
        _paragraph(state, line, end)
        return _paragraph

    @staticmethod
    def _opaque(state: Any, line: int, end: int) -> None:
        following = line + 1
        while following < end and (state.isEmpty(following) or state.sCount[following] >= state.blkIndent):
            following += 1
        state.add_leaf(line, following)
        state.line = following


def _may_be_delimiter_row(state: StateBlock, line: int) -> bool:
    position = state.bMarks[line] + state.tShift[line]
    return position < state.eMarks[line] and state.src[position] in "|-:"


def _atx(state: Any, line: int, end: int, silent: bool) -> bool:
    source = state.src
    start, last = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    found = _ATX.match(source, start, last)
    if not found:
        return False
    if silent:
        return True
    first = found.end()
    while last > first and source[last - 1] in " \t":
        last -= 1
    closing = last
    while closing > first and source[closing - 1] == "#":
        closing -= 1
    if closing > first and source[closing - 1] in " \t":
        last = closing
    while last > first and source[last - 1] in " \t":
        last -= 1
    while first < last and source[first] in " \t":
        first += 1
    if not state.level:
        state.headings.append(Heading(found.end() - start, line, line, first, last))
    if first < last:
        state.leaves.append(Leaf(first, last, "text", None))
    state.line = line + 1
    return True


def _paragraph(state: Any, line: int, end: int) -> None:
    """A paragraph, or the setext heading that it turns out to be."""
    parent = state.parentType
    state.parentType = "paragraph"
    following, level = _scan(state, line, end)
    if not level and end != state.lineMax:
        # A paragraph may be continued below the container that it began in; a heading may not.
        following, level = _scan(state, line, state.lineMax)
        level = 0
    state.parentType = parent
    state.add_leaf(line, following)
    state.line = following
    if level:
        state.line += 1
        if not state.level:
            leaf = state.leaves[-1]
            state.headings.append(Heading(level, line, following, leaf.start, leaf.end))


def _scan(state: Any, line: int, end: int) -> tuple[int, int]:
    """Where the paragraph that begins at `line` ends, and the level that its underline gives it (0: none)."""
    source, marks, shifts, ends, indents = state.src, state.bMarks, state.tShift, state.eMarks, state.sCount
    base = state.blkIndent
    deepest = base + 3
    following = line + 1
    while following < end:
        position = marks[following] + shifts[following]
        last = ends[following]
        if position >= last:
            break
        indent = indents[following]
        if indent <= deepest:
            first = source[position]
            if first in "-=" and indent >= base and not source[position:last].rstrip(" \t").strip(first):
                return following, 1 if first == "=" else 2
            if indent >= 0:
                rules = _TERMINATORS.get(first)
                if rules and any(rule(state, following, end, True) for rule in rules):
                    break
                if (
                    following + 1 < end
                    and _may_be_delimiter_row(state, following + 1)
                    and table(state, following, end, True)
                ):
                    break
        following += 1
    return following, 0


def _html(state: Any, line: int, end: int, silent: bool) -> bool:
    if not html_block(state, line, end, silent):
        return False
    if not silent:
        state.add_leaf(line, state.line, "html")
    return True


# The rules that may begin at a line, and those that may end a paragraph, by first character, in markdown-it's order.
_OPENERS: dict[str, tuple[Rule, ...]] = {
    "`": (fence,),
    "~": (fence,),
    ">": (blockquote,),
    "*": (hr, list_block),
    "-": (hr, list_block),
    "_": (hr,),
    "+": (list_block,),
    **dict.fromkeys("0123456789", (list_block,)),
    "[": (footnote_def, reference),
    "<": (_html,),
    "#": (_atx,),
}
_TERMINATORS = {**_OPENERS, "[": (footnote_def,)}
_ENDING: dict[str, dict[str, tuple[Rule, ...]]] = {
    "reference": _TERMINATORS,
    "blockquote": {first: rules for first, rules in _OPENERS.items() if first != "["},
    "list": {"`": (fence,), "~": (fence,), ">": (blockquote,), "*": (hr,), "-": (hr,), "_": (hr,)},
}


class _Ruler:
    """For markdown-it's rules: what may end a quote, table, list item or definition, as one rule that looks before it leaps."""

    def __init__(self) -> None:
        self._rules = {chain: [self._rule(by_first)] for chain, by_first in _ENDING.items()}

    def getRules(self, chain: str) -> list[Rule]:  # noqa: N802 - markdown-it's name
        return self._rules[chain]

    @staticmethod
    def _rule(by_first: dict[str, tuple[Rule, ...]]) -> Rule:
        def ends(state: StateBlock, line: int, end: int, silent: bool) -> bool:
            rules = by_first.get(state.src[state.bMarks[line] + state.tShift[line]], ())
            return any(rule(state, line, end, silent) for rule in rules)

        return ends


def _parser() -> tuple[MarkdownIt, _Parser]:
    md = MarkdownIt("commonmark")
    parser = _Parser()
    parser.ruler = _Ruler()  # type: ignore[assignment]
    md.block = parser
    # A definition's destination is kept as it is written, whatever it points to.
    md.normalizeLink = str  # type: ignore[method-assign]
    md.validateLink = lambda _url: True  # type: ignore[method-assign]
    return md, parser


_MD, _PARSER = _parser()


def trimmed(text: str) -> str:
    """`text` without the white space that CommonMark takes off the ends of inline text."""
    return text.strip(MD_TRIM_CHARS)
