"""Shared resource scheduling: who has the one thing when, each for as long as they need it, and a gap in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, frozen

from adidem.core import language
from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, ByRole, Fact, Heard, Public, RoleCard, Seat, Time, Violation, World, other
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem.plugins.families import _windows as w
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.hearing import slots as ears
else:
    ears = LazyModule("adidem.plugins.families.hearing.slots")

MOST_PLANS = 8
CANDIDATES = 24

Kind = tuple[Seat, str]


@frozen
class Slot:
    """One person's slot: when it starts and when it ends, `HH:MM`, the end exclusive."""

    start: Time
    end: Time


@frozen(unsafe_hash=False)
class Slots:
    """An agreed slot for each of the two, by name."""

    slots: ByRole[Slot]


@define
class SharedResourceScheduling(PairedFamily):
    """Public: a resource, its opening hours, a grid, a changeover gap and the durations one may book (minutes).
    Private: each role's `windows` (a list of `["HH:MM", "HH:MM"]`, ends exclusive) and `duration` (minutes)."""

    name: ClassVar[str] = "shared_resource_scheduling"
    terms: ClassVar[type] = Slots
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")
    kinds: ClassVar[Sequence[str]] = ("agree/agree", "agree/decline")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (SlotRules(),)

    def plans(self, world: World) -> Iterable[Slots]:
        """Every pair of slots on the grid, inside the opening hours, of durations that one may book."""
        facts = world.public.facts
        slots = [list(_slots([w.day_of(facts)], facts["durations"], facts)) for _ in SEATS]
        return (_plan(pair, world.public) for pair in product(*slots))

    def passing(self, world: World) -> Iterable[Slots]:
        """The pairs of slots that each fit their role and keep out of each other's way."""
        facts, grid = world.public.facts, world.public.facts["grid"]
        choices = []
        for seat in SEATS:
            windows, duration = w.spans_of(world.of(seat, "windows")), world.of(seat, "duration")
            allowed = [d for d in facts["durations"] if duration in (None, d) and d % grid == 0]
            choices.append(list(_slots([w.day_of(facts)] if windows is None else windows, allowed, facts)))
        gap = facts["gap"]
        return (
            _plan((one, two), world.public)
            for one, two in product(*choices)
            if one[1] + gap <= two[0] or two[1] + gap <= one[0]
        )

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """Slots have no texts to choose from."""
        return {}

    # ------------------------------------------------------------------------------------------------ scenarios

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """Windows that crowd each other; in the second world one window of the owner is elsewhere, or the owner needs
        the thing for longer or shorter."""
        params = setting.params
        facts = {key: params[key] for key in ("day", "grid", "gap", "durations", "resource")}
        facts["clock"] = params.get("clock", "12h")
        crowd = _Crowd(rng, facts, declines=kind != "agree/agree", day=w.day_of(facts))
        found = crowd.by_windows() if rng.random() < 0.62 else crowd.by_duration()
        if found is None:
            return None
        mine, theirs, (what, value) = found
        by_seat = {owner: mine, other(owner): theirs}
        conditions: dict[Kind, Any] = {}
        for seat in SEATS:
            conditions[seat, "windows"] = w.value_of(by_seat[seat][0])
            conditions[seat, "duration"] = by_seat[seat][1]
        whole_day = {**facts, "day": ["00:00", "24:00"]}
        shown = {
            "grid": facts["grid"],
            "gap": language.speak_duration(facts["gap"]),
            "durations": _either([language.speak_duration(d) for d in facts["durations"]]),
            "day_start": w.say_time(facts["day"][0], whole_day),
            "day_end": w.say_time(facts["day"][1], whole_day),
        }
        return Sketch(facts, shown, conditions, (owner, what), value)

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Of `windows`: `{windows}`, `{from_windows}`, `{between_windows}`, each also with `_or`; of `duration`:
        `{duration}` ("half an hour")."""
        return {"duration": language.speak_duration(value)} if kind == "duration" else w.window_words(value, facts)

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Slots, public: Public) -> str:
        """`Priya from 9:00 to 9:30 and Tom from 9:45 to 10:15`, the earlier slot first."""
        slots = sorted(terms.slots.items(), key=lambda item: item[1].start)
        return " and ".join(f"{name} from {w.say_span(s.start, s.end, public.facts)}" for name, s in slots)

    @unguessed()
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Two stretches that are given to the two people one after the other are a plan; other stretches tell when
        somebody is free or busy; a length of time that somebody needs is a duration."""
        facts, plans = ears.slots_said(text, public, speaker)
        return Heard(facts, tuple(evolve(plan, terms=_plan(plan.terms, public)) for plan in plans))

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """Why a stated fact is untrue by the card: time that it does not give, or another duration."""
        for condition in card.conditions:
            if condition.kind == fact.kind == "windows":
                return w.untrue_windows(fact.value, condition.value)
            if condition.kind == fact.kind == "duration" and fact.value not in (None, condition.value):
                return f"said {fact.value} minutes, but the card says {condition.value}"
        return None


def _slots(windows: Iterable[w.Minutes], durations: Iterable[int], facts: Mapping[str, Any]) -> Iterable[w.Minutes]:
    day = w.day_of(facts)
    return sorted((s, s + d) for d in durations for s in w.starts(windows, d, facts["grid"], day))


def _plan(pair: Sequence[w.Minutes], public: Public) -> Slots:
    return Slots(
        {
            name: Slot(Time(w.clock(start)), Time(w.clock(end)))
            for name, (start, end) in zip(public.names, pair, strict=True)
        }
    )


def _either(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


# ------------------------------------------------------------------------------------------------------------- drawing

Needs = tuple[list[w.Minutes], int]  # windows and duration of one role


@frozen
class _Crowd:
    """Draws two roles' needs so that few plans fit, and what changes for the first of them in the other world."""

    rng: Random
    facts: Mapping[str, Any]
    declines: bool
    day: w.Minutes

    def by_windows(self) -> tuple[Needs, Needs, tuple[str, Any]] | None:
        """The first role's windows change in one window."""
        theirs = self._needs()
        length = self.rng.choice(self.facts["durations"])
        shared = w.draw_windows(self.rng, self.rng.choice((0, 1)), self._lengths(length), self.facts["grid"], self.day)
        if theirs is None or shared is None:
            return None
        seen: list[tuple[list[w.Minutes], frozenset[Any]]] = []
        for _ in range(CANDIDATES):
            moved = self._near(theirs[0], length)
            if moved is None or not w.clear(shared, *moved, self.facts["grid"]):
                continue
            windows = sorted([*shared, moved])
            common = self._common((windows, length), theirs)
            for earlier, plans in seen:
                if self._is_pair(plans, common):
                    return (earlier, length), theirs, ("windows", w.value_of(windows))
            seen.append((windows, common))
        return None

    def by_duration(self) -> tuple[Needs, Needs, tuple[str, Any]] | None:
        """The first role's duration changes."""
        one, two = self.rng.sample(list(self.facts["durations"]), 2)
        for _ in range(CANDIDATES // 2):
            theirs = self._needs()
            windows = w.draw_windows(
                self.rng, self.rng.choice((1, 2)), self._lengths(max(one, two)), self.facts["grid"], self.day
            )
            if theirs is None or windows is None:
                continue
            near = self._near(theirs[0], max(one, two))
            if near is not None and w.clear(windows[1:], *near, self.facts["grid"]):
                windows = sorted([*windows[1:], near])
            if self._is_pair(self._common((windows, one), theirs), self._common((windows, two), theirs)):
                return (windows, one), theirs, ("duration", two)
        return None

    def _lengths(self, duration: int) -> range:
        grid = self.facts["grid"]
        return range(duration, duration + 3 * grid + 1, grid)

    def _needs(self) -> Needs | None:
        duration = self.rng.choice(self.facts["durations"])
        count = self.rng.choice((1, 2, 2))
        windows = w.draw_windows(self.rng, count, self._lengths(duration), self.facts["grid"], self.day)
        return None if windows is None else (windows, duration)

    def _near(self, windows: Sequence[w.Minutes], duration: int) -> w.Minutes | None:
        """A window that begins close to one of these, or (one time in three) anywhere."""
        grid, (low, high) = self.facts["grid"], self.day
        length = self.rng.choice(self._lengths(duration))
        if self.rng.random() < 0.33:
            drawn = w.draw_windows(self.rng, 1, [length], grid, self.day)
            return drawn[0] if drawn else None
        start = self.rng.choice(windows)[0] + grid * self.rng.randint(-4, 4)
        return (start, start + length) if low <= start and start + length <= high else None

    def _common(self, mine: Needs, theirs: Needs) -> frozenset[tuple[int, int, int]]:
        """The plans that fit: my start and end, and their start."""
        grid, gap = self.facts["grid"], self.facts["gap"]
        a, b = (w.starts(windows, duration, grid, self.day) for windows, duration in (mine, theirs))
        before, after = mine[1] + gap, theirs[1] + gap
        return frozenset((s, s + mine[1], t) for s in a for t in b if s + before <= t or t + after <= s)

    def _is_pair(self, one: frozenset[Any], two: frozenset[Any]) -> bool:
        if self.declines:
            return bool(one) != bool(two) and max(len(one), len(two)) <= MOST_PLANS
        return 0 < len(one) <= MOST_PLANS and 0 < len(two) <= MOST_PLANS and not (one & two)


# --------------------------------------------------------------------------------------------------------------- rules


@define
class SlotRules:
    """Both roles have a slot, on the grid, inside the opening hours and one of their windows, as long as they need;
    the slots do not overlap and keep the gap."""

    name: ClassVar[str] = "shared_resource_scheduling"
    families: ClassVar[tuple[str, ...]] = ("shared_resource_scheduling",)

    def check(self, world: World, terms: Slots) -> Iterable[Violation]:
        """Every violation of a pair of slots."""
        spans: list[w.Minutes] = []
        for seat in SEATS:
            name = world.public.name(seat)
            slot = terms.slots.get(name)
            if slot is None:
                yield Violation("both", f"{name} has no slot", seat, None, name)
                continue
            start, end = w.minutes(slot.start), w.minutes(slot.end)
            if start is None or end is None:
                yield Violation("grid", f"{slot.start} to {slot.end} are not two times", seat, slot.start, "HH:MM")
                continue
            spans.append((start, end))
            yield from _alone(world, seat, slot, (start, end))
        for name in terms.slots:
            if name not in world.public.names:
                yield Violation("both", f"{name} is neither of the two", None, name, list(world.public.names))
        if len(spans) == len(SEATS):
            yield from _together(spans, world.public.facts["gap"])


def _alone(world: World, seat: Seat, slot: Slot, span: w.Minutes) -> Iterable[Violation]:
    """What is wrong with one role's slot by itself."""
    facts, name, (start, end) = world.public.facts, world.public.name(seat), span
    for time, minute in zip((slot.start, slot.end), span, strict=True):
        if minute % facts["grid"]:
            message = f"{name}: {time} is not on the {facts['grid']}-minute grid"
            yield Violation("grid", message, seat, time, facts["grid"])
    said = f"{slot.start} to {slot.end}"
    low, high = w.day_of(facts)
    if start < low or end > high:
        message = f"{name}: {said} is outside the opening hours, {' to '.join(facts['day'])}"
        yield Violation("open", message, seat, said, list(facts["day"]))
    duration, windows = world.of(seat, "duration"), world.of(seat, "windows")
    if end <= start or (duration is not None and end - start != duration):
        message = f"{said} lasts {end - start} minutes; {name} needs {'more than 0' if duration is None else duration}"
        yield Violation("duration", message, seat, end - start, duration)
    if not w.inside(w.spans_of(windows), start, end):
        yield Violation("window", f"{said} is not inside any window of {name}", seat, said, windows)


def _together(spans: Sequence[w.Minutes], gap: int) -> Iterable[Violation]:
    """What is wrong between the two slots."""
    (_, before), (after, _) = sorted(spans)
    between = after - before
    if between < 0:
        yield Violation("overlap", f"the slots overlap by {-between} minutes", None, -between, 0)
    elif between < gap:
        yield Violation("gap", f"{between} minutes lie between the slots, not {gap}", None, between, gap)


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """Shared resource scheduling."""
    register(SharedResourceScheduling)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(SlotRules)
