"""What a run comes to: the numbers behind every format of its report; the JSON of it is an interface for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import asdict, field, frozen

from adidem.core.analysis.bootstrap import Estimate, clustered_mean
from adidem.core.runs.store import RunStore

HEADLINES = ("feasibility", "integrity", "verified_success")
Row = Mapping[str, Any]


@frozen(unsafe_hash=False)
class Summary:
    """The numbers of one run.

    `metrics` holds the headlines and every `judge.dimension` (of the tested seat or the episode; `.partner` for the
    other seat) over all episodes; the groupings hold the headlines. `both_worlds` is the share of (scenario, seat,
    repeat) that reach Verified Success in both worlds. `evidence` is `mechanism` unless a model or a person spoke and
    a model judged.
    """

    run: str
    suite: str
    agent: str
    partner: str
    evidence: str
    metrics: Mapping[str, Estimate]
    both_worlds: Estimate
    by_family: Mapping[str, Mapping[str, Estimate]]
    by_world: Mapping[str, Mapping[str, Estimate]]
    by_due: Mapping[str, Mapping[str, Estimate]]
    by_barrier: Mapping[str, Mapping[str, Estimate]]
    episodes: Mapping[str, int]
    failures: Sequence[Mapping[str, Any]]
    reasons: Sequence[Mapping[str, Any]]
    usage: Mapping[str, Any]
    seconds: Mapping[str, float] = field(factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, in the shape that DESIGN §5 names."""
        return asdict(self)


def summarize(store: RunStore) -> Summary:
    """The summary of a stored run, finished or not. Intervals are bootstrapped over scenarios; the same run gives the
    same numbers."""
    config = store.get("config", {})
    rows = list(store.rows())
    scored = [row for row in rows if row["status"] == "scored"]
    failed = Counter(row["cause"] for row in rows if row["status"] == "failed")
    planned = store.get("planned", len(rows))
    return Summary(
        run=str(store.folder),
        suite=config.get("suite", ""),
        agent=config.get("agent", ""),
        partner=config.get("partner", ""),
        evidence=store.get("evidence", "mechanism"),
        metrics={**headlines(scored), **_rated(store.ratings())},
        both_worlds=_both_worlds(scored),
        by_family=_grouped(scored, "family"),
        by_world=_grouped(scored, "world"),
        by_due=_grouped(scored, "due"),
        by_barrier=_grouped(scored, "barrier"),
        episodes={"scored": len(scored), "failed": len(rows) - len(scored), "owed": max(0, planned - len(scored))},
        failures=[{"cause": cause, "count": count} for cause, count in failed.most_common()],
        reasons=_reasons(scored),
        usage=_usage(rows),
        seconds=store.get("seconds", {}),
    )


def headlines(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Feasibility, Integrity and Verified Success of scored rows, clustered by scenario."""
    clusters = [row["scenario"] for row in rows]
    return {name: clustered_mean([row[name] for row in rows], clusters) for name in HEADLINES}


def _grouped(rows: Sequence[Row], key: str) -> dict[str, dict[str, Estimate]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return {name: headlines(groups[name]) for name in sorted(groups)}


def _both_worlds(rows: Sequence[Row]) -> Estimate:
    pairs: dict[tuple[Any, ...], list[bool | None]] = {}
    for row in rows:
        pairs.setdefault((row["scenario"], row["seat"], row["barrier"], row["repeat"]), []).append(
            row["verified_success"]
        )
    complete = {key: values for key, values in pairs.items() if len(values) == 2}
    return clustered_mean([_all(values) for values in complete.values()], [key[0] for key in complete])


def _all(values: Iterable[bool | None]) -> bool | None:
    found = list(values)
    if any(value is not None and not value for value in found):
        return False
    return None if None in found else True


def _rated(ratings: Iterable[Row]) -> dict[str, Estimate]:
    groups: dict[str, tuple[list[float | None], list[str]]] = {}
    for row in ratings:
        name = f"{row['judge']}.{row['dimension']}" + (".partner" if row["who"] == "partner" else "")
        values, clusters = groups.setdefault(name, ([], []))
        values.append(row["score"])
        clusters.append(row["task"].rsplit("/", 2)[0])
    return {name: clustered_mean(*groups[name]) for name in sorted(groups)}


def _reasons(rows: Sequence[Row]) -> list[dict[str, Any]]:
    counts = Counter(reason for row in rows for reason in row["reasons"].split())
    return [
        {"kind": reason.partition(":")[0], "rule": reason.partition(":")[2], "episodes": count}
        for reason, count in counts.most_common()
    ]


def _usage(rows: Sequence[Row]) -> dict[str, Any]:
    def total(name: str) -> int:
        return sum(row[name] for row in rows)

    costs = [row["cost"] for row in rows]
    return {
        "calls": total("calls"),
        "prompt_tokens": total("prompt_tokens"),
        "completion_tokens": total("completion_tokens"),
        "cost": None if None in costs else sum(costs),
    }
