"""Which episodes of a run are read for hidden states, and whether anything could be told from them at all: known before
a model is loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adidem.core.errors import ConfigError

Row = Mapping[str, Any]


def readable(rows: Iterable[Row]) -> list[Row]:
    """The short facts of those episodes that were scored and in which somebody spoke."""
    return [row for row in rows if row["status"] == "scored" and row["turns"]]


def chosen(rows: Sequence[Row], limit: int | None) -> list[Row]:
    """Of each condition `limit` episodes at most, of as many scenarios as there are: the first of each scenario, then
    the second of each, and so on. They keep their order, and are the same tasks in every condition that has these."""
    nth: Counter[tuple[str, str]] = Counter()
    ranked: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        ranked.append((nth[row["barrier"], row["scenario"]], place))
        nth[row["barrier"], row["scenario"]] += 1
    taken: Counter[str] = Counter()
    kept = []
    for _, place in sorted(ranked):
        taken[rows[place]["barrier"]] += 1
        if limit is None or taken[rows[place]["barrier"]] <= limit:
            kept.append(place)
    return [rows[place] for place in sorted(kept)]


def must_be_told(rows: Sequence[Row], limit: int | None) -> None:
    """See that `chosen` episodes of these could be told apart: two conditions, and another scenario to test on.

    Raises:
        ConfigError: they could not, with what to do.
    """
    if not rows:
        raise ConfigError("no state can be read: the run has no scored episode with a conversation")
    conditions = sorted({row["barrier"] for row in rows})
    if len(conditions) < 2:
        raise ConfigError(
            f"all scored episodes of the run are of one condition, {conditions[0]!r}: there is nothing to tell apart; "
            "play it with --barrier"
        )
    scenarios = len({row["scenario"] for row in rows})
    if scenarios < 2:
        raise ConfigError(
            "all scored episodes of the run are of one scenario: there is no other one to test on; play more with a "
            "larger --limit"
        )
    left = len({row["scenario"] for row in chosen(rows, limit)})
    if left < 2:
        raise ConfigError(
            f"--limit {limit} leaves one of the run's {scenarios} scenarios: there is no other one to test on; give "
            "--limit 2 or more"
        )
