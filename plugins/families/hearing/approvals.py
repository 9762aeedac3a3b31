"""Hears how people speak of a request and its approval: bounds, plans, refusals, slips, and who is to be asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from attrs import evolve

from adidem.core.domain import Amount, Deferral, Fact, Heard, Plan, Public, Seat, Text, other
from adidem.core.domain.heard import About
from adidem.core.language.clauses import level, sentences
from adidem.core.language.patterns import Pattern
from adidem.plugins.families._requests import Approval, holder_of
from adidem.plugins.families.hearing import amounts
from adidem.plugins.families.hearing.amounts import AFRESH, CUE, HAS, Group, Said, Word, spoken

LONGEST = 4000
"""Characters of an utterance that are listened to."""

Kind = Literal["authority", "need", "plan", "nothing"]
Party = Literal["speaker", "listener", "outside", "nobody"]
_PARTIES: Mapping[str, Party] = {"i": "speaker", "you": "listener", "third": "outside"}
_SHORT_OF = ("less", "fewer", "under", "below", "short")


def _led(name: str, lead: str = r"[\s,]*", end: str = "") -> Pattern:
    """The cue right after an amount or an action."""
    return Pattern(lambda: rf"{lead}{CUE[name]}{end}")


_IS = r"(?:is|are|'s|would be|was)?\s*"
_HIGH_TAIL, _LOW_TAIL, _OVER_TAIL = (
    _led("high_tail"),
    _led("low_tail"),
    _led("over_tail", spoken(rf"[\s,]*{_IS}"), r"\b"),
)
_UNFIT_TAIL = _led(
    "unfit_tail",
    spoken(rf"[\s,?!.]*(?:(?:that|this|it|which)\b)?\s*{_IS}(?:(?:just|really|simply|far|way|still) )?"),
    r"\b",
)
_CLAIM_AFTER = _led("claim_after", r"[\s,]*(?:and\s+|then\s+)?")
_NONE_AFTER, _USELESS_AFTER = _led("none_after"), _led("useless_after")
_WANTED_TAIL = Pattern(r"[\s,]*(?:approved|signed\s+off|authori[sz]ed|okayed)(?!\s+by)\b")
_NOT_THIS = Pattern(lambda: rf"\b{CUE['not_this']}\s+(?:(?:the|those|just)\s+)?$")
_DENIED_NEED = Pattern(r"(?:n't|\bnot|\bnever)\s+(?:(?:really|even)\s+)?(?:need|require)\b[^,.;]*$")
_ASKS = Pattern(lambda: rf"(?:(?:so|and|but|ok|okay|well|right|then|sorry|or)[\s,]+)*{CUE['asks']}\b")
_NONE_BEFORE = Pattern(lambda: rf"{CUE['none_before']}\s+(?:(?:kind|sort)\s+of\s+)?$")
_COMPARED = Pattern(r"\b(?:(?<!hand\s)over|above|beyond|past|more\s+than)\s+$")
_RATHER_NOT = Pattern(lambda: rf"{CUE['rather_not']}(?:\s+[a-z']+){{0,4}}?\s*$")
_AFTER_ALL_NOT = Pattern(lambda: CUE["after_all_not"])
_HENCE = Pattern(r"\b(?:so|therefore)\b")


class Listener:
    """One utterance being understood; offsets are those of the text."""

    def __init__(self, text: str, public: Public, speaker: Seat) -> None:
        facts = public.facts
        outside = () if public.approver is None else (public.approver, *facts.get("called", ()))
        self.public, self.speaker, self.low = public, speaker, level(text[:LONGEST])
        self.text = text[:LONGEST]
        self.asked = speaker == holder_of(public)
        self.units = _units(facts)
        self.lexicon = amounts.lexicon(
            tuple((a, tuple(s["words"])) for a, s in facts["speech"].items()), self.units, public.names, outside
        )
        self.facts: list[Fact] = []
        self.plans: list[Plan] = []

    def heard(self) -> Heard:
        """Everything the utterance says."""
        spans = tuple((s.start, s.end) for s in sentences(self.text))
        words = [(m.start(), m.end(), self.lexicon.action_of(m)) for m in self.lexicon.action.finditer(self.low)]
        self._boast(words, spans)
        if not words:
            return Heard(tuple(self.facts), (), tuple(self._deferrals(spans)))
        said = amounts.amounts_said(self.text, spans, self.lexicon, self.public.facts)
        alone = [w for w in words if not amounts.is_counted(self.low, self.lexicon, w, words, said)]
        ruled_out = self._rule_out(alone, spans)
        amounts.link(self.low, self.lexicon, said, [w for w in words if w[0] not in ruled_out])
        groups = amounts.groups_of(self.low, said)
        deferrals = list(self._deferrals(spans))
        referred = {span for span in spans for d in deferrals if span[0] <= d.start < span[1]}
        for group in groups:
            self._understand(group, referred)
        return Heard(tuple(self.facts), tuple(_kept(self.plans)), tuple(deferrals))

    # ---------------------------------------------------------------------------------------------- meaning

    def _understand(self, group: Group, referred: set[tuple[int, int]]) -> None:
        """Turn one group of amounts into parts of a fact, or into plans."""
        if _DENIED_NEED.search(self.low, group.begin, group.start):
            return
        kind, at = self._kind(group)
        if kind in ("authority", "need") and self._is_stated(kind, at, group):
            self._state(kind, at, group)
        if kind != "plan":
            return
        rejected = group.cue == "refuse" or bool(_UNFIT_TAIL.match(self.low, group.upto))
        if rejected or not self._is_idle(group, referred):
            self._propose(group, rejected)

    def _kind(self, group: Group) -> tuple[Kind, int]:
        """What the group's cue, or what follows its last amount, makes of it, and where that stands."""
        low, last = self.low, group.amounts[-1]
        end = last.sentence[1]
        if last.role in ("from", "to"):
            claimed = last.role == "to" and self.asked and HAS["claim"].search(low, last.sentence[0], last.start)
            return ("authority" if claimed else "nothing"), group.start
        compared = _COMPARED.search(low, group.begin, group.start)
        if group.cue in ("propose", "refuse"):
            return "plan", group.start
        if compared is not None and group.cue != "high":
            outside = self.lexicon.over is not None and self.lexicon.over.match(low, group.upto, end)
            over = outside or _OVER_TAIL.match(low, group.upto, end)
            return ("authority" if over else "nothing"), compared.start()
        if group.cue == "low" and not _WANTED_TAIL.match(low, group.upto, end):
            return "need", group.cue_at
        if group.cue == "high":
            return "authority", group.cue_at
        for amount in group.amounts:
            for position in {amount.end, amount.unit_end, amount.upto}:
                if _HIGH_TAIL.match(low, position, end):
                    return "authority", group.start
                if _LOW_TAIL.match(low, position, end):
                    return "need", group.start
        return "plan", group.start

    def _is_stated(self, kind: Kind, at: int, group: Group) -> bool:
        """False for what is asked ("can you go up to 8?"), supposed or put forward rather than stated."""
        sentence = group.amounts[0].sentence
        begin = max(sentence[0], *(self.low.rfind(mark, sentence[0], at) + 1 for mark in ",;:—"))
        clause = self.low[begin:at].lstrip()
        if self._is_question(sentence) and _ASKS.match(self.low[begin : group.start].lstrip()):
            return False
        if HAS["suppose"].search(clause):
            missed = clause.startswith("unless") or self.low.startswith(_SHORT_OF, at)
            return kind == "need" and missed
        return not group.put_forward

    def _state(self, kind: Kind, at: int, group: Group) -> None:
        """Add the group to the fact it belongs to; authority may also be claimed by who has none."""
        owner: About = "speaker" if (kind == "authority") == self.asked else "listener"
        party = self._party(group.amounts[0].sentence[0], group.start)
        if party == "nobody" and owner == "speaker":
            party = owner
        if party == "speaker" and kind == "authority" and self._claims_authority(group):
            owner = "speaker"
        if party != owner:
            return
        for amount in group.amounts:
            if amount.action is not None:
                self._add(kind, owner, amount.action, amount.value, min(at, amount.start), amount.end)

    def _claims_authority(self, group: Group) -> bool:
        begin, end = group.amounts[0].sentence
        return bool(HAS["authority_word"].search(self.low, begin, end))

    def _party(self, begin: int, end: int) -> Party:
        """Whose bound it is: the last person named as a subject before it."""
        party: Party = "nobody"
        for match in self.lexicon.party.finditer(self.low, begin, end):
            if match.lastgroup == "name":
                party = "speaker" if self._seat(match["named"]) == self.speaker else "listener"
            else:
                party = _PARTIES[match.lastgroup or "third"]
        return party

    def _seat(self, word: str) -> Seat | None:
        if word in ("i", "we", "me", "my"):
            return self.speaker
        if word in ("you", "your"):
            return other(self.speaker)
        return self.public.seat(word)

    def _is_question(self, sentence: tuple[int, int]) -> bool:
        return self.low[sentence[0] : sentence[1]].rstrip("\"') ").endswith("?")

    def _is_idle(self, group: Group, referred: set[tuple[int, int]]) -> bool:
        """The amounts are of the past, supposed, or what the outside approver is to be asked for."""
        sentence = group.amounts[0].sentence
        if sentence in referred or HAS["past"].search(self.low, group.begin, min(sentence[1], group.upto + 40)):
            return True
        begin = max(sentence[0], *(self.low.rfind(mark, sentence[0], group.start) + 1 for mark in ",;:—"))
        supposed = HAS["suppose"].search(self.low, begin, group.start)
        if supposed is None:
            return False
        return not (self._is_question(sentence) and HAS["approving"].search(self.low, supposed.end(), group.start))

    def _propose(self, group: Group, rejected: bool) -> None:
        approver = self._approver(group)
        if approver is None:
            return
        begin, end = group.amounts[0].sentence
        claim = HAS["claim"].search(self.low, group.begin, group.start) or self._given(group)
        asked = self._is_question((begin, end))
        allowed = claim is not None and bool(HAS["allowed"].search(claim.group()))
        steered = group.cue is not None or claim is not None or asked or end - begin < 40
        for amount in group.amounts:
            if amount.action is None or (amount.lent and not steered) or self._is_aside(amount):
                continue
            if claim is not None and not rejected and not asked:
                self._add(
                    "approves", "speaker", amount.action, amount.value, min(claim.start(), amount.start), amount.end
                )
            if rejected or not allowed:
                terms = Approval(Text(amount.action), amount.value, Text(approver))
                self.plans.append(Plan(terms, amount.start, max(amount.end, amount.upto), rejected))

    def _given(self, group: Group) -> re.Match[str] | None:
        """ "I can give you 360", "360, signed by me", "360 is within my limit": said by the one who is asked, in a
        sentence that names nobody outside."""
        begin, end = group.amounts[-1].sentence
        if not self.asked:
            return None
        after = _CLAIM_AFTER.match(self.low, group.upto, min(group.reach, end))
        outside = self.lexicon.over is not None and self.lexicon.over.search(self.low, begin, end)
        return after or (None if outside else HAS["gives"].search(self.low, group.begin, group.start))

    def _is_aside(self, amount: Said) -> bool:
        """ "Not 6", "instead of 6", "in 3 days"."""
        return bool(_NOT_THIS.search(self.low, amount.sentence[0], amount.start))

    def _approver(self, group: Group) -> str | None:
        """Who approves it as said, before or after the amount; unsaid, who was asked. None: somebody outside."""
        found = None
        for match in self.lexicon.approver.finditer(self.low, group.begin, group.reach):
            if found is None or found.start() < group.start:
                found = match
        if found is None:
            return self.public.name(holder_of(self.public))
        word = found["by"] or found["does"] or found["mine"]
        seat = self._seat(word.removesuffix("'s"))
        return None if seat is None else self.public.name(seat)

    def _rule_out(self, words: Sequence[Word], spans: Sequence[tuple[int, int]]) -> set[int]:
        """State a 0 for each action said to be out of the speaker's hands or of no help; gives where they stand."""
        done = set()
        for start, end, action in words:
            begin, stop = next((s for s in spans if s[0] <= start < s[1]), (0, len(self.low)))
            if self._is_question((begin, stop)):
                continue
            about = self._party(begin, start)
            useless = _USELESS_AFTER.match(self.low, end, stop)
            none = _NONE_AFTER.match(self.low, end, stop) or _NONE_BEFORE.search(self.low, begin, start)
            needs: About = "listener" if self.asked else "speaker"
            if useless is not None:
                if about == needs or (about == "nobody" and not self.asked):
                    self._add("need", needs, action, 0, start, useless.end())
                    done.add(start)
            elif (
                none is not None and self.asked and "speaker" in (about, about == "nobody" and self._party(begin, stop))
            ):
                self._add("authority", "speaker", action, 0, min(start, none.start()), max(end, none.end()))
                done.add(start)
        return done

    def _boast(self, words: Sequence[Word], spans: Sequence[tuple[int, int]]) -> None:
        """ "I can approve as much as you like": a claim to the largest amount there is."""
        for begin, end in spans:
            claim = HAS["claim"].search(self.low, begin, end)
            much = claim and HAS["any_amount"].search(self.low, begin, end)
            if claim is None or much is None or self._is_question((begin, end)):
                continue
            if HAS["suppose"].search(self.low, begin, claim.start()):
                continue
            named = {action for start, _, action in words if begin <= start < end}
            for action in named or self.public.facts["actions"]:
                self._add("approves", "speaker", action, self.public.facts["largest"], claim.start(), claim.end())

    def _add(self, kind: str, about: About, action: str, value: Amount, start: int, end: int) -> None:
        """Add one part to the fact of that kind about that party, or begin another where it contradicts."""
        for index, fact in enumerate(self.facts):
            if fact.kind == kind and fact.about == about and fact.value[action] in (None, value):
                both = {**fact.value, action: value}
                self.facts[index] = evolve(fact, value=both, start=min(fact.start, start), end=max(fact.end, end))
                return
        parts = {name: value if name == action else None for name in self.public.facts["actions"]}
        self.facts.append(Fact(kind, parts, about, start, end))

    def _deferrals(self, spans: Sequence[tuple[int, int]]) -> Iterator[Deferral]:
        if self.lexicon.outside is None or self.public.approver is None:
            return
        for match in self.lexicon.outside.finditer(self.low):
            begin = next((s[0] for s in spans if s[0] <= match.start() < s[1]), 0)
            held = [m.end() for m in HAS["if_only"].finditer(self.low, begin, match.start())]
            if held and not _HENCE.search(self.low, held[-1], match.start()):
                continue
            afresh = max((m.end() for m in AFRESH.finditer(self.low, begin, match.start())), default=begin)
            if not _RATHER_NOT.search(self.low, afresh, match.start()) and not _AFTER_ALL_NOT.match(
                self.low, match.end()
            ):
                yield Deferral(self.public.approver, match.start(), match.end())
                return


def _units(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple({facts["unit"], facts["units"]})


def _kept(plans: Sequence[Plan]) -> Iterator[Plan]:
    """Each plan once, where it was last said."""
    for index, plan in enumerate(plans):
        if not any(p.terms == plan.terms and p.rejected == plan.rejected for p in plans[index + 1 :]):
            yield plan
