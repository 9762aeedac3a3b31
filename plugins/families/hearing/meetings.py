"""Hears when two people could meet: stretches and starts that are put forward, and when somebody is free or busy."""

from __future__ import annotations

from attrs import evolve

from adidem.core.domain import Fact, Plan, Public, Seat
from adidem.core.language.patterns import Pattern
from adidem.plugins.families._windows import MIDNIGHT, day_of
from adidem.plugins.families.hearing.hours import Said, all_day, hear_times, tells_windows, window_facts


def meetings_said(text: str, public: Public, speaker: Seat) -> tuple[tuple[Fact, ...], tuple[Plan, ...]]:
    """What a text says of windows, and the meetings it puts forward or turns down: start and end in minutes."""
    length = public.facts["duration"]
    plans: list[Plan] = []
    told: list[Said] = []
    for item in hear_times(text, public, speaker, (length,)):
        plan = _plan(item, length)
        if plan is not None:
            plans.append(plan)
        elif tells_windows(_worked(item), public):
            told.append(_worked(item))
    facts = window_facts(told, speaker, day_of(public.facts)) or all_day(text, public)
    return tuple(facts), tuple(plans)


_WORKS = Pattern(r"\b(?:works?|suits?|fits?|fine|good|great|perfect|ok|okay)\b")
_VAGUE = Pattern(r"\b(?:between|some\s?time|somewhere|any\s?time|anything|anywhere|within|during)\b")
_CAN_DO = Pattern(
    r"\b(?:can|could|might)\s+(?:also\s+)?"
    r"(?:do|make|manage|offer|start|come|meet|join|(?:be|get)\s+there)(?:\s+(?:it|you|over|by))*\s*(?:\b(?:at|from))?\s*$"
)


def _plan(item: Said, length: int) -> Plan | None:
    """The plan that a stretch or point proposes or turns down, if it does."""
    if item.point:
        if not _is_meant(item):
            return None
    elif item.length is None or not _is_proposed(item, length):
        return None
    start = item.start or 0
    end = start + length if item.point else item.end or 0
    if end > MIDNIGHT:
        return None
    return Plan((start, end), item.at, item.until, item.mood == "reject")


def _is_meant(item: Said) -> bool:
    """Whether a point of the day is put forward as a start, or turned down."""
    if item.mood == "free":
        return bool(_CAN_DO.search(item.lead))
    return item.mood in ("plan", "reject") or (item.mood == "ask" and item.question) or (item.alone and not item.mood)


def _is_proposed(item: Said, length: int) -> bool:
    exact = item.length == length
    if item.mood == "plan":
        return exact or (not item.tail.strip(" ?.!,") and not _VAGUE.search(item.lead))
    if item.both:
        return exact
    if item.mood in ("reject", "ask"):
        return exact
    if item.mood == "free":
        return exact and bool(_CAN_DO.search(item.lead))
    return exact and item.mood in ("", "assign") and (item.who is None or item.alone)


def _worked(item: Said) -> Said:
    """ "9 to 11 works for me" tells a window where it is too long to be the plan; "I have 9 to 11" tells one too."""
    if item.mood == "plan" and _WORKS.search(item.tail) and not item.question:
        return evolve(item, mood="free")
    return evolve(item, mood="free") if item.mood == "assign" and item.length is not None else item
