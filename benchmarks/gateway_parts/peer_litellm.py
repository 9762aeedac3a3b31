"""litellm alone at the same work: `python peer_litellm.py API_BASE DIALOGUES CALLS_AT_ONCE`."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from work import Meter, play


async def main(api_base: str, count: int, at_once: int) -> None:
    slots = asyncio.Semaphore(at_once)

    async def call(messages: list[dict[str, str]], form: dict[str, Any] | None) -> str:
        more = {} if form is None else {"response_format": form}
        async with slots:
            own = {"api_base": api_base, "api_key": "x", "num_retries": 0, "max_retries": 0}
            answer = await litellm.acompletion(model="openai/stub", messages=messages, **own, **more)
        return str(answer.choices[0].message.content)

    with Meter():
        await play(count, call)


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
