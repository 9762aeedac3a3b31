"""Ranks by two measures and correlations: by hand, against scipy, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adidem.core.analysis.correlation import related
from adidem.core.analysis.ranks import ranked_by_two


def items(*values):
    """One item in each of as many scenarios."""
    return [(f"s{i}", value, 1) for i, value in enumerate(values)]


def test_two_orders_by_hand():
    rating = {"x": items(9, 9), "y": items(8, 8), "z": items(7, 7)}
    success = {"x": items(0, 0), "y": items(1, 1), "z": items(1, 0)}
    found = ranked_by_two(rating, success)
    assert {name: r.rank for name, r in found.by_first.items()} == {"x": 1, "y": 2, "z": 3}
    assert {name: r.rank for name, r in found.by_second.items()} == {"x": 3, "y": 1, "z": 2}
    assert found.spearman == pytest.approx(stats.spearmanr([1, 2, 3], [3, 1, 2]).statistic)


def test_what_never_changes_places_has_sure_ranks():
    found = ranked_by_two(
        {"x": items(3, 3, 3), "y": items(2, 2, 2), "z": items(1, 1, 1)}, {n: items(1, 0, 1) for n in "xyz"}
    )
    assert (found.by_first["x"].low, found.by_first["x"].high) == (1, 1)
    assert found.by_second["x"].rank == 2, "ties lie in between"
    assert found.spearman is None, "one order has no order"


def test_two_things_have_ranks_and_no_correlation():
    found = ranked_by_two({"x": items(1), "y": items(2)}, {"x": items(1), "y": items(0)})
    assert found.spearman is None
    assert found.by_first["y"].rank == 1


def test_what_only_one_measure_knows_is_left_out():
    assert set(ranked_by_two({"x": items(1), "y": items(2)}, {"x": items(1), "y": []}).by_first) == {"x"}
    assert ranked_by_two({}, {}).by_first == {}


def test_counts_are_repetitions():
    one = ranked_by_two({"x": [("a", 1.0, 3), ("b", 0.0, 1)], "y": items(0.5)}, {"x": items(1), "y": items(0)})
    assert one.by_first["x"].value == 0.75


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=5))
def test_ranks_lie_in_their_range_and_a_measure_agrees_with_itself(rows):
    measure = {str(i): items(*row) for i, row in enumerate(rows)}
    found = ranked_by_two(measure, measure)
    assert sum(r.rank for r in found.by_first.values()) == len(rows) * (len(rows) + 1) / 2
    for ranked in found.by_first.values():
        assert 1 <= ranked.low <= ranked.high <= len(rows)
    assert found.spearman is None or found.spearman == pytest.approx(1)


def test_a_correlation_is_that_of_scipy_and_counts_are_repetitions():
    rng = np.random.default_rng(0)
    xs = rng.integers(0, 5, size=40).tolist()
    ys = [x + e for x, e in zip(xs, rng.integers(-2, 3, size=40).tolist(), strict=True)]
    names = [str(i // 4) for i in range(40)]
    found = related(xs, ys, names)
    assert found.pearson == pytest.approx(stats.pearsonr(xs, ys).statistic)
    assert found.spearman == pytest.approx(stats.spearmanr(xs, ys).statistic)
    assert found.pearson_low < found.pearson < found.pearson_high
    twice = related(xs, ys, names, [2] * 40)
    assert twice.n == 80
    assert twice.pearson == pytest.approx(found.pearson)
    assert twice.pearson_low == pytest.approx(found.pearson_low)


def test_single_clusters_are_near_fishers_interval():
    rng = np.random.default_rng(1)
    xs = rng.normal(size=200)
    ys = xs + rng.normal(size=200)
    found = related(list(xs), list(ys), [str(i) for i in range(200)])
    low, high = stats.pearsonr(xs, ys).confidence_interval(0.95)
    assert (found.pearson_low, found.pearson_high) == pytest.approx((low, high), abs=0.04)


def test_there_is_a_reason_where_there_is_none():
    assert "fewer than" in related([1, 2], [1, 2], ["a", "b"]).undefined
    assert "never varies" in related([1, 1, 1, 1], [1, 2, 3, 4], list("abcd")).undefined
