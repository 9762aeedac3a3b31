"""A family in one file, outside the package: where two people meet, given which places each can get to.

Given to adidem by `--plugin`. It fulfils the contract alone, without the base class of the built-in families.
"""

import re
from random import Random

from attrs import define, frozen

import adidem
from adidem.core.domain import Condition, Fact, Heard, Plan, Public, Role, Scenario, Text, Violation

PLACES = ("the library", "the park", "the station", "the harbour", "the museum")
NAMES = (("Ines", "Otto"), ("Wanjiru", "Pavel"), ("Lena", "Idris"))


@frozen
class Meeting:
    """The place agreed on."""

    place: Text


@define
class MeetingPlace:
    """Public: a list of places. Private: the places each of the two can get to."""

    name = "meeting_place"
    terms = Meeting
    defer_terms = None

    def scenarios(self, split, seed, count):
        """Pairs in which one person's reach differs; every third ends without a common place."""
        return [self._draw(split, seed, n) for n in range(count or {"train": 6, "dev": 2, "test": 4}[split])]

    def _draw(self, split, seed, n):
        rng = Random(f"meeting_place/{split}/{seed}/{n}")
        here, there, *rest = rng.sample(PLACES, len(PLACES))
        names = NAMES[n % len(NAMES)]
        mine = sorted([here, rest[0]])
        moved = sorted([there, rest[0]]) if n % 3 else sorted(rest[:2])
        theirs = sorted([here, there, rest[2]])
        owner, partner = ("first", "second") if n % 2 else ("second", "first")

        def world(reach):
            both = {owner: reach, partner: theirs}
            return tuple(Condition(s, "reach", both[s], self._sentence(both[s])) for s in ("first", "second"))

        return Scenario(
            id=f"{self.name}/{split}/{n:02d}",
            family=self.name,
            split=split,
            setting=f"meet-{n}",
            public=Public(
                story=f"{names[0]} and {names[1]} are in town for an afternoon and want to meet.",
                brief=f"They settle on one place out of {', '.join(PLACES)}.",
                roles=(Role("first", names[0], "visits by train"), Role("second", names[1], "lives nearby")),
            ),
            a=world(mine),
            b=world(moved),
        )

    @staticmethod
    def _sentence(places):
        return f"I can get to {' or '.join(places)} and nowhere else."

    def plans(self, world):
        """Each place."""
        return [Meeting(place) for place in PLACES]

    def choices(self, public):
        """The places."""
        return {"place": PLACES}

    def say(self, terms, public):
        """`meeting at the park`."""
        return f"meeting at {terms.place}"

    def tell(self, condition, public):
        """The sentence on the card."""
        return condition.text

    def hear(self, text, public, speaker):
        """`I can get to …` is a fact, `meeting at …` is a plan."""
        facts = tuple(
            Fact("reach", sorted(match[1].split(" or ")), "speaker", match.start(), match.end())
            for match in re.finditer(r"I can get to ([^.]*?) and nowhere else", text)
        )
        plans = tuple(
            Plan(Meeting(Text(match[1])), match.start(), match.end())
            for match in re.finditer(r"meeting at (the \w+)", text)
        )
        return Heard(facts, plans)


@define
class ReachRules:
    """The place is one of the list and each can get there."""

    name = "meeting_place"
    families = ("meeting_place",)

    def check(self, world, terms):
        """Every violation of a place."""
        if terms.place not in PLACES:
            yield Violation("listed", f"{terms.place} is not on the list", None, terms.place, list(PLACES))
        for seat in ("first", "second"):
            reach = world.of(seat, "reach")
            if reach is not None and terms.place not in reach:
                yield Violation("reach", f"{world.public.name(seat)} cannot get there", seat, terms.place, reach)


@adidem.hookimpl
def adidem_register_families(register):
    """The family."""
    register(MeetingPlace)


@adidem.hookimpl
def adidem_register_checkers(register):
    """Its rules."""
    register(ReachRules)
