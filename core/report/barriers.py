"""What barriers do: every measure under each barrier condition against `none`, paired on the same tasks.

The two numbers of a pair come from the same task and repeat, once under the condition and once without; intervals are
bootstrapped over scenarios, both numbers of a pair drawn together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from adidem.core.analysis.bootstrap import Estimate, clustered_interval, clustered_mean

if TYPE_CHECKING:
    from adidem.core.analysis.bootstrap import Numbers

NONE = "none"
HEADLINES = ("feasibility", "integrity", "verified_success")
FINGERPRINT = ("goal", "relationship", "knowledge", "believability", "mutual_understanding", "unresolved_confusion")
"""The measures of SocialVeil's fingerprint, by the name of their dimension."""

Row = Mapping[str, Any]
Values = dict[tuple[str, int], float]


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


def barrier_report(rows: Sequence[Row], ratings: Sequence[Row]) -> BarrierReport | None:
    """The report of a run's scored rows and ratings; None where it has no barrier condition."""
    conditions = sorted({row["barrier"] for row in rows} - {NONE})
    if not conditions or not any(row["barrier"] == NONE for row in rows):
        return None
    measures = {**_headlines(rows), **_ratings(ratings)}
    effects = [
        effect
        for condition in conditions
        for name, by_condition in measures.items()
        if (effect := _effect(condition, name, by_condition)) is not None
    ]
    families = sorted({row["family"] for row in rows})
    return BarrierReport(
        effects,
        {condition: _hit_most(effects, condition) for condition in conditions},
        {condition: _families(rows, condition, families) for condition in conditions},
    )


def _headlines(rows: Iterable[Row]) -> dict[str, dict[str, Values]]:
    found: dict[str, dict[str, Values]] = {}
    for row in rows:
        for name in HEADLINES:
            if row[name] is not None:
                found.setdefault(name, {}).setdefault(row["barrier"], {})[row["task"], row["repeat"]] = float(row[name])
    return found


def _ratings(ratings: Iterable[Row]) -> dict[str, dict[str, Values]]:
    found: dict[str, dict[str, Values]] = {}
    for r in ratings:
        if r["score"] is None or r["dimension"] == "integrity":
            continue
        name = f"{r['judge']}.{r['dimension']}" + (".partner" if r["who"] == "partner" else "")
        found.setdefault(name, {}).setdefault(r["barrier"], {})[r["task"], r["repeat"]] = r["score"]
    return found


def _effect(condition: str, measure: str, by_condition: Mapping[str, Values]) -> Effect | None:
    without, under = by_condition.get(NONE, {}), by_condition.get(condition, {})
    keys = sorted(without.keys() & under.keys())
    if not keys:
        return None
    clusters = [task.rsplit("/", 2)[0] for task, _ in keys]
    pairs = [(under[key], without[key]) for key in keys]
    after, before = (sum(column) / len(keys) for column in zip(*pairs, strict=True))
    relative = None
    if before > 0:
        low, high = clustered_interval(pairs, clusters, _relative) or (None, None)
        relative = Estimate((after - before) / before, low, high, len(keys))
    difference = clustered_mean([a - b for a, b in pairs], clusters)
    return Effect(condition, measure, before, after, difference, relative)


def _relative(sums: Numbers) -> Numbers:
    return (sums[:, 0] - sums[:, 1]) / sums[:, 1]


def _hit_most(effects: Iterable[Effect], condition: str) -> str | None:
    ours = [
        effect
        for effect in effects
        if effect.condition == condition
        and effect.relative is not None
        and effect.measure.removesuffix(".partner").rpartition(".")[2] in FINGERPRINT
    ]
    falls = [(e.relative.value, e.measure) for e in ours if e.relative is not None and e.relative.value is not None]
    return min(falls)[1] if falls else None


def _families(rows: Sequence[Row], condition: str, families: Sequence[str]) -> dict[str, Effect]:
    found = {}
    for family in families:
        values = _headlines(row for row in rows if row["family"] == family).get("verified_success", {})
        effect = _effect(condition, "verified_success", values)
        if effect is not None:
            found[family] = effect
    return found
