"""Several runs in the order of Verified Success, and how the order by a rating agrees with it."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.analysis.ranks import Orders, ranked_by_two
from adidem.core.errors import ConfigError
from adidem.core.report.charts import Intervals
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.ratings import BASELINE, MEANS, baseline_rows, rating_rows
from adidem.core.report.section import Section, Table
from adidem.core.report.sections.goals import (
    order_chart,
    order_line,
    order_table,
    rank_limits,
    ranking_rating,
    rated_items,
    success_items,
)
from adidem.core.report.sections.headline import SHARES, mark
from adidem.core.report.text import cell
from adidem.core.report.wording import TITLES, percent

SAME = ("suite", "split", "scenarios", "partner", "repeats", "turns", "dialogue", "judges", "barriers")
"""Settings in which runs that compare are alike; where they are not, the leaderboard says so."""

HEAD = ("run", "agent", "partner", "evidence", "episodes", *(f"{TITLES[name]} %" for name in HEADLINES), "rank", "cost")


def in_order(runs: Sequence[Facts]) -> list[Facts]:
    """The runs by Verified Success, the best first, those without any last."""

    def place(facts: Facts) -> tuple[float, str]:
        value = facts.summary.metrics["verified_success"].value
        return (1.0 if value is None else -value), facts.name

    return sorted(runs, key=place)


def leaderboard(runs: Sequence[Facts]) -> Section:
    """One row a run, the best first."""
    ordered = in_order(runs)
    ranks, notes = _ranks(ordered)
    rows = [
        [
            facts.name,
            cell(facts.summary.agent),
            cell(facts.summary.partner),
            facts.summary.evidence,
            _episodes(facts),
            *(percent(facts.summary.metrics[name]) for name in HEADLINES),
            _rank(ranks, facts.name),
            _cost(facts),
        ]
        for facts in ordered
    ]
    marked = [
        (facts.name, [m for name in HEADLINES if (m := mark(TITLES[name], facts.summary.metrics[name])) is not None])
        for facts in ordered
    ]
    shown = [row for row in marked if row[1]]
    chart = Intervals(shown, *SHARES) if shown else None
    tables = [Table(HEAD, rows, labels=4), *_rated(ordered)]
    return Section("leaderboard", [*differences(runs), *notes], tables, chart)


def _rated(runs: Sequence[Facts]) -> list[Table]:
    """Every rating of the agent or episode, run by run; what others made of the same tasks last."""
    own = [(facts.name, rating_rows(facts.summary)) for facts in runs]
    others = [(facts.name, baseline_rows(facts.summary)) for facts in runs]
    parts = [("rating", MEANS, _by_name(own)), ("baseline", BASELINE, _by_name(others))]
    return [Table([title, "run", "mean"], rows, labels=2, caption=caption) for title, caption, rows in parts if rows]


def _by_name(found: Sequence[tuple[str, Sequence[tuple[str, ...]]]]) -> list[list[str]]:
    """Rating, run and mean, the runs of a rating below each other."""
    names = sorted({row[0] for _, rows in found for row in rows})
    return [[cell(name), run, row[1]] for name in names for run, rows in found for row in rows if row[0] == name]


def differences(runs: Sequence[Facts]) -> list[str]:
    """The settings in which the runs are not alike."""
    unlike = [key for key in SAME if len({repr(facts.config.get(key)) for facts in runs}) > 1]
    lines = [f"the runs differ in {', '.join(unlike)}: figures that these change do not compare"] if unlike else []
    if len({facts.summary.evidence for facts in runs}) > 1:
        lines.append(
            "some runs are evidence of a mechanism alone (scripted speakers or judge) and say nothing of models"
        )
    return lines


def _ranks(runs: Sequence[Facts]) -> tuple[Orders, list[str]]:
    items = {facts.name: success_items(facts.plain) for facts in runs}
    try:
        return ranked_by_two(items, items), []
    except ConfigError as error:
        return Orders({}, {}), [f"ranks: {error}"]


def _rank(orders: Orders, name: str) -> str:
    if name not in orders.by_first:
        return ""
    ranked = orders.by_first[name]
    between = rank_limits(ranked)
    return f"{ranked.rank:g}" + (f" [{between}]" if between else "")


def _episodes(facts: Facts) -> str:
    counts = facts.summary.episodes
    more = [f"{counts[name]} {name}" for name in ("failed", "owed") if counts[name]]
    return ", ".join([str(counts["scored"]), *more])


def _cost(facts: Facts) -> str:
    cost = facts.summary.usage["cost"]
    return "unknown" if cost is None else f"${cost:.2f}"


def ranks(runs: Sequence[Facts]) -> Section | None:
    """The runs by rating and by Verified Success; None where fewer than two have a rating in common."""
    names = {ranking_rating(facts.plain_ratings) for facts in runs} - {None}
    name = next(iter(sorted(str(n) for n in names)), None) if len(names) == 1 else None
    if name is None:
        return None
    rated = {facts.name: rated_items(facts.plain_ratings, name) for facts in runs}
    orders = ranked_by_two(rated, {facts.name: success_items(facts.plain) for facts in runs})
    if len(orders.by_first) < 2:
        return None
    return Section(
        "ranks", [order_line("runs", name, orders)], [order_table("run", name, orders)], order_chart(name, orders)
    )
