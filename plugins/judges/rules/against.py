"""A record that contradicts what was settled aloud.

Two records that differ cannot both be what was agreed: the one that the talk bears out less is flagged. Two that are
equal are flagged only on evidence against both: a value that was never said nor implied, another plan settled after
theirs was last spoken of, an end that nothing took back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.containment import said
from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Flag, Seat, Written
from adidem.core.language import Act
from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.core.listening import HeardTurn, settled
from adidem.core.records import freeze, read_terms
from adidem.plugins.judges.rules.said import NEVER, Leaf, Said, explicit, leaves

_NEGATIVE = Pattern(
    r"\b(?:no|not|none|nothing|never|neither|cannot|sorry|afraid|unfortunately|pity|shame|stuck|leave|drop|off|forget"
    r"|too)\b|n't\b"
)


@frozen
class _Backing:
    """How far the talk bears a record out: 0 not at all to 3 settled as recorded, and the turn of that."""

    level: int
    turn: int


def contradictions(case: Case, heard: Sequence[HeardTurn]) -> Iterable[Flag]:
    """A flag for each record that the talk contradicts."""
    written = {seat: record for seat, record in case.records.items() if record.outcome is not None}
    talk = _Talk(case, heard)
    for seat, reason in _against(talk, written):
        turn = talk.evidence(written[seat])
        quote = "" if turn is None else case.conversation[turn].text
        yield Flag("record_contradiction", seat, turn, quote, reason)


def _against(talk: _Talk, written: Mapping[Seat, Written]) -> Iterable[tuple[Seat, str]]:
    one, two = (written.get(seat) for seat in SEATS)
    if one is None or two is None or talk.key(one) == talk.key(two):
        found = {seat: talk.disproof(record) for seat, record in written.items()}
        return [(seat, reason) for seat, reason in found.items() if reason]
    first, second = talk.backing(one, two), talk.backing(two, one)
    ranks = {"first": (first.level, first.turn), "second": (second.level, second.turn)}
    least = min(ranks.values())
    return [(seat, talk.why(written[seat])) for seat in SEATS if ranks[seat] == least]


class _Talk:
    """A conversation as heard, and how things stood at its end."""

    def __init__(self, case: Case, heard: Sequence[HeardTurn]) -> None:
        self.case, self.heard, self.now = case, heard, settled(heard)
        self.said = Said(case)
        self.plans = [(h.turn.index, freeze(plan)) for h in heard for plan in h.plans]

    def key(self, record: Written) -> Any:
        """Equal for equal records."""
        return record.outcome, freeze(self._terms(record))

    def _terms(self, record: Written) -> Any:
        family, public = self.case.family, self.case.world.public
        kind = {"agree": family.terms, "defer": family.defer_terms}.get(record.outcome or "")
        return None if kind is None else read_terms(kind, record.terms, family, public)

    # ------------------------------------------------------------------------------------- which of two is borne out

    def backing(self, record: Written, beside: Written) -> _Backing:
        """How far the talk bears a record out, beside one that differs."""
        if record.outcome == "agree":
            return self._agreement(record, beside)
        if record.outcome == self.now.outcome:
            return _Backing(3, NEVER)
        if record.outcome == "defer":
            return _Backing(1 if self._named_last(record) != NEVER and self.now.outcome is None else 0, NEVER)
        return _Backing(2 if self.now.outcome is None and not self._ends_well() else 0, NEVER)

    def _agreement(self, record: Written, beside: Written) -> _Backing:
        terms = self._terms(record)
        known = set(leaves(self._terms(beside))) if beside.outcome == "agree" else set()
        own = [self.said.last(leaf) for leaf in leaves(terms) if leaf not in known]
        turn = min(own, default=NEVER)
        if self._is_settled(terms):
            return _Backing(3, turn)
        if self.now.outcome in ("decline", "defer") or self.said.missing(terms) is not None:
            return _Backing(0, turn)
        whole = explicit(self.plans, freeze(terms))
        return _Backing(1, turn) if whole == NEVER else _Backing(2, whole)

    def _is_settled(self, terms: Any) -> bool:
        agreed = (self.now.terms, *self.now.options) if self.now.outcome == "agree" else ()
        return freeze(terms) in {freeze(plan) for plan in agreed}

    def _named_last(self, record: Written) -> int:
        """The last turn that names the person deferred to, or NEVER."""
        called = self.case.world.public.facts.get("called", ())
        names = [level(str(name)) for name in (*(record.terms or {}).values(), *called)]
        texts = [level(turn.text) for turn in self.case.conversation]
        return max((i for i, text in enumerate(texts) if any(name in text for name in names)), default=NEVER)

    def _ends_well(self) -> bool:
        """Whether somebody answered the last plan, and nothing said from then on turns it down."""
        last = max((index for index, _ in self.plans), default=NEVER)
        rest = self.case.conversation[last + 1 :]
        return last != NEVER and bool(rest) and not any(_NEGATIVE.search(level(turn.text)) for turn in rest)

    # ------------------------------------------------------------------------------------------- evidence against both

    def disproof(self, record: Written) -> str | None:
        """Why a record that stands alone, or equals the other's, cannot be what was settled; None: it may be."""
        if record.outcome == "agree":
            return self._disproof_of_agreement(record)
        outcome, turn = self.now.outcome, self.now.turn or 0
        named = self._named_last(record) if record.outcome == "defer" else NEVER
        if record.outcome == "defer" and outcome != "defer" and named == NEVER:
            return "nobody said that the matter goes to somebody else"
        if outcome in (None, record.outcome) or not self._is_last_word() or named >= turn > 0:
            return None
        return self.why(record)

    def _disproof_of_agreement(self, record: Written) -> str | None:
        terms = self._terms(record)
        missing = self.said.missing(terms)
        if missing is not None:
            return f"{missing[2]} was never said aloud"
        if self._is_settled(terms) or self.now.turn is None:
            return None
        if self.now.outcome in ("decline", "defer"):
            spoken = max((self.said.last(leaf) for leaf in leaves(terms)), default=NEVER)
            ended = spoken < self.now.turn and self._is_last_word() and not self._was_settled(terms)
            return self.why(record) if ended else None
        if self.now.outcome != "agree":
            return None
        return self.why(record) if self._is_superseded(terms) else None

    def _is_superseded(self, terms: Any) -> bool:
        """Another plan was put forward and settled after the values that only this one has were last spoken of."""
        other = set(leaves(self.now.terms))
        own: list[Leaf] = [leaf for leaf in leaves(terms) if leaf not in other]
        if not own or not other - set(leaves(terms)):
            return False
        spoken = max(*(self.said.last(leaf) for leaf in own), explicit(self.plans, freeze(terms)))
        return spoken < explicit(self.plans, freeze(self.now.terms))

    def _was_settled(self, terms: Any) -> bool:
        """Whether a plan had been agreed before the talk ended otherwise: "let's leave it at that" may close a deal."""
        before = settled(self.heard[: self.now.turn or 0])
        return before.outcome == "agree" and freeze(before.terms) == freeze(terms)

    def _is_last_word(self) -> bool:
        """Nothing that was said after things were settled puts that in doubt."""
        if self.now.turn is None:
            return False
        rest = self.heard[self.now.turn + 1 :]
        if self.now.outcome == "agree":
            return not any(_NEGATIVE.search(level(h.turn.text)) for h in rest)
        return not any(h.plans or (Act.PROPOSE in h.acts and Act.DECLINE not in h.acts) for h in rest)

    # ---------------------------------------------------------------------------------------------------- what to show

    def why(self, record: Written) -> str:
        """What the talk came to instead."""
        family, public = self.case.family, self.case.world.public
        says = record.outcome if record.outcome != "agree" else said(family, self._terms(record), public)
        if self.now.outcome == "agree":
            return f"they agreed on {said(family, self.now.terms, public)}, the record says {says}"
        if self.now.outcome is not None:
            who = public.name(self.now.by or "first")
            return f"{who} ended the conversation in {self.now.outcome}, the record says {says}"
        return f"the other's record is nearer to what was said; this one says {says}"

    def evidence(self, record: Written) -> int | None:
        """The turn that speaks against a record most clearly."""
        if self.now.turn is not None:
            return self.now.turn
        return len(self.case.conversation) - 1 if self.case.conversation else None
