"""The rules that begin and end blocks: markdown-it's own for containers and code, ours for what holds inline text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markdown_it.rules_block import StateBlock, blockquote, fence, hr, html_block, list_block, reference, table
from mdit_py_plugins.footnote.index import footnote_def

from jupyter_kb.markdown.block_state import Heading, Leaf

Rule = Callable[[StateBlock, int, int, bool], bool]

_ATX = re.compile(r"#{1,6}(?![^ \t])")


def may_be_delimiter_row(state: StateBlock, line: int) -> bool:
    """Whether a line begins as the row below a table's head does: without it there is no table to look for."""
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


def paragraph(state: Any, line: int, end: int) -> None:
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
                    and may_be_delimiter_row(state, following + 1)
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
OPENERS: dict[str, tuple[Rule, ...]] = {
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
_TERMINATORS = {**OPENERS, "[": (footnote_def,)}
_ENDING: dict[str, dict[str, tuple[Rule, ...]]] = {
    "reference": _TERMINATORS,
    "blockquote": {first: rules for first, rules in OPENERS.items() if first != "["},
    "list": {"`": (fence,), "~": (fence,), ">": (blockquote,), "*": (hr,), "-": (hr,), "_": (hr,)},
}


class Ruler:
    """For markdown-it's rules: what may end a quote, table, list or definition, as one rule that looks before it
    leaps.
    """

    def __init__(self) -> None:
        self._rules = {chain: [self._rule(by_first)] for chain, by_first in _ENDING.items()}

    def getRules(self, chain: str) -> list[Rule]:  # noqa: N802 - markdown-it's name
        """The rules that may end what `chain` names."""
        return self._rules[chain]

    @staticmethod
    def _rule(by_first: dict[str, tuple[Rule, ...]]) -> Rule:
        def ends(state: StateBlock, line: int, end: int, silent: bool) -> bool:
            rules = by_first.get(state.src[state.bMarks[line] + state.tShift[line]], ())
            return any(rule(state, line, end, silent) for rule in rules)

        return ends
