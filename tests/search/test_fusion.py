"""Fusing rankings: what a leg lacks costs nothing, scale does not matter, groups are what they say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.search import fusion
from jupyter_kb.search.fusion import Groups

SCORES = st.lists(st.one_of(st.just(0.0), st.floats(0.001, 50)), min_size=1, max_size=30)


@given(SCORES, st.floats(0, 1), st.floats(0.5, 100))
def test_a_weighted_sum_lies_between_0_and_1_and_knows_no_scale(text: list[float], weight: float, scale: float) -> None:
    words, meaning = np.array(text), np.array(text[::-1])

    fused = fusion.weighted(words, meaning, weight)

    assert fused.min() >= 0
    assert fused.max() <= 1 + 1e-12
    np.testing.assert_allclose(fused, fusion.weighted(words * scale, meaning / scale, weight), atol=1e-12)


@given(SCORES)
def test_with_all_weight_on_one_leg_its_order_is_the_order(text: list[float]) -> None:
    words, meaning = np.array(text), np.array(text[::-1])
    assert (np.argsort(fusion.weighted(words, meaning, 1.0)) == np.argsort(fusion.normalised(meaning))).all()
    assert (np.argsort(fusion.weighted(words, meaning, 0.0)) == np.argsort(fusion.normalised(words))).all()


def test_what_a_leg_does_not_have_counts_nothing_in_it() -> None:
    missing = np.array([-np.inf, 0.5, -0.2])
    assert fusion.normalised(missing).tolist() == [0.0, 1.0, 0.0]
    assert fusion.normalised(np.full(3, -np.inf)).tolist() == [0.0, 0.0, 0.0]
    assert fusion.normalised(np.empty(0)).tolist() == []


def test_reciprocal_ranks_are_added() -> None:
    fused = fusion.reciprocal(np.array([3.0, 2.0, 0.0]), np.array([0.1, 0.9, 0.9]))
    np.testing.assert_allclose(fused, [1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 61])


def test_equal_scores_have_equal_ranks() -> None:
    assert fusion.ranks(np.array([1.0, 3.0, 3.0, 2.0])).tolist() == [4, 1, 1, 3]


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.floats(-1, 1), st.just(-np.inf))), max_size=40))
def test_groups_give_the_mean_of_what_is_there(entries: list[tuple[int, float]]) -> None:
    entries.sort(key=lambda entry: entry[0])
    ids = np.array([group for group, _ in entries], dtype=np.int64)
    scores = np.array([score for _, score in entries], dtype=np.float64)
    groups = Groups.by(ids)

    mean = groups.mean(scores)

    for place, number in enumerate(dict.fromkeys(ids.tolist())):
        own = [score for group, score in entries if group == number]
        finite = [score for score in own if np.isfinite(score)]
        assert np.isclose(mean[place], sum(finite) / len(finite)) if finite else mean[place] == -np.inf
    assert ids[groups.first][groups.of].tolist() == ids.tolist() if len(ids) else True


def test_a_chunk_is_lifted_by_the_mean_of_its_note() -> None:
    notes = Groups.by(np.array([1, 1, 2]))
    np.testing.assert_allclose(fusion.supported(np.array([0.4, 0.2, 0.35]), notes, 1.0), [0.7, 0.5, 0.7])
    np.testing.assert_allclose(fusion.supported(np.array([0.4, 0.2, 0.35]), notes, 0.5), [0.55, 0.35, 0.525])
