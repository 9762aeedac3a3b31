"""The work that peers play, as plain messages: dialogues of ten alternating turns and two records, growing history."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

TURNS = 10
PRIVATE = (
    "You have one private limit, which you may tell in your own words when it helps, and you never give up what your "
    "card says. Keep each turn short, speak plainly, and answer what the other has asked. "
)
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome", "terms"],
    "properties": {
        "outcome": {"type": "string", "enum": ["agree", "decline"]},
        "terms": {"anyOf": [{"type": "object", "additionalProperties": False, "properties": {}}, {"type": "null"}]},
    },
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}

Call = Callable[[list[dict[str, str]], dict[str, Any] | None], Awaitable[str]]


def view(seat: int, number: int, turns: list[str]) -> list[dict[str, str]]:
    """The history as one of the two sees it; the system prompt is about as long as adidem's own."""
    name, other = ("Ana", "Ben") if seat == 0 else ("Ben", "Ana")
    told = f"You are {name}, who talks with {other} about matter {number}. " + PRIVATE * 10
    found = [{"role": "system", "content": told}]
    if seat == 0:
        found.append({"role": "user", "content": f"Begin the conversation with {other}."})
    return found + [{"role": "assistant" if i % 2 == seat else "user", "content": t} for i, t in enumerate(turns)]


async def dialogue(number: int, call: Call) -> None:
    """Ten turns, then both records at once."""
    turns: list[str] = []
    for index in range(TURNS):
        turns.append(await call(view(index % 2, number, turns), None))
    asked = {"role": "user", "content": "The conversation is over. Write your record of it as JSON."}
    records = await asyncio.gather(*(call([*view(seat, number, turns), asked], FORMAT) for seat in (0, 1)))
    assert all(json.loads(record)["outcome"] == "decline" for record in records)


async def play(count: int, call: Call) -> None:
    """All dialogues at once; the caller bounds the calls."""
    await asyncio.gather(*(dialogue(number, call) for number in range(count)))


class Meter:
    """Wall time, CPU time of the whole process since its start, and peak memory, as one JSON line."""

    def __enter__(self) -> Meter:
        self.began, self.cpu = perf_counter(), cpu()
        return self

    def __exit__(self, *_: object) -> None:
        wall, peak = perf_counter() - self.began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        said = {"wall": wall, "cpu": cpu() - self.cpu, "process_cpu": cpu(), "memory": peak}
        print(json.dumps(said), file=sys.stdout, flush=True)


def cpu() -> float:
    """Seconds of processor time, ended children's included."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
