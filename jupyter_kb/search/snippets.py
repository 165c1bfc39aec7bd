"""The passage of a text that answers a query best, cut where the text itself has borders, with its matches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jupyter_kb.index.terms import UNSPACED, Terms, is_unspaced
from jupyter_kb.search.query import QueryWord

SNIPPET_LENGTH = 160
PASSAGE_LENGTH = 1_000
_ELLIPSIS = "…"
_SCANNED = 100_000
_SCANNED_CLOSELY = 20_000
"""Characters of a section that are looked at; a match further down does not move the passage."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？；])|\n")
_BLANK = re.compile(r"\s+")
_BORDERS = (_PARAGRAPH, _SENTENCE, _BLANK)
_RUN = re.compile(rf"[^\W_{UNSPACED}]+")

_MARKUP = (
    (re.compile(r"<!--.*?-->|%%.*?%%", re.DOTALL), " "),
    (re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]"), lambda m: m[2] or m[1]),
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>\n]{0,300}>"), " "),
    (
        re.compile(
            r"^[ \t]*(?:>[ \t]?)+|^[ \t]*(?:```|~~~).*$|^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+.*$", re.MULTILINE
        ),
        "",
    ),
    (re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE), ""),
    (re.compile(r"[ \t]*\|[ \t]*"), " "),
    (re.compile(r"(\*\*|__|~~|==)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"`+([^`\n]+)`+"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """A short passage as plain text, with the half-open character ranges of the matched words."""

    text: str
    marks: tuple[tuple[int, int], ...]


class Match(NamedTuple):
    """A matched word: its half-open range, and which word of the query it is."""

    start: int
    end: int
    word: int


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
        ordered = sorted(filter(None, heads), key=lambda head: (-len(head), head))
        runs = [re.escape(head) for head in ordered if is_unspaced(head[0])]
        begun = "|".join(re.escape(head) for head in ordered if not is_unspaced(head[0]))
        alternatives = [*runs, f"(?<![^\\W_])(?:{begun})[^\\W_{UNSPACED}]*"] if begun else runs
        self._expression = re.compile("|".join(alternatives), re.IGNORECASE) if alternatives else None
        self._known: dict[str, int | None] = {}

    def matches(self, text: str) -> list[Match]:
        """The matched words of a text, in order."""
        if self._expression is None:
            return []
        found = self._verified(self._expression.finditer(text, 0, _SCANNED))
        if not found and not text.isascii():  # an accent may hide the beginning of a word
            found = self._verified(_RUN.finditer(text, 0, _SCANNED_CLOSELY))
        return found

    def _verified(self, candidates: Iterable[re.Match[str]]) -> list[Match]:
        known = self._known
        found = []
        for candidate in candidates:
            word = candidate[0]
            if word not in known:
                known[word] = self._number(word)
            number = known[word]
            if number is not None:
                found.append(Match(candidate.start(), candidate.end(), number))
        return found

    def _number(self, word: str) -> int | None:
        """Which word of the query a word of a text answers to."""
        form = word.lower()
        for number, asked in enumerate(self._words):
            if form == asked.form or form == asked.prefix:
                return number
        for pairs in self._terms.words(word):
            for form, term in pairs:
                if term in self._asking:
                    return self._asking[term]
                for number, asked in enumerate(self._words):
                    if asked.prefix and form.startswith(asked.prefix):
                        return number
        return None

    def passage(self, text: str, length: int = PASSAGE_LENGTH) -> str:
        """At most `length` characters of a text: all of it, or the part with most of the words."""
        if len(text) <= length:
            return text
        begin, end = _cut(text, *_densest(self.matches(text), length), length)
        return text[begin:end].strip()

    def snippet(self, text: str, length: int = SNIPPET_LENGTH) -> Snippet:
        """The same, of the text without its markup and on one line, with an ellipsis where it was cut."""
        plain = plain_text(text)
        found = self.matches(plain)
        begin, end = 0, len(plain)
        before = after = ""
        if len(plain) > length:
            begin, end = _cut(plain, *_densest(found, length - 2), length - 2)
            before, after = _ELLIPSIS if begin else "", _ELLIPSIS if end < len(plain) else ""
            begin += len(plain[begin:end]) - len(plain[begin:end].lstrip())
            end = begin + len(plain[begin:end].rstrip())
        shift = len(before) - begin
        marks = [
            (match.start + shift, match.end + shift) for match in found if begin <= match.start and match.end <= end
        ]
        return Snippet(text=before + plain[begin:end] + after, marks=_joined(marks, before + plain[begin:end]))


def plain_text(text: str) -> str:
    """Markdown as one line of plain text, near enough for a glance: link texts, no markup, no comments."""
    for expression, replacement in _MARKUP:
        text = expression.sub(replacement, text)
    return " ".join(text.split())


def _head(term: str) -> str:
    """What words of a term begin with, mostly: stemmers write `i` for `y` (polici: policy, policies)."""
    return term[:-1] if len(term) > 2 and term[-1] == "i" else term


def _densest(matches: Sequence[Match], length: int) -> tuple[int, int]:
    """The range, at most `length` long, with most different words; then with most matches; then the first."""
    best, chosen = (0, 0), (0, 0)
    within: Counter[int] = Counter()
    left = 0
    for right, match in enumerate(matches):
        within[match.word] += 1
        while match.end - matches[left].start > length and left < right:
            word = matches[left].word
            within[word] -= 1
            if not within[word]:
                del within[word]
            left += 1
        rank = (len(within), right - left)
        if rank > best or right == 0:
            best, chosen = rank, (matches[left].start, match.end)
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
