"""Text to search terms: words and identifiers whole and in parts, stems, and character bigrams where no spaces are written.

The same analysis serves notes and queries. It is quick since every distinct token is analysed once: a section's text is
split by `bytes.translate` and `bytes.split`, counted in C, and only then looked up in a dict that analyses what it misses.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import Stemmer
from numpy.typing import NDArray

# Letters, digits, all of UTF-8 beyond ASCII, and what joins the parts of an identifier; the rest separates tokens.
_KEPT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.'+#" + bytes(range(0x80, 0x100))
_SPACED = bytes(i if i in _KEPT else 0x20 for i in range(0x100))

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul (its words take endings).
_UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323af"
)
_RUN = re.compile(rf"[{_UNSPACED}]+")
# First bytes in UTF-8 of those scripts: such tokens are whole sentences, so they are analysed but not remembered.
_WIDE = re.compile(rb"[\xe0\xe1\xe3-\xed\xf0]")
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
_WORD = re.compile(rf"[^\W_{_UNSPACED}](?:[{_MARKS}]|[-._']?[^\W_{_UNSPACED}])*(?:\+\+|\#(?!\w))?")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[-._']+")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "\u00ad": None})
_SIGNED = re.compile(r"[A-Za-z](?:\+\+|#)$")

LONGEST = 64
"""Characters; longer words (encoded data, mostly) are not terms."""

_CACHED = 200_000


def term_id(term: str) -> int:
    """The stable 64-bit number (signed) that stands for a term in the postings."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


class Terms:
    """The analysis for one language (`none`: no stemming). Not for use by several threads at once."""

    def __init__(self, language: str = "english") -> None:
        self.language = language
        self._stem = _stemmer(language)
        self._forms: dict[str, tuple[tuple[str, str], ...]] = {}

    def of(self, text: str) -> list[str]:
        """The terms of a text in order, a compound as its parts and then whole."""
        return [term for token in tokens(text.encode("utf-8", "replace")) for _, term in self.of_token(token)]

    def of_token(self, token: bytes) -> tuple[tuple[str, str], ...]:
        """(form, term) pairs of one token: the lower-case word as written, and its stem."""
        if token.isalpha() and token.isascii():
            word = token.decode("ascii")
            return self._word(word)
        text = token.decode("utf-8", "replace")
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text.translate(_QUOTES))
        if _WIDE.search(token):
            return tuple(self._mixed(text))
        return tuple(pair for word in _WORD.findall(text) for pair in self._word(word))

    def _mixed(self, text: str) -> Iterable[tuple[str, str]]:
        at = 0
        for run in _RUN.finditer(text):
            for word in _WORD.findall(text[at : run.start()]):
                yield from self._word(word)
            for gram in bigrams(run.group()):
                yield gram, gram
            at = run.end()
        for word in _WORD.findall(text[at:]):
            yield from self._word(word)

    def _word(self, word: str) -> tuple[tuple[str, str], ...]:
        known = self._forms.get(word)
        if known is None:
            if len(self._forms) >= _CACHED:
                self._forms.clear()
            known = self._forms[word] = tuple(self._analyse(word))
        return known

    def _analyse(self, word: str) -> Iterable[tuple[str, str]]:
        if word[-1:] in "+#" and _SIGNED.match(word):
            yield word.lower(), word.lower()
            return
        word = word.rstrip("+#")
        if word[-2:] in ("'s", "'S"):
            word = word[:-2]
        parts = [part for piece in _JOINT.split(word) if piece for part in _humps(piece)]
        if len(parts) > 1:
            for part in dict.fromkeys(parts):
                if len(part) > 1:
                    yield from self._simple(part)
            yield from self._simple(_joined(word))
        else:
            yield from self._simple(word)

    def _simple(self, word: str) -> Iterable[tuple[str, str]]:
        if len(word) > LONGEST:
            return
        form = word.casefold()
        if form.isascii():
            yield form, self._stem(form)
        else:
            yield form, _unmarked(self._stem(form))


def tokens(data: bytes) -> list[bytes]:
    """What a text in UTF-8 splits into before analysis."""
    return data.translate(_SPACED).split()


def bigrams(run: str) -> list[str]:
    """A run of a script without spaces as overlapping pairs of characters; a single character as itself."""
    if len(run) == 1:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _humps(piece: str) -> list[str]:
    """`PodSecurityPolicy` in its words; left whole when that would leave a lone letter (`iPhone`, `IPv6`)."""
    if piece.islower() or piece.isupper():
        return [piece]
    parts = _HUMP.split(piece)
    return parts if min(map(len, parts)) > 1 else [piece]


def _joined(word: str) -> str:
    """One form for kube-proxy, kube_proxy and kubeproxy; joints between digits stay (1.29, 2024-01-15)."""
    return re.sub(r"(?<!\d)[-._']+|[-._']+(?!\d)", "", word)


def _unmarked(word: str) -> str:
    """Without accents, so that `cafe` finds `café`."""
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare)


def _stemmer(language: str):  # type: ignore[no-untyped-def]
    if language == "none":
        return str
    return Stemmer.Stemmer(language).stemWord
