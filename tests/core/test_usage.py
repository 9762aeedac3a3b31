"""What was used adds up in any order, and unknown cost stays unknown."""

from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Usage

CAUSES = st.dictionaries(st.sampled_from(["timeout", "rate_limit", "overload"]), st.integers(1, 5))
USAGES = st.builds(
    Usage,
    calls=st.integers(0, 9),
    cost=st.none() | st.integers(0, 9).map(float),
    failed=CAUSES.map(lambda counts: tuple(sorted(counts.items()))),
)


@given(USAGES, USAGES, USAGES)
def test_sums_do_not_depend_on_the_order(a: Usage, b: Usage, c: Usage) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + Usage() == a


@given(USAGES, USAGES)
def test_failed_attempts_are_counted_by_cause(a: Usage, b: Usage) -> None:
    assert sum(count for _, count in (a + b).failed) == sum(count for _, count in (*a.failed, *b.failed))


@given(USAGES)
def test_a_sum_with_an_unknown_cost_is_unknown(a: Usage) -> None:
    assert (a + Usage(cost=None)).cost is None
