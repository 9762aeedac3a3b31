"""Verified Success: false as soon as one check is false, unscored only if feasible and Integrity unscored."""

import pytest

from adidem.core.outcomes import verified


@pytest.mark.parametrize(
    ("feasible", "integrity", "success"),
    [
        (True, True, True),
        (True, False, False),
        (False, True, False),
        (False, False, False),
        (True, None, None),
        (False, None, False),
        (None, None, None),
        (None, False, False),
    ],
)
def test_verified_success(feasible, integrity, success):
    assert verified(feasible, integrity) is success
