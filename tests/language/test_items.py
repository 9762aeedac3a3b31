"""Items named in loose sentences, and what is said of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import find_items, join_items

ITEMS = ("nuts", "shellfish", "green salad", "cake", "olives", "soup", "live music", "raffle", "cheese", "fruit salad")
LOOSE = [
    ("I can't have nuts or shellfish, but the green salad has to be there", "-nuts -shellfish +green salad"),
    ("No olives please.", "-olives"),
    ("I'm in as long as there's cake.", "+cake"),
    ("Anything but the soup.", "-soup"),
    ("Everything except the soup is fine.", "-soup"),
    ("I'm allergic to shellfish.", "-shellfish"),
    ("Leave out the olives.", "-olives"),
    ("Could you leave the olives out", "-olives"),
    ("Skip the soup.", "-soup"),
    ("We must have cake.", "+cake"),
    ("I need live music and a raffle.", "+live music +raffle"),
    ("I wouldn't do without cake.", "+cake"),
    ("I can't do without soup.", "+soup"),
    ("We couldn't manage without live music.", "+live music"),
    ("How about cake and soup?", "cake soup"),
    ("Nuts are fine.", "nuts"),
    ("The shelfish is out.", "-shellfish"),
    ("Do you need the cake?", "cake"),
    ("Keep the nuts out.", "-nuts"),
    ("I don't need cake.", "cake"),
    ("Cake, soup and olives.", "cake soup olives"),
    ("Not only cake but also soup.", "cake soup"),
    ("Let's have cake and soup, no olives.", "cake soup -olives"),
    ("Cake and raffle are a must for me.", "+cake +raffle"),
    ("I want cake but no soup.", "+cake -soup"),
    ("Anything with nuts is off the table.", "-nuts"),
    ("I insist on cheese.", "+cheese"),
    ("Nuts won't work for me.", "-nuts"),
    ("Neither olives nor nuts, please.", "-olives -nuts"),
    ("The soup has to go.", "-soup"),
    ("Without live music we're not coming.", "-live music"),
    ("A raffle is essential.", "+raffle"),
    ("I'm fine with olives.", "olives"),
    ("No problem with nuts.", "nuts"),
    ("I can have olives, but nuts are out.", "olives -nuts"),
    ("Olives are okay, cheese is not an option.", "olives -cheese"),
    ("CHEESE must be there!", "+cheese"),
    ("Please don't drop the raffle.", "+raffle"),
    ("I'd love cake.", "cake"),
    ("My son can't eat nuts, so no nuts.", "-nuts -nuts"),
    ("There has to be a fruit salad.", "+fruit salad"),
    ("I'm against the raffle.", "-raffle"),
    ("Soup isn't necessary.", "soup"),
    ("I need the live music, and I can't have olives.", "+live music -olives"),
    ("The raffle, the cake and the soup have to be there.", "+raffle +cake +soup"),
    ("Live-music stays.", "+live music"),
    ("I can't accept shellfish, nuts or olives.", "-shellfish -nuts -olives"),
    ("I need cheese and can't have nuts.", "+cheese -nuts"),
    ("Cheesecake would be lovely.", ""),
    ("Let me walk you through it.", ""),
    ("We don't want any olives.", "-olives"),
    ("I require a fruit salad; soup I refuse.", "+fruit salad -soup"),
    ("Olives? No thanks.", "olives"),
    ("I don't mind olives.", "olives"),
    ("Only if there is cake.", "+cake"),
    ("Nothing with nuts for me.", "-nuts"),
    ("Let's drop the olives and keep the cake.", "-olives cake"),
    ("Cake yes, olives no.", "cake -olives"),
    ("I can't agree to a list without cake.", "+cake"),
    ("If there's no cake I'm out.", "+cake"),
    ("If there's no cake we could have soup.", "cake soup"),
    ("Olives I can't have.", "-olives"),
    ("The green salad is what I need.", "+green salad"),
    ("The list must not contain nuts.", "-nuts"),
    ("I can't have anything with nuts in it.", "-nuts"),
    ("Everything but the soup is out.", "soup"),
    ("I need nuts and the cake is out.", "+nuts -cake"),
    ("Nuts and olives are out, cake is a must.", "-nuts -olives +cake"),
    ("You need the raffle, don't you?", "raffle"),
]


def heard(text: str, items: tuple[str, ...] = ITEMS) -> str:
    sign = {"require": "+", "refuse": "-", "mention": ""}
    return " ".join(sign[m.polarity] + m.item for m in find_items(text, items))


@pytest.mark.parametrize(("text", "expected"), LOOSE)
def test_items_are_heard_with_what_is_said_of_them(text: str, expected: str) -> None:
    assert heard(text) == expected


@pytest.mark.parametrize("text", [text for text, _ in LOOSE])
def test_spans_are_the_text(text: str) -> None:
    assert all(text[m.start : m.end] == m.text for m in find_items(text, ITEMS))


def test_the_others_need_is_told_apart() -> None:
    assert [m.by for m in find_items("You said you can't have nuts, I need cake.", ITEMS)] == ["partner", "speaker"]


def test_the_last_word_alone_names_an_item_only_where_no_other_ends_so() -> None:
    assert heard("The salad has to be there.") == ""
    assert heard("The salad has to be there.", ("green salad", "nuts")) == "+green salad"


def test_a_list_is_joined_as_said() -> None:
    assert join_items([]) == ""
    assert join_items(["a"]) == "a"
    assert join_items(["a", "b"]) == "a and b"
    assert join_items(["a", "b", "c"]) == "a, b and c"


@given(st.lists(st.sampled_from(ITEMS), unique=True))
def test_a_joined_list_is_heard_again(items: list[str]) -> None:
    assert [m.item for m in find_items(join_items(items), ITEMS)] == items


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_and_any_list_may_come(text: str, items: list[str]) -> None:
    assert all(m.item in items and text[m.start : m.end] == m.text for m in find_items(text, items))
