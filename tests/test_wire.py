"""Values as JSON and back."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from jupyter_kb import errors, models, wire
from jupyter_kb.errors import ConflictError, InvalidRequestError, KBError, NoteNotFoundError
from jupyter_kb.models import (
    ByteRange,
    Filters,
    Hit,
    LineRange,
    Outline,
    OutlineNode,
    SearchRequest,
    SearchResults,
    SectionRef,
)
from tests.drawing import JSON, TEXTS, values

MODELS = [kind for name in models.__all__ if dataclasses.is_dataclass(kind := getattr(models, name))]
ERRORS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, KBError)]


def there_and_back(kind: Any, value: Any) -> Any:
    return wire.load(kind, wire.decode(wire.encode(wire.dump(value))))


# ── there and back ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=25)
def test_every_value_survives_the_way_there_and_back_and_fits_its_schema(kind: type, data: st.DataObject) -> None:
    schema = json.loads(json.dumps(wire.schema(kind)).replace("#/components/schemas/", "#/$defs/"))
    value = data.draw(values(kind))

    sent = wire.decode(wire.encode(wire.dump(value)))

    assert wire.load(kind, sent) == value
    assert set(sent) == {field.name for field in dataclasses.fields(kind)}
    Draft202012Validator(schema).validate(sent)


@given(JSON)
def test_json_survives_the_way_through_bytes(value: Any) -> None:
    assert wire.decode(wire.encode(value)) == value


@given(TEXTS)
def test_bytes_of_notes_that_are_not_utf8_survive(text: str) -> None:
    ref = SectionRef(file=text, heading_path=(text, "x"))

    assert there_and_back(SectionRef, ref) == ref
    assert wire.encode(text).decode("utf-8")  # what is sent is always proper UTF-8


def test_a_list_of_values_is_loaded_with_its_types() -> None:
    ranges = (ByteRange(start=0, end=1), ByteRange(start=1, end=5))

    assert there_and_back(tuple[ByteRange, ...], ranges) == ranges


def test_the_mark_that_stands_for_undecodable_bytes_may_itself_be_in_a_text() -> None:
    ref = SectionRef(file="\U0010ffff00dc80 \udc80")

    assert there_and_back(SectionRef, ref) == ref


# ── what is wrong with a value ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "data", "message", "hint"),
    [
        (SearchRequest, {"queri": "x"}, "there is no field 'queri'", "did you mean 'query'?"),
        (SearchRequest, {"filters": {"tag": ["x"]}}, "there is no field 'filters.tag'", "did you mean 'tags'?"),
        (SearchRequest, {"like": {"fil": "x"}}, "there is no field 'like.fil'", "did you mean 'file'?"),
        (ByteRange, {"start": 1, "end": 2, "zzz": 3}, "there is no field 'zzz'", "there are end, start"),
        (SearchRequest, {"query": 3}, "'query' must be a valid string", None),
        (SearchRequest, {"limit": "3"}, "'limit' must be a valid integer", None),
        (SearchRequest, {"limit": 3.0}, "'limit' must be a valid integer", None),
        (SearchRequest, {"limit": True}, "'limit' must be a valid integer", None),
        (SearchRequest, {"explain": "yes"}, "'explain' must be a valid boolean", None),
        (SearchRequest, {"mode": "fast"}, "'mode' must be 'hybrid', 'semantic', 'text' or 'headings'", None),
        (SearchRequest, {"like": {"file": "a", "heading_path": ["a", 3]}}, "'like.heading_path.1' must be", None),
        (SearchRequest, {"like": {}}, "the field 'like.file' is missing", None),
        (SearchRequest, {"filters": None}, "'filters' must be an object", None),
        (SearchRequest, [], "the value must be an object", None),
        (SearchRequest, None, "the value must be an object", None),
        (tuple[ByteRange, ...], [{"start": 0, "end": 1}, {"start": 0}], "the field '1.end' is missing", None),
        (Filters, {"front_matter": {"a": float("nan")}}, "this is not a value that JSON can hold", None),
        (Filters, {"front_matter": {"a": {1, 2}}}, "this is not a value that JSON can hold", None),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(
    kind: Any, data: Any, message: str, hint: str | None
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        wire.load(kind, data)

    assert caught.value.message.startswith(message)
    assert caught.value.hint == hint


@given(values(SearchRequest).map(wire.dump), JSON)
def test_loading_never_fails_in_another_way(data: dict[str, Any], other: Any) -> None:
    for name in data:
        with contextlib.suppress(InvalidRequestError):
            wire.load(SearchRequest, {**data, name: other})


def test_fields_of_a_newer_version_can_be_passed_over() -> None:
    data = {"file": "a.md", "exact": True, "colour": "red"}

    assert wire.load(SectionRef, data, ignore_unknown=True) == SectionRef(file="a.md", exact=True)
    assert wire.load(SearchRequest, {"like": data, "x": 1}, ignore_unknown=True).like.exact


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b'{"a": Infinity}', b"[" * 200_000, b"1" * 5_000, b'"\x00"', b"{}{}"],
)
def test_bytes_that_are_no_json_are_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        wire.decode(body)


def test_deep_nesting_is_refused_and_not_recursed_into() -> None:
    nested: Any = []
    for _ in range(50_000):
        nested = [nested]

    with pytest.raises(InvalidRequestError):
        wire.load(Filters, {"front_matter": {"a": nested}})


# ── schemas ─────────────────────────────────────────────────────────────────────────────────────


def test_a_request_may_leave_out_fields_that_an_answer_always_has() -> None:
    found, definitions = wire.schemas([(SearchRequest, "validation"), (SearchResults, "serialization")])

    assert found[SearchRequest, "validation"] == {"$ref": "#/components/schemas/SearchRequest"}
    assert "required" not in definitions["SearchRequest"]
    assert set(definitions["SearchResults"]["required"]) == {field.name for field in dataclasses.fields(SearchResults)}


# ── errors ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_comes_back_as_itself(kind: type[KBError]) -> None:
    error = kind("what happened \udc80", hint="what to do", file="a.md", suggestions=["b.md"])

    back = wire.error_from(wire.decode(wire.encode(wire.error_body(error))), error.status)

    assert type(back) is kind
    assert (back.message, back.hint, back.details, back.status, back.code) == (
        error.message,
        error.hint,
        error.details,
        error.status,
        error.code,
    )


def test_an_error_has_the_five_fields_always() -> None:
    body = wire.error_body(NoteNotFoundError("there is no such note"))

    assert body == {
        "message": "there is no such note",
        "reason": "Not Found",
        "code": "note-not-found",
        "hint": None,
        "details": {},
    }


def test_a_conflict_carries_todays_text_and_hash() -> None:
    error = ConflictError("changed", current_hash="ab" * 32, current_content="text \udcff\n")

    back = wire.error_from(wire.decode(wire.encode(wire.error_body(error))), 412)

    assert back.details == {"current_hash": "ab" * 32, "current_content": "text \udcff\n"}


@pytest.mark.parametrize("body", [None, "gone", [], {}, {"message": 3}, {"message": "Forbidden", "reason": None}])
def test_an_answer_of_another_server_becomes_an_error_with_its_status(body: Any) -> None:
    error = wire.error_from(body, 403)

    assert type(error) is KBError
    assert error.status == 403
    assert error.message
    assert KBError.status == 500  # the class is as it was


def test_an_unknown_code_is_kept() -> None:
    error = wire.error_from({"message": "later", "code": "from-the-future"}, 418)

    assert (error.code, error.status, error.message) == ("from-the-future", 418, "later")


def test_a_hit_is_sent_in_full() -> None:
    hit = Hit(
        file="a.md",
        title="A",
        heading="A",
        heading_path="A",
        score=1.5,
        byte_range=ByteRange(start=0, end=3),
        line_range=LineRange(start=1, end=1),
        content_hash="0",
        own_hash="0",
        marks=((0, 1),),
    )

    assert wire.dump(hit)["marks"] == [[0, 1]]
    assert wire.dump(hit)["explanation"] is None
    assert there_and_back(Hit, hit) == hit


def test_a_tree_is_loaded_with_its_children() -> None:
    def node(*children: OutlineNode) -> OutlineNode:
        place = LineRange(start=1, end=2)
        return OutlineNode(
            heading="H",
            level=1,
            heading_path="H",
            line_range=place,
            size=1,
            content_hash="0",
            own_hash="0",
            children=children,
        )

    outline = Outline(file="a", title="t", version="v", sections=(node(node(), node(node())),), front_matter={"a": [1]})

    assert there_and_back(Outline, outline) == outline
