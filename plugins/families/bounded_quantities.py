"""Bounded quantities: how many of something, inside what each of the two can use and in whole packs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from attrs import define, frozen

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Amount, Fact, Heard, Plan, Public, RoleCard, Seat, Violation, World
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.language import clauses, find_numbers, find_ranges
from adidem.core.scenarios import PairedFamily, Setting, Sketch


@frozen
class Quantity:
    """An agreed quantity, in the setting's unit."""

    quantity: Amount


@define
class BoundedQuantities(PairedFamily):
    """Public: an item, the most that is on offer, and a pack size. Private: each role's interval, `{least, most}` in
    the item's unit, both ends included."""

    name: ClassVar[str] = "bounded_quantities"
    terms: ClassVar[type] = Quantity
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (QuantityRules(),)

    def plans(self, world: World) -> Iterable[Quantity]:
        """Every whole quantity from 1 to what is on offer."""
        return (Quantity(n) for n in range(1, world.public.facts["on_offer"] + 1))

    def passing(self, world: World) -> Iterable[Quantity]:
        """The whole packs inside both intervals."""
        pack, low, high = world.public.facts["pack"], 1, world.public.facts["on_offer"]
        for seat in SEATS:
            interval = world.of(seat, "interval") or {}
            low = max(low, interval.get("least") or low)
            high = min(high, interval.get("most") if interval.get("most") is not None else high)
        return (Quantity(n) for n in range(-(-low // pack) * pack, high + 1, pack))

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """A quantity has no texts to choose from."""
        return {}

    # ------------------------------------------------------------------------------------------------ scenarios

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """The owner's interval lies in the lower or in the upper part of what the other can use; for a decline it
        lies outside."""
        params = setting.params
        pack, offer = rng.choice(params["pack"]), params["on_offer"]
        low, high = params["range"]
        spread = max(pack, (high - low) // 5)
        other = _interval(rng, low + spread, high - spread, at_least=3 * spread)
        middle = rng.randint(other["least"] + spread, other["most"] - spread)
        below = {"least": max(1, other["least"] - rng.randint(0, spread)), "most": middle - 1}
        if kind == "agree/agree":
            above = {"least": middle, "most": min(offer, other["most"] + rng.randint(0, spread))}
        else:
            start = other["most"] + rng.randint(1, spread)
            above = {"least": start, "most": start + rng.randint(pack, 2 * spread)}
        if above["most"] > offer or below["least"] > below["most"]:
            return None
        partner: Seat = "second" if owner == "first" else "first"
        values = {(owner, "interval"): below, (partner, "interval"): other}
        facts = {"item": params["item"], "unit": params["unit"], "pack": pack, "on_offer": offer}
        return Sketch(
            facts,
            {**facts, "packs": _pack_sentence(pack, params)},
            {key: values[key] for key in ((s, "interval") for s in SEATS)},
            (owner, "interval"),
            above,
        )

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """`{least}`, `{most}` and `{item}`."""
        return {"least": value["least"], "most": value["most"], "item": facts["item"]}

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Quantity, public: Public) -> str:
        """`12 crates`."""
        return f"{terms.quantity} {public.facts['unit'] if terms.quantity == 1 else public.facts['item']}"

    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Bounds are facts about the speaker ("you" in the clause: about the listener); a bare number of the item is
        a plan."""
        facts, plans = [], []
        for clause in clauses(text):
            ranges = find_ranges(clause.text)
            for found in ranges:
                about = "listener" if _of_partner(clause.text) else "speaker"
                value = {"least": found.low, "most": found.high}
                facts.append(Fact("interval", value, about, clause.start + found.start, clause.start + found.end))
            for number in find_numbers(clause.text):
                if any(r.start <= number.start < r.end for r in ranges) or not _counts(number, public):
                    continue
                plans.append(Plan(Quantity(number.value), clause.start + number.start, clause.start + number.end))
        return Heard(tuple(facts), tuple(plans))

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """A stated bound that is not the card's is untrue."""
        for condition in card.conditions:
            for end in ("least", "most"):
                said = fact.value[end]
                if said is not None and said != condition.value[end]:
                    return f"said {end} {said}, but the card says {condition.value[end]}"
        return None


def _interval(rng: Random, low: int, high: int, at_least: int) -> dict[str, int]:
    start = rng.randint(low, max(low, high - at_least))
    return {"least": start, "most": rng.randint(min(high, start + at_least), high)}


def _pack_sentence(pack: int, params: Mapping[str, Any]) -> str:
    return "" if pack == 1 else f"They come in packs of {pack}, and packs are not split."


def _of_partner(clause: str) -> bool:
    return clause.casefold().startswith(("you ", "your ", "so you "))


def _counts(number: Any, public: Public) -> bool:
    unit, item = public.facts["unit"], public.facts["item"]
    return number.unit is None or number.unit in (unit, item)


@define
class QuantityRules:
    """A whole number, in whole packs, no more than is on offer, inside each role's interval."""

    name: ClassVar[str] = "bounded_quantities"
    families: ClassVar[tuple[str, ...]] = ("bounded_quantities",)

    def check(self, world: World, terms: Quantity) -> Iterable[Violation]:
        """Every violation of a quantity."""
        n, facts = terms.quantity, world.public.facts
        if not isinstance(n, int):
            yield Violation("whole", f"{n} is not a whole number", None, n, "a whole number")
            return
        if n < 1 or n > facts["on_offer"]:
            yield Violation("on_offer", f"{n} is outside 1 to {facts['on_offer']}", None, n, [1, facts["on_offer"]])
        if n % facts["pack"]:
            yield Violation("pack", f"{n} is no whole number of packs of {facts['pack']}", None, n, facts["pack"])
        for seat in SEATS:
            interval = world.of(seat, "interval") or {}
            least, most = interval.get("least"), interval.get("most")
            name = world.public.name(seat)
            if least is not None and n < least:
                yield Violation("least", f"{n} is less than {name}'s least, {least}", seat, n, least)
            if most is not None and n > most:
                yield Violation("most", f"{n} is more than {name}'s most, {most}", seat, n, most)


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """Bounded quantities."""
    register(BoundedQuantities)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(QuantityRules)
