"""Rollouts side by side: what probes cost, and what lockstep saves beside `generate()` conversation by conversation.

The same conversations are played each time, by the same code; what differs is the sampler. Processor seconds stand
beside the clock's, since other work on the machine moves the one much less than the other.

    python benchmarks/rollouts.py                     the lab's tongue on a fresh tiny model, which talks at random
    python benchmarks/rollouts.py --model FOLDER      and on one that has learned to
    python benchmarks/rollouts.py --model hf:smollm2 --conversations 16 --alone 4 --turns 2 --tokens 16 --repeats 1
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from attrs import define

from adidem.core.domain import SEATS, Scenario, Task
from adidem.core.policy.contracts import Ask, Policy, Sampled
from adidem.core.policy.draw import Draw
from adidem.core.policy.loading import load_policy
from adidem.core.policy.tiny import tiny
from adidem.core.rules import Rules
from adidem.core.runs.scenarios import rules_of
from adidem.core.setup import load
from adidem.core.training.contracts import Job
from adidem.core.training.lab.base import tongue_of
from adidem.core.training.lab.partner import LabPartner
from adidem.core.training.rollouts import Options, play

FAMILIES = (
    "resource_allocation",
    "authorization",
    "bounded_quantities",
    "joint_scheduling",
    "shared_resource_scheduling",
    "set_consent",
)


class OneByOne:
    """The sampler that needs no code: each row by itself, its whole conversation through `generate()` every time."""

    def __init__(self, policy: Any, openings: Sequence[Sequence[int]]) -> None:
        self.model, self.rows = policy.model, [list(ids) for ids in openings]

    async def sampled(self, asks: Mapping[int, Ask], draw: Draw, *, keep: bool = True) -> dict[int, Sampled]:
        found = {}
        for row, ask in asks.items():
            prompt = [*self.rows[row], *ask.tokens]
            ids = self._generated(prompt, ask, draw)
            found[row] = Sampled(ids, [0.0] * len(ids))
            if keep:
                self.rows[row] = [*prompt, *ids]
        return found

    @torch.inference_mode()
    def _generated(self, prompt: list[int], ask: Ask, draw: Draw) -> list[int]:
        torch.manual_seed(ask.stream.getrandbits(31))
        how = {"do_sample": True, "temperature": draw.temperature} if draw.temperature else {"do_sample": False}
        ids = torch.tensor([prompt])
        out = self.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=ask.most,
            eos_token_id=sorted(ask.ends),
            pad_token_id=min(ask.ends),
            top_k=0,
            **how,
        )
        return [int(each) for each in out[0, len(prompt) :]]

    def drop(self, rows: Sequence[int]) -> None:
        """Nothing is held for them."""


@define
class Table:
    """The rows that are printed, and the seconds of each, of the clock and of a core."""

    policy: Policy
    rules: Mapping[str, Rules]
    options: Options

    def row(self, name: str, jobs: Sequence[Job], probes: Any = None, *, one_by_one: bool = False) -> float:
        """Play once and print; processor seconds a conversation."""
        kept = self.policy.sampler
        if one_by_one:
            self.policy.sampler = lambda openings, **_: OneByOne(self.policy, openings)  # type: ignore[method-assign]
        options = Options(limit=self.options.limit, probes=probes, together=self.options.together)
        partner = LabPartner()
        clock, busy = time.perf_counter(), time.process_time()
        played = asyncio.run(play(jobs, self.policy, lambda _: partner, self.rules, options))
        clock, busy = time.perf_counter() - clock, time.process_time() - busy
        self.policy.sampler = kept  # type: ignore[method-assign]
        tokens = sum(len(each.trajectory.ids) for each in played) / len(played)
        turns = sum(len(each.conversation) for each in played) / len(played)
        parts = {part: sum(each.times[part] for each in played) for part in played[0].times}
        spent = " ".join(f"{part} {seconds:.2f}" for part, seconds in parts.items() if seconds)
        print(
            f"{name:28} {len(jobs):4} conversations  {len(jobs) / clock:7.1f}/s  of a core {len(jobs) / busy:7.1f}/s  "
            f"tokens {tokens:.0f}  turns {turns:.1f}  seconds: {spent}"
        )
        return busy / len(jobs)


def jobs_of(scenarios: Sequence[Scenario], count: int, seed: int) -> list[Job]:
    """Two samples in each world of each scenario, the seats in turn."""
    found = []
    for place, scenario in enumerate(scenarios):
        for world in ("a", "b"):
            task = Task(scenario, world, SEATS[place % 2])
            found += [Job(task, each, seed * 1_000_003 + place * 10 + each, SEATS[place // 2 % 2]) for each in (0, 1)]
    return found[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=384)
    parser.add_argument("--alone", type=int, default=24, help="conversations that are played one by one")
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=12, help="most tokens of a turn, where the codec may be told")
    parser.add_argument("--model", help="hf:smollm2, or a folder")
    given = parser.parse_args()
    torch.set_num_threads(1)
    rules = rules_of(load(), FAMILIES)
    each = -(-given.conversations // 4 // len(FAMILIES)) or 1
    scenarios = [one for name in FAMILIES for one in rules[name].family.scenarios("train", 5, each)]
    policy: Policy
    if given.model is None:
        tongue = tongue_of({name: rules[name].family for name in FAMILIES})
        tongue.longest_turn = tongue.longest_record = given.tokens
        policy = tiny(tongue, len(tongue.vocabulary))
    else:
        policy = load_policy(given.model, turn_tokens=given.tokens, record_tokens=given.tokens)
    table = Table(policy, rules, Options(limit=given.turns, together=given.conversations))
    jobs = jobs_of(scenarios, given.conversations, 1)
    table.row("warming up", jobs)
    seconds: dict[str, list[float]] = {"none": [], "own": [], "reply": []}
    for _ in range(given.repeats):
        for probes, found in seconds.items():
            found.append(table.row(f"lockstep, probes {probes}", jobs, None if probes == "none" else probes))
    alone = table.row("generate(), probes none", jobs[: given.alone], one_by_one=True)
    best = {probes: min(found) for probes, found in seconds.items()}
    print(f"probes after the own turn   × {best['own'] / best['none']:.2f}   (bound: 1.40)")
    print(f"probes after the reply      × {best['reply'] / best['none']:.2f}   (bound: 1.40)")
    print(f"generate() beside lockstep  × {alone / best['none']:.2f}   (bound: 4 on a tiny model, 2 on SmolLM2)")


if __name__ == "__main__":
    main()
