"""Loose speech of a caller, for the scripted desk: which domain, which slots, what is to be booked, what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from attrs import frozen

from adidem.core.language import find_numbers, find_times
from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.plugins.families.woz import words
from adidem.plugins.families.woz.database import Databases

_LATE = Pattern(r"\b(?:after|leav\w*|depart\w*|from)\W+(?:\w+\W+){0,2}$")
_EARLY = Pattern(r"\b(?:by|before|until|arriv\w*|there)\W+(?:\w+\W+){0,2}$")
_STARS = Pattern(r"\b([0-5]|one|two|three|four|five)[ -]stars?\b")
_PEOPLE = frozenset("people persons person guests guest adults travellers travelers tickets ticket seats".split())
_NIGHTS = frozenset("night nights day days".split())
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8"}
_OF_US = Pattern(r"\b(?:for|of)\s+([1-9]|one|two|three|four|five|six|seven|eight)\b(?!\s+(?:night|day))")


@frozen(unsafe_hash=False)
class Wish:
    """What an utterance says: the domain it speaks of ("": none), slots, whether to book, and the slots asked for."""

    domain: str = ""
    slots: Mapping[str, str] = {}
    books: bool = False
    asks: Sequence[str] = ()


def heard(text: str, databases: Databases, before: str = "") -> Wish:
    """The wish in an utterance; `before` is the domain that was spoken of last. Never raises."""
    low = level(text)
    domain = next((name for name, cue in _cues("domains") if cue.search(low)), before)
    if not domain:
        return Wish()
    books = _cue("booking").search(low) is not None
    asks = tuple(slot for slot, cue in _cues("asked") if cue.search(low)) if _cue("asking").search(low) else ()
    return Wish(domain, {**_found(text, low, domain, databases), **_booked(text, low)}, books, asks)


def _found(text: str, low: str, domain: str, databases: Databases) -> dict[str, str]:
    """The slots that a venue is looked for by."""
    found: dict[str, str] = {}
    titled = words.title(text)
    for slot in words.texts()["find"].get(domain, ()):
        if slot in words.TIMES or slot == "day":
            continue
        known = {venue[slot] for venue in databases.venues.get(domain, ()) if venue.get(slot, "?") != "?"}
        if slot in words.HAS:
            if Pattern(rf"\b(?:{words.texts()['spoken'][slot]})\b").search(low):
                found[slot] = "yes"
        elif slot == "stars":
            stars = _STARS.search(low)
            if stars is not None:
                found[slot] = _NUMBERS.get(stars[1], stars[1])
        elif slot in ("departure", "destination"):
            place = next((k for k in sorted(known) if _goes(slot, k, titled)), None)
            found |= {slot: place} if place else {}
        else:
            said = [k for k in known if _says(k, titled, name=slot == "name")]
            found |= {slot: max(said, key=len)} if said else {}
    return found


def _goes(slot: str, place: str, titled: str) -> bool:
    """Whether a journey starts ("from Elmsford") or ends ("to Elmsford") at a place."""
    leads = ("from", "leaving", "departing") if slot == "departure" else ("to", "into", "for")
    return any(f" {lead}{words.title(place)}" in titled for lead in leads)


def _says(value: str, titled: str, *, name: bool) -> bool:
    forms = [value] if name else [value, *(f for f, v in words.texts()["same"].items() if v == value)]
    return any(words.title(form) in titled for form in forms)


def _booked(text: str, low: str) -> dict[str, str]:
    """Day, times, people and nights."""
    found: dict[str, str] = {day: day for day in words.texts()["days"] if day in low}
    said = {"day": next(iter(found))} if found else {}
    for time in find_times(text):
        lead = low[max(0, time.start - 30) : time.start]
        said |= {"leaveAt" if _LATE.search(lead) else "arriveBy" if _EARLY.search(lead) else "time": time.time}
    for number in find_numbers(text):
        if number.unit in _PEOPLE:
            said["people"] = str(number.value)
        elif number.unit in _NIGHTS:
            said["stay"] = str(number.value)
    group = _OF_US.search(low)
    if group is not None and "people" not in said:
        said["people"] = _NUMBERS.get(group[1], group[1])
    return said


@cache
def _cues(name: str) -> tuple[tuple[str, Pattern], ...]:
    return tuple((key, Pattern(rf"\b(?:{cue})")) for key, cue in words.texts()[name].items())


@cache
def _cue(name: str) -> Pattern:
    return Pattern(rf"(?:{words.texts()[name]})")
