"""What the viewer's index keeps of an episode: what its table shows and filters by, and the text to search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adidem.core.outcomes import deciding

COLUMNS = (
    "task", "barrier", "repeat", "number", "scenario", "family", "world", "seat", "success", "feasible", "integrity",
    "outcome", "due", "ended", "turns", "why", "tokens", "cost", "seconds",
)  # fmt: skip
FACETS = ("family", "barrier", "world", "seat", "success", "feasible", "integrity", "outcome", "due")
"""The columns whose values one may filter by; `why` is filtered by each of its parts."""
SAID = {1: "yes", 0: "no", None: "unscored"}
LONGEST = 200_000
"""Characters of one text that are searched; what comes after these of a single utterance is not found."""


def row_of(number: int, row: Mapping[str, Any], episode: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values of `COLUMNS`, of the short facts and the JSON of a stored episode."""
    failed = row["status"] != "scored"
    return (
        row["task"],
        row["barrier"],
        row["repeat"],
        number,
        row["scenario"],
        row["family"],
        row["world"],
        row["seat"],
        "failed" if failed else SAID[row["verified_success"]],
        "failed" if failed else SAID[row["feasibility"]],
        "failed" if failed else SAID[row["integrity"]],
        outcome_of(episode),
        row["due"] or "",
        row["ended"],
        row["turns"],
        "\n".join(why(row, episode)),
        _fitting(row["prompt_tokens"] + row["completion_tokens"]),
        row["cost"],
        row["seconds"],
    )


def _fitting(count: int) -> int | float:
    """A count as SQLite can hold it: one beyond 64 bits is near enough."""
    return count if count < 2**63 else float(count)


def outcome_of(episode: Mapping[str, Any]) -> str:
    """What the two records come to: the outcome that both name, `differ`, `unreadable`, or `none` where nothing was
    recorded."""
    records = episode.get("records") or {}
    said = [record.get("outcome") for record in records.values()]
    if not said:
        return "none"
    if None in said:
        return "unreadable"
    return str(said[0]) if len(set(said)) == 1 else "differ"


def why(row: Mapping[str, Any], episode: Mapping[str, Any]) -> list[str]:
    """Why an episode is no success, as `kind:name`: `failed` with the cause, then what the rules found, then
    `integrity` with each fault that was supported."""
    found = [f"failed:{row['cause']}"] if row["status"] != "scored" else []
    failures = (episode.get("feasibility") or {}).get("failures") or ()
    found += sorted({f"{failure['kind']}:{failure['rule']}" for failure in failures})
    if row["integrity"] == 0:
        judged = {str(j.get("judge")): j for j in episode.get("judgements") or ()}
        label = deciding({name: judgement.get("spec") for name, judgement in judged.items()})
        flags = judged[label].get("flags") or () if label is not None else ()
        found += sorted({f"integrity:{flag['kind']}" for flag in flags if flag.get("supported", True)})
    return [" ".join(part.split()) for part in found]


def text_of(episode: Mapping[str, Any]) -> str:
    """All that a text search looks through: the task, what was said and thought, the records, reasons and messages."""
    return "\n".join(text[:LONGEST] for text in _texts(episode))


def _texts(episode: Mapping[str, Any]) -> Iterator[str]:
    yield str(episode.get("task", ""))
    for turn in episode.get("turns") or ():
        yield from (turn[part] for part in ("text", "meant", "reasoning") if isinstance(turn.get(part), str))
    for record in (episode.get("records") or {}).values():
        yield from _strings((record.get("raw"), record.get("unreadable")))
    yield from _strings((episode.get("feasibility"), episode.get("cause")))
    for judgement in episode.get("judgements") or ():
        for part in (*(judgement.get("ratings") or ()), *(judgement.get("flags") or ())):
            yield from _strings([part.get(name) for name in ("reason", "unscored", "quote")])


def _strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, and its numbers as text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
