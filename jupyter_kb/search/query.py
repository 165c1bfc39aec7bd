"""What a query means. Everything is a query: what is not syntax is a word, and what is no word is passed over.

    calibration light     any of the words; sections with more of them, and with rarer ones, come first
    "dark adaptation"     exactly these words in this order
    +word  -word          the section must have it, must not have it; also before a quoted phrase
    calib*                any word that begins so

A single letter behind a minus, as in `-o yaml`, and words like `--dry-run` are words. Among more than eight other words
quotes are taken for punctuation: a question in prose may quote something and still be answered in other words. Stop
words are passed over, unless there is nothing else or they are quoted or signed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from jupyter_kb.index.terms import Terms, is_unspaced
from jupyter_kb.search.stopwords import stop_words

LONGEST = 4_096
"""Characters; what a query has beyond is passed over."""
MOST_WORDS = 64
"""Further words of a query are passed over."""
PROSE = 8
"""With more words than this outside of quotes a query is prose."""

_ITEM = re.compile(r'(?P<sign>[+-]?)"(?P<phrase>[^"]*)"|(?P<word>\S+)')
_SIGNED = re.compile(r"\+(?=[^\W_])|-(?=[^\W_]{2})")
_LETTER = re.compile(r"[^\W_]")
_BREAK = re.compile(r"[\W_]+")
_PROSE_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True)
class QueryWord:
    """A word, an identifier or a run without spaces.

    `form` is how it is written, in lower case; `terms` are looked up in the index. `prefix`: any word that begins so,
    then without terms. `count` is how often the query has it.
    """

    form: str
    terms: tuple[str, ...] = ()
    prefix: str | None = None
    count: int = 1

    @property
    def is_run(self) -> bool:
        """Whether it is written without spaces: its terms are pairs of its characters."""
        return is_unspaced(self.form[0])


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """Quoted text. A section has it when its `normal` form holds `normal`, and its folded text `literal` (if any)."""

    words: tuple[QueryWord, ...]
    normal: str
    literal: str | None = None

    def is_in(self, text: str) -> bool:
        """Whether the text holds the phrase."""
        return self.normal in normal(text) and (self.literal is None or self.literal in _folded(text))


@dataclass(frozen=True, kw_only=True)
class Query:
    """A parsed query: hits have all of `must` and `phrases`, nothing of `must_not…`, and any of `should`."""

    should: tuple[QueryWord, ...] = ()
    must: tuple[QueryWord, ...] = ()
    must_not: tuple[QueryWord, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    must_not_phrases: tuple[Phrase, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether there is anything that a section could have."""
        return bool(self.should or self.must or self.phrases)

    @property
    def excludes(self) -> bool:
        """Whether there is anything that a section must not have."""
        return bool(self.must_not or self.must_not_phrases)

    @property
    def sought(self) -> tuple[QueryWord, ...]:
        """All words that a section is found by, phrases' included."""
        return (*self.should, *self.must, *(word for phrase in self.phrases for word in phrase.words))


def parse_query(text: str, terms: Terms) -> Query:
    """Read a query; never raises. `terms` is the analysis of the index that is to be asked."""
    text = text[:LONGEST]
    should: list[QueryWord] = []
    signed: dict[str, list[QueryWord]] = {"+": [], "-": []}
    phrases: dict[str, list[Phrase]] = {"": [], "+": [], "-": []}
    items = list(_ITEM.finditer(text))
    prose = sum(len(_PROSE_WORD.findall(item["word"] or "")) for item in items) > PROSE
    for item in items:
        if item["word"] is None:
            phrase = _phrase(item["phrase"], terms)
            if phrase and prose and not item["sign"]:
                should.extend(phrase.words)
            elif phrase:
                phrases[item["sign"]].append(phrase)
            continue
        word = item["word"]
        sign = word[0] if _SIGNED.match(word) else ""
        words = _words(word[len(sign) :], terms)
        (signed[sign] if sign else should).extend(words)
    required = (*phrases[""], *phrases["+"])
    plain = [word for word in should if word.prefix or word.form not in stop_words(terms.language)]
    if not plain and not signed["+"] and not required:
        plain = should
    return Query(
        should=_counted(plain),
        must=_counted(signed["+"]),
        must_not=_counted(signed["-"]),
        phrases=required,
        must_not_phrases=tuple(phrases["-"]),
    )


def normal(text: str) -> str:
    """Words in lower case with one blank around each; runs of a script without spaces are not set apart."""
    words = _BREAK.sub(" ", _folded(text))
    return f" {words.strip()} "


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.replace("’", "'")).casefold()


def _phrase(text: str, terms: Terms) -> Phrase | None:
    words = _words(text, terms)
    if not words:
        return None
    pattern = normal(text)
    # a run without spaces goes on to left and right
    pattern = pattern[1 if is_unspaced(pattern[1]) else 0 : -1 if is_unspaced(pattern[-2]) else None]
    literal = _folded(text) if text.strip() == text and " " not in text and _BREAK.search(text) else None
    return Phrase(words=tuple(words), normal=pattern, literal=literal)


def _words(text: str, terms: Terms) -> list[QueryWord]:
    if text.endswith("*") and "*" not in text[:-1] and " " not in text and _LETTER.search(text):
        form = _BREAK.sub("", _folded(text[:-1]))
        return [QueryWord(form=form, prefix=form)]
    found = []
    for pairs in terms.words(text):
        forms = [form for form, _ in pairs]
        form = forms[0] + "".join(gram[-1] for gram in forms[1:]) if is_unspaced(forms[0][0]) else forms[-1]
        if len(pairs) == 1 and len(form) == 1 and is_unspaced(form):
            found.append(QueryWord(form=form, prefix=form))
        else:
            found.append(QueryWord(form=form, terms=tuple(dict.fromkeys(term for _, term in pairs))))
    return found


def _counted(words: list[QueryWord]) -> tuple[QueryWord, ...]:
    counts = Counter((word.form, word.terms, word.prefix) for word in words)
    return tuple(
        QueryWord(form=form, terms=terms, prefix=prefix, count=count)
        for (form, terms, prefix), count in list(counts.items())[:MOST_WORDS]
    )
