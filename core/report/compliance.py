"""Whether barrier agents talked as they were told, and whether their partners recognised the barrier.

Read from what each episode keeps beside its turns: the quotas and observed values of the barrier agent's talk, and the
off-record guesses of the other speaker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.analysis.bootstrap import Estimate, clustered_mean

Row = Mapping[str, Any]


@frozen
class QuotaRow:
    """One quota of one condition: its bounds per turn, the mean observed (per episode, then over episodes), and the
    share of episodes outside the bounds."""

    condition: str
    quota: str
    low: float
    high: float
    observed: Estimate
    missed: Estimate


@frozen(unsafe_hash=False)
class Compliance:
    """Every quota, per condition the share of conversations whose barrier agent complied, and per condition and repair
    move how many of the listener's turns made it, a conversation."""

    quotas: Sequence[QuotaRow]
    complied: Mapping[str, Estimate]
    moves: Mapping[str, Mapping[str, Estimate]]


@frozen
class Guessed:
    """How often the other speaker named the right barrier after its `nth` own turn (from 1), of those that answered
    (the rest is `unscored`), and how often who guesses blindly would."""

    condition: str
    nth: int
    accuracy: Estimate
    chance: float | None = None


def compliance(extras: Iterable[Row]) -> Compliance | None:
    """The compliance of a run's barrier agents; None where no episode has barrier facts."""
    by_condition: dict[str, list[Row]] = {}
    for row in extras:
        if row.get("barrier_facts") and "error" not in row["barrier_facts"]:
            by_condition.setdefault(row["barrier"], []).append(row)
    if not by_condition:
        return None
    quotas = [quota for condition, rows in sorted(by_condition.items()) for quota in _quotas(condition, rows)]
    complied = {
        condition: clustered_mean([r["barrier_facts"]["complied"] for r in rows], [r["scenario"] for r in rows])
        for condition, rows in sorted(by_condition.items())
    }
    return Compliance(quotas, complied, {condition: _moves(rows) for condition, rows in sorted(by_condition.items())})


def _moves(rows: Sequence[Row]) -> dict[str, Estimate]:
    clusters = [row["scenario"] for row in rows]
    names = rows[0]["barrier_facts"].get("moves", {})
    return {name: clustered_mean([r["barrier_facts"]["moves"][name] for r in rows], clusters) for name in names}


def _quotas(condition: str, rows: Sequence[Row]) -> Iterable[QuotaRow]:
    bounds: Mapping[str, Sequence[float]] = rows[0]["barrier_facts"]["quotas"]
    clusters = [row["scenario"] for row in rows]
    for name, (low, high) in bounds.items():
        observed = [row["barrier_facts"]["observed"].get(name) for row in rows]
        missed = [name in row["barrier_facts"]["missed"] for row in rows]
        yield QuotaRow(condition, name, low, high, clustered_mean(observed, clusters), clustered_mean(missed, clusters))


def detection(extras: Iterable[Row]) -> list[Guessed]:
    """The accuracy of the guesses by condition and turn; empty where nobody was asked. A condition of several barriers
    is guessed right when one of them is named."""
    hits: dict[tuple[str, int], list[tuple[bool | None, str]]] = {}
    chances: dict[tuple[str, int], float] = {}
    for row in extras:
        parts = (row.get("barrier_facts") or {}).get("parts", {})
        right = set(parts) or {"none"}
        for nth, guess in enumerate(row.get("detection") or (), 1):
            said, among, place = guess.get("said"), guess.get("among"), (row["barrier"], nth)
            hits.setdefault(place, []).append((None if said is None else said in right, row["scenario"]))
            if among:
                chances[place] = len(right) / among
    return [
        Guessed(*place, clustered_mean([h for h, _ in pairs], [c for _, c in pairs]), chances.get(place))
        for place, pairs in sorted(hits.items())
    ]
