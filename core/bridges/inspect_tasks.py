"""adidem's suites as tasks of inspect_ai: `inspect eval adidem/hico --model PROVIDER/NAME -T limit=24`.

Every sample is one task of the suite; the model under evaluation sits in the tested seat. An epoch is a repeat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from adidem.core.bridges.game import Game, Names, game
from adidem.core.export.episodes import canonical
from adidem.core.export.scores import scores_of

_KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def suite_task(suite: str, *, scores: Sequence[str] = (), **options: Any) -> Task:
    """A suite as a task of inspect_ai, with what `adidem.core.bridges.game.game` takes; `scores` are what is shown
    (`Game.shown` where none is named), each with its mean and a standard error clustered by scenario. Unscored ones are
    left out of both and counted.

    Raises:
        ConfigError: an option cannot work, or nothing in this suite gives such a score.
    """
    ready = game(suite, **options)
    ready.must_score(*scores)
    samples = [
        Sample(input=ready.opening(name)[0]["content"], id=name.replace(" ", ":"), metadata=ready.row(name))
        for name in ready.jobs
    ]
    return Task(
        dataset=MemoryDataset(samples, name=suite),
        solver=conversation(ready),
        scorer=[_scorer(name)() for name in scores or ready.shown],
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
def hico(**options: Any) -> Task:
    """Verified outcomes in paired worlds (HICO-Bench), with every option of `suite`."""
    return suite(name="hico", **options)


@task
def suite(name: str, scores: Names | None = None, **options: Any) -> Task:
    """Any suite of the registry, with every option of `adidem.core.bridges.game.game`; `scores` are what is shown, such
    as `sotopia.goal`; `judge` is one of the `judges`, and `model` is inspect's own."""
    options.pop("model", None)
    judge = options.pop("judge", None)
    if judge is not None:
        options["judges"] = judge
    wanted = scores.split(",") if isinstance(scores, str) else scores
    return suite_task(name, scores=tuple(each.strip() for each in wanted or ()), **options)
