"""Tools made of functions: their schemas, and what is read from arguments."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest

from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.tools import InvalidArgumentError, Payload, Shown, Tool, tool


def example(
    session: Session,
    *,
    word: Annotated[str, "A word"],
    size: Annotated[int, Shown(minimum=1)] = 5,
    flag: bool = False,
    tags: tuple[str, ...] = (),
    mode: Literal["one", "two"] = "one",
    path: Annotated[str | tuple[str, ...] | None, "Where"] = None,
    extra: dict[str, Any] | None = None,
) -> Payload:
    return {}


def build(**options: Any) -> Tool:
    return tool("An example.", output={"type": "object"}, **options)(example)


def test_the_schema_follows_from_the_annotations() -> None:
    assert build().input_schema() == {
        "type": "object",
        "properties": {
            "word": {"type": "string", "description": "A word"},
            "size": {"type": "integer", "minimum": 1, "default": 5},
            "flag": {"type": "boolean", "default": False},
            "tags": {"type": "array", "items": {"type": "string"}},
            "mode": {"enum": ["one", "two"], "default": "one"},
            "path": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                "description": "Where",
            },
            "extra": {"type": "object"},
        },
        "required": ["word"],
    }


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"tags": "a, b"}, {"tags": ("a", "b")}),
        ({"tags": '["a", "b"]'}, {"tags": ("a", "b")}),
        ({"tags": ["a"]}, {"tags": ("a",)}),
        ({"size": "7"}, {"size": 7}),
        ({"size": 7.0}, {"size": 7}),
        ({"flag": "True"}, {"flag": True}),
        ({"flag": 1}, {"flag": True}),
        ({"mode": " TWO "}, {"mode": "two"}),
        ({"path": "A > B"}, {"path": "A > B"}),
        ({"path": ["A", "B"]}, {"path": ("A", "B")}),
        ({"path": '["A", "B"]'}, {"path": ("A", "B")}),
        ({"path": "[draft] x"}, {"path": "[draft] x"}),
        ({"extra": '{"a": 1}'}, {"extra": {"a": 1}}),
        ({"size": None, "tags": None}, {}),
        ({"word": 5}, {"word": "5"}),
    ],
)
def test_slips_without_doubt_are_forgiven(given: dict[str, Any], read: dict[str, Any]) -> None:
    values, ignored = build().read({"word": "w", **given})

    assert values == {"word": "w", **read}
    assert ignored == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "missing argument 'word': a string"),
        ({"word": None}, "missing argument 'word': a string"),
        ({"word": ["w"]}, "argument 'word' must be a string"),
        ({"word": "w", "size": "many"}, "argument 'size' must be a whole number"),
        ({"word": "w", "size": 0}, "argument 'size' must be at least 1"),
        ({"word": "w", "size": 1.5}, "argument 'size' must be a whole number"),
        ({"word": "w", "flag": "perhaps"}, "argument 'flag' must be true or false"),
        ({"word": "w", "mode": "three"}, "argument 'mode' must be one of 'one', 'two'"),
        ({"word": "w", "tags": [1]}, "argument 'tags' must be an array"),
        ({"word": "w", "path": {"a": 1}}, "argument 'path' must be a string or an array"),
        ({"word": "w", "extra": "a"}, "argument 'extra' must be an object"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_expected(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        build().read(given)

    assert str(caught.value) == message


@pytest.mark.parametrize("given", [{"word": 5}, {"word": "w", "size": "7"}, {"word": "w", "tags": "a"}])
def test_a_strict_tool_forgives_nothing(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        build(strict=True).read(given)


def test_an_unknown_argument_that_looks_like_a_misspelt_one_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="did you mean 'size'"):
        build().read({"word": "w", "sizes": 3})


def test_unknown_arguments_are_reported_by_a_reader_and_refused_by_a_writer() -> None:
    assert build().read({"word": "w", "wrod": "x"}) == ({"word": "w"}, ["wrod"])
    assert build(strict=True, writes=True).read({"word": "w", "wrod": "x"}) == ({"word": "w"}, ["wrod"])
    with pytest.raises(InvalidArgumentError, match="unknown argument 'wrod'"):
        build(writes=True).read({"word": "w", "wrod": "x"})
