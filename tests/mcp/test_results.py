"""Payloads: what JSON cannot carry, what is left out, and the budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.mcp import results
from jupyter_kb.mcp.call import Reading, Readings
from jupyter_kb.mcp.results import LARGEST, Budget, as_json, clean, fitted, result, weight, without_empty


def test_undecodable_bytes_are_shown_as_replacement_characters_and_nothing_else_changes() -> None:
    assert clean({"a\udcff": ["x\udc80y", "漢字 🙂", None, 1, (True,)]}) == {
        "a\ufffd": ["x\ufffdy", "漢字 🙂", None, 1, [True]]
    }


def test_a_result_carries_the_same_object_twice() -> None:
    answer = result({"a": None, "b": "ä\udcff"}, failed=True)

    assert answer.is_error
    assert answer.structured_content == {"a": None, "b": "ä\ufffd"}
    assert answer.content[0].model_dump()["text"] == '{"a":null,"b":"ä\ufffd"}'


def test_empty_values_are_left_out_but_zero_stays() -> None:
    assert without_empty(a=None, b=False, c="", d=[], e=(), f={}, g=0, h=True) == {"g": 0, "h": True}


def test_a_budget_takes_from_the_front_what_fits() -> None:
    rows = ["x" * 100] * 10
    budget = Budget(100)

    kept = budget.take_list(rows)

    assert len(kept) == 3
    assert len(as_json(kept)) <= 400
    assert not budget.take("x" * 200)
    assert budget.take("x")


def test_readings_are_found_by_an_unambiguous_prefix_until_newer_ones_push_them_out() -> None:
    readings = Readings(capacity=10)
    readings.remember("abc1", "one")
    readings.remember("abd2", "two", own=True)

    assert readings.find("abc") == Reading(text="one", own=False)
    assert readings.find("abd2") == Reading(text="two", own=True)
    assert readings.find("ab") is None
    assert readings.find("") is None

    readings.remember("ffff", "x" * 9)

    assert readings.find("abc") is None
    assert readings.find("ffff") == Reading(text="x" * 9, own=False)


def test_no_budget_exceeds_what_a_client_takes_in_one_answer() -> None:
    words, signs = Budget(10_000_000), Budget(10_000_000)

    kept = words.take_list(["words " * 100] * 1_000), signs.take_list(["漢字" * 100] * 1_000)

    assert all(0 < weight(rows) < LARGEST for rows in kept)


NODES = st.recursive(
    st.builds(lambda text: {"heading": text, "children": []}, st.text(max_size=300)),
    lambda children: st.builds(
        lambda text, below: {"heading": text, "children": below}, st.text(max_size=300), st.lists(children, max_size=6)
    ),
    max_leaves=60,
)


def headings(nodes: list[dict[str, Any]]) -> list[str]:
    """In document order."""
    return [text for node in nodes for text in (node["heading"], *headings(node["children"]))]


@given(st.lists(NODES, max_size=10), st.lists(st.text(max_size=300), max_size=60), st.integers(500, 20_000))
def test_lists_that_are_too_large_lose_their_end_and_say_how_much(
    sections: list[dict[str, Any]], files: list[str], largest: int
) -> None:
    payload = {"file": "a.md", "sections": sections, "files": files}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "LARGEST", largest)
        cut = fitted(payload, "sections", "files")

    everything = headings(sections) + files
    shown = headings(cut["sections"]) + cut["files"]
    if weight(payload) <= largest:
        assert cut == payload
        return
    assert weight(cut) <= largest
    assert shown == everything[: len(shown)]
    assert cut["left_out"] == len(everything) - len(shown) > 0
