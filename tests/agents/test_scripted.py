"""Scripted agents: they understand each other only through the text, and their phrases are heard as what they mean."""

import asyncio
from random import Random

import pytest

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.agents.scripted.agent import _phrases
from adidem.core.domain import SEATS, WORLDS, Task
from adidem.core.language import Act, find_acts
from adidem.core.play import Setup, play
from adidem.core.runs.scenarios import select
from adidem.core.setup import load


@pytest.fixture(scope="module")
def selection():
    setup = load()
    return select(setup, setup.suite("hico"))


class Silence:
    """A barrier that takes every word away."""

    name = "silence"

    def distort(self, utterance, severity, rng):
        return ""


class Deaf(ScriptedAgent):
    """An agent that hears nothing of what the other says."""

    def join(self, family, checkers, card, rng):
        inner = super().join(family, checkers, card, rng)
        speak, record = inner.speak, inner.record

        def emptied(history):
            from attrs import evolve

            return tuple(turn if turn.seat == card.seat else evolve(turn, text="") for turn in history)

        async def deaf_speak(history, left):
            return await speak(emptied(history), left)

        async def deaf_record(history, schema, problem=None):
            return await record(emptied(history), schema, problem)

        inner.speak, inner.record = deaf_speak, deaf_record
        return inner


def feasible(agent, partner, selection, *, limit=None, **changes):
    setup = Setup(agent, partner, selection.rules, **changes)
    tasks = [Task(s, w, seat) for s in selection.scenarios for w in WORLDS for seat in SEATS]

    async def all_of_them():
        return [await play(task, setup) for task in tasks[:limit]]

    return {e.task: e.feasibility.passed for e in asyncio.run(all_of_them())}


def scripted(name):
    return ScriptedAgent(MANNERS[name])


@pytest.mark.parametrize("agent", ["candid", "guarded"])
@pytest.mark.parametrize("partner", ["candid", "guarded"])
def test_who_checks_and_asks_always_gets_there(agent, partner, selection):
    assert all(feasible(scripted(agent), scripted(partner), selection).values())


def test_who_accepts_anything_mostly_does_not(selection):
    done = feasible(scripted("agreeable"), scripted("candid"), selection)
    assert sum(done.values()) < 0.5 * len(done)


def test_with_the_partners_words_taken_away_candid_falls_to_its_no_dialogue_score(selection):
    deaf = feasible(Deaf(MANNERS["candid"]), Deaf(MANNERS["candid"]), selection)
    alone = feasible(scripted("candid"), scripted("candid"), selection, dialogue=False)
    assert deaf == alone
    assert sum(alone.values()) < 0.4 * len(alone)


def test_guarded_tells_nothing_unasked(selection):
    scenario = selection.scenarios[0]
    world = scenario.worlds[0]
    rules = selection.rules[scenario.family]
    seat = scripted("guarded").join(rules.family, rules.checkers, world.card("first"), Random(0))
    opening = asyncio.run(seat.speak((), 12))
    assert all(c.text not in opening.text for c in world.conditions)
    from adidem.core.domain import Turn

    reply = asyncio.run(seat.speak((opening, Turn(1, "second", "Gladly. What do you need from your side?")), 11))
    assert all(c.text in reply.text for c in world.conditions if c.owner == "first")


def test_candid_tells_and_asks_at_once(selection):
    scenario = selection.scenarios[0]
    world = scenario.worlds[0]
    rules = selection.rules[scenario.family]
    seat = scripted("candid").join(rules.family, rules.checkers, world.card("first"), Random(0))
    opening = asyncio.run(seat.speak((), 12)).text
    assert all(c.text in opening for c in world.conditions if c.owner == "first")
    assert rules.family.ask(scenario.public, "first") in opening


def test_asking_for_a_record_leaves_nothing_behind(selection):
    scenario = selection.scenarios[0]
    rules = selection.rules[scenario.family]

    def spoken(probing):
        seat = scripted("candid").join(rules.family, rules.checkers, scenario.worlds[0].card("first"), Random(4))
        history, said = (), []
        for _ in range(3):
            turn = asyncio.run(seat.speak(history, 12))
            said.append(turn.text)
            history = (*history, turn)
            if probing:
                asyncio.run(seat.record(history, {}))
        return said

    assert spoken(probing=True) == spoken(probing=False)


MEANT = {
    "propose": ({Act.PROPOSE}, {Act.ACCEPT, Act.REJECT, Act.DECLINE}),
    "accept": ({Act.ACCEPT}, {Act.REJECT, Act.DECLINE, Act.PROPOSE}),
    "reject": ({Act.REJECT}, {Act.ACCEPT, Act.DECLINE, Act.PROPOSE}),
    "decline": ({Act.DECLINE}, {Act.ACCEPT, Act.PROPOSE}),
    "ask": ({Act.ASK}, {Act.ACCEPT, Act.PROPOSE, Act.DECLINE}),
    "greet": (set(), {Act.ACCEPT, Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
    "pleasant": (set(), {Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
    "easy": (set(), {Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
    "again": (set(), {Act.ACCEPT, Act.PROPOSE, Act.DECLINE, Act.REJECT}),
    "confirm": (set(), {Act.PROPOSE, Act.REJECT, Act.ASK, Act.DECLINE}),
    "close": (set(), {Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
}


@pytest.mark.parametrize("kind", [k for k in _phrases() if k != "defer"])
def test_phrases_are_heard_as_they_are_meant(kind):
    must, must_not = MEANT[kind]
    for phrase in _phrases()[kind]:
        acts = find_acts(phrase.format(partner="Tom", plan="12 crates"))
        assert must <= acts, phrase
        assert not must_not & acts, (phrase, acts)


def test_deferrals_are_heard_with_their_approver(selection):
    for scenario in selection.scenarios:
        family = selection.rules[scenario.family].family
        if family.defer_terms is None or scenario.public.approver is None:
            continue
        said = family.say(family.defer_terms(scenario.public.approver), scenario.public)
        for phrase in _phrases()["defer"]:
            heard = family.hear(phrase.format(plan=said), scenario.public, "first")
            assert [d.approver for d in heard.deferrals] == [scenario.public.approver], phrase.format(plan=said)
            assert not heard.plans


def test_every_question_is_heard_as_one(selection):
    for scenario in selection.scenarios:
        family = selection.rules[scenario.family].family
        for seat in SEATS:
            question = family.ask(scenario.public, seat)
            heard = family.hear(question, scenario.public, seat)
            assert Act.ASK in find_acts(question), question
            assert not heard.facts, question
            assert not heard.plans, question
