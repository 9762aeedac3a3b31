"""BCa intervals: against scipy on unclustered data, a hand-worked case, and what is said where there are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adidem.core.analysis import bootstrap
from adidem.core.analysis.bca import bca_shares
from adidem.core.analysis.bootstrap import clustered_mean, drawn_sums


def each_alone(values):
    return [f"{i:03d}" for i in range(len(values))]


@pytest.mark.parametrize("seed", [0, 1])
def test_single_clusters_agree_with_scipy(seed):
    values = np.random.default_rng(seed).exponential(size=40)
    ours = clustered_mean(list(values), each_alone(values), resamples=40_000, method="bca")
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method="BCa", rng=np.random.default_rng(9)
    ).confidence_interval
    plain = clustered_mean(list(values), each_alone(values), resamples=20_000)
    spread = plain.ci_high - plain.ci_low
    assert ours.ci_low == pytest.approx(theirs.low, abs=0.06 * spread)
    assert ours.ci_high == pytest.approx(theirs.high, abs=0.06 * spread)
    assert ours.ci_high > plain.ci_high, "of a skewed sample the interval moves to the long side"


def test_the_shares_from_scipys_own_draws_are_scipys():
    values = np.random.default_rng(3).exponential(size=25)
    found = stats.bootstrap((values,), np.mean, n_resamples=4000, method="BCa", rng=np.random.default_rng(1))
    left_out = (values.sum() - values) / (len(values) - 1)
    shares = bca_shares(values.mean(), found.bootstrap_distribution, left_out, 0.95)
    low, high = np.quantile(found.bootstrap_distribution, shares)
    assert (low, high) == pytest.approx(tuple(found.confidence_interval), abs=1e-9)


def test_without_bias_and_acceleration_the_shares_are_the_percentiles():
    drawn = np.array([-1.0, 1.0] * 500)
    assert bca_shares(0.0, drawn, np.array([-1.0, 0.0, 1.0]), 0.95) == pytest.approx((0.025, 0.975))


def test_there_are_none_where_all_draws_lie_on_one_side_or_a_cluster_is_needed():
    assert bca_shares(0.0, np.ones(100), np.array([0.0, 1.0]), 0.95) is None
    assert bca_shares(0.5, np.array([0.0, 1.0] * 50), np.array([np.nan, 1.0]), 0.95) is None


def test_a_constant_has_an_interval_of_no_width():
    found = clustered_mean([1.0] * 6, list("aabbcc"), method="bca")
    assert (found.ci_low, found.ci_high) == (1.0, 1.0)


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from("abcdef")), min_size=4))
def test_clustered_bca_stays_in_the_range(pairs):
    found = clustered_mean([v for v, _ in pairs], [c for _, c in pairs], resamples=200, method="bca")
    if found.ci_low is not None:
        assert 0 <= found.ci_low <= found.ci_high <= 1


def test_the_same_seed_draws_the_same_clusters():
    one = drawn_sums(np.eye(7), 3, 50)
    assert (one == drawn_sums(np.eye(7), 3, 50)).all()
    assert (one.sum(axis=1) == 7).all()


def test_of_very_many_clusters_equal_ones_are_drawn_as_one_kind(monkeypatch):
    rng = np.random.default_rng(0)
    sums = np.column_stack([rng.integers(0, 5, size=400), np.full(400, 4)]).astype(float)
    one_by_one = drawn_sums(sums, 3, 4000)
    monkeypatch.setattr(bootstrap, "MANY", 100)
    monkeypatch.setattr(bootstrap, "BATCH", 1000)
    as_kinds = drawn_sums(sums, 3, 4000)
    assert (as_kinds[:, 1] == 1600).all(), "as many clusters as there are"
    assert as_kinds[:, 0].mean() == pytest.approx(one_by_one[:, 0].mean(), rel=2e-3)
    assert as_kinds[:, 0].std() == pytest.approx(one_by_one[:, 0].std(), rel=0.05)
