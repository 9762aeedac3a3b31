"""Resource allocation: each rule, the laws of its plan space, its pairs, and what is heard of shares."""

import itertools
import re
from collections import Counter

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.domain import SEATS, Condition, Fact, Public, Role, World
from adidem.core.records import read_record, write_record
from adidem.core.rules import Rules
from adidem.plugins.families.resource_allocation import ResourceAllocation, ShareRules, Shares

FAMILY = ResourceAllocation()
RULES = Rules(FAMILY, FAMILY.own_checkers())
SPLITS = ("train", "dev", "test")
BANK = [scenario for split in SPLITS for scenario in FAMILY.scenarios(split, 7, None)]
MANY = [s for split, n in (("train", 64), ("dev", 24), ("test", 60)) for s in FAMILY.scenarios(split, 3, n)]
FEW = settings(max_examples=60)


def public(**facts):
    given_facts = {
        "total": 240,
        "step": 10,
        "currency": "$",
        "unit": "",
        "units": "",
        "nouns": [],
        "verbs": ["pay"],
        "joint": "from",
        "ask": {"first": "How much?", "second": "How much?"},
        **facts,
    }
    roles = (Role("first", "Priya", "lives next door"), Role("second", "Tom", "lives next door"))
    return Public("A fence.", "Who pays what?", roles, given_facts)


MONEY = public()
HOURS = public(total=24, step=1, currency="", unit="hour", units="hours", joint="for", verbs=["work"])


def world(first=(80, 140), second=(60, 160), context=MONEY):
    values = zip(SEATS, (first, second), strict=True)
    conditions = tuple(Condition(s, "range", {"least": v[0], "most": v[1]}) for s, v in values if v is not None)
    return World("a", context, conditions)


def split(first, second):
    return Shares({"Priya": first, "Tom": second})


def rules_broken(terms, where=None):
    return [(v.rule, v.seat) for v in ShareRules().check(where or world(), terms)]


# ---------------------------------------------------------------------------------------------------------------- rules


def test_a_split_inside_both_ranges_breaks_nothing():
    assert rules_broken(split(140, 100)) == []


def test_both_roles_need_a_share():
    assert rules_broken(Shares({"Priya": 140})) == [("both", "second"), ("sum", None)]
    assert ("both", None) in rules_broken(Shares({"Priya": 140, "Tom": 100, "Ann": 0}))
    assert [rule for rule, _ in rules_broken(Shares({}))] == ["both", "both"]


def test_shares_are_whole_and_not_negative():
    assert rules_broken(split(139.5, 100.5)) == [("whole", "first"), ("whole", "second")]
    assert ("whole", "second") in rules_broken(split(250, -10))


def test_shares_are_multiples_of_the_step():
    assert rules_broken(split(135, 105)) == [("step", "first"), ("step", "second")]


def test_shares_make_the_total():
    (violation,) = ShareRules().check(world(), split(140, 110))
    assert (violation.rule, violation.seat, violation.found, violation.required) == ("sum", None, 250, 240)


def test_no_share_is_below_its_owners_least():
    (violation,) = ShareRules().check(world(first=(150, 200)), split(140, 100))
    assert (violation.rule, violation.seat, violation.found, violation.required) == ("least", "first", 140, 150)


def test_no_share_is_above_its_owners_most():
    (violation,) = ShareRules().check(world(second=(20, 90)), split(140, 100))
    assert (violation.rule, violation.seat, violation.found, violation.required) == ("most", "second", 100, 90)


def test_what_is_not_known_is_no_constraint():
    assert rules_broken(split(0, 240), world(first=None, second=(None, None))) == []
    assert len(list(FAMILY.passing(world(first=None, second=None)))) == 25
    assert len(list(FAMILY.passing(world(first=(None, 50), second=None)))) == 6


odd = st.one_of(
    st.integers(), st.floats(), st.text(max_size=5), st.none(), st.booleans(), st.lists(st.integers(), max_size=2)
)


@given(st.dictionaries(st.sampled_from(["Priya", "Tom", "Ann", ""]), odd))
@FEW
def test_the_rules_never_raise(shares):
    list(ShareRules().check(world(), Shares(shares)))


# ----------------------------------------------------------------------------------------------------------------- laws

bound = st.one_of(st.none(), st.integers(-20, 300), st.floats(-20, 300))
ranges = st.tuples(bound, bound)
worlds = st.builds(world, st.none() | ranges, st.none() | ranges, st.sampled_from([MONEY, HOURS]))


@given(worlds)
@FEW
def test_passing_is_the_plans_that_the_rules_pass(where):
    slow = [plan for plan in FAMILY.plans(where) if not rules_broken(plan, where)]
    assert list(FAMILY.passing(where)) == slow


@given(worlds, st.sampled_from(SEATS), st.sampled_from(["least", "most"]), st.integers(0, 50))
@FEW
def test_widening_a_bound_keeps_every_feasible_plan(where, seat, end, more):
    def widened(condition):
        value = condition.value[end]
        if condition.owner != seat or value is None:
            return condition
        return evolve(condition, value={**condition.value, end: value - more if end == "least" else value + more})

    wider = World("a", where.public, tuple(widened(c) for c in where.conditions))
    now = list(FAMILY.passing(wider))
    assert all(plan in now for plan in FAMILY.passing(where))


@pytest.mark.parametrize("scenario", BANK[::5], ids=lambda s: s.id)
def test_exactly_the_passing_plans_are_feasible_pairs_of_records(scenario):
    for where in scenario.worlds:
        passing = list(FAMILY.passing(where))
        for plan in FAMILY.plans(where):
            raw = {"outcome": "agree", "terms": {"shares": dict(plan.shares)}}
            assert RULES.feasibility(where, {"first": raw, "second": raw}).passed == (plan in passing)


@given(
    st.integers(0, 240),
    st.sampled_from(["{}", "${}", "{}.0", " {} dollars"]),
    st.booleans(),
    st.sampled_from([str.upper, str.lower, str.title]),
)
@FEW
def test_a_record_reads_alike_in_any_order_and_spelling_and_reading_it_again_changes_nothing(n, form, swap, case):
    pairs = [("Priya", form.format(n)), ("Tom", form.format(240 - n))]
    shares = {case(name): amount for name, amount in (reversed(pairs) if swap else pairs)}
    record = read_record({"outcome": "agree", "terms": {"shares": shares}}, FAMILY, MONEY)
    assert record.terms == split(n, 240 - n)
    assert read_record(write_record(record), FAMILY, MONEY) == record


# ------------------------------------------------------------------------------------------------------------ scenarios


@pytest.mark.parametrize("split_name", SPLITS)
@pytest.mark.parametrize("seed", range(4))
def test_every_generated_scenario_is_certified_and_pairs_vary(split_name, seed):
    scenarios = FAMILY.scenarios(split_name, seed, 40)
    certificates = [RULES.certificate(s) for s in scenarios]
    assert all(c.holds for c in certificates)
    kinds = Counter(c.kind for c in certificates)
    assert set(kinds) == {"agree/agree", "agree/decline"}
    assert max(kinds.values()) <= 0.7 * len(scenarios)
    owners = {(c.kind, s.differing[0][0].owner) for c, s in zip(certificates, scenarios, strict=True)}
    assert len(owners) == 4


@pytest.mark.parametrize("split_name", SPLITS)
def test_one_scenario_a_setting_shows_both_kinds_and_both_owners(split_name):
    scenarios = FAMILY.scenarios(split_name, 0, None)
    assert {RULES.certificate(s).kind for s in scenarios} == {"agree/agree", "agree/decline"}
    assert {s.differing[0][0].owner for s in scenarios} == set(SEATS)


def test_the_two_worlds_show_alike_all_but_the_owners_one_condition():
    for scenario in MANY:
        ((a, _),) = scenario.differing
        seat = "second" if a.owner == "first" else "first"
        one, two = (where.card(seat) for where in scenario.worlds)
        assert one == two


def test_plans_are_few_and_the_middle_of_a_card_is_none_of_them():
    for scenario in MANY:
        step = scenario.public.facts["step"]
        for where in scenario.worlds:
            plans = list(FAMILY.passing(where))
            assert len(plans) <= 8
            for condition in where.conditions:
                name = where.public.name(condition.owner)
                middle = (condition.value["least"] + condition.value["most"]) / 2
                assert all(abs(plan.shares[name] - middle) >= step / 2 for plan in plans)
                assert 0 < condition.value["least"] < condition.value["most"] < where.public.facts["total"]


def test_no_two_settings_share_names_or_a_sentence():
    all_settings = [s for name in SPLITS for s in FAMILY.settings(name)]
    assert Counter(s.split for s in all_settings) == {"train": 16, "dev": 4, "test": 10}
    assert len({frozenset(s.names) for s in all_settings}) == 30
    seen = Counter()
    for one in all_settings:
        texts = [one.story, one.brief, *one.about.values(), *one.ask.values(), *one.tell["range"].values()]
        seen.update(bare for text in texts for bare in {_bare(p) for p in re.split(r"[.!?]\s+", text)} if bare)
    assert [text for text, times in seen.items() if times > 1] == []


def _bare(sentence):
    return " ".join(re.sub(r"\{\w+\}|[^a-z ]", " ", sentence.casefold()).split())


# --------------------------------------------------------------------------------------------------- saying and hearing


def heard(text, context=MONEY, speaker="first"):
    """What is heard, briefly: facts as (about, least, most); plans as (first, second), "not" before a rejected one."""
    found = FAMILY.hear(text, context, speaker)
    facts = [(fact.about, fact.value["least"], fact.value["most"]) for fact in found.facts]
    plans = [
        (*(["not"] if plan.rejected else []), *(plan.terms.shares.get(n) for n in context.names))
        for plan in found.plans
    ]
    return facts, plans


def test_every_condition_is_heard_as_its_owner_tells_it():
    for scenario in MANY:
        for condition in {id(c): c for c in scenario.a + scenario.b}.values():
            found = FAMILY.hear(FAMILY.tell(condition, scenario.public), scenario.public, condition.owner)
            told = [(fact.kind, fact.value, fact.about) for fact in found.facts]
            assert told == [("range", condition.value, "speaker")], condition.text
            assert not found.plans, condition.text


def test_a_condition_is_heard_whatever_its_values():
    for scenario in BANK:
        facts = scenario.public.facts
        setting = next(s for s in FAMILY.settings(scenario.split) if s.id == scenario.setting)
        grid = range(facts["step"], facts["total"], facts["step"])
        for least, most in list(itertools.combinations(grid, 2))[:: 1 + len(grid) // 3]:
            value = {"least": least, "most": most}
            for seat in SEATS:
                text = setting.sentence("range", seat, FAMILY.words("range", value, facts))
                found = FAMILY.hear(text, scenario.public, seat)
                assert [fact.value for fact in found.facts] == [value], text
                assert not found.plans, text


@pytest.mark.parametrize("form", ["How about {}?", "Then it's {}.", "{}"])
def test_every_plan_is_heard_as_it_is_said(form):
    for scenario in BANK:
        for plan in list(FAMILY.plans(scenario.worlds[0]))[:: 1 if form[0] == "H" else 4]:
            said = form.format(FAMILY.say(plan, scenario.public))
            for seat in SEATS:
                found = FAMILY.hear(said, scenario.public, seat)
                assert [p.terms for p in found.plans] == [plan], said
                assert not found.facts, said


def test_a_condition_and_a_plan_in_one_breath_are_both_heard():
    for scenario in BANK:
        plan = next(iter(FAMILY.passing(scenario.worlds[0])), None) or next(iter(FAMILY.passing(scenario.worlds[1])))
        condition = scenario.a[0]
        text = f"{condition.text} How about {FAMILY.say(plan, scenario.public)}?"
        found = FAMILY.hear(text, scenario.public, condition.owner)
        assert [fact.value for fact in found.facts] == [condition.value], text
        assert [p.terms for p in found.plans] == [plan], text


def test_what_is_public_holds_neither_a_bound_nor_a_plan():
    for scenario in BANK:
        for text in (scenario.public.story, scenario.public.brief, *scenario.public.facts["ask"].values()):
            found = FAMILY.hear(text, scenario.public, "first")
            assert not found.facts, text
            assert not found.plans, text


def test_offsets_name_the_words_that_were_heard():
    text = "Well, I need at least $80. So how about $140 from Priya and $100 from Tom, then?"
    found = FAMILY.hear(text, MONEY, "first")
    (fact,), (plan,) = found.facts, found.plans
    assert text[fact.start : fact.end] == "at least $80"
    assert text[plan.start : plan.end] == "$140 from Priya and $100 from Tom"


ME, YOU = "speaker", "listener"
LOOSE = [
    ("I take 140 and you take 100", [], [(140, 100)]),
    ("How about 140 for me, the rest for you?", [], [(140, 100)]),
    ("Split it 140/100?", [], []),
    ("Let's split it 140/100 for me and you.", [], [(140, 100)]),
    ("140-100, with you taking the larger share", [], [(100, 140)]),
    ("Priya pays $140, Tom $100.", [], [(140, 100)]),
    ("Priya takes on $140 and Tom the remaining $100.", [], [(140, 100)]),
    ("Tom and Priya pay 100 and 140 respectively", [], [(140, 100)]),
    ("You pay 100, I'll cover 140.", [], [(140, 100)]),
    ("You pay $100. I'll cover $140.", [], [(140, 100)]),
    ("Half each?", [], [(120, 120)]),
    ("Shall we just go fifty-fifty?", [], [(120, 120)]),
    ("I can't split it evenly, I'm afraid.", [], [("not", 120, 120)]),
    ("Then it's 120 each.", [], [(120, 120)]),
    ("How about I pay $140?", [], [(140, 100)]),
    ("Could you manage a hundred dollars?", [], [(140, 100)]),
    ("How about 140?", [], []),
    ("How about 140, Tom?", [], []),
    ("I'll pay two hundred and you cover forty.", [], [(200, 40)]),
    ("- Priya: $140\n- Tom: $100", [], [(140, 100)]),
    ("**Tom**: $100\n**Priya**: $140", [], [(140, 100)]),
    ("140 (me) and 100 (you)?", [], [(140, 100)]),
    ("Tom's share would be $100, mine $140.", [], [(140, 100)]),
    ("I'd take 140 and leave you with 100.", [], [(140, 100)]),
    ("That leaves 100 on your side.", [], [(140, 100)]),
    ("If I contribute $140, your share would be $100. Does that work?", [], [(140, 100)]),
    ("Of the $240 I could take $140.", [], [(140, 100)]),
    ("You and I have $240 to find.", [], []),
    ("I'll pay 140, sorry, I meant 130.", [], [(130, 110)]),
    ("I take 140, no wait, 130, and you take 110", [], [(130, 110)]),
    ("I take 140 and you take 100, sorry, I take 130 and you take 110.", [], [(130, 110)]),
    ("Instead of 140 I'd pay 130.", [], [(130, 110)]),
    ("Either I take 140 and you 100, or I take 130 and you 110.", [], [(140, 100), (130, 110)]),
    ("I'd pay 150 and you'd pay 100.", [], [(150, 100)]),
    ("140 is too much for me", [], [("not", 140, 100)]),
    ("I can't pay 140, but I could do 130.", [], [("not", 140, 100), (130, 110)]),
    ("140 for me and 100 for you doesn't work for me.", [], [("not", 140, 100)]),
    ("60 from you isn't enough.", [], [("not", 180, 60)]),
    ("I'm sorry, 140 for me is out of the question.", [], [("not", 140, 100)]),
    ("Why don't you take 100 and I take 140?", [], [(140, 100)]),
    ("I don't mind paying 140.", [], [(140, 100)]),
    ("Last year I paid 140 and you paid 100.", [], []),
    ("Do you need 140?", [], []),
    ("Around 140 for me, maybe?", [], []),
    ("How about I chip in twenty more?", [], []),
    ("I was thinking you'd said you pay 100.", [], []),
    ("Your 100 plus my 140 makes 240.", [], []),
    ("My kids are 8 and 12, and the train leaves at 9.", [], []),
    ("I can do at most $140.", [(ME, None, 140)], []),
    ("I can do anything from $80 to $140.", [(ME, 80, 140)], []),
    ("It has to be at least eighty for me, a hundred and forty max.", [(ME, 80, 140)], []),
    ("$80 minimum, $140 tops.", [(ME, 80, 140)], []),
    ("I can only pay $140.", [(ME, None, 140)], []),
    ("I need at least 80. I can't go over 140.", [(ME, 80, None), (ME, None, 140)], []),
    ("I need you to cover at least $100.", [(ME, None, 140)], []),
    ("I can't give you more than 100.", [(ME, 140, None)], []),
    ("You said you can do at most 140.", [(YOU, None, 140)], []),
    ("Tom told me at most 140.", [(YOU, None, 140)], []),
    ("Priya needs at least 80 and at most 140.", [(ME, 80, 140)], []),
    ("Your minimum is 100 and your maximum 160, right?", [(YOU, 100, 160)], []),
    ("If you can do at least $100, I could go up to $140.", [(ME, None, 140)], []),
    ("Are you able to pay at least $100?", [], []),
    ("You have to pay at least 100.", [], []),
    ("I was hoping to pay at most 100.", [], []),
    ("At most 140 - no, wait, at most 130 for me.", [(ME, None, 130)], []),
    ("I need at least $80. How about $140 from Priya and $100 from Tom?", [(ME, 80, None)], [(140, 100)]),
]
LOOSE_HOURS = [
    ("How about 14 hours for me and ten for you?", [], [(14, 10)]),
    ("I take a dozen and you take a dozen.", [], [(12, 12)]),
    ("I'll work 14, you work the other 10.", [], [(14, 10)]),
    ("12, sorry, I meant 14 hours for me", [], [(14, 10)]),
    ("I have 14 hours free.", [], []),
    ("We start at 9 and finish at 5.", [], []),
    ("I take 140 dollars", [], []),
    ("I can manage 8 to 14 hours.", [(ME, 8, 14)], []),
    ("Fourteen hours is my limit.", [(ME, None, 14)], []),
]


@pytest.mark.parametrize(("text", "facts", "plans"), LOOSE)
def test_loose_talk_of_money(text, facts, plans):
    assert heard(text) == (facts, plans)


@pytest.mark.parametrize(("text", "facts", "plans"), LOOSE_HOURS)
def test_loose_talk_of_hours(text, facts, plans):
    assert heard(text, HOURS) == (facts, plans)


def test_who_i_and_you_are_depends_on_the_speaker():
    assert heard("I take 140 and you take 100", speaker="second") == ([], [(100, 140)])
    assert heard("Priya needs at least 80.", speaker="second") == ([(YOU, 80, None)], [])


@given(st.text(max_size=120))
@FEW
def test_hearing_never_raises(text):
    FAMILY.hear(text, MONEY, "first")
    FAMILY.hear(text, HOURS, "second")


pieces = st.sampled_from(
    "I you Tom Priya's 140 100 $80 dollars at least most sorry, no wait 1/2 140/100 each half for pay take can't . ? , "
    "one more than mine ( ) plus only up to 24 0 zero dozen just max\n split evenly \u0130 it's you'll".split(" ")
)


@given(st.lists(pieces, max_size=14).map(" ".join))
@settings(max_examples=300)
def test_hearing_never_raises_on_its_own_words_and_offsets_lie_in_the_text(text):
    for context in (MONEY, HOURS):
        found = FAMILY.hear(text, context, "first")
        for part in (*found.facts, *found.plans):
            assert 0 <= part.start < part.end <= len(text)


@pytest.mark.parametrize(
    ("said", "untrue"),
    [
        ({"least": 80, "most": 140}, False),
        ({"least": None, "most": 140}, False),
        ({"least": 80, "most": None}, False),
        ({"least": None, "most": None}, False),
        ({"least": 71, "most": 149}, False),
        ({"least": 100, "most": None}, True),
        ({"least": 80, "most": 120}, True),
    ],
)
def test_a_bound_that_is_not_the_cards_is_untrue(said, untrue):
    reason = FAMILY.contradicts(Fact("range", said), world().card("first"))
    assert (reason is not None) == untrue
