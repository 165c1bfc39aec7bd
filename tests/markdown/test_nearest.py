"""Near names: the three with the smallest Levenshtein distance, ties in order of spelling."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.markdown.nearest import levenshtein, likely, nearest

_NAMES = st.lists(st.text(alphabet="abAİ >", max_size=6), max_size=12)


@given(st.text(alphabet="abAİ >", max_size=6), _NAMES)
def test_the_nearest_are_those_that_sorting_all_by_distance_gives(name, names):
    by_distance = sorted(set(names), key=lambda candidate: (levenshtein(name.lower(), candidate.lower()), candidate))
    assert nearest(name, names) == by_distance[:3]


@given(st.text(alphabet="abc", max_size=8), st.text(alphabet="abc", max_size=8))
def test_the_distance_is_that_of_the_table(left, right):
    row = list(range(len(right) + 1))
    for number, first in enumerate(left, 1):
        above, row[0] = row[0], number
        for column, second in enumerate(right, 1):
            above, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, above + (first != second))
    assert levenshtein(left, right) == row[-1]


def test_case_does_not_count_and_ties_are_in_lexicographic_order():
    assert nearest("nope", ["Preamble", "Flight > Launch", "Flight", "Storage"]) == ["Storage", "Flight", "Preamble"]
    assert nearest("LAUNCH", ["lunch", "launch"]) == ["launch", "lunch"]
    assert nearest("x", ["c", "b", "a", "d"]) == ["a", "b", "c"]


def test_a_name_longer_than_a_machine_word_is_measured_too():
    name = "projects/" * 20 + "plan.md"
    mistyped = name.replace("plan", "plam")
    assert nearest(name, ["x", mistyped, name.replace("projects", "project")], 1) == [mistyped]


def test_distances_that_are_known():
    assert [levenshtein(*pair) for pair in (("kitten", "sitting"), ("", "abc"), ("flaw", "lawn"))] == [3, 3, 2]


def test_what_is_spelled_nearly_so_is_likelier_than_what_holds_the_name():
    paths = {"Kestrel": "Kestrel", "Kestrel > Gain steps": "Gain steps", "Kestrel > Gains": "Gains"}

    assert likely("gain", paths) == ["Kestrel > Gains", "Kestrel > Gain steps"]
    assert likely("Gain stpes", paths) == ["Kestrel > Gain steps"]
    assert likely("zzz", paths) == likely("", paths) == []
