"""A barrier in play: a scripted speaker's words distorted, repair by asking, and whether the speaker complied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from statistics import fmean
from typing import Any

from attrs import evolve, frozen

from adidem.core.containment import called, contained, text_of
from adidem.core.contracts import Barrier
from adidem.core.domain import Seat, Turn
from adidem.core.domain.speech import combined
from adidem.core.errors import ConfigError
from adidem.core.language import Act, find_acts
from adidem.core.language.moves import MOVES, find_moves
from adidem.core.play.converse import Filter

Parts = Sequence[tuple[Barrier, float]]
"""Barriers with their severities, laid one over the other in that order."""

MARGIN = 0.25
"""How far outside a quota an observed mean may lie, as a share of the larger of its two bounds' sizes."""

LEAST_MARGIN = 0.1
"""What a quota is always given, in the measure's own unit."""

LARGEST = 1e300
"""What a measure stays below."""

ENOUGH = 0.75
"""The share of quotas that must be met."""


def effective(severity: float, asked: int) -> float:
    """The severity at which the next turn is spoken after the partner asked `asked` times: severity^(1 + asked).

    Never above the severity, it grows with it and falls with each request, and the share that a request takes away,
    1 - severity, is smaller the higher the severity is: .9 becomes .81, .5 becomes .25, and 1 and 0 stay what they are.
    That asking brings most repairs about is from Dingemanse et al. (2015), PLoS ONE 10(9); the formula is ours.
    Raises ValueError where severity is outside [0, 1] or `asked` negative.
    """
    if not 0.0 <= severity <= 1.0 or asked < 0:
        raise ValueError(f"a severity from 0 to 1 and a count from 0 are wanted, not {severity!r} and {asked!r}")
    return float(severity ** (1 + asked))


def requests(history: Sequence[Turn], seat: Seat) -> int:
    """How often the other asked for something since the person in `seat` last spoke; 0 before that person has spoken,
    since what nobody has said yet needs no clarifying."""
    spoke = max((turn.index for turn in history if turn.seat == seat), default=None)
    if spoke is None:
        return 0
    return sum(Act.ASK in find_acts(turn.text) for turn in history if turn.index > spoke and turn.seat != seat)


def through(parts: Parts, seat: Seat, rng: Random, history: Sequence[Turn]) -> Filter:
    """What the turns of the person in `seat` pass through, each part at its effective severity after `history`, which
    grows while they talk. The other's turns are left alone; what was meant is kept."""

    def distorted(turn: Turn) -> Turn:
        if turn.seat != seat:
            return turn
        asked = requests(history, seat)
        text = turn.text
        for barrier, severity in parts:
            text = _distorted(barrier, text, effective(severity, asked), rng)
        return evolve(turn, text=text, meant=turn.text)

    return distorted


def _distorted(barrier: Barrier, text: str, severity: float, rng: Random) -> str:
    what = called("barrier", barrier)
    return contained(what, lambda: text_of("distort", barrier.distort(text, severity, rng)))


@frozen(unsafe_hash=False)
class Compliance:
    """How a speaker talked beside how a barrier wants it: the mean of each measure over the speaker's turns, the
    quotas, the names of those not met, and whether enough of them are."""

    observed: Mapping[str, float]
    quotas: Mapping[str, tuple[float, float]]
    missed: tuple[str, ...]
    complied: bool


def compliance(quotas: Mapping[str, tuple[float, float]], measured: Sequence[Mapping[str, float]]) -> Compliance:
    """Hold the measures of a speaker's utterances against quotas per turn.

    A quota (low, high) is met where the observed mean is within [low - m, high + m] with m = max(`LEAST_MARGIN`,
    `MARGIN` × the larger of |low| and |high|), and missed where its measure was not observed. The speaker complied
    where at least `ENOUGH` of the quotas are met: always without quotas, never with some and no utterance.
    """
    names = dict.fromkeys(name for values in measured for name in values)
    observed = {name: fmean(values[name] for values in measured if name in values) for name in names}
    missed = tuple(name for name, bounds in quotas.items() if not _met(observed.get(name), bounds))
    complied = len(quotas) - len(missed) >= ENOUGH * len(quotas)
    return Compliance(observed, dict(quotas), missed, complied)


def _met(observed: float | None, bounds: tuple[float, float]) -> bool:
    if observed is None:
        return False
    low, high = bounds
    margin = max(LEAST_MARGIN, MARGIN * max(abs(low), abs(high)))
    return low - margin <= observed <= high + margin


def barrier_facts(parts: Parts, seat: Seat, history: Sequence[Turn]) -> dict[str, Any]:
    """What an episode keeps of its barrier, as JSON: the greatest severity, that of each part, who speaks through it,
    `compliance` over the turns of that person in which something was said, and the other's repair moves. Where a
    barrier's own code fails at measuring, `error` says so in place of the compliance."""
    return {
        "severity": max(severity for _, severity in parts),
        "parts": {barrier.name: severity for barrier, severity in parts},
        "seat": seat,
        **_complied(parts, [turn.text for turn in history if turn.seat == seat and turn.text.strip()]),
        "moves": repair_moves(history, seat),
    }


def _complied(parts: Parts, said: Sequence[str]) -> dict[str, Any]:
    try:
        measured: list[dict[str, float]] = [{} for _ in said]
        for barrier, _ in parts:
            for values, text in zip(measured, said, strict=True):
                values.update(_measured(barrier, text))
        told = [
            contained(called("barrier", barrier), partial(barrier.directive, severity)) for barrier, severity in parts
        ]
        found = contained("the barriers' quotas", lambda: compliance(combined(told).quotas, measured))
        return {
            "observed": dict(found.observed),
            "quotas": {name: list(bounds) for name, bounds in found.quotas.items()},
            "missed": list(found.missed),
            "complied": found.complied,
        }
    except ConfigError as error:
        return {"error": str(error)}


def _measured(barrier: Barrier, text: str) -> dict[str, float]:
    def call() -> dict[str, float]:
        values: Any = barrier.measure(text)
        if not isinstance(values, Mapping):
            raise TypeError(f"measure gave {type(values).__name__}, not a mapping")
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
                raise ValueError(f"measure gave {name!r} a value that is no finite number")
        return {str(name): float(value) for name, value in values.items()}

    return contained(called("barrier", barrier), call)


def repair_moves(history: Sequence[Turn], seat: Seat) -> dict[str, int]:
    """In how many turns the listener of the person in `seat` made each repair move (`core/language/moves.py`)."""
    made = [find_moves(turn.text) for turn in history if turn.seat != seat]
    return {move: sum(move in moves for moves in made) for move in MOVES}
