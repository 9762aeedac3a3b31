"""Bounds and ranges in loose speech."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import find_ranges, number_words

Bounds = tuple[int | None, int | None]
SPEECH: list[tuple[str, list[Bounds]]] = [
    ("between 8 and 14", [(8, 14)]),
    ("between 14 and 8", [(8, 14)]),
    ("8 to 14", [(8, 14)]),
    ("8-14 crates", [(8, 14)]),
    ("8–14", [(8, 14)]),
    ("8 crates to 14 crates", [(8, 14)]),
    ("$80 to $140", [(80, 140)]),
    ("anywhere from 80 to 140", [(80, 140)]),
    ("somewhere between eight and fourteen crates", [(8, 14)]),
    ("from 8 up to 14", [(8, 14)]),
    ("I need at least 8.", [(8, None)]),
    ("no fewer than 8", [(8, None)]),
    ("no less than eight crates", [(8, None)]),
    ("a minimum of 8", [(8, None)]),
    ("My minimum is 8.", [(8, None)]),
    ("8 or more", [(8, None)]),
    ("8 crates or more", [(8, None)]),
    ("from 8 up", [(8, None)]),
    ("from 8 upwards", [(8, None)]),
    ("8 and up", [(8, None)]),
    ("8 at the very least", [(8, None)]),
    ("8 crates is my minimum", [(8, None)]),
    ("I can't go below 8", [(8, None)]),
    ("I can't go under 8", [(8, None)]),
    ("I won't go lower than 8", [(8, None)]),
    ("can't accept less than 8", [(8, None)]),
    ("fewer than 8 won't do", [(8, None)]),
    ("anything under 8 is no use to me", [(8, None)]),
    ("the least I can take is 8", [(8, None)]),
    ("the lowest I can go is 8", [(8, None)]),
    ("as low as 8", [(8, None)]),
    ("at most 14", [(None, 14)]),
    ("no more than 14", [(None, 14)]),
    ("not more than 14", [(None, 14)]),
    ("up to 14", [(None, 14)]),
    ("a maximum of 14", [(None, 14)]),
    ("14 max", [(None, 14)]),
    ("14 tops", [(None, 14)]),
    ("14 crates tops", [(None, 14)]),
    ("14 at the outside", [(None, 14)]),
    ("I can't go above 14", [(None, 14)]),
    ("can't go over 14", [(None, 14)]),
    ("can't go past 14", [(None, 14)]),
    ("can't go beyond 14", [(None, 14)]),
    ("can't go any higher than 14", [(None, 14)]),
    ("I can't do more than 14", [(None, 14)]),
    ("not a cent more than $140", [(None, 140)]),
    ("$140 and not a cent more", [(None, 140)]),
    ("14 or fewer", [(None, 14)]),
    ("my limit is 14", [(None, 14)]),
    ("14 is my limit", [(None, 14)]),
    ("14 is as high as I can go", [(None, 14)]),
    ("14 crates is the most I can take", [(None, 14)]),
    ("the most I can offer is $140", [(None, 140)]),
    ("The most we could spend would be 140 dollars.", [(None, 140)]),
    ("anything over 14 is too much for me", [(None, 14)]),
    ("more than 14 won't fit", [(None, 14)]),
    ("my budget is $140", [(None, 140)]),
    ("I could stretch to 140", [(None, 140)]),
    ("exactly 8", [(8, 8)]),
    ("it has to be 8", [(8, 8)]),
    ("8 exactly", [(8, 8)]),
    ("at least 80 but no more than 140", [(80, 140)]),
    ("I need at least 8 crates and can't go above 14.", [(8, 14)]),
    ("no fewer than 8 and no more than 14", [(8, 14)]),
    ("8 at the least and 14 at the most", [(8, 14)]),
    ("minimum 8, maximum 14", [(8, 14)]),
    ("no more than 14 but at least 8", [(8, 14)]),
    ("I need at least 8 and I can't take more than 14", [(8, 14)]),
    ("a minimum of two hundred and a maximum of two hundred and forty", [(200, 240)]),
    ("I need more than 8", [(9, None)]),
    ("it has to stay under 14", [(None, 13)]),
    ("I need at least 8 and you can have up to 14", [(8, None), (None, 14)]),
    ("at least 8 crates and at most 3 vans", [(8, None), (None, 3)]),
    ("I want 12 and you need at least 8", [(8, None)]),
    ("at least 8. You take at most 14.", [(8, None), (None, 14)]),
    ("at least $80", [(80, None)]),
    ("Anything above $400 has to go to the board.", [(None, 400)]),
    ("Our least is 8 and our most is 14.", [(8, 14)]),
    ("With less than 250 I can't do it.", [(250, None)]),
    ("I could take as few as 8 but not more than 14.", [(8, 14)]),
    ("Eight is the bare minimum for us; fourteen is the ceiling.", [(8, 14)]),
    ("I couldn't possibly go over $140.", [(None, 140)]),
    ("I'd be comfortable with 8 to 14 boxes.", [(8, 14)]),
]
NONE = [
    "I want 12 crates.",
    "How about 12?",
    "from 14 to 8",
    "Let's move it from 8 to 14.",
    "We change it from 8 to 14.",
    "8 or 14",
    "8, 9 or 10",
    "less than 8",
    "more than 14",
    "I don't want between 8 and 14.",
    "between 2 and 4 pm",
    "at least you tried",
    "up to you",
    "There are over 8 people here.",
    "8 min",
    "40 for you and 60 for me",
    "at most half past two",
    "You get 8 and I get 14.",
]


def bounds(text: str) -> list[tuple[int | float | None, int | float | None]]:
    return [(r.low, r.high) for r in find_ranges(text)]


@pytest.mark.parametrize(("text", "expected"), SPEECH)
def test_bounds_are_heard(text: str, expected: list[Bounds]) -> None:
    assert bounds(text) == expected
    assert all(text[r.start : r.end] == r.text for r in find_ranges(text))


@pytest.mark.parametrize("text", NONE)
def test_no_bound_is_invented(text: str) -> None:
    assert bounds(text) == []


@pytest.mark.parametrize(("text", "expected"), SPEECH)
def test_bounds_do_not_depend_on_case_or_on_typographic_quotes(text: str, expected: list[Bounds]) -> None:
    assert bounds(text.upper()) == expected
    assert bounds(text.replace("'", "’")) == expected


def test_the_others_bound_is_told_apart() -> None:
    assert [r.by for r in find_ranges("You said you need at least 8. I can go up to 14.")] == ["partner", "speaker"]


def test_units_and_money_are_told() -> None:
    assert find_ranges("at least 8 crates")[0].unit == "crates"
    assert find_ranges("no more than $140")[0].money


@given(st.integers(0, 999), st.integers(1, 999))
def test_both_ends_are_heard_in_digits_and_in_words(low: int, width: int) -> None:
    high = low + width
    for say in (str, number_words):
        assert bounds(f"I can do between {say(low)} and {say(high)} crates.") == [(low, high)]
        assert bounds(f"I need at least {say(low)} and can't go above {say(high)}.") == [(low, high)]


@given(st.text(max_size=300))
def test_any_text_may_come(text: str) -> None:
    assert all(text[r.start : r.end] == r.text for r in find_ranges(text))
