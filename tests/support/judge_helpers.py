"""What the tests of judges share: an Ask that answers from a script, and one that goes through a real gateway."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

from adidem.core.contracts import Answer, Ask, Case, Judge
from adidem.core.domain import Judgement, Usage
from adidem.core.errors import ModelFailure
from adidem.core.llm import Gateway
from adidem.core.registry.config import ModelSettings
from adidem.core.runs.judging import ask_of


class Scripted:
    """An Ask that gives its answers one after the other, the last one again and again: JSON data, or a failure that is
    raised. `seen` holds the messages and `schemas` the schema of each call."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.seen, self.schemas = answers, [], []

    async def __call__(self, messages: Any, *, schema: Any = None) -> Answer:
        self.seen.append(copy.deepcopy(list(messages)))
        self.schemas.append(schema)
        said = self.answers[min(len(self.seen), len(self.answers)) - 1]
        if isinstance(said, Exception):
            raise said
        return Answer(text=repr(said), data=said)


def broken(data: Any = None, kind: str = "malformed", message: str = "does not meet the schema") -> ModelFailure:
    """A failure that carries JSON which missed the schema."""
    failure = ModelFailure(kind, message)
    failure.data = data
    return failure


def rated(judge: Judge, case: Case, *answers: Any) -> Judgement:
    """What a judge makes of a case when its model answers so."""
    return asyncio.run(judge.judge(case, Scripted(*answers)))


def asked(judge: Judge, case: Case) -> Scripted:
    """What a judge asks of its model."""
    ask = Scripted(broken(kind="empty"))
    asyncio.run(judge.judge(case, ask))
    return ask


def through(gateway: Gateway, case: Case, spend: list[Usage] | None = None, **settings: Any) -> Ask:
    """The real Ask of a run, to `openai/stub`."""
    used = [] if spend is None else spend
    return ask_of(gateway, "openai/stub", ModelSettings(**settings), used.append)(case)


def in_range(judge: Judge, judgement: Judgement) -> bool:
    """Whether every dimension has a rating for each of its seats, in its range or unscored with a reason."""
    scales = {dimension.name: dimension for dimension in judge.dimensions}
    wanted = {
        (d.name, seat) for d in judge.dimensions for seat in (("first", "second") if d.scope == "seat" else (None,))
    }
    rated = [(rating.dimension, rating.seat) for rating in judgement.ratings]
    return sorted(rated, key=str) == sorted(wanted, key=str) and all(
        bool(rating.unscored)
        if rating.score is None
        else rating.unscored is None and scales[rating.dimension].low <= rating.score <= scales[rating.dimension].high
        for rating in judgement.ratings
    )
