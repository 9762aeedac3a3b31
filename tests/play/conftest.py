"""The one-file family, and agents that do what a test says."""

import importlib.util
from pathlib import Path

import pytest

from adidem.core.domain import Turn, Usage
from adidem.core.rules import Rules

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"


@pytest.fixture(scope="session")
def module():
    spec = importlib.util.spec_from_file_location("outside_meeting_place_played", OUTSIDE)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="session")
def scenario(module):
    return module.MeetingPlace().scenarios("train", 0, 2)[1]


@pytest.fixture(scope="session")
def rules(module):
    return {"meeting_place": Rules(module.MeetingPlace(), [module.ReachRules()])}


class Fake:
    """An agent whose words and records are given; what it was shown is kept."""

    scripted = True

    def __init__(self, says=(), records=({"outcome": "decline"},), name="fake"):
        self.name, self.says, self.records = name, list(says), list(records)
        self.cards, self.shown, self.problems = [], [], []

    def join(self, family, checkers, card, rng):
        self.cards.append(card)
        self.rng = rng
        return self

    async def speak(self, history, left):
        self.shown.append(tuple(t.text for t in history))
        said = self.says.pop(0) if self.says else "Well."
        if isinstance(said, BaseException):
            raise said
        text, action = said if isinstance(said, tuple) else (said, "speak")
        return Turn(99, "second", text, action)

    async def record(self, history, schema, problem=None):
        self.problems.append(problem)
        record = self.records.pop(0) if len(self.records) > 1 else self.records[0]
        if isinstance(record, BaseException):
            raise record
        return record

    def usage(self):
        return Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=None)

    async def close(self):
        pass


@pytest.fixture(scope="session")
def fake():
    return Fake
