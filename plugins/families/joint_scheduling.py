"""Joint scheduling: when the two meet, for a set length of time, inside what each of them has free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, frozen

from adidem.core import language
from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Fact, Heard, Public, RoleCard, Seat, Time, Violation, World, other
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem.plugins.families import _windows as w
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.hearing import meetings
else:
    meetings = LazyModule("adidem.plugins.families.hearing.meetings")

MOST_PLANS = 4
OWN_PLANS = 3  # each card alone admits at least this many times the plans that are right
CANDIDATES = 60


@frozen
class Meeting:
    """An agreed meeting: when it starts and when it ends, `HH:MM`, the end exclusive."""

    start: Time
    end: Time


@define
class JointScheduling(PairedFamily):
    """Public: a day, a duration and a grid, all in minutes. Private: each role's free windows, one condition of kind
    `windows`: a list of `["HH:MM", "HH:MM"]`, ends exclusive."""

    name: ClassVar[str] = "joint_scheduling"
    terms: ClassVar[type] = Meeting
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")
    kinds: ClassVar[Sequence[str]] = ("agree/agree", "agree/decline")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (MeetingRules(),)

    def plans(self, world: World) -> Iterable[Meeting]:
        """Every start on the grid whose end is still inside the day."""
        facts = world.public.facts
        day = w.day_of(facts)
        return (_meeting(s, s + facts["duration"]) for s in w.starts([day], facts["duration"], facts["grid"], day))

    def passing(self, world: World) -> Iterable[Meeting]:
        """The starts inside a window of each role."""
        facts = world.public.facts
        day, length, grid = w.day_of(facts), facts["duration"], facts["grid"]
        windows = [w.spans_of(world.of(seat, "windows")) for seat in SEATS]
        if length % grid:
            return ()
        return (
            _meeting(s, s + length)
            for s in w.starts([day], length, grid, day)
            if all(w.inside(spans, s, s + length) for spans in windows)
        )

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """A meeting has no texts to choose from."""
        return {}

    # ------------------------------------------------------------------------------------------------ scenarios

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """The partner's windows stay; the owner's share decoys, and one window moves: to another of the partner's, or
        to where the two never meet for long enough."""
        params = setting.params
        facts = {key: params[key] for key in ("day", "grid")}
        facts |= {"duration": rng.choice(params["duration"]), "clock": params.get("clock", "12h")}
        day, grid, length = w.day_of(facts), facts["grid"], facts["duration"]
        lengths = range(length, length + 5 * grid + 1, grid)
        theirs = w.draw_windows(rng, rng.choice((2, 2, 3)), lengths, grid, day)
        if theirs is None:
            return None
        wanted = set(w.starts(theirs, length, grid, day))
        if len(wanted) < OWN_PLANS:
            return None
        pair = _two_sets(rng, wanted, lengths, (day, grid, length), declines=kind != "agree/agree")
        if pair is None:
            return None
        windows = {owner: pair[0], other(owner): theirs}
        shown = {
            "grid": grid,
            "day_start": w.say_time(facts["day"][0], {**facts, "day": ["00:00", "24:00"]}),
            "day_end": w.say_time(facts["day"][1], {**facts, "day": ["00:00", "24:00"]}),
            "duration": language.speak_duration(length),
        }
        conditions: dict[tuple[Seat, str], Any] = {(seat, "windows"): w.value_of(windows[seat]) for seat in SEATS}
        return Sketch(facts, shown, conditions, (owner, "windows"), w.value_of(pair[1]))

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """`{windows}`, `{from_windows}`, `{between_windows}`, each also with `_or`; see `window_words`."""
        return w.window_words(value, facts)

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Meeting, public: Public) -> str:
        """`10:30 to 11:10`."""
        return w.say_span(terms.start, terms.end, public.facts)

    @unguessed()
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Proposed stretches of the duration and proposed starts are plans; other stretches tell when somebody is
        free or busy."""
        facts, plans = meetings.meetings_said(text, public, speaker)
        return Heard(facts, tuple(evolve(plan, terms=_meeting(*plan.terms)) for plan in plans))

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """Why stated windows are untrue by the card: they claim time that it does not give."""
        for condition in card.conditions:
            if condition.kind == fact.kind == "windows":
                return w.untrue_windows(fact.value, condition.value)
        return None


def _meeting(start: int, end: int) -> Meeting:
    return Meeting(Time(w.clock(start)), Time(w.clock(end)))


def _two_sets(
    rng: Random, wanted: set[int], lengths: Sequence[int], public: tuple[w.Minutes, int, int], *, declines: bool
) -> tuple[list[w.Minutes], list[w.Minutes]] | None:
    """Two lists of windows that differ in one window: with few and disjoint common starts, or none in the second."""
    day, grid, length = public
    shared = w.draw_windows(rng, rng.choice((0, 1, 1, 2)), lengths, grid, day)
    if shared is None or wanted.intersection(w.starts(shared, length, grid, day)):
        return None
    meets: list[tuple[list[w.Minutes], set[int]]] = []
    misses: list[list[w.Minutes]] = []
    for _ in range(CANDIDATES):
        (moved,) = w.draw_windows(rng, 1, lengths, grid, day) or [day]
        if not w.clear(shared, *moved, grid):
            continue
        windows = sorted([*shared, moved])
        own = w.starts(windows, length, grid, day)
        common = wanted.intersection(own)
        if len(common) * OWN_PLANS > min(len(own), len(wanted)):
            continue
        if not common:
            misses.append(windows)
        elif len(common) <= MOST_PLANS:
            for earlier, found in meets if not declines else ():
                if not found & common:
                    return earlier, windows
            meets.append((windows, common))
        if declines and meets and misses:
            return meets[0][0], misses[0]
    return None


@define
class MeetingRules:
    """Both times on the grid, inside the day, the duration kept, inside a window of each role."""

    name: ClassVar[str] = "joint_scheduling"
    families: ClassVar[tuple[str, ...]] = ("joint_scheduling",)

    def check(self, world: World, terms: Meeting) -> Iterable[Violation]:
        """Every violation of a meeting."""
        facts = world.public.facts
        start, end = w.minutes(terms.start), w.minutes(terms.end)
        if start is None or end is None:
            yield Violation("grid", f"{terms.start} to {terms.end} are not two times", None, [terms.start, terms.end])
            return
        for time, minute in ((terms.start, start), (terms.end, end)):
            if minute % facts["grid"]:
                yield Violation("grid", f"{time} is not on the {facts['grid']}-minute grid", None, time, facts["grid"])
        said = f"{terms.start} to {terms.end}"
        low, high = w.day_of(facts)
        if start < low or end > high:
            yield Violation("day", f"{said} is outside {' to '.join(facts['day'])}", None, said, list(facts["day"]))
        if end - start != facts["duration"]:
            message = f"{said} lasts {end - start} minutes, not {facts['duration']}"
            yield Violation("duration", message, None, end - start, facts["duration"])
        for seat in SEATS:
            windows = world.of(seat, "windows")
            if not w.inside(w.spans_of(windows), start, end):
                message = f"{said} is not inside any window of {world.public.name(seat)}"
                yield Violation("window", message, seat, said, windows)


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """Joint scheduling."""
    register(JointScheduling)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(MeetingRules)
