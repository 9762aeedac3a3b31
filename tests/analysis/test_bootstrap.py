"""The clustered bootstrap: means, intervals over whole clusters, and what is said where little was scored."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.analysis.bootstrap import clustered_mean


def test_the_value_is_the_mean_of_the_scored_values():
    estimate = clustered_mean([True, False, True, None], ["a", "a", "b", "b"])
    assert estimate.value == 2 / 3
    assert (estimate.n, estimate.unscored) == (3, 1)


def test_nothing_scored_is_no_number():
    estimate = clustered_mean([None, None], ["a", "b"])
    assert (estimate.value, estimate.ci_low, estimate.n, estimate.unscored) == (None, None, 0, 2)


def test_one_cluster_has_no_interval():
    estimate = clustered_mean([1, 0, 1], ["a", "a", "a"])
    assert estimate.value == 2 / 3
    assert estimate.ci_low is None


def test_the_same_seed_gives_the_same_interval():
    values, clusters = [1, 0, 1, 1, 0, 1], list("aabbcc")
    assert clustered_mean(values, clusters, seed=3) == clustered_mean(values, clusters, seed=3)


def test_values_that_move_together_inside_clusters_widen_the_interval():
    values = [1] * 20 + [0] * 20
    together = clustered_mean(values, [str(i // 4) for i in range(40)])
    apart = clustered_mean(values, [str(i) for i in range(40)])
    assert together.ci_high - together.ci_low > 1.5 * (apart.ci_high - apart.ci_low)


def test_single_clusters_agree_with_a_plain_percentile_bootstrap():
    values = [float(i % 7) for i in range(60)]
    estimate = clustered_mean(values, [f"{i:02d}" for i in range(60)], resamples=20_000)
    rng = np.random.default_rng(1)
    means = rng.choice(values, size=(20_000, 60)).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    assert abs(estimate.ci_low - low) < 0.03
    assert abs(estimate.ci_high - high) < 0.03


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.sampled_from("abcdef")), min_size=1))
def test_the_interval_holds_the_mean_inside_its_range(pairs):
    estimate = clustered_mean([v for v, _ in pairs], [c for _, c in pairs], resamples=200)
    if estimate.ci_low is not None:
        assert 0 <= estimate.ci_low <= estimate.ci_high <= 1


@given(st.permutations(range(8)))
def test_the_order_of_episodes_does_not_matter(order):
    values, clusters = [1, 0, 1, 1, 0, 0, 1, 0], list("aabbccdd")
    moved = clustered_mean([values[i] for i in order], [clusters[i] for i in order])
    assert moved == clustered_mean(values, clusters)
