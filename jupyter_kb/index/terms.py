"""Text to search terms: identifiers whole and in parts, stems, and character bigrams where no spaces are written.

The same analysis serves notes and queries. It is quick since every distinct token is analysed once: a section's text
is split by `bytes.translate` and `bytes.split`, counted in C, and only then looked up in a dict that analyses what it
misses.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from hashlib import blake2b

import Stemmer

Pair = tuple[str, str]
"""A word as written (lower case) and its term."""

LONGEST = 64
"""Characters; longer words (encoded data, mostly) are not terms."""
MOST_PARTS = 4
"""An identifier of more parts is not a term as a whole."""

# Letters, digits, all of UTF-8 beyond ASCII, and what joins the parts of an identifier; the rest separates tokens.
_JOINING = b"-_.'"
_CLINGING = _JOINING + b"+#"
_KEPT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + _CLINGING + bytes(range(0x80, 0x100))
_SPACED = bytes(i if i in _KEPT else 0x20 for i in range(0x100))

# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han; and Hangul, whose words take endings.
UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323af"
)
"""These scripts, as the inside of a character class of `re`."""
_RUN = re.compile(f"[{UNSPACED}]+")
# The first bytes of those scripts in UTF-8 (and of a few others): such a token may be a whole sentence.
_WIDE = re.compile(rb"[\xe0\xe1\xe3-\xed\xf0]")
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
)
_WORD = re.compile(rf"[^\W_{UNSPACED}](?:[{_MARKS}]|[-._']?[^\W_{UNSPACED}])*(?:\+\+|\#(?!\w))?")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TWO_JOINTS = re.compile(r"[-._']{2}")
_JOINT = re.compile(r"[-._']+")
_JOINT_TO_DROP = re.compile(r"(?<!\d)[-._']+|[-._']+(?!\d)")
_SIGNED = re.compile(r"[A-Za-z](?:\+\+|#)")
_SIGNED_BYTES = re.compile(rb"[-_.']*[A-Za-z](?:\+\+|#)")
_DIGIT = re.compile(r"\d")
_ACCENT = re.compile("[\u0300-\u036f]")
_PLAIN_PUNCTUATION = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "\u00ad": None})
_CACHED = 100_000


def tokens(data: bytes) -> list[bytes]:
    """What a text in UTF-8 splits into before analysis: words with what clings to them, and bigrams."""
    found = data.translate(_SPACED).split()
    if not data.isascii() and _WIDE.search(data):
        return [piece for token in found for piece in (_pieces(token) if _WIDE.search(token) else (token,))]
    return found


def plainer(token: bytes) -> bytes:
    """The token itself, or a more frequent one of the same terms: without what clings to it, `Word` as `word`."""
    bare = token.strip(_CLINGING)
    if bare != token and not _SIGNED_BYTES.match(token):
        return bare
    return token.lower() if token.istitle() and token.isalpha() else token


def is_unspaced(character: str) -> bool:
    """Whether the character belongs to a script written without spaces."""
    return _RUN.match(character) is not None


def bigrams(run: str) -> list[str]:
    """A run of a script without spaces as overlapping pairs of characters; a single character as itself."""
    if len(run) == 1:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def term_id(term: str) -> int:
    """The stable 64-bit number (signed) that stands for a term in the postings."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


class Terms:
    """The analysis for one language (a Snowball stemmer's name; `none`: no stemming). One thread at a time."""

    def __init__(self, language: str = "english") -> None:
        self.language = language
        self._stem: Callable[[str], str] = str if language == "none" else Stemmer.Stemmer(language, 0).stemWord
        self._accents_matter = language not in ("english", "porter", "none")
        self._pairs: dict[str, Pair] = {}

    def of(self, text: str) -> list[str]:
        """The terms of a text in order, a compound as its parts and then whole."""
        return [term for token in tokens(text.encode("utf-8", "replace")) for _, term in self.of_token(token)]

    def words(self, text: str) -> list[tuple[Pair, ...]]:
        """As `of`, with the terms of each word together, and those of each run of a script without spaces."""
        found = text.encode("utf-8", "replace").translate(_SPACED).split()
        return [word for token in found for word in self._words(_normal(token)) if word]

    def of_token(self, token: bytes) -> tuple[Pair, ...]:
        """The words and terms of one token: none for mere punctuation, several for an identifier."""
        if token.islower() and token.isalpha():
            return self._known(token.decode("ascii"))
        if token.isascii():
            word = token.strip(_JOINING).decode("ascii")
            if "+" not in word and "#" not in word and not _TWO_JOINTS.search(word):
                return self._word(word) if word else ()
        return tuple(pair for word in self._words(_normal(token)) for pair in word)

    def _words(self, text: str) -> Iterator[tuple[Pair, ...]]:
        at = 0
        for run in _RUN.finditer(text):
            for word in _WORD.findall(text[at : run.start()]):
                yield self._word(word)
            yield tuple(pair for gram in bigrams(run.group()) for pair in self._known(gram))
            at = run.end()
        for word in _WORD.findall(text[at:] if at else text):
            yield self._word(word)

    def _word(self, word: str) -> tuple[Pair, ...]:
        if word[-1] in "+#":
            if _SIGNED.fullmatch(word):
                return ((word.lower(), word.lower()),)
            word = word.rstrip("+#")
        if word[-2:] in ("'s", "'S"):
            word = word[:-2]
        pieces = _JOINT.split(word)
        parts = [part for piece in pieces for part in _humps(piece)]
        if len(parts) == 1:
            return self._known(word.casefold())
        found: list[Pair] = []
        for part in parts:
            if len(part) > 1:
                found += self._known(part.casefold())
        if len(parts) <= MOST_PARTS or not found:
            # one form for kube-proxy, kube_proxy and kubeproxy; joints between digits stay (1.29, 2024-01-15)
            whole = "".join(pieces) if word.isascii() and not _DIGIT.search(word) else _JOINT_TO_DROP.sub("", word)
            found += self._known(whole.casefold())
        return tuple(found)

    def _known(self, form: str) -> tuple[Pair, ...]:
        pair = self._pairs.get(form)
        if pair is None:
            if len(form) > LONGEST:
                return ()
            if len(self._pairs) >= _CACHED:
                self._pairs.clear()
            if form.isascii():
                term = self._stem(form)
            elif self._accents_matter:  # to the stemmer, never to the term
                term = _unaccented(self._stem(form))
            else:
                term = self._stem(_unaccented(form))
            pair = self._pairs[form] = form, term
        return (pair,)


_of_thread = threading.local()


def analysis(language: str) -> Terms:
    """The analysis for a language that this thread used before, with what it remembers, or a new one."""
    found: Terms | None = getattr(_of_thread, "terms", None)
    if found is None or found.language != language:
        found = _of_thread.terms = Terms(language)
    return found


def _normal(token: bytes) -> str:
    text = token.decode("utf-8", "replace")
    return text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_PLAIN_PUNCTUATION))


def _pieces(token: bytes) -> Iterator[bytes]:
    text = token.decode("utf-8", "replace")
    at = 0
    for run in _RUN.finditer(text):
        if run.start() > at:
            yield text[at : run.start()].encode()
        for gram in bigrams(run.group()):
            yield gram.encode()
        at = run.end()
    if at < len(text):
        yield text[at:].encode()


def _humps(piece: str) -> list[str]:
    """`PodSecurityPolicy` in its words; left whole when that would leave a lone letter (`iPhone`, `IPv6`)."""
    if piece.islower() or piece.isupper() or piece.isdigit():
        return [piece]
    parts = _HUMP.split(piece)
    return parts if len(parts) > 1 and min(map(len, parts)) > 1 else [piece]


def _unaccented(word: str) -> str:
    """So that `cafe` finds `café`."""
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))
