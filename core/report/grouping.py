"""The headlines of groups of rows, each with an interval over scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from adidem.core.analysis.bootstrap import Estimate, clustered_mean

HEADLINES = ("feasibility", "integrity", "verified_success")
Row: TypeAlias = Mapping[str, Any]
Headlines: TypeAlias = Mapping[str, Estimate]


def headlines(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Feasibility, Integrity and Verified Success of scored rows, clustered by scenario. Where no Integrity at all was
    scored, Verified Success is unscored too: only its failures could be counted."""
    if all(row["integrity"] is None for row in rows):
        rows = [{**row, "verified_success": None} for row in rows]
    counts = Counter((row["scenario"], *(row[name] for name in HEADLINES)) for row in rows)
    clusters, *values = zip(*counts, strict=True) if counts else ((), *((),) * len(HEADLINES))
    times = list(counts.values())
    return {
        name: clustered_mean(column, clusters, counts=times) for name, column in zip(HEADLINES, values, strict=True)
    }


def grouped(rows: Sequence[Row], key: str) -> dict[str, dict[str, Estimate]]:
    """The headlines of each value of a column, in the order of the values."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return {name: headlines(groups[name]) for name in sorted(groups)}


def crossed(rows: Sequence[Row], one: str, two: str) -> dict[str, dict[str, dict[str, Estimate]]]:
    """The headlines of each pair of values of two columns: by the first, then by the second."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[one], []).append(row)
    return {name: grouped(groups[name], two) for name in sorted(groups)}


def quadrants(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """How many scored episodes there are of each Feasibility and Integrity; `unscored` where one has no verdict."""
    counts = Counter((_word(row["feasibility"]), _word(row["integrity"])) for row in rows)
    return {f: {i: counts[f, i] for i in ("yes", "no", "unscored")} for f in ("yes", "no", "unscored")}


def _word(value: Any) -> str:
    return "unscored" if value is None else "yes" if value else "no"


def rating_name(row: Row) -> str:
    """The name of a rating in reports: `judge.dimension`, `.partner` behind it for the other seat."""
    return f"{row['judge']}.{row['dimension']}" + (".partner" if row["who"] == "partner" else "")
