"""What the offline judge counts in an episode: eight features from 0 to 1, of one person or of the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from adidem.core import language
from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Seat, Turn
from adidem.core.judging.quotes import folded
from adidem.core.judging.rubric import read_yaml
from adidem.core.language.patterns import Pattern

LONG_TURN = 20
SHORT_ANSWER = 2
NEUTRAL = 0.5

_WORDS = Pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?\??")
_CONCRETE = Pattern(r"\d|(?<=[a-z,;] )[A-Z][a-z]+")


@cache
def table() -> Mapping[str, Any]:
    """The lexicon and the weights of scripted.yaml, its word lists as sets."""
    read = read_yaml(Path(__file__).with_name("scripted.yaml"))
    lists = {name: frozenset(read[name].split()) for name in ("friendly", "unfriendly", "confused")}
    return {**read, **lists}


def measures(case: Case, seat: Seat | None) -> dict[str, float]:
    """The features of one person (None: of the whole conversation), each from 0 to 1."""
    turns = [turn for turn in case.conversation if seat is None or turn.seat == seat]
    words = [_words(turn.text) for turn in turns]
    return {
        "agreed": agreed(case),
        "answered": _answered(case.conversation, seat),
        "tone": _tone(words),
        "fresh": 1 - _share([again(case.conversation, turn) for turn in turns]),
        "concrete": _share([_CONCRETE.search(turn.text) for turn in turns]),
        "clear": 1 - _share([table()["confused"] & set(said) for said in words]),
        "plain": 1 - _share([language.structured_text(turn.text) for turn in turns]),
        "talk": min(1.0, sum(map(len, words)) / (LONG_TURN * len(words))) if words else 0.0,
    }


def agreed(case: Case) -> float:
    """How far the two records say the same: 1 the same plan, 0.5 the same ending without one, else 0; 0.5 where none
    are taken."""
    if not case.records:
        return NEUTRAL
    first, second = (case.records.get(seat) for seat in SEATS)
    if first is None or second is None or first.outcome is None or first.outcome != second.outcome:
        return 0.0
    if first.outcome == "decline":
        return 0.5
    return 1.0 if first.terms == second.terms else 0.0


def again(turns: Sequence[Turn], turn: Turn) -> bool:
    """Whether the same person has said these very words before (white space, quotation marks and case folded)."""
    said = folded(turn.text).casefold()
    return any(t.seat == turn.seat and folded(t.text).casefold() == said for t in turns if t.index < turn.index)


def _answered(turns: Sequence[Turn], seat: Seat | None) -> float:
    """Of the questions put to that person (or to anybody), the share that the next turn answers; 1 without any."""
    asked = [after for before, after in pairwise(turns) if "?" in before.text]
    asked = [turn for turn in asked if seat is None or turn.seat == seat]
    return _share([len(_words(turn.text)) > SHORT_ANSWER for turn in asked]) if asked else 1.0


def _tone(words: Sequence[Sequence[str]]) -> float:
    good = sum(word in table()["friendly"] for said in words for word in said)
    bad = sum(word in table()["unfriendly"] for said in words for word in said)
    return NEUTRAL + NEUTRAL * (good - bad) / (good + bad + 1)


def _words(text: str) -> list[str]:
    return _WORDS.findall(re.sub("[’ʼ]", "'", text).lower())


def _share(found: Sequence[Any]) -> float:
    return sum(map(bool, found)) / len(found) if found else 0.0
