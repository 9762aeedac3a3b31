"""Ratings against Verified Success: high goals that failed, correlations, and the two orders of the families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adidem.core.analysis.correlation import Related, related
from adidem.core.analysis.ranks import Item, Orders, Ranked, ranked_by_two
from adidem.core.errors import ConfigError
from adidem.core.report.charts import Slopes
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import Row, rating_name
from adidem.core.report.ratings import integrity_judged, judged_only
from adidem.core.report.section import Section, Table
from adidem.core.report.text import cell
from adidem.core.report.wording import percent

FIRST = ("sotopia.goal", "sotopia.overall")
"""The ratings that families and runs are ranked by, the first that has more than two scores; else any other such."""

MANY = 2
FEW = "too few scenarios, so that most draws leave one out"
"""Why ranks have no interval: a draw that leaves out one of the things ranks nothing."""


def goals(facts: Facts) -> Section | None:
    """The part on ratings and success; None where nothing is recorded, or nothing verified and no goal rated."""
    failing = facts.summary.high_goal_failure
    if judged_only(facts.summary) or (failing is None and not integrity_judged(facts.summary)):
        return None
    said = "nobody rated goals" if failing is None else f"{percent(failing)} % of {failing.n}"
    if failing is not None and not failing.n:
        said = "no conversation that was rated so high has a verdict"
    lines = [f"rated Goal ≥ 8 but failing Verified Success: {said}"]
    others = facts.summary.baselines
    ratings = {name: rows for name, rows in _by_rating(facts.plain_ratings).items() if name not in others}
    if not ratings:
        return Section("goals", lines)
    try:
        correlations = [[cell(name), *_related(_correlated(rows))] for name, rows in ratings.items()]
        name, orders = family_orders(facts)
    except ConfigError as error:
        return Section("goals", [*lines, str(error)])
    head = ("rating", "Pearson's r with Verified Success", "95 %", "Spearman's ρ", "95 %", "n")
    tables = [Table(head, correlations, caption="each rating of the agent or episode against Verified Success")]
    chart = None
    if name and orders.by_first:
        tables.append(order_table("family", name, orders))
        lines.append(order_line("families", name, orders))
        chart = order_chart(name, orders)
    return Section("goals", lines, tables, chart)


def _by_rating(ratings: Sequence[Row]) -> dict[str, list[Row]]:
    """The scored ratings of the agent and the episode whose Verified Success is known, Integrity left out."""
    found: dict[str, list[Row]] = {}
    for row in ratings:
        if row["score"] is None or row["verified_success"] is None:
            continue
        if row["who"] != "partner" and row["dimension"] != "integrity":
            found.setdefault(rating_name(row), []).append(row)
    return dict(sorted(found.items()))


def _correlated(rows: Sequence[Row]) -> Related:
    return related(
        [row["score"] for row in rows],
        [float(row["verified_success"]) for row in rows],
        [row["scenario"] for row in rows],
        [row["count"] for row in rows],
    )


def _related(found: Related) -> list[str]:
    if found.undefined:
        return [found.undefined, "", "", "", str(found.n)]
    return [
        f"{found.pearson:.2f}",
        limits(found.pearson_low, found.pearson_high),
        f"{found.spearman:.2f}",
        limits(found.spearman_low, found.spearman_high),
        str(found.n),
    ]


def limits(low: float | None, high: float | None, form: str = ".2f") -> str:
    """`0.10 to 0.42`; empty where there is no interval."""
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"


def ranking_rating(ratings: Sequence[Row]) -> str | None:
    """The name of the rating to rank by; None where there is none with more than two scores."""
    found = _by_rating(ratings)
    wide = [name for name, rows in found.items() if len({row["score"] for row in rows}) > MANY]
    return next((name for name in (*FIRST, *wide) if name in wide), None)


def rated_items(ratings: Sequence[Row], name: str) -> list[Item]:
    """The scores of one rating, by scenario and counted."""
    return [(row["scenario"], row["score"], row["count"]) for row in _by_rating(ratings).get(name, [])]


def success_items(rows: Sequence[Row]) -> list[Item]:
    """Verified Success, by scenario."""
    return [(row["scenario"], float(row["verified_success"]), 1) for row in rows if row["verified_success"] is not None]


def family_orders(facts: Facts) -> tuple[str | None, Orders]:
    """The families ranked by the rating and by Verified Success."""
    name = ranking_rating(facts.plain_ratings)
    if name is None:
        return None, Orders({}, {})
    rated: dict[str, list[Item]] = {}
    for item in rated_items(facts.plain_ratings, name):
        rated.setdefault(item[0].partition("/")[0], []).append(item)
    succeeded: dict[str, list[Item]] = {}
    for item in success_items(facts.plain):
        succeeded.setdefault(item[0].partition("/")[0], []).append(item)
    return name, ranked_by_two(dict(sorted(rated.items())), succeeded)


def order_table(what: str, name: str, orders: Orders) -> Table:
    """Everything with both its means and both its ranks."""
    head = [what, cell(name), "rank", "95 %", "Verified Success %", "rank", "95 %"]
    rows = [
        [cell(key), f"{one.value:.2f}", *_rank(one), f"{100 * two.value:.1f}", *_rank(two)]
        for key, one, two in _both(orders.by_first, orders.by_second)
    ]
    return Table(head, rows, caption=f"ranks by {cell(name)} and by Verified Success")


def _both(first: Mapping[str, Ranked], second: Mapping[str, Ranked]) -> list[tuple[str, Ranked, Ranked]]:
    return sorted(((key, first[key], second[key]) for key in first), key=lambda row: (row[2].rank, row[0]))


def _rank(ranked: Ranked) -> list[str]:
    return [f"{ranked.rank:g}", rank_limits(ranked)]


def rank_limits(ranked: Ranked) -> str:
    """`1 to 4`, and `1.5 to 6` where ties lie in between; empty where there is no interval."""
    if ranked.low is None or ranked.high is None:
        return ""
    return f"{round(ranked.low, 1):g} to {round(ranked.high, 1):g}"


def order_line(what: str, name: str, orders: Orders) -> str:
    """How the two orders agree."""
    if orders.spearman is None:
        return f"the two orders of {len(orders.by_first)} {what} have no correlation (too few, or all equal by one)"
    between = limits(orders.low, orders.high)
    return (
        f"Spearman's ρ of the orders of {len(orders.by_first)} {what} by {cell(name)} and by Verified Success: "
        f"{orders.spearman:.2f} " + (f"[{between}]" if between else f"(no interval: {FEW})")
    )


def order_chart(name: str, orders: Orders) -> Slopes:
    """The two orders side by side."""
    rows = [(cell(key), one.rank, two.rank) for key, one, two in _both(orders.by_first, orders.by_second)]
    return Slopes(rows, (f"by {cell(name, 24)}", "by Verified Success"))
