"""What judges flagged: each fault as a numbered note, and marks over the words that it quotes."""

from __future__ import annotations

from attrs import field, frozen

from adidem.core.domain import Episode, Flag, Public
from adidem.core.judging import find_quote
from adidem.core.web.marks import Mark, Told, told

MOST = 200
"""Notes an episode shows at most."""


@frozen(unsafe_hash=False)
class Note:
    """A fault: its number, who found it, of which kind, in whose turn or record, in which turn (None: in none), the
    quote and the reason; `supported` is False where its words were never said, and then it counts for nothing."""

    number: int
    judge: str
    kind: str
    who: str
    turn: int | None
    quote: Told
    reason: Told
    supported: bool


@frozen(unsafe_hash=False)
class Evidence:
    """The notes of an episode, and their marks by turn."""

    notes: tuple[Note, ...] = ()
    marks: dict[int, list[Mark]] = field(factory=dict)
    left_out: int = 0


def evidence(episode: Episode, public: Public) -> Evidence:
    """Every flag of every judge, in their order."""
    flags = [(judgement.judge, flag) for judgement in episode.judgements for flag in judgement.flags]
    marks: dict[int, list[Mark]] = {}
    notes = []
    for number, (judge, flag) in enumerate(flags[:MOST], 1):
        turn = _marked(episode, flag, number, marks)
        who = "" if flag.seat is None else public.name(flag.seat)
        supported = flag.supported
        notes.append(Note(number, judge, flag.kind, who, turn, told(flag.quote), told(flag.reason), supported))
    return Evidence(tuple(notes), marks, max(0, len(flags) - MOST))


def _marked(episode: Episode, flag: Flag, number: int, marks: dict[int, list[Mark]]) -> int | None:
    """The turn that a flag is about; its words there are marked where they were said."""
    found = find_quote(flag.quote, episode.turns, flag.turn, flag.seat) if flag.supported else None
    if found is None:
        return flag.turn
    marks.setdefault(found.turn.index, []).append(Mark(found.start, found.end, "evidence", number))
    return found.turn.index
