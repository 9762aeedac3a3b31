"""The sides of conversations that advance together: policies, sampled in step over a kept cache, and agents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol, TypeAlias

from attrs import define, field

from adidem.core.containment import text_of
from adidem.core.contracts import Agent, Participant
from adidem.core.domain import Seat, Turn, other
from adidem.core.errors import ModelFailure
from adidem.core.policy.contracts import Ask, Codec, Cue, Sampled, Sampler, View
from adidem.core.policy.draw import GREEDY, Draw
from adidem.core.records import record_schema, written
from adidem.core.rules import Rules
from adidem.core.training.contracts import Job, Trajectory


@define(eq=False)
class Talk:
    """One conversation as it stands: who speaks next, whether and where it ended, why it failed."""

    job: Job
    rules: Rules
    limit: int
    speaker: Seat
    turns: list[Turn] = field(factory=list)
    ended: bool = False
    failure: str | None = None

    @property
    def left(self) -> int:
        """How many turns both may still take."""
        return self.limit - len(self.turns)

    def view(self, seat: Seat) -> View:
        """What the person in that seat is given."""
        card = self.job.task.scenario.world(self.job.task.world).card(seat)
        return View(self.rules.family, card, self.limit)


Said: TypeAlias = Turn | Exception
"""What a speaker gave: a turn, or why there is none."""


class Side(Protocol):
    """One of the two in many conversations."""

    async def speak(self, rows: Sequence[int]) -> Mapping[int, Said]:
        """The next turn in each of these conversations."""
        ...

    async def write(self, rows: Sequence[int]) -> Mapping[int, Any]:
        """The raw record of each, or the error that there is none."""
        ...

    def heard(self, row: int, turn: Turn) -> None:
        """What the other said."""
        ...


@define(eq=False)
class Growing:
    """A conversation as one policy's tokens, which only grow. `waiting` are those that its sampler was not fed yet."""

    view: View
    stream: Random
    ids: list[int]
    turns: list[int]
    logps: list[float]
    waiting: list[int] = field(factory=list)
    spoken: int = 0
    truncated: bool = False

    def told(self, ids: Sequence[int]) -> None:
        """Tokens that nobody sampled: the partner's, the template's."""
        self.waiting += ids
        self._add(ids, -1, [0.0] * len(ids))

    def drew(self, drawn: Sampled, ends: frozenset[int]) -> None:
        """The policy's own tokens of its next turn."""
        self.waiting = []
        self._add(drawn.ids, self.spoken, drawn.logps)
        self.spoken += 1
        self.truncated |= drawn.ids[-1] not in ends

    def _add(self, ids: Sequence[int], turn: int, logps: Sequence[float]) -> None:
        self.ids += ids
        self.turns += [turn] * len(ids)
        self.logps += logps


class PolicySide:
    """A policy, in the seats that `views` are of; it samples its own tokens and never encodes them again."""

    def __init__(
        self,
        codec: Codec,
        sampler_of: Callable[[Sequence[Sequence[int]]], Sampler],
        views: Mapping[int, View],
        seeds: Mapping[int, str],
        draw: Draw,
    ) -> None:
        self.codec, self.draw, self._seeds = codec, draw, seeds
        self._number = {row: at for at, row in enumerate(views)}
        openings = {row: codec.opening(view) for row, view in views.items()}
        self.sampler = sampler_of(list(openings.values()))
        self._growing = {
            row: Growing(views[row], Random(seeds[row]), list(ids), [-1] * len(ids), [0.0] * len(ids))
            for row, ids in openings.items()
        }

    def heard(self, row: int, turn: Turn) -> None:
        """See `Side`."""
        one = self._growing[row]
        one.told(self.codec.heard(turn, one.view))

    async def sampled(self, cues: Mapping[int, Cue]) -> dict[int, Sampled]:
        """A turn or a record of each of these conversations."""
        asks = {}
        for row, what in cues.items():
            one = self._growing[row]
            one.told(self.codec.cue(what))
            asks[self._number[row]] = self._ask(one.waiting, what, one.stream)
        drawn = await self.sampler.sampled(asks, self.draw)
        found = {row: drawn[self._number[row]] for row in cues}
        for row, what in cues.items():
            one = self._growing[row]
            if found[row].failure is not None:
                continue
            one.drew(found[row], self.codec.ends(what))
            one.told(self.codec.after(what, found[row].ids))
        return found

    async def probed(self, rows: Sequence[int], draw: Draw = GREEDY) -> dict[int, Any]:
        """A tentative record of each of these conversations, raw. Nothing in them changes: what was waiting to be fed
        is fed, and the rest is a fork."""
        asks = {}
        for row in rows:
            one = self._growing[row]
            stream = Random(f"{self._seeds[row]}/probe/{one.spoken}")
            tokens = [*one.waiting, *self.codec.cue("probe")]
            asks[self._number[row]] = self._ask(tokens, "probe", stream, len(one.waiting))
        drawn = await self.sampler.sampled(asks, draw, keep=False)
        found = {}
        for row in rows:
            one = self._growing[row]
            one.waiting = []
            here = drawn[self._number[row]]
            found[row] = None if here.failure is not None else self.codec.record(here.ids, one.view)
        return found

    def turn(self, row: int, drawn: Sampled, index: int) -> Turn:
        """What was sampled as a turn."""
        return self.codec.said(drawn.ids, self._growing[row].view, index)

    def broken(self, drawn: Sampled) -> str | None:
        """Why a conversation cannot go on from what was sampled as it is; None where it can."""
        found = getattr(self.codec, "broken", None)
        reason: str | None = None if found is None else found(drawn.ids)
        return reason

    def record(self, row: int, drawn: Sampled) -> Any:
        """What was sampled as a raw record."""
        return self.codec.record(drawn.ids, self._growing[row].view)

    def trajectory(self, row: int) -> Trajectory:
        """The whole conversation as tokens."""
        one = self._growing[row]
        return Trajectory(tuple(one.ids), tuple(one.turns), tuple(one.logps), one.truncated)

    def drop(self, rows: Sequence[int]) -> None:
        """These are over."""
        self.sampler.drop([self._number[row] for row in rows])

    def _ask(self, tokens: Sequence[int], what: Cue, stream: Random, stay: int = 0) -> Ask:
        return Ask(list(tokens), self.codec.ends(what), self.codec.most(what), stream, stay)


class PolicyPartner:
    """A policy as the partner, which does not learn: the base of the tested one, in step too."""

    def __init__(self, side: PolicySide, talks: Mapping[int, Talk]) -> None:
        self._side, self._talks = side, talks

    async def speak(self, rows: Sequence[int]) -> dict[int, Said]:
        """See `Side`."""
        drawn = await self._side.sampled(dict.fromkeys(rows, "turn"))
        return {
            row: _failed(each) or self._side.turn(row, each, len(self._talks[row].turns)) for row, each in drawn.items()
        }

    async def write(self, rows: Sequence[int]) -> dict[int, Any]:
        """See `Side`."""
        drawn = await self._side.sampled(dict.fromkeys(rows, "record"))
        self._side.drop(rows)
        return {row: _failed(each) or self._side.record(row, each) for row, each in drawn.items()}

    def heard(self, row: int, turn: Turn) -> None:
        """See `Side`."""
        self._side.heard(row, turn)


class AgentPartner:
    """Any agent as the partner: it is given the conversation as text."""

    def __init__(self, talks: Mapping[int, Talk], agents: Mapping[int, Agent], seeds: Mapping[int, str]) -> None:
        self._talks = talks
        self._alone = all(agent.scripted for agent in agents.values())
        self._seated: dict[int, Participant] = {}
        for row, agent in agents.items():
            talk = talks[row]
            card = talk.view(other(talk.job.task.seat)).card
            rules = talk.rules
            self._seated[row] = agent.join(rules.family, rules.checkers, card, Random(seeds[row]))

    async def speak(self, rows: Sequence[int]) -> dict[int, Said]:
        """See `Side`."""
        return await self._each(self._speak, rows)

    async def write(self, rows: Sequence[int]) -> dict[int, Any]:
        """See `Side`."""
        return await self._each(self._write, rows)

    def heard(self, row: int, turn: Turn) -> None:
        """Nothing: it is handed the whole conversation each time."""

    async def _each(self, call: Callable[[int], Awaitable[Any]], rows: Sequence[int]) -> dict[int, Any]:
        """What each gives, or its error: all at once where models are called, one after the other where they are not,
        for then a task for each is most of the work."""
        if not self._alone:
            found = await asyncio.gather(*(call(row) for row in rows), return_exceptions=True)
            return dict(zip(rows, map(_or_raised, found), strict=True))
        done: dict[int, Any] = {}
        for row in rows:
            try:
                done[row] = await call(row)
            except Exception as error:  # noqa: BLE001  whatever an agent raises is its conversation's failure
                done[row] = error
        return done

    async def _speak(self, row: int) -> Turn:
        talk = self._talks[row]
        turn = await self._seated[row].speak(tuple(talk.turns), talk.left)
        text_of("the partner", turn.text)
        return turn

    async def _write(self, row: int) -> Any:
        """As in any run: what cannot be read is asked for once more, with the reason."""
        talk, participant = self._talks[row], self._seated[row]
        family, public, history = talk.rules.family, talk.job.task.scenario.public, tuple(talk.turns)
        schema = record_schema(family, public)
        raw = await participant.record(history, schema)
        problem = written(raw, family, public).unreadable
        return raw if problem is None else await participant.record(history, schema, problem)


def _or_raised(found: Any) -> Any:
    """Raises what is no fault of an agent: cancellation and interrupts."""
    if isinstance(found, BaseException) and not isinstance(found, Exception):
        raise found
    return found


def _failed(drawn: Sampled) -> ModelFailure | None:
    """The error that nothing was drawn."""
    return None if drawn.failure is None else ModelFailure("server_error", drawn.failure)


def why(error: Exception) -> str:
    """The cause of a failed conversation in one line."""
    kind = error.kind if isinstance(error, ModelFailure) else type(error).__name__
    return f"{kind}: {error}"
