"""The rows of a run's tables as text, the same for the terminal, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from attrs import evolve

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.report.barriers import BarrierReport
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.ratings import number
from adidem.core.report.summary import Summary
from adidem.core.report.wording import percent, short


def _sections(summary: Summary) -> Iterable[tuple[str, Mapping[str, Mapping[str, Estimate]]]]:
    paired = len(summary.by_world) > 1
    if paired or len(summary.by_family) > 1:
        yield "family", summary.by_family
    if paired:
        yield "world", summary.by_world
        yield "due:", summary.by_due


def rows_of(summary: Summary, shown: Callable[[Estimate], str] = percent) -> list[list[str]]:
    """The table of one run as text: a group, its episodes, the three headlines."""
    found = [["all", "" if summary.barriers is None else "without a barrier", *cells(summary.metrics, shown)]]
    for title, groups in _sections(summary):
        found += [[title, name, *cells(estimates, shown)] for name, estimates in groups.items()]
    return found


def cells(estimates: Mapping[str, Estimate], shown: Callable[[Estimate], str] = percent) -> list[str]:
    """A group's episodes and its three headlines."""
    first = estimates["feasibility"]
    return [str(first.n + first.unscored), *(shown(estimates[name]) for name in HEADLINES)]


def barrier_rows(report: BarrierReport) -> list[tuple[str, ...]]:
    """(condition, measure, mean without, mean under, paired difference, relative change) as text; Verified Success by
    family follows the measures of each condition."""
    rows: list[tuple[str, ...]] = []
    for condition in report.fingerprint:
        effects = [(e.measure, e) for e in report.effects if e.condition == condition]
        effects += [(f"verified, {family}", e) for family, e in report.by_family.get(condition, {}).items()]
        for name, effect in effects:
            relative = "" if effect.relative is None else f"{short(effect.relative)} %"
            means = f"{effect.without:.2f}", f"{effect.under:.2f}"
            rows.append((condition, name, *means, number(effect.difference), relative))
    return rows


def compliance_rows(summary: Summary) -> list[tuple[str, ...]]:
    """(condition, quota, bounds per turn, observed, share of episodes outside) as text."""
    if summary.compliance is None:
        return []
    return [
        (q.condition, q.quota, f"{q.low:g}–{q.high:g}", number(q.observed), f"{short(q.missed)} %")
        for q in summary.compliance.quotas
    ]


def recognised_rows(summary: Summary) -> list[tuple[str, ...]]:
    """(condition, turn, share of right answers, answers, how many gave none, share by chance) as text."""
    return [
        (
            one.condition,
            str(one.nth),
            "" if one.accuracy.value is None else short(evolve(one.accuracy, unscored=0)),
            str(one.accuracy.n),
            str(one.accuracy.unscored),
            "" if one.chance is None else f"{100 * one.chance:.0f}",
        )
        for one in summary.detection
    ]
