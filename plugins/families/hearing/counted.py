"""Hears how many of one thing people speak of: bounds, bare quantities, refusals, and slips that they correct.

`counted` gives marks in the order of the text, `quantities_said` the facts and plans that they make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from attrs import evolve, frozen

from adidem.core.domain import Amount, Fact, Plan, Public, Seat, other
from adidem.core.language import NumberMention, RangeMention, Span, clauses, find_numbers, find_ranges
from adidem.core.language.clauses import cached_sentences, level
from adidem.core.language.cues import load_cues
from adidem.core.language.patterns import Pattern, Patterns

Kind = Literal["bound", "plan", "need", "rejected", "able"]
Party = Literal["speaker", "listener"]

LONGEST = 4000
LEAD = 160

_CUES = load_cues("counted", Path(__file__).parent)
_HAS = Patterns(lambda name: rf"\b{_CUES[name]}\b")
_ENDS = Patterns(lambda name: rf"\b{_CUES[name]}\s*$")


@frozen
class Nouns:
    """The words for the thing counted and for a pack of it, the size of a pack, and how many there are."""

    things: tuple[str, ...]
    packs: tuple[str, ...]
    pack: int
    on_offer: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Nouns:
        """From a family's public facts: `unit`, `item`, `also`, `pack`, `pack_words`, `on_offer`."""
        things = (facts["unit"], facts["item"], *facts.get("also", ()))
        packs = ("pack", "packs", *facts.get("pack_words", ())) if facts["pack"] > 1 else ()
        return cls(tuple(map(level, things)), tuple(map(level, packs)), facts["pack"], facts["on_offer"])


@frozen(slots=True)
class Mark:
    """One thing said of a quantity. A bound has `least` and `most` (None: open); the other kinds have `amount`: put
    forward, needed (a plan only where nothing firmer is said), turned down, or said to be easily done (beside being put
    forward). `party` is whose bound it is."""

    kind: Kind
    start: int
    end: int
    amount: int | float = 0
    least: int | None = None
    most: int | None = None
    party: Party = "speaker"


def quantities_said(text: str, public: Public, speaker: Seat) -> tuple[tuple[Fact, ...], tuple[Plan, ...]]:
    """What a text says of intervals, and the amounts it puts forward or turns down, each once."""
    marks = counted(text, Nouns.of(public.facts), (public.name(speaker), public.name(other(speaker))))
    plans: dict[tuple[Amount, bool], Plan] = {}
    for mark in marks:
        if mark.kind not in ("bound", "able"):
            rejected = mark.kind == "rejected"
            plans.setdefault((mark.amount, rejected), Plan(mark.amount, mark.start, mark.end, rejected))
    facts = [*_facts([mark for mark in marks if mark.kind == "bound"])]
    facts += [Fact("able", {"amount": m.amount}, "speaker", m.start, m.end) for m in marks if m.kind == "able"]
    return tuple(sorted(facts, key=lambda fact: fact.start)), tuple(plans.values())


def counted(text: str, nouns: Nouns, names: tuple[str, str]) -> tuple[Mark, ...]:
    """Every mark in a text, in its order; `names` are the speaker's and the listener's. Never raises."""
    text = text[:LONGEST]
    numbers = find_numbers(text)
    if not numbers:
        return ()
    scene = _Scene(text, level(text), nouns, (level(names[0]), level(names[1])))
    factors = {number.start: scene.factor(number) for number in numbers}
    found: list[Mark | None] = []
    taken: set[int] = set()
    ranges = find_ranges(text)
    for said in ranges:
        inside = [number for number in numbers if said.start <= number.start < said.end]
        taken.update(number.start for number in inside)
        found.append(_bound(scene, said, inside, [factors[number.start] for number in inside]))
    for number, until in zip(numbers, [*(n.start for n in numbers[1:]), len(text)], strict=True):
        factor = factors[number.start]
        if factor and number.start not in taken:
            floor = max((said.end for said in ranges if said.end <= number.start), default=0)
            found.append(_bare(scene, number, factor, (floor, until)))
    marks = sorted((mark for mark in found if mark is not None), key=lambda mark: mark.start)
    firm = list(_firm(_corrected(scene.low, marks)))
    return (*firm, *(evolve(mark, kind="able") for mark in firm if _is_easily_done(scene, mark)))


def _facts(bounds: Sequence[Mark]) -> Iterable[Fact]:
    """One fact of a lower and an upper bound of the same person; what is said twice counts once."""
    found: list[Mark] = []
    for mark in bounds:
        match = next((n for n, known in enumerate(found) if _complete(known, mark)), None)
        if match is None:
            found.append(mark)
        else:
            found[match] = _both(found[match], mark)
    for mark in found:
        yield Fact("interval", {"least": mark.least, "most": mark.most}, mark.party, mark.start, mark.end)


def _complete(known: Mark, mark: Mark) -> bool:
    """Neither says another end than the other, and together they make an interval."""
    if known.party != mark.party:
        return False
    joined = _both(known, mark)
    if any(end is not None and end not in (joined.least, joined.most) for end in (mark.least, mark.most)):
        return False
    return joined.least is None or joined.most is None or joined.least <= joined.most


def _both(known: Mark, mark: Mark) -> Mark:
    least = mark.least if known.least is None else known.least
    most = mark.most if known.most is None else known.most
    return Mark("bound", known.start, max(known.end, mark.end), least=least, most=most, party=known.party)


# ---------------------------------------------------------------------------------------------------------- the scene

_FOREIGN = (
    r"(?:people|persons?|guests?|families|minutes?|mins?|hours?|days?|weeks?|months?|years?|kids|children|pounds?|dollars?"
    r"|euros?|and|or|to|of|for|in|on|at|with|per|is|are|than|from|extra|more|less|fewer|other|different)\b"
)
_COUNTS_PEOPLE = Pattern(r"\s+of\s+(?!them\b|those\b|these\b|it\b)")
_WORD = Pattern(r"[a-z][a-z'-]*")
_FIRST = frozenset("i we my our me us mine ours".split())
_OPENING = Pattern(lambda: rf"\W*{_CUES['belief']}\b")
_ASKING = Pattern(lambda: rf"\W*(?:(?:and|but|so|or|then)\s+)?{_CUES['question']}\b")


@lru_cache(maxsize=512)
def _nouns_ahead(nouns: Nouns) -> re.Pattern[str]:
    """The noun right after a number, or after one adjective: "12 crates", "12 of the wooden crates"."""
    things, packs = ("|".join(map(re.escape, words)) or r"(?!)" for words in (nouns.things, nouns.packs))
    of = r"(?:of\s+(?:the|those|these|your|my|our|them)\b\s*)?"
    return re.compile(
        rf"[\s-]+{of}(?:(?!{_FOREIGN})[a-z'-]+\s+)?(?:(?P<packs>(?:{packs})\b)|(?:{things})\b)"
        r"|\s+of\s+(?:them|those|these|it)\b"
    )


@lru_cache(maxsize=1024)
def _clauses(text: str) -> tuple[Span, ...]:
    return clauses(text)


@frozen
class _Scene:
    """An utterance that is being heard: as said and levelled, the nouns, and who speaks to whom."""

    text: str
    low: str
    nouns: Nouns
    names: tuple[str, str]

    def noun_end(self, number: NumberMention) -> int:
        """Where the number's noun ends; the number's own end where no noun follows."""
        match = _nouns_ahead(self.nouns).match(self.low, number.end)
        return match.end() if match else number.end

    def factor(self, number: NumberMention) -> int:
        """What the number is to be multiplied by; 0 where it counts something else."""
        if number.money:
            return 0
        match = _nouns_ahead(self.nouns).match(self.low, number.end)
        if match is not None:
            return self.nouns.pack if match["packs"] else 1
        if number.unit is None:
            return 0 if _COUNTS_PEOPLE.match(self.low, number.end) else 1
        return 1 if number.unit in self.nouns.things else self.nouns.pack if number.unit in self.nouns.packs else 0

    def clause(self, position: int) -> tuple[int, int]:
        """Start and end of the clause that holds a position."""
        return _holding(_clauses(self.text), position) or (0, len(self.text))

    def sentence(self, position: int) -> tuple[int, int]:
        """Start and end of the sentence that holds a position."""
        return _holding(cached_sentences(self.text), position) or (0, len(self.text))

    def lead(self, start: int, position: int) -> str:
        """What stands before a position, from `start` on but no further back than a long clause."""
        return self.low[max(start, position - LEAD) : position]

    def asked(self, position: int) -> bool:
        """Whether the sentence there is a question."""
        return self.low[: self.sentence(position)[1]].rstrip("\"') ").endswith("?")

    def party(self, position: int) -> Party:
        """Whose bound is told there: the first person named in the clause, else in an earlier clause of the sentence,
        else the speaker."""
        begin, _ = self.sentence(position)
        start, _ = self.clause(position)
        while start < position:
            found = self._named(self.low[start:position])
            if found is not None:
                return found
            if start <= begin:
                break
            start, position = self.clause(max(begin, start - 2))[0], start
        return "speaker"

    def _named(self, piece: str) -> Party | None:
        belief = _OPENING.match(piece)
        for match in _WORD.finditer(piece, belief.end() if belief else 0):
            word, rest = match.group(), piece[match.end() :].lstrip()
            if word in self.names and rest and not rest.startswith(","):
                return "speaker" if word == self.names[0] else "listener"
            if word.startswith("you"):
                return "listener"
            if word.partition("'")[0] in _FIRST:
                return "speaker"
        return None


def _holding(spans: Iterable[Span], position: int) -> tuple[int, int] | None:
    return next(((span.start, span.end) for span in spans if span.start <= position < span.end), None)


# --------------------------------------------------------------------------------------------------------- the bounds

_ROUGH_AFTER = Pattern(lambda: rf"\s*{_CUES['rough_after']}\b")


def _bound(scene: _Scene, said: RangeMention, numbers: Sequence[NumberMention], factors: Sequence[int]) -> Mark | None:
    """The mark of a range that is told as somebody's limit; an exact number is a plan unless it is a must."""
    low, high = said.low, said.high
    told = {number.value for number in numbers}
    if not numbers or not all(factors) or not _whole(low, high) or not {low, high} <= {*told, None}:
        return None
    if any(_is_rough(scene.low, number) for number in numbers):
        return None
    factor, end = max(factors), max(said.end, scene.noun_end(numbers[-1]))
    before = scene.lead(scene.clause(said.start)[0], said.start)
    if len(numbers) == 1 and low is not None and low == high and not _HAS["must"].search(before + level(said.text)):
        return Mark("plan", said.start, end, low * factor)
    party = _whose(scene, numbers[0].start, before)
    if party is None or _is_no_limit(scene, said.start, before, party):
        return None
    least, most = (None if bound is None else int(bound) * factor for bound in (low, high))
    return Mark("bound", said.start, end, least=least, most=most, party=party)


def _whole(*ends: int | float | None) -> bool:
    return all(end is None or (isinstance(end, int) and end > 0) for end in ends)


def _is_rough(low: str, number: NumberMention) -> bool:
    lead = low[max(0, number.start - 24) : number.start]
    return bool(
        _ENDS["rough"].search(lead) or _ROUGH_AFTER.match(low, number.end) or number.text.lower().endswith("ish")
    )


def _whose(scene: _Scene, position: int, before: str) -> Party | None:
    """Whose limit it is; None where "you can take up to 14" may be either's."""
    if _HAS["permitted"].search(before) and not _HAS["reminds"].search(before):
        return "speaker"
    start, end = scene.sentence(position)
    if _HAS["may_take"].search(before) and not _HAS["reminds"].search(scene.low, start, end):
        return None
    return scene.party(position)


def _is_no_limit(scene: _Scene, position: int, before: str, party: Party) -> bool:
    """A range that is put forward, shared, or asked after."""
    start, end = scene.sentence(position)
    if _HAS["suggested"].search(before) or _HAS["joint"].search(scene.low, start, end):
        return True
    asks = scene.asked(position) and (party == "listener" or _ASKING.match(before) is not None)
    return asks and not _HAS["reminds"].search(before)


# ------------------------------------------------------------------------------------------------- the bare quantities

_EASILY = Pattern(lambda: rf"[^.;!?0-9]{{0,40}}?\b{_CUES['easily_after']}\b")


def _is_easily_done(scene: _Scene, mark: Mark) -> bool:
    """The speaker says that so many are no trouble: "we'd get 220 down before dark, no bother"."""
    start, end = scene.sentence(mark.start)
    if mark.kind != "plan" or scene.asked(mark.start) or scene.party(mark.start) != "speaker":
        return False
    lead = scene.low[start : mark.start]
    after = _EASILY.match(scene.low, mark.end, end)
    return bool(_OWN.search(lead) and (after or _ENDS["easily_before"].search(lead)))


_OWN = Pattern(r"\b(?:i|we|my|our)\b")

_AT = Pattern(r"\bat\s*$")
_RELATIVE = Pattern(lambda: rf"\s+{_CUES['aside_after']}\b|\s*[+*x×=/]\s*[0-9]")
_UNFIT = Pattern(lambda: rf"\W{{0,3}}\s*{_CUES['unfit_lead']}{_CUES['unfit']}\b(?!\W+but\b)")
_ECHO = Pattern(lambda: rf"\W*(?:{_CUES['echo']}\b\W*)*")
_END_AFTER = Pattern(
    lambda: (
        r",?\s+(?:(?:as|is|was|being|would\s+be)\s+)?(?P<whose>my|our|your)\s+(?:(?:absolute|bare|upper|lower)\s+)?"
        rf"(?:(?P<least>{_CUES['least_after']})|(?P<most>{_CUES['most_after']}))\b"
    )
)


def _bare(scene: _Scene, number: NumberMention, factor: int, free: tuple[int, int]) -> Mark | None:
    """The mark of a number that stands in no range: a plan, a need, a refusal, a limit, or (None) something else. The
    words between the offsets of `free` belong to no other number."""
    until = free[1]
    start, end = scene.clause(number.start)
    before, after = scene.lead(start, number.start), scene.noun_end(number)
    limit = _limit(scene, number, factor, free)
    if limit is not None:
        return limit
    if _is_aside(scene, number, before, scene.low[start:end]):
        return None
    mark = Mark("plan", number.start, after, number.value * factor)
    refused = _HAS["refused"].search(before) is not None and not _HAS["not_refused"].search(before)
    heard_out = not scene.asked(number.start) or _ECHO.fullmatch(before) is not None
    if refused or (heard_out and _UNFIT.match(scene.low[after:until])):
        return evolve(mark, kind="rejected")
    return evolve(mark, kind="need") if _ENDS["needed"].search(before) else mark


def _limit(scene: _Scene, number: NumberMention, factor: int, free: tuple[int, int]) -> Mark | None:
    """The mark of a number that is told as an end in other words than a range's: "room for 14", "14 my ceiling", "the
    smallest load I send is 8", "(not below 8) or above 14"."""
    if scene.asked(number.start) or not _whole(number.value) or _is_rough(scene.low, number):
        return None
    after = scene.noun_end(number)
    until = free[1]
    before = scene.lead(scene.sentence(number.start)[0], number.start)
    near = scene.lead(max(scene.sentence(number.start)[0], free[0]), number.start)
    end, party = _end_before(before, near), scene.party(number.start)
    if end is None:
        match = _END_AFTER.match(scene.low[after:until])
        if match is None:
            return None
        end = "least" if match["least"] else "most"
        party = "listener" if match["whose"] == "your" else "speaker"
    if _HAS["suggested"].search(before):
        return None
    bound: dict[str, int] = {end: int(number.value) * factor}
    return Mark("bound", number.start, after, party=party, **bound)


def _end_before(before: str, near: str) -> str | None:
    """Which end the words before a number tell; `near` are those that belong to no other number."""
    if _ENDS["most_before"].search(near) and not _HAS["ample"].search(before):
        return "most"
    if _ENDS["least_before"].search(near):
        return "least"
    if not _HAS["refused"].search(before):
        return None
    return "most" if _ENDS["most_beyond"].search(before) else "least" if _ENDS["least_beyond"].search(before) else None


def _is_aside(scene: _Scene, number: NumberMention, before: str, clause: str) -> bool:
    """The number is not one that could be agreed on: a part, a stock, a memory, an hour, the other's words."""
    if number.value < 1 or "couple" in number.text.lower():
        return True
    if _ENDS["aside_before"].search(before) or _HAS["aside_within"].search(clause) or _packs_of(scene.nouns, before):
        return True
    after = scene.noun_end(number)
    if _RELATIVE.match(scene.low, number.end) or _RELATIVE.match(scene.low, after):
        return True
    if not scene.asked(number.start) and _HAS["of_other"].search(before):
        return True
    if after > number.end:
        return False
    return number.value > scene.nouns.on_offer or bool(_AT.search(before) and not _ENDS["settled_at"].search(before))


def _packs_of(nouns: Nouns, before: str) -> bool:
    words = before.split()
    return len(words) > 1 and words[-1] == "of" and words[-2] in nouns.packs


# --------------------------------------------------------------------------------------------------- slips and firmness

_GAP = r"[\s,.;:!?…()—-]*"
_SLIP = Pattern(
    lambda: (
        rf"{_GAP}(?:{_CUES['slip_fill']}\b{_GAP})*{_CUES['slip']}\b{_GAP}(?:(?:{_CUES['slip']}|{_CUES['slip_fill']})\b{_GAP})*"
    )
)


def _corrected(low: str, marks: Iterable[Mark]) -> list[Mark]:
    """The marks without those that the speaker takes back: "12, sorry, I meant 14"."""
    kept: list[Mark] = []
    for mark in marks:
        gap = low[kept[-1].end : mark.start] if kept else ""
        if not gap or mark.kind == "rejected" or not _SLIP.fullmatch(gap):
            kept.append(mark)
            continue
        inherits = mark.kind == "plan" and bool(_HAS["firm_slip"].search(gap) or not re.search(r"[.!?]", gap))
        if kept[-1].kind == "rejected" and not inherits:
            kept.append(mark)
        else:
            said = kept.pop()
            kept.append(_in_place_of(said, mark) if inherits else mark)
    return kept


def _in_place_of(said: Mark, mark: Mark) -> Mark:
    """The bare number that corrects a bound, a need or a refusal is one too."""
    if said.kind != "bound":
        return evolve(mark, kind=said.kind)
    if (said.least is None) == (said.most is None) or not isinstance(mark.amount, int):
        return mark
    ends = {"least": mark.amount} if said.most is None else {"most": mark.amount}
    return Mark("bound", mark.start, mark.end, party=said.party, **ends)


def _firm(marks: Sequence[Mark]) -> Iterable[Mark]:
    """A need is a plan only where nothing firmer is said."""
    firm = any(mark.kind in ("plan", "bound") for mark in marks)
    for mark in marks:
        if mark.kind != "need":
            yield mark
        elif not firm:
            yield evolve(mark, kind="plan")
