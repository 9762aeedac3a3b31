"""The disclosure annotator for partners who talk freely: a frozen model names the turn and quotes the words.

A quote that is not in that turn is no evidence: then nothing is annotated, and the gate of paired credit stays closed.
How often that was so, why, and how far it agrees with the ears where it was asked is reported with every update.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from attrs import frozen

from adidem.core.contracts import Ask
from adidem.core.domain import Conversation, Task, Turn
from adidem.core.judging import asked, closed, fence_for, quoted, span_of
from adidem.core.judging.fence import MARK
from adidem.core.llm.templates import render
from adidem.core.rules import Rules
from adidem.core.training.disclosure import OWN, Disclosed, differing, may_be_told

_PROMPTS = Path(__file__).parent

SCHEMA = closed({"turn": {"type": ["integer", "null"]}, "quote": {"type": "string"}})

Annotator = Callable[[Rules, Task, Conversation], Awaitable[Disclosed]]


@frozen
class ModelAnnotator:
    """Asks a model through `ask` where the condition is the partner's; the own card needs no asking."""

    ask: Ask

    async def __call__(self, rules: Rules, task: Task, conversation: Conversation) -> Disclosed:
        """When the differing condition became available, as the model says."""
        condition = differing(task)
        if condition is None:
            return Disclosed(None)
        if condition.owner == task.seat:
            return Disclosed(OWN)
        if not may_be_told(task, conversation):
            return Disclosed(None)
        theirs = [turn for turn in conversation if turn.seat == condition.owner]
        said = await asked(self.ask, [{"role": "user", "content": prompt(rules, task, conversation)}], SCHEMA)
        if said.failed is not None:
            return Disclosed(None, said.failed)
        return _read(said.data, theirs)


def prompt(rules: Rules, task: Task, conversation: Conversation) -> str:
    """What the model is asked; turns are numbered from 1."""
    condition = differing(task)
    assert condition is not None
    public = task.scenario.public
    lines = [line for turn in conversation for line in (f"Turn {turn.index + 1}, {public.name(turn.seat)}:", turn.text)]
    fence = fence_for("\n".join(lines), task.id)
    shown = [line for turn in conversation for line in _shown(turn, public.name(turn.seat))]
    return render(
        _PROMPTS,
        "annotate.j2",
        seeker=public.name(task.seat),
        owner=public.name(condition.owner),
        condition=f"{MARK}{condition.text or rules.family.tell(condition, public)}",
        code=fence.code,
        conversation=fence.block("CONVERSATION", shown),
    )


def _shown(turn: Turn, name: str) -> list[str]:
    return [f"Turn {turn.index + 1}, {name}:", *quoted(turn.text)]


def _read(data: Any, theirs: list[Turn]) -> Disclosed:
    if not isinstance(data, dict) or not isinstance(data.get("quote"), str):
        return Disclosed(None, "malformed: the answer has no turn and quote")
    number = data.get("turn")
    if number is None:
        return Disclosed(None)
    turn = next((turn for turn in theirs if turn.index == number - 1), None) if isinstance(number, int) else None
    if turn is None:
        return Disclosed(None, "the turn named is none of the partner's")
    if span_of(data["quote"], turn.text) is None:
        return Disclosed(None, "the quote is not in the turn named")
    return Disclosed(turn.index)
