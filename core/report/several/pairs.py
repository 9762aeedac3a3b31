"""Two runs on what both scored: every measure, with its tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from attrs import evolve, frozen

from adidem.core.analysis.holm import holm
from adidem.core.analysis.paired import Paired, paired
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES, rating_name
from adidem.core.runs.store import RunStore

Key: TypeAlias = tuple[str, str, int]
Values: TypeAlias = Mapping[str, Mapping[Key, float]]


@frozen(unsafe_hash=False)
class Comparison:
    """The second run against the first by one measure. `holm` is the p of the sign-flip test, corrected for all
    comparisons of its kind (headlines, ratings) that were made together."""

    first: str
    second: str
    measure: str
    found: Paired
    holm: float | None = None


@frozen(unsafe_hash=False)
class Flips:
    """By scenario how many episodes of both runs failed in the first and succeed in the second, and the other way
    round, of how many."""

    first: str
    second: str
    scenarios: Mapping[str, tuple[int, int, int]]


def values_of(facts: Facts, store: RunStore) -> dict[str, dict[Key, float]]:
    """Every measure of every scored episode: the headlines as 0 or 1, and the ratings of the agent and the episode."""
    found: dict[str, dict[Key, float]] = {name: {} for name in HEADLINES}
    for row in facts.scored:
        key = (row["task"], row["barrier"], row["repeat"])
        for name in HEADLINES:
            if row[name] is not None:
                found[name][key] = float(row[name])
    for row in store.ratings():
        if rating_name(row) in facts.summary.baselines:
            continue
        if row["score"] is not None and row["who"] != "partner" and row["dimension"] != "integrity":
            found.setdefault(rating_name(row), {})[row["task"], row["barrier"], row["repeat"]] = row["score"]
    return found


def comparisons(names: Sequence[str], values: Sequence[Values]) -> list[Comparison]:
    """Every pair of runs by every measure that both have: the headlines first, then the ratings. Holm's correction is
    over all headlines together, and over all ratings together.

    Raises:
        ConfigError: the extra `analysis` is not installed.
    """
    found = [
        Comparison(names[one], names[two], measure, result)
        for one, two in combinations(range(len(names)), 2)
        for measure, result in _measures(values[one], values[two])
    ]
    return [
        *_corrected(one for one in found if one.measure in HEADLINES),
        *_corrected(one for one in found if one.measure not in HEADLINES),
    ]


def _corrected(found: Iterable[Comparison]) -> list[Comparison]:
    together = list(found)
    ps = holm([one.found.sign_flip.p for one in together])
    return [evolve(one, holm=p) for one, p in zip(together, ps, strict=True)]


def _measures(first: Values, second: Values) -> Iterator[tuple[str, Paired]]:
    for measure in first:
        keys = sorted(first[measure].keys() & second.get(measure, {}).keys())
        before, after = ([run[measure][key] for key in keys] for run in (first, second))
        if (result := paired(before, after, [scenario_of(key) for key in keys])) is not None:
            yield measure, result


def scenario_of(key: Key) -> str:
    """The scenario of an episode: its cluster."""
    return key[0].rsplit("/", 2)[0]


def flips(names: Sequence[str], values: Sequence[Values]) -> list[Flips]:
    """What changed in Verified Success, for every pair of runs; scenarios in which nothing changed are left out."""
    found = []
    for one, two in combinations(range(len(names)), 2):
        first, second = (values[place]["verified_success"] for place in (one, two))
        scenarios: dict[str, tuple[int, int, int]] = {}
        for key in sorted(first.keys() & second.keys()):
            gained, lost, n = scenarios.get(scenario_of(key), (0, 0, 0))
            change = second[key] - first[key]
            scenarios[scenario_of(key)] = gained + (change > 0), lost + (change < 0), n + 1
        changed = {name: counts for name, counts in scenarios.items() if counts[0] or counts[1]}
        found.append(Flips(names[one], names[two], changed))
    return found
