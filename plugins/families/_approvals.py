"""Hears how people speak of a request and its approval: bounds, plans, refusals, slips, and who is to be asked.

It knows the public words of a scenario and who speaks, nothing private.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Any, Literal

from attrs import define, evolve, frozen

from adidem.core.domain import Amount, Deferral, Fact, Heard, Plan, Public, Seat, Text, other
from adidem.core.domain.heard import About
from adidem.core.language.clauses import level, sentences
from adidem.core.language.numbers import find_numbers
from adidem.core.language.patterns import Pattern
from adidem.plugins.families._requests import Approval, holder_of

LONGEST = 4000
"""Characters of an utterance that are listened to."""


def _spoken(pattern: str) -> Pattern:
    """A pattern in which a space stands for any blanks."""
    return Pattern(pattern.replace(" ", r"\s+"))


Kind = Literal["authority", "need", "plan", "nothing"]
Party = Literal["speaker", "listener", "outside", "nobody"]
_PARTIES: Mapping[str, Party] = {"i": "speaker", "you": "listener", "third": "outside"}

_LIMIT_NOUN = (
    r"(?:limit|ceiling|cap|allowance|authority|discretion|remit|budget|signature|sign-off|say-so|mandate|leash"
    r"|purse|kitty)"
)
_NOT = (
    r"(?:can't|cannot|can not|couldn't|won't|wouldn't|may not|mustn't|must not|don't|doesn't|didn't|do not|not"
    r"|never|isn't|aren't|unable to)"
)
_HIGH = (
    r"\bup to|\bat (?:the )?(?:very )?(?:most|outside)|\b(?:no|not|nothing) (?:more|further|longer|higher"
    r"|bigger|larger) than"
    r"|\bthe (?:most|longest|largest|furthest|highest) (?:that )?(?:i|my|we)\b[^,.;!?0-9]{0,40}? (?:is|are"
    r"|would be)\b"
    r"|\b(?:i|we|you)(?:'re|'m| am| are)? (?:can |may |could )?only\b|\bi (?:can|could|may) (?:go|stretch) (?:up )?to\b"
    rf"|\b(?:my|our|your) (?:[a-z'-]+ ){{0,2}}{_LIMIT_NOUN} (?:at|of)\b"
    r"|\bmax(?:imum)?\b|\bas (?:far|high|much|many|long) as|\bto a (?:limit|ceiling|maximum|total) of"
    rf"|\b(?:my|our|your) (?:[a-z'-]+ ){{0,2}}{_LIMIT_NOUN}(?: [a-z-]+){{0,6}}? (?:is|are|stops|ends|runs|goes"
    rf"|reaches|covers|extends|stretches|sits|stands|finishes)"
    r"|\b(?:stops?|ends?|caps?|capped|tops? out|max(?:es)? out|runs? out|limited|limits? me"
    r"|draws? the line) (?:me )?(?:at|to|after)"
    rf"|\b{_NOT} (?:[a-z'-]+ ){{0,6}}?(?:more than|past|beyond|above|over|exceed)"
    r"|\b(?:anything|everything|whatever|nothing)(?:'s| is| that is)? (?:over|above|beyond|past|more than"
    r"|longer than|bigger than|higher than)"
)
_NEEDS = (
    r"(?<!n't\s)(?<!not\s)(?<!never\s)\b(?:need|needs|require|requires|must have)\b"
    r"(?! (?:you|someone|somebody|your|approval|permission|a yes|an? (?:ok|answer|approval|signature)"
    r"|(?:more|fewer|less) than|to (?:ask|check|know|hear|have you|go|take|talk|be (?:signed|approved)|run"
    r"|refer|escalate))\b)"
)
_LOW = (
    r"\bat (?:the )?(?:very )?least|\bno (?:less|fewer|shorter) than|\b(?:bare |absolute )?minimum\b|\bmin\b"
    r"|\b(?:the |my |our )?(?:least|smallest|lowest|fewest|shortest)\b(?: [a-z'-]+){1,8}? (?:is|are|would be)"
    r"|\b(?:anything|nothing|everything) (?:under|below|less than|short(?:er)? (?:of|than)|smaller than|fewer than)"
    rf"|\b{_NOT} (?:[a-z'-]+ ){{0,7}}?(?:less than|fewer than|under|below|short of|until|till|before)"
    r"|\b(?:less|fewer|shorter|smaller) than|\bshort of|\b(?:under|below)(?=\s)"
    r"|\b(?:starts?|begins?) (?:(?:to )?[a-z]+(?: [a-z]+){0,2}? )?(?:at|from|with)\b"
    r"|\bit(?:'d|'ll| would| will)? (?:only |really )?takes?\b"
    rf"|{_NEEDS}"
)
_PROPOSE = (
    r"\b(?:how|what) about|\blet's|\blet us|\bshall we|\bwhy (?:don't we|not)|\bthen it's|\bit's settled"
    r"|\bsettle (?:on|for)"
    r"|\bi(?:'d| would)? (?:propose|suggest)|\bmake (?:it|that)|\bgo(?:ing)? (?:with|for)\b|\bi'll (?:take"
    r"|accept|go)|\b(?:agreed|deal)\b"
)
_REFUSE = (
    r"\b(?:can't|cannot|can not|couldn't|won't|not able to|unable to|(?:not|n't) (?:allowed|authori[sz]ed"
    r"|permitted|entitled) to"
    r"|may not|mustn't|no authority (?:to|for|over)|refuse to|don't have the authority)\b"
)
_SLIP = (
    r"\b(?:sorry|i mean(?:t)?|scratch that|correction|make that|or rather|my mistake|wait,? no|no,? wait"
    r"|i misspoke)\b"
)
_STEER = _spoken(rf"(?P<high>{_HIGH})|(?P<low>{_LOW})|(?P<propose>{_PROPOSE})|(?P<refuse>{_REFUSE})|(?P<slip>{_SLIP})")
_TURN = _spoken(r"\b(?:so|then|therefore|which means|that means|would (?:that|you)|could you|can you|would)\b|[;—]")
_HIGH_TAIL = _spoken(
    r"[\s,]*(?:(?:at (?:the )?(?:very )?(?:most|outside)|tops|max(?:imum)?|or (?:less|under|fewer|below)"
    r"|and (?:not?|never) (?:a [a-z]+ )?(?:more|further|longer|higher)|but no (?:more|further|longer|higher)"
    r"|and that's (?:it|all|my [a-z]+))\b"
    r"|(?:(?:is|are|'s|would be) )(?:(?:about )?as (?:far|high|much|many|long) as|(?:all|everything"
    r"|the most) (?:that )?(?:i|my)\b"
    rf"|(?:my|the|our) (?:[a-z-]+ )?(?:{_LIMIT_NOUN}|most|max(?:imum)?|top)|where (?:my|i)\b))"
)
_LOW_TAIL = _spoken(
    r"[\s,]*(?:(?:is|are|'s) what (?:i|we) need\b|\+|(?:and )?(?:nothing|no) (?:less|fewer|shorter)\b(?! than)"
    r"|(?:at (?:the )?(?:very )?least|minimum|or (?:more|longer|better|above|over|nothing)|and (?:up"
    r"|above|upwards)|upwards)\b"
    r"|(?:is|are|'s|would be) (?:the|my|our) (?:[a-z-]+ )?(?:least|smallest|lowest|minimum|fewest|shortest|floor)\b)"
)
_OVER_TAIL = _spoken(
    r"[\s,]*(?:is|are|'s|would be|was)?\s*(?:too (?:much|many|long|high)|more than (?:i|we)|beyond|over my|above my"
    r"|out of (?:reach|the question|my)|not (?:mine|something i)|n't (?:mine|something i))\b"
)
_UNFIT_TAIL = _spoken(
    r"[\s,?!.]*(?:(?:that|this|it|which)\b)?\s*(?:is|are|'s|would be|was)?\s*(?:(?:just|really|simply|far|way"
    r"|still) )?(?:too (?:much|many|little"
    r"|few|long|short|low|high)"
    r"|(?:not|n't) (?:really )?(?:be )?(?:enough|work|do|help|possible|mine|something i|any use|worth)"
    r"|(?:won't|wouldn't|doesn't|don't|isn't|aren't|can't) (?:really )?(?:be )?(?:enough|work|do|help|possible"
    r"|mine|something i|any (?:use|good)|fit|cut it|happen|worth)"
    r"|an insult|a joke|ridiculous|laughable|no (?:use|good|help)|useless|pointless|more than (?:i|we)|beyond"
    r"|over my|above my|out of (?:reach"
    r"|the question|my))\b"
)
_WANTED_TAIL = _spoken(r"[\s,]*(?:approved|signed off|authori[sz]ed|okayed)(?! by)\b")
_PAST = _spoken(
    r"\b(?:was hoping|had hoped|ideally|would love|i'd love|already|last (?:week|month|year|time|season|spring"
    r"|summer|autumn|winter|term)|yesterday|so far|ago"
    r"|used up|previously|back in|once had|originally)\b"
)
_NOT_THIS = _spoken(
    r"(?:\bnot|\binstead of|\brather than|\bin place of|\bdown from|\bup from|\bin|\bwithin|\bevery|\bnext"
    r"|\bpast) (?:the |those |just )?$"
)
_DENIED_NEED = _spoken(r"(?:n't|\bnot|\bnever) (?:really |even )?(?:need|require)\b[^,.;]*$")
_CLOCK_LEAD = _spoken(r"\b(?:at|by|until|till|before|after|since|around) $")
_ASKS = _spoken(
    r"(?:(?:so|and|but|ok|okay|well|right|then|sorry|or)[\s,]+)*(?:can|could|would|will|do|does|did|is|are|may"
    r"|might|have|has|what|which|how|why|who|when|where|any)\b"
)
_SUPPOSE = _spoken(r"\b(?:if|unless|suppose|supposing|imagine|assuming|whether|in case)\b")
_APPROVE = (
    r"(?:approv(?:e|es|ed|ing|al)|sign(?:s|ed|ing)?(?: (?:it|this|that|them))?(?: (?:off|for))?"
    r"|authori[sz](?:e|es|ed|ing)|okay|grant|green-?light|clear)"
)
_CLAIM = _spoken(
    rf"\b(?:i|we)(?:'ll|'m|'ve|'d)? (?:(?:am|can|may|could|will|would|happily|gladly|hereby|already|have|been"
    rf"|be|just|also|able to|allowed to|free to"
    rf"|entitled to|authori[sz]ed to|cleared to|permitted to|happy to|the authority to|authority to"
    rf"|authority for) ){{0,4}}"
    rf"(?:{_APPROVE}(?: off)?(?: on)?|(?<=authority\sfor))\b"
)
_ALLOWED = _spoken(r"\b(?:allowed|authori[sz]ed|permitted|entitled|cleared|have (?:the )?authority|free) (?:to|for)\b")
_AUTHORITY_WORD = _spoken(
    rf"\b(?:{_APPROVE}|authority|my (?:[a-z-]+ )?{_LIMIT_NOUN}|on my own|without (?:asking|anyone|checking))\b"
)
_ANY_AMOUNT = _spoken(
    r"\b(?:any (?:amount|number)|as (?:much|many|long) (?:[a-z]+ ){0,3}?as (?:you|it takes|needed|necessary)"
    r"|whatever (?:amount )?you|no limit|unlimited|without (?:a )?limit)\b"
)
_NONE_BEFORE = _spoken(
    rf"(?:\bno|\bnever any|\bno (?:say|authority|power|discretion) (?:at all )?(?:over|on|for|about"
    rf"|to {_APPROVE})(?: (?:any|an?|the))?"
    rf"|\b(?:can't|cannot|couldn't|may not|not allowed to|mustn't) (?:[a-z]+ )?(?:{_APPROVE}|touch|offer"
    rf"|give you|agree to|lend|promise|say yes to|decide on|decide)(?: (?:you|off|on))?(?: (?:any|an?))?"
    r"|\bnothing (?:at all )?(?:for|on|towards|over)) (?:kind of |sort of )?$"
)
_NONE_AFTER = _spoken(
    r"[\s,]*(?:(?:is|are)(?:n't| not)|'s not|was never|is never|are never|(?:is|are) nothing) (?:mine"
    r"|in my (?:gift|power|hands)|something i|anything i|up to me|my (?:call|decision)|for me to|i (?:can"
    r"|may))\b"
    r"|[\s,]*(?:is|are|'s|stays?|lies?) (?:[a-z]+ )?(?:out of my (?:hands|reach|power)|above my|beyond (?:me"
    r"|my)|outside my|closed to me|off limits)\b"
    r"|[\s,]*i (?:can't|cannot|may not|have no|am not allowed to) (?:[a-z]+ )?(?:approve|sign|authori[sz]e"
    r"|grant|touch|offer|decide|agree|say|power|authority|promise|lend|give)\b"
)
_USELESS_AFTER = _spoken(
    r"[\s,]*(?:(?:would|will|is|are|'s|does|do|can|could) (?:(?:simply|just|really|honestly|frankly|be|of|at"
    r"|all) ){0,3})?"
    r"(?:(?:(?:n't|not|wouldn't|won't|doesn't|don't|isn't|aren't|can't) (?:(?:really|actually|at all|be"
    r"|of) ){0,2}(?:help|any (?:use|good|help)|fix|solve|worth|useful))"
    r"|(?:(?:be|of) )*(?:no (?:use|help|good)|useless|pointless|wasted|no earthly use))\b"
)
_REPEAT = _spoken(r"\s*\(")
_SPAN = _spoken(r"\s*(?:to|-|and|or|or maybe|or even|through|up to)\s*")
_COMPARED = _spoken(r"\b(?:(?<!hand\s)over|above|beyond|past|more than) $")
_APPROVING = _spoken(rf"\b{_APPROVE}\b")
_SHORT_OF = ("less", "fewer", "under", "below", "short")
_PARTY_VERB = (
    r"(?:'d|'ll|'re|'ve)? (?:can|could|may|need|needs|said|say|have|has|are|is|only|must|want|told|mentioned"
    r"|would|will|won't|can't|cannot|couldn't|approve|approves|sign|signs|get|also|just|take|require)\b"
)
_BY_NAME = rf"(?:{_APPROVE}|okay'?d|cleared|agreed) by "


_GAP = Pattern(r"[\s-]+")


@frozen(slots=True)
class _Lexicon:
    """The patterns that depend on a scenario's public words alone."""

    action: Pattern
    actions: Mapping[str, str]
    unit: Pattern
    link: Pattern
    party: Pattern
    approver: Pattern
    outside: Pattern | None
    over: Pattern | None


@lru_cache(maxsize=512)
def _lexicon(
    actions: tuple[tuple[str, tuple[str, ...]], ...],
    units: tuple[str, ...],
    names: tuple[str, str],
    outside: tuple[str, ...],
) -> _Lexicon:
    words = {_plain(word): action for action, spoken in actions for word in (action, *spoken)}
    spoken = "|".join(_escaped(w).replace(" ", r"[\s-]+") for w in sorted(words, key=len, reverse=True))
    unit = "|".join(map(_escaped, units))
    one, two = (_escaped(name) for name in names)
    third = "|".join(map(_escaped, outside))
    who = rf"(?P<{{}}>{one}|{two}|i|we|me|you{'|' + third if third else ''})"
    return _Lexicon(
        _spoken(rf"\b(?P<word>{spoken})(?:s|es)?\b"),
        words,
        _spoken(rf"(?:[\s-]+[a-z'-]+){{0,2}}?[\s-]*(?:{unit})\b"),
        _spoken(
            rf"(?:[\s-]*(?:{unit})\b)?(?: |-)(?:(?:of|for|worth|towards?|on|with|from|as|in|to|the|a|an|extra|more"
            r"|additional|your|my|our|that|this|some|using|under|spent|out|each) ){0,4}$"
        ),
        _spoken(
            rf"(?P<i>\b(?:i|we)(?:'[a-z]+)?\b|\b(?:my|our)\b|\b(?:lets|allows|permits|trusts|gives|leaves|hands|limits"
            rf"|stops|caps) me\b)"
            rf"|(?P<you>(?<!what\s)(?<!all\s)\b(?:you{_PARTY_VERB}|your\b))"
            rf"|(?P<name>\b(?P<named>{one}|{two})(?:'s\b|{_PARTY_VERB}))"
            + (rf"|(?P<third>\b(?:{third})(?:'s\b|{_PARTY_VERB}))" if third else "")
        ),
        _spoken(
            rf"{_BY_NAME}{who.format('by')}\b"
            rf"|\b{who.format('does')}(?:'ll|'d|'s)? (?:(?:can|may|could|will|would|to|happily|just|also|then"
            rf"|be) ){{0,2}}{_APPROVE}\b"
            rf"|\b(?:on|with|under|given) (?:(?P<mine>my|your|{one}'s|{two}'s)) (?:approval|sign-?off|say-so|ok|okay"
            rf"|signature|authority)\b"
        ),
        _outside_pattern(third) if third else None,
        _spoken(rf"\b(?:over|above|beyond|past|more than) $|(?P<to>[^.;!?0-9]{{0,40}}?\b(?:{third})\b)")
        if third
        else None,
    )


def _plain(word: str) -> str:
    return _GAP.sub(" ", level(word))


def _escaped(name: str) -> str:
    return re.escape(level(name)).replace(r"\ ", " ")


_IT = "(?:it|this|that|the (?:matter|request|question|decision|rest|whole thing))"
_TAKE_TO = (
    rf"ask(?:ing)?|check(?:ing)?(?: {_IT})? with|(?:goes|going|go|gone) (?:up )?to|tak(?:e|ing) {_IT} (?:up )?(?:to"
    r"|with)"
    rf"|refer(?:ring)?(?: {_IT})? to|defer(?:ring)?(?: {_IT})? to|leav(?:e|ing) {_IT}(?: up)? (?:to|with|for)|up to"
    rf"|run(?:ning)? {_IT} (?:by|past)|escalat(?:e|ing)(?: {_IT})? to"
    rf"|(?:bring|send|pass|putt?|hand)(?:ing)? {_IT} (?:on |up |over )?to|(?:talk|speak)(?:ing)? (?:to|with)"
    r"|(?:call|ring|phon)e?(?:ing)?|wait(?:ing)? for|(?:question|decision|matter|one|call|job) for|consult(?:ing)?"
    r"|needs?|involve|gett?(?:ing)?|let"
)
_CONSENT = "(?:approval|sign-?off|say-so|ok|okay|decision|call|blessing|signature|permission)"
_MUST = (
    r"(?:'ll| will| would need to| would have to| would| has to| have to| needs to| must| should| is the one to"
    r"| will have to| ought to)?"
)
_DECIDES = (
    "(?:decides?|approves?|signs?|authori[sz]es?|makes? (?:the|that) (?:call|decision)|says? yes|weighs? in|rules? on"
    "|settles?)"
)


def _outside_pattern(third: str) -> Pattern:
    """How a matter is handed to the outside approver: "ask Dana", "it's Dana's call", "Dana has to decide"."""
    return _spoken(
        rf"\b(?:{_TAKE_TO}) (?:{third})\b(?!'s (?!{_CONSENT}\b))"
        rf"|\b(?:need|needs|get|it's|is|wait for|be|require|requires|take|takes|want|wants) (?:{third})'s {_CONSENT}\b"
        rf"|\b(?:(?:{third}){_MUST}|only (?:{third}) (?:can|may|could)) {_DECIDES}\b"
    )


_IF_ONLY = _spoken(
    r"\b(?:if|unless|when|whenever|once|until|anything|everything|whatever|nothing|should (?:it|you)|whether"
    r"|more than (?:that|this|those|it|which)"
    r"|(?:beyond|past|above|over) (?:that|this|those|it|which)|the rest|otherwise|ordinarily|usually|normally"
    r"|always)\b"
)
_RATHER_NOT = _spoken(
    r"(?:\bwithout|\bbefore|\bno need|\bneedn't|\binstead of|\brather than|\bsave us|n't\b|\bnot\b|\bnever\b"
    r"|\bno point|\bavoid|\balready|\byesterday|\blast (?:week|time)"
    r"|\bdo (?:we|you|i) (?:need|have) to)(?: [a-z']+){0,4}?\s*$"
)
_AFTER_ALL_NOT = _spoken(
    r"[^.;!?]{0,20}? but\b(?! (?:not (?:me|mine)|i|we) )"
    r"|(?: (?:for|about|on|with))? (?:anything|everything|whatever|amounts|sums|more than|over|above)\b"
)
_HENCE = _spoken(r"\b(?:so|therefore)\b")
_AFRESH = _spoken(r"[,;:—]|\b(?:so|then|and|but|which means|that means|therefore)\b")


@define(slots=True)
class _Said:
    """An amount said in the text, with the action it is of, once that is found."""

    value: Amount
    start: int
    end: int
    sentence: tuple[int, int]
    unit_end: int
    upto: int
    action: str | None = None
    lent: bool = False
    role: Literal["alone", "option", "from", "to"] = "alone"


class Listener:
    """One utterance being understood; offsets are those of the text."""

    def __init__(self, text: str, public: Public, speaker: Seat) -> None:
        facts = public.facts
        outside = () if public.approver is None else (public.approver, *facts.get("called", ()))
        self.public, self.speaker, self.low = public, speaker, level(text[:LONGEST])
        self.text = text[:LONGEST]
        self.asked = speaker == holder_of(public)
        self.units = _units(facts)
        self.lexicon = _lexicon(
            tuple((a, tuple(s["words"])) for a, s in facts["speech"].items()), self.units, public.names, outside
        )
        self.facts: list[Fact] = []
        self.plans: list[Plan] = []

    def heard(self) -> Heard:
        """Everything the utterance says."""
        spans = tuple((s.start, s.end) for s in sentences(self.text))
        words = [(m.start(), m.end(), self._action(m)) for m in self.lexicon.action.finditer(self.low)]
        self._boast(words, spans)
        if not words:
            return Heard(tuple(self.facts), (), tuple(self._deferrals(spans)))
        said = self._amounts(spans)
        ruled_out = self._rule_out([w for w in words if not self._is_counted(w, words, said)], spans)
        self._link(said, [w for w in words if w[0] not in ruled_out])
        groups = _groups(self.low, said)
        deferrals = list(self._deferrals(spans))
        referred = {span for span in spans for d in deferrals if span[0] <= d.start < span[1]}
        for group in groups:
            self._understand(group, referred)
        return Heard(tuple(self.facts), tuple(_kept(self.plans)), tuple(deferrals))

    def _action(self, match: re.Match[str]) -> str:
        return self.lexicon.actions[_plain(match["word"])]

    # --------------------------------------------------------------------------------------------- amounts

    def _amounts(self, spans: Sequence[tuple[int, int]]) -> list[_Said]:
        found: list[_Said] = []
        money = bool(self.public.facts.get("sign"))
        mentions = find_numbers(self.text)
        for mention, after in zip_longest(mentions, mentions[1:]):
            span = next((s for s in spans if s[0] <= mention.start < s[1]), (0, len(self.low)))
            if found and mention.value == found[-1].value and _REPEAT.fullmatch(self.low, found[-1].end, mention.start):
                continue
            until = span[1] if after is None else min(span[1], after.start)
            unit = self.lexicon.unit.match(self.low, mention.end, until)
            of_unit = mention.money if money else unit is not None
            if not of_unit and (mention.money or not self._may_count(mention.unit, mention.end)):
                continue
            if not of_unit and _CLOCK_LEAD.search(self.low, span[0], mention.start):
                continue
            upto = unit.end() if unit is not None else mention.end
            found.append(_Said(mention.value, mention.start, mention.end, span, upto, upto))
        return found

    def _may_count(self, unit: str | None, end: int) -> bool:
        if unit is None:
            return True
        return any(m.start() - end <= len(unit) + 12 for m in self.lexicon.action.finditer(self.low, end, end + 40))

    def _is_counted(
        self, word: tuple[int, int, str], words: Sequence[tuple[int, int, str]], said: Sequence[_Said]
    ) -> bool:
        """An amount before it in the sentence is of this action: it follows at once, or no other action is left."""
        before = [a for a in said if a.end <= word[0] < a.sentence[1]]
        if any(self.lexicon.link.fullmatch(self.low[a.end : word[0]]) for a in before):
            return True
        return len(before) > sum(1 for w in words if before and before[0].sentence[0] <= w[0] < word[0])

    def _link(self, said: list[_Said], words: Sequence[tuple[int, int, str]]) -> None:
        """Give every amount its action: the nearest that is not another's, or the only one there is."""
        free = list(words)
        for index, amount in enumerate(said):
            begin, end = _reach(said, index)
            for word in free:
                if amount.end <= word[0] < end and self.lexicon.link.fullmatch(self.low[amount.end : word[0]]):
                    self._take(amount, word, free)
                    break
        for index, amount in enumerate(said):
            begin, end = _reach(said, index)
            if amount.action is None:
                before = [w for w in free if begin <= w[0] and w[1] <= amount.start]
                after = [w for w in free if amount.end <= w[0] < end]
                if before or after:
                    self._take(amount, before[-1] if before else after[0], free)
        for first, second in pairwise(said):
            gap = self.low[first.upto : second.start]
            if first.action is None and first.sentence == second.sentence and _SPAN.fullmatch(gap):
                first.action, first.role = second.action, "option" if "or" in gap else "from"
                second.role = "option" if "or" in gap else "to"
        known = {action for _, _, action in words}
        for amount in said:
            if amount.action is None and len(known) == 1:
                amount.action, amount.lent = next(iter(known)), True

    @staticmethod
    def _take(amount: _Said, word: tuple[int, int, str], free: list[tuple[int, int, str]]) -> None:
        amount.action = word[2]
        amount.upto = max(amount.upto, word[1])
        free.remove(word)

    # ---------------------------------------------------------------------------------------------- meaning

    def _understand(self, group: _Group, referred: set[tuple[int, int]]) -> None:
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

    def _kind(self, group: _Group) -> tuple[Kind, int]:
        """What the group's cue, or what follows its last amount, makes of it, and where that stands."""
        low, last = self.low, group.amounts[-1]
        end = last.sentence[1]
        if last.role in ("from", "to"):
            claimed = last.role == "to" and self.asked and _CLAIM.search(low, last.sentence[0], last.start)
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

    def _is_stated(self, kind: Kind, at: int, group: _Group) -> bool:
        """False for what is asked ("can you go up to 8?"), supposed or put forward rather than stated."""
        sentence = group.amounts[0].sentence
        begin = max(sentence[0], *(self.low.rfind(mark, sentence[0], at) + 1 for mark in ",;:—"))
        clause = self.low[begin:at].lstrip()
        if self._is_question(sentence) and _ASKS.match(self.low[begin : group.start].lstrip()):
            return False
        if _SUPPOSE.search(clause):
            missed = clause.startswith("unless") or self.low.startswith(_SHORT_OF, at)
            return kind == "need" and missed
        return not group.put_forward

    def _state(self, kind: Kind, at: int, group: _Group) -> None:
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

    def _claims_authority(self, group: _Group) -> bool:
        begin, end = group.amounts[0].sentence
        return bool(_AUTHORITY_WORD.search(self.low, begin, end))

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

    def _is_idle(self, group: _Group, referred: set[tuple[int, int]]) -> bool:
        """The amounts are of the past, supposed, or what the outside approver is to be asked for."""
        sentence = group.amounts[0].sentence
        if sentence in referred or _PAST.search(self.low, group.begin, min(sentence[1], group.upto + 40)):
            return True
        begin = max(sentence[0], *(self.low.rfind(mark, sentence[0], group.start) + 1 for mark in ",;:—"))
        supposed = _SUPPOSE.search(self.low, begin, group.start)
        if supposed is None:
            return False
        return not (self._is_question(sentence) and _APPROVING.search(self.low, supposed.end(), group.start))

    def _propose(self, group: _Group, rejected: bool) -> None:
        approver = self._approver(group)
        if approver is None:
            return
        begin, end = group.amounts[0].sentence
        claim = _CLAIM.search(self.low, group.begin, group.start)
        asked = self._is_question((begin, end))
        allowed = claim is not None and bool(_ALLOWED.search(claim.group()))
        steered = group.cue is not None or claim is not None or asked or end - begin < 40
        for amount in group.amounts:
            if amount.action is None or (amount.lent and not steered) or self._is_aside(amount):
                continue
            if claim is not None and not rejected and not asked:
                self._add("approves", "speaker", amount.action, amount.value, claim.start(), amount.end)
            if rejected or not allowed:
                terms = Approval(Text(amount.action), amount.value, Text(approver))
                self.plans.append(Plan(terms, amount.start, max(amount.end, amount.upto), rejected))

    def _is_aside(self, amount: _Said) -> bool:
        """ "Not 6", "instead of 6", "in 3 days"."""
        return bool(_NOT_THIS.search(self.low, amount.sentence[0], amount.start))

    def _approver(self, group: _Group) -> str | None:
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

    def _rule_out(self, words: Sequence[tuple[int, int, str]], spans: Sequence[tuple[int, int]]) -> set[int]:
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

    def _boast(self, words: Sequence[tuple[int, int, str]], spans: Sequence[tuple[int, int]]) -> None:
        """ "I can approve as much as you like": a claim to the largest amount there is."""
        for begin, end in spans:
            claim = _CLAIM.search(self.low, begin, end)
            much = claim and _ANY_AMOUNT.search(self.low, begin, end)
            if claim is None or much is None or self._is_question((begin, end)):
                continue
            if _SUPPOSE.search(self.low, begin, claim.start()):
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
            held = [m.end() for m in _IF_ONLY.finditer(self.low, begin, match.start())]
            if held and not _HENCE.search(self.low, held[-1], match.start()):
                continue
            afresh = max((m.end() for m in _AFRESH.finditer(self.low, begin, match.start())), default=begin)
            if not _RATHER_NOT.search(self.low, afresh, match.start()) and not _AFTER_ALL_NOT.match(
                self.low, match.end()
            ):
                yield Deferral(self.public.approver, match.start(), match.end())
                return


@define(slots=True)
class _Group:
    """Amounts listed together under one cue: where the search for cues began, the cue and where it stands, and how
    far the words that belong to the group reach."""

    amounts: list[_Said]
    begin: int
    cue: str | None
    cue_at: int
    put_forward: bool
    reach: int = 0

    @property
    def start(self) -> int:
        """Where the first amount begins."""
        return self.amounts[0].start

    @property
    def upto(self) -> int:
        """Where the last amount with its unit and action ends."""
        return self.amounts[-1].upto


def _reach(said: Sequence[_Said], index: int) -> tuple[int, int]:
    """How far to either side an amount may look for its action: to the neighbours or the sentence's ends."""
    amount = said[index]
    begin, end = amount.sentence
    if index and said[index - 1].sentence == amount.sentence:
        begin = said[index - 1].end
    if index + 1 < len(said) and said[index + 1].sentence == amount.sentence:
        end = said[index + 1].start
    return begin, end


def _groups(low: str, said: Sequence[_Said]) -> list[_Group]:
    """The amounts in order, those listed without a new cue between them together; a slip takes its first word back."""
    groups: list[_Group] = []
    for index, amount in enumerate(said):
        before = said[index - 1] if index else None
        begin = before.end if before is not None and before.sentence == amount.sentence else amount.sentence[0]
        steers = list(_STEER.finditer(low, begin, amount.start))
        turn = any(True for _ in _TURN.finditer(low, begin, amount.start))
        corrects = before is not None and any(s.lastgroup == "slip" for s in steers)
        if corrects and groups:
            _take_back(groups, amount, low, begin, steers)
            continue
        joined = before is not None and before.sentence == amount.sentence and not steers and not turn
        if joined and groups and amount.action not in {a.action for a in groups[-1].amounts}:
            groups[-1].amounts.append(amount)
        else:
            groups.append(_opened(low, amount, begin, steers))
    for index, group in enumerate(groups):
        group.reach = groups[index + 1].start if index + 1 < len(groups) else len(low)
    return groups


def _opened(low: str, amount: _Said, begin: int, steers: Sequence[re.Match[str]]) -> _Group:
    cue, at = None, amount.start
    if steers:
        last = steers[-1]
        gap = low[last.end() : amount.start]
        ends = _TURN.search(gap) or (last.lastgroup == "refuse" and _AFRESH.search(gap))
        if not ends and last.lastgroup != "slip":
            cue, at = last.lastgroup, last.start()
    ahead = [s for s in steers if s.lastgroup == "propose" and s.start() < at]
    forward = bool(ahead) and cue in ("high", "low") and not set(",;:") & set(low[ahead[-1].end() : at])
    return _Group([amount], begin, cue, at, forward)


def _take_back(groups: list[_Group], amount: _Said, low: str, begin: int, steers: Sequence[re.Match[str]]) -> None:
    """Put an amount in the place of the one just said, under the same cue and of the same action unless it has its
    own."""
    group = groups[-1]
    wrong = group.amounts.pop()
    if amount.action is None or amount.lent:
        amount.action = wrong.action or amount.action
    own = _opened(low, amount, begin, steers)
    if own.cue is None or own.cue == "propose":
        own = evolve(
            own, cue=group.cue or own.cue, cue_at=group.cue_at, begin=group.begin, put_forward=group.put_forward
        )
    if not group.amounts:
        groups.pop()
    groups.append(own)


def _units(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple({facts["unit"], facts["units"]})


def _kept(plans: Sequence[Plan]) -> Iterator[Plan]:
    """Each plan once, where it was last said."""
    for index, plan in enumerate(plans):
        if not any(p.terms == plan.terms and p.rejected == plan.rejected for p in plans[index + 1 :]):
            yield plan
