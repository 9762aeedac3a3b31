"""Cases made by hand: a bank scenario, words put into both mouths, and two records."""

import asyncio

import pytest

from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Turn
from adidem.core.play import no_model
from adidem.core.records import written
from adidem.core.runs.scenarios import rules_of
from adidem.core.scenarios import load_bank
from adidem.core.setup import load


@pytest.fixture(scope="session")
def world_of():
    """`world_of(scenario id, world)`: the scenario, its world and its rules."""
    setup = load()
    bank = {s.id: s for s in load_bank("hico")}
    rules = rules_of(setup, setup.components.families)

    def find(scenario, world):
        return bank[scenario], bank[scenario].world(world), rules[bank[scenario].family]

    return find


@pytest.fixture(scope="session")
def case_of(world_of):
    """`case_of(scenario id, world, said, records)`; the first seat opens."""

    def make(scenario, world, said, records, *, dialogue=True):
        found, where, rules = world_of(scenario, world)
        turns = tuple(Turn(i, SEATS[i % 2], text) for i, text in enumerate(said))
        wrote = {seat: written(record, rules.family, where.public) for seat, record in zip(SEATS, records, strict=True)}
        verdict = rules.feasibility(where, dict(zip(SEATS, records, strict=True)))
        return Case(found, where, "first", rules.family, rules.checkers, turns, wrote, verdict, dialogue)

    return make


@pytest.fixture(scope="session")
def judged():
    """`judged(judge, case)`: its judgement, without any model."""

    def call(judge, case):
        return asyncio.run(judge.judge(case, no_model))

    return call
