"""Paired differences and their tests: hand-worked tables, the libraries on unclustered data, and laws."""

from itertools import pairwise, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as theirs_mcnemar
from statsmodels.stats.power import TTestPower

from adidem.core.analysis.holm import holm
from adidem.core.analysis.mcnemar import mcnemar
from adidem.core.analysis.paired import paired
from adidem.core.analysis.power import clustered_error, detectable
from adidem.core.analysis.signflip import EXACT, sign_flip

PAIRS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0]), st.sampled_from("abcde")),
    min_size=2,
    max_size=20,
)
PS = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


# ------------------------------------------------------------------------------------------------------ sign flips


def test_three_clusters_by_hand():
    """Sums 2, 1, 1: of the eight sign patterns only +++ and --- reach a total of 4."""
    found = sign_flip([1, 1, 1, 1], ["a", "a", "b", "c"])
    assert (found.p, found.exact, found.clusters) == (2 / 8, True, 3)


def test_clusters_that_do_not_differ_say_nothing():
    with_zeros = sign_flip([1, -1, 1, 1, 0], ["a", "a", "b", "c", "d"])
    assert (with_zeros.p, with_zeros.clusters) == (2 / 4, 2)
    assert sign_flip([1, -1, 0], ["a", "a", "b"]).p == 1.0


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_the_exact_p_is_that_of_full_enumeration(sums):
    clusters = [str(i) for i in range(len(sums))]
    total = abs(sum(sums))
    reached = [
        abs(sum(s * v for s, v in zip(signs, sums, strict=True))) >= total
        for signs in product((1, -1), repeat=len(sums))
    ]
    assert sign_flip(sums, clusters).p == pytest.approx(np.mean(reached))


def test_many_clusters_are_drawn_and_near_the_normal_approximation():
    values = list(np.random.default_rng(0).normal(0.3, 1, size=60))
    found = sign_flip(values, [str(i) for i in range(60)])
    assert not found.exact
    assert found.clusters == 60 > EXACT
    assert found.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, abs=0.02)


def test_flipping_whole_clusters_is_less_sure_than_flipping_episodes():
    values = [1] * 6 + [-1]
    assert sign_flip(values, list("aaaabbc")).p > sign_flip(values, list("abcdefg")).p


# --------------------------------------------------------------------------------------------------------- McNemar


def test_mcnemar_by_hand():
    """Six gained, one lost: 2 (C(7,0) + C(7,1)) / 2⁷."""
    assert mcnemar(6, 1).p == pytest.approx(2 * 8 / 128)
    assert mcnemar(0, 0).p == 1.0


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_that_of_statsmodels_and_symmetric(gained, lost):
    assert mcnemar(gained, lost).p == pytest.approx(mcnemar(lost, gained).p)
    assume(gained + lost)
    assert mcnemar(gained, lost).p == pytest.approx(theirs_mcnemar([[5, gained], [lost, 5]], exact=True).pvalue)


# ------------------------------------------------------------------------------------------------------------ Holm


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.02, None, 0.5]) == [pytest.approx(0.04), None, 0.5]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


@settings(max_examples=10, deadline=None)
@given(PS)
def test_holm_only_raises_keeps_the_order_and_stays_a_probability(ps):
    found = holm(ps)
    assert all(p <= q + 1e-12 and q <= 1 for p, q in zip(ps, found, strict=True))
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    assert all(found[i] <= found[j] + 1e-12 for i, j in pairwise(order))


@settings(max_examples=10, deadline=None)
@given(PS, st.randoms())
def test_holm_does_not_mind_the_order(ps, random):
    order = list(range(len(ps)))
    random.shuffle(order)
    moved, straight = holm([ps[i] for i in order]), holm(ps)
    assert moved == pytest.approx([straight[i] for i in order])


# ------------------------------------------------------------------------------------------------- what can be seen


def test_the_error_of_single_clusters_is_the_textbook_one():
    values = [1.0, 2.0, 4.0, 7.0]
    assert clustered_error(values, list("abcd")) == pytest.approx(stats.sem(values))


def test_the_error_by_hand():
    """Clusters of sums 2, 0 and sizes 2, 2: mean 0.5, deviations 1 and -1, √(2 · 2) / 4."""
    assert clustered_error([1, 1, 0, 0], list("aabb")) == sqrt(2 * 2) / 4


def test_the_detectable_difference_is_that_of_statsmodels_and_is_found():
    values = list(np.random.default_rng(0).normal(size=30))
    clusters = [str(i) for i in range(30)]
    found = detectable(values, clusters)
    effect = found / np.std(values, ddof=1)
    assert TTestPower().power(effect, 30, 0.05) == pytest.approx(0.8, abs=1e-3)
    draw = np.random.default_rng(1).normal(found, np.std(values, ddof=1), size=(4000, 30))
    assert (stats.ttest_1samp(draw, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("number", [2, 3, 6, 60, 500])
def test_the_shift_is_that_of_statsmodels(number):
    values, clusters = [float(i % 2) for i in range(number)], [str(i) for i in range(number)]
    effect = TTestPower().solve_power(nobs=number, power=0.8, alpha=0.05)
    assert detectable(values, clusters) == pytest.approx(effect * np.std(values, ddof=1), rel=1e-3)


def test_more_clusters_see_smaller_differences_and_one_sees_none():
    few, many = ([1.0, 0.0] * n for n in (5, 50))
    assert detectable(many, [str(i) for i in range(100)]) < detectable(few, [str(i) for i in range(10)])
    assert detectable([1.0, 0.0], ["a", "a"]) is None


# ------------------------------------------------------------------------------------------------- paired together


def test_a_pair_of_runs_by_hand():
    first, second = [1, 0, 0, 0, 1, 1], [1, 1, 1, 0, 0, 1]
    found = paired(first, second, list("aabbcc"))
    assert (found.first, found.second) == (0.5, 4 / 6)
    assert found.difference.value == pytest.approx(1 / 6)
    assert (found.mcnemar.gained, found.mcnemar.lost, found.mcnemar.p) == (2, 1, 1.0)
    assert found.sign_flip.p == 1.0, "sums 1, 1, -1: of eight patterns all reach a total of 1"
    assert paired([], [], []) is None


def test_ratings_have_no_mcnemar():
    assert paired([7.0, 8.0], [6.0, 8.0], ["a", "b"]).mcnemar is None


@given(PAIRS)
def test_turned_around_the_difference_changes_its_sign_and_no_p_changes(rows):
    first, second, clusters = columns(rows)
    there, back = paired(first, second, clusters), paired(second, first, clusters)
    assert there.difference.value == pytest.approx(-back.difference.value)
    assert there.sign_flip.p == pytest.approx(back.sign_flip.p)
    assert there.mcnemar.p == pytest.approx(back.mcnemar.p)
    assert (there.mcnemar.gained, there.mcnemar.lost) == (back.mcnemar.lost, back.mcnemar.gained)
    if there.difference.ci_low is not None:
        assert there.difference.ci_low == pytest.approx(-back.difference.ci_high)


@given(PAIRS, st.randoms())
def test_the_order_of_pairs_and_the_names_of_clusters_do_not_matter(rows, random):
    moved = list(rows)
    random.shuffle(moved)
    one, other = paired(*columns(rows)), paired(*columns(moved))
    assert one.difference.value == pytest.approx(other.difference.value)
    assert one.sign_flip.p == pytest.approx(other.sign_flip.p)
    assert 0 < one.sign_flip.p <= 1
    assert 0 < one.mcnemar.p <= 1


@given(PAIRS)
def test_the_value_lies_in_its_interval_and_nothing_apart_is_no_difference(rows):
    first, second, clusters = columns(rows)
    found = paired(first, second, clusters)
    if found.difference.ci_low is not None:
        assert -1 <= found.difference.ci_low <= found.difference.ci_high <= 1
    same = paired(first, first, clusters)
    assert (same.difference.value, same.sign_flip.p, same.mcnemar.p) == (0, 1, 1)
