"""The short facts of an episode, as rows of the store's tables."""

from __future__ import annotations

from typing import Any

from adidem.core.domain import Episode, Seat, Usage, other
from adidem.core.outcomes import Outcomes


def columns_of(episode: Episode, outcomes: Outcomes) -> tuple[Any, ...]:
    """What `COLUMNS` hold of it."""
    used = sum(episode.usage.values(), Usage())
    failures = episode.feasibility.failures if episode.feasibility is not None else ()
    reasons = sorted({f"{failure.kind}:{failure.rule}" for failure in failures})
    return (
        *episode.key,
        episode.scenario,
        episode.family,
        episode.split,
        episode.world,
        episode.seat,
        episode.status,
        None if episode.cause is None else episode.cause.kind,
        episode.due,
        episode.ended,
        len(episode.turns),
        outcomes.feasibility,
        outcomes.integrity,
        outcomes.verified_success,
        " ".join(reasons),
        used.calls,
        used.prompt_tokens,
        used.completion_tokens,
        used.cost,
        episode.seconds.get("total", 0.0),
        episode.extra.get("barrier", {}).get("complied"),
    )


def _who(episode: Episode) -> dict[Seat | None, str]:
    return {None: "episode", episode.seat: "agent", other(episode.seat): "partner"}


def flags_of(episode: Episode) -> list[tuple[Any, ...]]:
    """A row of `FLAGS` for every fault that a judge flagged."""
    who = _who(episode)
    return [
        (judgement.judge, flag.kind, who[flag.seat], flag.supported)
        for judgement in episode.judgements
        for flag in judgement.flags
    ]


def ratings_of(episode: Episode) -> list[tuple[Any, ...]]:
    """A row of `RATINGS` for every rating."""
    who = _who(episode)
    return [
        (judgement.judge, r.dimension, who[r.seat], r.score, r.unscored)
        for judgement in episode.judgements
        for r in judgement.ratings
    ]


def spent_of(episode: Episode) -> list[tuple[Any, ...]]:
    """A row of `SPENT` for everyone who asked a model."""
    return [
        (who, used.calls, used.prompt_tokens, used.completion_tokens, used.cost)
        for who, used in episode.usage.items()
        if used.calls
    ]


def attempts_of(episode: Episode) -> list[tuple[Any, ...]]:
    """A row of `ATTEMPTS` for every cause of failed attempts, by who called."""
    return [(who, *failed) for who, used in episode.usage.items() for failed in used.failed]
