"""Laws of play: scripted agents, who know their card and what they hear and nothing else, can play the family, and the
judge by rules hears what they said as it was meant."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.domain import SEATS, Episode, Judgement, Scenario, Seat, Task, World
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.patience import again
from adidem.core.kit.render import plain, turn_lines, world_lines
from adidem.core.kit.subject import Sample, Subject
from adidem.core.play import Setup, case_of, no_model, play

JUDGE = "integrity_rules"
MOST_PLAYED = 16
TURNS = 12


def scripted_agents_can_play(subject: Subject) -> Broken | None:
    """Two candid agents reach what is right in every world; the other manners play to the end."""
    sample = subject.recorded if subject.own.kept else subject.own
    places = list(sample.few)
    Random(0).shuffle(places)
    for number, (scenario, world) in enumerate(places[:MOST_PLAYED]):
        seat = SEATS[number % 2]
        for manner in ("candid", "guarded", "agreeable"):
            episode = played(sample, scenario, world, seat, manner)
            problem = _problem(episode, candid=manner == "candid")
            if problem is not None:
                lines = (*world_lines(world, scenario), *turn_lines(episode.turns), *_wrote(episode))
                return Broken(f"scripted:{manner} and scripted:candid: {problem}", lines)
    return None


def the_talk_bears_it_out(subject: Subject) -> Broken | None:
    """Where two candid agents reach what is right, the judge by rules finds that what they said supports what they
    recorded."""
    sample = subject.recorded
    judge = subject.components.of("judge").get(JUDGE)
    if judge is None:
        raise Idle(f"the judge {JUDGE} is switched off")
    for scenario, world in sample.few[:MOST_PLAYED]:
        episode = played(sample, scenario, world, "first", "candid")
        if episode.feasibility is None or not episode.feasibility.passed:
            continue
        name: Any = world.name
        task = Task(scenario, name, "first")
        case = case_of(task, sample.rules, episode.turns, episode.records, episode.feasibility, dialogue=True)
        said: Judgement = asyncio.run(judge.judge(case, no_model))
        if said.flags:
            flag = said.flags[0]
            lines = (*world_lines(world, scenario), *turn_lines(episode.turns), *_wrote(episode))
            return Broken(f"{JUDGE} finds {flag.kind.replace('_', ' ')}: {flag.reason}", lines)
    return None


def played(sample: Sample, scenario: Scenario, world: World, seat: Seat, manner: str) -> Episode:
    """One conversation between a scripted agent of that manner and a candid one."""
    setup = Setup(
        agent=ScriptedAgent(MANNERS[manner]),
        partner=ScriptedAgent(MANNERS["candid"]),
        rules={sample.family.name: sample.rules},
        limit=TURNS,
    )
    again()
    name: Any = world.name
    return asyncio.run(play(Task(scenario, name, seat), setup))


def _problem(episode: Episode, *, candid: bool) -> str | None:
    if episode.status != "scored":
        return f"the episode failed: {episode.cause.message if episode.cause else 'no cause'}"
    if candid and episode.feasibility is not None and not episode.feasibility.passed:
        return f"what they settled is not right: {episode.feasibility.failures[0].message}"
    return None


def _wrote(episode: Episode) -> tuple[str, ...]:
    return tuple(f"{seat} recorded: {plain(written.raw)}" for seat, written in episode.records.items())
