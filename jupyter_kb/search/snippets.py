"""The passage of a text that answers a query best, cut where the text itself has borders, with its matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_kb.index.terms import UNSPACED, Terms, is_unspaced
from jupyter_kb.search.query import QueryWord

SNIPPET_LENGTH = 160
PASSAGE_LENGTH = 1_000
_ELLIPSIS = "…"
_ROUGHLY = 3
"""So many times a snippet's length is freed from markup, to have enough left."""
_SCANNED = 30_000
"""Characters of a section that are looked at; a match further down does not move the passage."""

# Of paragraphs, of sentences and lines, of words.
_BORDERS = (
    ("\n\n",),
    ("\n", ". ", "! ", "? ", ": ", "; ", ".\n", "。", "！", "？", "；"),
    (" ", "\t", "，", "、"),
)
_RUN = re.compile(rf"[^\W_{UNSPACED}]+")

# Each with a text without which it cannot match: most passages hold little markup.
_MARKUP: tuple[tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    ("<!--", re.compile(r"<!--.*?-->", re.DOTALL), " "),
    ("%%", re.compile(r"%%.*?%%", re.DOTALL), " "),
    ("[[", re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]"), lambda found: found[2] or found[1]),
    ("](", re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)"), r"\1"),
    ("<", re.compile(r"</?[A-Za-z][^<>\n]{0,300}>"), " "),
    (">", re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE), ""),
    ("```", re.compile(r"^[ \t]*```.*$", re.MULTILINE), ""),
    ("~~~", re.compile(r"^[ \t]*~~~.*$", re.MULTILINE), ""),
    ("-|", re.compile(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+.*$", re.MULTILINE), ""),
    ("- |", re.compile(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+.*$", re.MULTILINE), ""),
    ("", re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE), ""),
    ("|", re.compile(r"[ \t]*\|[ \t]*"), " "),
    ("**", re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    ("__", re.compile(r"(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)"), r"\1"),
    ("~~", re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
    ("==", re.compile(r"==(?=\S)(.+?)(?<=\S)=="), r"\1"),
    ("*", re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    ("`", re.compile(r"`+([^`\n]+)`+"), r"\1"),
    ("\\", re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """A short passage as plain text, with the half-open character ranges of the matched words."""

    text: str
    marks: tuple[tuple[int, int], ...]


Match = tuple[int, int, int]
"""A matched word: its half-open range, and which word of the query it is."""


class Marker:
    """Finds the words of one query in texts, and the passages that have most of them."""

    def __init__(self, words: Sequence[QueryWord], terms: Terms) -> None:
        self._terms = terms
        self._words = words
        self._asking: dict[str, int] = {}
        for number, word in enumerate(words):
            for term in word.terms:
                self._asking.setdefault(term, number)
        heads = {_head(term) for term in self._asking} | {word.prefix or word.form for word in words}
        self._heads = [(head, is_unspaced(head[0])) for head in sorted(filter(None, heads))]
        self._known: dict[str, int] = {}

    def matches(self, text: str) -> list[Match]:
        """The matched words of a text, in order."""
        text = text[:_SCANNED]
        folded = _lower(text)
        spaced = text.isascii()
        found: dict[int, Match] = {}
        for head, unspaced in self._heads:
            at = folded.find(head)
            while at >= 0:
                end = at + len(head)
                if unspaced:
                    self._take(found, text, at, end)
                elif not at or not (before := folded[at - 1]).isalnum() or (not spaced and is_unspaced(before)):
                    run = _RUN.match(text, at)
                    end = run.end() if run and run.end() > end else end
                    self._take(found, text, at, end)
                at = folded.find(head, end)
        if not found and not spaced:  # an accent may hide the beginning of a word
            for run in _RUN.finditer(text):
                self._take(found, text, *run.span())
        return [found[start] for start in sorted(found)]

    def _take(self, found: dict[int, Match], text: str, start: int, end: int) -> None:
        if start in found and found[start][1] >= end:
            return
        word = text[start:end]
        number = self._known.get(word)
        if number is None:
            number = self._known[word] = self._number(word)
        if number >= 0:
            found[start] = start, end, number

    def _number(self, word: str) -> int:
        form = word.lower()
        for number, asked in enumerate(self._words):
            if form in (asked.form, asked.prefix):
                return number
        for pairs in self._terms.words(word):
            for form, term in pairs:
                if term in self._asking:
                    return self._asking[term]
                for number, asked in enumerate(self._words):
                    if asked.prefix and form.startswith(asked.prefix):
                        return number
        return -1

    def passage(self, text: str) -> str:
        """At most `PASSAGE_LENGTH` characters of a text: all of it, or the part with most of the words."""
        return self.show(text)[0]

    def snippet(self, text: str) -> Snippet:
        """At most `SNIPPET_LENGTH` characters without markup, on one line, with an ellipsis where text was cut off."""
        return self.show(text)[1]

    def show(self, text: str) -> tuple[str, Snippet]:
        """The passage of a text, and the snippet of that passage."""
        found = self.matches(text)
        begin, end = 0, len(text)
        if end > PASSAGE_LENGTH:
            begin, end = _cut(text, *_densest(found, _share(PASSAGE_LENGTH)), PASSAGE_LENGTH)
            begin, end = _stripped(text, begin, end)
            found = [match for match in found if begin <= match[0] and match[1] <= end]
        first, last = _densest(found, _share(SNIPPET_LENGTH))
        passage = text[begin:end]
        return passage, self._snippet(passage, first - begin if found else 0, last - begin if found else 0)

    def _snippet(self, passage: str, first: int, last: int) -> Snippet:
        """A snippet that shows what stands from `first` to `last`."""
        begin, end = _cut(passage, first, last, _ROUGHLY * SNIPPET_LENGTH)
        plain = plain_text(passage[begin:end])
        found = self.matches(plain)
        before = _ELLIPSIS if passage[:begin].strip() else ""
        after = _ELLIPSIS if passage[end:].strip() else ""
        begin, end = 0, len(plain)
        if len(before) + len(plain) + len(after) > SNIPPET_LENGTH:
            begin, end = _cut(plain, *_densest(found, _share(SNIPPET_LENGTH)), SNIPPET_LENGTH - 2)
            before, after = _ELLIPSIS if begin else before, _ELLIPSIS if end < len(plain) else after
            begin, end = _stripped(plain, begin, end)
        shift = len(before) - begin
        marks = [(first + shift, last + shift) for first, last, _ in found if begin <= first and last <= end]
        return Snippet(text=before + plain[begin:end] + after, marks=_joined(marks, before + plain[begin:end]))


def plain_text(text: str) -> str:
    """Markdown as one line of plain text, near enough for a glance: link texts, no markup, no comments."""
    for needed, expression, replacement in _MARKUP:
        if needed in text:
            text = expression.sub(replacement, text)
    return " ".join(text.split())


def _lower(text: str) -> str:
    """In lower case, character for character."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _head(term: str) -> str:
    """What words of a term begin with, mostly: stemmers write `i` for `y` (polici: policy, policies)."""
    return term[:-1] if len(term) > 2 and term[-1] == "i" else term


def _stripped(text: str, begin: int, end: int) -> tuple[int, int]:
    """A range without the blanks at its ends."""
    part = text[begin:end]
    begin += len(part) - len(part.lstrip())
    return begin, begin + len(part.strip())


def _share(length: int) -> int:
    """How much of a passage the matches may take up; the rest is for what stands around them."""
    return length * 2 // 3


def _densest(matches: Sequence[Match], length: int) -> tuple[int, int]:
    """The range, at most `length` long, with most different words; then with most matches; then the first."""
    best, chosen = (0, 0), (0, 0)
    within: dict[int, int] = {}
    left = 0
    for right, (_, end, word) in enumerate(matches):
        within[word] = within.get(word, 0) + 1
        while end - matches[left][0] > length and left < right:
            gone = matches[left][2]
            if within[gone] == 1:
                del within[gone]
            else:
                within[gone] -= 1
            left += 1
        rank = (len(within), right - left)
        if rank > best or right == 0:
            best, chosen = rank, (matches[left][0], end)
    return chosen


def _cut(text: str, first: int, last: int, length: int) -> tuple[int, int]:
    """A range of at most `length` around [first, last): from a border a little before, to a border behind."""
    begin = max(0, first - (length - (last - first)) // 3)
    end = min(len(text), begin + length)
    begin = max(0, min(begin, end - length))
    if begin:
        begin = next((found for borders in _BORDERS if (found := _first_border(text, borders, begin, first))), begin)
        end = min(len(text), begin + length)
    if end < len(text):
        least = max(last, begin + length // 2)
        end = next((found for borders in _BORDERS if (found := _last_border(text, borders, least, end))), end)
    return begin, end


def _first_border(text: str, borders: Sequence[str], begin: int, end: int) -> int:
    """Where the text goes on behind the first of these borders in a range; 0 where there is none."""
    places = [at + len(border) for border in borders if (at := text.find(border, begin, end)) >= 0]
    return min(places, default=0)


def _last_border(text: str, borders: Sequence[str], begin: int, end: int) -> int:
    """Where the text ends at the last of these borders in a range, a full stop included; 0 where there is none."""
    places = [at + len(border.rstrip()) for border in borders if (at := text.rfind(border, begin, end)) >= 0]
    return max(places, default=0)


def _joined(marks: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """Marks that touch, overlap or are parts of one identifier, as one."""
    joined: list[tuple[int, int]] = []
    for start, end in marks:
        if joined and (start <= joined[-1][1] or (start == joined[-1][1] + 1 and text[start - 1] in "-._'")):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)
