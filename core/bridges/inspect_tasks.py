"""adidem's suites as tasks of inspect_ai: `inspect eval adidem/hico --model PROVIDER/NAME -T limit=24`.

Every sample is one task of the suite; the model under evaluation sits in the tested seat. An epoch is a repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from adidem.core.bridges.game import Game, game, scores_of
from adidem.core.export.episodes import canonical

HEADLINES = ("verified_success", "feasibility", "integrity")
_KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def suite_task(suite: str, *, scores: tuple[str, ...] = HEADLINES, **options: Any) -> Task:
    """A suite as a task of inspect_ai, with what `adidem.core.bridges.game.game` takes; `scores` are what is shown,
    each with its mean and a standard error clustered by scenario. Unscored ones are left out of both and counted."""
    ready = game(suite, **options)
    samples = [
        Sample(input=ready.opening(name)[0]["content"], id=name.replace(" ", ":"), metadata=ready.row(name))
        for name in ready.jobs
    ]
    return Task(
        dataset=MemoryDataset(samples, name=suite),
        solver=conversation(ready),
        scorer=[_scorer(name)() for name in scores],
        name=suite,
    )


@solver
def conversation(ready: Game) -> Solver:
    """Plays a sample's job: the model says every turn of the tested seat and writes its record."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with ready.session(state.metadata["job"], state.epoch - 1) as session:
            messages = await session.next()
            while messages is not None:
                state.messages = [_message(message) for message in messages]
                state = await generate(state)
                messages = await session.next(state.output.completion)
            episode = session.episode
        state.metadata["scores"] = scores_of(episode)
        state.metadata["episode"] = canonical(episode)
        return state

    return solve


def _message(message: Mapping[str, Any]) -> ChatMessage:
    made: ChatMessage = _KINDS[message["role"]](content=message["content"])
    return made


def _scorer(name: str) -> Any:
    @scorer(metrics=[mean(), stderr(cluster="scenario")], name=name)
    def outcome() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001  inspect gives both
            value = state.metadata["scores"].get(name)
            if value is None:
                return Score.unscored(explanation=f"{name} is unscored")
            failures = (state.metadata["episode"]["feasibility"] or {}).get("failures", ())
            return Score(value=value, explanation="; ".join(each["message"] for each in failures) or None)

        return score

    return outcome


@task
def hico(
    partner: str | None = None,
    family: str | None = None,
    barrier: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    turns: int | None = None,
) -> Task:
    """Verified outcomes in paired worlds (HICO-Bench)."""
    return suite_task(
        "hico", partner=partner, family=family, barrier=barrier, split=split, limit=limit, seed=seed, turns=turns
    )


@task
def suite(
    name: str,
    partner: str | None = None,
    family: str | None = None,
    barrier: str | None = None,
    judge: str | None = None,
    scores: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    registry: str | None = None,
) -> Task:
    """Any suite of the registry; `scores` are names with commas between them, such as `sotopia.goal`."""
    return suite_task(
        name,
        scores=tuple(scores.split(",")) if scores else HEADLINES,
        judges=(judge,) if judge else (),
        partner=partner,
        family=family,
        barrier=barrier,
        limit=limit,
        seed=seed,
        registry=registry,
    )
