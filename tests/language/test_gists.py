"""What is left of an utterance when how it is said is taken away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import gist

DAY = ("08:00", "20:00")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I can do 40 crates.", "So I could do forty crates, really!"),
        ("See you at 2:30 pm then.", "see you at 14:30"),
        ("Could we say half past six till eight?", "How about 6:30 to 8:00?"),
        ("It takes an hour and twenty.", "It takes eighty minutes"),
        ("Please, only eight-fifty for timber?", "850 for the timber, please?"),
    ],
)
def test_the_same_said_otherwise_has_the_same_figures_and_words(one: str, other: str) -> None:
    assert gist(one, within=DAY).figures == gist(other, within=DAY).figures
    assert gist(one, within=DAY).words == gist(other, within=DAY).words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I can do 40 crates.", "I can do 41 crates."),
        ("See you at 2:30 pm then.", "See you at 2:45 pm then."),
        ("It takes 40 minutes.", "It takes 50 minutes."),
    ],
)
def test_another_number_or_time_is_another_gist(one: str, other: str) -> None:
    assert gist(one).figures != gist(other).figures


def test_thanks_are_courtesy_and_names_are_nothing() -> None:
    found = gist("Thank you so much for your support, Mireille!", ("Mireille", "Kofi"))
    assert not found.words
    assert not found.figures
    assert found.courtesy == {"thank", "support"}


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_utterances_that_differ_in_a_number_never_have_the_same_figures(a: int, b: int) -> None:
    one, other = gist(f"I could do {a} crates.").figures, gist(f"I could do {b} crates.").figures
    assert (one == other) == (a == b)


@given(st.text(max_size=200))
def test_any_text_may_come(text: str) -> None:
    assert gist(text) == gist(text)
