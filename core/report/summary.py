"""What a run comes to: the numbers behind every format of its report; the JSON of it is an interface for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from attrs import asdict, field, frozen

from adidem.core.analysis.bootstrap import Estimate, clustered_mean
from adidem.core.judging.scale import NOT_ASKED
from adidem.core.outcomes import judge_of, leading
from adidem.core.report.barriers import NONE, BarrierReport, barrier_report
from adidem.core.report.causes import failures, reasons, unscored_reasons
from adidem.core.report.compliance import Compliance, Guessed, compliance, detection
from adidem.core.report.grouping import crossed, grouped, headlines, quadrants, rating_name
from adidem.core.report.text import spelled
from adidem.core.runs.store import RunStore

HIGH_GOAL = 8.0
GOALS = "sotopia"
"""The judge whose Goal is held against Verified Success."""

MANY_UNSCORED = 0.02
"""A report with a larger share of unscored ratings says so at the top."""
Row = Mapping[str, Any]


@frozen(unsafe_hash=False)
class Summary:
    """The numbers of one run.

    `metrics` holds the headlines and every `judge.dimension` (of the tested seat or the episode; `.partner` for the
    other seat); the groupings hold the headlines. Where a run has barrier conditions all of these are of the condition
    `none`; `by_barrier`, `by_barrier_family` and `barriers` are of every condition. `quadrants` counts episodes by
    Feasibility, then Integrity (`yes`, `no`, `unscored`). `both_worlds` is the share of (scenario, seat,
    repeat) that reach Verified Success in both worlds. `judges` says of each label which model it asked, how many of
    its ratings are unscored, what it flagged and what it used. `about` says what families record and what ratings mean;
    `baselines` are those of `metrics` that are of what others made of the same tasks. `high_goal_failure` is the share
    of conversations rated Goal ≥ 8 that fail Verified Success (None: nobody rated goals). `evidence` is `mechanism`
    unless a model or a person spoke and a model gave verdicts of Integrity (in a run without such a judge: any scores).
    `configured` is false where the store has no configuration: who played, and what is owed, is not known.
    """

    run: str
    suite: str
    agent: str
    partner: str
    evidence: str
    speaks: bool
    metrics: Mapping[str, Estimate]
    both_worlds: Estimate
    by_family: Mapping[str, Mapping[str, Estimate]]
    by_world: Mapping[str, Mapping[str, Estimate]]
    by_due: Mapping[str, Mapping[str, Estimate]]
    by_family_world: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    by_barrier_family: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    quadrants: Mapping[str, Mapping[str, int]]
    by_barrier: Mapping[str, Mapping[str, Estimate]]
    episodes: Mapping[str, int]
    failures: Sequence[Mapping[str, Any]]
    reasons: Sequence[Mapping[str, Any]]
    usage: Mapping[str, Any]
    seconds: Mapping[str, float] = field(factory=dict)
    judges: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    about: Mapping[str, str] = field(factory=dict)
    baselines: Sequence[str] = ()
    integrity_agreement: Sequence[Mapping[str, Any]] = ()
    high_goal_failure: Estimate | None = None
    barriers: BarrierReport | None = None
    compliance: Compliance | None = None
    detection: Sequence[Guessed] = ()
    configured: bool = True

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, in the shape that DESIGN §5 names."""
        return asdict(self)


def summarize(store: RunStore, rows: Sequence[Row] | None = None, ratings: Sequence[Row] | None = None) -> Summary:
    """The summary of a stored run, finished or not. Intervals are bootstrapped over scenarios; the same run gives the
    same numbers. `rows` and `rating_counts` of the store are read where they are not given."""
    config = store.get("config", {})
    rows = list(store.rows()) if rows is None else rows
    ratings = store.rating_counts() if ratings is None else ratings
    scored = [row for row in rows if row["status"] == "scored"]
    plain = _plain(scored)
    planned = store.get("planned", len(rows))
    spent = store.spent_by()
    specs: Mapping[str, str | None] = store.get("judges", {})
    under = any(row["barrier"] != NONE for row in rows)
    extras = list(store.extras()) if under else []
    overall, by_family = headlines(plain), grouped(plain, "family")
    return Summary(
        run=spelled(store.folder),
        suite=config.get("suite", ""),
        agent=config.get("agent", ""),
        partner=config.get("partner", ""),
        speaks=bool(store.get("speaks", False)),
        evidence=store.evidence(),
        metrics={**overall, **_rated(_plain(ratings))},
        both_worlds=_both_worlds(plain),
        by_family=by_family,
        by_world=grouped(plain, "world"),
        by_due=grouped([row for row in plain if row["due"]], "due"),
        by_family_world=crossed(plain, "family", "world"),
        by_barrier_family=crossed(scored, "barrier", "family") if under else {NONE: by_family},
        quadrants=quadrants(plain),
        by_barrier=grouped(scored, "barrier") if under else {NONE: overall},
        episodes={"scored": len(scored), "failed": len(rows) - len(scored), "owed": max(0, planned - len(scored))},
        failures=failures(rows, store),
        reasons=reasons(plain),
        usage={**_usage(rows), "failed_attempts": _failed_attempts(store.attempts()), "by": _used_by(spent)},
        seconds=store.get("seconds", {}),
        judges=judges(ratings, store.flag_counts(), spent, specs),
        about={str(name): str(said) for name, said in store.get("about", {}).items()},
        baselines=_baselines(ratings, store.get("baselines", [])),
        integrity_agreement=_agreement(ratings, store),
        high_goal_failure=high_goal_failure(_plain(ratings), specs),
        barriers=barrier_report(scored, store.ratings(), specs) if under else None,
        compliance=compliance(extras),
        detection=detection(extras),
        configured=store.get("config") is not None,
    )


def _plain(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows without a barrier; all of them where every condition has one."""
    return [row for row in rows if row["barrier"] == NONE] or rows


def high_goals(ratings: Iterable[Row], specs: Mapping[str, str | None], least: float = HIGH_GOAL) -> list[Row] | None:
    """The counted ratings of conversations whose tested seat was rated Goal ≥ `least` (0 to 10) by the judge `sotopia`
    (a model's rating goes before that of `scripted:judge`); None where nobody rated goals."""
    goals = [r for r in ratings if r["dimension"] == "goal" and r["who"] == "agent" and judge_of(r["judge"]) == GOALS]
    label = leading({r["judge"]: specs.get(r["judge"]) for r in goals}, (GOALS,))
    if label is None:
        return None
    return [r for r in goals if r["judge"] == label and r["score"] is not None and r["score"] >= least]


def high_goal_failure(ratings: Iterable[Row], specs: Mapping[str, str | None]) -> Estimate | None:
    """Of the conversations rated Goal ≥ `HIGH_GOAL`, the share that fail Verified Success, clustered by scenario; None
    where nobody rated goals."""
    high = high_goals(ratings, specs)
    return None if high is None else failing(high)


def failing(high: Sequence[Row]) -> Estimate:
    """The share of counted ratings whose conversation fails Verified Success, clustered by scenario."""
    failed = [None if row["verified_success"] is None else not row["verified_success"] for row in high]
    return clustered_mean(failed, [row["scenario"] for row in high], counts=[row["count"] for row in high])


def judges(
    ratings: Sequence[Row], flags: Sequence[Row], spent: Sequence[Row], specs: Mapping[str, str | None]
) -> dict[str, dict[str, Any]]:
    """What each judge did: the model it asked, its ratings (those left out that nobody asked for) and how many are
    unscored, its flags by kind, what it quoted as `evidence` for a dimension of its own (no charge), the share of all
    these whose quote was not there, its calls and tokens. A row stands for
    `count` equal ones."""
    used = _used_by(spent)
    found: dict[str, dict[str, Any]] = {}
    for label in sorted({r["judge"] for r in ratings}):
        ours = [r for r in ratings if r["judge"] == label and not (r["unscored"] or "").startswith(NOT_ASKED)]
        flagged = [f for f in flags if f["judge"] == label]
        kinds: Counter[str] = Counter()
        for flag in flagged:
            kinds[flag["kind"]] += _number(flag) if flag["supported"] else 0
        total = sum(map(_number, flagged))
        rated = {r["dimension"] for r in ratings if r["judge"] == label}
        found[label] = {
            "spec": specs.get(label),
            "ratings": sum(map(_number, ours)),
            "unscored": sum(_number(r) for r in ours if r["score"] is None),
            "unscored_reasons": unscored_reasons(ours),
            "flags": {kind: count for kind, count in (+kinds).most_common() if kind not in rated},
            "evidence": {kind: count for kind, count in kinds.most_common() if kind in rated},
            "unsupported_rate": (total - kinds.total()) / total if total else None,
            **used.get(f"judge {label}", {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}),
        }
    return found


def _baselines(ratings: Sequence[Row], kinds: Sequence[Any]) -> list[str]:
    """The names in `metrics` of ratings that no agent of the run earned."""
    return sorted({rating_name(row) for row in ratings if f"{judge_of(row['judge'])}.{row['dimension']}" in kinds})


def _number(row: Row) -> int:
    """How many equal rows a row stands for."""
    count: int = row.get("count", 1)
    return count


def _agreement(ratings: Sequence[Row], store: RunStore) -> list[dict[str, Any]]:
    """For each pair of Integrity judges: how many episodes both scored, and on how many they differ."""
    judges = sorted({r["judge"] for r in ratings if r["dimension"] == "integrity" and r["score"] is not None})
    found = []
    for one, two in combinations(judges, 2):
        both, differ = store.rated_alike(one, two, "integrity")
        found.append({"judges": [one, two], "episodes": both, "differ": differ})
    return found


def _used_by(spent: Iterable[Row]) -> dict[str, dict[str, Any]]:
    return {row["who"]: {name: value for name, value in row.items() if name != "who"} for row in spent}


def _failed_attempts(attempts: Iterable[Row]) -> dict[str, int]:
    """How many attempts of calls came to nothing, by cause, the most frequent first."""
    counts: Counter[str] = Counter()
    for row in attempts:
        counts[row["cause"]] += row["count"]
    return dict(counts.most_common())


def _both_worlds(rows: Sequence[Row]) -> Estimate:
    if all(row["integrity"] is None for row in rows):  # nothing is verified: only failures could be counted
        rows = []
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
    groups: dict[str, tuple[list[float | None], list[str], list[int]]] = {}
    for row in ratings:
        values, clusters, counts = groups.setdefault(rating_name(row), ([], [], []))
        values.append(row["score"])
        clusters.append(row["scenario"])
        counts.append(row["count"])
    return {name: clustered_mean(*groups[name][:2], counts=groups[name][2]) for name in sorted(groups)}


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
