"""The questions put to annotators, read from questions.yaml: what may be answered and what an answer stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from attrs import field, frozen

from adidem.core.errors import UnknownName
from adidem.core.judging import read_yaml

Kind: TypeAlias = Literal["conversation", "pair"]

SIDES: Mapping[str, str] = {"a": "the first run's conversation", "b": "the second run's"}
"""What `left` and `right` become when a sheet comes back."""


@frozen(unsafe_hash=False)
class Question:
    """One question about a conversation, or about a pair of two. `answers` maps what may be answered to the words
    beside it, in order; `values` what an answer counts as beside a judge's score; `turn`: a yes may name a turn."""

    name: str
    asks: str
    answers: Mapping[str, str]
    help: str = ""
    not_: str = ""
    values: Mapping[str, float] = field(factory=dict)
    turn: bool = False
    of: Kind = "conversation"

    def read(self, text: str) -> str | None:
        """The answer that a text gives, case and blanks around it ignored, or None where it gives none."""
        wanted = text.strip().casefold()
        return wanted if wanted in self.answers else None

    def value(self, answer: str) -> float | str:
        """What an answer counts as: a number beside a judge's scores, else the answer itself."""
        return float(self.values[answer]) if answer in self.values else answer


@cache
def questions() -> Mapping[str, Question]:
    """Every question by its name, in the order they are asked."""
    read = read_yaml(Path(__file__).with_name("questions.yaml"))
    return {
        name: Question(name, not_=entry.get("not", ""), **{k: v for k, v in entry.items() if k != "not"})
        for name, entry in read.items()
    }


def chosen(names: Sequence[str]) -> tuple[Question, ...]:
    """The questions of these names in their own order; all, where none is named. Raises UnknownName."""
    known = questions()
    for name in names:
        if name not in known:
            raise UnknownName("question", name, known)
    return tuple(question for name, question in known.items() if not names or name in names)
