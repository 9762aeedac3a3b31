"""How a judge's model is reached: one gateway call a question, temperature 0, failures typed, usage counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from attrs import evolve

from adidem.core.contracts import Answer, Ask, Case
from adidem.core.domain import Usage
from adidem.core.errors import ModelFailure
from adidem.core.llm import CallFailed, Gateway, ModelAnswer
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

    async def ask(
        messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None, repeat: int = 0
    ) -> Answer:
        try:
            answer = await gateway.ask(
                spec,
                _merged(messages),
                settings=calm,
                schema=schema,
                max_tokens=calm.max_tokens or TOKENS,
                cache=True,
                repeat=repeat,
            )
        except CallFailed as failure:
            on_usage(failure.usage)
            raise _told(failure) from failure
        on_usage(answer.usage)
        return answer

    return lambda case: partial(ask, repeat=case.repeat)


def _merged(messages: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The messages with neighbours of one role made one: two user messages in a row are refused by some chat templates,
    and prefix caches go by tokens, so that what judges share stays shared."""
    return [
        {"role": role, "content": "\n\n".join(message["content"] for message in group)}
        for role, group in groupby(messages, key=lambda message: message["role"])
    ]


def _told(failure: CallFailed) -> ModelFailure:
    """The failure as a judge is told it: with the JSON that came, where any did; an answer that was cut off before it
    held any is of kind `length`."""
    answer = failure.answer
    cut = isinstance(answer, ModelAnswer) and answer.finish == "length" and answer.data is None
    said = f"the answer was cut off: {failure}" if cut else str(failure)
    told = ModelFailure("length" if cut else failure.kind, said, failure.attempts)
    told.data = answer.data if answer is not None else None
    return told
