"""What a query is taken to mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.index.terms import Terms
from jupyter_kb.search.query import LONGEST, MOST_WORDS, Phrase, Query, QueryWord, normal, parse_query
from jupyter_kb.search.stopwords import stop_words


def parse(text: str, language: str = "english") -> Query:
    return parse_query(text, Terms(language))


def shown(words: tuple[QueryWord, ...]) -> str:
    return " ".join(f"{word.prefix}*" if word.prefix else "+".join(word.terms) for word in words)


def described(query: Query) -> str:
    """A query on one line: should | must | must not | phrases | phrases that must not be."""
    phrases = (f'"{phrase.normal}"' for phrase in query.phrases)
    excluded = (f'"{phrase.normal}"' for phrase in query.must_not_phrases)
    parts = [shown(query.should), shown(query.must), shown(query.must_not), " ".join(phrases), " ".join(excluded)]
    return "|".join(parts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calibration light", "calibr light||||"),
        ("how do I calibrate the lamp", "calibr lamp||||"),
        ("to be or not to be", "to be or not||||"),
        ("+lamp -dark light", "light|lamp|dark||"),
        ("-dark", "||dark||"),
        ("+the lamp", "lamp|the|||"),
        ('"dark adaptation" lamp', 'lamp|||" dark adaptation "|'),
        ('-"dark adaptation" lamp', 'lamp||||" dark adaptation "'),
        ('+"dark adaptation"', '|||" dark adaptation "|'),
        ('"the"', '|||" the "|'),
        ('"unclosed phrase', "unclos phrase||||"),
        ('""', "||||"),
        ('"..."', "||||"),
        ("calib*", "calib*||||"),
        ("+calib* -dar*", "|calib*|dar*||"),
        ("kube-pro*", "kubepro*||||"),
        ("*", "||||"),
        ("**bold**", "bold||||"),
        ("a*b", "b||||"),
        ("- + -- ++ +- -+", "||||"),
        ("-o yaml", "o yaml||||"),
        ("--dry-run", "dri+run+dryrun||||"),
        ("-dry-run x", "x||dri+run+dryrun||"),
        ("C++ C#", "c++ c#||||"),
        ("kube-proxy", "kube+proxi+kubeproxi||||"),
        ('"kube-proxy"', '|||" kube proxy "|'),
        ("使用命令行", "使用+用命+命令+令行||||"),
        ("使用kubectl命令", "使用 kubectl 命令||||"),
        ("命", "命*||||"),
        ('"命令行"', "|||\"命令行\"|"),
        ('"用 kubectl"', "|||\"用 kubectl \"|"),
        ("tag:x path:(y) [z] {w} ^v ~u", "tag x path y z w v u||||"),
        ('title:"x y"', "titl x y||||"),
        ("???", "||||"),
        ("", "||||"),
        (" \t\n", "||||"),
        ("café", "cafe||||"),
    ],
)  # fmt: skip
def test_a_query_means(text: str, expected: str) -> None:
    assert described(parse(text)) == expected


def test_in_prose_quotes_are_punctuation() -> None:
    prose = 'articles on text formatting systems including "what you see is what you get" systems and editors'
    assert not parse(prose).phrases
    assert {"see", "get"} <= {word.form for word in parse(prose).should}
    assert parse(prose.replace('"what', '+"what')).phrases
    assert parse(prose.replace('"what', '-"what')).must_not_phrases


def test_a_word_said_twice_counts_twice() -> None:
    assert [(word.form, word.count) for word in parse("lamp light lamp").should] == [("lamp", 2), ("light", 1)]


def test_a_very_long_query_is_cut() -> None:
    assert len(parse(" ".join(f"word{i}" for i in range(1000))).should) == MOST_WORDS


def test_stop_words_go_by_language() -> None:
    assert described(parse("wie ist die Lampe", "german")) == "lamp||||"
    assert described(parse("wie ist die Lampe", "english")) == "wie ist die lamp||||"
    assert described(parse("quelle est la lampe", "french")) == "lamp||||"
    assert stop_words("klingon") == frozenset()


def test_stop_words_are_as_their_language_writes_them() -> None:
    for language in ("english", "german", "french", "spanish", "russian", "danish"):
        words = stop_words(language)
        assert words
        assert all(word == word.lower() for word in words)


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("dark adaptation", "after Dark  adaptation,", True),
        ("dark adaptation", "dark\nadaptation", True),
        ("dark adaptation", "dark **adaptation**", True),
        ("dark adaptation", "dark adaptations", False),
        ("dark adaptation", "adaptation dark", False),
        ("dark adaptation", "the dark_adaptation", True),
        ("kube-proxy", "the kube-proxy!", True),
        ("kube-proxy", "the kube proxy", False),
        ("E0382", "error E0382.", True),
        ("E0382", "error E03825", False),
        ("命令行", "使用命令行工具", True),
        ("命令行", "命令 行", False),
        ("用 kubectl", "使用 kubectl 命令", True),
        ("Straße", "STRASSE", True),
        ("don’t", "don't", True),
    ],
)
def test_a_phrase_is_in_a_text_or_not(phrase: str, text: str, there: bool) -> None:
    (found,) = parse(f'"{phrase}"').phrases
    assert found.is_in(text) is there


def test_normal_text_has_words_between_single_blanks() -> None:
    assert normal("  The *Dark*--adaptation_x\n") == " the dark adaptation x "
    assert normal("") == "  "


@given(st.text(st.sampled_from('ab +-"*.…命é\u0301\n\0') | st.characters(codec="utf-8"), max_size=30))
def test_every_text_is_a_query(text: str) -> None:
    query = parse(text)
    for word in (*query.sought, *query.must_not):
        assert word.form
        assert bool(word.terms) != bool(word.prefix)
    assert query.asks == bool(query.sought)


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5), min_size=1, max_size=3))
def test_a_phrase_is_in_the_text_it_was_taken_from(words: list[str]) -> None:
    text = " ".join(words)
    for phrase in parse(f'"{text}"').phrases:
        assert isinstance(phrase, Phrase)
        assert phrase.is_in(f"before {text} after")


def test_a_long_query_is_read_up_to_a_limit_and_in_no_time() -> None:
    for text in ("a" * 200_000, "x " * 1_000_000, '"' * 100_000, "*" * 100_000 + "a*", "-" * 100_000):
        parse_query(text, Terms())
    assert parse_query("word " * 1_000 + "late", Terms()).should[0].count <= LONGEST // 5 + 1
