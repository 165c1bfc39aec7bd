"""Paths by pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.search.globs import path_matcher

PATHS = (
    "a.md",
    "projects/plan.md",
    "projects/plan.draft.md",
    "projects/2024/Report [1].md",
    "Projects/x.md",
    "old/projects/y.md",
)


@pytest.mark.parametrize(
    ("pattern", "passing"),
    [
        pytest.param("projects", [1, 2, 3, 4, 5], id="text in any case, anywhere"),
        pytest.param("PLAN.", [1, 2], id="text of a name"),
        pytest.param("projects/**", [1, 2, 3], id="all below a folder"),
        pytest.param("/projects/**", [1, 2, 3], id="a slash at the beginning changes nothing"),
        pytest.param("projects/*", [1, 2], id="one star stays in the folder"),
        pytest.param("projects/*/*", [3], id="a star is one folder"),
        pytest.param("**/projects/*", [1, 2, 5], id="stars in front are any folders, or none"),
        pytest.param("**/*.md", [0, 1, 2, 3, 4, 5], id="everything"),
        pytest.param("projects/**/*.md", [1, 2, 3], id="stars between are any folders, or none"),
        pytest.param("*.draft.md", [2], id="without a slash the name alone counts"),
        pytest.param("?.md", [0, 4, 5], id="one character"),
        pytest.param("[xy].md", [4, 5], id="a set"),
        pytest.param("[!x-y].md", [0], id="not in a set"),
        pytest.param("*[[]1].md", [3], id="a bracket in a set"),
        pytest.param("[a.md", [], id="a bracket that nothing closes is itself"),
        pytest.param("a.m?d", [], id="a question mark wants a character"),
        pytest.param("**", [0, 1, 2, 3, 4, 5], id="stars alone"),
    ],
)
def test_a_pattern_lets_through(pattern: str, passing: list[int]) -> None:
    passes = path_matcher(pattern)

    assert [number for number, path in enumerate(PATHS) if passes(path)] == passing


def test_a_glob_minds_the_case_and_text_does_not() -> None:
    assert path_matcher("p*/x.md")("Projects/x.md") is False
    assert path_matcher("straße")("STRASSE.md") is True


def test_a_set_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match=r"'\[z-a\]' is not a glob"):
        path_matcher("[z-a]")


def test_a_pattern_with_many_stars_takes_no_time() -> None:
    assert not path_matcher("*a" * 200 + "*b")("a" * 255)
    assert not path_matcher("**/" + "*a" * 100 + "b/**/*c")("/".join("a" * 100 for _ in range(20)))


@pytest.mark.parametrize("pattern", ["x" * 1001 + "*", "**/" * 5])
def test_a_pattern_out_of_bounds_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRequestError):
        path_matcher(pattern)


@example("*/**", "a/b").via("a star right before a deep one")
@given(
    st.lists(st.sampled_from(["*", "a", "b", "/", "?", "**/", "/**", "[ab]"]), max_size=9).map("".join),
    st.text("ab/", max_size=12),
)
def test_a_glob_matches_as_if_every_place_had_been_tried(pattern: str, path: str) -> None:
    assume("*" in pattern and pattern.count("**") <= 4 and not pattern.startswith("/") and "***" not in pattern)
    plain = "".join(
        {"**/": "(?:.*/)?", "/**": "/.*", "/**/": "/(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, part)
        for part in re.findall(r"/?[*]{2}/?|[*]|[?]|\[ab\]|.", pattern)
    )
    subject = path if "/" in pattern else path.rpartition("/")[2]
    assert path_matcher(pattern)(path) == (re.fullmatch(plain, subject) is not None)
