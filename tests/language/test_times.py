"""Times, windows and durations in records and in loose speech."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import (
    find_durations,
    find_times,
    find_windows,
    parse_time,
    speak_duration,
    speak_time,
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
WINDOWS: list[tuple[str, list[str]]] = [
    ("from 9 to 11:30", ["09:00-11:30"]),
    ("9–11", ["09:00-11:00"]),
    ("9-11 am", ["09:00-11:00"]),
    ("between 2 and 4 pm", ["14:00-16:00"]),
    ("between 2 and 4", ["14:00-16:00"]),
    ("after 3", ["15:00-18:00"]),
    ("any time after 3", ["15:00-18:00"]),
    ("before noon", ["08:00-12:00"]),
    ("until 5", ["08:00-17:00"]),
    ("till half past two", ["08:00-14:30"]),
    ("from 1:15 on", ["13:15-18:00"]),
    ("from 1:15 onwards", ["13:15-18:00"]),
    ("3 or later", ["15:00-18:00"]),
    ("no later than 4", ["08:00-16:00"]),
    ("not before ten", ["10:00-18:00"]),
    ("no earlier than 10", ["10:00-18:00"]),
    ("by 4 at the latest", ["08:00-16:00"]),
    ("9:00 to 10:30 or 13:00 to 15:00", ["09:00-10:30", "13:00-15:00"]),
    ("I'm free 9 to 10, 11 to 12 and 2 to 4.", ["09:00-10:00", "11:00-12:00", "14:00-16:00"]),
    ("11 to 1 works", ["11:00-13:00"]),
    ("from 10 until 12:30", ["10:00-12:30"]),
    ("between nine and eleven thirty", ["09:00-11:30"]),
    ("start at 9 and end at 10:30", ["09:00-10:30"]),
    ("14:00 - 15:30", ["14:00-15:30"]),
    ("from half past nine to quarter past eleven", ["09:30-11:15"]),
    ("from noon to 3", ["12:00-15:00"]),
    ("10am-12pm", ["10:00-12:00"]),
    ("I can't do before 10", ["!08:00-10:00"]),
    ("I'm busy from 9 to 10 but free after 2", ["!09:00-10:00", "14:00-18:00"]),
    ("I have a class from 2 to 3.", ["!14:00-15:00"]),
    ("I'm tied up until half past two.", ["!08:00-14:30"]),
    ("9 to 11 doesn't work for me.", ["!09:00-11:00"]),
    ("9 to 11 is taken.", ["!09:00-11:00"]),
    ("I'm free all day except 2 to 4.", ["!14:00-16:00"]),
    ("I can't do anything except 2 to 4.", ["14:00-16:00"]),
    ("I'm not free before 10.", ["!08:00-10:00"]),
    ("I'm not available from 9 to 11.", ["!09:00-11:00"]),
    ("I can only do 9 to 11.", ["09:00-11:00"]),
    ("after 10 but before noon", ["10:00-12:00"]),
    ("before 10 or after 4", ["08:00-10:00", "16:00-18:00"]),
    ("the earliest I can do is 10", ["10:00-18:00"]),
    ("the latest we can finish is 4", ["08:00-16:00"]),
    ("I'm in class 9 to 11.", ["!09:00-11:00"]),
    ("My lunch break runs from 12 to 1.", ["!12:00-13:00"]),
    ("Between 9:00 and 12:00 I have appointments.", ["!09:00-12:00"]),
    ("I'm only around until 2.", ["08:00-14:00"]),
    ("I could start at 9:30 and be done by 11.", ["09:30-11:00"]),
    ("I need 3 to 4 crates.", []),
    ("from 8 to 14 people", []),
    ("at 9 and 10", []),
    ("See you at 9.", []),
    ("$9 to $11", []),
    ("from 4 to 4", []),
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


@pytest.mark.parametrize(("text", "windows"), WINDOWS)
def test_windows_are_heard_free_or_busy(text: str, windows: list[str]) -> None:
    found = find_windows(text, DAY)
    assert [f"{'' if w.free else '!'}{w.start_time}-{w.end_time}" for w in found] == windows
    assert all(text[w.start : w.end] == w.text for w in found)


@pytest.mark.parametrize(("text", "minutes"), DURATIONS)
def test_durations_are_heard(text: str, minutes: list[int]) -> None:
    assert [d.minutes for d in find_durations(text)] == minutes
    assert all(text[d.start : d.end] == d.text for d in find_durations(text))


def test_without_a_public_day_an_hour_is_read_as_written() -> None:
    assert parse_time("2:30") == "02:30"
    assert [(w.start_time, w.end_time) for w in find_windows("after 3 pm")] == [("15:00", "24:00")]
    assert [(w.start_time, w.end_time) for w in find_windows("from 9 to 5")] == [("09:00", "17:00")]


def test_the_others_window_is_told_apart() -> None:
    found = find_windows("You said you're free from 9 to 10, but I can only do 2 to 4.", DAY)
    assert [w.by for w in found] == ["partner", "speaker"]


def test_times_are_said_as_people_say_them() -> None:
    assert speak_time("14:30") == "2:30 pm"
    assert speak_time("14:30", "24h") == "14:30"
    assert speak_time("14:30", "words", DAY) == "half past two"
    assert speak_time("09:00", "words", DAY) == "nine o'clock"
    assert speak_time("12:00") == "noon"
    assert speak_duration(90) == "an hour and a half"


@given(
    TIMES, st.sampled_from(["12h", "24h", "words"]), st.none() | st.tuples(TIMES, TIMES).filter(lambda d: d[0] < d[1])
)
def test_a_spoken_time_is_heard_again(time: str, style: Any, within: Any) -> None:
    spoken = speak_time(time, style, within)
    assert parse_time(spoken, within) == time
    assert [m.time for m in find_times(f"Shall we start at {spoken}?", within)] == [time]


@given(TIMES)
def test_parsing_is_idempotent(time: str) -> None:
    assert parse_time(time) == time
    assert parse_time(parse_time(time), DAY) == time if time[0] != "1" or time > "13" else True


@given(TIMES, TIMES, st.sampled_from(["12h", "24h"]))
def test_a_spoken_window_is_heard_again(start: str, end: str, style: Any) -> None:
    if start < end:
        text = f"I'm free from {speak_time(start, style)} to {speak_time(end, style)}."
        assert [(w.start_time, w.end_time, w.free) for w in find_windows(text)] == [(start, end, True)]


@given(TIMES, TIMES)
def test_a_window_in_words_is_heard_again_within_the_public_day(start: str, end: str) -> None:
    if DAY[0] <= start < end <= DAY[1]:
        text = f"I'm busy from {speak_time(start, 'words', DAY)} to {speak_time(end, 'words', DAY)}."
        assert [(w.start_time, w.end_time, w.free) for w in find_windows(text, DAY)] == [(start, end, False)]


@given(st.integers(1, 24 * 60))
def test_a_spoken_duration_is_heard_again(minutes: int) -> None:
    assert [d.minutes for d in find_durations(f"It takes {speak_duration(minutes)}.")] == [minutes]


@given(st.text(max_size=300))
def test_any_text_may_come(text: str) -> None:
    for found in (find_times(text, DAY), find_windows(text, DAY), find_durations(text)):
        assert all(text[m.start : m.end] == m.text for m in found)  # type: ignore[attr-defined]
    assert parse_time(text) is None or len(str(parse_time(text))) == 5
