"""Hears the bounds that somebody's share has: at least, at most, only, between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from adidem.core.domain import Amount, Fact
from adidem.core.language import RangeMention
from adidem.core.language.patterns import Pattern
from adidem.plugins.families.hearing.talk import (
    ADDED,
    APPROX,
    BREAKS,
    CUE,
    ENDS,
    MORE_TAIL,
    RATE_TAIL,
    VAGUE_TAIL,
    WORDS,
    Talk,
    counts,
)

_ASKING = frozenset(
    """what how can could would will do does did is are shall should any might may have has was why which who where
    when""".split()
)
_ONLY = Pattern(lambda: rf" {CUE['only']} (?:\S+ ){{0,3}}$")
_TOLD = Pattern(r"\b(?:told|tell|tells|telling|showed|asked) @[slw] ")
_ASKED_OF = Pattern(lambda: rf" {CUE['asked_of']} (?:\S+ ){{0,4}}$")


def bounds_said(talk: Talk) -> list[Fact]:
    """The bounds that somebody's share has, in the order of the text; a least and a most of one sentence are one."""
    found: list[tuple[int, Fact]] = []
    for mention in (*talk.ranges, *_only(talk)):
        fact = _fact(talk, mention)
        if fact is None:
            continue
        sentence = talk.back_to(talk.at(mention.start), ENDS)
        if found and found[-1][0] == sentence and (joined := _joined(found[-1][1], fact)) is not None:
            found[-1] = (sentence, joined)
        else:
            found.append((sentence, fact))
    return [fact for _, fact in found]


def _fact(talk: Talk, mention: RangeMention) -> Fact | None:
    facts = talk.public.facts
    index = talk.at(talk.numbers_in(mention)[0].start)
    begin = talk.back_to(index, ENDS)
    if not counts(mention, facts) or facts["total"] in (mention.low, mention.high) or _is_vague(talk, mention):
        return None
    lead = talk.text(begin, index)
    clause = talk.text(talk.back_to(index, BREAKS), index)
    if (
        WORDS["soft"].search(clause)
        or WORDS["past"].search(lead)
        or WORDS["not_needed"].search(clause)
        or WORDS["giving"].search(clause)
    ):
        return None
    if _is_asked(talk, index) or " split " in clause or WORDS["hypothesis"].search(clause):
        return None
    value = {"least": mention.low, "most": mention.high}
    about = _about(talk, lead, mention)
    if about == "listener" and _ASKED_OF.search(lead):
        value = {"least": _rest(facts, mention.high), "most": _rest(facts, mention.low)}
        return Fact("range", value, "speaker", mention.start, mention.end)
    if about == "listener" and WORDS["demand"].search(clause) and not WORDS["reported"].search(lead):
        return None
    return Fact("range", value, about, mention.start, mention.end)


def _rest(facts: Mapping[str, Any], bound: Amount | None) -> Amount | None:
    return None if bound is None else facts["total"] - bound


def _is_vague(talk: Talk, mention: RangeMention) -> bool:
    """A bound that is itself approximate, or an amount on top of another, is no bound."""
    after = talk.at(mention.end)
    if mention.text.endswith("plus") and after < len(talk.words) and talk.words[after] not in BREAKS:
        return True
    for number in talk.numbers_in(mention):
        start, end = number.start, number.end
        floor = max(0, start - 26)
        if (
            APPROX.search(talk.low, floor, start)
            or ADDED.search(talk.low, floor, start)
            or VAGUE_TAIL.match(talk.low, end)
        ):
            return True
        if MORE_TAIL.match(talk.low, end) or RATE_TAIL.match(talk.low, end):
            return True
    return False


def _about(talk: Talk, lead: str, mention: RangeMention) -> Any:
    """Whose bound it is: the nearest person named before it, else the one it is for, else the speaker."""
    owners = re.findall(r"@[slw]", _TOLD.sub("", lead))
    if owners:
        return "listener" if owners[-1] == "@l" else "speaker"
    after = talk.at(mention.end)
    follow = re.match(r" (?:\S+ )?(?:for|from|to|on) (@[sl])", talk.text(after, after + 4))
    return "listener" if follow is not None and follow[1] == "@l" else "speaker"


def _is_asked(talk: Talk, index: int) -> bool:
    """The word stands in a clause that asks: "do you need at least …?"."""
    end = talk.on_to(index, ENDS)
    if end == len(talk.words) or talk.words[end] != "?":
        return False
    start = talk.back_to(index, BREAKS)
    return any(word in _ASKING for word in talk.words[start : start + 2])


def _only(talk: Talk) -> Iterator[RangeMention]:
    """ "I can only pay 140" says that 140 is the most."""
    for index, value in talk.amounts.items():
        start = talk.back_to(index, BREAKS)
        lead = talk.text(start, index)
        if _ONLY.search(lead):
            begin, end = talk.spans[start][0], talk.spans[index][1]
            money = bool(talk.public.facts["currency"])
            yield RangeMention(None, value, talk.spans[index][0], end, talk.low[begin:end], money)


def _joined(one: Fact, two: Fact) -> Fact | None:
    """One fact of two about the same person where they do not differ, or None."""
    if one.about != two.about:
        return None
    least, most = ({fact.value[end] for fact in (one, two)} - {None} for end in ("least", "most"))
    if len(least) > 1 or len(most) > 1 or (least and most and min(least) > min(most)):
        return None
    value = {"least": min(least, default=None), "most": min(most, default=None)}
    return Fact("range", value, one.about, min(one.start, two.start), max(one.end, two.end))
