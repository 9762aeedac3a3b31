"""Items of a list named in loose sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import item_spans, join_items
from adidem.core.language.clauses import level

ITEMS = ("nuts", "shellfish", "green salad", "cake", "olives", "soup", "live music", "raffle", "cheese", "fruit salad")
LOOSE = [
    ("I can't have nuts or shellfish, but the green salad has to be there", "nuts shellfish green salad"),
    ("The shelfish is out.", "shellfish"),
    ("A raffle is essential.", "raffle"),
    ("CHEESE must be there!", "cheese"),
    ("Live-music stays.", "live music"),
    ("One cake, two soups and an olive.", "cake soup olives"),
    ("Cheesecake would be lovely.", ""),
    ("Let me walk you through it.", ""),
]


def named(text: str, items: tuple[str, ...] = ITEMS) -> list[str]:
    """The items that a text names, in its order."""
    return [item for item, _, _ in item_spans(level(text), items)]


@pytest.mark.parametrize(("text", "expected"), LOOSE)
def test_items_are_found_in_any_spelling(text: str, expected: str) -> None:
    assert " ".join(named(text)) == expected


def test_the_last_word_alone_names_an_item_only_where_no_other_ends_so() -> None:
    assert named("The salad has to be there.") == []
    assert named("The salad has to be there.", ("green salad", "nuts")) == ["green salad"]


def test_a_list_is_joined_as_said() -> None:
    assert join_items([]) == ""
    assert join_items(["a"]) == "a"
    assert join_items(["a", "b"]) == "a and b"
    assert join_items(["a", "b", "c"]) == "a, b and c"


@given(st.lists(st.sampled_from(ITEMS), unique=True))
def test_a_joined_list_is_heard_again(items: list[str]) -> None:
    assert named(join_items(items)) == items


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_and_any_list_may_come(text: str, items: list[str]) -> None:
    spans = item_spans(level(text), tuple(items))
    assert all(item in items and 0 <= start <= end <= len(text) for item, start, end in spans)
