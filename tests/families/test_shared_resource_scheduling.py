"""Shared resource scheduling: its rules, its pairs, and how slots, windows and durations are said and heard."""

from __future__ import annotations

import re
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Condition, Fact, Public, Record, Role, RoleCard, Time, World
from adidem.core.records import freeze, read_record, write_record
from adidem.core.rules import Rules
from adidem.plugins.families.joint_scheduling import JointScheduling
from adidem.plugins.families.shared_resource_scheduling import SharedResourceScheduling, Slot, SlotRules, Slots

FAMILY = SharedResourceScheduling()
RULES = Rules(FAMILY, FAMILY.own_checkers())
ROLES = (Role("first", "Priya", "throws bowls"), Role("second", "Tom", "makes tiles"))
FACTS = {
    "day": ["09:00", "16:00"],
    "grid": 15,
    "gap": 15,
    "durations": [30, 45, 60],
    "clock": "12h",
    "resource": "the kiln",
}
PUBLIC = Public("Two potters.", "One kiln.", ROLES, FACTS)
SMALL = Public("Two potters.", "One kiln.", ROLES, {**FACTS, "day": ["09:00", "11:00"]})
SCENARIOS = [s for split in ("train", "dev", "test") for s in FAMILY.scenarios(split, 5, None)]


def world(public=PUBLIC, **known):
    """`first_windows=…`, `second_duration=…`: what is known of whom."""
    found = ((*key.split("_"), value) for key, value in known.items())
    return World("a", public, tuple(Condition(seat, kind, value) for seat, kind, value in found))


def slots(first, second):
    given_ = {"Priya": first, "Tom": second}
    return Slots({name: Slot(*(Time(t) for t in s.split("-"))) for name, s in given_.items() if s is not None})


def broken(terms, **known):
    return [(v.rule, v.seat) for v in SlotRules().check(world(**known), terms)]


def shown(plan):
    said = " ".join(f"{name} {s.start}-{s.end}" for name, s in plan.terms.slots.items())
    return f"{'!' if plan.rejected else ''}{said}"


# --------------------------------------------------------------------------------------------------------------- rules


def test_the_family_and_its_checker_fulfil_their_contracts():
    assert isinstance(FAMILY, Family)
    assert isinstance(SlotRules(), Checker)


def test_slots_that_fit_both_and_keep_the_gap_break_no_rule():
    known = {
        "first_windows": [["09:00", "10:00"]],
        "first_duration": 30,
        "second_windows": [["09:00", "09:30"], ["09:45", "11:00"]],
        "second_duration": 45,
    }
    assert broken(slots("09:00-09:30", "09:45-10:30"), **known) == []


def test_both_need_a_slot_and_nobody_else():
    assert broken(slots("09:00-09:30", None)) == [("both", "second")]
    assert broken(slots(None, None)) == [("both", "first"), ("both", "second")]
    assert broken(Slots({**slots("09:00-09:30", "10:00-10:30").slots, "Zoe": None})) == [("both", None)]
    assert broken(Slots({"Priya": None, "Tom": None})) == [("both", "first"), ("both", "second")]


def test_grid_names_each_time_that_is_off_it():
    assert broken(slots("09:00-09:30", "09:50-10:20")) == [("grid", "second"), ("grid", "second")]


def test_open_is_broken_outside_the_opening_hours():
    assert broken(slots("08:45-09:15", "15:45-16:15")) == [("open", "first"), ("open", "second")]


def test_duration_is_each_roles_own():
    assert broken(slots("09:00-09:30", "10:00-10:30"), first_duration=45, second_duration=30) == [("duration", "first")]
    assert broken(slots("09:00-09:30", "10:30-10:00")) == [("duration", "second")]


def test_window_names_the_seat_whose_windows_do_not_hold_the_slot():
    windows = [["09:00", "10:15"], ["10:30", "11:00"]]
    (violation,) = SlotRules().check(world(second_windows=windows), slots("09:00-09:30", "10:00-10:45"))
    assert (violation.rule, violation.seat) == ("window", "second")
    assert violation.found == "10:00 to 10:45"
    assert violation.required == windows


def test_overlap_and_gap_look_at_both_slots():
    assert broken(slots("09:00-10:00", "09:45-10:15")) == [("overlap", None)]
    assert broken(slots("09:15-09:45", "09:00-10:00")) == [("overlap", None)]
    assert broken(slots("09:00-09:30", "09:30-10:00")) == [("gap", None)]
    assert broken(slots("10:00-10:30", "09:15-09:45")) == []


def test_what_is_not_known_constrains_nothing():
    plan = slots("09:00-09:30", "10:00-10:30")
    assert broken(plan, first_duration=None, first_windows=None) == []
    assert broken(plan, first_windows=[[None, "09:30"]], second_windows=[["10:00", None]]) == []


@pytest.mark.parametrize("text", ["", "noon", "25:00", "9:00"])
def test_text_that_is_no_time_is_a_violation_and_never_an_error(text):
    bad = Slots({"Priya": Slot(Time(text), Time("10:00")), "Tom": Slot(Time("10:15"), Time("10:45"))})
    assert broken(bad, first_windows=[["09:00", "12:00"]]) == [("grid", "first")]


# ---------------------------------------------------------------------------------------------------------------- laws

TIMES = st.integers(36, 64).map(lambda n: f"{n // 4:02d}:{n % 4 * 15:02d}")
WINDOWS = st.lists(
    st.tuples(TIMES, TIMES).filter(lambda p: p[0] < p[1]).map(list) | st.tuples(TIMES, st.none()).map(list),
    min_size=1,
    max_size=2,
)
DURATIONS = st.sampled_from([30, 45, 60, 40, None])
WORLD = st.fixed_dictionaries(
    {},
    optional={
        "first_windows": WINDOWS,
        "second_windows": WINDOWS,
        "first_duration": DURATIONS,
        "second_duration": DURATIONS,
    },
).map(lambda known: world(SMALL, **known))


@given(WORLD)
@settings(max_examples=30)
def test_passing_is_the_plan_space_filtered_by_the_checker(imagined):
    fast = list(FAMILY.passing(imagined))
    assert fast == [p for p in FAMILY.plans(imagined) if not list(SlotRules().check(imagined, p))]


@given(WORLD, st.sampled_from(SEATS), TIMES)
@settings(max_examples=30)
def test_a_wider_window_or_an_unknown_duration_never_makes_a_feasible_plan_infeasible(imagined, seat, start):
    before = {freeze(p) for p in FAMILY.passing(imagined)}
    windows = imagined.of(seat, "windows")
    for kind, value in (("windows", windows and [*windows, [start, "24:00"]]), ("duration", None)):
        others = tuple(c for c in imagined.conditions if (c.owner, c.kind) != (seat, kind))
        wider = World("a", SMALL, (*others, Condition(seat, kind, value)))
        assert before <= {freeze(p) for p in FAMILY.passing(wider)}


@pytest.mark.parametrize("scenario", SCENARIOS[::6], ids=lambda s: s.setting)
def test_a_pair_of_equal_records_is_feasible_exactly_where_the_plan_passes(scenario):
    rng = Random(scenario.id)
    for one in scenario.worlds:
        right = RULES.right(one)
        sample = [*right.plans, *rng.sample(list(FAMILY.plans(one)), 60)]
        for plan in sample:
            record = write_record(Record("agree", plan))
            verdict = RULES.feasibility(one, {"first": record, "second": record})
            assert verdict.passed is (plan in right.plans)
        declined = RULES.feasibility(one, {"first": {"outcome": "decline"}, "second": {"outcome": "decline"}})
        assert declined.passed is (right.outcome == "decline")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.setting)
def test_no_constant_record_passes_in_both_worlds(scenario):
    a, b = (RULES.right(w).keys(None) for w in scenario.worlds)
    assert a
    assert b
    assert not a & b


def test_plan_spaces_are_finite_and_lazy():
    for scenario in SCENARIOS:
        plans = FAMILY.plans(scenario.worlds[0])
        assert len(list(islice(plans, 3))) == 3
        assert 1_000 < 3 + sum(1 for _ in plans) < 20_000


def test_spellings_and_order_of_a_record_read_alike_and_reading_is_idempotent():
    plan = Record("agree", slots("09:00-09:30", "13:45-14:15"))
    for priya, tom in (
        ({"start": "9 am", "end": "9.30"}, {"end": "2:15 pm", "start": "1:45"}),
        ({"start": "nine o'clock", "end": "half past nine"}, {"start": "quarter to two", "end": "14h15"}),
    ):
        record = read_record({"terms": {"slots": {"tom": tom, "PRIYA": priya}}, "outcome": "agree"}, FAMILY, PUBLIC)
        assert record == plan
        assert read_record(write_record(record), FAMILY, PUBLIC) == record


# ----------------------------------------------------------------------------------------------------------- scenarios


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_generated_pair_is_certified_with_both_owners_kinds_and_conditions(split, seed):
    scenarios = FAMILY.scenarios(split, seed, 80)
    certificates = [RULES.certificate(s) for s in scenarios]
    assert all(c.holds for c in certificates)
    kinds = [c.kind for c in certificates]
    found = {
        (c.kind, s.differing[0][0].owner, s.differing[0][0].kind) for c, s in zip(certificates, scenarios, strict=True)
    }
    pairs = ("agree/agree", "agree/decline")
    assert found == {(k, seat, what) for k in pairs for seat in SEATS for what in ("windows", "duration")}
    assert max(kinds.count(kind) for kind in set(kinds)) <= 0.7 * len(kinds)


def test_correct_plans_are_few_and_neither_card_gives_them_away():
    for scenario in FAMILY.scenarios("test", 9, 40):
        for one in scenario.worlds:
            right = RULES.right(one)
            if right.outcome == "agree":
                assert 1 <= len(right.plans) <= 8
                for seat in SEATS:
                    alone = World("x", one.public, one.card(seat).conditions)
                    assert sum(1 for _ in FAMILY.passing(alone)) >= 4 * len(right.plans)


def test_what_the_partner_of_the_differing_role_is_shown_is_the_same_in_both_worlds():
    for scenario in SCENARIOS:
        a, b = scenario.worlds
        ((changed, _),) = scenario.differing
        unchanged = "second" if changed.owner == "first" else "first"
        assert a.public == b.public
        assert a.card(unchanged) == b.card(unchanged)


# ------------------------------------------------------------------------------------------------------------ settings

ALL_SETTINGS = [s for split in ("train", "dev", "test") for s in FAMILY.settings(split)]


def sentences_of(setting):
    texts = [setting.story, setting.brief, *setting.about.values(), *setting.ask.values()]
    texts += [text for kind in setting.tell.values() for text in kind.values()]
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            bare = re.sub(r"\{\w+\}|[0-9]+", " ", sentence)
            words = re.findall(r"[a-z]+", bare.casefold())
            if words:
                yield " ".join(words)


def test_there_are_sixteen_train_four_dev_and_ten_test_settings():
    assert [len(FAMILY.settings(split)) for split in ("train", "dev", "test")] == [16, 4, 10]
    assert len({s.id for s in ALL_SETTINGS}) == 30


def test_no_two_settings_share_a_sentence_a_name_or_a_resource():
    found = [sentence for setting in ALL_SETTINGS for sentence in sentences_of(setting)]
    assert len(found) == len(set(found))
    both = (FAMILY, JointScheduling())
    names = [
        name
        for family in both
        for split in ("train", "dev", "test")
        for s in family.settings(split)
        for name in s.names
    ]
    assert len(names) == len(set(names))
    assert len({s.params["resource"] for s in ALL_SETTINGS}) == 30


@pytest.mark.parametrize("setting", ALL_SETTINGS, ids=lambda s: s.id)
def test_a_setting_says_all_that_a_record_needs(setting):
    for placeholder in ("{durations}", "{day_start}", "{day_end}", *(["{gap}"] if setting.params["gap"] else [])):
        assert placeholder in setting.brief
    assert not re.search(r"[0-9]", setting.story + setting.brief)
    assert all(text.endswith("?") for text in setting.ask.values())
    assert all(len(re.findall(r"\{\w*windows\w*\}", text)) == 1 for text in setting.tell["windows"].values())
    assert all(text.count("{duration}") == 1 for text in setting.tell["duration"].values())
    assert all(length % setting.params["grid"] == 0 for length in setting.params["durations"])


# ---------------------------------------------------------------------------------------------------------------- ears


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.setting)
def test_plans_said_are_heard_exactly(scenario):
    for plan in Random(scenario.id).sample(list(FAMILY.plans(scenario.worlds[0])), 25):
        said = FAMILY.say(plan, scenario.public)
        for frame in ("{}", "How about {}?", "Then it's {}.", "{} works for me."):
            heard = FAMILY.hear(frame.format(said), scenario.public, "second")
            assert [p.terms for p in heard.plans] == [plan]
            assert not heard.facts
            assert not heard.plans[0].rejected


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_condition_told_is_heard_exactly_alone_and_beside_a_plan(split):
    rng = Random(split)
    for scenario in FAMILY.scenarios(split, 7, 8 * len(FAMILY.settings(split))):
        one = scenario.worlds[0]
        plans = rng.sample(list(islice(FAMILY.plans(one), 500)), len(one.conditions))
        for condition, plan in zip(one.conditions, plans, strict=True):
            said = FAMILY.tell(condition, one.public)
            both = f"{said} How about {FAMILY.say(plan, one.public)}?"
            for text, expected in ((said, []), (both, [plan])):
                heard = FAMILY.hear(text, one.public, condition.owner)
                assert [(f.kind, f.value, f.about) for f in heard.facts] == [
                    (condition.kind, condition.value, "speaker")
                ]
                assert [p.terms for p in heard.plans] == expected
                assert FAMILY.contradicts(heard.facts[0], one.card(condition.owner)) is None


def test_both_conditions_told_in_one_breath_are_both_heard():
    for scenario in FAMILY.scenarios("test", 3, 30):
        for one in scenario.worlds:
            for seat in SEATS:
                conditions = one.card(seat).conditions
                heard = FAMILY.hear(" ".join(c.text for c in conditions), one.public, seat)
                assert [(f.kind, f.value) for f in heard.facts] == [(c.kind, c.value) for c in conditions]
                assert not heard.plans


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.setting)
def test_a_question_for_the_partners_needs_says_no_plan_and_no_fact(scenario):
    for seat in SEATS:
        heard = FAMILY.hear(FAMILY.ask(scenario.public, seat), scenario.public, seat)
        assert not heard.facts
        assert not heard.plans


N = None
A = "Priya 09:00-09:30 Tom 09:45-10:15"
B = "Priya 09:45-10:15 Tom 09:00-09:30"


def free(*windows, about="speaker"):
    return [(about, [list(window) for window in windows])]


def need(minutes, about="speaker"):
    return [(about, minutes)]


LOOSE = [
    ("Priya from 9:00 to 9:30 and Tom from 9:45 to 10:15", [], [A]),
    ("How about I take 9 to 9:30 and you take 9:45 to 10:15?", [], [A]),
    ("you take 9 to 9:30 and I take 9:45 to 10:15", [], [B]),
    ("9 to 9:30 for you, 9:45 to 10:15 for me.", [], [B]),
    ("9:00-9:30 (you), 9:45-10:15 (me)", [], [B]),
    ("I'll go first, 9 to 9:30, then you from 9:45 to 10:15.", [], [A]),
    ("Tom: 9:45–10:15\nPriya: 9:00–9:30", [], [A]),
    ("- Me: 9:00 to 9:30\n- You: 9:45 to 10:15", [], [A]),
    ("Could you take 9:45 to 10:15? Then I'd take 9 to 9:30.", [], [A]),
    ("You could have 9:45 to 10:15 and I could have 9 to 9:30.", [], [A]),
    ("So Tom gets nine to half past nine and I get quarter to ten to quarter past ten.", [], [B]),
    ("Let's say you use it from 9:45 to 10:15, and I use it from 9:00 to 9:30.", [], [A]),
    ("I take it at 9:00 for 30 minutes and you at 9:45 for half an hour.", [], [A]),
    ("My slot would be 9 to 9:30 and yours 9:45 to 10:15.", [], [A]),
    ("9 to 9:30 is yours and 9:45 to 10:15 is mine.", [], [B]),
    ("I take 9 to 9:30 and you take 9:30, sorry, 9:45 to 10:15.", [], [A]),
    ("I take 9 to 9:30, I mean 9 to 10, and you take 10:15 to 10:45.", [], ["Priya 09:00-10:00 Tom 10:15-10:45"]),
    ("Priya from 9:00 to 9:30 and Tom from 9:45 to 10:15 doesn't work for me.", [], ["!" + A]),
    ("Priya from 9:00 to 9:30 and Tom from 9:45 to 10:15 works for me.", [], [A]),
    ("Either I take 9 to 9:30 and you take 9:45 to 10:15, or I take 9:45 to 10:15 and you take 9 to 9:30.", [], [A, B]),
    ("Then it's settled: Tom from 9:00 to 9:30 and Priya from 9:45 to 10:15.", [], [B]),
    ("Deal! Me 9:00–9:30, you 9:45–10:15.", [], [A]),
    ("Tom can take 9:45 to 10:15 and I'll use 9:00 to 9:30.", [], [A]),
    ("I'll take 9 to 9:30.", [], []),
    ("How about 9 to 9:30?", [], []),
    ("I'd have it from 9 to 9:30, does that leave you enough time?", [], []),
    (
        "I'm free from 9 to 11 and you're free from 10 to 12.",
        free(("09:00", "11:00")) + free(("10:00", "12:00"), about="listener"),
        [],
    ),
    (
        "I'm free from 9 to 9:30 and you're free from 10 to 10:30.",
        free(("09:00", "09:30")) + free(("10:00", "10:30"), about="listener"),
        [],
    ),
    ("I can use it from 9 to 10:30. Could you take 11 to 11:30?", free(("09:00", "10:30")), []),
    ("I can only come between 9 and 11, and I need 45 minutes.", free(("09:00", "11:00")) + need(45), []),
    ("I need half an hour, any time after 1.", need(30) + free(("13:00", N)), []),
    ("My firing takes three quarters of an hour.", need(45), []),
    ("It takes me an hour.", need(60), []),
    ("An hour is what I need.", need(60), []),
    ("I need 30, sorry, 45 minutes.", need(45), []),
    ("I need 30 minutes, no wait, 45 minutes.", need(45), []),
    ("I need at least an hour.", need(60), []),
    ("I can't do it in less than 45 minutes.", need(45), []),
    ("30 minutes isn't enough for me.", [], []),
    ("You need 45 minutes, right?", need(45, "listener"), []),
    (
        "You said you need 45 minutes and are free until noon.",
        need(45, "listener") + free((N, "12:00"), about="listener"),
        [],
    ),
    ("Do you need 45 minutes?", [], []),
    ("Could you manage with 30 minutes?", [], []),
    ("Is 30 minutes enough for you?", [], []),
    ("How long do you need it, 30 minutes or 45 minutes?", [], []),
    ("We need a 15 minute gap between us.", [], []),
    ("I leave 15 minutes for cooling.", [], []),
    ("I could start 30 minutes later.", [], []),
    ("I'll be there in 30 minutes.", [], []),
    ("A booking lasts 30, 45 or 60 minutes.", [], []),
    ("The kiln is open from 9 to 4.", [], []),
    ("Are you free from 9 to 11?", [], []),
    ("I can't be there before 10:30.", free(("10:30", N)), []),
    ("I'm teaching from 10 to 12.", free((N, "10:00"), ("12:00", N)), []),
    ("I'm busy except from 2 to 3:30.", free(("14:00", "15:30")), []),
    ("I'm free all day and need 30 minutes.", free(("09:00", "16:00")) + need(30), []),
    (
        "I'm available 9:00-10:00, 11:15-12:00 and 2:30-4:00; I need 45 min.",
        free(("09:00", "10:00"), ("11:15", "12:00"), ("14:30", "16:00")) + need(45),
        [],
    ),
    (
        "I need 30 minutes. I'm free from 9 to 11. How about Priya from 9:00 to 9:30 and Tom from 9:45 to 10:15?",
        need(30) + free(("09:00", "11:00")),
        [A],
    ),
    ("9 to 10 doesn't work for me.", [], []),
    (
        "Since you need an hour and I need 30 minutes, you take 9 to 10 and I take 10:15 to 10:45.",
        need(60, "listener") + need(30),
        ["Priya 10:15-10:45 Tom 09:00-10:00"],
    ),
    ("Let's talk after lunch.", [], []),
    ("I have 2 shelves and 30 tiles.", [], []),
    ("We agreed that you'd start at 9.", [], []),
    ("My tiles need 1.5 hours.", need(90), []),
    ("It'll take me about 45 mins.", need(45), []),
    ("Sorry, I still can't find a time that works for both of us.", [], []),
    (
        "I need the kiln for 45 minutes, between 9 and 11 or between 2 and 4.",
        need(45) + free(("09:00", "11:00"), ("14:00", "16:00")),
        [],
    ),
    ("Tom needs 45 minutes and Priya needs 30 minutes.", need(45, "listener") + need(30), []),
    ("Let me have 9 to 9:30, then it's all yours from 9:45.", [], []),
    ("You go first from 9:00 to 9:30; I'll follow from 9:45 to 10:15.", [], [B]),
    ("My proposal: Tom 9:00-9:30, Priya 9:45-10:15.", [], [B]),
    ("Tom uses the kiln from 9:00 to 9:30, then after the 15-minute gap Priya uses it 9:45 to 10:15.", [], [B]),
    ("I'll do 9–9:30 and you can do 9:45–10:15.", [], [A]),
    ("9:00–9:30 Priya, 9:45–10:15 Tom", [], [A]),
    ("Priya (9:00–9:30), Tom (9:45–10:15)", [], [A]),
    ("That gives me 9 to 9:30 and you 9:45 to 10:15.", [], [A]),
    ("I need it for exactly 45 minutes.", need(45), []),
    ("45 minutes for me, 30 minutes for you.", need(45) + need(30, "listener"), []),
    ("Could I shorten it to 30 minutes?", [], []),
    ("Yes, Priya from 9:00 to 9:30 and Tom from 9:45 to 10:15 works for me.", [], [A]),
    ("Agreed, Tom from 9:00 to 9:30 and Priya from 9:45 to 10:15. Thank you.", [], [B]),
    ("I suggest Tom from 9:00 to 9:30 and Priya from 9:45 to 10:15.", [], [B]),
    ("Great, so I'll have the kiln 9:00–9:30 and it's yours 9:45–10:15.", [], [A]),
    ("You'd have it from 9:00 AM to 9:30 AM, and I'd have it from 9:45 AM to 10:15 AM. Does that work?", [], [B]),
    ("What if you took 9 to 9:30 and I took 9:45 to 10:15?", [], [B]),
    ("Then you're 9 to 9:30 and I'm 9:45 to 10:15.", [], [B]),
    ("I start at 9 and finish at 9:30, you start at 9:45 and finish at 10:15.", [], [A]),
    (
        "I'm there from 9 to 12 and my glaze takes 45 minutes, so I'd take 9 to 9:45 and you 10 to 10:30.",
        free(("09:00", "12:00")) + need(45),
        ["Priya 09:00-09:45 Tom 10:00-10:30"],
    ),
    ("Mine's a 45-minute firing.", need(45), []),
    ("I only need the kiln for half an hour.", need(30), []),
    ("After my 45 minutes we need 15 minutes of cooling.", need(45), []),
    ("I'm sorry, 9 to 9:30 for me and 9:45 to 10:15 for you won't work.", [], ["!" + A]),
    ("Both of us can't fit.", [], []),
    ("Perfect: Priya 9:00–9:30, Tom 9:45–10:15. Thanks!", [], [A]),
    (
        "You need it 45 minutes and can only come from 9 to 11, is that right?",
        need(45, "listener") + free(("09:00", "11:00"), about="listener"),
        [],
    ),
]


@pytest.mark.parametrize(("text", "facts", "plans"), LOOSE, ids=[case[0] for case in LOOSE])
def test_loose_speech_is_heard(text, facts, plans):
    heard = FAMILY.hear(text, PUBLIC, "first")
    assert [(f.about, f.value) for f in heard.facts] == facts
    assert [shown(p) for p in heard.plans] == plans
    for found in (*heard.facts, *heard.plans):
        assert 0 <= found.start < found.end <= len(text)


@given(st.text(max_size=200) | st.text("0123456789:-., youmeandtakhrfi'", max_size=80))
@settings(max_examples=100)
def test_hearing_never_raises(text):
    FAMILY.hear(text, PUBLIC, "first")


# ------------------------------------------------------------------------------------------------------ contradictions

CARD = RoleCard(
    "first",
    PUBLIC,
    (Condition("first", "windows", [["09:00", "11:00"], ["14:00", "15:30"]]), Condition("first", "duration", 45)),
)


@pytest.mark.parametrize(
    ("text", "untrue"),
    [
        ("I'm free from 9 to 11.", False),
        ("I'm free from 9 to 10.", False),
        ("I'm free after 2.", False),
        ("I need 45 minutes.", False),
        ("My firing takes three quarters of an hour.", False),
        ("I need an hour.", True),
        ("I'm free from 9 to 12.", True),
        ("I'm busy until 3:30.", True),
    ],
)
def test_what_the_card_does_not_give_is_untrue(text, untrue):
    (fact,) = FAMILY.hear(text, PUBLIC, "first").facts
    assert (FAMILY.contradicts(fact, CARD) is not None) is untrue


def test_a_fact_of_another_kind_is_not_judged():
    assert FAMILY.contradicts(Fact("budget", 3), CARD) is None
