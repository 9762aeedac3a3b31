"""Multiple-choice questions that come with a scenario: what somebody wants and why, to be told from the conversation.

`public.facts["mcq"]` is a list of `{question, options, answer, about}`: the text, two or more option texts, the right
one (its text, or its place counted from 0), and the seat whose goal or reason it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from attrs import frozen

from adidem.core.domain import Public, Seat

UNKNOWN = "none"
"""The answer that stands for: the conversation does not show it."""


@frozen
class Question:
    """One question; `answer` is the letter of the right option."""

    text: str
    options: tuple[str, ...]
    answer: str
    about: Seat

    @property
    def letters(self) -> tuple[str, ...]:
        """The letter of each option, A first."""
        return tuple(ascii_uppercase[: len(self.options)])


def questions(public: Public) -> tuple[Question, ...] | str:
    """The scenario's questions, none where it has none, or (a sentence) which one is ill-formed."""
    entries = public.facts.get("mcq")
    if entries is None:
        return ()
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return "the scenario's mcq is no list of questions"
    found = [_question(entry) for entry in entries]
    if None in found:
        return f"question {found.index(None) + 1} of the scenario is ill-formed"
    return tuple(question for question in found if question is not None)


def _question(entry: Any) -> Question | None:
    if not isinstance(entry, Mapping):
        return None
    text, about, options, answer = (entry.get(key) for key in ("question", "about", "options", "answer"))
    if not isinstance(text, str) or about not in ("first", "second") or not isinstance(options, list | tuple):
        return None
    if not 2 <= len(options) <= len(ascii_uppercase) or not all(isinstance(option, str) for option in options):
        return None
    if isinstance(answer, str) and list(options).count(answer) == 1:
        answer = options.index(answer)
    if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer < len(options):
        return None
    return Question(text, tuple(options), ascii_uppercase[answer], about)
