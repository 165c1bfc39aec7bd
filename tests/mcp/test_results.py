"""Payloads: what JSON cannot carry, what is left out, and the budget."""

from __future__ import annotations

from jupyter_kb.mcp.results import Budget, as_json, clean, result, without_empty
from jupyter_kb.mcp.call import Reading, Readings


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
