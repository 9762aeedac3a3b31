"""Bounded quantities: how many of something, inside what each of the two can use and in whole packs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, frozen

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Amount, Fact, Heard, Public, RoleCard, Seat, Violation, World, other
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.hearing import counted as ears
else:
    ears = LazyModule("adidem.plugins.families.hearing.counted")

Interval = dict[str, int]


@frozen
class Quantity:
    """An agreed quantity, in the setting's unit."""

    quantity: Amount


@define
class BoundedQuantities(PairedFamily):
    """Public: an item, the most that is on offer, and a pack size (1: single ones). Private: each role's interval,
    `{least, most}` in the item's unit, both ends included."""

    name: ClassVar[str] = "bounded_quantities"
    terms: ClassVar[type] = Quantity
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (QuantityRules(),)

    def plans(self, world: World) -> Iterable[Quantity]:
        """Every whole quantity from 1 to what is on offer, packs or not."""
        return (Quantity(n) for n in range(1, world.public.facts["on_offer"] + 1))

    def passing(self, world: World) -> Iterable[Quantity]:
        """The whole packs inside both intervals, counted off without looking at the rest of the plan space."""
        pack, low, high = world.public.facts["pack"], 1, world.public.facts["on_offer"]
        for seat in SEATS:
            least, most = _bounds(world, seat)
            low = low if least is None else max(low, least)
            high = high if most is None else min(high, most)
        return (Quantity(n) for n in range(-(-low // pack) * pack, high + 1, pack))

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """A quantity has no texts to choose from."""
        return {}

    # ------------------------------------------------------------------------------------------------ scenarios

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """The owner's interval meets the other's at one end; in the second world it meets it at the other end, or, for
        a decline, stops short of it. What they share is a few packs of a wider interval of each."""
        params = setting.params
        pack, on_offer = rng.choice(params["pack"]), rng.choice(params["on_offer"])
        scale = _Scale.of(pack, params)
        drawn = _two_overlaps(scale, rng) if kind == "agree/agree" else _overlap_and_gap(scale, rng)
        if drawn is None:
            return None
        theirs, one, two = (scale.mirrored(i) for i in drawn) if rng.random() < 0.5 else drawn
        values = {owner: one, other(owner): theirs}
        facts = {
            "item": params["item"],
            "unit": params["unit"],
            "also": params.get("also", []),
            "pack": pack,
            "pack_words": params.get("pack_words", []),
            "on_offer": on_offer,
        }
        conditions = {(seat, "interval"): values[seat] for seat in SEATS}
        return Sketch(facts, facts, conditions, (owner, "interval"), two)

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """`{least}` and `{most}`."""
        return {"least": value["least"], "most": value["most"]}

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Quantity, public: Public) -> str:
        """`12 crates`."""
        return f"{terms.quantity} {public.facts['unit' if terms.quantity == 1 else 'item']}"

    @unguessed()
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Limits are facts about whoever they are told of; a quantity put forward or turned down is a plan. Packs are
        counted out; a number of anything else is not heard."""
        facts, plans = ears.quantities_said(text, public, speaker)
        return Heard(facts, tuple(evolve(plan, terms=Quantity(plan.terms)) for plan in plans))

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """A stated end that is not the card's is untrue, unless whole packs make it the same ("up to 4 trays"); so is
        an amount said to be easily done (kind `able`) that lies outside the card's interval."""
        pack = card.public.facts["pack"]
        for condition in card.conditions:
            if condition.kind == "interval" and fact.kind == "able":
                return _overstated(fact.value["amount"], condition.value)
            if condition.kind != fact.kind:
                continue
            for end, known in condition.value.items():
                said = fact.value.get(end)
                if said is not None and known is not None and _packs(end, said, pack) != _packs(end, known, pack):
                    return f"said {end} {said}, but the card says {known}"
        return None


def _overstated(amount: Amount, interval: Mapping[str, Amount]) -> str | None:
    least, most = interval.get("least"), interval.get("most")
    if (most is not None and amount > most) or (least is not None and amount < least):
        return f"said {amount} would do, but the card says {least} to {most}"
    return None


# ---------------------------------------------------------------------------------------------- drawing two intervals


@frozen
class _Scale:
    """Where bounds are drawn: whole packs, numbered `low` to `high`, each with up to a pack of slack outside it, which
    is a multiple of `step`."""

    pack: int
    step: int
    low: int
    high: int

    @classmethod
    def of(cls, pack: int, params: Mapping[str, Any]) -> _Scale:
        least, most = params["range"]
        return cls(pack, min(params.get("step", 1), pack), -(-(least + pack - 1) // pack), (most - pack + 1) // pack)

    @property
    def room(self) -> int:
        """How many packs there are."""
        return self.high - self.low + 1

    def least(self, number: int, rng: Random) -> int:
        """A lower bound that first admits that pack."""
        return number * self.pack - rng.randrange(0, self.pack, self.step)

    def most(self, number: int, rng: Random) -> int:
        """An upper bound that last admits that pack."""
        return number * self.pack + rng.randrange(0, self.pack, self.step)

    def interval(self, first: int, last: int, rng: Random) -> Interval:
        """An interval that admits the packs `first` to `last`."""
        return {"least": self.least(first, rng), "most": self.most(last, rng)}

    def mirrored(self, interval: Interval) -> Interval:
        """The same interval seen from the other end of the scale."""
        ends = (self.low + self.high) * self.pack
        return {"least": ends - interval["most"], "most": ends - interval["least"]}

    def shared(self, rng: Random) -> int:
        """How many packs an overlap holds."""
        return rng.randint(1, min(6, max(2, self.room // 8)))

    def beyond(self, shared: int, rng: Random) -> int:
        """How many packs an interval holds besides: more than it shares, so that its middle is no answer."""
        return shared + 1 + rng.randint(0, self.room // 8)


def _two_overlaps(scale: _Scale, rng: Random) -> tuple[Interval, Interval, Interval] | None:
    """The other's interval; the owner's, which meets its lower end; the owner's in the second world, its upper end."""
    low, high = scale.shared(rng), scale.shared(rng)
    between = rng.randint(1, 1 + scale.room // 6)
    below, above = scale.beyond(low, rng), scale.beyond(high, rng)
    width = low + between + high
    start = _start(scale, below, width + above, rng)
    if start is None:
        return None
    end = start + width - 1
    theirs = scale.interval(start, end, rng)
    one = scale.interval(start - below, start + low - 1, rng)
    return theirs, one, scale.interval(end - high + 1, end + above, rng)


def _overlap_and_gap(scale: _Scale, rng: Random) -> tuple[Interval, Interval, Interval] | None:
    """The other's interval; the owner's, which meets its upper end; the owner's in the second world, which lies beyond
    either end or shares no whole pack. Half the time one bound alone has moved."""
    shared, gap = scale.shared(rng), rng.randint(0, 1 + scale.room // 10)
    above, width = scale.beyond(shared, rng), shared + scale.beyond(shared, rng)
    across = rng.random() < 0.3
    below = gap + scale.beyond(shared, rng) if across else 0
    start = _start(scale, below, width + gap + above, rng)
    if start is None:
        return None
    end = start + width - 1
    theirs, one = scale.interval(start, end, rng), scale.interval(end - shared + 1, end + above, rng)
    if across:
        return theirs, one, scale.interval(start - below, start - 1 - gap, rng)
    two = scale.interval(end + 1 + gap, end + gap + above, rng)
    if gap + 1 < above and rng.random() < 0.5:
        two["most"] = one["most"]
    return theirs, one, two


def _start(scale: _Scale, below: int, rest: int, rng: Random) -> int | None:
    """The first pack of an interval with `below` packs under it, so that all fit on the scale; None: they do not."""
    spare = scale.room - below - rest
    return None if spare < 0 else scale.low + below + rng.randint(0, spare)


# ---------------------------------------------------------------------------------------------------------- listening


def _packs(end: str, bound: int, pack: int) -> int:
    """The first (for `least`) or the last whole pack inside a bound."""
    return -(-bound // pack) if end == "least" else bound // pack


def _bounds(world: World, seat: Seat) -> tuple[int | None, int | None]:
    """What is known of a role's interval in this world; None is no constraint."""
    interval = world.of(seat, "interval") or {}
    return interval.get("least"), interval.get("most")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


@define
class QuantityRules:
    """A whole number, in whole packs, no more than is on offer, inside each role's interval."""

    name: ClassVar[str] = "bounded_quantities"
    families: ClassVar[tuple[str, ...]] = ("bounded_quantities",)

    def check(self, world: World, terms: Quantity) -> Iterable[Violation]:
        """Every violation of a quantity."""
        n, facts = terms.quantity, world.public.facts
        if not _is_whole(n):
            yield Violation("whole", f"{n} is not a whole number", None, n, "a whole number")
            return
        if n < 1 or n > facts["on_offer"]:
            yield Violation("on_offer", f"{n} is outside 1 to {facts['on_offer']}", None, n, [1, facts["on_offer"]])
        if n % facts["pack"]:
            yield Violation("pack", f"{n} is no whole number of packs of {facts['pack']}", None, n, facts["pack"])
        for seat in SEATS:
            least, most = _bounds(world, seat)
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
