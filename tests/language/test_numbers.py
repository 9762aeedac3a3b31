"""Numbers in records and in loose speech."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import find_numbers, number_words, parse_number

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=8,
)
RECORDS: list[tuple[Any, int | float | None]] = [
    (240, 240),
    (240.0, 240),
    ("240", 240),
    ("$240", 240),
    ("$ 240", 240),
    ("240 €", 240),
    ("£240", 240),
    ("1,200", 1200),
    ("$1,200.50", 1200.5),
    ("240 crates", 240),
    ("two hundred and forty", 240),
    ("Two Hundred Forty", 240),
    (" 240.00 ", 240),
    ("240.", 240),
    ("-5", -5),
    ("$-5", -5),
    ("−5", -5),
    ("half a dozen", 6),
    ("a dozen", 12),
    ("two dozen", 24),
    ("a couple of", 2),
    ("about 240", 240),
    ("240 dollars", 240),
    ("$1.2k", 1200),
    ("exactly 12", 12),
    ("12 (twelve)", 12),
    ("0", 0),
    ("zero", 0),
    (0.5, 0.5),
    ("2.5", 2.5),
    ("two and a half", 2.5),
    ("240 crates.", 240),
    ("USD 240", 240),
    (True, None),
    (None, None),
    ([240], None),
    ({"value": 240}, None),
    (float("nan"), None),
    (float("inf"), None),
    ("1 and 2", None),
    ("9 am", None),
    ("9:30", None),
    ("1st", None),
    ("50%", None),
    ("", None),
    ("crates", None),
    ("between 8 and 14", None),
    ("at least 8", None),
    ("up to 14", None),
    ("not 14", None),
    ("14h30", None),
    ("9" * 101, None),
    ("١٢", None),
    ("240/2", None),
    ("1.2.3", None),
]
SPEECH: list[tuple[str, list[int | float]]] = [
    ("I need 8 crates.", [8]),
    ("Twelve is all I have.", [12]),
    ("That's $1,200 for 40 people.", [1200, 40]),
    ("We could do a hundred and forty dollars.", [140]),
    ("a dozen eggs and half a dozen rolls", [12, 6]),
    ("a couple of chairs", [2]),
    ("Two hundred forty-five, then.", [245]),
    ("I'd go to three thousand two hundred.", [3200]),
    ("1.5 litres", [1.5]),
    ("I can spare two and a half tonnes.", [2.5]),
    ("Just one.", [1]),
    ("One crate, please.", [1]),
    ("This one is better than that one.", []),
    ("One of us must move.", []),
    ("No one knows.", []),
    ("Let's meet at 9:30 for 3 crates.", [3]),
    ("See you at 9 am.", []),
    ("Between 2 and 4 pm.", []),
    ("Half past two, quarter to four.", []),
    ("It's the 3rd time, my first choice.", []),
    ("I'd take 50% or fifty percent.", []),
    ("two thirds of it", []),
    ("In 2019 we had more, since 2020 fewer.", []),
    ("On 12 May we have 30 guests.", [30]),
    ("May 12 is too early.", []),
    ("We're in room 12, take bus 42.", []),
    ("Option 2 is better, step 1 first.", []),
    ("It's #4 on the list.", []),
    ("€40 or 40€", [40, 40]),
    ("20 quid", [20]),
    ("5k is my limit, or 5 thousand", [5000, 5000]),
    ("8–14 crates", [8, 14]),
    ("8, 9 or 10", [8, 9, 10]),
    ("The date is 12/05.", []),
    ("around 40ish", [40]),
    ("I'd like 30kg of flour.", [30]),
    ("a hundred", [100]),
    ("twenty-five chairs", [25]),
    ("two forty would do", [240]),
    ("the meeting is at two forty", []),
    ("ten twenty-dollar notes", [10, 20]),
    ("1. I need 8.\n2. You need 9.", [8, 9]),
    ("My answer:\n14. That is it.", [14]),
    ("COVID-19 and B2 are no numbers", []),
    ("40 for you, 60 for me", [40, 60]),
    ("an hour and 40 minutes", [40]),
    ("I have 12 boxes. 7 are yours.", [12, 7]),
    ("no number here", []),
]


@pytest.mark.parametrize(("value", "number"), RECORDS)
def test_a_records_value_names_its_number(value: Any, number: int | float | None) -> None:
    parsed = parse_number(value)
    assert parsed == number
    assert type(parsed) is type(number)


@pytest.mark.parametrize(("text", "values"), SPEECH)
def test_numbers_are_heard_and_none_is_invented(text: str, values: list[int | float]) -> None:
    assert [m.value for m in find_numbers(text)] == values


@pytest.mark.parametrize("text", [text for text, _ in SPEECH])
def test_spans_are_the_text(text: str) -> None:
    assert all(text[m.start : m.end] == m.text for m in find_numbers(text))


def test_money_and_units_are_told() -> None:
    (price, crates, of_them, bucks) = find_numbers("$140 for 12 crates, 3 of the boxes, or 20 bucks")
    assert (price.money, price.unit) == (True, None)
    assert (crates.money, crates.unit) == (False, "crates")
    assert of_them.unit == "boxes"
    assert bucks.money


@given(JSON)
def test_any_json_value_has_a_number_or_none(value: Any) -> None:
    number = parse_number(value)
    assert number is None or (isinstance(number, int | float) and not isinstance(number, bool))
    assert parse_number(number) == number


@given(JSON)
def test_a_json_round_trip_changes_no_number(value: Any) -> None:
    assert parse_number(json.loads(json.dumps(value))) == parse_number(value)


@given(st.integers(0, 9999))
def test_number_words_are_heard_again(number: int) -> None:
    words = number_words(number)
    assert parse_number(words) == number
    assert [m.value for m in find_numbers(f"I need {words} crates.")] == [number]


@given(st.integers(0, 10**12))
def test_a_number_survives_its_spellings(number: int) -> None:
    for text in (str(number), f"{number:,}", f"${number}", f"{number}.00", f" {number} crates", f"{number}.0"):
        assert parse_number(text) == number


@given(st.text(max_size=300))
def test_any_text_may_come(text: str) -> None:
    mentions = find_numbers(text)
    assert all(text[m.start : m.end] == m.text for m in mentions)
    assert [m.start for m in mentions] == sorted(m.start for m in mentions)
