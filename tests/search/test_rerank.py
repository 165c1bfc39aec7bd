"""A ranking reordered by a reranker, and left alone when that fails."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.embedding.reranking import HttpReranker
from jupyter_kb.errors import ModelBusyError, ModelError, ModelFailedError, ModelNotFoundError
from jupyter_kb.search.rerank import DEPTH, LONGEST, candidate, rerank
from tests.embedding.servers import serving


class Scored:
    """A reranker whose scores are known beforehand."""

    name = "known"

    def __init__(self, give: Callable[[Sequence[str]], Sequence[float]]) -> None:
        self.give = give
        self.asked: list[tuple[str, list[str], float]] = []

    def scores(self, query: str, texts: Sequence[str], *, timeout: float) -> Sequence[float]:
        self.asked.append((query, list(texts), timeout))
        return self.give(texts)

    def close(self) -> None:
        pass


def test_higher_scores_come_first_and_the_rest_follows() -> None:
    reranker = Scored(lambda texts: [0.1, 0.9, 0.5])

    found = rerank(reranker, "q", ["a", "b", "c"], count=5, seconds=2.5)

    assert found == ([1, 2, 0, 3, 4], [0.1, 0.9, 0.5], None)
    assert reranker.asked == [("q", ["a", "b", "c"], 2.5)]


def test_no_more_than_the_best_are_looked_at() -> None:
    texts = [str(number) for number in range(DEPTH + 20)]
    reranker = Scored(lambda texts: list(range(len(texts))))

    found = rerank(reranker, "q", texts, count=len(texts), seconds=1)

    assert reranker.asked[0][1] == texts[:DEPTH]
    assert found.order == [*reversed(range(DEPTH)), *range(DEPTH, DEPTH + 20)]


@given(
    st.lists(st.one_of(st.integers(-2, 2), st.floats(allow_nan=False, allow_infinity=False)), max_size=60),
    st.integers(0, 30),
)
def test_the_new_order_is_a_permutation_that_leaves_the_tail(scores: list[float], more: int) -> None:
    count = len(scores) + more
    found = rerank(Scored(lambda texts: scores[: len(texts)]), "q", ["x"] * len(scores), count=count, seconds=1)

    judged = min(len(scores), DEPTH)
    assert sorted(found.order) == list(range(count))
    assert found.order[judged:] == list(range(judged, count))
    for before, after in zip(found.order[:judged], found.order[1:judged], strict=False):
        assert (-scores[before], before) < (-scores[after], after)  # better first, and of equal ones the earlier


@pytest.mark.parametrize(
    "error",
    [
        ModelFailedError("the model's process ended"),
        ModelBusyError("the model is starting"),
        ModelNotFoundError("there is no such model"),
    ],
)
def test_a_failure_leaves_the_order_and_says_why(error: ModelError) -> None:
    def fail(texts: Sequence[str]) -> Sequence[float]:
        raise error

    assert rerank(Scored(fail), "q", ["a", "b"], count=4, seconds=1) == (
        [0, 1, 2, 3],
        None,
        f"reranking left out: {error.message}",
    )


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ([3.0], "known gave 1 scores for 2 texts"),
        ([3.0, 2.0, 1.0], "known gave 3 scores for 2 texts"),
        ([3.0, math.nan], "known gave scores that are no numbers for 2 texts"),
        ([-math.inf, 3.0], "known gave scores that are no numbers for 2 texts"),
    ],
)
def test_what_is_no_score_for_each_text_is_a_failure(scores: list[float], told: str) -> None:
    found = rerank(Scored(lambda texts: scores), "q", ["a", "b"], count=2, seconds=1)

    assert found == ([0, 1], None, f"reranking left out: {told}")


def test_a_fault_in_a_reranker_is_not_hidden() -> None:
    def fail(texts: Sequence[str]) -> Sequence[float]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rerank(Scored(fail), "q", ["a"], count=1, seconds=1)


def test_nothing_found_needs_no_reranker() -> None:
    reranker = Scored(lambda texts: [])

    assert rerank(reranker, "q", [], count=0, seconds=1) == ([], [], None)
    assert reranker.asked == []


def test_a_server_orders_texts_in_its_time_and_is_left_out_past_it() -> None:
    texts = ["middling", "a longer one", "short"]
    with serving() as server:
        reranker = HttpReranker(f"{server.url}/v1")
        assert rerank(reranker, "q", texts, count=5, seconds=10).order == [1, 0, 2, 3, 4]

        server.released.clear()
        started = time.monotonic()
        late = rerank(reranker, "q", texts, count=5, seconds=0.2)

        assert time.monotonic() - started < 3
        assert (late.order, late.scores) == ([0, 1, 2, 3, 4], None)
        assert str(late.note).endswith("did not answer in time")
        reranker.close()


def test_bytes_that_are_no_text_do_not_make_it_fail() -> None:
    with serving() as server:
        reranker = HttpReranker(f"{server.url}/v1")
        found = rerank(reranker, "caf\udce9", ["a\udc80é", "语"], count=2, seconds=10)
        reranker.close()

        assert found == ([0, 1], [3.0, 1.0], None)
        assert server.requests[0]["documents"] == ["a?é", "语"]


def test_a_reranker_reads_title_headings_and_passage() -> None:
    assert candidate("Kites", "Flight > Launch", "Run.") == "Kites > Flight > Launch\n\nRun."
    assert candidate("Kites", "Kites > Flight", "Run.") == "Kites > Flight\n\nRun."
    assert candidate("", "", "Run.") == "Run."
    assert len(candidate("Kites", "Flight", "x" * 5000)) == LONGEST
