"""Bounded quantities: its rules, its pairs, and how quantities and limits are said and heard."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Condition, Fact, Public, Record, Role, RoleCard, World
from adidem.core.language import Act, find_acts
from adidem.core.records import read_record, write_record
from adidem.core.rules import Rules
from adidem.plugins.families.bounded_quantities import BoundedQuantities, Quantity, QuantityRules

FAMILY = BoundedQuantities()
RULES = Rules(FAMILY, FAMILY.own_checkers())
ROLES = (Role("first", "Halima", "cooks"), Role("second", "Curtis", "runs the warehouse"))
CRATES = {"item": "crates", "unit": "crate", "also": ["boxes", "box"], "pack": 1, "pack_words": [], "on_offer": 60}
EGGS = {"item": "eggs", "unit": "egg", "also": [], "pack": 30, "pack_words": ["tray", "trays"], "on_offer": 480}
PUBLIC = Public("A cook and a warehouse.", "Crates.", ROLES, CRATES)
IN_TRAYS = Public("A farm and a café.", "Eggs.", ROLES, EGGS)
SCENARIOS = [s for split in ("train", "dev", "test") for s in FAMILY.scenarios(split, 5, None)]
ALL_SETTINGS = [setting for split in ("train", "dev", "test") for setting in FAMILY.settings(split)]

bounds = st.none() | st.integers(1, 60)
intervals = st.fixed_dictionaries({"least": bounds, "most": bounds})


def world(first=None, second=None, **facts):
    """A world with these intervals, and public facts other than those of the crates."""
    told = ((seat, value) for seat, value in zip(SEATS, (first, second), strict=True) if value is not None)
    public = Public("A cook and a warehouse.", "Crates.", ROLES, {**CRATES, **facts})
    return World("a", public, tuple(Condition(seat, "interval", value) for seat, value in told))


def interval(least, most):
    return {"least": least, "most": most}


def broken(quantity, *intervals, **facts):
    return [(v.rule, v.seat) for v in QuantityRules().check(world(*intervals, **facts), Quantity(quantity))]


def heard(text, public=PUBLIC, speaker="first"):
    """What is heard as (least, most, about) of each interval and the amount of each plan, "!" before one refused."""
    found = FAMILY.hear(text, public, speaker)
    facts = [(f.value["least"], f.value["most"], f.about) for f in found.facts if f.kind == "interval"]
    return facts, [f"!{p.terms.quantity}" if p.rejected else p.terms.quantity for p in found.plans]


# --------------------------------------------------------------------------------------------------------------- rules


def test_the_family_and_its_checker_fulfil_their_contracts():
    assert isinstance(FAMILY, Family)
    assert isinstance(QuantityRules(), Checker)


def test_a_quantity_inside_both_intervals_breaks_no_rule():
    assert broken(12, interval(8, 14), interval(12, 30)) == []
    assert broken(12.0, interval(8, 14), interval(12, 30)) == []


@pytest.mark.parametrize("quantity", [12.5, math.nan, math.inf, "twelve", None])
def test_whole_is_broken_by_what_is_no_whole_number(quantity):
    assert broken(quantity, interval(8, 14)) == [("whole", None)]


def test_on_offer_is_broken_outside_what_there_is():
    assert broken(0) == [("on_offer", None)]
    assert broken(61) == [("on_offer", None)]
    assert broken(60) == broken(1) == []


def test_pack_is_broken_by_a_part_of_a_pack():
    assert broken(12, pack=6) == []
    assert broken(15, pack=6) == [("pack", None)]


def test_least_names_the_role_and_what_it_should_have_met():
    (violation,) = QuantityRules().check(world(interval(8, 14), interval(1, 60)), Quantity(7))
    assert (violation.rule, violation.seat, violation.found, violation.required) == ("least", "first", 7, 8)
    assert "Halima" in violation.message


def test_most_names_the_role_and_what_it_should_have_met():
    (violation,) = QuantityRules().check(world(interval(8, 40), interval(1, 14)), Quantity(15))
    assert (violation.rule, violation.seat, violation.found, violation.required) == ("most", "second", 15, 14)
    assert "Curtis" in violation.message


def test_what_is_not_known_constrains_nothing():
    assert broken(1) == []
    assert broken(60, interval(8, None)) == []
    assert broken(1, interval(None, 14), interval(None, None)) == []


# ---------------------------------------------------------------------------------------------------------------- laws


@given(intervals, intervals, st.sampled_from([1, 2, 6, 7]))
def test_passing_is_the_plan_space_seen_by_the_checker(first, second, pack):
    at = world(first, second, pack=pack)
    assert list(FAMILY.passing(at)) == [p for p in FAMILY.plans(at) if not RULES.violations(at, p)]


@given(intervals, intervals, st.integers(1, 60), st.integers(0, 9), st.integers(0, 9))
def test_widening_a_bound_never_makes_a_feasible_plan_infeasible(first, second, quantity, down, up):
    wider = {
        "least": None if first["least"] is None else first["least"] - down,
        "most": None if first["most"] is None else first["most"] + up,
    }
    if not broken(quantity, first, second):
        assert not broken(quantity, wider, second)


@pytest.mark.parametrize("scenario", SCENARIOS[::5], ids=lambda s: s.setting)
def test_a_plan_is_feasible_as_two_equal_records_exactly_when_it_passes(scenario):
    for at in scenario.worlds:
        right = RULES.right(at)
        for plan in FAMILY.plans(at):
            raw = write_record(Record("agree", plan))
            assert RULES.feasibility(at, {"first": raw, "second": raw}).passed == (plan in right.plans)


@given(st.integers(1, 60), st.sampled_from(["{}", " {} ", "{}.0", "{} crates", "+{}"]))
def test_a_record_reads_the_same_however_its_number_is_spelled(quantity, spelling):
    record = read_record({"outcome": "agree", "terms": {"quantity": spelling.format(quantity)}}, FAMILY, PUBLIC)
    assert record == Record("agree", Quantity(quantity))
    assert read_record(write_record(record), FAMILY, PUBLIC) == record
    assert read_record({"quantity": quantity, "outcome": "Agreed"}, FAMILY, PUBLIC) == record


# --------------------------------------------------------------------------------------------------------------- pairs


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_generated_pair_is_certified_and_all_kinds_and_owners_occur(split, seed):
    made = FAMILY.scenarios(split, seed, 120)
    certificates = [RULES.certificate(scenario) for scenario in made]
    assert all(certificate.holds for certificate in certificates)
    kinds = [(c.kind, s.differing[0][0].owner) for c, s in zip(certificates, made, strict=True)]
    assert set(kinds) == {(kind, seat) for kind in ("agree/agree", "agree/decline") for seat in SEATS}
    assert sum(kind == "agree/decline" for kind, _ in kinds) <= 0.7 * len(kinds)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_guessing_does_not_pay(split):
    """One to six plans are right, and the middle of what fits one card is almost never among them."""
    middles = []
    for scenario in FAMILY.scenarios(split, 3, 120):
        pack = scenario.public.facts["pack"]
        for at in scenario.worlds:
            right = {plan.quantity for plan in RULES.right(at).plans}
            assert len(right) <= 6
            for condition in at.conditions:
                first, last = -(-condition.value["least"] // pack), condition.value["most"] // pack
                assert first < last, "both could live with more than a single quantity"
                middles.append((first + last) // 2 * pack in right)
    assert sum(middles) <= 0.05 * len(middles)


def test_packs_sometimes_decide_alone():
    """In some pair the two intervals overlap, yet no whole pack lies in the overlap."""
    found = False
    for scenario in FAMILY.scenarios("train", 0, 160):
        for at in scenario.worlds:
            ends = [at.of(seat, "interval") for seat in SEATS]
            overlap = max(e["least"] for e in ends) <= min(e["most"] for e in ends)
            found = found or (overlap and RULES.right(at).outcome == "decline")
    assert found


def test_every_bound_lies_in_the_range_of_its_setting():
    ranges = {setting.id: setting.params["range"] for setting in ALL_SETTINGS}
    for split in ("train", "dev", "test"):
        for scenario in FAMILY.scenarios(split, 7, 120):
            low, high = ranges[scenario.setting]
            assert high <= scenario.public.facts["on_offer"]
            for condition in (*scenario.a, *scenario.b):
                assert low <= condition.value["least"] < condition.value["most"] <= high


def test_there_are_thirty_settings_in_the_order_of_their_splits():
    assert [len(FAMILY.settings(split)) for split in ("train", "dev", "test")] == [16, 4, 10]
    assert len({setting.id for setting in ALL_SETTINGS}) == 30
    assert all(len(set(one.names) & set(two.names)) == 0 for one, two in combinations(ALL_SETTINGS, 2))


def test_public_text_names_both_and_says_what_a_record_needs():
    for scenario in SCENARIOS:
        public, facts = scenario.public, scenario.public.facts
        text = f"{public.story} {public.brief}"
        assert all(name in text for name in public.names), scenario.setting
        assert "{" not in text
        assert str(facts["on_offer"]) in public.brief
        assert facts["pack"] == 1 or str(facts["pack"]) in public.brief
        assert facts["item"] in public.brief


# ------------------------------------------------------------------------------------------------------ said and heard


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.setting)
def test_every_quantity_that_is_said_is_heard_exactly(scenario):
    frames = ("{}", "How about {}?", "I suggest {}.", "Then it's {}.", "Yes, {} works for me.")
    for plan in FAMILY.plans(scenario.worlds[0]):
        frame = frames[plan.quantity % len(frames)]
        found = FAMILY.hear(frame.format(FAMILY.say(plan, scenario.public)), scenario.public, "first")
        assert [p.terms for p in found.plans if not p.rejected] == [plan]
        assert len(found.plans) == 1
        assert not found.facts


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_condition_that_is_told_is_heard_exactly(split):
    for scenario in FAMILY.scenarios(split, 11, 120):
        for condition in (*scenario.a, *scenario.b):
            said = FAMILY.tell(condition, scenario.public)
            found = FAMILY.hear(said, scenario.public, condition.owner)
            assert [(f.kind, f.value, f.about) for f in found.facts] == [("interval", condition.value, "speaker")], said
            assert not found.plans
            assert find_acts(said) <= {Act.TELL}, said


def test_a_condition_and_a_plan_in_one_breath_are_both_heard():
    for scenario in SCENARIOS:
        for condition in scenario.a:
            plan = Quantity(scenario.public.facts["pack"] * 2)
            proposal = f"How about {FAMILY.say(plan, scenario.public)}?"
            text = (
                f"{FAMILY.tell(condition, scenario.public)} {FAMILY.ask(scenario.public, condition.owner)} {proposal}"
            )
            found = FAMILY.hear(text, scenario.public, condition.owner)
            assert [f.value for f in found.facts] == [condition.value]
            assert [p.terms for p in found.plans] == [plan]
            assert text[found.plans[0].start : found.plans[0].end] == FAMILY.say(plan, scenario.public)


def test_every_question_is_heard_as_a_question_and_as_nothing_else():
    for scenario in SCENARIOS:
        for seat in SEATS:
            question = FAMILY.ask(scenario.public, seat)
            assert heard(question, scenario.public, seat) == ([], [])
            assert Act.ASK in find_acts(question)
            assert not find_acts(question) & {Act.ACCEPT, Act.REJECT, Act.DECLINE}, question


PLANS = [
    ("12 crates", [12]),
    ("A dozen, then.", [12]),
    ("Let's make it twelve.", [12]),
    ("12 works for me", [12]),
    ("Twelve it is!", [12]),
    ("half a dozen boxes", [6]),
    ("Okay, twenty-four wooden crates sounds good.", [24]),
    ("12 of them.", [12]),
    ("12 of the 60 crates, please.", [12]),
    ("Give me 12 and we're done.", [12]),
    ("Deal - 12 crates!", [12]),
    ("Exactly 12 crates, then.", [12]),
    ("Is 12 too many for you?", [12]),
    ("Why don't we say 12?", [12]),
    ("If you can manage 12, I'm happy.", [12]),
    ("12 isn't a problem.", [12]),
    ("Let's settle at 12.", [12]),
    ("10 or 12 would both work.", [10, 12]),
    ("12.5 crates", [12.5]),
    ("I need 12 crates.", [12]),
    ("To confirm: 12 crates of vegetables will go to the kitchen today.", [12]),
    ("Perfect, 12 crates then. I'll be there at 3.", [12]),
    ("I have plenty of room for 14 crates.", [14]),
    ("You asked for 12; I can do 10.", [10]),
]

SLIPS = [
    ("12, sorry, I meant 14", [], [14]),
    ("How about 12? Actually, make that 14.", [], [14]),
    ("Let's say 12 — no, wait, 14 crates.", [], [14]),
    ("12 crates. Scratch that, 14 crates.", [], [14]),
    ("I need at least 8, sorry, I meant 10.", [(10, None, "speaker")], []),
    ("At least 8 crates, or rather 10.", [(10, None, "speaker")], []),
]

LIMITS = [
    ("I can do between 8 and 14", [(8, 14, "speaker")]),
    ("eight at the least", [(8, None, "speaker")]),
    ("no more than 14 for me", [(None, 14, "speaker")]),
    ("My minimum is 8 and my maximum is 14.", [(8, 14, "speaker")]),
    ("Maximum: 14. Minimum: 8.", [(8, 14, "speaker")]),
    ("I can't go below 8 or above 14.", [(8, 14, "speaker")]),
    ("8 is my floor, 14 my ceiling.", [(8, 14, "speaker")]),
    ("Fewer than 8 is useless to me.", [(8, None, "speaker")]),
    ("More than 14 won't fit.", [(None, 14, "speaker")]),
    ("At the very least, eight crates.", [(8, None, "speaker")]),
    ("The smallest load I send is 8 crates.", [(8, None, "speaker")]),
    ("The most I can store is 14.", [(None, 14, "speaker")]),
    ("I only have 14 to spare.", [(None, 14, "speaker")]),
    ("I have room for 14 crates.", [(None, 14, "speaker")]),
    ("I'd need a minimum of 8 crates, but my cold room can only hold 14. What works for you?", [(8, 14, "speaker")]),
    ("It has to be exactly 12.", [(12, 12, "speaker")]),
    ("You can have up to 14 crates.", [(None, 14, "speaker")]),
    ("I can let you have at most 14.", [(None, 14, "speaker")]),
    ("Curtis, I need at least 8.", [(8, None, "speaker")]),
    ("you said at most 14", [(None, 14, "listener")]),
    ("I know you need at least 8 crates.", [(8, None, "listener")]),
    ("So you need at least 8 and can take 14 at most.", [(8, 14, "listener")]),
    ("Curtis can spare up to 14, he said.", [(None, 14, "listener")]),
    ("I understand 14 is your maximum.", [(None, 14, "listener")]),
    ("Since your maximum is 14 and my minimum is 10, it's tight.", [(None, 14, "listener"), (10, None, "speaker")]),
]

BOTH = [
    ("40 is too much for me.", [], ["!40"]),
    ("40 crates? That's too much for me.", [], ["!40"]),
    ("I can't take 40 crates.", [], ["!40"]),
    ("Not 40, but 14 would be fine.", [], ["!40", 14]),
    ("14, not 40.", [], [14, "!40"]),
    ("20 is over my limit.", [], ["!20"]),
    ("30 crates exceeds what I can store.", [], ["!30"]),
    ("I'm afraid 14 isn't enough, I need at least 20.", [(20, None, "speaker")], ["!14"]),
    ("You told me you can't go above 14, so how about 12?", [(None, 14, "listener")], [12]),
    ("Between 8 and 14 works on my side. Shall we say 12?", [(8, 14, "speaker")], [12]),
    ("12 crates is perfect, well within my 8 to 14.", [(8, 14, "speaker")], [12]),
    ("You need 8 or more, I can give 14 or less. 12?", [(8, None, "listener"), (None, 14, "speaker")], [12]),
]

NOTHING = [
    "It costs £12 a crate.",
    "That takes me 20 minutes.",
    "There will be 150 people and 12 helpers.",
    "We have 2 vans and 3 drivers.",
    "Each crate weighs 9 kilos.",
    "Pick up at 9 works.",
    "Could you bring them by 5?",
    "There are 60 crates left.",
    "I've got 60 crates here.",
    "We had 12 last week.",
    "12 more crates would be nice.",
    "2 crates each.",
    "That leaves 48 crates for the schools.",
    "That's more than the 12 I need.",
    "a couple of crates",
    "Could you go up to 14?",
    "Can you do between 8 and 14?",
    "How about 12 to 14 crates?",
    "Let's do at least 12.",
    "Ideally at least 10.",
    "You can take up to 14.",
    "So our ranges overlap between 10 and 14.",
    "Something like 8 at least, about 14 at most.",
    "I need more than 8.",
]


@pytest.mark.parametrize(("text", "plans"), PLANS)
def test_plans_are_heard_in_loose_speech(text, plans):
    assert heard(text) == ([], plans)


@pytest.mark.parametrize(("text", "facts", "plans"), SLIPS)
def test_a_corrected_slip_is_not_heard(text, facts, plans):
    assert heard(text) == (facts, plans)


@pytest.mark.parametrize(("text", "facts"), LIMITS)
def test_limits_are_heard_and_whose_they_are(text, facts):
    assert heard(text) == (facts, [])


@pytest.mark.parametrize(("text", "facts", "plans"), BOTH)
def test_limits_refusals_and_plans_are_told_apart(text, facts, plans):
    assert heard(text) == (facts, plans)


@pytest.mark.parametrize("text", NOTHING)
def test_what_was_not_said_is_not_heard(text):
    assert heard(text) == ([], [])


@pytest.mark.parametrize(
    ("text", "facts", "plans"),
    [
        ("three trays", [], [90]),
        ("3 trays, so 90 eggs", [], [90]),
        ("2 trays of 30 would do", [], [60]),
        ("They come in trays of 30.", [], []),
        ("four trays tops, at least two", [(60, 120, "speaker")], []),
        ("How about 3 packs?", [], [90]),
    ],
)
def test_packs_are_counted_out(text, facts, plans):
    assert heard(text, IN_TRAYS) == (facts, plans)


@given(st.text(max_size=300) | st.text("0123456789 ,.?!-atmosleupby", max_size=120))
@settings(max_examples=60)
def test_no_text_makes_hearing_fail(text):
    FAMILY.hear(text, IN_TRAYS, "second")


@given(st.lists(st.sampled_from([text for text, _ in PLANS] + NOTHING), min_size=1, max_size=4))
@settings(max_examples=40)
def test_what_is_heard_stands_in_the_order_of_the_text(said):
    found = FAMILY.hear(" ".join(said), PUBLIC, "first")
    assert [p.start for p in found.plans] == sorted(p.start for p in found.plans)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("We'd get 30 crates into the cellar, no bother.", [30]),
        ("I could easily take 30 crates.", [30]),
        ("I have plenty of room for 30 crates.", [30]),
        ("We can manage 30 without any trouble.", [30]),
        ("Could you take 30 crates, no problem?", []),
        ("30 crates are no problem for you, you said.", []),
        ("No problem, 30 crates then.", []),
        ("I'd like 30 crates.", []),
    ],
)
def test_an_amount_said_to_be_easily_done_is_a_claim(text, amounts):
    facts = FAMILY.hear(text, PUBLIC, "first").facts
    assert [f.value["amount"] for f in facts if f.kind == "able"] == amounts


# -------------------------------------------------------------------------------------------------------- contradiction


def contradicts(public=PUBLIC, **said):
    card = RoleCard("first", public, (Condition("first", "interval", interval(8, 50)),))
    return FAMILY.contradicts(Fact("interval", {"least": None, "most": None, **said}), card)


def test_a_stated_bound_that_is_not_the_cards_is_untrue():
    assert contradicts(least=12) == "said least 12, but the card says 8"
    assert contradicts(most=40) == "said most 40, but the card says 50"


def test_true_partial_and_unknown_statements_are_not_untrue():
    assert contradicts(least=8) is None
    assert contradicts(least=8, most=50) is None
    assert contradicts() is None
    card = RoleCard("first", PUBLIC, (Condition("first", "interval", interval(None, 50)),))
    assert FAMILY.contradicts(Fact("interval", interval(9, 50)), card) is None
    assert FAMILY.contradicts(Fact("windows", [["09:00", "10:00"]]), card) is None


def test_an_amount_is_easily_done_inside_the_card_alone():
    card = world(interval(8, 50)).card("first")
    assert FAMILY.contradicts(Fact("able", {"amount": 20}), card) is None
    assert FAMILY.contradicts(Fact("able", {"amount": 60}), card) == "said 60 would do, but the card says 8 to 50"
    assert FAMILY.contradicts(Fact("able", {"amount": 6}), card) is not None


def test_a_bound_told_in_whole_packs_is_true_where_it_admits_the_same_packs():
    assert contradicts(IN_TRAYS, least=30, most=30) is None
    assert contradicts(IN_TRAYS, most=60) is not None


def test_the_partners_card_is_the_same_in_both_worlds():
    for scenario in FAMILY.scenarios("test", Random(4).randrange(100), 30):
        a, b = scenario.worlds
        (before, _), *rest = scenario.differing
        partner = "second" if before.owner == "first" else "first"
        assert not rest
        assert a.card(partner) == b.card(partner)
