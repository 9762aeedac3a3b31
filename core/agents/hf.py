"""Weights as an agent: `hf:PATH` plays a policy that was trained here, or a Hugging Face model, in any run.

Episodes that are played at the same time are sampled together. Each draws from its own stream, by what is asked of it,
so that nothing depends on which others happened to be there.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from adidem.core.agents import tools
from adidem.core.contracts import Checker, Family
from adidem.core.domain import Conversation, Directive, RoleCard, ToolCall, Turn, Usage
from adidem.core.errors import ConfigError, ModelFailure, to_install
from adidem.core.llm.transport import Called
from adidem.core.llm.waiting import waited, waiting
from adidem.core.policy.contracts import Ask, Codec, Cue, View
from adidem.core.policy.draw import Draw
from adidem.core.registry.config import ModelSettings

if TYPE_CHECKING:
    from adidem.core.policy.model import ModelPolicy
    from adidem.core.policy.pool import Pool

NEEDED = ("torch", "transformers", "peft", "safetensors")
MEMORY = 2 * 2**30
"""Bytes of keys and values that are held at once, at most."""

CALL_TOKENS = 192
"""Most tokens of a turn in which tools may be called, where the settings say nothing: a call holds much."""

Change = Callable[[Codec], Codec]


def hf_agent(spec: str, settings: ModelSettings) -> HFAgent:
    """The agent of `hf:smollm2` or `hf:PATH`; nothing is loaded yet.

    Raises:
        ConfigError: packages are missing, or there are no such weights.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(f"{spec} needs {', '.join(missing)}: {to_install('train')}")
    from adidem.core.policy.loading import known_policy

    known_policy(spec)
    return HFAgent(spec, settings, _Player(spec, settings))


@frozen(eq=False)
class HFAgent:
    """Weights as an agent. `change` is what a barrier or a repair instruction makes of how it is addressed."""

    name: str
    settings: ModelSettings
    player: _Player
    change: Change | None = None

    scripted = False

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> HFParticipant:
        """Take a seat."""
        seed = self.settings.seed if self.settings.seed is not None else rng.getrandbits(48)
        return HFParticipant(self, family, card, seed)

    def directed(self, directive: Directive | None, repair: str | None = None) -> HFAgent:
        """The same agent with another way of talking. Raises ConfigError where the weights read no such thing."""
        return self._changed("directed", "a barrier", directive, repair)

    def repaired(self, level: str) -> HFAgent:
        """The same agent with a repair instruction. Raises ConfigError where the weights read no such thing."""
        codec = self.player.codec
        if hasattr(codec, "instructed"):
            return self._changed("instructed", "a repair instruction")
        return self._changed("repaired", "a repair instruction", level)

    def _changed(self, method: str, what: str, *told: Any) -> HFAgent:
        if not hasattr(self.player.codec, method):
            raise ConfigError(f"{self.name} reads no prompt in words: it cannot be given {what}")
        before = self.change or (lambda codec: codec)

        def change(codec: Codec) -> Codec:
            found: Codec = getattr(before(codec), method)(*told)
            return found

        return evolve(self, change=change)

    async def close(self) -> None:
        """Let go of the weights."""
        self.player.forget()


@define(eq=False)
class HFParticipant:
    """Weights in one seat. Its own turns are kept as the tokens that it said; what it did not say itself is encoded."""

    agent: HFAgent
    family: Family
    card: RoleCard
    seed: int
    _said: dict[tuple[int, str], list[int]] = field(factory=dict)
    _turns: int = 0
    _key: int = field(factory=count(1).__next__)
    _usage: Usage = Usage()

    async def speak(self, history: Conversation, left: int) -> Turn:
        """The next turn, with the tools that were called before it was said.

        Raises:
            ModelFailure: it is too long for the model, the model's own code failed, or (kind `empty`) it went on
                calling tools and said nothing.
        """
        self._turns = len(history) + left
        calls: list[ToolCall] = []
        while True:
            ids, codec, view = await self._asked(history, "turn", f"call{len(calls)}" if calls else "", calls)
            asked = _called(codec, view, ids)
            if asked is None:
                break
            if len(calls) == tools.MOST_CALLS:
                raise ModelFailure("empty", f"{self.agent.name}: {len(calls)} tool calls in one turn, and nothing said")
            calls.append(tools.called(view.tools, asked))
        turn = codec.said(ids, view, len(history))
        self._said[len(history), turn.text] = ids
        return evolve(turn, calls=tuple(calls)) if calls else turn

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """What it writes down. Asked again, it draws again."""
        ids, codec, view = await self._asked(history, "record", "again" if problem else "")
        return codec.record(ids, view)

    def usage(self) -> Usage:
        """What was fed and drawn; the weights cost nothing."""
        return self._usage

    async def _asked(
        self, history: Conversation, what: Cue, attempt: str, calls: Sequence[ToolCall] = ()
    ) -> tuple[list[int], Codec, View]:
        codec = await self.agent.player.ready(self.agent.change)
        view = View(self.family, self.card, max(self._turns, len(history)), tools.tools_of(self.family, self.card))
        self._must_fit(codec, view)
        tokens = [*self._tokens(history, codec, view), *_looked_up(codec, view, calls)]
        stream = Random(f"{self.seed}/{what}/{len(history)}/{attempt}")
        most = codec.most(what)
        if view.tools and what == "turn" and self.agent.settings.max_tokens is None:
            most = max(most, CALL_TOKENS)
        ask = Ask(codec.cue(what), codec.ends(what), most, stream)
        ids = await self.agent.player.drawn(self._key, tokens, ask)
        self._usage += Usage(1, len(tokens) + len(codec.cue(what)), len(ids), cost=0.0)
        return ids, codec, view

    def _must_fit(self, codec: Any, view: View) -> None:
        """Raises ModelFailure where these weights cannot play this: nothing would come of it but noise."""
        why: str | None = codec.foreign(view) if hasattr(codec, "foreign") else None
        if why is None and view.tools and not (hasattr(codec, "called") and hasattr(codec, "looked_up")):
            why = f"it reads no prompt in words, and cannot be given the tools of {self.family.name}"
        if why is not None:
            raise ModelFailure("bad_request", f"{self.agent.name}: {why}")

    def _tokens(self, history: Conversation, codec: Codec, view: View) -> list[int]:
        found = codec.opening(view)
        for turn in history:
            if turn.seat != self.card.seat:
                found += codec.heard(turn, view)
                continue
            words = turn.meant if turn.meant is not None else turn.text
            said = self._said.get((turn.index, words)) or codec.spoken(turn, view)
            found += _looked_up(codec, view, turn.calls)
            found += [*codec.cue("turn"), *said, *codec.after("turn", said)]
        return found


def _called(codec: Any, view: View, ids: Sequence[int]) -> Called | None:
    """The call of a tool that was sampled, where there are tools."""
    found: Called | None = codec.called(ids) if view.tools else None
    return found


def _looked_up(codec: Any, view: View, calls: Sequence[ToolCall]) -> list[int]:
    """Calls and results in the midst of an own turn, where there are tools."""
    found: list[int] = codec.looked_up(calls) if calls and view.tools else []
    return found


@define(eq=False)
class _Waiting:
    key: int
    tokens: list[int]
    ask: Ask
    answer: asyncio.Future[list[int]]
    since: float = field(factory=perf_counter)
    began: float = 0.0


class _Player:
    """The weights of one spec, loaded once at the first call; calls that wait at the same time are sampled together, in
    a thread of their own."""

    def __init__(self, spec: str, settings: ModelSettings) -> None:
        self.spec, self.settings = spec, settings
        self._policy: ModelPolicy | None = None
        self._pool: Pool | None = None
        self._codecs: dict[Change | None, Codec] = {}
        self._waiting: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None
        self._loading: asyncio.Task[ModelPolicy] | None = None

    @property
    def codec(self) -> Codec:
        """The codec; the weights are loaded where they are not yet."""
        return self._loaded().codec

    async def ready(self, change: Change | None) -> Codec:
        """The codec as it is addressed.

        Raises:
            ModelFailure: the weights cannot be loaded.
        """
        if self._policy is None:
            if self._loading is None or self._loading.done():
                self._loading = asyncio.ensure_future(asyncio.to_thread(self._loaded))
            with waiting():  # all that ask first go on together
                try:
                    await asyncio.shield(self._loading)
                except ConfigError as error:
                    raise ModelFailure("bad_request", str(error)) from error
        if change not in self._codecs:
            codec = self._loaded().codec
            self._codecs[change] = codec if change is None else change(codec)
        return self._codecs[change]

    async def drawn(self, key: int, tokens: list[int], ask: Ask) -> list[int]:
        """What is drawn after the tokens of conversation `key` and what is asked.

        Raises:
            ModelFailure: it is too long for the model, or the model's own code failed.
        """
        most = self._positions()
        if most is not None and len(tokens) + len(ask.tokens) + ask.most > most:
            raise ModelFailure("context_overflow", f"{self.spec}: {len(tokens)} tokens and more; it knows {most}")
        one = _Waiting(key, tokens, ask, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.ensure_future(self._work())
        try:
            return await one.answer
        finally:
            waited(max(0.0, one.began - one.since))

    def forget(self) -> None:
        """Let go of everything; what still waits is never answered."""
        if self._worker is not None:
            self._worker.cancel()
        self._policy = self._pool = None
        self._codecs.clear()

    def _loaded(self) -> ModelPolicy:
        if self._policy is None:
            import torch

            from adidem.core.policy.loading import load_policy

            device = "cuda" if torch.cuda.is_available() else "cpu"
            limit = self.settings.max_tokens
            self._policy = load_policy(self.spec, device=device, turn_tokens=limit, record_tokens=limit)
        return self._policy

    async def _work(self) -> None:
        """Answer in batches until nothing waits. Whoever asks while one is sampled is in the next."""
        await asyncio.sleep(0)
        while self._waiting:
            batch = self._batch()
            for one in batch:
                one.began = perf_counter()
            try:
                found = await asyncio.to_thread(self._sampled, batch)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001  whatever a model raises, its episodes fail and say so
                for one in batch:
                    if not one.answer.done():
                        one.answer.set_exception(ModelFailure("server_error", f"{self.spec}: {_line(error)}"))
                continue
            for one, ids in zip(batch, found, strict=True):
                if not one.answer.done():
                    one.answer.set_result(ids)
            await asyncio.sleep(0)

    def _batch(self) -> list[_Waiting]:
        """As many as fit, in their order: together they hold at most `MEMORY` bytes of keys and values. Of one
        conversation there is one at a time."""
        longest = 0
        batch: list[_Waiting] = []
        while self._waiting:
            one = self._waiting[0]
            if any(each.key == one.key for each in batch):
                break
            longest = max(longest, len(one.tokens) + len(one.ask.tokens) + one.ask.most)
            if batch and (len(batch) + 1) * longest * self._bytes_of_a_token() > MEMORY:
                break
            batch.append(self._waiting.pop(0))
        return batch

    def _sampled(self, batch: Sequence[_Waiting]) -> list[list[int]]:
        from adidem.core.policy.pool import Call, Pool

        if self._pool is None:
            self._pool = Pool(self._loaded().trunk, MEMORY // self._bytes_of_a_token())
        calls = [Call(one.key, one.tokens, one.ask) for one in batch]
        return [each.ids for each in self._pool.sample(calls, self._draw())]

    def _draw(self) -> Draw:
        temperature, top_p = self.settings.temperature, self.settings.top_p
        return Draw(1.0 if temperature is None else temperature, top_p or 1.0)

    def _positions(self) -> int | None:
        found = getattr(self._loaded().trunk.config, "max_position_embeddings", None)
        return None if found is None else int(found)

    def _bytes_of_a_token(self) -> int:
        config: Any = self._loaded().trunk.config
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        return int(2 * config.num_hidden_layers * heads * width * self._loaded().trunk.head.weight.element_size())


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
