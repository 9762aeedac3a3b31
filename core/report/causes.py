"""Why episodes failed, why plans are infeasible, and why ratings are missing, each with what was said most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adidem.core.report.text import cell
from adidem.core.runs.store import RunStore

Row = Mapping[str, Any]

LOOKED_AT = 1000
"""As many failed episodes of each cause are read for their messages."""

WHY = {
    "unreadable": "a record that cannot be read",
    "outcome": "the wrong outcome",
    "mismatch": "the two records differ in {rule}",
    "violation": "breaks the rule {rule}",
}


def failures(rows: Iterable[Row], store: RunStore) -> list[dict[str, Any]]:
    """The causes of failed episodes, the most frequent first, each with its count and its most common message."""
    counts = Counter(row["cause"] for row in rows if row["status"] == "failed")
    return [
        {"cause": cause, "count": count, "message": most_common(store.failure_messages(cause, LOOKED_AT))}
        for cause, count in counts.most_common()
    ]


def most_common(said: Counter[str]) -> str:
    """The text said most often, on one line; of several equally frequent the first in the alphabet."""
    return cell(min(said, key=lambda text: (-said[text], text)), 300) if said else ""


def reasons(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Why plans are infeasible: each kind and rule with the number of episodes, the most frequent first."""
    counts = Counter(reason for row in rows for reason in row["reasons"].split())
    return [
        {"kind": reason.partition(":")[0], "rule": reason.partition(":")[2], "episodes": count}
        for reason, count in counts.most_common()
    ]


def why(reason: Row) -> str:
    """A reason in words."""
    return WHY.get(reason["kind"], "{kind} {rule}").format(
        kind=reason["kind"], rule=str(reason["rule"]).replace("_", " ")
    )


def unscored_reasons(ratings: Iterable[Row]) -> list[dict[str, Any]]:
    """Why ratings are unscored, the most frequent reason first; a row stands for `count` equal ones."""
    counts: Counter[str] = Counter()
    for row in ratings:
        if row["score"] is None:
            counts[cell(row["unscored"] or "no reason was given", 300)] += row.get("count", 1)
    return [{"reason": reason, "count": count} for reason, count in counts.most_common()]
