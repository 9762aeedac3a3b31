"""Rollouts in the lab: conversations a second on one thread, what probes cost, and what lockstep saves."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

import torch

from adidem.core.contracts import Agent
from adidem.core.domain import SEATS, Scenario, Task
from adidem.core.policy.contracts import Policy
from adidem.core.policy.loading import load_policy
from adidem.core.policy.tiny import tiny
from adidem.core.policy.tongue import Tongue, surface_words, vocabulary_of
from adidem.core.rules import Rules
from adidem.core.setup import Setup, load
from adidem.core.training.contracts import Job, Played
from adidem.core.training.lab.partner import PARTNER, LabPartner, partner_phrases
from adidem.core.training.rollouts import Options, play


def the_rules(setup: Setup) -> dict[str, Rules]:
    """Of all families that keep records."""
    found = setup.components
    kept = {name: family for name, family in found.families.items() if family.terms is not None}
    return {name: Rules(family, found.checkers_for(name)) for name, family in kept.items()}


def the_jobs(scenarios: list[Scenario], count: int, seed: int) -> list[Job]:
    """Two samples in each world of each scenario, the seats in turn."""
    found = []
    for place, scenario in enumerate(scenarios):
        for world in ("a", "b"):
            task = Task(scenario, world, SEATS[place % 2])
            found += [Job(task, each, seed * 1_000_003 + place * 10 + each, SEATS[place // 2 % 2]) for each in (0, 1)]
    return found[:count]


def fresh_policy(setup: Setup, scenarios: list[Scenario]) -> Policy:
    """A policy that talks at random: its conversations are as long as they may get."""
    families = {name: setup.components.families[name] for name in {each.family for each in scenarios}}
    tongue = Tongue(
        vocabulary_of(families, scenarios, surface_words(partner_phrases(PARTNER).values())),
        longest_turn=12,
        longest_record=12,
    )
    return tiny(tongue, len(tongue.vocabulary))


def measured(jobs: list[Job], policy: Policy, partner: Agent, rules: dict[str, Rules], options: Options) -> None:
    started, busy = time.perf_counter(), time.process_time()
    played: list[Played] = asyncio.run(play(jobs, policy, lambda _job: partner, rules, options))
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    parts = {name: round(sum(each.times[name] for each in played), 2) for name in played[0].times}
    lengths = [len(each.trajectory.ids) for each in played]
    turns = sum(len(each.conversation) for each in played) / len(played)
    print(
        f"probes {options.probes!s:6} {len(jobs) / seconds:6.1f} conversations/s, {seconds:5.2f} s; "
        f"of a core {busy:5.2f} s, {len(jobs) / busy:.0f}/s; {parts}"
    )
    print(
        f"              tokens mean {sum(lengths) / len(lengths):.0f} max {max(lengths)}, turns {turns:.1f}, "
        f"failed {sum(each.failure is not None for each in played)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=384)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--checkpoint", type=Path, help="a trained policy; without one it is fresh and talks at random")
    given = parser.parse_args()
    torch.set_num_threads(1)
    setup = load()
    rules = the_rules(setup)
    names = [name for name in rules if name != "casino"]
    count = -(-given.conversations // 4)
    scenarios = [each for name in names for each in rules[name].family.scenarios("train", 5, -(-count // len(names)))]
    policy = fresh_policy(setup, scenarios) if given.checkpoint is None else load_policy(str(given.checkpoint))
    partner = LabPartner()
    jobs = the_jobs(scenarios, given.conversations, 1)
    for _ in range(given.repeats):
        for probes in (None, "own", "reply"):
            measured(jobs, policy, partner, rules, Options(limit=8, probes=probes))


if __name__ == "__main__":
    main()
