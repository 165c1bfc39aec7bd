"""Measures of retrieval, the files that they are taken from, and the comparison of two settings."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.search.evaluation import (
    Evaluation,
    Query,
    QueryFigures,
    compare,
    coverage,
    evaluate,
    load_qrels,
    load_queries,
    ndcg,
    recall,
    reciprocal_rank,
)
from tests.benchmarks import quality


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


def test_queries_are_read_in_their_order(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeff{"id": "b", "text": "wind"}\r\n\n{"_id": 7, "text": "a\u2028b", "more": 1}')

    assert load_queries(path) == [Query("b", "wind"), Query("7", "a\u2028b")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": "1", "text": "a"}\n{"id": "2"', "line 2: no JSON"),
        ('{"id": "1", "text": "a"}\n\n{"id": "2"}', "line 3: no `id` and `text`"),
        ('{"id": true, "text": "a"}', "line 1: no `id` and `text`"),
        ('{"id": "1", "text": 3}', "line 1: no `id` and `text`"),
        ('["1", "a"]', "line 1: no `id` and `text`"),
        ('{"id": "1", "text": " "}', "line 1: query '1' is empty"),
        ('{"id": "1", "text": "a"}\n{"id": 1, "text": "b"}', "line 2: query '1' for the second time"),
        (b'{"id": "1", "text": "a"}\n\xff', "line 2: not UTF-8"),
        ("\n \n", "holds no queries"),
    ],
)
def test_a_line_that_is_no_query_is_named(tmp_path: Path, content: str | bytes, told: str) -> None:
    path = written(tmp_path, content)

    with pytest.raises(InvalidRequestError) as caught:
        load_queries(path)

    assert str(path) in caught.value.message
    assert told in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        "q1\ta b\t2\nq1\tc\t0\nq2\ta b\t1.5\n",
        "query-id\tcorpus-id\tscore\nq1\ta b\t2\r\nq1\tc\t0\r\nq2\ta b\t1.5",
        "\ufeffq1\t0\ta b\t2\n\nq1\tQ0\tc\t0\nq2\t0\ta b\t1.5\nq2\t0\ta b\t1.5\n",
    ],
)
def test_judgements_are_read_from_three_columns_or_four(tmp_path: Path, content: str) -> None:
    assert load_qrels(written(tmp_path, content)) == {"q1": {"a b": 2.0, "c": 0.0}, "q2": {"a b": 1.5}}


def test_judgements_may_be_separated_by_blanks(tmp_path: Path) -> None:
    assert load_qrels(written(tmp_path, "1 0  d1   1\n2 0 d2 0\n")) == {"1": {"d1": 1.0}, "2": {"d2": 0.0}}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("1\td\n", "line 1: 3 or 4 columns are due, not 2"),
        ("1\td\t1\n1\t\t1\n", "line 2: a column is empty"),
        ("1\t0\td\t1\t5\n", "line 1: 3 or 4 columns are due, not 5"),
        ("1\td\t1\n\n1\te\tgood\n", "line 3: 'good' is no grade"),
        ("1\td\t1.x\n", "line 1: '1.x' is no grade"),
        ("1\td\t1\n1\te\tnan\n", "line 2: 'nan' is no grade"),
        ("1\td\t1\n1\td\t2\n", "line 2: another grade for query '1' and document 'd'"),
        (b"1\td\t1\n1\t\xe9\t1\n", "line 2: not UTF-8"),
        ("query\tdocument\tgrade\n", "holds no judgements"),
        ("", "holds no judgements"),
    ],
)
def test_a_line_that_is_no_judgement_is_named(tmp_path: Path, content: str | bytes, told: str) -> None:
    path = written(tmp_path, content)

    with pytest.raises(InvalidRequestError) as caught:
        load_qrels(path)

    assert str(path) in caught.value.message
    assert told in caught.value.message
    assert caught.value.hint


def test_what_cannot_be_measured_is_told_apart() -> None:
    queries = [Query("1", "a"), Query("2", "b"), Query("3", "c")]
    qrels = {"1": {"x": 1.0, "y": 2.0, "z": 0.0}, "2": {"x": 0.0}, "4": {"w": 1.0}}

    found = coverage(queries, qrels, ["x", "x", "z", "z"])

    assert found.judged == (queries[0],)
    assert found.unjudged == ("2", "3")
    assert found.unasked == ("4",)
    assert found.missing == ("y",)
    assert found.shared == ("x",)


# ── measures ────────────────────────────────────────────────────────────────────────────────────


def test_ndcg_of_a_case_worked_by_hand() -> None:
    gained = 2 / math.log2(3) + 1 / math.log2(5)
    ideal = 3 + 2 / math.log2(3) + 1 / math.log2(4)

    assert ndcg(["x", "b", "y", "a"], {"a": 1.0, "b": 2.0, "c": 3.0, "x": -2.0}) == pytest.approx(gained / ideal)


def test_only_the_first_ten_count() -> None:
    ranked = [f"no{i}" for i in range(9)] + ["a", "b"]

    assert recall(ranked, {"a": 1.0, "b": 1.0}) == 0.5
    assert reciprocal_rank(ranked, {"a": 1.0, "b": 1.0}) == 1 / 10
    assert reciprocal_rank(ranked, {"b": 1.0}) == 0.0
    assert ndcg(ranked, {"b": 1.0}) == 0.0
    assert ndcg(ranked, dict.fromkeys(map(str, range(11)), 1.0) | {"a": 1.0}) < 0.1


def test_recall_is_a_share_of_all_relevant_documents() -> None:
    grades = {str(i): 1.0 for i in range(20)} | {"bad": 0.0}

    assert recall([*map(str, range(10))], grades) == 0.5


names = st.sampled_from("abcdefghijklmnop")
grades = st.dictionaries(names, st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1)


@given(st.lists(names, unique=True), grades)
def test_measures_lie_between_nought_and_one_and_an_ideal_order_gets_one(
    ranked: list[str], judged: dict[str, float]
) -> None:
    ideal = sorted(judged, key=lambda name: -judged[name])
    has_relevant = any(judged.values())

    for measure in (ndcg, recall, reciprocal_rank):
        assert 0.0 <= measure(ranked, judged) <= 1.0
    assert ndcg(ideal, judged) == pytest.approx(float(has_relevant))
    assert ndcg(ranked, judged) == pytest.approx(quality.ndcg(ranked, judged))


def test_an_evaluation_is_over_judged_queries_only() -> None:
    answers = {"one": ["a", "a", "b"], "two": [], "three": ["c"]}
    asked: list[str] = []

    def search(text: str) -> list[str]:
        asked.append(text)
        return answers[text]

    queries = [Query("1", "one"), Query("2", "two"), Query("3", "three"), Query("4", "four")]
    found = evaluate(search, queries, {"1": {"b": 1.0}, "2": {"b": 1.0}, "3": {"c": 0.0}})

    assert asked == ["one", "two"]
    assert found.queries == (
        QueryFigures(id="1", ndcg=1 / math.log2(3), recall=1.0, reciprocal_rank=0.5, results=2),
        QueryFigures(id="2", ndcg=0.0, recall=0.0, reciprocal_rank=0.0, results=0),
    )
    assert (found.recall, found.mrr, found.zero_results) == (0.5, 0.25, 1)
    assert found.ndcg == pytest.approx(0.5 / math.log2(3))


def test_nothing_judged_is_an_error_that_says_what_to_look_at() -> None:
    with pytest.raises(InvalidRequestError, match="nothing to measure") as caught:
        evaluate(lambda text: [], [Query("1", "one")], {"2": {"a": 1.0}})

    assert "first column" in str(caught.value.hint)


# ── comparing ───────────────────────────────────────────────────────────────────────────────────


def evaluation(values: list[float]) -> Evaluation:
    queries = tuple(
        QueryFigures(id=str(place), ndcg=value, recall=0.0, reciprocal_rank=0.0, results=1)
        for place, value in enumerate(values)
    )
    return Evaluation(ndcg=0.0, recall=0.0, mrr=0.0, zero_results=0, queries=queries)


def exact_p(differences: list[float]) -> float:
    """The randomisation test over all signs instead of drawn ones."""
    least = abs(sum(differences)) - 1e-9
    sums = [abs(sum(map(math.prod, zip(signs, differences, strict=True)))) for signs in _signs(len(differences))]
    return sum(value >= least for value in sums) / len(sums)


def _signs(count: int) -> list[tuple[int, ...]]:
    return list(product((-1, 1), repeat=count))


@pytest.mark.parametrize(
    "differences",
    [
        [0.3, 0.2, 0.1, 0.4, 0.25, 0.5, 0.15, 0.05],
        [0.3, -0.2, 0.1, -0.4, 0.25, 0.5, -0.15, 0.05],
        [-0.3, -0.2, -0.1, -0.4, -0.25, -0.5, 0.15, -0.05, 0.0, 0.0],
        [0.5],
        [0.25, -0.25],
    ],
)
def test_p_agrees_with_the_test_over_all_signs(differences: list[float]) -> None:
    found = compare(evaluation([0.5] * len(differences)), evaluation([0.5 + value for value in differences]))

    assert found.p == pytest.approx(exact_p(differences), abs=0.015)  # three standard errors of 10,000 draws
    assert found.difference == pytest.approx(sum(differences) / len(differences))
    assert found.wins == sum(value > 0 for value in differences)
    assert found.losses == sum(value < 0 for value in differences)
    assert found.wins + found.ties + found.losses == len(differences)


def test_the_same_figures_give_the_same_p_and_swapping_them_too() -> None:
    draw = np.random.default_rng(5)
    a, b = evaluation(draw.random(700).tolist()), evaluation(draw.random(700).tolist())

    assert compare(a, b) == compare(a, b)
    assert compare(b, a).p == compare(a, b).p
    assert compare(b, a).difference == -compare(a, b).difference


def test_a_difference_of_every_query_is_never_called_certain() -> None:
    assert compare(evaluation([0.1] * 500), evaluation([0.2] * 500)).p == 1 / 10_001


def test_two_alike_do_not_differ() -> None:
    third = 0.1 + 0.2  # not quite 0.3
    found = compare(evaluation([third, 0.5]), evaluation([0.3, 0.5]))

    assert (found.difference, found.p, found.wins, found.ties, found.losses) == (0.0, 1.0, 0, 2, 0)


def test_false_alarms_are_as_rare_as_p_says() -> None:
    draw = np.random.default_rng(1)
    alarms = sum(
        compare(evaluation(draw.random(30).tolist()), evaluation(draw.random(30).tolist())).p <= 0.05
        for _ in range(300)
    )

    assert 4 <= alarms <= 28  # 15 are due; the bounds are three standard deviations off


def test_other_queries_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="different queries"):
        compare(evaluation([0.1]), evaluation([0.1, 0.2]))
