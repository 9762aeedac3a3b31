"""Bounds told as a superlative: "the most I can do is 14", "the least we could manage would be eight crates"."""

import pytest

from adidem.core.language import find_ranges


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The most I can do is 14.", None, 14),
        ("so the most I could bring with me is 23", None, 23),
        ("The least we can manage would be eight crates.", 8, None),
        ("The most I can take is 14 and the least I can take is 8.", 8, 14),
    ],
)
def test_the_most_and_the_least_somebody_can_do_are_bounds(text: str, low: int | None, high: int | None) -> None:
    assert [(found.low, found.high) for found in find_ranges(text)] == [(low, high)]
