"""inspect_ai at the same work, as it is used: one `eval` with a solver that plays a dialogue a sample, its log written.

python peer_inspect.py API_BASE DIALOGUES CALLS_AT_ONCE
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as play_all
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import solver
from work import SCHEMA, Meter, dialogue

KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
RECORD = GenerateConfig(response_schema=ResponseSchema(name="answer", json_schema=SCHEMA, strict=True))


async def call(messages: list[dict[str, str]], form: dict[str, Any] | None) -> str:
    typed = [KINDS[message["role"]](content=message["content"]) for message in messages]
    model = get_model()
    answer = await (model.generate(typed) if form is None else model.generate(typed, config=RECORD))
    return str(answer.completion)


@solver
def two_speakers() -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        del generate
        await dialogue(int(state.metadata["number"]), call)
        return state

    return solve


def main(api_base: str, count: int, at_once: int) -> None:
    os.environ["STUB_API_KEY"], os.environ["STUB_BASE_URL"] = "x", api_base
    samples = [Sample(input=f"dialogue {number}", metadata={"number": number}) for number in range(count)]
    task = Task(dataset=samples, solver=two_speakers(), name="dialogues")
    with tempfile.TemporaryDirectory() as logs, Meter():
        limits = {"max_connections": at_once, "max_samples": count, "max_retries": 0}
        found = play_all(task, model="openai-api/stub/stub", log_dir=logs, display="none", **limits)
    assert found[0].status == "success", found[0].error


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
