"""Any model of the gateway as an agent. Its prompt only grows at the end, so that prefix caches hit; a record or a
probe is a fork of it that leaves nothing behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from attrs import define, evolve, field, frozen

from adidem.core.agents import tools
from adidem.core.agents.forms import forms
from adidem.core.agents.speech import MARKER, Said, acted, as_written, utterance
from adidem.core.containment import text_of, told
from adidem.core.contracts import Checker, Family, Tool
from adidem.core.domain import Conversation, Directive, RoleCard, ToolCall, Turn, Usage, other
from adidem.core.llm import CallFailed, Gateway, ModelAnswer
from adidem.core.llm.local import LOCAL
from adidem.core.llm.redact import plain
from adidem.core.llm.templates import render
from adidem.core.registry.config import ModelSettings

_PROMPTS = Path(__file__).parent / "prompts"
_TRIES = 2

SPEECH_TOKENS, RECORD_TOKENS = 2048, 2048
"""Most tokens of an utterance and of a record where the settings say nothing: models that reason need the room."""

LOCAL_DEFAULTS = ModelSettings(temperature=0.7, top_p=0.9, max_tokens=48)
LOCAL_RECORD_TOKENS = 160

TOOLS_IN_WORDS = (LOCAL, "hf:")
"""Models that were never shown the protocol of tools."""

NONE = "none"
"""What a listener answers who thinks that no barrier is at work."""

Message = Mapping[str, Any]
T = TypeVar("T")


@frozen
class ChatAgent:
    """A model, `local:NAME` or a litellm model string. `directive` is a barrier's way of talking, `repair` advice
    against it, or `repair_level` one of the two instructions that ship; they stand in the prompt after the card."""

    model: str
    gateway: Gateway
    settings: ModelSettings = ModelSettings()
    directive: Directive | None = None
    repair: str | None = None
    repair_level: str | None = None
    refused: set[str] = field(factory=set, eq=False, repr=False)
    """Models whose endpoint refused tools; shared by every agent that is made from this one."""

    scripted = False

    @property
    def name(self) -> str:
        """The model string."""
        return self.model

    def directed(self, directive: Directive | None, repair: str | None = None) -> ChatAgent:
        """The same agent with another way of talking."""
        return evolve(self, directive=directive, repair=repair)

    def repaired(self, level: str) -> ChatAgent:
        """The same agent with one of the two repair instructions, `plain` or `aware`."""
        return evolve(self, repair_level=level)

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> ChatParticipant:
        """Take a seat."""
        prompt = getattr(family, "prompt", None)
        own = None if prompt is None else text_of(f"family {family.name!r}: prompt", prompt(card))
        system = self._common(family, card) if own is None else self._own(own, card)
        given = tools.tools_of(family, card)
        return ChatParticipant(self, card, system, rng.getrandbits(48), acts=hasattr(family, "actions"), tools=given)

    def _own(self, prompt: str, card: RoleCard) -> str:
        """A family's own prompt, with the way of talking after it."""
        manner = render(_PROMPTS, "manner.j2", directive=self.directive, repair=self._advice(card))
        return f"{prompt}\n\n{manner}".strip()

    def _advice(self, card: RoleCard) -> str | None:
        """The advice against barriers: its own, or the instruction of its level."""
        if self.repair_level is None:
            return self.repair
        return render(_PROMPTS, f"repair_{self.repair_level}.j2", partner=card.partner)

    def _common(self, family: Family, card: RoleCard) -> str:
        """The prompt of families that have none of their own."""
        own = [told(family, condition, card.public) for condition in card.conditions]
        return render(
            _PROMPTS,
            "system.j2",
            marker=MARKER,
            name=card.name,
            partner=card.partner,
            about=_about(card, own=True),
            partner_about=_about(card, own=False),
            story=card.public.story.strip(),
            brief=card.public.brief.strip(),
            own=own,
            directive=self.directive,
            repair=self._advice(card),
        )

    async def close(self) -> None:
        """Nothing: the gateway is shared, and whoever made it closes it."""


@define(eq=False)
class ChatParticipant:
    """A model in one seat of one conversation."""

    agent: ChatAgent
    card: RoleCard
    system: str
    seed: int
    acts: bool = False
    tools: tuple[Tool, ...] = ()
    _usage: Usage = Usage()
    _written: tuple[Conversation, str] = field(default=((), ""))

    async def speak(self, history: Conversation, left: int) -> Turn:
        """The next turn. An answer with nothing to say in it is asked for once more.

        Raises:
            ModelFailure: no answer, or (kind `empty`) none with words in it.
        """

        async def once(attempt: int) -> tuple[Said, ModelAnswer, tuple[ToolCall, ...]]:
            answer, calls = await self._answered(history, attempt)
            cut = answer.finish == "length"
            read = acted if self.acts else utterance
            said = read(answer.text, self.card.name, self.card.partner, cut_short=cut)
            if not said.text and not said.leaves and said.action != "none":
                raise CallFailed("empty", f"{self.agent.model}: the answer holds no words of {self.card.name}")
            return said, answer, calls

        said, answer, calls = await _again_if_empty(once)
        return Turn(
            index=len(history),
            seat=self.card.seat,
            text=said.text,
            action="leave" if said.leaves else said.action,
            reasoning=plain(answer.reasoning) if answer.reasoning else None,
            calls=calls,
        )

    async def _answered(self, history: Conversation, attempt: int) -> tuple[ModelAnswer, tuple[ToolCall, ...]]:
        """The answer with the turn's words in it, and the tools that were called before it came."""
        calls: list[ToolCall] = []
        while True:
            seed = self._seed("turn", len(history), attempt, *([len(calls)] if calls else []))
            answer = await self._ask_with_tools(history, calls, seed)
            asked = answer.calls
            if self.tools and self._in_words:
                found = tools.written(answer.text)
                asked = () if found is None else (found,)
            if not self.tools or not asked:
                return answer, tuple(calls)
            if len(calls) + len(asked) > tools.MOST_CALLS:
                said = f"{self.agent.model}: {tools.MOST_CALLS} tool calls in one turn, and nothing said"
                raise CallFailed("empty", said)
            calls += [tools.called(self.tools, call) for call in asked]

    async def _ask_with_tools(self, history: Conversation, calls: Sequence[ToolCall], seed: int) -> ModelAnswer:
        """Ask for a turn; an endpoint that refuses tools is asked in words, now and from now on."""
        more: dict[str, Any] = {"stop": self._stops()}
        if self.tools and not self._in_words:
            try:
                messages = [*self.messages(history), *tools.shown(calls, len(history), words=False)]
                return await self._ask(messages, seed, self._limit(), tools=tools.functions(self.tools), **more)
            except CallFailed as failure:
                if failure.kind != "bad_request":
                    raise
                self.agent.refused.add(self.agent.model)
        messages = [*self.messages(history), *tools.shown(calls, len(history), words=True)]
        return await self._ask(messages, seed, self._limit(), **more)

    @property
    def _in_words(self) -> bool:
        """Whether tools are told in words: to small models, and where the endpoint refused them."""
        return self.agent.model.startswith(TOOLS_IN_WORDS) or self.agent.model in self.agent.refused

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """What this role writes down: JSON where the answer holds any, else the answer's text."""
        messages = self.record_messages(history, schema, problem)

        async def once(attempt: int) -> Any:
            seed = self._seed("repair" if problem else "record", len(history), attempt)
            try:
                answer = await self._ask(messages, seed, self._record_limit(), schema=schema, repairs=0)
            except CallFailed as failure:
                if failure.answer is None:
                    raise
                self._written = (history, failure.answer.text)
                return failure.answer.text if failure.answer.data is None else failure.answer.data
            self._written = (history, answer.text)
            return answer.data

        return await _again_if_empty(once)

    async def detect(self, history: Conversation, barriers: Mapping[str, str]) -> str | None:
        """Which of these barriers (names, each with a few words on it) the other seems to talk through, asked off the
        record: the name, `none`, or None where no answer came."""
        question = render(_PROMPTS, "detect.j2", barriers=barriers, none=NONE, **self._names())
        answers = {"type": "string", "enum": [*barriers, NONE]}
        schema = {"type": "object", "additionalProperties": False, "required": ["barrier"]}
        seed = self._seed("detect", len(history), 0)
        try:
            answer = await self._ask(
                _joined(self.messages(history), {"role": "user", "content": question}),
                seed,
                self._record_limit(),
                schema={**schema, "properties": {"barrier": answers}},
                temperature=0.0,
            )
        except CallFailed:
            return None
        return str(answer.data["barrier"]) if isinstance(answer.data, Mapping) else None

    def usage(self) -> Usage:
        """What all calls have used so far, failed ones included."""
        return self._usage

    def messages(self, history: Conversation) -> list[Message]:
        """The prompt after these turns: each one starts with the one before it."""
        system = f"{self.system}\n\n{tools.in_words(self.tools)}" if self.tools and self._in_words else self.system
        found: list[Message] = [{"role": "system", "content": system}]
        if not history or history[0].seat == self.card.seat:
            start = render(_PROMPTS, "start.j2", partner=self.card.partner)
            found.append({"role": "user", "content": start})
        for turn in history:
            if turn.calls and self.tools and turn.seat == self.card.seat:
                found.extend(tools.shown(turn.calls, turn.index, words=self._in_words))
            found.append(self._told(turn))
        return found

    def _told(self, turn: Turn) -> Message:
        role = "assistant" if turn.seat == self.card.seat else "user"
        text = as_written(turn, acts=self.acts)
        if not turn.text and role == "user":
            text = render(_PROMPTS, "silent.j2" if turn.action == "none" else "left.j2", **self._names())
        return {"role": role, "content": text}

    def _names(self) -> dict[str, str]:
        return {"partner": self.card.partner}

    def record_messages(
        self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None
    ) -> list[Message]:
        """The prompt that asks for the record after these turns; `problem` is why a first answer could not be read."""
        words = {"forms": forms(schema), "approver": self.card.public.approver, "partner": self.card.partner}
        request = render(_PROMPTS, "record.j2", talked=bool(history), **words)
        alone: list[Message] = [{"role": "system", "content": self.system}]
        found = self.messages(history) if history else alone
        found = _joined(found, {"role": "user", "content": request})
        if problem is not None:
            asked = render(_PROMPTS, "repair.j2", problem=problem, **words)
            before, text = self._written
            said = text if before == history and text else "(nothing)"
            found += [{"role": "assistant", "content": said}, {"role": "user", "content": asked}]
        return found

    async def _ask(self, messages: list[Message], seed: int, limit: int, **more: Any) -> ModelAnswer:
        try:
            answer = await self.agent.gateway.ask(
                self.agent.model,
                messages,
                settings=self._settings(),
                max_tokens=limit,
                seed=seed,
                repeat=self.seed,  # of this seat in this repeat, also where the settings fix the seed of the sampling
                **more,
            )
        except CallFailed as failure:
            self._usage += failure.usage
            raise
        self._usage += answer.usage
        return answer

    def _seed(self, *what: object) -> int:
        """The seed of one call. It depends on what is asked and not on what was asked before, so that a probe between
        two turns changes nothing."""
        if self.agent.settings.seed is not None:
            return self.agent.settings.seed
        return Random("/".join(map(str, (self.seed, *what)))).getrandbits(31)

    def _settings(self) -> ModelSettings:
        given = self.agent.settings
        if not self._local:
            return given
        return evolve(
            given,
            temperature=LOCAL_DEFAULTS.temperature if given.temperature is None else given.temperature,
            top_p=LOCAL_DEFAULTS.top_p if given.top_p is None else given.top_p,
        )

    def _limit(self) -> int:
        default = LOCAL_DEFAULTS.max_tokens if self._local else None
        return self.agent.settings.max_tokens or default or SPEECH_TOKENS

    def _record_limit(self) -> int:
        return max(self.agent.settings.max_tokens or 0, LOCAL_RECORD_TOKENS if self._local else RECORD_TOKENS)

    def _stops(self) -> tuple[str, ...]:
        """A small model is stopped where it starts to speak for the other; what it would say then is cut anyhow."""
        return (f"\n{self.card.partner}:",) if self._local else ()

    @property
    def _local(self) -> bool:
        return self.agent.model.startswith(LOCAL)


def _joined(messages: list[Message], asked: Message) -> list[Message]:
    """The messages and one more of the user: two of theirs in a row are refused by some chat templates."""
    *before, last = messages
    if last["role"] != "user":
        return [*messages, asked]
    return [*before, {"role": "user", "content": f"{last['content']}\n\n{asked['content']}"}]


async def _again_if_empty(once: Callable[[int], Awaitable[T]]) -> T:
    """What `once(attempt)` gives, tried once more after a failure of kind `empty`."""
    attempts = 0
    for attempt in range(_TRIES):
        try:
            return await once(attempt)
        except CallFailed as failure:
            attempts += failure.attempts
            failure.attempts = attempts
            if failure.kind != "empty" or attempt == _TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _about(card: RoleCard, *, own: bool) -> str:
    seat = card.seat if own else other(card.seat)
    return card.public.roles[0 if seat == "first" else 1].about.strip().rstrip(".")
