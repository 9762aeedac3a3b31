"""One world of a pair as its column shows it: role cards, records, verdicts, ratings, what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from attrs import field, frozen

from adidem.core.domain import SEATS, Condition, Episode, Scenario, Seat, Usage, WorldName, Written
from adidem.core.outcomes import Outcomes, outcomes_of
from adidem.core.rules import Rules
from adidem.core.web.checks import Verdict, verdict
from adidem.core.web.differing import differing
from adidem.core.web.disclosure import Disclosure, disclosure
from adidem.core.web.evidence import Evidence, evidence
from adidem.core.web.marks import Told, told
from adidem.core.web.plain import lines, plain
from adidem.core.web.probes import ProbeAt, probes

MOST_RAW = 4_000


@frozen(unsafe_hash=False)
class Card:
    """What one person alone knows in a world; a condition with True is the one that differs between the worlds."""

    seat: Seat
    name: str
    about: str
    conditions: tuple[tuple[Told, bool], ...]


@frozen(unsafe_hash=False)
class Recorded:
    """One record: whose, the outcome, its terms line by line, why it cannot be read, and what was written."""

    name: str
    outcome: str
    terms: tuple[tuple[str, str], ...]
    unreadable: Told | None
    raw: Told
    attempts: int


@frozen(unsafe_hash=False)
class Rated:
    """One rating: by whom, of what, of whom, the score or why there is none, and the reason given."""

    judge: str
    spec: str
    dimension: str
    who: str
    score: float | None
    unscored: Told | None
    reason: Told


@frozen(unsafe_hash=False)
class Barrier:
    """The barrier of an episode: who speaks through it, severity, whether its speaker complied (None: not known), each
    quota with its bounds and what was observed, and the listener's repair moves."""

    name: str
    on: str
    severity: float
    complied: bool | None
    problem: str
    quotas: tuple[tuple[str, str, str, bool], ...]
    moves: tuple[tuple[str, int], ...]


@frozen(unsafe_hash=False)
class Side:
    """All that a column shows of a world. `episode` is None where the run has not played it."""

    world: WorldName
    here: bool
    cards: tuple[Card, ...]
    episode: Episode | None = None
    outcomes: Outcomes = Outcomes()
    evidence: Evidence = Evidence()
    disclosure: Disclosure = Disclosure()
    verdict: Verdict = Verdict()
    records: tuple[Recorded, ...] = ()
    ratings: tuple[Rated, ...] = ()
    notes: tuple[tuple[str, Told], ...] = ()
    barrier: Barrier | None = None
    probes: tuple[ProbeAt, ...] = ()
    guesses: Mapping[int, str] = field(factory=dict)
    names: Mapping[Seat, str] = field(factory=dict)

    @property
    def used(self) -> Usage:
        """What everybody used of models."""
        return sum(self.episode.usage.values(), Usage()) if self.episode is not None else Usage()

    @property
    def judged_only(self) -> bool:
        """Whether the episode was scored without any record: its family keeps none, and there is nothing to verify."""
        episode = self.episode
        return (
            episode is not None
            and episode.status == "scored"
            and not episode.records
            and self.outcomes.feasibility is None
        )


def side(scenario: Scenario, world: WorldName, episode: Episode | None, rules: Rules | None, *, here: bool) -> Side:
    """A world of a scenario with the episode that was played in it, if any."""
    names = {seat: scenario.public.name(seat) for seat in SEATS}
    cards = tuple(_card(scenario, world, seat) for seat in SEATS)
    if episode is None:
        return Side(world, here, cards, names=names)
    return Side(
        world,
        here,
        cards,
        episode,
        outcomes_of(episode),
        evidence(episode, scenario.public),
        disclosure(scenario, episode, rules),
        verdict(scenario, episode, rules),
        tuple(_recorded(names[seat], episode.records[seat]) for seat in SEATS if seat in episode.records),
        tuple(_ratings(episode, names)),
        tuple((j.judge, told(plain(j.notes), most=MOST_RAW)) for j in episode.judgements if j.notes),
        _barrier(episode, names),
        probes(episode),
        _guesses(episode),
        names,
    )


def _card(scenario: Scenario, world: WorldName, seat: Seat) -> Card:
    role = scenario.public.roles[SEATS.index(seat)]
    if world == "a":
        twins = {(one.owner, one.kind): two for one, two in scenario.differing}
    else:
        twins = {(two.owner, two.kind): one for one, two in scenario.differing}
    own = scenario.world(world).card(seat).conditions
    return Card(seat, role.name, role.about, tuple(_condition(c, twins.get((c.owner, c.kind))) for c in own))


def _condition(condition: Condition, twin: Condition | None) -> tuple[Told, bool]:
    """A condition, with the words in which it differs from its twin in the other world."""
    text = _sentence(condition)
    return told(text, () if twin is None else differing(text, _sentence(twin))), twin is not None


def _sentence(condition: Condition) -> str:
    return condition.text.strip() or f"{condition.kind}: {plain(condition.value)}"


def _recorded(name: str, written: Written) -> Recorded:
    raw = (
        written.raw if isinstance(written.raw, str) else orjson.dumps(written.raw, option=orjson.OPT_INDENT_2).decode()
    )
    unreadable = None if written.unreadable is None else told(written.unreadable)
    terms = tuple(lines(written.terms))
    return Recorded(name, written.outcome or "", terms, unreadable, told(raw, most=MOST_RAW), written.attempts)


def _ratings(episode: Episode, names: Mapping[Seat, str]) -> list[Rated]:
    return [
        Rated(
            judgement.judge,
            judgement.spec or "",
            rating.dimension,
            "" if rating.seat is None else names[rating.seat],
            rating.score,
            None if rating.unscored is None else told(rating.unscored),
            told(rating.reason),
        )
        for judgement in episode.judgements
        for rating in judgement.ratings
    ]


def _barrier(episode: Episode, names: Mapping[Seat, str]) -> Barrier | None:
    facts: Any = episode.extra.get("barrier")
    if not isinstance(facts, Mapping):
        return None
    seat: Any = facts.get("seat")
    observed, missed = facts.get("observed") or {}, facts.get("missed") or ()
    quotas = tuple(
        (str(name), f"{bounds[0]:g} to {bounds[1]:g}", _figure(observed.get(name)), name in missed)
        for name, bounds in (facts.get("quotas") or {}).items()
    )
    return Barrier(
        episode.barrier,
        names.get(seat, ""),
        float(facts.get("severity", 0.0)),
        facts.get("complied"),
        str(facts.get("error", "")),
        quotas,
        tuple((str(name), int(count)) for name, count in (facts.get("moves") or {}).items()),
    )


def _figure(value: Any) -> str:
    return "–" if value is None else f"{value:.2f}"


def _guesses(episode: Episode) -> dict[int, str]:
    """What the listener believed to be at work after its turns."""
    said = episode.extra.get("detection")
    return {
        entry["turn"]: "no answer" if entry.get("said") is None else str(entry["said"])
        for entry in (said if isinstance(said, list | tuple) else ())
        if isinstance(entry, Mapping) and isinstance(entry.get("turn"), int)
    }


def barrier_seat(episode: Episode) -> Seat | None:
    """The seat that speaks through the barrier: as stored, or, where the episode failed before, nobody's."""
    facts: Any = episode.extra.get("barrier")
    seat = facts.get("seat") if isinstance(facts, Mapping) else None
    return seat if seat in SEATS else None
