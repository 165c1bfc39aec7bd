"""Paths by pattern."""

from __future__ import annotations

import pytest

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
