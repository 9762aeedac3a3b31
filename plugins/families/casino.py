"""CaSiNo: two campers share out firewood, food and water that are worth different points to each, and each records it.

Source: Chawla et al. (2021), "CaSiNo: A Corpus of Campsite Negotiation Dialogues" (data CC BY 4.0, never shipped here).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from attrs import define, field, frozen
from attrs.validators import ge, optional

from adidem.core.contracts import Checker, Family
from adidem.core.domain import (
    SEATS,
    Amount,
    ByRole,
    Condition,
    Heard,
    Plan,
    Public,
    Role,
    Scenario,
    Seat,
    Split,
    Violation,
    World,
)
from adidem.core.errors import BankError
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from adidem.plugins.families.corpora import negotiations, stream
    from adidem.plugins.families.corpora.negotiations import Camper, Dialogue
    from adidem.plugins.families.hearing import packages as ears
else:
    negotiations = LazyModule("adidem.plugins.families.corpora.negotiations")
    stream = LazyModule("adidem.plugins.families.corpora.stream")
    ears = LazyModule("adidem.plugins.families.hearing.packages")

OWN = Path(__file__).with_suffix(".jsonl")
ITEMS = ("firewood", "food", "water")
"""The fields of the terms, and the keys of what an item is worth."""

VALUES = "values"
"""The kind of a camper's one condition: the points of a package by item."""

SPLITS: Mapping[str, Split] = {"train": "train", "valid": "dev", "dev": "dev", "test": "test"}
"""In a folder, the split of a file that has this word in its name; any other, and a file alone, is `test`. Where one is
named `test`, files without a word are left out: the published `casino.json` holds all that its splits hold."""


@frozen(unsafe_hash=False)
class Packages:
    """An agreed split: for each item the number of packages of each person, by name."""

    firewood: ByRole[Amount]
    food: ByRole[Amount]
    water: ByRole[Amount]


@define
class Casino:
    """Negotiations in CaSiNo's layout: the eight that ship with the project, or a file of the data set (`data`).

    Public: three packages of each item. Private: `values`, the points of a package by item (5, 4 and 3 in some order).
    There is one world and no single right plan: a plan is feasible where it shares out every package and gives neither
    person less than walking away does; how good it is, the judge `negotiation` says. `max_logs` selects the dialogues
    whose chat has at most so many entries, deals included (16 gives 86 of the published test split).
    """

    max_logs: int | None = field(
        default=None, validator=optional(ge(1)), metadata={"doc": "only dialogues with at most so many chat logs"}
    )

    name: ClassVar[str] = "casino"
    terms: ClassVar[type] = Packages
    defer_terms: ClassVar[None] = None
    paired: ClassVar[bool] = False

    @property
    def about(self) -> str:
        """What is recorded, for reports."""
        return str(_texts()["note"])

    # ------------------------------------------------------------------------------------------------- scenarios

    def scenarios(self, split: Split, seed: int, count: int | None) -> Sequence[Scenario]:
        """The shipped negotiations, all in `test`; there is nothing to draw."""
        return list(self.read(OWN))[:count] if split == "test" else ()

    def read(self, path: Path) -> Iterator[Scenario]:
        """The negotiations of a file in the published layout (a JSON list, or JSON lines), or of a folder of them, as a
        stream; those with more chat logs than `max_logs` are left out.

        Raises:
            BankError: something is no negotiation; file and line are named.
        """
        numbers = dict.fromkeys(SPLITS.values(), 0)
        for file, split in _splits(path):
            for entry in stream.entries(file):
                try:
                    dialogue = negotiations.dialogue_of(entry.value)
                except ValueError as error:
                    raise BankError(f"{entry.where}: {error}") from error
                if self.max_logs is None or dialogue.logs <= self.max_logs:
                    yield _scenario(dialogue, split, numbers[split])
                    numbers[split] += 1

    # ---------------------------------------------------------------------------------------------- plans, worth

    def plans(self, world: World) -> Iterable[Packages]:
        """All 64 ways to share out the packages."""
        units = world.public.facts["units"]
        for shares in product(range(units, -1, -1), repeat=len(ITEMS)):
            yield _packages(world.public, shares)

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """None: the terms are numbers."""
        return {}

    def utility(self, terms: Packages | None, world: World, seat: Seat) -> float | None:
        """The points of that person: of the packages, or (None) of walking away. None where it is not known what an
        item is worth to them, or the plan does not say what they take."""
        if terms is None:
            return float(world.public.facts["walk_away"])
        values, name = world.of(seat, VALUES) or {}, world.public.name(seat)
        total = 0.0
        for item in ITEMS:
            worth, count = values.get(item), getattr(terms, item).get(name)
            if worth is None or count is None:
                return None
            total += worth * count
        return total

    # -------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Packages, public: Public) -> str:
        """`2 firewood, 1 food and 0 water for Ines, and 1 firewood, 2 food and 3 water for Caleb`."""
        return ", and ".join(
            "{} firewood, {} food and {} water for {}".format(*(getattr(terms, item).get(n) for item in ITEMS), n)
            for n in public.names
        )

    def tell(self, condition: Condition, public: Public) -> str:
        """`I need water most, then food, and firewood least.`"""
        return str(_texts()["tell"]).format(**_ranked(condition.value))

    def ask(self, public: Public, seat: Seat) -> str:
        """How a camper asks what the other needs."""
        return str(_texts()["ask"])

    @unguessed()
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """What the speaker says matters most and least (a fact), and a split of every package (a plan), "the rest"
        included. Where an item is left open, or the numbers do not add up, no plan is heard."""
        facts = ears.priorities(text, ITEMS, VALUES)
        said = ears.shares_said(text, public, speaker, ITEMS, public.facts["units"])
        if said is None:
            return Heard(facts)
        return Heard(facts, (Plan(_packages(public, tuple(said[item]["first"] for item in ITEMS)), 0, len(text)),))


def _splits(path: Path) -> list[tuple[Path, Split]]:
    """The files that are read, each with its split."""
    files = stream.files(path)
    named: dict[Path, Split] = {file: split for file in files for word, split in SPLITS.items() if word in file.stem}
    if not path.is_dir():
        named = {}
    others = () if "test" in named.values() else tuple(file for file in files if file not in named)
    return [*named.items(), *((file, "test") for file in others)]


def _packages(public: Public, shares: Sequence[int]) -> Packages:
    """The split that gives the first person so many of each item, and the second the rest."""
    (one, two), units = public.names, public.facts["units"]
    return Packages(*({one: count, two: units - count} for count in shares))


def _scenario(dialogue: Dialogue, split: Split, number: int) -> Scenario:
    texts = _texts()
    names = texts["names"][number % len(texts["names"])]
    shown = dict(zip(SEATS, names, strict=True))
    public = Public(
        story=texts["story"].strip().format(**shown),
        brief=texts["brief"].strip(),
        roles=(Role("first", names[0], texts["about"]["first"]), Role("second", names[1], texts["about"]["second"])),
        facts={"units": negotiations.UNITS, "walk_away": negotiations.WALK_AWAY, "source": _source(dialogue, names)},
    )
    return Scenario(
        id=f"casino/{split}/{number:02d}",
        family="casino",
        split=split,
        setting=dialogue.id or str(number),
        public=public,
        a=tuple(_condition(seat, camper) for seat, camper in zip(SEATS, dialogue.campers, strict=True)),
    )


def _source(dialogue: Dialogue, names: Sequence[str]) -> dict[str, Any]:
    """What people made of it, for judges alone: their deal as terms of this family, and the points they scored."""
    deal = dialogue.deal
    return {
        "dialogue_id": dialogue.id,
        "logs": dialogue.logs,
        "deal": None
        if deal is None
        else {item.casefold(): dict(zip(names, shares, strict=True)) for item, shares in deal.items()},
        "points": {name: camper.scored for name, camper in zip(names, dialogue.campers, strict=True)},
    }


def _condition(seat: Seat, camper: Camper) -> Condition:
    texts = _texts()
    values = {item.casefold(): points for item, points in camper.values.items()}
    ranked = _ranked(values)
    points = {f"{rank}_points": values[item] for rank, item in ranked.items()}
    text = str(texts["card"]).format(**{**ranked, **points}).strip()
    reasons = [str(texts["reason"]).format(item=i, reason=reason) for i, reason in camper.reasons.items()]
    return Condition(seat, VALUES, values, " ".join([text[:1].upper() + text[1:], *reasons]))


def _ranked(values: Mapping[str, Any]) -> dict[str, str]:
    """The items by how much they matter."""
    return dict(zip(("high", "medium", "low"), sorted(values, key=lambda item: -values[item]), strict=True))


@cache
def _texts() -> Mapping[str, Any]:
    import yaml

    return cast("Mapping[str, Any]", yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")))


# ---------------------------------------------------------------------------------------------------------------- rules


@define
class PackageRules:
    """Every package goes to one of the two, in whole packages; neither gets fewer points than by walking away."""

    name: ClassVar[str] = "casino"
    families: ClassVar[tuple[str, ...]] = ("casino",)

    def check(self, world: World, terms: Packages) -> Iterable[Violation]:
        """Every violation of a split."""
        found = [violation for item in ITEMS for violation in _shares(world, item, getattr(terms, item))]
        yield from found
        if found:
            return
        least = world.public.facts["walk_away"]
        for seat in SEATS:
            points = _FAMILY.utility(terms, world, seat)
            if points is not None and points < least:
                name = world.public.name(seat)
                message = f"{name} gets {points:g} points, fewer than the {least:g} of walking away"
                yield Violation("walk_away", message, seat, points, least)


_FAMILY = Casino()


def _shares(world: World, item: str, shares: Mapping[str, Any]) -> Iterable[Violation]:
    units, public = world.public.facts["units"], world.public
    for seat in SEATS:
        count = shares.get(public.name(seat))
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            message = f"{public.name(seat)}'s packages of {item}, {count}, are not a whole number from 0 up"
            yield Violation("whole", message, seat, count, "a whole number")
    numbers = [count for count in shares.values() if isinstance(count, int | float)]
    if sum(numbers) != units:
        message = f"{sum(numbers)} of {units} packages of {item} are shared out"
        yield Violation("units", message, None, sum(numbers), units)


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """CaSiNo."""
    register(Casino)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(PackageRules)
