"""Times and durations in records and in loose speech."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import (
    find_durations,
    find_times,
    parse_time,
    speak_duration,
)

DAY = ("08:00", "18:00")
TIMES = st.builds("{:02d}:{:02d}".format, st.integers(0, 23), st.integers(0, 59))
RECORDS: list[tuple[Any, str | None]] = [
    ("9:00", "09:00"),
    ("09:00", "09:00"),
    ("9 am", "09:00"),
    ("9am", "09:00"),
    ("9 a.m.", "09:00"),
    ("9.30", "09:30"),
    ("14h30", "14:30"),
    ("14h", "14:00"),
    ("14:30:00", "14:30"),
    ("1430", "14:30"),
    ("0930", "09:30"),
    ("half past two", "14:30"),
    ("half two", "14:30"),
    ("two thirty", "14:30"),
    ("two thirty pm", "14:30"),
    ("quarter to four", "15:45"),
    ("a quarter past ten", "10:15"),
    ("ten to three", "14:50"),
    ("twenty past nine", "09:20"),
    ("20 minutes past 9", "09:20"),
    ("noon", "12:00"),
    ("12 noon", "12:00"),
    ("midday", "12:00"),
    ("midnight", "00:00"),
    ("nine o'clock", "09:00"),
    ("9 o’clock", "09:00"),
    ("2:30", "14:30"),
    ("2:30 p.m.", "14:30"),
    ("2", "14:00"),
    ("at 2:30 pm", "14:30"),
    ("2 in the afternoon", "14:00"),
    ("12", "12:00"),
    ("12 am", "00:00"),
    ("12:30 pm", "12:30"),
    ("9ish", "09:00"),
    (9, "09:00"),
    ("start at 9:15", "09:15"),
    ("25:00", None),
    ("9:75", None),
    ("9 to 11", None),
    ("", None),
    ("soon", None),
    (True, None),
    (None, None),
    (9.5, None),
    ([], None),
    ("x" * 200, None),
]
SPEECH: list[tuple[str, list[str]]] = [
    ("Let's meet at 9.", ["09:00"]),
    ("How about 2:30?", ["14:30"]),
    ("How about 2?", ["14:00"]),
    ("9:00 or 9:30 would do.", ["09:00", "09:30"]),
    ("from 9 to 11:30", ["09:00", "11:30"]),
    ("between 2 and 4 pm", ["14:00", "16:00"]),
    ("11 to 1 pm", ["11:00", "13:00"]),
    ("at 9.30 sharp", ["09:30"]),
    ("I have to leave by half past two.", ["14:30"]),
    ("at a quarter to four", ["15:45"]),
    ("See you at noon!", ["12:00"]),
    ("at nine o'clock", ["09:00"]),
    ("at nine", ["09:00"]),
    ("at two thirty", ["14:30"]),
    ("at 14h30", ["14:30"]),
    ("5 p.m. works", ["17:00"]),
    ("3 in the afternoon", ["15:00"]),
    ("make it 3", ["15:00"]),
    ("at 1430 hours", ["14:30"]),
    ("I need 3 crates at 9", ["09:00"]),
    ("at 9 dollars each", []),
    ("after 3 tries", []),
    ("I need 8 crates.", []),
    ("between 8 and 14 crates", []),
    ("raise it by 5", []),
    ("9% of it", []),
    ("$9.30 each", []),
    ("for 40 minutes", []),
    ("the ratio is 2:1", []),
    ("one of us", []),
    ("at one point", []),
    ("no time here", []),
    ("at 10:45, 11:45 or 12:45", ["10:45", "11:45", "12:45"]),
    ("at 8 or 9", ["08:00", "09:00"]),
    ("I'm out from ten to three", ["10:00", "15:00"]),
    ("be there at ten to three", ["14:50"]),
    ("not 9:00 but 10:00", ["09:00", "10:00"]),
    ("Sorry, I meant 10:15, not 9:15.", ["10:15", "09:15"]),
    ("until 5", ["17:00"]),
    ("around 4", ["16:00"]),
]
DURATIONS: list[tuple[str, list[int]]] = [
    ("40 minutes", [40]),
    ("an hour", [60]),
    ("an hour and a half", [90]),
    ("half an hour", [30]),
    ("a half hour", [30]),
    ("a half-hour slot", [30]),
    ("90 min", [90]),
    ("90min", [90]),
    ("1.5 hours", [90]),
    ("1,5 hours", [90]),
    ("two hours", [120]),
    ("three quarters of an hour", [45]),
    ("a quarter of an hour", [15]),
    ("a quarter hour", [15]),
    ("two and a half hours", [150]),
    ("2 hours and 15 minutes", [135]),
    ("2 hours 15", [120]),
    ("2h", [120]),
    ("an hour and a quarter", [75]),
    ("two hours and a half", [150]),
    ("one hour", [60]),
    ("a full hour", [60]),
    ("forty-five minutes", [45]),
    ("a 40-minute slot", [40]),
    ("the 2-hour session", [120]),
    ("an hour and twenty minutes", [80]),
    ("1 hr 30 mins", [90]),
    ("ninety minutes or two hours", [90, 120]),
    ("at 20 minutes to 4", []),
    ("20 minutes past nine", []),
    ("in a minute", []),
    ("wait a moment", []),
    ("at 9", []),
    ("9:30", []),
    ("minimum 8", []),
    ("The hours are long.", []),
    ("$40 an item", []),
    ("I need 40.", []),
    ("ten minutes each", [10]),
    ("0.5 hours", [30]),
    ("three-quarters of an hour", [45]),
]


@pytest.mark.parametrize(("value", "time"), RECORDS)
def test_a_records_value_names_its_time(value: Any, time: str | None) -> None:
    assert parse_time(value, DAY) == time


@pytest.mark.parametrize(("text", "times"), SPEECH)
def test_times_are_heard_and_none_is_invented(text: str, times: list[str]) -> None:
    assert [m.time for m in find_times(text, DAY)] == times
    assert all(text[m.start : m.end] == m.text for m in find_times(text, DAY))


@pytest.mark.parametrize(("text", "minutes"), DURATIONS)
def test_durations_are_heard(text: str, minutes: list[int]) -> None:
    assert [d.minutes for d in find_durations(text)] == minutes
    assert all(text[d.start : d.end] == d.text for d in find_durations(text))


def test_without_a_public_day_an_hour_is_read_as_written() -> None:
    assert parse_time("2:30") == "02:30"


def test_a_length_of_time_is_said_as_people_say_it() -> None:
    assert speak_duration(90) == "an hour and a half"


def twelve_hours(time: str) -> str:
    """ "14:30" as "2:30 pm"."""
    hour, minute = (int(part) for part in time.split(":"))
    return f"{(hour - 1) % 12 + 1}{f':{minute:02d}' if minute else ''} {'am' if hour < 12 else 'pm'}"


@given(TIMES, st.sampled_from([twelve_hours, str]), st.none() | st.tuples(TIMES, TIMES).filter(lambda d: d[0] < d[1]))
def test_a_spoken_time_is_heard_again(time: str, say: Any, within: Any) -> None:
    if time >= "01:00" and (within is None or within[0] <= time <= within[1]):
        assert parse_time(say(time), within) == time
        assert [m.time for m in find_times(f"Shall we start at {say(time)}?", within)] == [time]


@given(TIMES)
def test_parsing_is_idempotent(time: str) -> None:
    assert parse_time(time) == time
    assert parse_time(parse_time(time), DAY) == time if time[0] != "1" or time > "13" else True


@given(st.integers(1, 24 * 60))
def test_a_spoken_duration_is_heard_again(minutes: int) -> None:
    assert [d.minutes for d in find_durations(f"It takes {speak_duration(minutes)}.")] == [minutes]


@given(st.text(max_size=300))
def test_any_text_may_come(text: str) -> None:
    for found in (find_times(text, DAY), find_durations(text)):
        assert all(text[m.start : m.end] == m.text for m in found)  # type: ignore[attr-defined]
    assert parse_time(text) is None or len(str(parse_time(text))) == 5
