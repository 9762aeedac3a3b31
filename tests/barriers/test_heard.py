"""What is heard of distorted words: part of what was said, or nothing; no untruth, no other plan, no decision."""

from itertools import islice
from random import Random

import pytest

from adidem.core.domain import SEATS
from adidem.core.language.unnamed import GAP, with_gaps
from adidem.core.setup import load
from barrier_talk import BARRIERS

FAMILIES = load().components.families
SPEAKERS = [*((barrier,) for barrier in BARRIERS.values()), tuple(BARRIERS.values())]
SEVERITIES = (0.3, 0.6, 1.0)


def worlds(family):
    """A world of each of a few test scenarios."""
    for split in ("test", "train"):
        found = [s.worlds[0] for s in islice(family.scenarios(split, 2026, None), 0, 40, 8)]
        if found:
            return found
    return []


def lines(family, world):
    """What people tell of their cards, and plans that they put forward, each with who speaks."""
    told = [(c.owner, family.tell(c, world.public)) for c in world.conditions]
    plans = list(islice(family.plans(world), 400))
    offers = [f"How about {family.say(p, world.public)}?" for p in plans[:: max(1, len(plans) // 3)]]
    return [*told, *((seat, line) for line in offers for seat in SEATS)]


def distorted(barriers, line, severity, seed):
    for barrier in barriers:
        line = barrier.distort(line, severity, Random(seed))
    return line


def parts(heard):
    """The least that is said, each alone: a bound, a wish, a window; plans and deferrals whole."""
    found = {("plan", repr(p.terms), p.rejected) for p in heard.plans} | {("to", d.approver) for d in heard.deferrals}
    for fact in heard.facts:
        values = fact.value.items() if hasattr(fact.value, "items") else [("", fact.value)]
        for name, value in values:
            pieces = value if isinstance(value, list | tuple) else [value]
            found |= {(fact.kind, fact.about, name, repr(piece)) for piece in pieces if piece is not None}
    return found


@pytest.mark.parametrize("barriers", SPEAKERS, ids=[*BARRIERS, "all"])
@pytest.mark.parametrize("name", FAMILIES)
def test_no_more_is_heard_than_was_said(name, barriers):
    family = FAMILIES[name]
    for world in worlds(family):
        for seat, line in lines(family, world):
            plain = parts(family.hear(line, world.public, seat))
            for severity in SEVERITIES:
                for seed in range(4):
                    said = distorted(barriers, line, severity, seed)
                    new = parts(family.hear(said, world.public, seat)) - plain
                    assert not new, (line, said)


@pytest.mark.parametrize("barrier", BARRIERS.values(), ids=BARRIERS)
def test_whatever_stands_for_a_thing_unnamed_is_a_gap(barrier):
    for kind in {"number", "time", "name", "item"} & barrier.phrases().keys():
        for phrase in barrier.phrases()[kind]:
            gapped = with_gaps(f"How about {phrase} for you?")
            assert gapped == f"How about {GAP * len(phrase)} for you?", phrase


@pytest.mark.parametrize(
    "text", ["I can do that, and you said it.", "How about that?", "What I said: 40 crates.", "It is what I need."]
)
def test_plain_words_have_no_gaps(text):
    assert with_gaps(text) == text


def test_a_hedge_at_the_end_is_nobody_spoken_to():
    """ "… and from 9:15 to 10:15, you know" are the speaker's own windows."""
    family, public, seat = place("joint_scheduling", "The cellar is also the neighbours' bicycle store")
    said = "It's only dark and mine from around then as that goes, from 7:15 to 8:30 and from 9:15 to 10:15, you know."
    assert {fact.about for fact in family.hear(said, public, seat).facts} == {"speaker"}


def place(name, line):
    """The world of a family's test scenarios in which somebody tells that, and who does."""
    family = FAMILIES[name]
    for split in ("test", "train", "dev"):
        for scenario in family.scenarios(split, 2026, None):
            for world in scenario.worlds:
                for condition in world.conditions:
                    if line in family.tell(condition, world.public):
                        return family, world.public, condition.owner
    raise AssertionError(line)


STORM = "Storm orders let me give a driver"


def test_an_amount_that_lost_its_action_is_not_of_the_next_one():
    """Of the 52 hours in the cold store nothing is heard; they are no approval of 52 hours on a power hook-up."""
    family, public, seat = place("authorization", STORM)
    said = "Storm orders let me give that 52 hours in that other thing or 28 hours on a power hook-up at most."
    heard = family.hear(said, public, seat)
    assert not heard.plans
    assert not any(52 in fact.value.values() or fact.kind == "approves" for fact in heard.facts)


def test_a_statement_of_an_allowance_is_no_offer():
    family, public, seat = place("authorization", "By the sheet my allowance for a regular is")
    line = (
        "By the sheet my allowance for a regular is "
        "25 kilos of rye flour, 105 kilos of white flour or 90 kilos of spelt flour."
    )
    plain = parts(family.hear(line, public, seat))
    for seed in range(40):
        for severity in SEVERITIES:
            heard = family.hear(distorted(BARRIERS.values(), line, severity, seed), public, seat)
            assert not heard.plans
            assert parts(heard) <= plain


def test_i_in_what_is_not_named_owns_no_packages():
    family = FAMILIES["casino"]
    for world in worlds(family):
        one, two = world.public.names
        said = (
            f"How about 3 firewood, all I can bear and 3 water for {one}, "
            f"and what I said, 0 food and what I was left with for {two}?"
        )
        assert not family.hear(said, world.public, "first").plans
