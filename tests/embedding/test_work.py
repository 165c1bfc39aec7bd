"""Requests and units: whatever fails and in whatever order, each text is settled exactly once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.embedding.work import Queue, Request

texts = st.lists(st.text(max_size=30), min_size=1, max_size=40)


@given(texts, st.integers(1, 200), st.sets(st.integers(0, 39)), st.booleans())
def test_all_texts_are_done_but_those_that_fail(items: list[str], most: int, bad: set[int], crash: bool) -> None:
    request = Request("embed", items)
    bad = {index for index in bad if index < len(items)}
    calls = 0
    while (unit := request.take(most)) is not None:
        calls += 1
        assert len(unit.indexes) == 1 or unit.size <= most
        if bad.intersection(unit.indexes):
            request.fail(unit, "bad", final=not crash)
        else:
            request.succeed(unit.indexes, np.array([[index] for index in unit.indexes], np.float32))

    assert request.wait(0)
    assert set(request.failed) == bad
    assert calls <= 3 * len(items) * 8
    if request.rows is not None:
        done = [index for index in range(len(items)) if index not in bad]
        assert request.rows[done, 0].tolist() == done
    else:
        assert len(bad) == len(items)


@given(texts)
def test_texts_of_a_unit_are_alike_in_length(items: list[str]) -> None:
    request = Request("embed", items)
    sizes = []
    while (unit := request.take(40)) is not None:
        sizes.append([request.sizes[index] for index in unit.indexes])
        request.succeed(unit.indexes, np.zeros((len(unit.indexes), 1), np.float32))

    flat = [size for unit_sizes in sizes for size in unit_sizes]
    assert flat == sorted(flat, reverse=True)


def test_urgent_requests_come_first_and_else_the_earlier() -> None:
    queue = Queue()
    requests = {name: Request(name, ["text"]) for name in ("a", "b", "urgent", "urgent too")}
    for name, request in requests.items():
        queue.add(request, urgent=name.startswith("urgent"))

    taken = []
    while (unit := queue.take(100)) is not None:
        taken.append(unit.request.operation)

    assert taken == ["urgent", "urgent too", "a", "b"]


def test_what_nobody_waits_for_is_not_begun() -> None:
    queue = Queue()
    left, wanted = Request("left", ["text"]), Request("wanted", ["text"])
    queue.add(left, urgent=True)
    queue.add(wanted, urgent=False)
    left.abandoned = True

    unit = queue.take(100)

    assert unit is not None
    assert unit.request is wanted


def test_numbers_that_are_none_count_as_failed() -> None:
    request = Request("embed", ["a", "b", "c"])
    unit = request.take(100)
    assert unit is not None
    rows = np.zeros((3, 2), np.float32)
    rows[unit.indexes.index(1), 1] = np.inf

    request.succeed(unit.indexes, rows)

    assert request.wait(0)
    assert list(request.failed) == [1]
