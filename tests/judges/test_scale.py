"""Dimensions become a schema, and JSON of any kind becomes ratings that are in range or unscored with a reason."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from adidem.core.domain import Dimension
from adidem.core.judging import number, ratings, schema_of, unscored

GOAL, WARMTH, ORDER = (
    Dimension("goal", 0, 10, "seat"),
    Dimension("warmth", -5, 5, "seat"),
    Dimension("order", 1, 5),
)
ALL = (GOAL, WARMTH, ORDER)
NAMES = ("Ann Lee", "Bo")
GOOD = {
    "order": {"reasoning": "o", "score": 5},
    "Ann Lee": {"goal": {"reasoning": "g", "score": 0}, "warmth": {"reasoning": "w", "score": -5}},
    "Bo": {"goal": {"reasoning": "g2", "score": 10}, "warmth": {"reasoning": "w2", "score": 5}},
}
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400)]),
    st.floats(),
    st.text(max_size=8),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["order", "goal", "warmth", "Ann Lee", "Bo", "score", "reasoning"]), inner),
    ),
    max_leaves=12,
)


def test_a_good_answer_meets_the_schema_and_is_read_as_it_stands():
    assert Draft202012Validator(schema_of(ALL, NAMES)).is_valid(GOOD)
    found = {(r.dimension, r.seat): (r.score, r.reason) for r in ratings(ALL, NAMES, GOOD)}
    assert found == {
        ("goal", "first"): (0.0, "g"),
        ("goal", "second"): (10.0, "g2"),
        ("warmth", "first"): (-5.0, "w"),
        ("warmth", "second"): (5.0, "w2"),
        ("order", None): (5.0, "o"),
    }


@pytest.mark.parametrize("path", [("order",), ("Bo",), ("Bo", "goal"), ("Bo", "goal", "score"), ("order", "reasoning")])
def test_the_schema_asks_for_every_part(path):
    answer = json.loads(json.dumps(GOOD))
    part = answer
    for step in path[:-1]:
        part = part[step]
    del part[path[-1]]
    assert not Draft202012Validator(schema_of(ALL, NAMES)).is_valid(answer)


def test_what_is_wrong_is_unscored_with_the_reason_and_the_rest_is_kept():
    answer = {
        "order": {"score": 6},
        "Ann Lee": {"goal": {"score": "ten"}, "warmth": {"score": 2, "reasoning": "fine"}},
        "Bo": {"goal": {"score": True}, "warmth": {}},
    }
    found = {(r.dimension, r.seat): (r.score, r.unscored) for r in ratings(ALL, NAMES, answer, "malformed: x")}
    assert found == {
        ("order", None): (None, "the score 6 is out of the range 1 to 5 (malformed: x)"),
        ("goal", "first"): (None, "the score 'ten' is not a number (malformed: x)"),
        ("warmth", "first"): (2.0, None),
        ("goal", "second"): (None, "the score true is not a number (malformed: x)"),
        ("warmth", "second"): (None, "no score was given (malformed: x)"),
    }


@given(JSON)
def test_no_json_raises_or_gives_a_number_outside_its_range(data):
    found = ratings(ALL, NAMES, data)
    assert [(r.dimension, r.seat) for r in found] == [(r.dimension, r.seat) for r in unscored(ALL, "x")]
    for rating in found:
        scale = next(d for d in ALL if d.name == rating.dimension)
        if rating.score is None:
            assert rating.unscored
        else:
            assert isinstance(rating.score, float)
            assert scale.low <= rating.score <= scale.high
            assert rating.unscored is None


@given(SCALARS, st.integers(-10, 10), st.integers(0, 10))
def test_a_number_is_in_its_range_or_a_reason_on_one_line(value, low, width):
    found = number(value, low, low + width)
    if isinstance(found, str):
        assert found
        assert len(found.splitlines()) == 1
    else:
        assert low <= found <= low + width


def test_a_number_too_long_to_be_written_is_out_of_range():
    assert number(10**5000, 0, 10) == "the score a huge number is out of the range 0 to 10"


def test_two_people_of_one_name_are_told_apart():
    schema = schema_of((GOAL,), ("Kim", "Kim"))
    one, two = schema["properties"]
    found = ratings((GOAL,), ("Kim", "Kim"), {one: {"goal": {"score": 3}}, two: {"goal": {"score": 4}}})
    assert [(r.seat, r.score) for r in found] == [("first", 3), ("second", 4)]
