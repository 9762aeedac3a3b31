"""Plays the conversations of an update, all together: a policy against its partners, with probes that change nothing.

A conversation here is the one of an ordinary run: turns are text, the partner is a real agent, records are read by the
same rules. What is more is that the policy's side is kept as the tokens that were sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any, Literal, TypeAlias

from attrs import define, evolve, field, frozen
from attrs.validators import ge

from adidem.core.contracts import Agent
from adidem.core.domain import Seat, Turn, Written, other
from adidem.core.play.converse import SILENT
from adidem.core.policy.contracts import Cue, Policy
from adidem.core.policy.draw import GREEDY, Draw
from adidem.core.records import written
from adidem.core.rules import Rules
from adidem.core.training.contracts import Job, Played, Trajectory
from adidem.core.training.sides import AgentPartner, PolicyPartner, PolicySide, Side, Talk, why

Partner: TypeAlias = Agent | Literal["base"]
"""Who sits across: an agent, or `base`: the model without what is trained of it, the same in every stage."""

Distortion: TypeAlias = Callable[[Turn], Turn]
"""What a turn of the partner passes through on its way: a barrier (`adidem.core.play.barrier.through`)."""


@frozen(kw_only=True)
class Options:
    """How conversations are played: at most `limit` turns of both; `draw` is how the policy samples, `partner_draw` how
    a `base` partner does; tentative records are taken after each of the policy's turns (`own`), after the reply to it
    (`reply`), or not; so many conversations advance `together`."""

    limit: int = field(default=12, validator=ge(1))
    draw: Draw = Draw()
    partner_draw: Draw = Draw()
    probes: Literal["own", "reply"] | None = None
    probe_draw: Draw = GREEDY
    together: int = field(default=512, validator=ge(1))


async def play(
    jobs: Sequence[Job],
    policy: Policy,
    partner_of: Callable[[Job], Partner],
    rules: Mapping[str, Rules],
    options: Options = Options(),
    barrier_of: Callable[[Talk], Distortion | None] | None = None,
) -> list[Played]:
    """Play the jobs; one `Played` each, in their order. A partner's failure is that conversation's `failure`, never the
    end of the others. `rules` are those of the families; `barrier_of` gives what a partner's turns pass through.

    `times` of what was played are shares of the whole: summed over all, seconds that went into `policy`, `probes`,
    `partner` and `reading` (tokens to text and text to tokens).
    """
    found: list[Played] = []
    for start in range(0, len(jobs), options.together):
        part = jobs[start : start + options.together]
        found += await _Table(part, policy, partner_of, rules, options, barrier_of).played()
    return found


@define(eq=False)
class _Probes:
    """The tentative records of one conversation: what was written, and after which turn of the conversation."""

    raws: list[Any] = field(factory=list)
    reached: list[int] = field(factory=list)
    owed: bool = False


class _Table:
    """Conversations that advance together, and both sides of them."""

    def __init__(
        self,
        jobs: Sequence[Job],
        policy: Policy,
        partner_of: Callable[[Job], Partner],
        rules: Mapping[str, Rules],
        options: Options,
        barrier_of: Callable[[Talk], Distortion | None] | None,
    ) -> None:
        self.options = options
        self.seconds = dict.fromkeys(("policy", "probes", "partner", "reading"), 0.0)
        self.talks = [Talk(job, rules[job.task.scenario.family], options.limit, job.opener) for job in jobs]
        self.probes = [_Probes() for _ in jobs]
        self.raws: dict[int, Any] = {}
        self.records: list[dict[Seat, Written]] = [{} for _ in jobs]
        self.barriers = [barrier_of(talk) if barrier_of is not None else None for talk in self.talks]
        self._sit(policy, [partner_of(job) for job in jobs])

    def _sit(self, policy: Policy, partners: Sequence[Partner]) -> None:
        """Give each side its seats."""
        with self._clock("policy"):
            everyone = range(len(self.talks))
            self.side = self._policy_side(policy, everyone, base=False)
        with self._clock("partner"):
            rows = [row for row, partner in enumerate(partners) if isinstance(partner, str)]
            agents = {row: partner for row, partner in enumerate(partners) if not isinstance(partner, str)}
            talks = dict(enumerate(self.talks))
            self.partners: list[tuple[Side, frozenset[int]]] = []
            if rows:
                twin = PolicyPartner(self._policy_side(policy, rows, base=True), talks)
                self.partners.append((twin, frozenset(rows)))
            if agents:
                seeds = {row: f"{self.talks[row].job.seed}/partner" for row in agents}
                self.partners.append((AgentPartner(talks, agents, seeds), frozenset(agents)))

    def _policy_side(self, policy: Policy, rows: Iterable[int], *, base: bool) -> PolicySide:
        who = "partner" if base else "policy"
        seats = {row: self.talks[row].job.task.seat for row in rows}
        views = {row: self.talks[row].view(other(seat) if base else seat) for row, seat in seats.items()}
        sampler_of = partial(policy.sampler, base=base)
        seeds = {row: f"{self.talks[row].job.seed}/{who}" for row in views}
        draw = self.options.partner_draw if base else self.options.draw
        return PolicySide(policy.codec, sampler_of, views, seeds, draw)

    async def played(self) -> list[Played]:
        """Rounds of partner and policy until every conversation is over and written down."""
        live = set(range(len(self.talks)))
        while live:
            await self._partners_speak([row for row in sorted(live) if self._speaks(row, partner=True)])
            await self._probe([row for row in sorted(live) if self.probes[row].owed])
            live = {row for row in live if self.talks[row].failure is None}
            over = [row for row in sorted(live) if self.talks[row].ended]
            await self._policy_acts([row for row in sorted(live) if self._speaks(row, partner=False)], over)
            failed = [row for row in range(len(self.talks)) if self.talks[row].failure is not None]
            live.difference_update(over, failed)
            self.side.drop([*over, *failed])
            if self.options.probes == "own":
                await self._probe([row for row in sorted(live) if self.probes[row].owed])
        await self._partners_write()
        share = {name: seconds / len(self.talks) for name, seconds in self.seconds.items()}
        return [self._result(row, share) for row in range(len(self.talks))]

    def _speaks(self, row: int, *, partner: bool) -> bool:
        talk = self.talks[row]
        return not talk.ended and talk.failure is None and (talk.speaker != talk.job.task.seat) == partner

    async def _partners_speak(self, rows: Sequence[int]) -> None:
        for side, seats in self.partners:
            asked = [row for row in rows if row in seats]
            if not asked:
                continue
            with self._clock("partner"):
                said = await side.speak(asked)
            with self._clock("reading"):
                for row, turn in said.items():
                    if isinstance(turn, Exception):
                        self.talks[row].failure = why(turn)
                        self.probes[row].owed = False
                        continue
                    barrier = self.barriers[row]
                    turn = self._said(row, turn, barrier)
                    self.side.heard(row, turn)

    async def _policy_acts(self, speaking: Sequence[int], over: Sequence[int]) -> None:
        """Those whose turn it is speak, those that are over write their record, all in one batch."""
        cues: dict[int, Cue] = {**dict.fromkeys(speaking, "turn"), **dict.fromkeys(over, "record")}
        if not cues:
            return
        with self._clock("policy"):
            drawn = await self.side.sampled(cues)
        with self._clock("reading"):
            for row in cues:
                self.talks[row].failure = drawn[row].failure
            for row in speaking:
                talk = self.talks[row]
                if talk.failure is not None:
                    continue
                turn = self._said(row, self.side.turn(row, drawn[row], len(talk.turns)), None)
                talk.failure = self.side.broken(drawn[row])
                if talk.failure is not None:
                    continue
                self.probes[row].owed = self.options.probes is not None
                self._partner(row).heard(row, turn)
            for row in over:
                if self.talks[row].failure is None:
                    self.raws[row] = self.side.record(row, drawn[row])

    def _said(self, row: int, turn: Turn, barrier: Distortion | None) -> Turn:
        """Add a turn to its conversation, which may end with it."""
        talk = self.talks[row]
        turn = evolve(turn, index=len(talk.turns), seat=talk.speaker)
        if barrier is not None:
            turn = barrier(turn)
        talk.turns.append(turn)
        silent = len(talk.turns) >= SILENT and all(each.action == "none" for each in talk.turns[-SILENT:])
        talk.ended = turn.action == "leave" or silent or talk.left == 0
        talk.speaker = other(talk.speaker)
        return turn

    async def _probe(self, rows: Sequence[int]) -> None:
        """Tentative records of those that owe one."""
        if not rows:
            return
        with self._clock("probes"):
            for row, raw in (await self.side.probed(rows, self.options.probe_draw)).items():
                probes = self.probes[row]
                probes.raws.append(raw)
                probes.reached.append(len(self.talks[row].turns) - 1)
                probes.owed = False

    async def _partners_write(self) -> None:
        for side, seats in self.partners:
            rows = [row for row in sorted(seats) if self.talks[row].failure is None]
            with self._clock("partner"):
                raws = await side.write(rows) if rows else {}
            for row, raw in raws.items():
                if isinstance(raw, Exception):
                    self.talks[row].failure = why(raw)
                    continue
                self._write(row, raw)

    def _write(self, row: int, raw: Any) -> None:
        job, family = self.talks[row].job, self.talks[row].rules.family
        public = job.task.scenario.public
        seat = job.task.seat
        self.records[row] = {
            each: written(self.raws[row] if each == seat else raw, family, public) for each in ("first", "second")
        }

    def _partner(self, row: int) -> Side:
        return next(side for side, seats in self.partners if row in seats)

    def _result(self, row: int, times: Mapping[str, float]) -> Played:
        talk, probes = self.talks[row], self.probes[row]
        trajectory: Trajectory = self.side.trajectory(row)
        return Played(
            talk.job,
            tuple(talk.turns),
            self.records[row],
            trajectory,
            tuple(probes.raws),
            tuple(probes.reached),
            talk.failure,
            times,
        )

    @contextmanager
    def _clock(self, what: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self.seconds[what] += perf_counter() - started
