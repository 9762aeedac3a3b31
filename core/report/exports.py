"""A report for other programs: CSV with one row an episode or a group, and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from attrs import asdict

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.report.dumped import dumped
from adidem.core.report.grouping import HEADLINES, rating_name
from adidem.core.report.sections.barriers import named
from adidem.core.report.several.pairs import comparisons, flips, values_of
from adidem.core.report.several.read import read_all
from adidem.core.report.summary import Summary, summarize
from adidem.core.report.text import cell, spelled
from adidem.core.runs.store import KEY, RunStore

EPISODE = (
    "run", "suite", "agent", "partner", "evidence", "task", "scenario", "family", "split", "world", "seat", "repeat",
    "barrier", "severity", "due", "status", "cause", "ended", "turns", "feasibility", "integrity", "verified_success",
    "reasons", "complied", "calls", "prompt_tokens", "completion_tokens", "cost", "seconds",
)  # fmt: skip
"""The columns of an episode before its ratings. `cause` is why it failed, `reasons` why its plan is infeasible; `cost`
is in US dollars, empty where unknown."""

GROUP = ("run", "evidence", "group", "name", "measure", "value", "ci_low", "ci_high", "n", "unscored")


def episodes_csv(stores: Sequence[RunStore]) -> Iterator[str]:
    """One line an episode, in pieces. Every rating of any of the runs has a column (`judge.dimension`, `.partner` after
    it for the other seat), empty where it is unscored or absent. A cell that a spreadsheet would take for a formula is
    quoted."""
    ratings = sorted({_column(row) for store in stores for row in store.rating_kinds()})
    return lines_of((*EPISODE, *ratings), (row for store in stores for row in _episodes(store)))


def _episodes(store: RunStore) -> Iterator[dict[str, Any]]:
    config = store.get("config", {})
    run = {
        "run": spelled(store.folder),
        **{name: config.get(name, "") for name in ("suite", "agent", "partner")},
        "evidence": store.evidence(),
    }
    rated = groupby(store.ratings(), key=lambda row: tuple(row[name] for name in KEY))
    waiting = next(rated, None)
    for row in store.rows():
        key = tuple(row[name] for name in KEY)
        scores = {}
        if waiting is not None and waiting[0] == key:
            scores = {_column(rating): rating["score"] for rating in waiting[1]}
            waiting = next(rated, None)
        yield {**run, **row, "severity": named(row["barrier"])[1], **scores}


def _column(row: Mapping[str, Any]) -> str:
    return str(_harmless(rating_name(row)))


def groups_csv(stores: Sequence[RunStore]) -> Iterator[str]:
    """One line a measure of a group: shares and means with their intervals; shares are in [0, 1]."""
    return lines_of(GROUP, (row for store in stores for row in _groups(summarize(store))))


def _groups(summary: Summary) -> Iterator[dict[str, Any]]:
    run = {"run": summary.run, "evidence": summary.evidence}
    for group, name, estimates in _named(summary):
        for measure, estimate in estimates.items():
            yield {**run, "group": group, "name": name, "measure": measure, **asdict(estimate)}


def _named(summary: Summary) -> Iterator[tuple[str, str, Mapping[str, Estimate]]]:
    others = summary.baselines
    own = {name: estimate for name, estimate in summary.metrics.items() if name not in others}
    yield "all", "", {**own, "both_worlds": summary.both_worlds}
    if others:
        yield "baseline", "", {name: summary.metrics[name] for name in others}
    for group in ("family", "world", "due", "barrier"):
        for name, estimates in getattr(summary, f"by_{group}").items():
            yield group, name, estimates
    for pair in ("family_world", "barrier_family"):
        for one, inner in getattr(summary, f"by_{pair}").items():
            for two, estimates in inner.items():
                yield pair.replace("_", " × "), f"{one} × {two}", {name: estimates[name] for name in HEADLINES}


def lines_of(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """CSV in pieces; what a row has besides the columns is left out."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writerow({column: _harmless(column) for column in columns})
    for number, row in enumerate(rows):
        writer.writerow({key: _harmless(value) for key, value in row.items()})
        if number % 1000 == 0:
            yield _taken(out)
    yield _taken(out)


def _taken(out: io.StringIO) -> str:
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text


def _harmless(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = cell(value, 2000)
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def as_json(stores: Sequence[RunStore], compare: bool = False) -> str:
    """One object for one run, a list for several; with `compare` an object of `runs`, `comparisons` and `flips`."""
    if not compare:
        data: Any = [summarize(store).to_json() for store in stores]
        return dumped(data[0] if len(data) == 1 else data)
    runs = read_all(stores)
    names = [facts.name for facts in runs]
    values = [values_of(facts, store) for facts, store in zip(runs, stores, strict=True)]
    return dumped(
        {
            "runs": [{"name": facts.name, **facts.summary.to_json()} for facts in runs],
            "comparisons": [asdict(one) for one in comparisons(names, values)],
            "flips": [asdict(one) for one in flips(names, values)],
        }
    )
