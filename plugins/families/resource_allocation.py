"""Resource allocation: one total, split between the two in whole steps, each share inside what its owner can bear."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, frozen

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Amount, ByRole, Fact, Heard, Public, RoleCard, Seat, Violation, World, other
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.hearing import shares as ears
else:
    ears = LazyModule("adidem.plugins.families.hearing.shares")


@frozen(unsafe_hash=False)
class Shares:
    """An agreed split: each person's share by name, in the setting's unit."""

    shares: ByRole[Amount]


@define
class ResourceAllocation(PairedFamily):
    """Public: a total and the step it is split in. Private: each role's range, `{least, most}` of the own share in
    the setting's unit, both ends included."""

    name: ClassVar[str] = "resource_allocation"
    terms: ClassVar[type] = Shares
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")
    kinds: ClassVar[Sequence[str]] = ("agree/agree", "agree/decline")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (ShareRules(),)

    def plans(self, world: World) -> Iterable[Shares]:
        """Every split of the total in whole steps, the first role's share growing from nothing to all."""
        facts = world.public.facts
        return (_split(world.public, n) for n in range(0, facts["total"] + 1, facts["step"]))

    def passing(self, world: World) -> Iterable[Shares]:
        """The splits that lie inside both ranges."""
        total, step = world.public.facts["total"], world.public.facts["step"]
        (low, high), (least, most) = (_in_steps(world, seat, total, step) for seat in SEATS)
        steps = total // step
        return (_split(world.public, n * step) for n in range(max(low, steps - most), min(high, steps - least) + 1))

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """A split has no texts to choose from."""
        return {}

    # ------------------------------------------------------------------------------------------------ scenarios

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """The owner's range overlaps an end of what the partner can leave by a few steps; in the other world it
        overlaps the other end (agree/agree) or misses by a few steps (agree/decline)."""
        params = setting.params
        step, total = params["step"], rng.choice(params["total"])
        drawn = _draw(total // step, rng, apart=kind == "agree/agree")
        if drawn is None:
            return None
        partner, one, two = ((low * step, high * step) for low, high in drawn)
        values = {owner: _range(*one), other(owner): _range(total - partner[1], total - partner[0])}
        facts = {
            "total": total,
            "step": step,
            "currency": params.get("currency", ""),
            "unit": params.get("unit", ""),
            "units": params.get("units", ""),
            "nouns": list(params.get("nouns", ())),
            "verbs": list(params.get("verbs", ())),
            "joint": params.get("joint", "for"),
        }
        amounts = {"total": total, "step": step}
        shown = {**facts, **{key: _amount(n, facts) for key, n in amounts.items()}}
        shown |= {f"{key}_n": f"{n:,}" for key, n in amounts.items()}
        conditions = {(seat, "range"): values[seat] for seat in SEATS}
        return Sketch(facts, shown, conditions, (owner, "range"), _range(*two))

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """`{least}` and `{most}` with their unit ("$80", "8 hours"), `{least_n}` and `{most_n}` without."""
        return {
            "least": _amount(value["least"], facts),
            "most": _amount(value["most"], facts),
            "least_n": f"{value['least']:,}",
            "most_n": f"{value['most']:,}",
        }

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Shares, public: Public) -> str:
        """`$140 for Priya and $100 for Tom`."""
        joint = public.facts["joint"]
        return " and ".join(f"{_amount(n, public.facts)} {joint} {name}" for name, n in terms.shares.items())

    @unguessed()
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Bounds are facts about whoever they are said of; an amount given to somebody is their share. One share in a
        proposal implies the other; both are a plan; a share without an owner is nothing."""
        facts, plans = ears.shares_said(text, public, speaker)
        return Heard(facts, tuple(evolve(plan, terms=Shares(plan.terms)) for plan in plans))

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """A stated bound that is not the card's, counted in whole steps, is untrue."""
        step = card.public.facts["step"]
        for condition in card.conditions:
            if condition.kind != fact.kind or not isinstance(fact.value, Mapping):
                continue
            for end, rounded in (("least", math.ceil), ("most", math.floor)):
                said, true = fact.value.get(end), condition.value.get(end)
                if _is_number(said) and _is_number(true) and rounded(said / step) != rounded(true / step):
                    return f"said {end} {said}, but the card says {true}"
        return None


def _split(public: Public, share: int) -> Shares:
    first, second = public.names
    return Shares({first: share, second: public.facts["total"] - share})


def _in_steps(world: World, seat: Seat, total: int, step: int) -> tuple[int, int]:
    """The fewest and the most steps that the role's range allows; a bound that is unknown is none."""
    own = world.of(seat, "range") or {}
    least, most = own.get("least"), own.get("most")
    low = 0 if least is None else math.ceil(min(max(least, 0), total + step))
    high = total if most is None else math.floor(max(min(most, total), -step))
    return -(-low // step), high // step


def _range(least: int, most: int) -> dict[str, int]:
    return {"least": least, "most": most}


def _amount(n: Any, facts: Mapping[str, Any]) -> str:
    number = f"{n:,}" if _is_number(n) else str(n)
    if facts["currency"]:
        return f"{facts['currency']}{number}"
    return f"{number} {facts['unit'] if n == 1 else facts['units']}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


# -------------------------------------------------------------------------------------------------------- drawing pairs

Stretch = tuple[int, int]


def _draw(size: int, rng: Random, *, apart: bool) -> tuple[Stretch, Stretch, Stretch] | None:
    """What the partner can leave, and the owner's range in either world, all in steps of the owner's share 0..size.

    Each range is at least twice as wide as an overlap and one more, so that the middle of a card is never a plan.
    """
    few = max(1, min(4, size // 8))
    edge = max(1, round(0.08 * size))
    overlaps = rng.randint(1, few), rng.randint(1, few)
    widths = [_width(size, 2 * overlap + 1, rng) for overlap in overlaps]
    open_width = _width(size, sum(overlaps) + max(overlaps) + 1, rng)
    low_side = rng.random() < 0.5
    one = _placed(low_side, overlaps[0], widths[0], open_width)
    if apart:
        two = _placed(not low_side, overlaps[1], widths[1], open_width)
    else:
        two = _missing(one, rng, few, widths[1], open_width, low_side)
    start = min(0, one[0], two[0])
    end = max(open_width - 1, one[1], two[1])
    room = size - 2 * edge - (end - start)
    if room < 0:
        return None
    shift = edge - start + rng.randint(0, room)
    return _moved((0, open_width - 1), shift), _moved(one, shift), _moved(two, shift)


def _width(size: int, least: int, rng: Random) -> int:
    """How many plans a range holds by itself: a fifth to a third of the space, but at least `least`."""
    return max(least, rng.randint(math.ceil(0.18 * size), math.ceil(0.33 * size)))


def _placed(low_side: bool, overlap: int, width: int, open_width: int) -> Stretch:
    """A range that shares `overlap` plans with the low or the high end of 0..open_width-1."""
    if low_side:
        return overlap - width, overlap - 1
    return open_width - overlap, open_width - overlap + width - 1


def _missing(one: Stretch, rng: Random, few: int, width: int, open_width: int, low_side: bool) -> Stretch:
    """A range that misses 0..open_width-1 by a few steps: mostly on the side where the other world's range lies, and
    then often with the same far end, so that a single bound decides."""
    gap = rng.randint(1, few)
    low = low_side if rng.random() < 0.7 else not low_side
    same_far_end = low == low_side and rng.random() < 0.5
    if low:
        return (min(one[0], -gap - 1) if same_far_end else -gap - width), -gap
    start = open_width - 1 + gap
    return start, (max(one[1], start + 1) if same_far_end else start + width)


def _moved(stretch: Stretch, shift: int) -> Stretch:
    return stretch[0] + shift, stretch[1] + shift


# ---------------------------------------------------------------------------------------------------------------- rules


@define
class ShareRules:
    """Both roles have a share, in whole steps and none below nothing; the shares make the total; each is inside its
    owner's range."""

    name: ClassVar[str] = "resource_allocation"
    families: ClassVar[tuple[str, ...]] = ("resource_allocation",)

    def check(self, world: World, terms: Shares) -> Iterable[Violation]:
        """Every violation of a split."""
        public, shares = world.public, terms.shares
        total, step = public.facts["total"], public.facts["step"]
        for name in shares:
            if name not in public.names:
                yield Violation(
                    "both", f"{name} is neither {' nor '.join(public.names)}", None, name, list(public.names)
                )
        for seat in SEATS:
            name = public.name(seat)
            if name in shares:
                yield from _share_violations(world, seat, shares[name], step)
            else:
                yield Violation("both", f"{name} has no share", seat, None, "a share")
        numbers = [n for n in shares.values() if _is_number(n)]
        if len(numbers) == len(shares) > 0 and sum(numbers) != total:
            yield Violation("sum", f"the shares make {sum(numbers)}, not {total}", None, sum(numbers), total)


def _share_violations(world: World, seat: Seat, share: Any, step: int) -> Iterable[Violation]:
    name = world.public.name(seat)
    if not isinstance(share, int) or isinstance(share, bool) or share < 0:
        message = f"{name}'s share, {share}, is not a whole number from 0 up"
        yield Violation("whole", message, seat, share, "a whole number")
    elif share % step:
        yield Violation("step", f"{name}'s share, {share}, is not in steps of {step}", seat, share, step)
    if not _is_number(share):
        return
    own = world.of(seat, "range") or {}
    least, most = own.get("least"), own.get("most")
    if least is not None and share < least:
        yield Violation("least", f"{share} is less than {name}'s least, {least}", seat, share, least)
    if most is not None and share > most:
        yield Violation("most", f"{share} is more than {name}'s most, {most}", seat, share, most)


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """Resource allocation."""
    register(ResourceAllocation)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(ShareRules)
