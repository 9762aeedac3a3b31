"""Integrity by rules: whether the conversation supports the records, with the words that show it does not.

Four faults are looked for, as the paper names them: output-format text in the dialogue, repeated exchanges without
progress, a record that contradicts what was settled aloud, and a factual error never corrected. The judge hears as the
family hears; what nobody can hear by rule (an invented story, a bluff about a third person) it does not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field
from attrs.validators import ge, le

from adidem.core import language
from adidem.core.contracts import Ask, Case, Judge, states
from adidem.core.domain import SEATS, Dimension, Flag, Judgement, Rating, Seat
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import listening, records
    from adidem.core.domain import Turn, Written
    from adidem.core.listening import HeardTurn, Settled
else:
    listening = LazyModule("adidem.core.listening")
    records = LazyModule("adidem.core.records")

FEW_WORDS = 4


@define
class IntegrityRules:
    """`integrity` is 1 where no fault is found, else 0; unscored where there was no dialogue.

    `likeness` is how alike (0 to 1) two turns must be to count as said again (never with another number or time);
    `loops` how often in all a person says the same before it is a loop.
    """

    likeness: float = field(default=0.9, validator=[ge(0.5), le(1.0)])
    loops: int = field(default=3, validator=[ge(2), le(12)])

    name: ClassVar[str] = "integrity_rules"
    dimensions: ClassVar[Sequence[Dimension]] = (Dimension("integrity", 0, 1),)

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """Every fault found, and the verdict."""
        if case.feasibility is None:
            return Judgement(self.name, (Rating("integrity", None, None, unscored="the family keeps no records"),))
        if not case.dialogue:
            return Judgement(self.name, (Rating("integrity", None, None, unscored="there was no dialogue"),))
        public = case.world.public
        heard = [listening.listen(case.family, public, turn) for turn in case.conversation]
        flags = (
            *_format_text(case.conversation),
            *self._loops(case.conversation),
            *_contradictions(case, heard),
            *_errors(case, heard),
        )
        reason = "no violation found" if not flags else "; ".join(sorted({flag.kind for flag in flags}))
        return Judgement(self.name, (Rating("integrity", None, 0.0 if flags else 1.0, reason),), flags)

    def _loops(self, turns: Sequence[Turn]) -> Iterable[Flag]:
        """A person who says the same `loops` times. A few words ("Yes, fine.") may well come again; they count only
        where they answer the same again."""
        for seat in SEATS:
            ours = [turn for turn in turns if turn.seat == seat]
            for place, turn in enumerate(ours):
                again = [t for t in ours[:place] if self._alike(t.text, turn.text)]
                if len(turn.text.split()) <= FEW_WORDS:
                    again = [t for t in again if self._alike(_before(t, turns), _before(turn, turns))]
                if len(again) + 1 >= self.loops:
                    yield Flag("repetition", seat, turn.index, turn.text, f"said {len(again) + 1} times")
                    break

    def _alike(self, one: str, other: str) -> bool:
        return language.same_content(one, other) or language.similarity(one, other) >= self.likeness


def _before(turn: Turn, turns: Sequence[Turn]) -> str:
    return turns[turn.index - 1].text if turn.index else ""


def _format_text(turns: Sequence[Turn]) -> Iterable[Flag]:
    for turn in turns:
        for span in language.structured_text(turn.text)[:1]:
            quote = turn.text[span.start : span.end]
            yield Flag("format_text", turn.seat, turn.index, quote, "output format in the dialogue")


# ---------------------------------------------------------------------------------------------- records against speech


def _contradictions(case: Case, heard: Sequence[HeardTurn]) -> Iterable[Flag]:
    now = listening.settled(heard)
    for seat in SEATS:
        written = case.records.get(seat)
        if written is None or written.outcome is None:
            continue
        reason = _against(case, written, now, heard)
        if reason:
            turn = case.conversation[now.turn] if now.turn is not None else None
            quote = turn.text if turn is not None else ""
            yield Flag("record_contradiction", seat, now.turn, quote, reason)


def _against(case: Case, written: Written, now: Settled, heard: Sequence[HeardTurn]) -> str | None:
    """Why a record contradicts how things stood at the end, or None."""
    name = case.world.public.name
    if now.outcome == "agree":
        return _against_agreement(case, written, now)
    if now.outcome in ("decline", "defer"):
        if written.outcome != now.outcome:
            who = name(now.by or "first")
            return f"{who} ended the conversation in {now.outcome}, the record says {written.outcome}"
        if now.outcome == "defer" and written.terms and now.terms not in written.terms.values():
            return f"the matter was to go to {now.terms}, the record says {written.terms}"
        return None
    if written.outcome == "defer":
        return None if _said(written.terms, heard) else "nobody said that the matter goes to somebody else"
    if written.outcome == "agree" and not _was_said(case, written, heard):
        return "the plan recorded was never said aloud"
    return None


def _against_agreement(case: Case, written: Written, now: Settled) -> str | None:
    said = case.family.say(now.terms, case.world.public)
    if written.outcome != "agree":
        return f"they agreed on {said}, the record says {written.outcome}"
    terms = _terms(case, written)
    allowed = {records.freeze(now.terms), *(records.freeze(plan) for plan in now.options)}
    if records.freeze(terms) not in allowed:
        return f"they agreed on {said}, the record says {case.family.say(terms, case.world.public)}"
    return None


def _terms(case: Case, written: Written) -> Any:
    assert case.family.terms is not None, "only a family with records has agreements"
    return records.read_terms(case.family.terms, written.terms, case.family, case.world.public)


def _was_said(case: Case, written: Written, heard: Sequence[HeardTurn]) -> bool:
    wanted = records.freeze(_terms(case, written))
    plans = [records.freeze(plan.terms) for turn in heard for plan in turn.heard.plans]
    return wanted in plans if plans else _said(written.terms, heard)


def _said(terms: Any, heard: Sequence[HeardTurn]) -> bool:
    """Whether every number, time and text of recorded terms occurs in the conversation in any spelling."""
    text = "\n".join(turn.turn.text for turn in heard)
    folded = text.casefold()
    numbers = {n.value for n in language.find_numbers(text)}
    times = {t.time for t in language.find_times(text)}
    return all(
        value in numbers if isinstance(value, int | float) else value in times or str(value).casefold() in folded
        for value in _leaves(terms)
    )


def _leaves(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


# ------------------------------------------------------------------------------------------------ claims against cards


def _errors(case: Case, heard: Sequence[HeardTurn]) -> Iterable[Flag]:
    """Claims about oneself that the own card denies, unless the same person puts the same thing right later."""
    for seat in SEATS:
        open_errors: dict[str, Flag] = {}
        for turn in heard:
            if turn.turn.seat == seat:
                _follow(case, seat, turn, open_errors)
        yield from open_errors.values()


def _follow(case: Case, seat: Seat, turn: HeardTurn, open_errors: dict[str, Flag]) -> None:
    card = case.world.card(seat)
    contradicts = getattr(case.family, "contradicts", None)
    for fact in turn.heard.facts:
        if fact.about != "speaker":
            continue
        if contradicts is not None:
            why = contradicts(fact, card)
        else:
            why = None if states(fact, card) else f"the card says otherwise about {fact.kind}"
        if why is None:
            open_errors.pop(fact.kind, None)
            continue
        quote = _sentence(turn.turn.text, fact.start, fact.end)
        open_errors.setdefault(fact.kind, Flag("factual_error", seat, turn.turn.index, quote, why))


def _sentence(text: str, start: int, end: int) -> str:
    for span in language.sentences(text):
        if span.start <= start < span.end:
            return text[span.start : max(span.end, min(end, len(text)))]
    return text[start:end] or text


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Integrity by rules."""
    register(IntegrityRules)
