"""How a judge's model is reached: one gateway call a question, temperature 0, failures typed, usage counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from adidem.core.contracts import Answer, Ask, Case
from adidem.core.domain import Usage
from adidem.core.errors import ModelFailure
from adidem.core.llm import CallFailed, Gateway
from adidem.core.registry.config import ModelSettings

SCRIPTED_JUDGE = "scripted:judge"
TOKENS = 4096
"""Most tokens of a verdict where the settings say nothing."""


def ask_of(
    gateway: Gateway, spec: str, settings: ModelSettings, on_usage: Callable[[Usage], None]
) -> Callable[[Case], Ask]:
    """What a judge asks with, for a case: the model `spec`, or the offline `scripted:judge`, which sees the case."""
    if spec == SCRIPTED_JUDGE:
        from adidem.core.judging.scripted import scripted_ask

        return scripted_ask
    calm = settings if settings.temperature is not None else evolve(settings, temperature=0.0)

    async def ask(messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None) -> Answer:
        try:
            answer = await gateway.ask(
                spec, messages, settings=calm, schema=schema, max_tokens=calm.max_tokens or TOKENS
            )
        except CallFailed as failure:
            on_usage(failure.usage)
            told = ModelFailure(failure.kind, str(failure), failure.attempts)
            told.data = failure.answer.data if failure.answer is not None else None
            raise told from failure
        on_usage(answer.usage)
        return answer

    return lambda _case: ask
