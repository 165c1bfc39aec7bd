"""Passages and snippets: the part that answers, cut at borders, with true marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.index.terms import Terms
from jupyter_kb.search.query import parse_query
from jupyter_kb.search.snippets import PASSAGE_LENGTH, SNIPPET_LENGTH, Marker, plain_text


def marker(query: str) -> Marker:
    terms = Terms()
    return Marker(parse_query(query, terms).sought, terms)


def marked(query: str, text: str) -> str:
    """The snippet with its marks in angle brackets."""
    snippet = marker(query).snippet(text)
    shown, at = "", 0
    for start, end in snippet.marks:
        shown += f"{snippet.text[at:start]}<{snippet.text[start:end]}>"
        at = end
    return shown + snippet.text[at:]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("lamp", "The lamp and the Lamps.", "The <lamp> and the <Lamps>."),
        ("calibrate", "calibration, Calibrating; caliber", "<calibration>, <Calibrating>; caliber"),
        ("policy", "Policies", "<Policies>"),
        ("kube-proxy", "a kube-proxy, a proxy, kube_proxy", "a <kube-proxy>, a <proxy>, <kube_proxy>"),
        ("proxy", "kube-proxy", "kube-<proxy>"),
        ("port", "support port", "support <port>"),
        ("cafe", "Ein Café", "Ein <Café>"),
        ("elan", "mit Élan", "mit <Élan>"),
        ("calib*", "calibrated caliper", "<calibrated> caliper"),
        ("命令行", "使用命令行工具，命令和行", "使用<命令行>工具，<命令>和行"),
        ("命", "生命和命令", "生<命>和<命>令"),
        ("kubectl", "使用kubectl命令", "使用<kubectl>命令"),
        ('"dark adaptation"', "dark things, dark adaptation", "<dark> things, <dark> <adaptation>"),
        ("+lamp -light", "lamp light", "<lamp> light"),
        ("İstanbul", "in İstanbul", "in <İstanbul>"),
        ("lamp", "İİ lamp", "İİ <lamp>"),
        ("lamp", "nothing", "nothing"),
        ("???", "nothing", "nothing"),
        ("lamp", "", ""),
    ],
)
def test_matches_are_marked(query: str, text: str, expected: str) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**bold** and *it* and __b__ a*b 2 * 3 * 4", "bold and it and b a*b 2 * 3 * 4"),
        ("snake_case_word a__b__c", "snake_case_word a__b__c"),
        ("[text](url) ![alt](img.png) [[Note#H]] [[Note|alias]]", "text alt Note#H alias"),
        ("- one\n* two\n1. three\n- [ ] task", "one two three task"),
        ("> quoted\n> > twice", "quoted twice"),
        ("```python\ncode()\n```", "code()"),
        ("`code` and ``x``", "code and x"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("<b>x</b><br/> a < b > c", "x a < b > c"),
        ("a <!-- hidden --> b %% hidden %% c", "a b c"),
        (r"escaped \* \[x\]", "escaped * [x]"),
        ("==mark== ~~gone~~", "mark gone"),
        ("", ""),
    ],
)
def test_markup_is_left_out(text: str, expected: str) -> None:
    assert plain_text(text) == expected


FILLER = "Filling words of no meaning. " * 20


def test_a_short_text_is_its_own_passage() -> None:
    text = "  as it *is*\n\n"
    assert marker("is").passage(text) == text


def test_the_passage_is_where_most_of_the_words_are() -> None:
    text = f"{FILLER}A lamp.\n\n{FILLER * 2}\n\nThe lamp needs dark adaptation.\n\n{FILLER * 2}"
    passage = marker("lamp dark adaptation").passage(text)
    assert "The lamp needs dark adaptation." in passage
    assert len(passage) <= PASSAGE_LENGTH


def test_a_passage_begins_and_ends_where_the_text_has_borders() -> None:
    sentences = [f"Sentence number {i} says something." for i in range(100)]
    text = " ".join(sentences)
    passage = marker("number 57").passage(text)
    assert passage.startswith("Sentence")
    assert passage.endswith("something.")
    assert "Sentence number 57 says" in passage
    assert len(passage) > PASSAGE_LENGTH // 2


def test_a_passage_without_a_match_is_the_beginning() -> None:
    assert marker("nothing").passage("First words. " + FILLER * 3).startswith("First words.")


def test_a_text_without_any_border_is_cut_all_the_same() -> None:
    assert len(marker("x").passage("x" * 5000)) == PASSAGE_LENGTH
    assert len(marker("命").passage("命" * 5000)) == PASSAGE_LENGTH


def test_a_cut_snippet_has_an_ellipsis_at_the_cut() -> None:
    snippet = marker("needle").snippet(FILLER + "The needle is here. " + FILLER)
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")
    assert "needle" in snippet.text
    assert len(snippet.text) <= SNIPPET_LENGTH
    ((start, end),) = snippet.marks
    assert snippet.text[start:end] == "needle"


TEXTS = st.text(
    st.sampled_from("lamp Lamps dark\n.*[]()|`<>命令é \U0001f600") | st.characters(codec="utf-8"), max_size=60
)


@given(st.sampled_from(["lamp dark", "命令", "la*", "élan", "-", '"lamp dark"']), st.lists(TEXTS, max_size=60))
def test_snippets_and_passages_are_sound(query: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    found = marker(query)
    passage, snippet = found.show(text)
    assert len(passage) <= PASSAGE_LENGTH
    assert passage in text
    assert (found.passage(text), found.snippet(text)) == (passage, snippet)
    assert len(snippet.text) <= SNIPPET_LENGTH
    assert "\n" not in snippet.text
    end = 0
    for mark in snippet.marks:
        assert end <= mark[0] < mark[1] <= len(snippet.text)
        end = mark[1]
    for start, end, _ in found.matches(text):
        assert 0 <= start < end <= len(text)
