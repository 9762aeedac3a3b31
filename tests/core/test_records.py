"""Records are read into one form, whatever way they are written, and never raise anything but UnreadableRecord."""

import orjson
import pytest
from attrs import field, frozen
from attrs.validators import in_
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from adidem.core.domain import SEATS, Record, Text
from adidem.core.records import (
    UnreadableRecord,
    freeze,
    read_record,
    record_schema,
    storable,
    write_record,
    written,
)
from adidem.core.rules import Rules

PLAIN = {
    "outcome": "agree",
    "terms": {
        "count": 12,
        "at": "14:30",
        "kind": "van",
        "items": ["Cake", "soup"],
        "shares": {"Ana": 140, "Ben Okri": 100},
        "slots": {"Ana": {"start": "09:00", "end": "09:30"}, "Ben Okri": {"start": "10:00", "end": "11:00"}},
    },
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def changed(**terms):
    return {"outcome": "agree", "terms": {**PLAIN["terms"], **terms}}


def test_a_plain_record_reads_as_the_plan_it_says(zoo, public):
    assert read_record(PLAIN, zoo, public) == Record("agree", zoo.plan)


@pytest.mark.parametrize(
    "terms",
    [
        {"count": "12"},
        {"count": 12.0},
        {"count": "$12"},
        {"count": "a dozen"},
        {"count": "twelve"},
        {"count": " 12.00 "},
        {"at": "2:30 pm"},
        {"at": "half past two"},
        {"at": "14.30"},
        {"kind": "VAN"},
        {"kind": "the van"},
        {"items": ["soup", "cake"]},
        {"items": ["Soup", "CAKE", "soup"]},
        {"items": "cake, soup"},
        {"shares": {"BEN OKRI": "100", "ana": "$140"}},
        {"shares": {"ben": 100, "Ana": 140.0}},
        {
            "slots": {
                "ben okri": {"end": "11", "start": "10 am"},
                "Ana": {"end": "9:30", "start": "9 am"},
            }
        },
    ],
)
def test_other_spellings_read_the_same(terms, zoo, public):
    assert read_record(changed(**terms), zoo, public).terms == zoo.plan


@pytest.mark.parametrize("word", ["agree", "Agreed", " AGREEMENT "])
def test_the_outcome_may_be_spelt_loosely(word, zoo, public):
    assert read_record({**PLAIN, "outcome": word}, zoo, public).outcome == "agree"


def test_terms_may_stand_beside_the_outcome(zoo, public):
    assert read_record({"outcome": "agree", **PLAIN["terms"]}, zoo, public).terms == zoo.plan


def test_terms_of_a_decline_are_ignored(zoo, public):
    assert read_record({"outcome": "decline", "terms": PLAIN["terms"]}, zoo, public) == Record("decline")


def test_a_deferral_names_its_approver(zoo, public):
    record = read_record({"outcome": "defer", "terms": {"approver": "dana"}}, zoo, public)
    assert record.terms.approver == "Dana"


def test_a_family_without_deferrals_cannot_defer(meeting, public):
    with pytest.raises(UnreadableRecord, match="nobody to defer to"):
        read_record({"outcome": "defer", "terms": {"approver": "Dana"}}, meeting.MeetingPlace(), public)


def test_what_is_not_a_choice_is_kept_so_that_a_checker_can_name_it(zoo, public):
    assert read_record(changed(kind="A lorry"), zoo, public).terms.kind == "A lorry"


def test_a_fraction_is_kept_so_that_a_checker_can_name_it(zoo, public):
    assert read_record(changed(count="12.5"), zoo, public).terms.count == 12.5


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (None, "not a JSON object"),
        ("agree", "not a JSON object"),
        ([], "not a JSON object"),
        ({}, "outcome is None"),
        ({"outcome": "maybe"}, "'maybe'"),
        ({"outcome": "agree"}, "terms.count is missing"),
        (changed(count=None), "terms.count is missing"),
        (changed(count="many"), "terms.count is 'many', not a number"),
        (changed(count=True), "terms.count is True, not a number"),
        (changed(at="soon"), "terms.at is 'soon', not a time of day"),
        (changed(items=3), "terms.items is 3, not a list"),
        (changed(shares=[140, 100]), "not one value for each person"),
        (changed(shares={"Carl": 1}), "names 'Carl', who is neither Ana nor Ben Okri"),
        (changed(shares={"Ana": 1, "ANA": 2}), "names Ana twice"),
        (changed(slots={"Ana": "9 to 10"}), "terms.slots.Ana is '9 to 10', not an object"),
    ],
)
def test_what_cannot_be_read_says_why(raw, why, zoo, public):
    with pytest.raises(UnreadableRecord) as caught:
        read_record(raw, zoo, public)
    assert why in str(caught.value)


@given(JSON)
def test_arbitrary_json_never_raises_anything_else(zoo, public, raw):
    found = written(raw, zoo, public)
    assert (found.outcome is None) == (found.unreadable is not None)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(PLAIN["terms"], JSON)))
def test_arbitrary_terms_never_raise_anything_else(zoo, public, terms):
    found = written(changed(**terms), zoo, public)
    assert (found.outcome is None) == (found.unreadable is not None)


@given(JSON)
def test_what_is_stored_of_an_answer_is_json(raw):
    orjson.dumps(storable(raw))


@given(st.integers(0, 5000), st.sampled_from(["08:00", "12:15", "17:45"]), st.lists(st.sampled_from(["Cake", "soup"])))
def test_reading_is_idempotent_and_survives_json(zoo, public, count, at, items):
    once = read_record(changed(count=count, at=at, items=items), zoo, public)
    again = read_record(orjson.loads(orjson.dumps(write_record(once))), zoo, public)
    assert again == once
    assert freeze(again.terms) == freeze(once.terms)


def test_the_schema_accepts_the_plan_and_the_deferral_and_refuses_strangers(zoo, public):
    validator = Draft202012Validator(record_schema(zoo, public))
    assert validator.is_valid(PLAIN)
    assert validator.is_valid({"outcome": "defer", "terms": {"approver": "Dana"}})
    assert validator.is_valid({"outcome": "decline", "terms": None})
    assert not validator.is_valid(changed(kind="lorry"))
    assert not validator.is_valid({**PLAIN, "note": "hi"})


def test_the_schema_offers_no_deferral_where_nobody_may_decide(meeting, public):
    schema = record_schema(meeting.MeetingPlace(), public)
    assert schema["properties"]["outcome"]["enum"] == ["agree", "decline"]


def test_what_a_familys_own_validator_refuses_is_no_record(meeting):
    """The terms of an attrs class may have validators; a record that they refuse is unreadable, with their reason."""

    @frozen
    class Strict:
        place: Text = field(validator=in_(meeting.PLACES))

    class Family(meeting.MeetingPlace):
        terms = Strict

    family = Family()
    world = family.scenarios("train", 1, 1)[0].worlds[0]
    raw = {"outcome": "agree", "terms": {"place": "the moon"}}
    with pytest.raises(UnreadableRecord, match=r"terms cannot be had: 'place' must be in .* \(got 'the moon'\)"):
        read_record(raw, family, world.public)
    verdict = Rules(family, [meeting.ReachRules()]).feasibility(world, dict.fromkeys(SEATS, raw))
    assert {failure.kind for failure in verdict.failures} == {"unreadable"}
