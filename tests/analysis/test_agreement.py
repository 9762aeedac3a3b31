"""Agreement: every coefficient against a table worked by hand, its laws, and what is said where it is undefined."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from attrs import asdict
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.analysis import coefficients
from adidem.core.analysis.agreement import agreement, barrier_named, identification
from adidem.core.errors import ConfigError


def key(number, barrier="none"):
    return f"family/test/{number // 2:02d}/{'ab'[number % 2]}/first", barrier, 0


def answers(values, barrier="none"):
    """Ratings of items in order; None is no rating."""
    return {key(n, barrier): v if isinstance(v, str) else float(v) for n, v in enumerate(values) if v is not None}


def close(figure, value):
    return figure.value == pytest.approx(float(value), abs=1e-9)


PASSED = {"x": [1, 1, 1, 1, 1, 1, 0, 0, 0, 0], "y": [1, 1, 1, 1, 1, 0, 0, 0, 1, 1]}
"""Two raters, ten items: 5 both pass, 2 both fail, 1 only x passes, 2 only y passes."""

JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""The table of Shrout and Fleiss (1979): six targets (rows), four judges."""


def test_two_raters_of_a_yes_or_no_by_hand():
    found = agreement({name: answers(values) for name, values in PASSED.items()})
    figures = found.pairs[0].figures
    assert close(figures["agreement"], Fraction(7, 10))
    chance = Fraction(6, 10) * Fraction(7, 10) + Fraction(4, 10) * Fraction(3, 10)
    assert close(figures["cohen_kappa"], (Fraction(7, 10) - chance) / (1 - chance))
    pooled = Fraction(13, 20) ** 2 + Fraction(7, 20) ** 2
    assert close(found.overall["fleiss_kappa"], (Fraction(7, 10) - pooled) / (1 - pooled))
    # α = 1 - (n - 1) · 2·disagreements / (n² - Σ n_c²), with n = 20 values
    assert close(figures["alpha_nominal"], 1 - Fraction(19 * 6, 400 - 13**2 - 7**2))
    assert close(figures["alpha_interval"], 1 - Fraction(19 * 6, 400 - 13**2 - 7**2)), "of 0 and 1 they are the same"
    # r of 0/1 values is φ = (n11·n00 - n10·n01) / √(row and column sums)
    assert close(figures["pearson"], (5 * 2 - 1 * 2) / math.sqrt(6 * 4 * 7 * 3))
    assert found.pairs[0].confusion.labels == ("0", "1")
    assert found.pairs[0].confusion.table == ((2, 2), (1, 5))
    assert found.raters["x"].prevalence == {"0": 0.4, "1": 0.6}
    assert found.raters["y"].mean == pytest.approx(0.7)


def test_four_raters_on_a_scale_by_hand():
    ratings = {f"judge {j}": answers([row[j] for row in JUDGES]) for j in range(4)}
    overall = agreement(ratings).overall
    n, k, total = 6, 4, sum(map(sum, JUDGES))
    correction = Fraction(total**2, n * k)
    between = (sum(Fraction(sum(row) ** 2, k) for row in JUDGES) - correction) / (n - 1)
    columns = [sum(row[j] for row in JUDGES) for j in range(k)]
    judges = (sum(Fraction(c**2, n) for c in columns) - correction) / (k - 1)
    squares = sum(score**2 for row in JUDGES for score in row) - correction
    error = (squares - between * (n - 1) - judges * (k - 1)) / ((n - 1) * (k - 1))
    single = (between - error) / (between + (k - 1) * error + k * (judges - error) / n)
    assert round(float(single), 2) == 0.29, "as published"
    assert close(overall["icc_2_1"], single)
    assert close(overall["icc_2_k"], (between - error) / (between + (judges - error) / n))
    assert overall["icc_2_1"].ci_low == pytest.approx(0.019, abs=5e-4), "as R's psych gives it; not rounded to 0.02"
    assert overall["icc_2_1"].ci_high == pytest.approx(0.761, abs=5e-4)


def test_three_raters_of_three_categories_by_hand():
    table = ["aaa", "aab", "bbb", "abc", "ccc", "bbc"]
    ratings = {f"r{j}": answers([row[j] for row in table]) for j in range(3)}
    overall = agreement(ratings).overall
    alike = [Fraction(1), Fraction(1, 3), Fraction(1), Fraction(0), Fraction(1), Fraction(1, 3)]
    observed = sum(alike) / 6
    assert close(overall["agreement"], observed)
    shares = [Fraction("".join(table).count(c), 18) for c in "abc"]
    chance = sum(share**2 for share in shares)
    assert close(overall["fleiss_kappa"], (observed - chance) / (1 - chance))
    assert "pearson" not in overall
    assert "icc_2_1" not in overall


def test_interval_alpha_with_a_missing_rating_by_hand():
    ratings = {"x": answers([1, 2, 3, 4]), "y": answers([1, 3, 3, None]), "z": answers([2, 3, None, None])}
    found = agreement(ratings).overall["alpha_interval"]
    units = [[1, 1, 2], [2, 3, 3], [3, 3]]  # the fourth has one value alone
    values = [v for unit in units for v in unit]
    inside = sum(Fraction(sum((a - b) ** 2 for a in unit for b in unit), len(unit) - 1) for unit in units) / len(values)
    across = Fraction(sum((a - b) ** 2 for a in values for b in values), len(values) * (len(values) - 1))
    assert close(found, 1 - inside / across)
    assert found.n == 3


def test_items_are_matched_and_only_shared_ones_count():
    found = agreement({"x": answers([1, 0, 1, None, 0]), "y": answers([1, 0, None, 1, 1])})
    assert found.pairs[0].n == 3
    assert found.n == 3
    assert close(found.pairs[0].figures["agreement"], Fraction(2, 3))


def test_another_barrier_or_repeat_is_another_item():
    found = agreement({"x": answers([1, 1]), "y": answers([1, 1], "semantic_vagueness:0.7")})
    assert found.n == 0
    assert found.pairs[0].figures["agreement"].undefined == coefficients.NO_ITEMS
    assert all(figure.value is None and figure.undefined for figure in found.overall.values())


def test_scores_with_fractions_are_no_categories():
    figures = agreement({"x": answers([0.5, 1, 2, 3]), "y": answers([0.5, 1, 2, 2.5])}).pairs[0].figures
    assert set(figures) == {"alpha_interval", "pearson", "icc_2_1", "icc_2_k"}


def test_one_category_alone_is_undefined_and_agreement_is_still_said():
    found = agreement({"x": answers([1, 1, 1, 1]), "y": answers([1, 1, 1, 1])})
    figures = {**found.pairs[0].figures, **found.overall}
    assert figures.pop("agreement").value == 1.0
    assert all(figure.value is None and figure.undefined for figure in figures.values())
    assert found.pairs[0].figures["cohen_kappa"].undefined == coefficients.ONE_CATEGORY


def test_kappa_is_zero_and_not_undefined_where_one_rater_alone_uses_one_category():
    figures = agreement({"x": answers([1, 1, 1, 1]), "y": answers([1, 0, 1, 0])}).pairs[0].figures
    assert figures["cohen_kappa"].value == 0.0
    assert figures["pearson"].undefined == coefficients.NO_VARIATION


def test_high_agreement_with_a_rare_category_shows_in_prevalence_and_kappa():
    """Nine in ten alike, and κ below zero: what the prevalence beside it is for."""
    x, y = [1] * 19 + [0], [0] + [1] * 19
    found = agreement({"x": answers(x), "y": answers(y)})
    assert found.pairs[0].figures["agreement"].value == pytest.approx(0.9)
    assert found.pairs[0].figures["cohen_kappa"].value < 0
    assert found.raters["x"].prevalence["1"] == pytest.approx(0.95)


def test_intervals_of_kappa_draw_whole_scenarios():
    x = [1, 1, 0, 0] * 10
    y = [1, 1, 0, 0] * 5 + [1, 0, 0, 1] * 5
    ratings = {"x": answers(x), "y": answers(y)}
    figure = agreement(ratings).pairs[0].figures["cohen_kappa"]
    assert figure.interval == coefficients.CLUSTERED
    assert figure.ci_low < figure.value < figure.ci_high
    assert figure == agreement(ratings).pairs[0].figures["cohen_kappa"], "the same again"
    together = coefficients.cohen_kappa([[a, b] for a, b in zip(x, y, strict=True)], [str(i // 8) for i in range(40)])
    apart = coefficients.cohen_kappa([[a, b] for a, b in zip(x, y, strict=True)], [str(i) for i in range(40)])
    assert together.value == apart.value
    assert together.ci_high - together.ci_low > apart.ci_high - apart.ci_low
    alone = coefficients.cohen_kappa([[a, b] for a, b in zip(x, y, strict=True)], ["s"] * 40)
    assert (alone.ci_low, alone.interval) == (None, None)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_what_the_bootstrap_computes_is_what_the_libraries_compute(rows):
    """The formulas over sums give the library's κ when nothing is redrawn."""
    cohen = coefficients.cohen_kappa(rows, ["s"] * len(rows))
    fleiss = coefficients.fleiss_kappa(rows, ["s"] * len(rows))
    if cohen.value is None:
        return
    cells = np.array([coefficients._cells(row, 4) for row in rows]).sum(axis=0, keepdims=True)
    assert coefficients._kappa_of_cells(cells)[0] == pytest.approx(cohen.value, abs=1e-9)
    sums = np.array([[a == b, *((a == c) / 2 + (b == c) / 2 for c in range(4))] for a, b in rows], float)
    assert coefficients._fleiss_of_sums(sums.sum(axis=0, keepdims=True))[0] == pytest.approx(fleiss.value, abs=1e-9)


ratings_of_items = st.one_of(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12),
    st.lists(st.tuples(*[st.sampled_from(["none", "unsure", "culture"])] * 3), min_size=1, max_size=12),
    st.lists(st.tuples(*[st.none() | st.sampled_from([-5.0, 0.25, 3.0])] * 3), min_size=1, max_size=12),
)


def numbers(value):
    """Every number in nested data."""
    if isinstance(value, dict):
        return [n for inner in value.values() for n in numbers(inner)]
    if isinstance(value, list | tuple):
        return [n for inner in value for n in numbers(inner)]
    return [value] if isinstance(value, int | float) else []


@settings(max_examples=25)
@given(ratings_of_items)
def test_agreement_is_symmetric_finite_and_at_most_1(rows):
    columns = [answers(column) for column in zip(*rows, strict=True)]
    one = agreement(dict(zip("xyz", columns, strict=True)))
    two = agreement(dict(zip("zyx", reversed(columns), strict=True)))
    assert all(math.isfinite(n) for n in numbers(asdict(one)))
    turned = {frozenset((p.first, p.second)): p for p in two.pairs}
    compared = [(one.overall, two.overall)]
    compared += [(p.figures, turned[frozenset((p.first, p.second))].figures) for p in one.pairs]
    for ours, theirs in compared:
        assert set(ours) == set(theirs)
        for name, figure in ours.items():
            assert (figure.value is None) == (figure.undefined is not None)
            assert figure.undefined == theirs[name].undefined
            assert figure.n == theirs[name].n
            if figure.value is not None:
                assert figure.value <= 1
                assert figure.value == pytest.approx(theirs[name].value, abs=1e-9)
                if "kappa" in name:
                    assert figure.ci_low == pytest.approx(theirs[name].ci_low, abs=1e-9)


@settings(max_examples=25)
@given(st.lists(st.one_of(st.integers(0, 4), st.just(0.5)), min_size=1, max_size=12), st.integers(2, 4))
def test_equal_raters_agree_wholly_or_the_figure_says_why_not(values, raters):
    found = agreement({f"r{i}": answers(values) for i in range(raters)})
    for figures in (found.overall, *(pair.figures for pair in found.pairs)):
        for name, figure in figures.items():
            if figure.value is None:
                few = len(values) < coefficients.LEAST and name in ("pearson", "icc_2_1", "icc_2_k")
                assert len(set(values)) == 1 or few
            else:
                assert figure.value == pytest.approx(1, abs=1e-9)


def test_barriers_named_right_and_wrong():
    truth = ["none", "semantic_vagueness:0.7", "semantic_vagueness:0.3", "emotional_interference:0.7", "a:0.5+b:0.7"]
    said = ["none", "semantic_vagueness", "none", "unsure", "semantic_vagueness"]
    given_ = {key(n, barrier): answer for n, (barrier, answer) in enumerate(zip(truth, said, strict=True))}
    found = identification(given_)
    assert found.accuracy.value == 0.5
    assert (found.accuracy.n, found.left_out) == (4, 1)
    assert found.confusion.labels == ("emotional_interference", "none", "semantic_vagueness", "unsure")
    assert found.confusion.table == ((0, 0, 0, 1), (0, 1, 0, 0), (0, 1, 1, 0), (0, 0, 0, 0))
    assert barrier_named("a:0.5+b:0.7") is None


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    with pytest.raises(ConfigError, match=r"needs krippendorff: pip install -c constraints.txt -e '\.\[analysis\]'"):
        agreement({"x": answers([1, 0, 1]), "y": answers([1, 0, 0])})
