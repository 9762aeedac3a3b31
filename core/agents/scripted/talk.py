"""Scripted talk where nothing is written down: say what one wants, ask what the other wants, acknowledge it, leave."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from random import Random
from typing import Any

import yaml

from adidem.core.agents.scripted.manner import Manner
from adidem.core.contracts import Family
from adidem.core.domain import Conversation, Fact, RoleCard, Turn, Usage

MOST_QUESTIONS = 3


@lru_cache(maxsize=1)
def _phrases() -> dict[str, list[str]]:
    text = resources.files(__package__).joinpath("talk.yaml").read_text(encoding="utf-8")
    phrases: dict[str, list[str]] = yaml.safe_load(text)
    return phrases


class ScriptedTalker:
    """A scripted agent in its seat, for a family without records. It tells what the family's `tell` has words for, and
    takes as told what the family's `hear` finds: what a barrier makes unclear it asks for again, `MOST_QUESTIONS` times
    in all, and then leaves without."""

    def __init__(self, manner: Manner, family: Family, card: RoleCard, rng: Random) -> None:
        self.manner, self.family, self.card, self.rng = manner, family, card, rng
        said = (family.tell(condition, card.public) for condition in card.conditions)
        self.sentences = [sentence for sentence in said if sentence]

    async def speak(self, history: Conversation, left: int) -> Turn:
        """Say the next thing."""
        mine = [turn.meant or turn.text for turn in history if turn.seat == self.card.seat]
        theirs = [turn for turn in history if turn.seat != self.card.seat]
        heard = [fact for turn in theirs for fact in self._facts(turn)]
        questions = sum(self._question() in text for text in mine)
        curious = self.manner.asks and not heard and questions < MOST_QUESTIONS
        telling = self._telling(mine, asked=bool(theirs) and "?" in theirs[-1].text)
        news = [fact for fact in self._facts(theirs[-1]) if not _said(fact, mine)][:1] if theirs else []
        leaves = bool(theirs) and not curious and not telling and (self.manner.asks or len(mine) > 1)
        parts = [
            *([] if mine else [self._phrase("greet", partner=self.card.partner)]),
            *(self._phrase("acknowledge", gist=fact.value) for fact in news),
            *telling,
            *([self._phrase("again")] if curious and questions else []),
            *([self._question()] if curious else []),
            *([self._phrase("close" if heard else "unclear")] if leaves else []),
        ]
        if not parts or not self.manner.asks:
            parts.append(self._phrase("easy"))
        return Turn(len(history), self.card.seat, " ".join(parts), "leave" if leaves else "speak")

    def _facts(self, turn: Turn) -> list[Fact]:
        """What somebody was heard to say of themselves in a turn."""
        heard = self.family.hear(turn.text, self.card.public, turn.seat)
        return [fact for fact in heard.facts if fact.about == "speaker"]

    def _telling(self, mine: list[str], *, asked: bool) -> list[str]:
        """What is told now: all that is untold by who volunteers, one thing at a time by who only answers; who is asked
        and has told everything says the first thing again."""
        untold = [sentence for sentence in self.sentences if not any(sentence in text for text in mine)]
        if self.manner.volunteers:
            return untold or (self.sentences[:1] if asked else [])
        return (untold or self.sentences)[:1] if self.manner.answers and asked else []

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """Nothing is written down in such a family; where it is asked for all the same, that nothing was settled."""
        return {"outcome": "decline"}

    def usage(self) -> Usage:
        """No model is behind it."""
        return Usage()

    def _question(self) -> str:
        ask = getattr(self.family, "ask", None)
        return str(ask(self.card.public, self.card.seat)) if ask is not None else _phrases()["ask"][0]

    def _phrase(self, kind: str, **words: str) -> str:
        return self.rng.choice(_phrases()[kind]).format(**words)


def _said(fact: Fact, texts: list[str]) -> bool:
    return any(str(fact.value) in text for text in texts)
