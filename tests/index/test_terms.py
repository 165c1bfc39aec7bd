"""Text to terms: words, identifiers, other scripts, and the same answer by every road."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_kb.index.postings import Vocabulary
from jupyter_kb.index.terms import LONGEST, Terms, plainer, term_id, tokens

TEXTS = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("aAbB01 -_.'’+#\n使用命令カタ한국ไทยéßकि\u0301\U0001f600")),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runs RUN", "run run run"),
        ("kube-proxy", "kube proxi kubeproxi"),
        ("kube_proxy", "kube proxi kubeproxi"),
        ("kubeProxy", "kube proxi kubeproxi"),
        ("kubeproxy", "kubeproxi"),
        ("PodSecurityPolicies", "pod secur polici podsecuritypolici"),
        ("HTTPServer2", "http server2 httpserver2"),
        ("IPv6 k8s E0382 iPhone", "ipv6 k8s e0382 iphon"),
        ("v1.29 1.29 2024-01-15", "v1 29 v1.29 29 1.29 2024 01 15 2024-01-15"),
        ("C++ C# F#, a+b #tag c++.", "c++ c# f# a b tag c++"),
        ("don't the user's l'eau", "don dont the user eau leau"),
        ("user’s “quoted” word—word", "user quot word word"),
        ("naïve café Straße ﬁne ÉCOLE", "naiv cafe strass fine ecol"),
        ("cafe\u0301 École ecole", "cafe ecol ecol"),
        ("soft\u00adhyphen", "softhyphen"),
        ("__init__ --dry-run ...", "init dri run dryrun"),
        ("a-b-c-d-e-f", "abcdef"),
        ("one-two-three-four-five", "one two three four five"),
        ("docs.kubernetes.io/foo", "doc kubernet io docskubernetesio foo"),
        ("使用kubectl命令行", "使用 kubectl 命令 令行"),
        ("中", "中"),
        ("東京タワーへ", "東京 京タ タワ ワー ーへ"),
        ("한국어", "한국 국어"),
        ("ภาษา", "ภา าษ ษา"),
        ("ｶﾀｶﾅ ＡＢＣ", "カタ タカ カナ abc"),
        ("हिन्दी में", "हिन्दी में"),
        ("Привет мир", "привет мир"),
        ("𠮷野家", "𠮷野 野家"),
        ("--- * > | \u200b …", ""),
        ("", ""),
    ],
)
def test_text_becomes_terms(text: str, expected: str) -> None:
    assert Terms().of(text) == expected.split()


def test_a_word_that_is_too_long_is_no_term() -> None:
    assert Terms().of("x" * LONGEST) == ["x" * LONGEST]
    assert Terms().of("x" * (LONGEST + 1)) == []


def test_other_languages_have_their_own_stems() -> None:
    assert Terms("german").of("Häuser häuser") == ["haus", "haus"]
    assert Terms("french").of("mangeons école ecole") == ["mangeon", "ecol", "ecol"]
    assert Terms("none").of("Running kube-proxies") == ["running", "kube", "proxies", "kubeproxies"]


def test_a_term_has_the_same_number_for_ever() -> None:
    assert term_id("kubernet") == -774211708676582375
    assert term_id("使用") == -6323006510663054138


@given(TEXTS)
def test_any_text_has_terms_without_error(text: str) -> None:
    terms = Terms().of(text)
    assert all(terms)
    assert all(len(term) <= LONGEST + 20 for term in terms)


@example("0..0")
@given(TEXTS)
def test_the_words_of_a_text_hold_its_terms(text: str) -> None:
    terms = Terms()
    assert [term for word in terms.words(text) for _, term in word] == terms.of(text)


@given(TEXTS)
def test_the_vocabulary_gives_what_the_analysis_gives(text: str) -> None:
    terms = Terms()
    vocabulary = Vocabulary(terms)
    starts = [0]
    found = []
    for token in tokens(text.encode()):
        number = vocabulary[token]
        while len(starts) <= len(vocabulary.sizes):
            starts.append(starts[-1] + vocabulary.sizes[len(starts) - 1])
        found += [vocabulary.hashes[i] for i in vocabulary.flat[starts[number] : starts[number + 1]]]
    assert found == [term_id(term) for term in terms.of(text)]


@given(TEXTS)
def test_a_plainer_token_means_the_same(text: str) -> None:
    for token in tokens(text.encode()):
        assert Terms().of_token(plainer(token)) == Terms().of_token(token)


@given(TEXTS)
def test_case_and_composition_do_not_matter_in_text_without_humps(text: str) -> None:
    if text.islower():
        assert Terms().of(text.upper().lower()) == Terms().of(text.lower())
