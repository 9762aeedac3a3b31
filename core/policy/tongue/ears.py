"""What was said, as words of the tongue: the partner's turns as they are heard, and turns of the own seat as the
policy itself would have said them.

Both are heard by the family and by everyone's ears, sentence by sentence. Of the partner's own wording the first words
of what is more than a fact are kept, so that a phrase never met before is met as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from adidem.core.domain import Heard, Turn
from adidem.core.language import Act, find_acts, sentences
from adidem.core.language.patterns import Pattern
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.place import Place

KEPT = 2
"""So many words of a sentence are kept as spoken."""

_WORD = Pattern(r"[a-z]+(?:'[a-z]+)?")
_ORDER = ((Act.ACCEPT, w.YES), (Act.REJECT, w.NO), (Act.DECLINE, w.DECLINE), (Act.ASK, w.ASK), (Act.CLOSE, w.BYE))
_ENDS = (w.DECLINE, w.DEFER)
_OF_A_PLAN = (Act.ACCEPT, Act.REJECT)
"""What a sentence that tells a condition does not do besides: "I can't have 3" turns down no offer."""


def partner_words(turn: Turn, place: Place) -> list[str]:
    """A turn of the partner: `tell KIND VALUE`, `offer PLAN`, `no PLAN`, `defer PLAN` and bare acts, in the order of
    the text, or `fine` where it held nothing; `place` is the listener's."""
    heard = place.family.hear(turn.text, place.public, turn.seat)
    theirs = Place.of(place.family, place.public, turn.seat)
    found: list[str] = []
    for sentence in _sentences(turn, heard):
        said = [*sentence.plans(place), *sentence.deferrals(place), *sentence.acts()]
        if said and said != [w.ASK]:
            found += sentence.kept()
        found += [*sentence.told(theirs, place), *said]
    return _ended(found, turn)


def own_words(turn: Turn, place: Place) -> list[str]:
    """A turn of the own seat: what was told by its kind alone, for the card stands in the context."""
    heard = place.family.hear(turn.text, place.public, turn.seat)
    found: list[str] = []
    for sentence in _sentences(turn, heard):
        acts = sentence.acts()
        found += [word for kind in sentence.kinds for word in (w.TELL, w.kind_word(kind))]
        found += [] if w.YES in acts else sentence.plans(place)
        found += [*sentence.deferrals(place), *acts]
    return _ended(found, turn)


def _ended(found: list[str], turn: Turn) -> list[str]:
    if any(word in _ENDS for word in found):
        found = [word for word in found if word != w.YES]
    found = found or [] if turn.action == "leave" else found or [w.FINE]
    return [*found, w.BYE] if turn.action == "leave" and w.BYE not in found else found


class _Sentence:
    """A sentence with what was heard in it; a kind that is told more than once in a turn stands where it was first."""

    def __init__(self, text: str, start: int, values: Mapping[str, Any], heard: Heard) -> None:
        self.text, self.start, self.values, self.heard = text, start, values, heard

    @property
    def kinds(self) -> Iterable[str]:
        return self.values

    def told(self, theirs: Place, place: Place) -> list[str]:
        return [word for kind, v in self.values.items() for word in (w.TELL, w.kind_word(kind), *place.value(v))]

    def plans(self, place: Place) -> list[str]:
        said = [(w.NO if plan.rejected else w.OFFER, place.plan(plan.terms)) for plan in self.heard.plans]
        return [word for act, plan in said for word in (act, *plan)]

    def deferrals(self, place: Place) -> list[str]:
        kind = place.family.defer_terms
        if kind is None:
            return []
        return [word for d in self.heard.deferrals[-1:] for word in (w.DEFER, *place.plan(kind(d.approver)))]

    def acts(self) -> list[str]:
        acts = find_acts(self.text)
        told = bool(self.values) or any(plan.rejected for plan in self.heard.plans)
        return [word for act, word in _ORDER if act in acts and not (told and act in _OF_A_PLAN)]

    def kept(self) -> list[str]:
        plans = [plan.start - self.start for plan in self.heard.plans]
        before = self.text[: min(plans)] if plans else self.text
        return [w.surface_word(word) for word in _WORD.findall(before.lower())[:KEPT]]


def _sentences(turn: Turn, heard: Heard) -> Iterator[_Sentence]:
    spans = sentences(turn.text)
    values = _merged(heard)
    for n, span in enumerate(spans):
        end = spans[n + 1].start if n + 1 < len(spans) else len(turn.text) + 1
        begin = span.start if n else 0
        here = Heard(
            (),
            tuple(p for p in heard.plans if begin <= p.start < end),
            tuple(d for d in heard.deferrals if begin <= d.start < end),
        )
        yield _Sentence(span.text, span.start, {k: v for k, (at, v) in values.items() if begin <= at < end}, here)


def _merged(heard: Heard) -> dict[str, tuple[int, Any]]:
    """What the speaker told of itself, kind by kind: where it was first, and the value; later parts are laid over
    earlier ones."""
    found: dict[str, tuple[int, Any]] = {}
    for fact in heard.facts:
        if fact.about == "speaker":
            at, before = found.get(fact.kind, (fact.start, None))
            found[fact.kind] = (at, _over(before, fact.value))
    return found


def _over(before: Any, now: Any) -> Any:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return {**before, **{key: value for key, value in now.items() if value is not None}}
    return now


def surface_words(phrases: Iterable[Sequence[str]]) -> set[str]:
    """The words of partners' phrases that are kept: the first of each sentence, up to its first `{blank}`."""
    said = (sentence.text for listed in phrases for phrase in listed for sentence in sentences(phrase))
    return {word for text in said for word in _WORD.findall(text.lower().partition("{")[0])[:KEPT]}
