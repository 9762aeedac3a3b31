"""Authorization: its rules one by one, the laws they obey, its scenarios, and what is said and heard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.domain import SEATS, Condition, Fact, Heard, Public, Record, Scenario, World, other
from adidem.core.language import Act, find_acts
from adidem.core.records import read_record, write_record
from adidem.core.rules import Rules
from adidem.plugins.families._requests import Approval, Referral, holder_of
from adidem.plugins.families.authorization import ApprovalRules, Authorization

FAMILY = Authorization()
RULES = Rules(FAMILY, [ApprovalRules()])
SPLITS = ("train", "dev", "test")
POOL: tuple[Scenario, ...] = tuple(s for split in SPLITS for s in FAMILY.scenarios(split, 11, 48))


def _of(setting: str) -> Scenario:
    return next(s for s in POOL if s.setting == setting)


def _world(setting: str, authority: dict[str, Any] | None = None, need: dict[str, Any] | None = None) -> World:
    public = _of(setting).public
    holder = holder_of(public)
    conditions = []
    if need is not None:
        conditions.append(Condition(other(holder), "need", need))
    if authority is not None:
        conditions.append(Condition(holder, "authority", authority))
    return World("a", public, tuple(conditions))


PROPOSAL = _world(  # Nadia asks; Viktor may approve; Dana is the outside approver
    "grant-proposal-review",
    authority={"extra review": 8, "outside proofreader": 0},
    need={"extra review": 6, "outside proofreader": 10},
)
TALK = PROPOSAL.public
ROOM = _of("hotel-leaking-ceiling").public  # Lorcan asks; Amara may approve; Henk is the outside approver; pounds
WARD = _of("care-home-night-cover").public  # Femi asks; Gudrun may approve; Beatrix is outside; steps of two hours


# ------------------------------------------------------------------------------------------------------- hearing

R, P = "extra review", "outside proofreader"
NADIA, VIKTOR = "first", "second"


def _parts(heard: Heard) -> tuple[Any, Any, Any]:
    facts = [(f.kind, f.about, {k: v for k, v in f.value.items() if v is not None}) for f in heard.facts]
    plans = [(p.terms.action, p.terms.amount, p.terms.approved_by, p.rejected) for p in heard.plans]
    return facts, plans, [d.approver for d in heard.deferrals]


def _auth(about: str = "speaker", **limits: int) -> tuple[str, str, dict[str, int]]:
    return "authority", about, {{"r": R, "p": P}[k]: v for k, v in limits.items()}


def _need(about: str = "speaker", **least: int) -> tuple[str, str, dict[str, int]]:
    return "need", about, {{"r": R, "p": P}[k]: v for k, v in least.items()}


def _may(**limits: int) -> tuple[str, str, dict[str, int]]:
    return "approves", "speaker", {{"r": R, "p": P}[k]: v for k, v in limits.items()}


def _plan(amount: float, by: str = "Viktor", action: str = R, rejected: bool = False) -> tuple[Any, ...]:
    return action, amount, by, rejected


LOOSE: list[tuple[str, str, list[Any], list[Any], list[str]]] = [
    # plans
    (VIKTOR, "I can sign off 6 extra review hours.", [_may(r=6)], [_plan(6)], []),
    (VIKTOR, "I approve six hours of review.", [_may(r=6)], [_plan(6)], []),
    (NADIA, "Let's do 6 review hours, you approve it.", [], [_plan(6)], []),
    (NADIA, "Could you sign off eight hours of review for me?", [], [_plan(8)], []),
    (NADIA, "Would a dozen hours with a proofreader be possible?", [], [_plan(12, action=P)], []),
    (VIKTOR, "OK, seven hours of review it is, on my signature.", [], [_plan(7)], []),
    (NADIA, "Then it's 7 hours of review, approved by Viktor. Thank you!", [], [_plan(7)], []),
    (NADIA, "I'll just approve 7 hours of review myself.", [_may(r=7)], [_plan(7, "Nadia")], []),
    (NADIA, "So: extra review, 7 hours, signed off by you.", [], [_plan(7)], []),
    (VIKTOR, "What about 9 hours of proofreading instead of 6 hours of review?", [], [_plan(9, action=P)], []),
    (VIKTOR, "Review makes sense. Let's say seven hours.", [], [_plan(7)], []),
    (VIKTOR, "12, sorry, I meant 14 hours of review.", [], [_plan(14)], []),
    (VIKTOR, "Let's do 6 hours of review. Sorry, I meant 7.", [], [_plan(7)], []),
    (NADIA, "I'd take 6 hours of review, no wait, 8 hours of review.", [], [_plan(8)], []),
    (NADIA, "How about 6 hours of review or 10 hours with a proofreader?", [], [_plan(6), _plan(10, action=P)], []),
    (VIKTOR, "Between us, 7 or 8 hours of review would be fine.", [], [_plan(7), _plan(8)], []),
    (VIKTOR, "There's no need to go to Dana: 7 hours of review is fine.", [], [_plan(7)], []),
    (NADIA, "Could you do 2.5 hours of review?", [], [_plan(2.5)], []),
    # plans turned down
    (VIKTOR, "I can't approve 12 hours of review.", [], [_plan(12, rejected=True)], []),
    (NADIA, "4 hours of review is not enough for me.", [], [_plan(4, rejected=True)], []),
    (VIKTOR, "14 hours of review is more than I can sign for.", [], [_plan(14, rejected=True)], []),
    (NADIA, "Five hours of review won't help, make it seven.", [], [_plan(5, rejected=True), _plan(7)], []),
    (VIKTOR, "12 hours of review would be too much, how about 8?", [], [_plan(12, rejected=True), _plan(8)], []),
    (VIKTOR, "12 hours of review? That's too much.", [], [_plan(12, rejected=True)], []),
    # authority
    (VIKTOR, "I may approve up to 8 hours of review on my own.", [_auth(r=8)], [], []),
    (VIKTOR, "My limit is eight hours of review.", [_auth(r=8)], [], []),
    (VIKTOR, "Anything over 8 hours of review has to go to Dana.", [_auth(r=8)], [], []),
    (VIKTOR, "8 hours of review is as far as I can go.", [_auth(r=8)], [], []),
    (VIKTOR, "I can't sign for more than 8 hours of review.", [_auth(r=8)], [], []),
    (VIKTOR, "I can't approve a proofreader, but up to 8 hours of review is fine.", [_auth(r=8, p=0)], [], []),
    (VIKTOR, "Eight hours of review, tops, and no proofreader at all from my side.", [_auth(r=8, p=0)], [], []),
    (VIKTOR, "For review I can stretch to at most 8 hours, for a proofreader 4.", [_auth(r=8, p=4)], [], []),
    (VIKTOR, "A proofreader isn't mine to approve, I'm afraid.", [_auth(p=0)], [], []),
    (VIKTOR, "I have no say over an outside proofreader.", [_auth(p=0)], [], []),
    (VIKTOR, "I'm afraid I can't approve the extra review.", [], [], []),
    (VIKTOR, "My limit is 8, sorry, 10 hours of review.", [_auth(r=10)], [], []),
    (VIKTOR, "I can only approve 8 hours of review.", [_auth(r=8)], [], []),
    (VIKTOR, "I can approve anywhere between 1 and 8 hours of review.", [_auth(r=8)], [], []),
    (VIKTOR, "I can approve up to eight (8) hours of extra review.", [_auth(r=8)], [], []),
    (VIKTOR, "- Extra review: max 8 hours\n- Outside proofreader: max 4 hours", [_auth(r=8, p=4)], [], []),
    (VIKTOR, "I can sign off on up to 8 hours of review, anything beyond that needs Dana.", [_auth(r=8)], [], []),
    (VIKTOR, "I'm allowed to approve 8 hours of review.", [_may(r=8)], [], []),
    (VIKTOR, "I can approve as much review as you like.", [_may(r=18)], [], []),
    (VIKTOR, "More than 8 hours of review is beyond me, so we need to ask Dana.", [_auth(r=8)], [], ["Dana"]),
    (NADIA, "You said you can go up to 8 hours of review.", [_auth("listener", r=8)], [], []),
    (NADIA, "I can sign off up to 20 hours of review myself.", [_auth(r=20)], [], []),
    (NADIA, "Viktor can only approve up to 8 hours of review.", [_auth("listener", r=8)], [], []),
    # need
    (NADIA, "I need at least 6 hours of review for it to be any use.", [_need(r=6)], [], []),
    (NADIA, "I need at least 6 hours of review. How about 7 hours of review?", [_need(r=6)], [_plan(7)], []),
    (NADIA, "Anything under half a dozen hours of review would be wasted.", [_need(r=6)], [], []),
    (NADIA, "I can't make it work with less than 6 hours of review.", [_need(r=6)], [], []),
    (NADIA, "A proofreader would be no use to me; review needs to be 6 hours or more.", [_need(r=6, p=0)], [], []),
    (NADIA, "It takes 6 hours of review, or 10 with a proofreader.", [_need(r=6, p=10)], [], []),
    (NADIA, "Six hours of review is the least that would help.", [_need(r=6)], [], []),
    (NADIA, "If I get less than 6 hours of review there's no point.", [_need(r=6)], [], []),
    (NADIA, "I need 6 hours of review.", [_need(r=6)], [], []),
    (NADIA, "I need six, sorry, seven hours of review at the very least.", [_need(r=7)], [], []),
    (VIKTOR, "You told me you need at least 6 hours of review.", [_need("listener", r=6)], [], []),
    (NADIA, "I need at least 6 hours of review and you can go up to 8.", [_need(r=6), _auth("listener", r=8)], [], []),
    (NADIA, "With fewer than 10 hours, a proofreader doesn't help me.", [_need(p=10)], [], []),
    (NADIA, "My budget section needs at least 6 hours of review.", [_need(r=6)], [], []),
    (NADIA, "6+ hours of review is what I need.", [_need(r=6)], [], []),
    # deferrals
    (VIKTOR, "We need to ask Dana.", [], [], ["Dana"]),
    (NADIA, "Then that has to go to Dana.", [], [], ["Dana"]),
    (VIKTOR, "Let's leave it to Dana.", [], [], ["Dana"]),
    (VIKTOR, "This one is up to the head of research, not me.", [], [], ["Dana"]),
    (NADIA, "Shall we run it past Dana?", [], [], ["Dana"]),
    (VIKTOR, "It's Dana's call.", [], [], ["Dana"]),
    (VIKTOR, "12 hours of review needs Dana's approval.", [], [], ["Dana"]),
    (VIKTOR, "I'd have to check with Dana for 12 hours of review.", [], [], ["Dana"]),
    (VIKTOR, "Let me call Dana about this.", [], [], ["Dana"]),
    (VIKTOR, "I'd have to ask Dana for anything above 8 hours of review.", [_auth(r=8)], [], []),
    (VIKTOR, "We could go to Dana, but 7 hours of review is within my limit.", [_may(r=7)], [_plan(7)], []),
    # nothing is said, and nothing heard
    (NADIA, "How much review can you approve by yourself?", [], [], []),
    (NADIA, "Can you go up to 12 hours of review?", [], [], []),
    (VIKTOR, "Do you need at least 10 hours of review?", [], [], []),
    (VIKTOR, "If you need at least 10 hours of review, I can't help.", [], [], []),
    (VIKTOR, "We can do that without asking Dana.", [], [], []),
    (VIKTOR, "No need to ask Dana about this.", [], [], []),
    (VIKTOR, "If it gets bigger we need to ask Dana.", [], [], []),
    (NADIA, "I was hoping for 12 hours of review.", [], [], []),
    (NADIA, "Dana can approve up to 30 hours of review.", [], [], []),
    (NADIA, "Can you approve six to eight hours of review?", [], [], []),
    (NADIA, "Last month I had 6 hours of review already.", [], [], []),
    (NADIA, "I don't need 8 hours of review.", [], [], []),
    (NADIA, "The proposal is due in 3 days and two of us wrote it.", [], [], []),
    (VIKTOR, "One thing: the review desk closes at 5.", [], [], []),
    (VIKTOR, "Good to hear from you, Nadia.", [], [], []),
]


@pytest.mark.parametrize(("speaker", "text", "facts", "plans", "deferrals"), LOOSE, ids=[row[1] for row in LOOSE])
def test_loose_talk_is_heard_as_meant(
    speaker: Any, text: str, facts: list[Any], plans: list[Any], deferrals: list[str]
) -> None:
    assert _parts(FAMILY.hear(text, TALK, speaker)) == (facts, plans, deferrals)


MONEY: list[tuple[str, str, list[Any], list[Any]]] = [
    ("second", "I can do a refund of £120.", [], [("refund", 120, "Amara", False)]),
    ("first", "A hundred and twenty pounds back as a refund, please?", [], [("refund", 120, "Amara", False)]),
    ("second", "How about one fifty in dining credit?", [], [("dining credit", 150, "Amara", False)]),
    ("second", "My ceiling is 80 quid for a refund.", [("authority", "speaker", {"refund": 80})], []),
    ("first", "I can't accept a refund below £90.", [("need", "speaker", {"refund": 90})], []),
    ("second", "A £40 refund, or rather a £60 refund.", [], [("refund", 60, "Amara", False)]),
    ("first", "£50 of dining credit is an insult.", [], [("dining credit", 50, "Amara", True)]),
    ("first", "I can't go below £90 for the refund.", [("need", "speaker", {"refund": 90})], []),
    ("first", "We are in room 12 and it has been dripping for 3 hours.", [], []),
]


@pytest.mark.parametrize(("speaker", "text", "facts", "plans"), MONEY, ids=[row[1] for row in MONEY])
def test_sums_of_money_are_heard_as_meant(speaker: Any, text: str, facts: list[Any], plans: list[Any]) -> None:
    assert _parts(FAMILY.hear(text, ROOM, speaker))[:2] == (facts, plans)


# ---------------------------------------------------------------------------------------------------------- rules


def _rules_broken(terms: Any, world: World = PROPOSAL) -> list[str]:
    return [v.rule for v in ApprovalRules().check(world, terms)]


def test_a_fitting_approval_breaks_no_rule() -> None:
    for amount in (6, 7, 8):
        assert _rules_broken(Approval(R, amount, "Viktor")) == []


def test_action_must_be_on_the_list() -> None:
    found = list(ApprovalRules().check(PROPOSAL, Approval("a ghost writer", 7, "Viktor")))
    assert [v.rule for v in found] == ["action"]
    assert found[0].found == "a ghost writer"
    assert found[0].required == [R, P]


def test_amount_must_be_whole() -> None:
    assert _rules_broken(Approval(R, 6.5, "Viktor")) == ["whole"]


def test_amount_must_be_on_the_step() -> None:
    world = World("a", WARD, ())
    assert _rules_broken(Approval("overtime", 9, "Gudrun"), world) == ["step"]


def test_amount_must_lie_between_one_step_and_the_largest() -> None:
    bare = World("a", TALK, ())
    assert _rules_broken(Approval(R, 19, "Viktor"), bare) == ["amount"]
    assert _rules_broken(Approval(R, 0, "Viktor"), bare) == ["amount"]
    assert _rules_broken(Approval(R, -3, "Viktor"), bare) == ["amount"]


def test_authority_is_the_approvers_limit_for_that_action() -> None:
    found = list(ApprovalRules().check(PROPOSAL, Approval(R, 9, "Viktor")))
    assert [(v.rule, v.seat, v.found, v.required) for v in found] == [("authority", "second", 9, 8)]
    assert _rules_broken(Approval(P, 10, "Viktor")) == ["authority"]


def test_only_the_one_who_is_asked_can_approve() -> None:
    found = list(ApprovalRules().check(PROPOSAL, Approval(R, 7, "Nadia")))
    assert [(v.rule, v.seat, v.required) for v in found] == [("approved_by", "second", "Viktor")]
    assert _rules_broken(Approval(R, 7, "Dana")) == ["approved_by"]


def test_need_is_the_least_that_helps_and_zero_is_no_help_at_all() -> None:
    found = list(ApprovalRules().check(PROPOSAL, Approval(R, 5, "Viktor")))
    assert [(v.rule, v.seat, v.found, v.required) for v in found] == [("need", "first", 5, 6)]
    useless = _world("grant-proposal-review", need={R: 0, P: 4})
    assert _rules_broken(Approval(R, 18, "Viktor"), useless) == ["need"]


def test_a_deferral_names_the_outside_approver() -> None:
    assert _rules_broken(Referral("Dana")) == []
    assert _rules_broken(Referral("Viktor")) == ["approver"]
    assert _rules_broken(Referral("Dana"), World("a", _of("shed-tools-loan").public, ())) == ["approver"]


def test_what_is_not_known_is_no_constraint() -> None:
    assert _rules_broken(Approval(R, 18, "Viktor"), World("a", TALK, ())) == []
    partly = _world("grant-proposal-review", authority={R: None, P: 4}, need={P: None})
    assert _rules_broken(Approval(R, 18, "Viktor"), partly) == []
    assert _rules_broken(Approval(P, 5, "Viktor"), partly) == ["authority"]


@given(
    st.one_of(
        st.builds(Approval, st.text(), st.integers() | st.floats(), st.text()),
        st.builds(Approval, st.sampled_from([R, P]), st.integers() | st.floats(), st.sampled_from(["Nadia", "Viktor"])),
        st.builds(Referral, st.text()),
    )
)
@settings(max_examples=100)
def test_checkers_never_raise(terms: Any) -> None:
    for violation in ApprovalRules().check(PROPOSAL, terms):
        assert violation.message


# ----------------------------------------------------------------------------------------------------------- laws

limits = st.none() | st.integers(0, 18)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A scenario's public context with any conditions, parts of them unknown or missing."""
    public = draw(st.sampled_from(POOL)).public
    values = st.fixed_dictionaries({}, optional={a: limits | st.integers(0, 1400) for a in public.facts["actions"]})
    holder = holder_of(public)
    conditions = [Condition(holder, "authority", draw(values)), Condition(other(holder), "need", draw(values))]
    return World(
        "a", public, tuple(draw(st.lists(st.sampled_from(conditions), unique_by=lambda c: c.kind, max_size=2)))
    )


@given(worlds())
@settings(max_examples=60)
def test_fast_enumeration_equals_the_rules(world: World) -> None:
    slow = [p for p in FAMILY.plans(world) if not any(True for _ in ApprovalRules().check(world, p))]
    assert list(FAMILY.passing(world)) == slow


@given(worlds(), st.data())
@settings(max_examples=60)
def test_equal_records_are_feasible_exactly_where_the_rules_pass(world: World, data: st.DataObject) -> None:
    plans = list(FAMILY.plans(world))
    passing = list(FAMILY.passing(world))
    for plan in [*passing[:2], *data.draw(st.lists(st.sampled_from(plans), max_size=5))]:
        assert _passes(world, write_record(Record("agree", plan))) == (plan in passing)
    right = "agree" if passing else "defer" if world.public.approver else "decline"
    assert RULES.right(world).outcome == right
    assert _passes(world, write_record(Record("defer", Referral(world.public.approver or "Dana")))) == (
        right == "defer"
    )
    assert _passes(world, {"outcome": "decline"}) == (right == "decline")


def _passes(world: World, record: Any) -> bool:
    return RULES.feasibility(world, {"first": record, "second": record}).passed


@given(worlds(), st.data())
@settings(max_examples=60)
def test_more_authority_or_less_need_never_rules_a_plan_out(world: World, data: st.DataObject) -> None:
    before = set(FAMILY.passing(world))
    wider = []
    for condition in world.conditions:
        value = {}
        for action, known in condition.value.items():
            more = data.draw(st.integers(0, 50))
            if known is None or (known == 0 and condition.kind == "need"):
                value[action] = None
            else:
                value[action] = known + more if condition.kind == "authority" else max(1, known - more)
        wider.append(Condition(condition.owner, condition.kind, value))
    assert before <= set(FAMILY.passing(World("a", world.public, tuple(wider))))


@given(worlds(), st.data())
@settings(max_examples=40)
def test_spelling_and_order_do_not_change_a_record(world: World, data: st.DataObject) -> None:
    plan = data.draw(st.sampled_from(list(FAMILY.plans(world))))
    amount = data.draw(st.sampled_from([plan.amount, float(plan.amount), str(plan.amount), f" {plan.amount}.0 "]))
    loose = {"approved_by": plan.approved_by.upper(), "amount": amount, "action": f" {plan.action}.".upper()}
    record = read_record({"terms": loose, "outcome": "Agreed"}, FAMILY, world.public)
    assert record.terms == plan
    assert read_record(write_record(record), FAMILY, world.public) == record


# ------------------------------------------------------------------------------------------------------ scenarios


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_scenario_is_certified_and_no_pair_kind_has_more_than_its_share(split: Any, seed: int) -> None:
    scenarios = FAMILY.scenarios(split, seed, None)
    certificates = [RULES.certificate(s) for s in scenarios]
    assert all(c.holds for c in certificates)
    kinds = Counter(c.kind for c in certificates)
    assert max(kinds.values()) <= 0.7 * len(scenarios)
    assert set(kinds) == {"agree/agree", "agree/defer", "agree/decline"}


def test_the_settings_are_as_many_as_asked_for() -> None:
    assert [len(FAMILY.settings(split)) for split in SPLITS] == [16, 4, 10]
    every = [s for split in SPLITS for s in FAMILY.settings(split)]
    assert len({s.names for s in every}) == len(every)
    assert len([s for s in every if s.approver is not None]) == 22
    assert len([s for s in every if s.params["requester"] == "first"]) == 15


def test_each_of_the_two_owns_the_difference_for_every_pair_kind() -> None:
    owners = {(RULES.certificate(s).kind, s.differing[0][0].owner, s.differing[0][0].kind) for s in POOL}
    for kind in ("agree/agree", "agree/defer", "agree/decline"):
        assert {o[1:] for o in owners if o[0] == kind} == {(s, k) for s in SEATS for k in ("authority", "need")}


def test_what_is_right_is_a_small_part_of_what_could_be_written() -> None:
    for scenario in POOL:
        for world in scenario.worlds:
            right = RULES.right(world)
            assert len(right.plans) <= 4
            assert len(list(FAMILY.plans(world))) >= 40


def test_guessing_from_one_card_alone_mostly_fails() -> None:
    """The best that one can do alone: the own bound of each action, whichever action one is most hopeful about."""
    for kind in ("authority", "need"):
        passed = [_guess_passes(s, world, kind) for s in POOL for world in s.worlds]
        assert sum(passed) / len(passed) < 0.45


def _guess_passes(scenario: Scenario, world: World, kind: str) -> bool:
    public = scenario.public
    holder = holder_of(public)
    own = world.of(holder if kind == "authority" else other(holder), kind) or {}
    grids = {a["name"]: a["range"] for s in _settings(scenario) for a in s.params["actions"]}

    def hope(action: str) -> float:
        low, high = grids[action]
        part = (own[action] - low) / (high - low)
        return part if kind == "authority" else 1 - part

    action = max((a for a in own if own[a]), key=hope)
    return Approval(action, own[action], public.name(holder)) in RULES.right(world).plans


def _settings(scenario: Scenario) -> Iterator[Any]:
    return (s for s in FAMILY.settings(scenario.split) if s.id == scenario.setting)


def test_only_the_differing_card_tells_the_worlds_apart() -> None:
    for scenario in POOL:
        ((changed, _),) = scenario.differing
        a, b = scenario.worlds
        assert a.card(other(changed.owner)) == b.card(other(changed.owner))
        assert a.card(changed.owner) != b.card(changed.owner)


def test_no_constant_record_passes_in_both_worlds() -> None:
    for scenario in POOL[::5]:
        a, b = (RULES.right(w).keys(scenario.public.approver) for w in scenario.worlds)
        assert not a & b


# ---------------------------------------------------------------------------------------------------- round trips


def test_a_condition_told_is_heard_as_that_condition_and_nothing_else() -> None:
    for scenario in POOL:
        for condition in {c.text: c for c in (*scenario.a, *scenario.b)}.values():
            text = FAMILY.tell(condition, scenario.public)
            heard = FAMILY.hear(text, scenario.public, condition.owner)
            assert [(f.kind, f.value, f.about) for f in heard.facts] == [
                (condition.kind, condition.value, "speaker")
            ], text
            assert (heard.plans, heard.deferrals) == ((), ()), text
            fact = heard.facts[0]
            assert 0 <= fact.start < fact.end <= len(text)
            card = scenario.worlds[0 if condition in scenario.a else 1].card(condition.owner)
            assert FAMILY.contradicts(fact, card) is None
            assert find_acts(text) <= {Act.TELL}, text


@given(st.sampled_from(POOL), st.sampled_from(SEATS), st.data())
@settings(max_examples=150)
def test_a_plan_said_is_heard_as_that_plan_and_nothing_else(scenario: Scenario, seat: Any, data: st.DataObject) -> None:
    public = scenario.public
    plan = data.draw(st.sampled_from(list(FAMILY.plans(scenario.worlds[0]))))
    frame = data.draw(st.sampled_from(["How about {}?", "Then it's {}.", "Yes, {} works for me.", "I suggest {}."]))
    text = frame.format(FAMILY.say(plan, public))
    heard = FAMILY.hear(text, public, seat)
    assert [(p.terms, p.rejected) for p in heard.plans] == [(plan, False)], text
    assert (heard.facts, heard.deferrals) == ((), ()), text


def test_a_deferral_said_is_heard_as_that_deferral_and_nothing_else() -> None:
    for scenario in POOL:
        if (approver := scenario.public.approver) is None:
            continue
        for frame in ("We can't settle that between us. {}.", "That is more than the two of us may decide. {}."):
            heard = FAMILY.hear(frame.format(FAMILY.say(Referral(approver), scenario.public)), scenario.public, "first")
            assert _parts(heard) == ([], [], [approver])


@given(st.sampled_from(POOL), st.sampled_from(SEATS), st.data())
@settings(max_examples=60)
def test_told_asked_and_proposed_in_one_breath_all_is_heard(scenario: Scenario, seat: Any, data: st.DataObject) -> None:
    public = scenario.public
    condition = next(c for c in scenario.a if c.owner == seat)
    plan = data.draw(st.sampled_from(list(FAMILY.plans(scenario.worlds[0]))))
    text = f"Hi! {condition.text} {FAMILY.ask(public, seat)} How about {FAMILY.say(plan, public)}?"
    heard = FAMILY.hear(text, public, seat)
    assert [(f.kind, f.value) for f in heard.facts] == [(condition.kind, condition.value)]
    assert [p.terms for p in heard.plans] == [plan]
    assert heard.deferrals == ()


def test_asking_tells_nothing_and_is_understood_as_asking() -> None:
    for scenario in POOL:
        for seat in SEATS:
            question = FAMILY.ask(scenario.public, seat)
            assert FAMILY.hear(question, scenario.public, seat) == Heard()
            assert Act.ASK in find_acts(question)


def test_nobody_is_deferred_to_where_the_setting_has_nobody() -> None:
    public: Public = _of("shed-tools-loan").public
    assert FAMILY.hear("We need to ask Dana, or the chairman.", public, "second") == Heard()
    assert FAMILY.choices(public)["approver"] == ()


_words = st.sampled_from(
    "8 eight £40 hours of extra review a proofreader Dana Viktor I you can't approve up to at least need more than . ,"
    " ? - sorry no only if so how about approved by not over is too much".split(" ")
)


@given(st.lists(_words, max_size=25).map(" ".join) | st.text(max_size=200), st.sampled_from(SEATS))
@settings(max_examples=150)
def test_hearing_never_raises_and_says_where(text: str, seat: Any) -> None:
    heard = FAMILY.hear(text, TALK, seat)
    for found in (*heard.facts, *heard.plans, *heard.deferrals):
        assert 0 <= found.start <= found.end <= len(text)
    for fact in heard.facts:
        FAMILY.contradicts(fact, PROPOSAL.card(seat))


# ------------------------------------------------------------------------------------------------- contradictions


@pytest.mark.parametrize(
    ("speaker", "text", "untrue"),
    [
        (VIKTOR, "I may approve up to 12 hours of review.", True),  # invented authority: more than the card's
        (VIKTOR, "I may approve up to 5 hours of review.", True),  # and less
        (VIKTOR, "I may approve up to 8 hours of review.", False),
        (VIKTOR, "I can sign off 12 hours of review.", True),
        (VIKTOR, "I can sign off 5 hours of review.", False),
        (VIKTOR, "I can sign off 5 hours with a proofreader.", True),  # invented authority: an action not on the card
        (VIKTOR, "I can approve as much review as you like.", True),
        (VIKTOR, "I can't approve a proofreader.", False),
        (VIKTOR, "I can't approve any extra review.", True),
        (NADIA, "I'll just approve 7 hours of review myself.", True),  # no authority at all
        (NADIA, "I need at least 6 hours of review.", False),
        (NADIA, "I need at least 9 hours of review.", True),
        (NADIA, "A proofreader would be no use to me.", True),
        (NADIA, "I need quite a lot of review.", False),
    ],
)
def test_what_is_said_of_oneself_is_held_against_the_card(speaker: Any, text: str, untrue: bool) -> None:
    heard = FAMILY.hear(text, TALK, speaker)
    why = [FAMILY.contradicts(f, PROPOSAL.card(speaker)) for f in heard.facts if f.about == "speaker"]
    assert any(why) == untrue


def test_a_contradiction_says_what_the_card_holds() -> None:
    why = FAMILY.contradicts(Fact("authority", {R: 12, P: None}), PROPOSAL.card("second"))
    assert why == "claims authority for 12 hours of extra review, but the card says 8 hours at most"
    assert FAMILY.contradicts(Fact("authority", "plenty"), PROPOSAL.card("second")) is None
    assert FAMILY.contradicts(Fact("need", {R: 3}), PROPOSAL.card("second")) is None


# ------------------------------------------------------------------------------------------------------- settings


def _sentences(split: Any) -> Iterator[tuple[str, str]]:
    """(setting, sentence) for every sentence of a split's texts, without names, figures and placeholders."""
    for setting in FAMILY.settings(split):
        tells = [text for kind in setting.tell.values() for text in kind.values()]
        for text in (setting.story, setting.brief, *tells, *setting.ask.values(), *setting.about.values()):
            bare = re.sub(r"\{\w+\}|\d+|" + "|".join(map(re.escape, setting.names)), " ", text)
            for sentence in re.split(r"[.?!]", bare):
                if words := " ".join(sentence.casefold().split()):
                    yield setting.id, words


def test_no_two_settings_share_a_sentence_and_no_story_holds_a_digit() -> None:
    seen: dict[str, str] = {}
    for split in SPLITS:
        for setting, sentence in _sentences(split):
            assert seen.setdefault(sentence, setting) == setting, sentence
        for each in FAMILY.settings(split):
            assert not re.search(r"\d", each.story + each.brief + each.about["first"] + each.about["second"])


def test_every_setting_names_its_actions_in_its_brief_and_its_approver_in_its_story() -> None:
    for scenario in POOL:
        public = scenario.public
        assert all(action in public.brief for action in public.facts["actions"])
        if public.approver is not None:
            assert public.approver in public.story
        assert all(name in public.story for name in public.names)
