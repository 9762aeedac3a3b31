"""Families for the tests of the core: the one-file family from outside, and one whose terms use every type."""

import importlib.util
from pathlib import Path

import pytest
from attrs import frozen

from adidem.core.domain import Amount, ByRole, Condition, Heard, Items, Public, Role, Text, Time, Violation, World

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"


@pytest.fixture(scope="session")
def meeting():
    """The module of the one-file family."""
    spec = importlib.util.spec_from_file_location("outside_meeting_place", OUTSIDE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@frozen
class Slot:
    start: Time
    end: Time


@frozen
class Everything:
    """Terms that use every type that records are read into."""

    count: Amount
    at: Time
    kind: Text
    items: Items
    shares: ByRole[Amount]
    slots: ByRole[Slot]


@frozen
class Referral:
    approver: Text


class Zoo:
    """A family of one plan, with every type of term and a deferral."""

    name = "zoo"
    terms = Everything
    defer_terms = Referral

    def scenarios(self, split, seed, count):
        return []

    def plans(self, world):
        return [self.plan]

    plan = Everything(
        count=12,
        at=Time("14:30"),
        kind=Text("van"),
        items=(Text("Cake"), Text("soup")),
        shares={"Ana": 140, "Ben Okri": 100},
        slots={"Ana": Slot(Time("09:00"), Time("09:30")), "Ben Okri": Slot(Time("10:00"), Time("11:00"))},
    )

    def choices(self, public):
        return {"kind": ("van", "bike"), "items": ("Cake", "soup", "bread"), "approver": ("Dana",)}

    def say(self, terms, public):
        return "the plan"

    def tell(self, condition, public):
        return condition.text

    def hear(self, text, public, speaker):
        return Heard()


class ZooRules:
    name = "zoo"
    families = ("zoo",)

    def check(self, world, terms):
        if isinstance(terms, Referral):
            if terms.approver != world.public.approver:
                yield Violation("approver", "somebody else", None, terms.approver, world.public.approver)
        elif terms.count != 12:
            yield Violation("count", f"{terms.count} is not 12", None, terms.count, 12)
        elif world.of("first", "open") is False:
            yield Violation("open", "closed", "first", terms.count, None)


@pytest.fixture(scope="session")
def zoo():
    return Zoo()


@pytest.fixture(scope="session")
def zoo_rules():
    return ZooRules()


@pytest.fixture(scope="session")
def public():
    return Public(
        story="Ana and Ben share a van.",
        brief="They settle everything.",
        roles=(Role("first", "Ana", "drives"), Role("second", "Ben Okri", "loads")),
        facts={"day": ["08:00", "18:00"]},
        approver="Dana",
    )


@pytest.fixture(scope="session")
def world(public):
    return World("a", public, (Condition("first", "open", True, "We are open."),))


@pytest.fixture(scope="session")
def closed(public):
    return World("b", public, (Condition("first", "open", False, "We are closed."),))
