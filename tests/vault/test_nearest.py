"""The distance between names, against the textbook's definition."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.vault.nearest import nearest

words = st.text(alphabet="abcß ", max_size=9)


def levenshtein(left: str, right: str) -> int:
    """By its recursive definition."""

    @cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(
            distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (left[i - 1] != right[j - 1])
        )

    return distance(len(left), len(right))


@given(name=words, known=st.lists(words, max_size=8))
def test_the_nearest_names_are_those_of_the_definition(name: str, known: list[str]) -> None:
    expected = sorted(known, key=lambda other: (levenshtein(name.lower(), other.lower()), other))
    assert nearest(name, known) == expected[:3]


def test_case_does_not_count_and_ties_are_in_lexicographic_order() -> None:
    assert nearest("nope", ["Preamble", "Flight > Launch", "Flight", "Storage"]) == ["Storage", "Flight", "Preamble"]
    assert nearest("LAUNCH", ["lunch", "launch"]) == ["launch", "lunch"]
    assert nearest("x", ["c", "b", "a", "d"]) == ["a", "b", "c"]


def test_a_name_longer_than_a_machine_word_is_measured_too() -> None:
    name = "projects/" * 20 + "plan.md"
    assert nearest(name, ["x", name.replace("plan", "plam"), name.replace("projects", "project")], 1) == [
        name.replace("plan", "plam")
    ]
