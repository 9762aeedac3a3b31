"""What a run used: calls, tokens, money and time."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from adidem.core.report.facts import Facts
from adidem.core.report.section import Section, Table
from adidem.core.report.text import cell

OVERLAP = (
    "time: the parts of episodes overlap, so that they sum to more; waiting is for a free slot, for a place in a batch "
    "or while other episodes worked, and is in no other part"
)


def cost(facts: Facts) -> Section:
    """Models by who asked them, and the time of episodes."""
    usage, episodes = facts.summary.usage, len(facts.rows)
    rows = [_used(name, used, episodes) for name, used in sorted(usage["by"].items())]
    tables = []
    if rows:
        rows.append(_used("all", usage, episodes))
        head = ["who", "calls", "prompt tokens", "completion tokens", "cost", "tokens an episode"]
        tables.append(Table(head, rows, caption="models"))
    tables.append(_times(facts))
    lines = [] if rows else ["no model was called"]
    if usage["failed_attempts"]:
        causes = ", ".join(f"{count} {cell(cause)}" for cause, count in usage["failed_attempts"].items())
        lines.append(f"attempts that came to nothing: {causes}")
    return Section("cost", lines, tables)


def _used(name: str, used: Any, episodes: int) -> list[str]:
    money = "unknown" if used["cost"] is None else f"${used['cost']:.4f}"
    tokens = used["prompt_tokens"] + used["completion_tokens"]
    each = f"{tokens / episodes:,.0f}" if episodes else ""
    counts = (used["calls"], used["prompt_tokens"], used["completion_tokens"])
    return [cell(name), *(f"{count:,}" for count in counts), money, each]


def _times(facts: Facts) -> Table:
    rows = [[cell(name), f"{value:,.2f}"] for name, value in facts.summary.seconds.items()]
    for title, column, form in (("an episode", "seconds", ".3f"), ("turns an episode", "turns", ".1f")):
        values = [row[column] for row in facts.scored]
        if values:
            rows.append([title, _middle(values, form)])
    return Table(["time", "seconds (turns)"], rows, caption=OVERLAP)


def _middle(values: Sequence[float], form: str) -> str:
    ninth = sorted(values)[min(len(values) - 1, (9 * len(values)) // 10)]
    return f"mean {fmean(values):{form}}, median {median(values):{form}}, nine of ten under {ninth:{form}}"
