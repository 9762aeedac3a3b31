"""Episodes in SOTOPIA's layout: what the two were given, what they said and did, how they were rated.

Source: the fields of SOTOPIA's published episodes (arXiv 2310.11667), all of which its own reader asks for. An episode
whose scenario was read from such a file has every field of it, so that reading an export gives the same scenarios back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from adidem.core.containment import called, contained
from adidem.core.contracts import Family
from adidem.core.domain import SEATS, Episode, Judgement, Scenario, Seat, Turn, World, other
from adidem.core.outcomes import leading
from adidem.core.runs.store import RunStore

JUDGE = "sotopia"
OVERALL, NORMALISED = "overall", "overall_normalised"
ENVIRONMENT = "Environment"
PLAYED = (
    "experiment_tag", "experiment_model_name_pairs", "social_interactions", "raw_messages", "rewards", "raw_rewards",
    "raw_rewards_prompt", "reasoning", "scores", "task", "barrier", "repeat",
)  # fmt: skip
"""What an export adds to the fields of an episode that was only to be played."""

FILLED = ("episode_id", "environment_id", "agent_ids", "codename", "agents_background", "social_goals")
"""What SOTOPIA's reader asks for besides, where the episode that was read had it not."""


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
            filled = _filled(given, episode, scenario)
            yield orjson.dumps({**filled, **given, **played(episode, scenario, tag)})


def unrated(store: RunStore) -> int:
    """How many scored episodes have no `rewards`, so that SOTOPIA's own reader, which wants a number, stops at them."""
    return sum(episode.status == "scored" and not _rewards(_judgement(episode)) for episode in store.episodes())


def played(episode: Episode, scenario: Scenario, tag: str = "") -> dict[str, Any]:
    """What came of an episode, people in the order of their seats. The models are the judge's ("" where none sat) and
    the two people's, as SOTOPIA orders them. `scores` are all that were given; `rewards`, which in SOTOPIA begin with
    the overall score, are empty where one of the two people has none."""
    names = scenario.public.names
    judgement = _judgement(episode)
    models = [episode.agents.agent if seat == episode.seat else episode.agents.partner for seat in SEATS]
    rewards = _rewards(judgement)
    acts = [(names[SEATS.index(turn.seat)], act) for turn in episode.turns for act in acted(turn)]
    return {
        "experiment_tag": tag,
        "experiment_model_name_pairs": [(judgement and judgement.spec) or "", *models],
        "social_interactions": "\n\n".join(f"{name} {act}" for name, act in acts),
        "raw_messages": [_before(episode, scenario), *([[name, ENVIRONMENT, act]] for name, act in acts)],
        "rewards": rewards,
        "raw_rewards": rewards,
        "raw_rewards_prompt": "",
        "reasoning": _reasoning(judgement, names),
        "scores": [None if judgement is None else _scores(judgement, seat) for seat in SEATS],
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


def _judgement(episode: Episode) -> Judgement | None:
    """What the judge of the seven dimensions said, of several the one that leads; None where none sat."""
    found = {judgement.judge: judgement for judgement in episode.judgements}
    label = leading({name: judgement.spec for name, judgement in found.items()}, (JUDGE,))
    return None if label is None else found[label]


def _scores(judgement: Judgement, seat: Seat) -> dict[str, float]:
    """The person's scores by dimension; unscored ones are left out."""
    return {r.dimension: r.score for r in judgement.ratings if r.seat == seat and r.score is not None}


def _rewards(judgement: Judgement | None) -> list[tuple[float, dict[str, float]]]:
    """For each person the overall score, and all of them with it; nothing where an overall score is missing."""
    scores = [] if judgement is None else [_scores(judgement, seat) for seat in SEATS]
    if not all(OVERALL in each for each in scores):
        return []
    return [(each[OVERALL], _dimensions(each)) for each in scores]


def _dimensions(scores: Mapping[str, float]) -> dict[str, float]:
    seven = {name: score for name, score in scores.items() if name not in (OVERALL, NORMALISED)}
    return {**seven, "overall_score": scores[OVERALL]}


def _reasoning(judgement: Judgement | None, names: Sequence[str]) -> str:
    """The judge's reasons, a line for each person and dimension."""
    ratings = () if judgement is None else judgement.ratings
    told = ((r, "both" if r.seat is None else names[SEATS.index(r.seat)]) for r in ratings if r.reason)
    return "\n".join(f"{name}, {rating.dimension}: {rating.reason}" for rating, name in told)


def _filled(given: Mapping[str, Any], episode: Episode, scenario: Scenario) -> dict[str, Any]:
    """The fields of `FILLED`, made of the scenario."""
    public, world = scenario.public, scenario.world(episode.world)
    return {
        "episode_id": episode.task,
        "environment_id": scenario.id,
        "agent_ids": _ids(given.get("agent_profiles")) or list(public.names),
        "codename": scenario.setting,
        "agents_background": {public.name(seat): _background(scenario, world, seat) for seat in SEATS},
        "social_goals": {public.name(seat): _told(world, seat, "goal") for seat in SEATS},
    }


def _ids(profiles: Any) -> list[str]:
    """The ids in the two people's profiles, where both have one."""
    found = [p["pk"] for p in profiles if isinstance(p, Mapping) and p.get("pk")] if isinstance(profiles, list) else []
    return list(map(str, found)) if len(found) == len(SEATS) else []


def _background(scenario: Scenario, world: World, seat: Seat) -> str:
    """Who somebody is, secret included, as SOTOPIA tells it; what the other may know where there is no more."""
    whole, secret = _told(world, seat, "profile"), _told(world, seat, "secret")
    return " ".join(filter(None, (whole, secret))) or scenario.public.roles[SEATS.index(seat)].about


def _told(world: World, seat: Seat, kind: str) -> str:
    return " ".join(each.text for each in world.conditions if (each.owner, each.kind) == (seat, kind))


def _before(episode: Episode, scenario: Scenario) -> list[list[str]]:
    """What each of the two was told before anybody spoke, which in SOTOPIA is the first turn."""
    public, world = scenario.public, scenario.world(episode.world)
    told = {seat: [each.text for each in world.conditions if each.owner == seat] for seat in SEATS}
    story = "\n".join(text.strip() for text in (public.story, public.brief) if text.strip())
    return [[ENVIRONMENT, public.name(seat), "\n".join(filter(None, (story, *told[seat])))] for seat in SEATS]


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


def _goal(world: World, seat: Seat, partner: str) -> str:
    told = [condition.text for condition in world.conditions if condition.owner == seat and condition.text]
    return " ".join([f"Settle the matter with {partner}.", *told])
