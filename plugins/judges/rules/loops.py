"""Repetition: exchanges that go round without a new figure, item, plan or outcome from either side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve, field, frozen, mutable

from adidem.core.contracts import Case
from adidem.core.domain import Flag, Seat
from adidem.core.language import Act, Gist, gist
from adidem.core.language.clauses import level
from adidem.core.listening import HeardTurn
from adidem.core.records import freeze
from adidem.plugins.judges.rules.said import day_of, items_named

MOVES = frozenset({Act.ACCEPT, Act.DECLINE, Act.DEFER, Act.CORRECT})
FEW = 2
"""New words that an utterance may always hold and yet say nothing new; a longer one may hold half its own."""


def repetitions(case: Case, heard: Sequence[HeardTurn], loops: int) -> Iterable[Flag]:
    """A flag where somebody has said the same `loops` times, and neither they nor the other said anything in between
    that moves the matter."""
    names = case.world.public.names
    choices = [choice for texts in case.family.choices(case.world.public).values() for choice in texts]
    so_far = _Said(names, day_of(case), tuple(choice for choice in choices if choice not in names))
    run = 0
    for turn in heard:
        run = run + 1 if so_far.take(turn) else 0
        if run == 2 * loops - 3:
            reason = f"said {loops} times with nothing new from either side"
            yield Flag("repetition", turn.turn.seat, turn.turn.index, turn.turn.text, reason)
            return


@frozen
class _Utterance:
    gist: Gist
    items: frozenset[str]
    plans: frozenset[Any]
    acts: frozenset[Act]


@mutable
class _Said:
    """What was said up to a turn: words by anyone, and by each person the turns of their own."""

    names: tuple[str, ...]
    day: tuple[str, str] | None
    choices: tuple[str, ...]
    words: set[str] = field(factory=set)
    matters: bool = False  # whether anything was spoken of that could be accepted
    own: dict[Seat, list[_Utterance]] = field(factory=dict)

    def take(self, turn: HeardTurn) -> bool:
        """Take in a turn; whether it says again what its speaker said before."""
        now = self._hear(turn)
        earlier = self.own.setdefault(turn.turn.seat, [])
        stale = self._is_stale(now, earlier)
        self.words |= now.gist.words | now.gist.courtesy
        self.matters = self.matters or bool(now.gist.figures or now.items)
        earlier.append(now)
        return stale

    def _is_stale(self, now: _Utterance, earlier: Sequence[_Utterance]) -> bool:
        if not self.matters:
            now = evolve(now, acts=now.acts - {Act.ACCEPT})
        if not earlier or any(_moves(now, earlier)):
            return False
        if not now.gist.figures and len(now.gist.words) < FEW:
            return _is_courtesy_again(now.gist, [said.gist for said in earlier if not said.gist.figures])
        again = any(now.gist.words & said.gist.words or now.gist.figures & said.gist.figures for said in earlier)
        new = len(now.gist.words - self.words)
        return again and new <= max(FEW, len(now.gist.words) // 2)

    def _hear(self, turn: HeardTurn) -> _Utterance:
        text = turn.turn.text
        return _Utterance(
            gist(text, self.names, self.day),
            frozenset(items_named(level(text), self.choices)),
            frozenset(freeze(plan) for plan in turn.plans),
            turn.acts & MOVES,
        )


def _moves(now: _Utterance, earlier: Sequence[_Utterance]) -> Iterable[bool]:
    """Whether there is a figure, an item, a plan or an end that the speaker has not spoken of before."""
    yield not now.gist.figures <= frozenset().union(*(said.gist.figures for said in earlier))
    yield not now.items <= frozenset().union(*(said.items for said in earlier))
    yield not now.plans <= frozenset().union(*(said.plans for said in earlier))
    yield not now.acts <= frozenset().union(*(said.acts for said in earlier))


def _is_courtesy_again(now: Gist, earlier: Sequence[Gist]) -> bool:
    """The same thanks, sympathy or single word as in an earlier turn; bare assent, once given, moves nothing."""
    kept = [said.words | said.courtesy for said in earlier]
    own = now.words | now.courtesy
    return any(own & said or not (own or said) for said in kept)
