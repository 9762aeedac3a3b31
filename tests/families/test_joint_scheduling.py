"""Joint scheduling: its rules, its pairs, and how its plans and windows are said and heard."""

from __future__ import annotations

import re
from random import Random

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, WORLDS, Condition, Fact, Public, Record, Role, RoleCard, Time, World
from adidem.core.records import read_record, write_record
from adidem.core.rules import Rules
from adidem.plugins.families.joint_scheduling import JointScheduling, Meeting, MeetingRules

FAMILY = JointScheduling()
RULES = Rules(FAMILY, FAMILY.own_checkers())
ROLES = (Role("first", "Marek", "builds shelves"), Role("second", "Abena", "restores boats"))
FACTS = {"day": ["08:00", "18:00"], "grid": 10, "duration": 40, "clock": "12h"}
PUBLIC = Public("Two neighbours.", "Find 40 minutes.", ROLES, FACTS)
SCENARIOS = [s for split in ("train", "dev", "test") for s in FAMILY.scenarios(split, 5, None)]


def world(**windows):
    return World("a", PUBLIC, tuple(Condition(seat, "windows", value) for seat, value in windows.items()))


def meeting(start, end):
    return Meeting(Time(start), Time(end))


def broken(terms, **windows):
    return [(v.rule, v.seat) for v in MeetingRules().check(world(**windows), terms)]


def plans_in(heard):
    return [f"{'!' if p.rejected else ''}{p.terms.start}-{p.terms.end}" for p in heard.plans]


def facts_in(heard):
    return [(f.about, f.value) for f in heard.facts]


# --------------------------------------------------------------------------------------------------------------- rules


def test_the_family_and_its_checker_fulfil_their_contracts():
    assert isinstance(FAMILY, Family)
    assert isinstance(MeetingRules(), Checker)


def test_a_meeting_on_the_grid_in_the_day_and_in_both_windows_breaks_no_rule():
    both = {"first": [["09:00", "12:00"]], "second": [["08:00", "09:00"], ["10:30", "11:10"]]}
    assert broken(meeting("10:30", "11:10"), **both) == []


def test_grid_names_each_time_that_is_off_it():
    assert broken(meeting("10:35", "11:15")) == [("grid", None), ("grid", None)]


def test_day_is_broken_before_it_opens_and_after_it_closes():
    assert broken(meeting("07:30", "08:10")) == [("day", None)]
    assert broken(meeting("17:30", "18:10")) == [("day", None)]
    assert broken(meeting("17:20", "18:00")) == []


def test_duration_must_be_met_exactly():
    assert broken(meeting("10:00", "10:30")) == [("duration", None)]
    assert broken(meeting("11:00", "10:20")) == [("duration", None)]


def test_window_names_the_seat_whose_windows_do_not_hold_the_meeting():
    windows = {"first": [["10:00", "10:30"], ["10:40", "12:00"]], "second": [["09:00", "12:00"]]}
    (violation,) = MeetingRules().check(world(**windows), meeting("10:00", "10:40"))
    assert (violation.rule, violation.seat) == ("window", "first")
    assert violation.found == "10:00 to 10:40"
    assert violation.required == windows["first"]


def test_what_is_not_known_constrains_nothing():
    assert broken(meeting("10:00", "10:40")) == []
    assert broken(meeting("10:00", "10:40"), first=None) == []
    assert broken(meeting("10:00", "10:40"), first=[[None, "11:00"]], second=[["09:30", None]]) == []
    assert broken(meeting("11:00", "11:40"), first=[[None, "11:00"]]) == [("window", "first")]


@pytest.mark.parametrize("text", ["", "noon", "25:00", "9:00", "24:01", "10:60", "⁴"])
def test_text_that_is_no_time_is_a_violation_and_never_an_error(text):
    assert broken(meeting(text, "10:40"), first=[["09:00", "12:00"]]) == [("grid", None)]


# ---------------------------------------------------------------------------------------------------------------- laws

TIMES = st.integers(0, 144).map(lambda n: f"{n // 6:02d}:{n % 6}0")
WINDOWS = st.lists(
    st.tuples(TIMES, TIMES).filter(lambda p: p[0] < p[1]).map(list)
    | st.tuples(st.none(), TIMES).map(list)
    | st.tuples(TIMES, st.none()).map(list),
    min_size=1,
    max_size=3,
)
WORLD = st.fixed_dictionaries({}, optional={"first": WINDOWS, "second": WINDOWS}).map(lambda w: world(**w))


@given(WORLD)
@settings(max_examples=60)
def test_passing_is_the_plan_space_filtered_by_the_checker(imagined):
    fast = list(FAMILY.passing(imagined))
    assert fast == [p for p in FAMILY.plans(imagined) if not list(MeetingRules().check(imagined, p))]


@given(WORLD, st.sampled_from(SEATS), TIMES)
@settings(max_examples=60)
def test_a_further_or_a_wider_window_never_makes_a_feasible_plan_infeasible(imagined, seat, start):
    value = imagined.of(seat, "windows")
    if value is None:
        return
    before = set(FAMILY.passing(imagined))
    others = tuple(c for c in imagined.conditions if c.owner != seat)
    for wider in ([*value, [start, "24:00"]], [[None, value[0][1]], *value[1:]]):
        after = set(FAMILY.passing(World("a", PUBLIC, (*others, Condition(seat, "windows", wider)))))
        assert before <= after


@pytest.mark.parametrize("scenario", SCENARIOS[::5], ids=lambda s: s.setting)
def test_a_pair_of_equal_records_is_feasible_exactly_where_the_plan_passes(scenario):
    for one in scenario.worlds:
        right = RULES.right(one)
        for plan in FAMILY.plans(one):
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


@pytest.mark.parametrize(
    ("start", "end"),
    [("10:30", "11:10"), ("10.30", "11h10"), ("10:30 am", "11:10am"), ("half past ten", "ten past eleven")],
)
def test_spellings_and_order_of_a_record_read_alike_and_reading_is_idempotent(start, end):
    record = read_record({"terms": {"end": end, "start": start}, "outcome": "Agreed"}, FAMILY, PUBLIC)
    assert record == Record("agree", meeting("10:30", "11:10"))
    assert read_record(write_record(record), FAMILY, PUBLIC) == record


def test_a_bare_hour_in_a_record_is_the_one_inside_the_day():
    record = read_record({"outcome": "agree", "start": "half past two", "end": "3:10"}, FAMILY, PUBLIC)
    assert record.terms == meeting("14:30", "15:10")


# ----------------------------------------------------------------------------------------------------------- scenarios


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_generated_pair_is_certified_with_both_owners_and_pair_kinds(split, seed):
    scenarios = FAMILY.scenarios(split, seed, 60)
    certificates = [RULES.certificate(s) for s in scenarios]
    assert all(c.holds for c in certificates)
    kinds = [c.kind for c in certificates]
    owners = {(c.kind, s.differing[0][0].owner) for c, s in zip(certificates, scenarios, strict=True)}
    assert owners == {(kind, seat) for kind in ("agree/agree", "agree/decline") for seat in SEATS}
    assert max(kinds.count(kind) for kind in set(kinds)) <= 0.7 * len(kinds)


def test_correct_plans_are_few_and_neither_card_gives_them_away():
    for scenario in FAMILY.scenarios("test", 9, 60):
        for one in scenario.worlds:
            right = RULES.right(one)
            if right.outcome == "agree":
                assert 1 <= len(right.plans) <= 4
                for seat in SEATS:
                    alone = World("x", one.public, one.card(seat).conditions)
                    assert len(list(FAMILY.passing(alone))) >= 3 * len(right.plans)


def test_what_the_partner_of_the_differing_role_is_shown_is_the_same_in_both_worlds():
    for scenario in SCENARIOS:
        a, b = scenario.worlds
        ((changed, _),) = scenario.differing
        unchanged = "second" if changed.owner == "first" else "first"
        assert a.public == b.public
        assert a.card(unchanged) == b.card(unchanged)


def test_generation_is_determined_by_split_and_seed():
    assert FAMILY.scenarios("dev", 4, 8) == FAMILY.scenarios("dev", 4, 8)
    assert FAMILY.scenarios("dev", 4, 8) != FAMILY.scenarios("dev", 5, 8)


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


def test_no_two_settings_share_a_sentence_or_a_name():
    found = [sentence for setting in ALL_SETTINGS for sentence in sentences_of(setting)]
    assert len(found) == len(set(found))
    names = [name for setting in ALL_SETTINGS for name in setting.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("setting", ALL_SETTINGS, ids=lambda s: s.id)
def test_a_setting_says_all_that_a_record_needs(setting):
    for placeholder in ("{duration}", "{day_start}", "{day_end}"):
        assert placeholder in setting.brief
    assert not re.search(r"[0-9]", setting.story + setting.brief)
    assert all(text.endswith("?") for text in setting.ask.values())
    assert all(len(re.findall(r"\{\w*windows\w*\}", text)) == 1 for text in setting.tell["windows"].values())
    assert all(length % setting.params["grid"] == 0 for length in setting.params["duration"])


# ---------------------------------------------------------------------------------------------------------------- ears


@pytest.mark.parametrize("setting", ALL_SETTINGS, ids=lambda s: s.id)
def test_every_plan_said_is_heard_exactly(setting):
    drawn = FAMILY.scenarios(setting.split, 2, None)
    public = next(s.public for s in drawn if s.setting == setting.id)
    for plan in FAMILY.plans(World("a", public, ())):
        for frame in ("{}", "How about {}?", "Then it's {}.", "{} works for me."):
            heard = FAMILY.hear(frame.format(FAMILY.say(plan, public)), public, "second")
            assert [p.terms for p in heard.plans] == [plan]
            assert not heard.facts
            assert not heard.plans[0].rejected


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_condition_told_is_heard_exactly_alone_and_beside_a_plan(split):
    rng = Random(split)
    for scenario in FAMILY.scenarios(split, 7, 12 * len(FAMILY.settings(split))):
        for one in scenario.worlds:
            plan = rng.choice(list(FAMILY.plans(one)))
            for condition in one.conditions:
                said = FAMILY.tell(condition, one.public)
                both = f"{said} How about {FAMILY.say(plan, one.public)}?"
                for text, plans in ((said, []), (both, [plan])):
                    heard = FAMILY.hear(text, one.public, condition.owner)
                    assert [(f.kind, f.value, f.about) for f in heard.facts] == [
                        ("windows", condition.value, "speaker")
                    ]
                    assert [p.terms for p in heard.plans] == plans
                    assert FAMILY.contradicts(heard.facts[0], one.card(condition.owner)) is None


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.setting)
def test_a_question_for_the_partners_hours_says_no_plan_and_no_fact(scenario):
    for seat in SEATS:
        heard = FAMILY.hear(FAMILY.ask(scenario.public, seat), scenario.public, seat)
        assert not heard.facts
        assert not heard.plans


def free(*windows, about="speaker"):
    return [(about, [list(window) for window in windows])]


LOOSE = [
    ("10:30 to 11:10?", [], ["10:30-11:10"]),
    ("How about half past two?", [], ["14:30-15:10"]),
    ("Half past ten it is.", [], ["10:30-11:10"]),
    ("OK, 10:30 works for me.", [], ["10:30-11:10"]),
    ("Great, see you at 2:30 then.", [], ["14:30-15:10"]),
    ("Let's do 2.", [], ["14:00-14:40"]),
    ("Could you make 9:50?", [], ["09:50-10:30"]),
    ("Would quarter past nine suit you?", [], ["09:15-09:55"]),
    ("Does 11:00 to 11:40 work on your side?", [], ["11:00-11:40"]),
    ("I'd suggest 3:20 pm, finishing at 4.", [], ["15:20-16:00"]),
    ("So we start at 10:30 and finish at 11:10, agreed?", [], ["10:30-11:10"]),
    ("Let's meet at 1:00 for 40 minutes.", [], ["13:00-13:40"]),
    ("10:30, sorry, I meant 11:00.", [], ["11:00-11:40"]),
    ("How about 9 to 9:40? No, wait, 9:20 to 10.", [], ["09:20-10:00"]),
    ("How about 10:30 to 11, sorry, 11:10?", [], ["10:30-11:10"]),
    ("Either 9:00 to 9:40 or 1:00 to 1:40 would do.", [], ["09:00-09:40", "13:00-13:40"]),
    ("10:30 doesn't work for me. How about 2:10?", [], ["!10:30-11:10", "14:10-14:50"]),
    ("10:30 to 11:10 is too early for me.", [], ["!10:30-11:10"]),
    ("I can't do 10:30.", [], ["!10:30-11:10"]),
    ("Sorry, I can't make 1:00 to 1:40.", [], ["!13:00-13:40"]),
    ("Not 10:30, please. 11:20?", [], ["!10:30-11:10", "11:20-12:00"]),
    ("If 10:30 is too early, 11:20 would be fine too.", [], ["!10:30-11:10", "11:20-12:00"]),
    ("No, 9:00 to 9:40 won't work, I'm at the harbour until 10.", free(("10:00", None)), ["!09:00-09:40"]),
    ("Perfect. 10:30 to 11:10 is fine.", [], ["10:30-11:10"]),
    ("Then it's settled: 10:30 to 11:10.", [], ["10:30-11:10"]),
    ("I'll be there at 10:30 sharp.", [], ["10:30-11:10"]),
    ("Let's start at 10:30.", [], ["10:30-11:10"]),
    ("Shall we say five past nine?", [], ["09:05-09:45"]),
    ("I can come at 10:30.", [], ["10:30-11:10"]),
    ("We both have 9:00 to 9:40 free, so shall we take that?", [], ["09:00-09:40"]),
    ("I'm free from 9 to 11:30 and from 1 to 2:15.", free(("09:00", "11:30"), ("13:00", "14:15")), []),
    (
        "I could do 9:00–10:30, 1:00–2:15 or 4:00–5:30.",
        free(("09:00", "10:30"), ("13:00", "14:15"), ("16:00", "17:30")),
        [],
    ),
    ("9 to 12 works for me.", free(("09:00", "12:00")), []),
    (
        "Free between 9 and 11, or from half past two until ten past four.",
        free(("09:00", "11:00"), ("14:30", "16:10")),
        [],
    ),
    ("I am free at any time between 1pm and 3pm", free(("13:00", "15:00")), []),
    ("I'm available 14:30-15:10.", free(("14:30", "15:10")), []),
    ("my windows: 9:00-10:30; 13:00-14:15", free(("09:00", "10:30"), ("13:00", "14:15")), []),
    ("I'm only around from 10:30 to 11:10.", free(("10:30", "11:10")), []),
    ("My only free window is 10:30 to 11:10.", free(("10:30", "11:10")), []),
    ("10:30 to 11:10 is the only time I have.", free(("10:30", "11:10")), []),
    ("I can meet you from 9 to 11.", free(("09:00", "11:00")), []),
    ("I'm free until noon.", free((None, "12:00")), []),
    ("I'm free after 3.", free(("15:00", None)), []),
    ("Any time after 3 works for me.", free(("15:00", None)), []),
    ("I only have time from 4.", free(("16:00", None)), []),
    ("I can't start before 10.", free(("10:00", None)), []),
    ("I have to be gone by 2:30.", free((None, "14:30")), []),
    ("Nothing after 4:30 for me, and not before 2:15.", free(("14:15", "16:30")), []),
    ("I'm free before 10 or after 3.", free((None, "10:00"), ("15:00", None)), []),
    ("I'm busy from 2 until 3.", free((None, "14:00"), ("15:00", None)), []),
    ("I have a dentist appointment from 2 to 3.", free((None, "14:00"), ("15:00", None)), []),
    ("I'm tied up until 11.", free(("11:00", None)), []),
    ("After 3 I'm stuck in a meeting.", free((None, "15:00")), []),
    ("I'm free from 9 to 12, but not from 10 to 11.", free(("09:00", "10:00"), ("11:00", "12:00")), []),
    ("I work from 8 to 10 and then again from 4 to 6.", free(("10:00", "16:00")), []),
    ("I'm free all day.", free(("08:00", "18:00")), []),
    ("You said you're free from 9 to 11.", free(("09:00", "11:00"), about="listener"), []),
    (
        "So you're available 1 to 3, and I'm free from 2 to 4.",
        free(("13:00", "15:00"), about="listener") + free(("14:00", "16:00")),
        [],
    ),
    (
        "Marek is free from 9 to 11, and Abena from 2 to 4.",
        free(("09:00", "11:00")) + free(("14:00", "16:00"), about="listener"),
        [],
    ),
    ("I'm free 9 to 11. How about 9:30 to 10:10?", free(("09:00", "11:00")), ["09:30-10:10"]),
    (
        "Since you can only do 2 to 4, let's say 2:20 to 3:00.",
        free(("14:00", "16:00"), about="listener"),
        ["14:20-15:00"],
    ),
    ("Are you free from 9 to 12?", [], []),
    ("When are you free after 2?", [], []),
    ("Can you do any time after 3?", [], []),
    ("How about sometime between 9 and 11?", [], []),
    ("I'm not free all day.", [], []),
    ("It takes about 40 minutes and we have until Saturday.", [], []),
    ("Let's talk about it after lunch.", [], []),
    ("I have 2 kids and 3 dogs.", [], []),
    ("The planer weighs 9 to 12 kilos.", [], []),
    ("The hall is open from 8 to 6.", [], []),
    ("My train gets in at 9:20.", [], []),
    ("That sounds great! How about we meet from 10:30 AM to 11:10 AM on Saturday?", [], ["10:30-11:10"]),
    ("I could also do 2:00 PM - 2:40 PM if that's better for you.", [], ["14:00-14:40"]),
    ("Unfortunately, I'm not available until 11:30, and I have to leave by 1:00.", free(("11:30", "13:00")), []),
    (
        "My availability is as follows: 9:00–10:20, 12:40–14:00, and 16:00–17:10.",
        free(("09:00", "10:20"), ("12:40", "14:00"), ("16:00", "17:10")),
        [],
    ),
    (
        "The first window I have is 9 to 10:20, the second is 12:40 to 2.",
        free(("09:00", "10:20"), ("12:40", "14:00")),
        [],
    ),
    ("Let's lock in 2:00–2:40 PM.", [], ["14:00-14:40"]),
    ("Would you be free at 10:30?", [], ["10:30-11:10"]),
    ("I was thinking 10:30.", [], ["10:30-11:10"]),
    ("What if we started at 10:30?", [], ["10:30-11:10"]),
    ("10:30 could work.", [], ["10:30-11:10"]),
    ("Could we push it to 11?", [], ["11:00-11:40"]),
    ("Let's move it to 11:20.", [], ["11:20-12:00"]),
    ("Instead of 10:30, could we do 11:20?", [], ["!10:30-11:10", "11:20-12:00"]),
    ("I'd rather do 11:20.", [], ["11:20-12:00"]),
    ("Yes, 11:20 to 12:00 is perfect, see you then.", [], ["11:20-12:00"]),
    ("So that's Saturday from 11:20 to 12:00.", [], ["11:20-12:00"]),
    ("I'm free any time between 9 and 12 except 10 to 10:30.", free(("09:00", "10:00"), ("10:30", "12:00")), []),
    ("Mornings don't work, but from 1 to 4 I'm wide open.", free(("13:00", "16:00")), []),
    ("From noon on, I'm all yours.", free(("12:00", None)), []),
    ("The earliest I can start is 9:40.", free(("09:40", None)), []),
    ("I'm afraid 10:30–11:10 clashes with my shift.", [], ["!10:30-11:10"]),
    ("10:30 to 11:10 falls outside my window.", [], ["!10:30-11:10"]),
    ("That only leaves 2 to 2:40, which works for me.", [], ["14:00-14:40"]),
    ("Is 10:30 okay?", [], ["10:30-11:10"]),
    ("Any chance of 10:30?", [], ["10:30-11:10"]),
    ("You're only free from 9 to 11, correct?", free(("09:00", "11:00"), about="listener"), []),
    ("The bus runs from 9 to 11.", [], []),
    ("I get up at 8 and have breakfast until 9.", [], []),
    ("It will be dark after 5.", [], []),
    ("I don't finish until 3.", free(("15:00", None)), []),
    ("I need to be back before 3.", free((None, "15:00")), []),
    ("Before 3 I can't.", free(("15:00", None)), []),
    ("Agreed, 10:30 to 11:10. Thank you.", [], ["10:30-11:10"]),
    ("I suggest 10:30 to 11:10.", [], ["10:30-11:10"]),
    ("I've marked 10:30 to 11:10 in my diary.", [], ["10:30-11:10"]),
    ("My only slot is 2 to 3 pm.", free(("14:00", "15:00")), []),
    (
        "I'm in a meeting 10-11 and again 2-3, otherwise free.",
        free((None, "10:00"), ("11:00", "14:00"), ("15:00", None)),
        [],
    ),
    ("between half nine and eleven I'm free", free(("09:30", "11:00")), []),
    ("I can be there from 10 until 12:30, then again 3 to 5.", free(("10:00", "12:30"), ("15:00", "17:00")), []),
    ("Works for me: 10:30-11:10!", [], ["10:30-11:10"]),
    ("Sure, I can make 10:30 work.", [], ["10:30-11:10"]),
    ("10:30? Perfect.", [], ["10:30-11:10"]),
    ("Not free at 10:30, sorry.", [], []),
    ("Why don't we say half ten?", [], ["10:30-11:10"]),
    ("I'm teaching 9 to 12, so how about 12:20?", free((None, "09:00"), ("12:00", None)), ["12:20-13:00"]),
    ("I have the hall to myself from 9 till 10:30.", free(("09:00", "10:30")), []),
    ("No problem at all, 2:10 to 2:50 suits me fine.", [], ["14:10-14:50"]),
    ("I can only do after 4 pm", free(("16:00", None)), []),
]


@pytest.mark.parametrize(("text", "facts", "plans"), LOOSE, ids=[case[0] for case in LOOSE])
def test_loose_speech_is_heard(text, facts, plans):
    heard = FAMILY.hear(text, PUBLIC, "first")
    assert facts_in(heard) == facts
    assert plans_in(heard) == plans
    for found in (*heard.facts, *heard.plans):
        assert 0 <= found.start < found.end <= len(text)


@given(st.text(max_size=200) | st.text("0123456789:-., apmthenouricfl'", max_size=80))
@settings(max_examples=100)
def test_hearing_never_raises(text):
    FAMILY.hear(text, PUBLIC, "first")


# ------------------------------------------------------------------------------------------------------ contradictions


CARD = RoleCard("first", PUBLIC, (Condition("first", "windows", [["09:00", "11:00"], ["14:00", "15:30"]]),))


@pytest.mark.parametrize(
    ("text", "untrue"),
    [
        ("I'm free from 9 to 11 and 2 to 3:30.", False),
        ("I'm free from 9 to 10.", False),
        ("I'm free after 2.", False),
        ("I'm busy from 12 to 1.", False),
        ("I can't do anything before 9.", False),
        ("I'm free from 9 to 12.", True),
        ("I'm free from 12 to 1.", True),
        ("I'm free all day.", True),
        ("I'm free after 4.", True),
        ("I'm busy until 4.", True),
    ],
)
def test_a_claim_to_time_that_the_card_does_not_give_is_untrue(text, untrue):
    (fact,) = FAMILY.hear(text, PUBLIC, "first").facts
    assert (FAMILY.contradicts(fact, CARD) is not None) is untrue


def test_a_fact_of_another_kind_is_not_judged():
    assert FAMILY.contradicts(Fact("budget", 3), CARD) is None


def test_times_are_said_as_the_setting_does_and_never_with_a_doubt_about_the_half_of_the_day():
    long_day = evolve(PUBLIC, facts={**FACTS, "day": ["07:00", "22:00"]})
    railway = evolve(PUBLIC, facts={**FACTS, "clock": "24h"})
    plan = meeting("14:30", "15:10")
    assert FAMILY.say(plan, PUBLIC) == "2:30 to 3:10"
    assert FAMILY.say(plan, railway) == "14:30 to 15:10"
    for public in (long_day, railway):
        for one in FAMILY.plans(World("a", public, ())):
            assert [p.terms for p in FAMILY.hear(FAMILY.say(one, public), public, "first").plans] == [one]


def test_worlds_are_named():
    assert [w.name for w in SCENARIOS[0].worlds] == list(WORLDS)
