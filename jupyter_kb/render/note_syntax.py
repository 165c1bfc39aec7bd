"""What notes have and CommonMark has not, as rules for markdown-it: wikilinks, embeds, formulas and comments."""

from __future__ import annotations

from bisect import bisect_right

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar

from jupyter_kb.markdown.inline import scan
from jupyter_kb.markdown.link_syntax import match_wikilink


def add_wikilinks(parser: MarkdownIt) -> None:
    """`[[target|text]]` and `![[target]]` as tokens `wikilink`: `content` is the target, `meta` has `text`, `embed`."""
    parser.inline.ruler.before("link", "wikilink", _wikilink)


def _wikilink(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "[!":
        return False
    match = match_wikilink(state.src, state.pos)
    if not match or match.end() > state.posMax:
        return False
    if not silent:
        embed, target, text = match.groups()
        token = state.push("wikilink", "", 0)
        token.content = target
        token.meta = {"embed": bool(embed), "text": (text or "").strip() or _shown(target)}
    state.pos = match.end()
    return True


def _shown(target: str) -> str:
    """A target as the text of its link: `Note > Heading`."""
    return " > ".join(part.strip() for part in target.split("#") if part.strip()) or target


def add_formulas(parser: MarkdownIt) -> None:
    """`$…$` and `$$…$$`, as the plugin reads them."""
    parser.use(dollarmath_plugin, allow_labels=False, allow_blank_lines=False)
    rule = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)

    def formula(state: StateInline, silent: bool) -> bool:
        if state.pos or not state.src.startswith("$"):
            return rule(state, silent)
        source = state.src
        state.src = source + "\n"  # the plugin takes the last character for the one before the first
        try:
            return rule(state, silent)
        finally:
            state.src = source

    parser.inline.ruler.at("math_inline", formula)


def add_comments(parser: MarkdownIt) -> None:
    """`%%…%%` and `<!-- … -->`, within a paragraph or over several blocks, as nothing at all."""
    parser.inline.ruler.before("escape", "comment", _inline_comment)
    parser.block.ruler.before("fence", "comment", _block_comment, {"alt": ["paragraph", "reference", "blockquote"]})


def _inline_comment(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    if source.startswith("<!--", start):
        if _last_end(state) < start + 4:
            return False
        end = source.find("-->", start + 4) + 3
    elif source.startswith("%%", start):
        marks = _marks(state)
        following = bisect_right(marks, start)
        if following == len(marks) or not following or marks[following - 1] != start:
            return False
        end = marks[following] + 2
    else:
        return False
    if end > state.posMax:
        return False
    state.pos = end
    return True


def _marks(state: StateInline) -> list[int]:
    """Where the marks `%%` of a text stand, those in code left out; found once a text."""
    known = state.env.get("comment marks")
    if known is None or known[0] is not state.src:
        found = [mark.start for mark in scan(state.src, {}) if mark.kind == "comment"]
        known = state.env["comment marks"] = (state.src, found)
    marks: list[int] = known[1]
    return marks


def _last_end(state: StateInline) -> int:
    """Where the last HTML comment of a text ends, -1 where none does; found once a text."""
    known = state.env.get("comment end")
    if known is None or known[0] is not state.src:
        known = state.env["comment end"] = (state.src, state.src.rfind("-->"))
    end: int = known[1]
    return end


_ENDS = {"%%": "%%", "<!--": "-->"}


def _block_comment(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """A comment that begins a line, up to the next line that ends with its other mark."""
    if state.sCount[line] - state.blkIndent >= 4:
        return False
    text = _line(state, line)
    begin = next((mark for mark in _ENDS if text.startswith(mark)), None)
    if begin is None:
        return False
    end = _ENDS[begin]
    if end in text[len(begin) :]:
        if not text.endswith(end) or text.find(end, len(begin)) != len(text) - len(end):
            return False  # text follows on the line: the inline rule leaves the comment out
        following = line
    else:
        hopeless = state.env.setdefault("no comment ends", set())
        if (end, last) in hopeless:
            return False
        following = line + 1
        while following < last and not _line(state, following).endswith(end):
            following += 1
        if following >= last:
            hopeless.add((end, last))
            return False
    if not silent:
        state.line = following + 1
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
