"""How texts are cut into chunks, and what names a chunk."""

from __future__ import annotations

import time
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jupyter_kb.index import chunks
from jupyter_kb.index.chunks import LENGTH, SPARE, context, embedded, key, split
from tests.markdown import cases
from tests.markdown.strategies import bodies, words

SMALL = patch.multiple(chunks, LENGTH=60, SPARE=15)
"""A chunk that fits on a line, so that short texts meet every rule."""


@pytest.mark.parametrize("case", cases.load("chunks.md"), ids=str)
def test_a_text_is_cut_at_borders(case):
    text = case.data("text").decode()
    with SMALL:
        found = [text[start:end] + "\n" for start, end in split(text)]
    assert found == [block.data.decode() for block in case.of("chunk")]


TEXTS = st.one_of(
    bodies(),
    st.text(st.sampled_from("ab .!?。，\n\t`~->1)\u2028\U0001f600\0"), max_size=400),
    st.lists(words(), max_size=60).map("".join),
)


@given(TEXTS)
def test_no_character_is_lost_or_doubled_and_no_chunk_is_too_long(text):
    with SMALL:
        spans = split(text)
    at = 0
    for start, end in spans:
        assert not text[at:start].strip(), "only white space is left out"
        assert 0 < end - start <= 75
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@given(TEXTS)
def test_a_text_that_fits_is_one_chunk(text):
    assume(text.strip() and len(text) <= LENGTH)
    assert [text[start:end] for start, end in split(text)] == [text.strip()]


@given(st.lists(words(), max_size=8), st.lists(st.sampled_from(["a. b", "", "- x", "``", "    c"]), max_size=6), TEXTS)
def test_a_fence_that_fits_is_never_cut(before, inside, after):
    fence = "\n".join(["~~~~~", *inside, "~~~~~"])
    lead = "\n".join(line.replace("~", "").replace("`", "") for line in before)
    text = f"{lead}\n\n{fence}\n\n{after}"
    with SMALL:
        spans = split(text)
    begin = len(lead) + 2
    assert len(fence) <= 60
    assert any(start <= begin and begin + len(fence) <= end for start, end in spans)


def test_a_chunk_of_full_size_is_about_a_thousand_characters():
    text = "A sentence of words. " * 500
    lengths = [end - start for start, end in split(text)]
    assert (LENGTH, SPARE) == (1_000, 250)
    assert all(900 < length <= 1_000 for length in lengths[:-1])


HOSTILE = {
    "backticks": "`" * 100_000,
    "one line of 8 MB": "a" * 8_000_000,
    "a million newlines": "\n" * 1_000_000,
    "blanks between letters": "x" + " " * 2_000_000 + "x",
    "lines of blanks": ("\t" * 5_000 + "\n") * 200 + "x",
    "blanks before marks": (" " * 5_000 + "-") * 200,
    "quotation marks": ".\"')]" * 300_000,
    "fences": "```\n" * 200_000,
    "digits": "1" * 1_000_000,
    "words": "word " * 200_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_take_time_in_proportion_to_their_length(text):
    begin = time.perf_counter()
    split(text)
    # the slowest takes 0.7 µs a character; one that is quadratic would take hours
    assert time.perf_counter() - begin < 1 + 10e-6 * len(text)


@pytest.mark.parametrize(
    ("title", "path", "expected"),
    [
        ("Kite", "Flight > Launch", "Kite > Flight > Launch"),
        ("Kite", "Kite > Launch", "Kite > Launch"),
        ("Kite", "Kite", "Kite"),
        ("Kite", "Kites > Launch", "Kite > Kites > Launch"),
        ("A > B", "A > B > C", "A > B > C"),
        ("Kite", "", "Kite"),
        ("", "Flight", "Flight"),
        ("", "", ""),
    ],
)
def test_the_title_stands_before_the_headings_once(title, path, expected):
    assert context(title, path) == expected


def test_a_model_reads_what_stands_in_front_and_the_text():
    assert embedded("Kite > Launch", "Run.") == "Kite > Launch\n\nRun."
    assert (embedded("", "Run."), embedded("Kite", "")) == ("Run.", "Kite")


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=2, max_size=2))
def test_keys_are_equal_where_a_model_reads_the_same(pairs):
    one, other = pairs
    assert (key(*one) == key(*other)) == (embedded(*one) == embedded(*other))
    assert -(1 << 63) <= key(*one) < 1 << 63


def test_a_key_is_the_same_in_every_release():
    assert key("Kite", "Run.") == 5782006670805243361
