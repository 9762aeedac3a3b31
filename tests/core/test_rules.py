"""Feasibility: records match, the outcome is the derived one, no checker objects; and the pair certificate."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Condition, Record, Violation
from adidem.core.records import write_record
from adidem.core.rules import Rules


@pytest.fixture
def rules(zoo, zoo_rules):
    return Rules(zoo, [zoo_rules])


@pytest.fixture
def met(meeting):
    return Rules(meeting.MeetingPlace(), [meeting.ReachRules()])


def plan(zoo, **changes):
    return write_record(Record("agree", evolve(zoo.plan, **changes)))


def test_equal_right_records_are_feasible(rules, zoo, world):
    assert rules.feasibility(world, {"first": plan(zoo), "second": plan(zoo)}).passed


def test_the_order_of_the_records_does_not_matter(rules, zoo, world):
    one, two = plan(zoo, count=11), {"outcome": "decline"}
    there = rules.feasibility(world, {"first": one, "second": two})
    back = rules.feasibility(world, {"first": two, "second": one})
    assert {f.kind for f in there.failures} == {f.kind for f in back.failures}
    assert not there.passed
    assert not back.passed


def test_a_mismatch_names_the_field_and_both_values(rules, zoo, world):
    verdict = rules.feasibility(world, {"first": plan(zoo), "second": plan(zoo, at="15:00")})
    assert [(f.kind, f.rule, f.found, f.required) for f in verdict.failures] == [("mismatch", "at", "14:30", "15:00")]
    assert "Ana recorded 14:30, Ben Okri recorded 15:00" in verdict.failures[0].message


def test_a_violation_says_rule_value_and_what_was_due(rules, zoo, world):
    verdict = rules.feasibility(world, {"first": plan(zoo, count=11), "second": plan(zoo, count=11)})
    assert [(f.kind, f.rule, f.found, f.required) for f in verdict.failures] == [("violation", "count", 11, 12)]


def test_declining_where_a_plan_exists_is_the_wrong_outcome(rules, world):
    verdict = rules.feasibility(world, {"first": {"outcome": "decline"}, "second": {"outcome": "decline"}})
    assert [(f.kind, f.found, f.required) for f in verdict.failures] == [("outcome", "decline", "agree")]


def test_where_no_plan_is_left_the_named_approver_decides(rules, closed):
    assert rules.right(closed).outcome == "defer"
    right = {"outcome": "defer", "terms": {"approver": "Dana"}}
    assert rules.feasibility(closed, {"first": right, "second": right}).passed
    wrong = {"outcome": "defer", "terms": {"approver": "Eve"}}
    verdict = rules.feasibility(closed, {"first": wrong, "second": wrong})
    assert [f.rule for f in verdict.failures] == ["approver"]


def test_without_an_approver_the_right_outcome_is_to_decline(rules, closed, public):
    alone = evolve(closed, public=evolve(public, approver=None))
    assert rules.right(alone).outcome == "decline"
    assert rules.feasibility(alone, {"first": {"outcome": "decline"}, "second": {"outcome": "declined"}}).passed


def test_an_unreadable_record_is_infeasible_with_its_reason(rules, zoo, world):
    verdict = rules.feasibility(world, {"first": plan(zoo), "second": {"outcome": "agree", "terms": {"count": 1}}})
    assert [(f.kind, f.seat) for f in verdict.failures] == [("unreadable", "second")]
    assert "terms.at is missing" in verdict.failures[0].message


@given(st.dictionaries(st.sampled_from(["first", "second"]), st.dictionaries(st.text(max_size=5), st.integers())))
def test_a_verdict_is_reached_whatever_was_written(zoo, zoo_rules, world, raws):
    assert not Rules(zoo, [zoo_rules]).feasibility(world, raws).passed


def test_every_plan_that_passes_is_feasible_and_no_other(met, meeting):
    family = meeting.MeetingPlace()
    for scenario in family.scenarios("train", 0, 12):
        for world in scenario.worlds:
            passing = set(met.passing(world))
            for terms in family.plans(world):
                record = write_record(Record("agree", terms))
                verdict = met.feasibility(world, {"first": record, "second": record})
                assert verdict.passed == (terms in passing)


def test_the_familys_certificates_hold(met, meeting):
    certificates = [met.certificate(s) for s in meeting.MeetingPlace().scenarios("train", 0, 30)]
    assert all(c.holds for c in certificates)
    assert {c.kind for c in certificates} == {"agree/agree", "agree/decline"}


def test_a_pair_with_a_common_plan_has_no_certificate(met, meeting):
    scenario = meeting.MeetingPlace().scenarios("train", 0, 2)[1]
    loose = evolve(scenario, b=tuple(evolve(c, value=["the park"], text="x") for c in scenario.b))
    loose = evolve(loose, a=tuple(evolve(c, value=["the park", "the museum"], text="y") for c in scenario.a))
    problems = met.certificate(loose).problems
    assert any("right in both worlds" in p for p in problems)
    assert any("2 conditions differ" in p for p in problems)


def test_worlds_that_do_not_differ_have_no_certificate(met, meeting):
    scenario = meeting.MeetingPlace().scenarios("train", 0, 1)[0]
    assert any("0 conditions differ" in p for p in met.certificate(evolve(scenario, b=scenario.a)).problems)


def test_a_difference_in_text_alone_is_no_difference(met, meeting):
    scenario = meeting.MeetingPlace().scenarios("train", 0, 1)[0]
    told = (evolve(scenario.a[0], text="something else"), *scenario.a[1:])
    assert any("text alone" in p for p in met.certificate(evolve(scenario, b=told)).problems)


def test_conditions_of_other_kinds_or_order_are_refused(met, meeting):
    scenario = meeting.MeetingPlace().scenarios("train", 0, 1)[0]
    other = (*scenario.b, Condition("first", "mood", "good", "I feel good."))
    assert any("same conditions" in p for p in met.certificate(evolve(scenario, b=other)).problems)


class Even:
    """A third party's rule over every family: no plan with the word park."""

    name = "no_park"
    families = None

    def check(self, world, terms):
        if "park" in str(terms):
            yield Violation("no_park", "no parks", None, str(terms), None)


def test_a_further_checker_narrows_what_is_right(met, meeting):
    wider = Rules(met.family, [*met.checkers, Even()])
    for scenario in meeting.MeetingPlace().scenarios("train", 0, 12):
        for world in scenario.worlds:
            assert set(wider.passing(world)) == {p for p in met.passing(world) if "park" not in p.place}


def test_a_checker_of_another_family_does_not_apply(zoo, zoo_rules, meeting):
    assert Rules(zoo, [zoo_rules, meeting.ReachRules()]).checkers == (zoo_rules,)


def test_a_fast_enumeration_is_used_only_with_the_familys_own_checker(zoo, zoo_rules, world):
    class Fast(type(zoo)):
        def passing(self, world):
            return ["fast"]

    assert Rules(Fast(), [zoo_rules]).passing(world) == ("fast",)
    assert Rules(Fast(), []).passing(world) == (zoo.plan,)


def test_what_is_right_is_remembered_per_world(rules, world, closed):
    assert rules.right(world) is rules.right(world)
    assert rules.right(world).outcome != rules.right(closed).outcome
