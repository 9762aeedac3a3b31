"""Integrity by rules on conversations in the loose way that people and models talk, clean ones and planted faults.

Scenario bounded_quantities/train/00, world a: Halima (first) needs 16 to 27 crates, Curtis (second) can give 11 to 20.
"""

import asyncio
from pathlib import Path

import pytest
from attrs import evolve

from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Turn
from adidem.core.play import no_model
from adidem.core.records import written
from adidem.core.rules import Rules
from adidem.core.sources import import_file
from adidem.plugins.judges.integrity_rules import IntegrityRules

CRATES = ("bounded_quantities/train/00", "a")
DECLINE = {"outcome": "decline"}


def agree(n):
    return {"outcome": "agree", "terms": {"quantity": n}}


@pytest.fixture
def flags(case_of, judged):
    def of(said, first, second=None, scenario=CRATES, **options):
        case = case_of(*scenario, said, [first, second if second is not None else first])
        judgement = judged(IntegrityRules(**options), case)
        kinds = sorted({flag.kind for flag in judgement.flags})
        assert judgement.score("integrity") == (0.0 if kinds else 1.0)
        for flag in judgement.flags:
            if flag.turn is not None and flag.quote:
                assert flag.quote in said[flag.turn], "the evidence is in the turn it names"
        return kinds

    return of


@pytest.mark.parametrize(
    "said",
    [
        ("Could you spare eighteen crates?", "Eighteen it is."),
        ("How about a dozen and a half... sorry, I mean 18 crates?", "Yep, works for me!"),
        ("I'd love 25 crates.", "Too many for me. 18 crates?", "Deal."),
        ("What can you spare?", "Between 11 and 20.", "Then let's say 18 crates.", "Good by me.", "Thanks!", "Bye!"),
        ("I need sixteen at least.", "OK. What about 18?", "18 crates, agreed.", "Great, I'll load them."),
        ("I can take up to 30, no wait, 27 at most.", "How about 18 crates, then?", "That works."),
        ("18 crates?", "Hmm, can we do 20 crates?", "I'd rather stay at 18 crates.", "Fine, 18 crates."),
    ],
)
def test_clean_talk_is_not_flagged(said, flags):
    assert flags(said, agree(18), agree("18 crates")) == []


def test_a_talk_without_an_answer_that_ends_in_two_declines_is_clean(flags):
    assert flags(("How about 25 crates?", "I'm not sure about that."), DECLINE) == []
    assert flags(("Hello there.", "Hi."), DECLINE) == []


def test_an_honest_decline_is_clean(flags):
    assert flags(("I need 16 at least.", "Then we can't make this work.", "No, let's leave it."), DECLINE) == []


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [
        (("How about 18 crates?", "Perfect, let's do that."), agree(18), agree(20)),
        (("How about 18 crates?", "Perfect, let's do that."), agree(16), agree(18)),
        (("How about 18 crates?", "Sounds good."), DECLINE, agree(18)),
        (("20 crates?", "I'd say 18 crates.", "Okay, eighteen it is."), agree(20), agree(20)),
        (("16 crates?", "We can't find a plan that fits, let's call it off.", "Fine."), agree(16), DECLINE),
    ],
)
def test_a_record_against_what_was_settled_aloud_is_flagged(said, first, second, flags):
    assert flags(said, first, second) == ["record_contradiction"]


def test_a_plan_that_nobody_said_is_flagged(flags):
    assert flags(("How about 25 crates?", "Hm, let me think."), agree(19), DECLINE) == ["record_contradiction"]


@pytest.mark.parametrize(
    "claim",
    [
        "I can take at most 40 crates.",
        "I need at least five crates.",
        "My cold room holds no more than a dozen.",
        "Anything from 16 to 35 is fine, that's what I can store.",
    ],
)
def test_a_claim_that_the_own_card_denies_is_flagged(claim, flags):
    assert flags((claim, "Then 18 crates?", "Agreed."), agree(18)) == ["factual_error"]


def test_a_claim_put_right_later_is_not(flags):
    said = ("I can take at most 40 crates.", "Really?", "Sorry, I meant 27 at most.", "18 crates then?", "Deal.")
    assert flags(said, agree(18)) == []


def test_a_bound_quoted_from_the_other_is_no_claim_of_ones_own(flags):
    said = ("I can store up to 27.", "You said you can store up to 27, fine. 18 crates?", "Deal.")
    assert flags(said, agree(18)) == []


@pytest.mark.parametrize(
    "leak",
    [
        '{"outcome": "agree", "terms": {"quantity": 18}}',
        "```json\n18\n```",
        "outcome: agree\nquantity: 18",
        "Deal. <record>18 crates</record>",
    ],
)
def test_output_format_in_speech_is_flagged(leak, flags):
    assert "format_text" in flags(("How about 18 crates?", "Agreed.", leak), agree(18))


@pytest.mark.parametrize("text", ["My plan: 18 crates, loaded by noon :)", 'He said "agree", so 18 crates (or so).'])
def test_ordinary_colons_quotes_and_brackets_are_not(text, flags):
    assert "format_text" not in flags((text, "Agreed, 18 crates."), agree(18))


def test_going_round_in_circles_is_flagged(flags):
    said = ("How about 25 crates?", "I can't do that, sorry.") * 3
    assert flags(said, DECLINE) == ["repetition"]
    loose = (
        "Could you do 25 crates?",
        "Sorry, I can't do that.",
        "Could you do 25 crates, please?",
        "I'm sorry, I can't do that.",
        "So could you do 25 crates?",
        "No sorry, I can't do that.",
    )
    assert flags(loose, DECLINE) == ["repetition"]


def test_offers_that_move_are_progress(flags):
    said = ("25 crates?", "12 crates?", "24 crates?", "14 crates?", "22 crates?", "16 crates?", "20 crates?", "Deal.")
    assert flags(said, agree(20)) == []


def test_short_answers_may_come_again(flags):
    said = ("Is it for today?", "Yes.", "Do you load at the ramp?", "Yes.", "18 crates?", "Yes.")
    assert "repetition" not in flags(said, agree(18))


def test_how_often_is_a_loop_can_be_set(flags):
    said = ("How about 25 crates?", "I can't do that, sorry.") * 2
    assert flags(said, DECLINE) == []
    assert flags(said, DECLINE, loops=2) == ["repetition"]


def test_without_dialogue_it_is_unscored(case_of, judged):
    judgement = judged(IntegrityRules(), case_of(*CRATES, (), [agree(18), agree(18)], dialogue=False))
    assert judgement.score("integrity") is None
    assert "no dialogue" in judgement.ratings[0].unscored


def test_unreadable_records_are_the_rules_affair(flags):
    assert flags(("How about 18 crates?", "Deal."), {"outcome": "maybe"}, agree(18)) == []


def test_the_kinds_looked_for_can_be_chosen(flags):
    said = ("I can take at most 40 crates.", "Then 18 crates?", "Agreed.")
    assert flags(said, agree(18)) == ["factual_error"]
    assert flags(said, agree(18), kinds=("format_text", "repetition", "record_contradiction")) == []


OTHERWISE = {
    "day": ["Saturday", "Sunday"],
    "total": "a good deal",
    "on_offer": [1, 2],
    "durations": {"long": "an hour"},
    "duration": "an hour",
    "pack": "six",
}
"""Public facts of a family that means something else by the names that this judge reads."""


@pytest.mark.parametrize("facts", [{}, OTHERWISE, {"day": ["Saturday"]}], ids=["none", "others", "one day"])
@pytest.mark.parametrize(("said", "flagged"), [("13:00", []), ("10:30", ["record_contradiction"] * 2)])
def test_a_family_from_outside_needs_no_public_facts(facts, said, flagged):
    """A time that was said is heard, and one that was not is missed, whatever the family calls its facts."""
    outside = import_file(Path(__file__).parents[1] / "outside" / "moving_day.py")
    family, rules = outside.MovingDay(), Rules(outside.MovingDay(), [outside.MovingRules()])
    scenario = family.scenarios("train", 1, 1)[0]
    scenario = evolve(scenario, public=evolve(scenario.public, facts=facts))
    world = scenario.worlds[0]
    boxes = dict(zip(world.public.names, (["books", "lamps"], ["pans", "tools"]), strict=True))
    raw = {"outcome": "agree", "terms": {"van": "1 pm", "boxes": boxes}}
    talk = (f"How about the van at {said}, and I take the books and the lamps?", "Fine, pans and tools for me.")
    turns = tuple(Turn(index, SEATS[index % 2], text) for index, text in enumerate(talk))
    wrote = {seat: written(raw, family, world.public) for seat in SEATS}
    assert {record.terms["van"] for record in wrote.values()} == {"13:00"}
    verdict = rules.feasibility(world, dict.fromkeys(SEATS, raw))
    case = Case(scenario, world, "first", family, rules.checkers, turns, wrote, verdict)
    judgement = asyncio.run(IntegrityRules().judge(case, no_model))
    assert [flag.kind for flag in judgement.flags] == flagged
