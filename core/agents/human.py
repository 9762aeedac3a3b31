"""A person at the terminal as an agent: reads the card once, hears the other's words, types turns and a record."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from attrs import define, field
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from adidem.core.agents.forms import expected, forms
from adidem.core.containment import told
from adidem.core.contracts import Checker, Family
from adidem.core.domain import Conversation, RoleCard, Turn, Usage
from adidem.core.errors import ModelFailure
from adidem.core.llm.redact import plain

LEAVE = "/end"
_OUTCOMES = {
    "agree": "we agreed on a plan",
    "decline": "there is no plan that fits us both",
    "defer": "somebody else has to decide",
}


@define(eq=False)
class HumanAgent:
    """`human`. One person plays one conversation at a time: give it to a run with `--concurrency 1`."""

    console: Console = field(factory=lambda: Console(stderr=True))
    read: Callable[[str], str] = input
    """Shows a prompt and gives the line typed; EOFError is the end of input."""
    _turn: asyncio.Lock = field(factory=asyncio.Lock)

    name = "human"
    scripted = False

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> HumanParticipant:
        """Take a seat."""
        own = [told(family, condition, card.public) for condition in card.conditions]
        return HumanParticipant(self, card, own)

    async def close(self) -> None:
        """Nothing is held open."""


@define(eq=False)
class HumanParticipant:
    """The person in one seat of one conversation."""

    agent: HumanAgent
    card: RoleCard
    own: Sequence[str]
    _shown: bool = False
    _heard: int = 0

    async def speak(self, history: Conversation, left: int) -> Turn:
        """The line that the person types; an empty line or `/end` leaves, after the words before it."""
        async with self.agent._turn:
            self._show(history)
            self.agent.console.print(Text(f"{left} turns left; an empty line or {LEAVE} ends it", style="dim"))
            line = plain(await self._type(f"{self.card.name}> ")).strip()
        leaves = not line or line.endswith(LEAVE)
        text = line.removesuffix(LEAVE).strip()
        return Turn(len(history), self.card.seat, text, action="leave" if leaves else "speak")

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """The record, asked for field by field; what is typed is handed on as it is, for records are read loosely."""
        async with self.agent._turn:
            self._show(history)
            if problem is not None:
                self.agent.console.print(Text(f"That cannot be read: {plain(problem)}", style="red"))
            self.agent.console.print(Text(f"Write down what you and {self.card.partner} settled.", style="bold"))
            kinds = forms(schema)
            if len(kinds) == 1:
                return await self._value("", kinds[0].terms or {})
            chosen = await self._choose("What came of it?", [_OUTCOMES.get(k.outcome, k.outcome) for k in kinds])
            form = kinds[chosen]
            terms = None if form.terms is None else await self._value("", form.terms)
            return {"outcome": form.outcome, "terms": terms}

    def usage(self) -> Usage:
        """Nothing: no model is asked."""
        return Usage()

    def _show(self, history: Conversation) -> None:
        console = self.agent.console
        if not self._shown:
            self._shown = True
            public = self.card.public
            body = "\n\n".join(
                (f"{public.story.strip()}\n{public.brief.strip()}", "Only you know this:\n" + "\n".join(self.own))
            )
            console.print(Panel(Text(plain(body)), title=f"You are {self.card.name}", title_align="left"))
        for turn in history[self._heard :]:
            if turn.seat != self.card.seat:
                words = plain(turn.text) or "…"
                console.print(Text.assemble((f"{self.card.partner}: ", "bold cyan"), words))
                if turn.action == "leave":
                    console.print(Text(f"{self.card.partner} ends the conversation.", style="dim"))
        self._heard = len(history)

    async def _value(self, label: str, schema: Mapping[str, Any]) -> Any:
        if schema.get("type") == "object":
            return {
                name: await self._value(f"{label} {name.replace('_', ' ')}".strip(), part)
                for name, part in schema.get("properties", {}).items()
            }
        if schema.get("type") == "array":
            choices = schema.get("items", {}).get("enum")
            said = f"any of {', '.join(choices)}, with commas between" if choices else "with commas between"
            line = await self._type(f"{label} ({said}): ")
            return [part.strip() for part in line.split(",") if part.strip()]
        choices = schema.get("enum")
        if choices:
            chosen = await self._choose(label, choices)
            return choices[chosen]
        return await self._type(f"{label} ({expected(schema)}): ")

    async def _choose(self, question: str, choices: Sequence[str]) -> int:
        """The place of the choice that the person types by number or by name."""
        self.agent.console.print(Text(question))
        for number, choice in enumerate(choices, 1):
            self.agent.console.print(Text(f"  {number}. {choice}"))
        names = [choice.casefold() for choice in choices]
        while True:
            line = (await self._type("number: ")).casefold()
            if line in names:
                return names.index(line)
            if line.isdecimal() and 1 <= int(line) <= len(choices):
                return int(line) - 1
            self.agent.console.print(Text(f"type a number from 1 to {len(choices)}", style="yellow"))

    async def _type(self, prompt: str) -> str:
        """The line typed. Raises ModelFailure (`input_ended`) where nobody is there to type: that is no answer."""
        try:
            return (await _in_thread(self.agent.read, prompt)).strip()
        except EOFError as error:
            raise ModelFailure("input_ended", "the person's input ended before the task was done") from error


async def _in_thread(read: Callable[[str], str], prompt: str) -> str:
    """`read(prompt)` without holding up the event loop. The thread is a daemon, so that Ctrl-C need not wait for it."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[str] = loop.create_future()

    def settle(line: str | None, error: BaseException | None) -> None:
        if not done.done():
            if error is None:
                done.set_result(line or "")
            else:
                done.set_exception(error)

    def work() -> None:
        try:
            line = read(prompt)
        except (EOFError, OSError) as error:
            loop.call_soon_threadsafe(settle, None, EOFError(str(error)))
        else:
            loop.call_soon_threadsafe(settle, line, None)

    threading.Thread(target=work, daemon=True).start()
    return await done
