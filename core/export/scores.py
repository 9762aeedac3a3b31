"""What an episode came to, as numbers by name: the headlines, and every judge's ratings."""

from __future__ import annotations

from adidem.core.domain import Episode
from adidem.core.outcomes import outcomes_of

HEADLINES = ("verified_success", "feasibility", "integrity")


def scores_of(episode: Episode) -> dict[str, float | None]:
    """What an episode came to: `verified_success`, `feasibility` and `integrity` as 0 or 1, and every judge's
    `judge.dimension` of the tested seat or of the whole episode. None is unscored."""
    found = outcomes_of(episode)
    told = {
        "verified_success": found.verified_success,
        "feasibility": found.feasibility,
        "integrity": found.integrity,
    }
    scores: dict[str, float | None] = {key: None if value is None else float(value) for key, value in told.items()}
    for judgement in episode.judgements:
        for rating in judgement.ratings:
            if rating.seat in (None, episode.seat):
                scores[f"{judgement.judge}.{rating.dimension}"] = rating.score
    return scores
