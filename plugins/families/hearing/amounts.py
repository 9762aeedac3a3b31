"""Finds the amounts said of a request's actions: of which action each is, and which cue stands by it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Literal

from attrs import define, evolve, frozen

from adidem.core.domain import Amount
from adidem.core.language.clauses import level
from adidem.core.language.cues import load_cues
from adidem.core.language.numbers import find_numbers
from adidem.core.language.patterns import Pattern, Patterns
from adidem.core.language.unnamed import GAP

CUE = load_cues("approvals", Path(__file__).parent)
HAS = Patterns(lambda name: rf"\b{CUE[name]}\b")
"""A cue of that name as whole words, anywhere."""

Word = tuple[int, int, str]
"""Where an action's word starts and ends, and the action."""


def spoken(pattern: str) -> str:
    """A pattern in which a space stands for any blanks."""
    return pattern.replace(" ", r"\s+")


# ---------------------------------------------------------------------------------------------------------- the words


@frozen(slots=True)
class Lexicon:
    """The patterns that depend on a scenario's public words alone."""

    action: Pattern
    actions: Mapping[str, str]
    unit: Pattern
    link: Pattern
    party: Pattern
    approver: Pattern
    outside: Pattern | None
    over: Pattern | None

    def action_of(self, match: re.Match[str]) -> str:
        """The action that a match of `action` names."""
        return self.actions[_plain(match["word"])]


@lru_cache(maxsize=512)
def lexicon(
    actions: tuple[tuple[str, tuple[str, ...]], ...],
    units: tuple[str, ...],
    names: tuple[str, str],
    outside: tuple[str, ...],
) -> Lexicon:
    """The patterns for these actions with the words for each, units, people's names, and names of who is outside."""
    words = {_plain(word): action for action, said in actions for word in (action, *said)}
    named = "|".join(_escaped(w).replace(" ", r"[\s-]+") for w in sorted(words, key=len, reverse=True))
    unit = "|".join(map(_escaped, units))
    third = "|".join(map(_escaped, outside))
    return Lexicon(
        Pattern(spoken(rf"\b(?P<word>{named})(?:s|es)?\b")),
        words,
        Pattern(spoken(rf"(?:[\s-]+[a-z'-]+){{0,2}}?[\s-]*(?:{unit})\b")),
        Pattern(
            spoken(
                rf"(?:[\s-]*(?:{unit})\b)?(?: |-)(?:(?:of|for|worth|towards?|on|with|from|as|in|to|the|a|an|extra|more"
                r"|additional|your|my|our|that|this|some|using|under|spent|out|each) ){0,4}$"
            )
        ),
        _party_pattern(names, third),
        _approver_pattern(names, third),
        _outside_pattern(third) if third else None,
        Pattern(spoken(rf"[^.;!?0-9]{{0,40}}?\b(?:{third})\b")) if third else None,
    )


def _party_pattern(names: tuple[str, str], third: str) -> Pattern:
    """Who is named as somebody who may do or want something: "I", "you can", "Gudrun's"."""
    one, two = (_escaped(name) for name in names)
    verb = CUE["party_verb"]
    return Pattern(
        spoken(
            r"(?P<i>\b(?:i|we)(?:'[a-z]+)?\b|\b(?:my|our)\b|\b(?:lets|allows|permits|trusts|gives|leaves|hands|limits"
            rf"|stops|caps) me\b)|(?P<you>(?<!what\s)(?<!all\s)\b(?:you{verb}|your\b))"
            rf"|(?P<name>\b(?P<named>{one}|{two})(?:'s\b|{verb}))"
            + (rf"|(?P<third>\b(?:{third})(?:'s\b|{verb}))" if third else "")
        )
    )


def _approver_pattern(names: tuple[str, str], third: str) -> Pattern:
    """Who approves: "approved by Gudrun", "I can sign", "on my say-so"."""
    one, two = (_escaped(name) for name in names)
    who = rf"(?P<{{}}>{one}|{two}|i|we|me|you{'|' + third if third else ''})"
    approve = CUE["approving"]
    return Pattern(
        spoken(
            rf"(?:{approve}|okay'?d|cleared|agreed) by {who.format('by')}\b"
            rf"|\b{who.format('does')}(?:'ll|'d|'s)? (?:(?:can|may|could|will|would|to|happily|just|also|then"
            rf"|be) ){{0,2}}{approve}\b"
            rf"|\b(?:on|with|under|given) (?P<mine>my|your|{one}'s|{two}'s) (?:approval|sign-?off|say-so|ok|okay"
            rf"|signature|authority)\b"
        )
    )


def _outside_pattern(third: str) -> Pattern:
    """How a matter is handed to the outside approver: "ask Dana", "it's Dana's call", "Dana has to decide"."""
    consent, decides, must = CUE["consent"], CUE["decides"], CUE["must"]
    return Pattern(
        spoken(
            rf"\b(?:{CUE['take_to']}) (?:{third})\b(?!'s (?!{consent}\b))"
            rf"|\b(?:needs?|get|it's|is|wait for|be|requires?|takes?|wants?) (?:{third})'s {consent}\b"
            rf"|\b(?:(?:{third})(?:\s*{must})?|only (?:{third}) (?:can|may|could)) {decides}\b"
        )
    )


def _plain(word: str) -> str:
    return _GAP.sub(" ", level(word))


def _escaped(name: str) -> str:
    return re.escape(level(name)).replace(r"\ ", " ")


_GAP = Pattern(r"[\s-]+")

# -------------------------------------------------------------------------------------------------------- the amounts

_CLOCK_LEAD = Pattern(r"\b(?:at|by|until|till|before|after|since|around)\s+$")
_REPEAT = Pattern(r"\s*\(")
_RANGE = Pattern(r"\s*(?:to|-|and|or|or\s+maybe|or\s+even|through|up\s+to)\s*")


@define(slots=True)
class Said:
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


def amounts_said(text: str, spans: Sequence[tuple[int, int]], words: Lexicon, facts: Mapping[str, Any]) -> list[Said]:
    """Every number of a text that may be an amount of an action; `spans` are its sentences."""
    low, money = level(text), bool(facts.get("sign"))
    found: list[Said] = []
    mentions = find_numbers(text)
    for mention, after in zip_longest(mentions, mentions[1:]):
        span = next((s for s in spans if s[0] <= mention.start < s[1]), (0, len(low)))
        if found and mention.value == found[-1].value and _REPEAT.fullmatch(low, found[-1].end, mention.start):
            continue
        until = span[1] if after is None else min(span[1], after.start)
        unit = words.unit.match(low, mention.end, until)
        of_unit = mention.money if money else unit is not None
        if not of_unit and (mention.money or not _may_count(low, words, mention.unit, mention.end)):
            continue
        if not of_unit and _CLOCK_LEAD.search(low, span[0], mention.start):
            continue
        upto = unit.end() if unit is not None else mention.end
        found.append(Said(mention.value, mention.start, mention.end, span, upto, upto))
    return found


def _may_count(low: str, words: Lexicon, unit: str | None, end: int) -> bool:
    if unit is None:
        return True
    return any(m.start() - end <= len(unit) + 12 for m in words.action.finditer(low, end, end + 40))


def is_counted(low: str, lexicon: Lexicon, word: Word, words: Sequence[Word], said: Sequence[Said]) -> bool:
    """An amount before it in the sentence is of this action: it follows at once, or no other action is left."""
    before = [a for a in said if a.end <= word[0] < a.sentence[1]]
    if any(lexicon.link.fullmatch(low[a.end : word[0]]) for a in before):
        return True
    return len(before) > sum(1 for w in words if before and before[0].sentence[0] <= w[0] < word[0])


def link(low: str, lexicon: Lexicon, said: list[Said], words: Sequence[Word]) -> None:
    """Give every amount its action: the nearest that is not another's, or the only one there is."""
    free = list(words)
    for index, amount in enumerate(said):
        begin, end = _reach(said, index)
        for word in free:
            if amount.end <= word[0] < end and lexicon.link.fullmatch(low[amount.end : word[0]]):
                _take(amount, word, free)
                break
    for index, amount in enumerate(said):
        begin, end = _reach(said, index)
        if amount.action is None and not _has_gap(low, amount):
            before = [w for w in free if begin <= w[0] and w[1] <= amount.start]
            after = [w for w in free if amount.end <= w[0] < end]
            if before or after:
                _take(amount, before[-1] if before else after[0], free)
    _lend(low, said, words)


def _lend(low: str, said: Sequence[Said], words: Sequence[Word]) -> None:
    """ "8 to 10 hours of overtime": both are of it; with one action alone every amount from its sentence on is."""
    for first, second in pairwise(said):
        gap = low[first.upto : second.start]
        if (
            first.action is None
            and first.sentence == second.sentence
            and not _has_gap(low, first)
            and _RANGE.fullmatch(gap)
        ):
            first.action, first.role = second.action, "option" if "or" in gap else "from"
            second.role = "option" if "or" in gap else "to"
    known = {action for _, _, action in words}
    for amount in said:
        if amount.action is None and len(known) == 1 and not _has_gap(low, amount) and words[0][0] < amount.sentence[1]:
            amount.action, amount.lent = words[0][2], True


def _has_gap(low: str, amount: Said) -> bool:
    """Something in its sentence is not named, which may be what the amount is of: it looks for no other action."""
    return GAP in low[slice(*amount.sentence)]


def _take(amount: Said, word: Word, free: list[Word]) -> None:
    amount.action = word[2]
    amount.upto = max(amount.upto, word[1])
    free.remove(word)


def _reach(said: Sequence[Said], index: int) -> tuple[int, int]:
    """How far to either side an amount may look for its action: to the neighbours or the sentence's ends."""
    amount = said[index]
    begin, end = amount.sentence
    if index and said[index - 1].sentence == amount.sentence:
        begin = said[index - 1].end
    if index + 1 < len(said) and said[index + 1].sentence == amount.sentence:
        end = said[index + 1].start
    return begin, end


# ------------------------------------------------------------------------------------------------- groups under a cue

_STEER = Pattern(
    lambda: (
        rf"(?P<high>{CUE['high']})|(?P<low>{CUE['low']})|(?P<propose>{CUE['propose']})|\b(?P<refuse>{CUE['refuse']})\b"
        rf"|\b(?P<slip>{CUE['slip']})\b"
    )
)
_TURN = Pattern(lambda: CUE["turn"])
AFRESH = Pattern(lambda: CUE["afresh"])
"""Where a clause begins that what was said before it does not reach into."""


@define(slots=True)
class Group:
    """Amounts listed together under one cue: where the search for cues began, the cue and where it stands, and how
    far the words that belong to the group reach."""

    amounts: list[Said]
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


def groups_of(low: str, said: Sequence[Said]) -> list[Group]:
    """The amounts in order, those listed without a new cue between them together; a slip takes its first word back."""
    groups: list[Group] = []
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


def _opened(low: str, amount: Said, begin: int, steers: Sequence[re.Match[str]]) -> Group:
    cue, at = None, amount.start
    if steers:
        last = steers[-1]
        gap = low[last.end() : amount.start]
        ends = _TURN.search(gap) or (last.lastgroup == "refuse" and AFRESH.search(gap))
        if not ends and last.lastgroup != "slip":
            cue, at = last.lastgroup, last.start()
    ahead = [s for s in steers if s.lastgroup == "propose" and s.start() < at]
    forward = bool(ahead) and cue in ("high", "low") and not set(",;:") & set(low[ahead[-1].end() : at])
    return Group([amount], begin, cue, at, forward)


def _take_back(groups: list[Group], amount: Said, low: str, begin: int, steers: Sequence[re.Match[str]]) -> None:
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
