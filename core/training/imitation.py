"""Conversations of others as a policy's own: what imitation learns from, for any agent and any codec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from adidem.core.contracts import Agent, Participant
from adidem.core.domain import Conversation, Seat, Turn, other
from adidem.core.play.converse import converse
from adidem.core.play.records import take_records
from adidem.core.policy.contracts import Codec, Cue, View
from adidem.core.rules import Rules
from adidem.core.training.contracts import Job, Played, Trajectory
from adidem.core.training.reward import raw_of
from adidem.core.training.sides import why


def trajectory_of(codec: Codec, view: View, conversation: Conversation, raw: Any, what: Cue = "record") -> Trajectory:
    """A conversation with the record at its end, as if the policy had said and written what the card's holder did.
    With `what` "probe" the record is a tentative one, and the conversation ends where it was taken. Behaviour
    log-probs are 0: there is no behaviour policy."""
    writer = _Writer(codec.opening(view))
    for turn in conversation:
        if turn.seat == view.card.seat:
            writer.own(codec, "turn", codec.spoken(turn, view))
        else:
            writer.add(codec.heard(turn, view))
    writer.own(codec, what, codec.wrote(raw, view))
    return Trajectory(tuple(writer.ids), tuple(writer.turns), (0.0,) * len(writer.ids))


async def demonstrated(
    jobs: Sequence[Job],
    demonstrator: Agent,
    partner_of: Callable[[Job], Agent],
    rules: Mapping[str, Rules],
    codec: Codec,
    limit: int,
    distortion_of: Callable[[Job, list[Turn]], Callable[[Turn], Turn] | None] | None = None,
) -> list[Played]:
    """The jobs played by a demonstrator in the tested seat, one after the other, and kept as the codec's policy would
    have said it. An agent's failure is that conversation's `failure`. `distortion_of` gives what the partner's turns
    pass through, from the job and the conversation so far."""
    found = []
    for job in jobs:
        history: list[Turn] = []
        distort = None if distortion_of is None else distortion_of(job, history)
        found.append(await _shown(job, demonstrator, partner_of(job), rules, codec, limit, history, distort))
    return found


async def _shown(
    job: Job,
    demonstrator: Agent,
    partner: Agent,
    rules: Mapping[str, Rules],
    codec: Codec,
    limit: int,
    history: list[Turn],
    distort: Callable[[Turn], Turn] | None,
) -> Played:
    task, here = job.task, rules[job.task.scenario.family]
    world = task.scenario.world(task.world)
    view = View(here.family, world.card(task.seat), limit)
    try:
        seated: dict[Seat, Participant] = {}
        for seat, agent in ((task.seat, demonstrator), (other(task.seat), partner)):
            stream = Random(f"{job.seed}/{'policy' if seat == task.seat else 'partner'}")
            seated[seat] = agent.join(here.family, here.checkers, world.card(seat), stream)
        await converse(seated, job.opener, limit, history, distort)
        records = await take_records(seated, tuple(history), here.family, world.public)
    except Exception as error:  # noqa: BLE001  one demonstration that fails is told apart, never the end of the others
        return Played(job, tuple(history), {}, Trajectory((), (), ()), failure=why(error))
    trajectory = trajectory_of(codec, view, tuple(history), raw_of(records[task.seat]))
    return Played(job, tuple(history), records, trajectory)


class _Writer:
    def __init__(self, opening: Sequence[int]) -> None:
        self.ids, self.turns, self.count = list(opening), [-1] * len(opening), 0

    def add(self, ids: Sequence[int], turn: int = -1) -> None:
        self.ids += ids
        self.turns += [turn] * len(ids)

    def own(self, codec: Codec, what: Cue, ids: Sequence[int]) -> None:
        self.add(codec.cue(what))
        self.add(ids, self.count)
        self.add(codec.after(what, ids))
        self.count += 1
