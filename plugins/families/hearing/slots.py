"""Hears who has the one thing when: slots that are given out, free time, and for how long somebody needs it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from attrs import evolve

from adidem.core.domain import SEATS, Fact, Plan, Public, Seat
from adidem.core.language import DurationMention, find_durations
from adidem.core.language.clauses import level, sentence_at
from adidem.core.language.patterns import Pattern
from adidem.plugins.families._windows import day_of
from adidem.plugins.families.hearing.hours import (
    CUE,
    LONGEST,
    Said,
    all_day,
    hear_times,
    is_corrected,
    person_in,
    tells_windows,
    window_facts,
)


def slots_said(text: str, public: Public, speaker: Seat) -> tuple[tuple[Fact, ...], tuple[Plan, ...]]:
    """What a text says of windows and lengths of time, and the slots it gives out: for each seat in order, start and
    end in minutes."""
    items = hear_times(text, public, speaker, public.facts["durations"])
    plans, rest = _plans_said(items, public)
    told = [t for item in rest if (t := _told(item, public)) is not None and tells_windows(t, public)]
    facts = window_facts(told, speaker, day_of(public.facts)) or all_day(text, public)
    facts += _durations_told(text, items, public, speaker)
    return tuple(sorted(facts, key=lambda fact: fact.start)), tuple(plans)


_TOLD_FREE = Pattern(lambda: rf"\b{CUE['told_free']}\b")
_GIVEN = Pattern(lambda: rf"\b{CUE['given']}\b")
_GIVEN_AFTER = Pattern(r"\s*,?\s*(?:for\s+me\b|(?:is|'s)\s+mine\b)")
_TAKEN_UP = Pattern(lambda: rf"\b{CUE['taken_up']}")
_TO_OTHER = Pattern(r"\s*,?\s*(?:and|while|then)?\s*[a-z]+\s*(?:from|at|:)?\s*")
_WORKS = Pattern(r"\b(?:works?|suits?|fits?|fine|good|great|perfect|ok|okay)\b")


def _plans_said(items: Sequence[Said], public: Public) -> tuple[list[Plan], list[Said]]:
    """The plans that neighbouring stretches make, and the items that belong to none. Two of one sentence come before
    two of neighbouring sentences, so that a told window does not pair with the plan that follows it."""
    plans: dict[int, Plan] = {}
    for within in (True, False):
        for index, (one, two) in enumerate(pairwise(items)):
            if not {index - 1, index, index + 1} & plans.keys() and (one.sentence == two.sentence) is within:
                plan = _pair_said(one, two, public)
                if plan is not None:
                    plans[index] = plan
    paired = {index + step for index in plans for step in (0, 1)}
    return [plans[index] for index in sorted(plans)], [i for n, i in enumerate(items) if n not in paired]


def _pair_said(one: Said, two: Said, public: Public) -> Plan | None:
    if one.who is None or two.who is None or one.who == two.who or two.sentence - one.sentence > 1:
        return None
    follows = one.sentence == two.sentence and _is_slot(two, public) and bool(_TO_OTHER.fullmatch(two.lead))
    if not _is_given(one, public) or not (follows or _is_given(two, public)):
        return None
    if one.sentence != two.sentence and not all(item.mood or item.alone for item in (one, two)):
        return None
    spans = {item.who: (item.start or 0, item.end or 0) for item in (one, two)}
    return Plan(tuple(spans[seat] for seat in SEATS), one.at, two.until, two.mood == "reject")


def _is_given(item: Said, public: Public) -> bool:
    """Whether a stretch is handed to a person, and not told as their free or busy time."""
    if not _is_slot(item, public) or _TOLD_FREE.search(item.lead):
        return False
    if item.mood == "free":
        return bool(_GIVEN.search(item.lead) or _GIVEN_AFTER.match(item.tail))
    return item.mood in ("plan", "assign", "", "reject")


def _is_slot(item: Said, public: Public) -> bool:
    return not item.point and item.length in public.facts["durations"]


def _told(item: Said, public: Public) -> Said | None:
    """The item as one that may tell a window; None where it takes up, hands out or turns down a slot."""
    if item.mood == "plan" and _WORKS.search(item.tail) and not item.question:
        return None if _is_slot(item, public) else evolve(item, mood="free")
    if _is_slot(item, public) and _PUT_FORWARD.search(item.lead):
        return None
    if item.mood == "reject" and (item.who is None or _is_slot(item, public)):
        return None
    if item.mood == "assign" and item.length is not None:
        return None if _is_slot(item, public) and _TAKEN_UP.search(item.lead) else evolve(item, mood="free")
    return item


_PUT_FORWARD = Pattern(r"\b(?:(?:how|what)\s+about|suggest|propose)\b")
_NO_NEED = Pattern(lambda: rf"\b{CUE['no_need']}\s+(?:(?:a|an|the|about|those|at\s+least|exactly)\s+)?$")
_NO_NEED_AFTER = Pattern(lambda: rf"[\s-]*{CUE['no_need_after']}\b")
_NO_LESS = Pattern(lambda: rf"\b{CUE['no_less']}\s+$")
_NOT = Pattern(lambda: r"\b(?:not|[a-z]+n't|cannot|never|no)\b[^,;.!?]{0,24}$")
_ASKED = Pattern(lambda: rf"^\W*(?:(?:and|or|but|then)\s+)?{CUE['asked']}\b")
_PART = Pattern(r"\b(?:and|or)\s*$")
_QUOTED = Pattern(
    r"\b(?:i|you|we)(?:'d|\s+had)?\s+(?:just\s+|first\s+)?(?:said|wrote|thought|put\s+down|told\s+you)\s*$"
)
_NEEDING = Pattern(lambda: rf"\b{CUE['needing']}\b|'s\b|'d\b")
_OF_MINE = Pattern(
    r"\bthe\s+(?!(?:walk|drive|ride|journey|bus|break|gap|changeover|swap)\b)[a-z]+\s+(?:needs?|wants?)\s+(?:(?:a|the)\s+(?:full|whole|good)?\s*|about\s+)?$"
)
_NEXT_CLAUSE = Pattern(r"[;:—]|,\s*(?:and|but|so|then|while|because)\b")
_FOR_WHOM = Pattern(r"\s*(?:is\s+)?for\s+\w+")


def _durations_told(text: str, items: Sequence[Said], public: Public, speaker: Seat) -> list[Fact]:
    """One fact of kind "duration" for each person whose need is told without a doubt."""
    text = text[:LONGEST]
    low = level(text)
    told: dict[Seat, list[DurationMention]] = {}
    for mention in find_durations(text):
        if any(item.at <= mention.start < item.until for item in items):
            continue
        seat = _needs_it(text, low, mention, items, public, speaker)
        if seat is not None:
            said = told.setdefault(seat, [])
            if said and is_corrected(low[said[-1].end : mention.start]):
                said.pop()
            said.append(mention)
    found = []
    for seat, said in told.items():
        known = [m for m in said if m.minutes in public.facts["durations"]] or said
        if len({m.minutes for m in known}) == 1:
            mention = known[-1]
            about: Literal["speaker", "listener"] = "speaker" if seat == speaker else "listener"
            found.append(Fact("duration", mention.minutes, about, mention.start, mention.end))
    return found


def _needs_it(
    text: str, low: str, mention: DurationMention, items: Sequence[Said], public: Public, speaker: Seat
) -> Seat | None:
    """Who needs a length of time, where its clause says that somebody does: not what a stretch before it leaves, nor
    what somebody says they said."""
    sentence = sentence_at(text, mention.start)
    begin = max(sentence.start, *(low.rfind(mark, sentence.start, mention.start) + 1 for mark in ":;—"))
    lead, tail = low[begin : mention.start], low[mention.end : sentence.end]
    near = lead.rpartition(",")[2]
    stretch = any(begin <= item.at < item.until <= mention.start for item in items)
    if not _NEEDING.search(f"{lead} {tail}"):
        return None
    if _PART.search(near) or _QUOTED.search(near) or (stretch and person_in(near, public, speaker) is None):
        return None
    if _NO_NEED_AFTER.match(tail):
        return None
    if not _NO_LESS.search(lead) and (_NO_NEED.search(lead) or _NOT.search(lead)):
        return None
    if tail.rstrip("\"')").endswith("?") and _ASKED.match(lead or tail):
        return None
    own = _FOR_WHOM.match(tail)
    seat = person_in(own.group(), public, speaker) if own else None
    tail = _NEXT_CLAUSE.split(tail, 1)[0]
    seat = seat or person_in(lead, public, speaker) or person_in(tail, public, speaker, first=True)
    return seat or (speaker if _OF_MINE.search(lead) else None)
