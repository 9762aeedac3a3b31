"""A problem with a known answer, for trainers: ask, hear the letter of the world, write it down.

The policy says one token, the partner answers, the policy writes one token. Whoever says ASK hears the world's letter,
any other word gets NOTHING. The record is right where it is the world's letter: asking and copying is worth 1, anything
else 1 / LETTERS at best.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from attrs import evolve, frozen

from adidem.core.contracts import Trainer
from adidem.core.domain import Condition, Objective, Probe, Public, Role, Rollout, Sampling, Scenario, TurnCredit
from adidem.core.policy.lockstep import Ask, Lockstep
from adidem.core.policy.picking import Draw
from adidem.core.policy.tiny import Shape, tiny
from adidem.core.policy.weights import WeightsPolicy
from adidem.core.training.contracts import Job, Sample, Trajectory
from adidem.core.training.loop import Outcome, Plan, Stage
from adidem.core.training.recipe import Update
from adidem.core.training.update import Learner

START, TURN, PROBE, RECORD, ASK, NOTHING = range(6)
LETTERS = (6, 7, 8, 9, 10)
VOCABULARY = 11
SHAPE = Shape(width=32, layers=1, heads=2, inner=32, positions=16)
PUBLIC = Public("Two.", "One letter.", (Role("first", "Ada", ""), Role("second", "Bo", "")))


@frozen
class Words:
    """As much of a codec as the update needs."""

    name: str = "words"
    pad: int = 0

    def save(self, folder: Path) -> None:
        (folder / "words").write_text("")


def new_policy(seed: int = 0, shape: Shape = SHAPE) -> WeightsPolicy:
    """A policy that knows nothing."""
    return tiny(Words(), VOCABULARY, shape, seed=seed)  # type: ignore[arg-type]


def taught_policy(seed: int = 0, steps: int = 30) -> WeightsPolicy:
    """A policy that has seen mixed demonstrators: half of them ask, and a third of those write what they heard, in
    tentative records as in final ones."""
    policy, rng = new_policy(seed), Random(seed)
    learner = Learner(policy, Update(lr=1e-2, epochs=1, minibatches=1, micro=256), 1.0, 2)
    for step in range(steps):
        samples = [_demonstration(rng) for _ in range(128)]
        weights = TurnCredit("weights", ((1.0, 1.0),) * len(samples))
        learner.learn(samples, weights, Objective(loss="likelihood"), str(step))
    return policy


def _demonstration(rng: Random) -> Sample:
    letter, said = rng.choice(LETTERS), rng.choice((ASK, NOTHING))
    heard = letter if said == ASK else NOTHING
    wrote = heard if heard in LETTERS and rng.random() < 1 / 3 else rng.choice(LETTERS)
    ids = (START, TURN, said, rng.choice((RECORD, PROBE)), heard, wrote)
    return Sample(Trajectory(ids, (-1, -1, 0, -1, -1, 1), (0.0,) * 6), Rollout("s", "a", "first", 0, (0.0, 0.0)))


def scenarios(count: int) -> list[Scenario]:
    """So many; the letters of their worlds go round."""

    def world(k: int) -> tuple[Condition, ...]:
        return (Condition("second", "letter", LETTERS[k % len(LETTERS)]),)

    return [
        Scenario(f"toy/train/{k:02d}", "toy", "train", "toy", PUBLIC, world(k), world(k + 1 + k // 5))
        for k in range(count)
    ]


def player(policy: WeightsPolicy, temperature: float = 1.0) -> Any:
    """Plays jobs and scores them."""

    def play(jobs: Sequence[Job], sampling: Sampling) -> list[Outcome]:
        rows = range(len(jobs))
        streams = [Random(job.seed) for job in jobs]
        lockstep, draw = Lockstep(policy.trunk, [[START] for _ in jobs]), Draw(temperature)

        def asked(tokens: Sequence[Sequence[int]], how: Draw, *, keep: bool = True) -> list[tuple[int, float]]:
            asks = {row: Ask(tokens[row], frozenset(), 1, streams[row]) for row in rows}
            found = lockstep.sample(asks, how, keep=keep)
            return [(found[row].ids[0], found[row].logps[0]) for row in rows]

        said = asked([[TURN]] * len(jobs), draw)
        heard = [_letter(job) if word == ASK else NOTHING for job, (word, _) in zip(jobs, said, strict=True)]
        plans = [NOTHING] * len(jobs)
        if sampling.probes:
            plans = [plan for plan, _ in asked([[PROBE, one] for one in heard], Draw(0.0), keep=False)]
        wrote = asked([[RECORD, one] for one in heard], draw)
        return [
            _outcome(job, *told, sampling.probes) for job, *told in zip(jobs, said, heard, plans, wrote, strict=True)
        ]

    return play


def _letter(job: Job) -> int:
    return int(job.task.scenario.world(job.task.world).conditions[0].value)


def _outcome(
    job: Job, said: tuple[int, float], heard: int, plan: int, wrote: tuple[int, float], probed: bool
) -> Outcome:
    letter, other = (
        _letter(job),
        _letter(evolve(job, task=evolve(job.task, world="b" if job.task.world == "a" else "a"))),
    )
    right, readable = wrote[0] == letter, plan in LETTERS
    probe = Probe(plan == letter if readable else None, plan == other if readable else None, heard != NOTHING)
    trajectory = Trajectory(
        (START, TURN, said[0], RECORD, heard, wrote[0]), (-1, -1, 0, -1, -1, 1), (0.0, 0.0, said[1], 0.0, 0.0, wrote[1])
    )
    task = job.task
    rollout = Rollout(
        task.scenario.id,
        task.world,
        task.seat,
        job.sample,
        (0.0, float(right)),
        (probe,) if probed else (),
        ("start", f"{plan}/{heard != NOTHING}") if probed else (),
        right,
        tokens=(1, 1),
        extra={"asked": said[0] == ASK},
    )
    return Outcome(trajectory, rollout)


def plan_of(
    policy: WeightsPolicy, *trainers: Trainer, updates: int = 10, conversations: int = 64, seed: int = 0, **more: Any
) -> Plan:
    """A run of these trainers, one stage each."""
    settings = Update(**{"lr": 1e-2, "value_lr": 1e-2, "micro": 32, **more})
    stages = [Stage(t, updates, conversations, settings, 1.0, 2, player(policy)) for t in trainers]
    return Plan(policy, stages, lambda _, count: scenarios(count), seed, board=False)
