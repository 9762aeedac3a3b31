"""A value that stands for many is worth as much as the many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.analysis.bootstrap import clustered_mean

ROWS = st.lists(
    st.tuples(st.none() | st.sampled_from([0.0, 0.5, 1.0, 7.0]), st.sampled_from("abcd"), st.integers(1, 4)),
    max_size=12,
)


@given(ROWS)
def test_counts_are_the_same_as_repetitions(rows: list[tuple[float | None, str, int]]) -> None:
    counted = clustered_mean(
        [v for v, _, _ in rows], [c for _, c, _ in rows], counts=[n for _, _, n in rows], resamples=50
    )
    every = [(v, c) for v, c, n in rows for _ in range(n)]
    repeated = clustered_mean([v for v, _ in every], [c for _, c in every], resamples=50)
    assert (counted.n, counted.unscored) == (repeated.n, repeated.unscored)
    for name in ("value", "ci_low", "ci_high"):
        assert getattr(counted, name) == pytest.approx(getattr(repeated, name))
