"""Episodes in SOTOPIA's layout: what the two were given, what they said and did, how they were rated.

Source: the fields of SOTOPIA's published episodes (arXiv 2310.11667). An episode whose scenario was read from such a
file has every field of it, so that reading an export gives the same scenarios back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from adidem.core.containment import called, contained
from adidem.core.contracts import Family
from adidem.core.domain import SEATS, Episode, Scenario, Turn, World, other
from adidem.core.outcomes import leading
from adidem.core.runs.store import RunStore

JUDGE = "sotopia"
ENVIRONMENT = "Environment"
PLAYED = (
    "experiment_tag", "experiment_model_name_pairs", "social_interactions", "raw_messages", "rewards",
    "task", "barrier", "repeat",
)  # fmt: skip
"""What an export adds to the fields of an episode that was only to be played."""


def lines(store: RunStore, families: Mapping[str, Family]) -> Iterator[bytes]:
    """One JSON object for each scored episode, in the order of task, barrier and repeat.

    Raises:
        ConfigError: the store is damaged; at once where it lacks a scenario.
    """
    return _lines(store, store.played(), families)


def _lines(store: RunStore, scenarios: Mapping[str, Scenario], families: Mapping[str, Family]) -> Iterator[bytes]:
    tag = str(store.get("config", {}).get("suite", ""))
    for episode in store.episodes():
        if episode.status == "scored":
            scenario = scenarios[episode.scenario]
            given = _given(episode, scenario, families.get(episode.family))
            yield orjson.dumps({**given, **played(episode, scenario, tag)})


def played(episode: Episode, scenario: Scenario, tag: str = "") -> dict[str, Any]:
    """What came of an episode, people in the order of their seats."""
    names = scenario.public.names
    models = [episode.agents.agent if seat == episode.seat else episode.agents.partner for seat in SEATS]
    acts = [(names[SEATS.index(turn.seat)], act) for turn in episode.turns for act in acted(turn)]
    return {
        "experiment_tag": tag,
        "experiment_model_name_pairs": models,
        "social_interactions": "\n\n".join(f"{name} {act}" for name, act in acts),
        "raw_messages": [[[name, ENVIRONMENT, act]] for name, act in acts],
        "rewards": [_rewards(episode, seat) for seat in SEATS],
        "task": episode.task,
        "barrier": episode.barrier,
        "repeat": episode.repeat,
    }


def acted(turn: Turn) -> Iterator[str]:
    """What a turn is as SOTOPIA tells it: one act, or two where somebody says a last word and leaves."""
    if turn.action in ("speak", "leave") and turn.text:
        yield f'said: "{turn.text}"'
    if turn.action == "leave":
        yield "left the conversation"
    elif turn.action == "none":
        yield "did nothing"
    elif turn.action != "speak":
        yield f"[{turn.action}] {turn.text}"


def _rewards(episode: Episode, seat: Any) -> dict[str, float] | None:
    """The person's scores by dimension; None where no judge of the seven dimensions sat, unscored ones left out."""
    found = {judgement.judge: judgement for judgement in episode.judgements}
    label = leading({name: judgement.spec for name, judgement in found.items()}, (JUDGE,))
    if label is None:
        return None
    return {r.dimension: r.score for r in found[label].ratings if r.seat == seat and r.score is not None}


def _given(episode: Episode, scenario: Scenario, family: Family | None) -> dict[str, Any]:
    """The episode as it was imported, or, of a family of ours, as SOTOPIA would tell it: under an id of its own."""
    write = getattr(family, "write_episode", None)
    if write is not None and family is not None:
        entry: Any = contained(called("family", family), lambda: write(scenario))
        if isinstance(entry, dict) and isinstance(entry.get("scenario"), str):
            return entry
    public, world = scenario.public, scenario.world(episode.world)
    return {
        "episode_id": f"{episode.task}/{episode.barrier}/{episode.repeat}",
        "codename": scenario.setting,
        "scenario": "\n".join(text.strip() for text in (public.story, public.brief) if text.strip()),
        "agents_background": {public.name(s): f"{public.name(s)} {public.roles[SEATS.index(s)].about}" for s in SEATS},
        "social_goals": {public.name(s): _goal(world, s, public.name(other(s))) for s in SEATS},
    }


def _goal(world: World, seat: Any, partner: str) -> str:
    told = [condition.text for condition in world.conditions if condition.owner == seat and condition.text]
    return " ".join([f"Settle the matter with {partner}.", *told])
