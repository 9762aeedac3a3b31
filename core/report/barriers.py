"""What barriers do: every measure under each barrier condition against `none`, paired on the same tasks.

The two numbers of a pair come from the same task and repeat, once under the condition and once without; intervals are
bootstrapped over scenarios, both numbers of a pair drawn together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from adidem.core.analysis.bootstrap import Estimate, clustered_interval, clustered_mean
from adidem.core.outcomes import judge_of, leading
from adidem.core.report.grouping import HEADLINES

if TYPE_CHECKING:
    from adidem.core.analysis.numbers import Numbers

NONE = "none"
FINGERPRINT = ("goal", "relationship", "knowledge", "believability", "mutual_understanding", "unresolved_confusion")
"""The measures of SocialVeil's fingerprint, by the name of their dimension."""

Row = Mapping[str, Any]


@frozen
class Effect:
    """One measure under one condition against none. `difference` is the mean of the paired differences, `relative` the
    change of the mean as a share of the mean without barrier (None where that is not above 0)."""

    condition: str
    measure: str
    without: float
    under: float
    difference: Estimate
    relative: Estimate | None


@frozen(unsafe_hash=False)
class BarrierReport:
    """Every effect; per condition the measure of the fingerprint that falls most, relatively; and Verified Success by
    condition and family."""

    effects: Sequence[Effect] = ()
    fingerprint: Mapping[str, str | None] = {}
    by_family: Mapping[str, Mapping[str, Effect]] = {}


def barrier_report(
    rows: Sequence[Row], ratings: Iterable[Row], specs: Mapping[str, str | None] | None = None
) -> BarrierReport | None:
    """The report of a run's scored rows and ratings, each in the order of their tasks; None where it has no barrier
    condition. Ratings are taken one by one: what is kept is sums by scenario. `specs` says what each judge asks."""
    conditions = sorted({row["barrier"] for row in rows} - {NONE})
    if not conditions or not any(row["barrier"] == NONE for row in rows):
        return None
    measured = _Sums()
    measured.add(_headlines(rows))
    measured.add(_rated(ratings))
    families = _Sums()
    families.add((row, row["family"], row["verified_success"]) for row in rows)
    effects = [effect for condition in conditions for effect in measured.effects(condition)]
    return BarrierReport(
        effects,
        {condition: _hit_most(effects, condition, specs or {}) for condition in conditions},
        {
            condition: {e.measure: evolve(e, measure="verified_success") for e in _by_name(families, condition)}
            for condition in conditions
        },
    )


def _by_name(sums: _Sums, condition: str) -> list[Effect]:
    """The effects of one condition in the order of their names."""
    return sorted(sums.effects(condition), key=lambda effect: effect.measure)


def _headlines(rows: Iterable[Row]) -> Iterator[tuple[Row, str, Any]]:
    for row in rows:
        for name in HEADLINES:
            yield row, name, row[name]


def _rated(ratings: Iterable[Row]) -> Iterator[tuple[Row, str, Any]]:
    for row in ratings:
        if row["dimension"] != "integrity":
            yield (
                row,
                f"{row['judge']}.{row['dimension']}" + (".partner" if row["who"] == "partner" else ""),
                row["score"],
            )


class _Sums:
    """The pairs of every condition and measure, summed up by scenario as they come: how many, under it, without it."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], dict[str, list[float]]] = {}

    def add(self, values: Iterable[tuple[Row, str, Any]]) -> None:
        """Take (row, measure, value) in the order of tasks; None is unscored, and so is its pair."""
        for task, group in groupby(values, key=lambda value: value[0]["task"]):
            scenario = task.rsplit("/", 2)[0]
            found: dict[tuple[str, int], dict[str, float]] = {}
            for row, measure, value in group:
                if value is not None:
                    found.setdefault((measure, row["repeat"]), {})[row["barrier"]] = float(value)
            for (measure, _), by_condition in found.items():
                self._pair(scenario, measure, by_condition)

    def _pair(self, scenario: str, measure: str, by_condition: Mapping[str, float]) -> None:
        without = by_condition.get(NONE)
        if without is None:
            return
        for condition, value in by_condition.items():
            if condition != NONE:
                sums = self._sums.setdefault((condition, measure), {}).setdefault(scenario, [0.0, 0.0, 0.0])
                sums[0] += 1
                sums[1] += value
                sums[2] += without

    def effects(self, condition: str) -> Iterator[Effect]:
        """The effects under one condition, in the order in which their measures came."""
        for (name, measure), by_scenario in self._sums.items():
            if name == condition:
                yield _effect(condition, measure, by_scenario)


def _effect(condition: str, measure: str, by_scenario: Mapping[str, Sequence[float]]) -> Effect:
    clusters = list(by_scenario)
    counts = [int(sums[0]) for sums in by_scenario.values()]
    n = sum(counts)
    after, before = (fsum(sums[place] for sums in by_scenario.values()) / n for place in (1, 2))
    relative = None
    if before > 0:
        low, high = clustered_interval([sums[1:] for sums in by_scenario.values()], clusters, _relative) or (None, None)
        relative = Estimate((after - before) / before, low, high, n)
    apart = [(sums[1] - sums[2]) / sums[0] for sums in by_scenario.values()]
    return Effect(condition, measure, before, after, clustered_mean(apart, clusters, counts=counts), relative)


def _relative(sums: Numbers) -> Numbers:
    return (sums[:, 0] - sums[:, 1]) / sums[:, 1]


def _hit_most(effects: Iterable[Effect], condition: str, specs: Mapping[str, str | None]) -> str | None:
    """The measure of the fingerprint that falls most, None where none falls."""
    ours = [
        e for e in effects if e.condition == condition and e.relative is not None and in_fingerprint(e.measure, specs)
    ]
    falls = [(e.relative.value, e.measure) for e in ours if e.relative is not None and e.relative.value is not None]
    worst = min(falls, default=(0.0, None))
    return worst[1] if worst[0] < 0 else None


def in_fingerprint(measure: str, specs: Mapping[str, str | None]) -> bool:
    """Whether a measure counts for the fingerprint: one of its dimensions, by the judge's label that goes before others
    of the same judge (a model's before that of `scripted:judge`)."""
    label, _, dimension = measure.removesuffix(".partner").rpartition(".")
    if dimension not in FINGERPRINT:
        return False
    return label not in specs or leading(specs, (judge_of(label),)) == label
