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

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？；])|\n")
_BLANK = re.compile(r"\s+")
_BORDERS = (_PARAGRAPH, _SENTENCE, _BLANK)
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
        self._heads = sorted(filter(None, heads))
        self._known: dict[str, int] = {}

    def matches(self, text: str) -> list[Match]:
        """The matched words of a text, in order."""
        text = text[:_SCANNED]
        folded = _lower(text)
        found: dict[int, Match] = {}
        for head in self._heads:
            unspaced = is_unspaced(head[0])
            at = folded.find(head)
            while at >= 0:
                end = at + len(head)
                if unspaced:
                    self._take(found, text, at, end)
                elif not (at and folded[at - 1].isalnum() and not is_unspaced(folded[at - 1])) and at not in found:
                    run = _RUN.match(text, at)
                    end = max(end, run.end() if run else 0)
                    self._take(found, text, at, end)
                at = folded.find(head, end)
        if not found and not text.isascii():  # an accent may hide the beginning of a word
            for run in _RUN.finditer(text):
                self._take(found, text, *run.span())
        return [found[start] for start in sorted(found)]

    def _take(self, found: dict[int, Match], text: str, start: int, end: int) -> None:
        word = text[start:end]
        number = self._known.get(word)
        if number is None:
            number = self._known[word] = self._number(word)
        if number >= 0 and (start not in found or found[start][1] < end):
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

    def passage(self, text: str, length: int = PASSAGE_LENGTH) -> str:
        """At most `length` characters of a text: all of it, or the part with most of the words."""
        if len(text) <= length:
            return text
        begin, end = _cut(text, *_densest(self.matches(text), _share(length)), length)
        return text[begin:end].strip()

    def snippet(self, text: str, length: int = SNIPPET_LENGTH) -> Snippet:
        """The same of the text without its markup and on one line, with an ellipsis where it was cut."""
        begin, end = _cut(text, *_densest(self.matches(text), _share(length)), _ROUGHLY * length)
        plain = plain_text(text[begin:end])
        found = self.matches(plain)
        before = _ELLIPSIS if text[:begin].strip() else ""
        after = _ELLIPSIS if text[end:].strip() else ""
        begin, end = 0, len(plain)
        if len(plain) + len(before) + len(after) > length:
            begin, end = _cut(plain, *_densest(found, _share(length)), length - 2)
            before, after = _ELLIPSIS if begin else before, _ELLIPSIS if end < len(plain) else after
            begin += len(plain[begin:end]) - len(plain[begin:end].lstrip())
            end = begin + len(plain[begin:end].rstrip())
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
        begin = next(
            (
                found.end()
                for border in _BORDERS
                if (found := border.search(text, begin, first + 1)) and found.end() <= first
            ),
            begin,
        )
        end = min(len(text), begin + length)
    if end < len(text):
        least = max(last, begin + length // 2)
        borders = ((found.start() for found in border.finditer(text, least, end + 1)) for border in _BORDERS)
        ends = (max((place for place in places if last <= place <= end), default=None) for places in borders)
        end = next((place for place in ends if place is not None), end)
    return begin, end


def _joined(marks: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """Marks that touch, overlap or are parts of one identifier, as one."""
    joined: list[tuple[int, int]] = []
    for start, end in marks:
        if joined and (start <= joined[-1][1] or (start == joined[-1][1] + 1 and text[start - 1] in "-._'")):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)
