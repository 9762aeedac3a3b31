"""From a run that is ready to one that runs: the policy with its codec, how its conversations are played and scored.

torch is loaded here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from uuid import uuid4

from attrs import evolve

from adidem.core.contracts import Agent
from adidem.core.domain import Rollout, Sampling, Seat, Turn, other
from adidem.core.play.barrier import through
from adidem.core.policy.contracts import Codec, Policy
from adidem.core.policy.draw import Draw
from adidem.core.policy.server import Serving
from adidem.core.training.contracts import Job, Played
from adidem.core.training.imitation import demonstrated
from adidem.core.training.loop import Outcome, Plan, Stage, counted
from adidem.core.training.parallel import ALONE, Processes, device_of
from adidem.core.training.prepare import Across, Phase, Ready
from adidem.core.training.recipe import Imitation, PolicySettings
from adidem.core.training.reward import Scorer, Unscored
from adidem.core.training.rollouts import Options, play
from adidem.core.training.sides import Talk

Say = Callable[[str], None]


def assemble(ready: Ready, runner: asyncio.Runner, say: Say, processes: Processes = ALONE) -> Plan:
    """The plan of a run. `runner` is the one loop in which all its conversations are played; `say` is told what is
    being made. Raises ConfigError where the policy cannot be had."""
    recipe = ready.recipe
    if not processes.first:
        processes.wait()  # the first one makes what is made once
    policy = policy_of(ready, say)
    if processes.first:
        processes.wait()
    scorer = Scorer(ready.rules, recipe.reward, ready.judge, ready.conduct, ready.raters, ready.annotator)
    stages = [
        Stage(
            trainer=phase.trainer,
            updates=phase.updates,
            conversations=phase.conversations,
            settings=phase.update,
            temperature=phase.play.temperature,
            longest=longest(policy.codec, phase.play.turns),
            play=partial(_played, ready, policy, phase, scorer, runner),
        )
        for phase in ready.phases
    ]
    return Plan(
        policy=policy,
        stages=stages,
        scenarios=ready.scenarios,
        seed=recipe.seed,
        save_every=recipe.save_every,
        keep=recipe.keep,
        evaluate=None if recipe.evaluation is None else partial(_tried, ready, policy, runner),
        evaluate_every=0 if recipe.evaluation is None else recipe.evaluation.every,
        board=recipe.tensorboard,
        processes=processes,
    )


def longest(codec: Codec, turns: int) -> int:
    """The most tokens that a policy may say in a conversation of so many turns of both, its record among them."""
    return -(-turns // 2) * codec.most("turn") + codec.most("record")


def policy_of(ready: Ready, say: Say) -> Policy:
    """The policy that training starts from. Raises ConfigError."""
    import torch

    settings = ready.recipe.policy
    torch.set_num_threads(settings.threads)
    _no_bars()
    return _loaded(settings, _start(ready, say), device_of(settings.device), ready)


def _no_bars() -> None:
    """Loading and writing weights show no bars of their own between ours."""
    import transformers

    logging: Any = transformers.utils.logging
    logging.disable_progress_bar()


def base_folder(ready: Ready, say: Say) -> Path:
    """The lab's starting policy, made by imitation where it is not kept yet: it is the same for every run of the same
    imitation, size, families and turns."""
    from adidem.core.training.lab.base import base_place, make_base

    recipe = ready.recipe
    imitation, turns = recipe.imitation or Imitation(), ready.phases[0].play.turns
    place = base_place(ready.rules, imitation, recipe.policy.tiny, turns)
    return make_base(ready.rules, imitation, recipe.policy.tiny, turns, place, say)


def _start(ready: Ready, say: Say) -> Path | None:
    settings = ready.recipe.policy
    if settings.start is not None:
        return settings.start
    return base_folder(ready, say) if settings.model == "tiny" else None


def _loaded(settings: PolicySettings, start: Path | None, device: str, ready: Ready) -> Policy:
    from adidem.core.policy.loading import load_policy

    play_settings = ready.phases[0].play
    spec = str(start) if start is not None else settings.model.removeprefix("hf:")
    found = load_policy(
        spec,
        adapter=settings.adapter,
        dtype=settings.dtype,
        device=device,
        checkpointing=settings.checkpointing,
        detach=settings.detach,
        turn_tokens=play_settings.turn_tokens,
        record_tokens=play_settings.record_tokens,
    )
    if settings.server is not None:
        found.serving = Serving(settings.server, f"adidem-{uuid4().hex[:8]}")
    return found


def _tried(ready: Ready, policy: Policy, runner: asyncio.Runner, _update: int) -> dict[str, Any]:
    """What the recipe's evaluation finds, by what was tried and figure; and `unscored`, why, where something was."""
    from adidem.core.training.evaluate import means, trials_of

    found = runner.run(trials_of(ready, policy))
    why = counted(each.unscored for trials in found.values() for each in trials if each.unscored is not None)
    figures = {f"{name}/{figure}": number for name, trials in found.items() for figure, number in means(trials).items()}
    return {**figures, "unscored": why} if why else figures


def _played(
    ready: Ready,
    policy: Policy,
    phase: Phase,
    scorer: Scorer,
    runner: asyncio.Runner,
    jobs: Sequence[Job],
    sampling: Sampling,
) -> list[Outcome]:
    """Play and score jobs."""
    return runner.run(_outcomes(ready, policy, phase, scorer, jobs, sampling))


async def _outcomes(
    ready: Ready, policy: Policy, phase: Phase, scorer: Scorer, jobs: Sequence[Job], sampling: Sampling
) -> list[Outcome]:
    started = perf_counter()
    if sampling.source == "demonstrator":
        played = await _shown(ready, policy, phase, jobs)
    else:
        played = await _by_policy(ready, policy, phase, jobs, sampling)
    talked = perf_counter()
    rollouts = await scorer.rollouts(played)
    ended = perf_counter()
    seconds = {"talking": talked - started, "scoring": ended - talked}
    for name in dict.fromkeys(name for one in played for name in one.times):
        seconds[name] = sum(one.times.get(name, 0.0) for one in played)
    found = [_outcome(policy.codec, one, rollout) for one, rollout in zip(played, rollouts, strict=True)]
    return [evolve(found[0], seconds=seconds), *found[1:]] if found else []


def _outcome(codec: Codec, played: Played, rollout: Rollout | Unscored) -> Outcome:
    """What was cut off in the midst of a turn went on; only one whose record was cut has no end that was judged."""
    if isinstance(rollout, Unscored):
        return Outcome(unscored=rollout.reason)
    own = [token for token, turn in zip(played.trajectory.ids, played.trajectory.turns, strict=True) if turn >= 0]
    cut = played.trajectory.truncated and own[-1] not in codec.ends("record")
    extra = {**rollout.extra, "cut_short": float(played.trajectory.truncated)}
    return Outcome(played.trajectory, evolve(rollout, truncated=cut, extra=extra))


async def _by_policy(
    ready: Ready, policy: Policy, phase: Phase, jobs: Sequence[Job], sampling: Sampling
) -> list[Played]:
    settings = phase.play
    options = Options(
        limit=settings.turns,
        draw=Draw(settings.temperature),
        partner_draw=Draw(settings.temperature),
        probes=sampling.probe_at if sampling.probes else None,
        together=settings.at_once,
    )
    partner: Any = phase.partner.agent
    distortion = partial(_distorted, phase.partner) if phase.partner.barrier else None
    return await play(jobs, policy, lambda _: partner, ready.rules, options, distortion)


async def _shown(ready: Ready, policy: Policy, phase: Phase, jobs: Sequence[Job]) -> list[Played]:
    partner, demonstrator = phase.partner.agent, phase.demonstrator
    assert demonstrator is not None
    known: Agent = demonstrator if isinstance(partner, str) else partner
    across = phase.partner

    def distortion(job: Job, history: list[Turn]) -> Callable[[Turn], Turn] | None:
        return _through(across, job, history) if across.barrier else None

    limit = phase.play.turns
    return await demonstrated(jobs, demonstrator, lambda _: known, ready.rules, policy.codec, limit, distortion)


def _distorted(across: Across, talk: Talk) -> Callable[[Turn], Turn]:
    return _through(across, talk.job, talk.turns)


def _through(across: Across, job: Job, history: Sequence[Turn]) -> Callable[[Turn], Turn]:
    seat: Seat = other(job.task.seat)
    return through(across.barrier, seat, Random(f"{job.seed}/barrier"), history)
