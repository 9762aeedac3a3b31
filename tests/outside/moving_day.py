"""A family in one file, outside the package: when the van comes and who carries which boxes.

Times, items for each person and a deferral, and no public facts at all: what judges by rules hear must not need any.
"""

import re
from itertools import combinations
from random import Random

from attrs import define, frozen

import adidem
from adidem.core.domain import (
    ByRole,
    Condition,
    Deferral,
    Fact,
    Heard,
    Items,
    Plan,
    Public,
    Role,
    Scenario,
    Text,
    Time,
    Violation,
)

BOXES = ("books", "lamps", "pans", "tools")
TIMES = ("09:00", "10:30", "13:00", "15:30")
NAMES = (("Ines", "Otto"), ("Wanjiru", "Pavel"), ("Lena", "Idris"))
CARETAKER = "Mr Odell"


@frozen
class Move:
    """When the van comes, and what each carries."""

    van: Time
    boxes: ByRole[Items]


@frozen
class Asked:
    """Whom they ask."""

    approver: Text


@define
class MovingDay:
    """Private: the times at which each is free (`free`), and the box that the first cannot carry (`back`)."""

    name = "moving_day"
    terms = Move
    defer_terms = Asked

    def scenarios(self, split, seed, count):
        """Pairs in which the first is free at other times; in every third there is none that fits both."""
        return [self._draw(split, seed, number) for number in range(6 if count is None else count)]

    def _draw(self, split, seed, number):
        rng = Random(f"moving_day/{split}/{seed}/{number}")
        early, late, *rest = rng.sample(TIMES, len(TIMES))
        names, heavy = NAMES[number % len(NAMES)], rng.choice(BOXES)
        mine, theirs = sorted([early, rest[0]]), sorted([early, late])
        moved = sorted([late, rest[0]]) if number % 3 else sorted(rest)

        def world(free):
            return (
                Condition("first", "free", free, f"I am free at {' or '.join(free)} only."),
                Condition("first", "back", heavy, f"I cannot carry the {heavy}."),
                Condition("second", "free", theirs, f"I am free at {' or '.join(theirs)} only."),
            )

        return Scenario(
            id=f"{self.name}/{split}/{number:02d}",
            family=self.name,
            split=split,
            setting=f"move-{number}",
            public=Public(
                story=f"{names[0]} and {names[1]} move house with one van.",
                brief=f"They settle when the van comes ({', '.join(TIMES)}) and who carries which two of the boxes "
                f"({', '.join(BOXES)}). Where nothing fits, {CARETAKER} may find another day.",
                roles=(Role("first", names[0], "has a trolley"), Role("second", names[1], "has gloves")),
                approver=CARETAKER,
            ),
            a=world(mine),
            b=world(moved),
        )

    def plans(self, world):
        """Each time with each way to share the boxes out, two and two."""
        one, two = world.public.names
        for at in TIMES:
            for mine in combinations(BOXES, 2):
                yield Move(Time(at), {one: mine, two: tuple(box for box in BOXES if box not in mine)})

    def choices(self, public):
        """The boxes, and the caretaker."""
        return {"boxes": BOXES, "approver": (CARETAKER,)}

    def say(self, terms, public):
        """`the van at 13:00, Ines with the books and the pans and Otto with the lamps and the tools`."""
        if isinstance(terms, Asked):
            return f"let's ask {terms.approver}"
        carried = [f"{name} with the {' and the '.join(terms.boxes[name])}" for name in public.names]
        return f"the van at {self.clock(terms.van)}, {' and '.join(carried)}"

    def clock(self, time):
        """How a time is said."""
        return time

    def tell(self, condition, public):
        """The sentence on the card."""
        return condition.text

    def hear(self, text, public, speaker):
        """`I am free at …` and `I cannot carry …` are facts, `the van at …` is a plan, `ask Mr Odell` a deferral."""
        one, two = public.names
        pair = f"with the ({'|'.join(BOXES)}) and the ({'|'.join(BOXES)})"
        facts = [
            Fact("free", sorted(m[1].split(" or ")), "speaker", m.start(), m.end())
            for m in re.finditer(r"I am free at (\d\d:\d\d(?: or \d\d:\d\d)*) only", text)
        ]
        facts += [
            Fact("back", m[1], "speaker", m.start(), m.end())
            for m in re.finditer(rf"I cannot carry the ({'|'.join(BOXES)})\b", text)
        ]
        plans = [
            Plan(Move(m[1], {one: (m[2], m[3]), two: (m[4], m[5])}), m.start(), m.end())
            for m in re.finditer(rf"the van at (\d\d:\d\d), {one} {pair} and {two} {pair}", text)
        ]
        asked = [Deferral(CARETAKER, m.start(), m.end()) for m in re.finditer(f"ask {CARETAKER}", text)]
        return Heard(tuple(facts), tuple(plans), tuple(asked))


@define
class MovingRules:
    """The van comes when both are free, each carries two boxes that they can, and every box is carried."""

    name = "moving_day"
    families = ("moving_day",)

    def check(self, world, terms):
        """Every violation."""
        if isinstance(terms, Asked):
            return
        names = world.public.names
        held = [tuple(terms.boxes.get(name, ())) for name in names]
        if sorted(held[0] + held[1]) != sorted(BOXES) or len(held[0]) != 2:
            yield Violation("boxes", "each carries two boxes, and none is left", None, held, list(BOXES))
        if terms.van not in TIMES:
            yield Violation("van", f"no van comes at {terms.van}", None, terms.van, list(TIMES))
        for seat, boxes in zip(("first", "second"), held, strict=True):
            free, back = world.of(seat, "free"), world.of(seat, "back")
            if free is not None and terms.van not in free:
                yield Violation("free", f"{world.public.name(seat)} is not free then", seat, terms.van, free)
            if back is not None and back in boxes:
                yield Violation("back", f"{world.public.name(seat)} cannot carry the {back}", seat, back)


@adidem.hookimpl
def adidem_register_families(register):
    """The family."""
    register(MovingDay)


@adidem.hookimpl
def adidem_register_checkers(register):
    """Its rules."""
    register(MovingRules)
