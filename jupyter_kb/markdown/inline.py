"""The links, tags and comment marks in one stretch of inline Markdown, each with its place; one pass, linear.

Code spans, autolinks, HTML tags, HTML comments and backslash escapes hide what is in them, as CommonMark says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from operator import itemgetter
from typing import Literal, NamedTuple

from markdown_it.common.utils import normalizeReference, unescapeAll

from jupyter_kb.markdown.link_syntax import inline_target, match_wikilink

MarkKind = Literal["wikilink", "embed", "markdown", "image", "tag", "comment"]


class Mark(NamedTuple):
    """Something found at `start:end` (characters of the text).

    `target` is as written: of a wikilink what stands before the first `|`, of a Markdown link its destination, of a tag
    its name.
    """

    start: int
    end: int
    kind: MarkKind
    target: str
    text: str | None


_SPECIAL = re.compile(r"[\\`<\[\]!#%]")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_TICKS = re.compile(r"`+")
_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]++@[A-Za-z0-9.-]++)>"
)
_TAG_NAME = r"[A-Za-z][A-Za-z0-9-]*+"
_ATTRIBUTE = r"\s++[A-Za-z_:][A-Za-z0-9:._-]*+(?:\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*+'|\"[^\"]*+\"))?+"
_HTML_TAG = re.compile(rf"<(?:{_TAG_NAME}(?:{_ATTRIBUTE})*+\s*+/?>|/{_TAG_NAME}\s*+>)")
_HTML_REST = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_HIDDEN_HTML = re.compile(r"\s*<(?:script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_HTML_SPECIAL = re.compile(r"<|!?\[\[")

_beginning = itemgetter(0)

_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999}+)\]", re.DOTALL)
# Pictures nest in pictures: whole texts of a thousand nested ones would take a million times the room.
_MAX_TEXT = 1000

# Obsidian's tags: any run without blanks and punctuation, `/`, `-` and `_` apart, that is not a number.
_HASHTAG = re.compile(r"#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]+)")


def scan(text: str, references: Mapping[str, str], *, passed: list[tuple[int, int]] | None = None) -> list[Mark]:
    """The marks of a paragraph, heading or table cell, in order of their beginnings.

    `references` maps normalised labels of link definitions to destinations. A comment mark is one `%%`, target and text
    empty. `passed` gets the places of what is no mark and no prose either: code, HTML tags, addresses in `<…>`.
    """
    return _Scan(text, references, passed).marks()


def scan_html(text: str) -> list[Mark]:
    """The wikilinks in the text of an HTML block, outside tags, comments, scripts, styles and preformatted text."""
    if _HIDDEN_HTML.match(text):
        return []
    found: list[Mark] = []
    scanner = _Scan(text, {})
    position = 0
    while match := _HTML_SPECIAL.search(text, position):
        position = match.start()
        if text[position] == "<":
            position = scanner.html_end(position) or position + 1
        else:
            position = scanner.wikilink(position, found) or position + 1
    return found


class _Brackets:
    """The brackets that are open: where each begins, where its text begins, and whether it is an image's."""

    def __init__(self) -> None:
        self._stack: list[tuple[int, int, bool]] = []
        # The brackets below this height stand around a link already, and links do not nest.
        self._inactive = 0

    def open(self, position: int, *, behind: int, image: bool) -> None:
        self._stack.append((position, behind, image))

    def close(self) -> tuple[int, int, bool] | None:
        """Take off the last one; None where there is none or it can begin no link any more."""
        if not self._stack:
            return None
        bracket = self._stack.pop()
        active = bracket[2] or len(self._stack) >= self._inactive
        self._inactive = min(self._inactive, len(self._stack))
        return bracket if active else None

    def deactivate(self) -> None:
        self._inactive = len(self._stack)


class _Scan:
    def __init__(self, text: str, references: Mapping[str, str], passed: list[tuple[int, int]] | None = None) -> None:
        self.text = text
        self.references = references
        self._passed = passed
        self._closers: dict[int, list[int]] | None = None
        self._last: dict[str, int] = {}

    def marks(self) -> list[Mark]:
        text = self.text
        found: list[Mark] = []
        brackets = _Brackets()
        position = 0
        while match := _SPECIAL.search(text, position):
            position = match.start()
            character = text[position]
            if character == "[":
                end = self.wikilink(position, found)
                if not end:
                    brackets.open(position, behind=position + 1, image=False)
                position = end or position + 1
            elif character == "]":
                position = self._close_bracket(position, brackets, found)
            elif character == "\\":
                position += 2 if text[position + 1 : position + 2] in _ESCAPABLE else 1
            elif character == "`":
                position = self._pass(position, self._code_end(position))
            elif character == "<":
                autolink = _AUTOLINK.match(text, position)
                end = (autolink.end() if autolink else self.html_end(position)) or position + 1
                position = self._pass(position, end)
            elif character == "!":
                if not text.startswith("[", position + 1):
                    position += 1
                elif end := self.wikilink(position, found):
                    position = end
                else:
                    brackets.open(position, behind=position + 2, image=True)
                    position += 2
            elif character == "#":
                position = self._tag(position, found)
            elif text.startswith("%%", position):
                found.append(Mark(position, position + 2, "comment", "", None))
                position += 2
            else:
                position += 1
        found.sort(key=_beginning)
        return found

    def _pass(self, start: int, end: int) -> int:
        if self._passed is not None:
            self._passed.append((start, end))
        return end

    def _close_bracket(self, position: int, brackets: _Brackets, found: list[Mark]) -> int:
        bracket = brackets.close()
        if bracket is None:
            return position + 1
        start, inner, image = bracket
        link = self._link(inner, position + 1)
        if link is None:
            return position + 1
        target, end = link
        label = self.text[inner : min(position, inner + _MAX_TEXT)]
        found.append(Mark(start, end, "image" if image else "markdown", target, label))
        if not image:
            brackets.deactivate()
        return end

    def wikilink(self, position: int, found: list[Mark]) -> int:
        """Keep the wikilink or embed that begins at `position`; the place behind it, 0 where there is none."""
        match = match_wikilink(self.text, position)
        if not match or ("`" in match[0] and self._code_reaches_out(position, match.end())):
            return 0
        embed, target, text = match.groups()
        found.append(Mark(position, match.end(), "embed" if embed else "wikilink", target, text or None))
        return match.end()

    def html_end(self, position: int) -> int:
        """The place behind the HTML tag, comment, declaration or instruction at `position`, 0 where there is none."""
        text = self.text
        tag = _HTML_TAG.match(text, position)
        if tag:
            return tag.end()
        for opening, closing in _HTML_REST:
            if not text.startswith(opening, position):
                continue
            if opening == "<!--" and (short := re.match(r"<!---?>", text[position : position + 5])):
                return position + short.end()
            if opening == "<!" and not text[position + 2 : position + 3].isalpha():
                return 0
            # Where the end is known to be missing, nobody looks for it again.
            if closing not in self._last:
                self._last[closing] = text.rfind(closing)
            if self._last[closing] < position + len(opening):
                return 0
            return text.find(closing, position + len(opening)) + len(closing)
        return 0

    def _code_end(self, position: int) -> int:
        """The place behind the code span that the backticks at `position` open, or behind them where they open none."""
        ticks = _TICKS.match(self.text, position)
        assert ticks
        if self._closers is None:
            self._closers = {}
            for run in _TICKS.finditer(self.text):
                self._closers.setdefault(len(run[0]), []).append(run.start())
        closers = self._closers.get(len(ticks[0]), [])
        index = bisect_left(closers, ticks.end())
        return closers[index] + len(ticks[0]) if index < len(closers) else ticks.end()

    def _code_reaches_out(self, start: int, end: int) -> bool:
        """Whether a code span begins in this range and ends behind it."""
        position = start
        while (found := self.text.find("`", position, end)) >= 0:
            position = self._code_end(found)
        return position > end

    def _link(self, inner: int, behind: int) -> tuple[str, int] | None:
        """Destination and end of the link whose text begins at `inner` and whose `]` stands before `behind`."""
        text = self.text
        following = text[behind : behind + 1]
        if following == "(" and (inline := inline_target(text, behind + 1)):
            return inline
        if not self.references:
            return None
        end = behind
        label = text[inner : behind - 1] if behind - inner <= 1000 else ""
        if following == "[" and (full := _LABEL.match(text, behind)):
            end = full.end()
            label = full[1] or label
        if not label or "[" in label.replace("\\[", ""):
            return None
        target = self.references.get(normalizeReference(label))
        return None if target is None else (target, end)

    def _tag(self, position: int, found: list[Mark]) -> int:
        text = self.text
        match = _HASHTAG.match(text, position)
        if not match:
            return position + 1
        name = match[1].rstrip("/")
        if (position == 0 or text[position - 1].isspace()) and name and not name.isdigit():
            found.append(Mark(position, match.end(), "tag", name, None))
        return match.end()


def unescaped(target: str) -> str:
    """A destination without backslash escapes and with its entities decoded."""
    return unescapeAll(target)
