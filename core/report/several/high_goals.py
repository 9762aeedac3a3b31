"""High goals that failed, by model and pooled: of conversations rated Goal ≥ 8, how many fail Verified Success."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.report.facts import Facts
from adidem.core.report.grouping import Row
from adidem.core.report.section import Section, Table
from adidem.core.report.summary import failing, high_goals
from adidem.core.report.text import cell
from adidem.core.report.wording import percent

HEAD = ("agent", "evidence", "runs", "rated Goal ≥ 8", "failing Verified Success %")


def high_goals_failed(runs: Sequence[Facts]) -> Section | None:
    """A row an agent, then all of them, runs of models apart from runs of a mechanism; None where no run has both a
    rating of goals and a verdict."""
    found = [(facts, rated) for facts in runs if (rated := _rated(facts)) is not None]
    if not found:
        return None
    rows = []
    for evidence in dict.fromkeys(facts.summary.evidence for facts, _ in found):
        alike = [(facts, rated) for facts, rated in found if facts.summary.evidence == evidence]
        agents = dict.fromkeys(facts.summary.agent for facts, _ in alike)
        for agent in agents:
            own = [pair for pair in alike if pair[0].summary.agent == agent]
            rows.append([cell(agent), evidence, ", ".join(facts.name for facts, _ in own), *_figures(own)])
        if len(agents) > 1:
            rows.append(["all together", evidence, "", *_figures(alike)])
    named = {facts.name for facts, _ in found}
    without = [facts.name for facts in runs if facts.name not in named]
    lines = [f"without a rating of goals or a verdict: {', '.join(without)}"] if without else []
    return Section("high_goals", lines, [Table(HEAD, rows, labels=3)])


def _rated(facts: Facts) -> list[Row] | None:
    """The high goals of a run; None where nobody rated goals, or no verdict is known."""
    if facts.summary.metrics["verified_success"].n == 0:
        return None
    specs = {label: judge["spec"] for label, judge in facts.summary.judges.items()}
    return high_goals(facts.plain_ratings, specs)


def _figures(found: Sequence[tuple[Facts, list[Row]]]) -> tuple[str, str]:
    """How many conversations were rated so high, and the share of them that fails."""
    rated = [row for _, rows in found for row in rows]
    return str(sum(row["count"] for row in rated)), percent(failing(rated)) if rated else ""
