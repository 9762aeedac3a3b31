"""What plans are worth, as far as somebody knows: the best for both, and how long a scripted agent holds out for it."""

import asyncio
from random import Random

import pytest

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.agents.scripted.agent import PATIENCE
from adidem.core.domain import Turn
from adidem.core.knowledge import Knowledge
from adidem.core.rules import Rules
from adidem.core.setup import load
from adidem.plugins.families.casino import OWN, Casino, PackageRules

FAMILY = Casino()
SCENARIO = next(iter(FAMILY.read(OWN)))
WORLD = SCENARIO.worlds[0]  # first: water 5, food 4, firewood 3; second: firewood 5, water 4, food 3


def knowledge(seat="first"):
    return Knowledge(Rules(FAMILY, [PackageRules()]), WORLD.card(seat))


def shares(plan, name="Ines"):
    return tuple(getattr(plan, item)[name] for item in ("firewood", "food", "water"))


def test_what_is_best_for_both_has_the_largest_product_of_gains():
    known = knowledge()
    partner = {"values": WORLD.of("second", "values")}
    best = known.best(partner)

    def product(plan):
        one, two = (FAMILY.utility(plan, WORLD, seat) - 5 for seat in ("first", "second"))
        return one * two

    assert {product(plan) for plan in best} == {max(map(product, known.plans(partner)))}
    assert [shares(plan) for plan in best] == [(0, 3, 2)]


def test_with_nothing_known_of_the_other_it_is_what_is_best_for_oneself():
    assert [shares(plan) for plan in knowledge().best({})] == [(3, 3, 3)]
    assert [shares(plan, "Caleb") for plan in knowledge("second").best({})] == [(3, 3, 3)]


def test_a_family_without_worth_has_no_best():
    components = load().components
    family = components.get("family", "bounded_quantities")
    rules = Rules(family, components.checkers_for("bounded_quantities"))
    scenario = family.scenarios("train", 1, 1)[0]
    known = Knowledge(rules, scenario.worlds[0].card("first"))
    assert known.best({}) == known.plans({})
    assert known.worth(known.plans({})[0]) is None


@pytest.mark.parametrize("spoken", range(PATIENCE + 1))
def test_a_worse_offer_is_turned_down_until_patience_ends(spoken):
    """The other offers 15 points where the best for both gives 22: refused, and taken from the fourth turn on."""
    agent = ScriptedAgent(MANNERS["candid"]).join(FAMILY, [PackageRules()], WORLD.card("first"), Random(1))
    told = FAMILY.tell(SCENARIO.a[1], SCENARIO.public)
    history = [Turn(0, "second", f"Hello. {told} What do you need?")]
    for _ in range(spoken):
        turn = asyncio.run(agent.speak(tuple(history), 9))
        history += [turn, Turn(len(history) + 1, "second", "Hm, let me see.")]
    plan = next(p for p in FAMILY.plans(WORLD) if shares(p) == (1, 3, 0))
    offer = Turn(len(history), "second", f"How about {FAMILY.say(plan, SCENARIO.public)}?")
    turn = asyncio.run(agent.speak((*history, offer), 9))
    assert (turn.action == "leave") == (spoken >= PATIENCE), turn.text
