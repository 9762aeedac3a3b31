"""Whatever JSON a model writes: a verdict, and something a store can hold; never an exception."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.records import DEEPEST, storable, written
from adidem.core.rules import Rules
from adidem.core.runs.store import _converter


def deep(count, value=None):
    for _ in range(count):
        value = [value]
    return value


def deep_object(count):
    value = {}
    for _ in range(count):
        value = {"outcome": "agree", "terms": value}
    return value


class Mute:
    def __repr__(self):
        raise ValueError("no words")


ODD = {
    "half a pair": "\ud800",
    "half a pair in a key": {"\udfff": 1},
    "a number beyond 64 bits": 10**30,
    "minus": -(10**30),
    "a number that cannot be printed": 10**5000,
    "lists": deep(300),
    "very deep lists": deep(5000),
    "objects": deep_object(5000),
    "a big number deep down": deep(20, 10**5000),
    "not finite": float("nan"),
    "bytes": b"\xff",
    "no repr": Mute(),
    "a list with them": ["\ud800", 10**30, deep(900)],
}


@pytest.fixture(params=ODD, ids=str.split)
def odd(request):
    return ODD[request.param]


@pytest.fixture
def rules(meeting):
    return Rules(meeting.MeetingPlace(), [meeting.ReachRules()])


def _whole(thing):
    return orjson.loads(orjson.dumps(_converter().unstructure(thing)))


def test_what_is_stored_can_be_written_in_any_place(odd):
    for value in (odd, [odd], {"a": odd}, {"a": {"b": [odd]}}):
        kept = storable(value)
        assert storable(kept) == kept
        orjson.dumps(kept)


def test_a_record_of_it_is_judged_and_kept(odd, rules):
    scenario = rules.family.scenarios("test", 0, 1)[0]
    terms = ({"outcome": "agree", "terms": odd}, {"outcome": "agree", "place": odd, "\ud83d": 1})
    for raw in (odd, {"outcome": odd}, *terms):
        for raws in ({"first": raw, "second": raw}, {"first": raw, "second": {"outcome": "decline"}}):
            _whole(rules.feasibility(scenario.worlds[0], raws))
        assert _whole(written(raw, rules.family, scenario.public))["raw"] is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_storable(value):
    orjson.dumps(storable(value))


def test_plain_json_is_kept_as_it_is():
    plain = json.loads('{"outcome": "agree", "terms": {"a": [1, 2.5, null, true, "é", {"b": "😀"}]}}')
    assert storable(plain) == plain
    assert storable("\ud83d\ude00") == "😀"
    assert storable(deep(DEEPEST + 5)) != deep(DEEPEST + 5)
