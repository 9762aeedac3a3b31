"""What a run would use, before it is played: episodes, calls, tokens, money. Estimated from the prompts themselves."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from attrs import field, frozen

from adidem.core.containment import called, contained
from adidem.core.contracts import Agent
from adidem.core.domain import Seat, other
from adidem.core.runs.plan import Job
from adidem.core.runs.suite import Prepared

CHARACTERS = 4
"""Characters of a token, about."""

UTTERANCE, RECORD, VERDICT = 45, 80, 350
"""Tokens of a turn, of a record and of a verdict, about."""

RESULT = 350
"""Tokens of a tool's result, about."""

RECORD_ASKED, VERDICT_ASKED = 350, 1500
"""Tokens of what asks for a record, and of a judge's rubric."""

_SAMPLE = 48


@frozen(unsafe_hash=False)
class Use:
    """What one speaker or judge would use. `cost` is in US dollars; None is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


@frozen(unsafe_hash=False)
class Estimate:
    """What a run would use if every conversation went on to its last turn: about as much as it can be."""

    episodes: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    by: dict[str, Use] = field(factory=dict)


def estimate(prepared: Prepared, jobs: Sequence[Job]) -> Estimate:
    """The estimate for these jobs of a prepared run, drawn from prompts of an even sample of them."""
    sample = jobs[:: max(1, len(jobs) // _SAMPLE)]
    found: dict[str, tuple[float, float, float]] = {}
    for job in sample:
        for who, used in _episode(prepared, job).items():
            found[who] = tuple(a + b for a, b in zip(found.get(who, (0, 0, 0)), used, strict=True))  # type: ignore[assignment]
    scale = len(jobs) / len(sample) if sample else 0.0
    by = {who: _use(prepared, who, [scale * part for part in used]) for who, used in found.items()}
    costs = [use.cost for use in by.values()]
    return Estimate(
        episodes=len(jobs),
        calls=sum(use.calls for use in by.values()),
        prompt_tokens=sum(use.prompt_tokens for use in by.values()),
        completion_tokens=sum(use.completion_tokens for use in by.values()),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        by=by,
    )


def _use(prepared: Prepared, who: str, used: Sequence[float]) -> Use:
    calls, prompt, completion = (round(part) for part in used)
    model, settings = prepared.sources.models[who]
    price = prepared.sources.gateway.price(model, settings)
    cost = None if price is None else (prompt * price[0] + completion * price[1]) / 1e6
    return Use(calls, prompt, completion, cost)


def _episode(prepared: Prepared, job: Job) -> dict[str, tuple[float, float, float]]:
    """Calls, prompt and completion tokens of each model speaker and judge in one episode."""
    setup, models = prepared.setups[job.barrier], prepared.sources.models
    recorded = setup.rules[job.task.scenario.family].family.terms is not None
    turns = setup.limit if setup.dialogue else 0
    seats: dict[str, tuple[Agent, Seat]] = {
        "agent": (setup.agent, job.task.seat),
        "partner": (setup.partner, other(job.task.seat)),
    }
    found: dict[str, tuple[float, float, float]] = {}
    for who, (agent, seat) in seats.items():
        key = who if who in models else "agent"  # self-play
        if agent.scripted or key not in models:
            continue
        prompt, tools = _prompt(prepared, job, agent, seat)
        used = _with_tools(prompt, turns) if tools else _speaker(prompt, turns, recorded)
        found[key] = tuple(a + b for a, b in zip(found.get(key, (0, 0, 0)), used, strict=True))  # type: ignore[assignment]
    for judge in setup.judges:
        if f"judge {judge.label}" in models:
            found[f"judge {judge.label}"] = 1, VERDICT_ASKED + turns * UTTERANCE, VERDICT
    return found


def _speaker(prompt: float, turns: int, recorded: bool) -> tuple[float, float, float]:
    own = (turns + 1) // 2
    asked = sum(prompt + 2 * turn * UTTERANCE for turn in range(own))
    if not recorded:
        return own, asked, own * UTTERANCE
    return own + 1, asked + prompt + turns * UTTERANCE + RECORD_ASKED, own * UTTERANCE + RECORD


def _with_tools(prompt: float, turns: int) -> tuple[float, float, float]:
    """The same of a speaker with tools: one call of a tool a turn, whose result stays in what it is shown."""
    own = (turns + 1) // 2
    asked = sum(2 * (prompt + turn * (2 * UTTERANCE + RESULT)) + RESULT for turn in range(own))
    return 2 * own, asked, 2 * own * UTTERANCE


def _prompt(prepared: Prepared, job: Job, agent: Agent, seat: Seat) -> tuple[float, bool]:
    """Tokens of what the speaker is told before the first turn, and whether tools are among it."""
    rules = prepared.setups[job.barrier].rules[job.task.scenario.family]
    card = job.task.scenario.world(job.task.world).card(seat)

    def asked() -> tuple[float, bool]:
        seated: Any = agent.join(rules.family, rules.checkers, card, Random(0))
        if not hasattr(seated, "messages"):
            return 0.0, False
        tools = getattr(seated, "tools", ())
        told = sum(len(message["content"]) for message in seated.messages(()))
        return (told + sum(len(str(tool.parameters)) + len(tool.description) for tool in tools)) / CHARACTERS, bool(
            tools
        )

    return contained(called("family", rules.family), asked)
