"""Inform and Success as the field computes them, and how much of a goal was spoken of. Deterministic, no model.

Inform (Budzianowski et al. 2018; with the subset test of Nekvinda and Dušek 2021, "Shades of BLEU, Flavours of
Success"): for each domain of the goal, the venues last offered — where the system names a venue or a train, those that
the databases give for its state — are some, and all of them match the goal. Success: Inform, and every counted slot
that the goal asks for was given. A goal that names its venue, and taxi, police and hospital, match by themselves, as
does a train that was neither offered nor asked for by its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from attrs import frozen

from adidem.core.language.patterns import Pattern
from adidem.plugins.families.woz import words
from adidem.plugins.families.woz.database import FUZZY, RATIO, Databases
from adidem.plugins.families.woz.dialogues import Need, Said

Goal = Mapping[str, Need]
MATCHED = frozenset({"matched"})
"""What stands for the venues of a domain that matches by itself."""

SHORT = 6
"""A name of no more characters, the blanks around it counted, may be a common word ("ask")."""

_PHONE = Pattern(r"[0-9]{10,11}")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@frozen(unsafe_hash=False)
class Verdict:
    """Which domains of a goal are informed and, where all are, which succeed."""

    inform: Mapping[str, bool]
    success: Mapping[str, bool]

    @property
    def informed(self) -> bool:
        """Inform of the dialogue."""
        return all(self.inform.values())

    @property
    def succeeded(self) -> bool:
        """Success of the dialogue."""
        return self.informed and all(self.success.values())


def counted(domain: str, need: Need) -> frozenset[str]:
    """The slots that Success asks for in a domain: those that are written alike wherever they are written. Of a train
    only its number and, as of every booking, the reference."""
    asked = set(need.reqt) & ({"trainID"} if domain == "train" else set(words.texts()["counted"]))
    if need.book and domain in words.texts()["book"] and domain != "taxi":
        asked.add("reference")
    return frozenset(asked)


def verdict(goal: Goal, turns: Sequence[Said], databases: Databases) -> Verdict:
    """Inform and Success of a dialogue."""
    offered: dict[str, frozenset[str]] = {domain: frozenset() for domain in goal}
    given: dict[str, set[str]] = {domain: set() for domain in goal}
    issued = {domain: frozenset().union(*(t.references.get(domain, ()) for t in turns)) for domain in goal}
    for turn in turns:
        if not turn.system:
            continue
        for domain in goal:
            if domain in words.VENUES and names_one(domain, turn.text, databases):
                offered[domain] = _offered(offered[domain], domain, turn, databases)
            given[domain] |= _given(domain, turn.text, issued[domain], databases)
    inform = {domain: _informed(domain, need, offered[domain], databases) for domain, need in goal.items()}
    success = {domain: counted(domain, need) <= given[domain] for domain, need in goal.items()}
    return Verdict(inform, success)


def names_one(domain: str, text: str, databases: Databases) -> bool:
    """Whether a text names a venue of the domain, a train by its number. A name of few letters, which may be a common
    word, has to be written as a name is."""
    if domain == "train":
        return not databases.said.get((domain, "trainID"), frozenset()).isdisjoint(
            words.joined(word) for word in text.split()
        )
    low = words.title(text)
    found = (name for name in databases.names.get(domain, ()) if name in low)
    return any(len(name) > SHORT or name.strip().capitalize() in text or name.strip().upper() in text for name in found)


def _offered(before: frozenset[str], domain: str, turn: Said, databases: Databases) -> frozenset[str]:
    """What is on offer after a turn that names one: what the databases give for the state, unless all that was on
    offer before is among it."""
    now = databases.ids(domain, turn.state[domain]) if domain in turn.state else frozenset()
    return before if before and before <= now else now


def _informed(domain: str, need: Need, offered: frozenset[str], databases: Databases) -> bool:
    if "name" in need.info or domain not in words.VENUES:
        return True
    if domain == "train" and not offered and "trainID" not in need.reqt:
        return True
    return bool(offered) and offered <= databases.ids(domain, need.info)


def _given(domain: str, text: str, references: frozenset[str], databases: Databases) -> set[str]:
    """The counted slots that a text gives: a value of the domain's databases, or a booking's reference."""
    if domain == "train":
        found = {"trainID"} if names_one(domain, text, databases) else set()
    else:
        found = {slot for slot in words.texts()["counted"] if _gives(domain, slot, words.joined(text), databases)}
    joined = words.joined(text)
    if domain == "taxi" and any(number not in _phones(databases) for number in _PHONE.findall(joined)):
        found.add("phone")
    if any(reference in joined for reference in references):
        found.add("reference")
    return found


@lru_cache(maxsize=8)
def _phones(databases: Databases) -> frozenset[str]:
    """The telephone numbers of all venues: none of them is a taxi's."""
    return frozenset().union(*(said for (_, slot), said in databases.said.items() if slot == "phone"))


def _gives(domain: str, slot: str, joined: str, databases: Databases) -> bool:
    return any(said in joined for said in databases.said.get((domain, slot), ()))


# ------------------------------------------------------------------------------------------------------- communication


def communication(goal: Goal, turns: Sequence[Said], databases: Databases) -> float:
    """The share, in [0, 1], of what the goal holds that was spoken of: each constraint and each part of a booking,
    where the user says its value; each slot to be told, where the system gives one (a value of the databases, or a word
    that shows it for slots such as `internet`). This is a measure of ours: the paper's is not published."""
    user = " ".join(turn.text for turn in turns if not turn.system)
    system = " ".join(turn.text for turn in turns if turn.system)
    references = {domain: frozenset().union(*(t.references.get(domain, ()) for t in turns)) for domain in goal}
    found: list[bool] = []
    for domain, need in goal.items():
        found += [said(slot, wanted, user) for slot, wanted in (*need.info.items(), *need.book.items())]
        asked = dict.fromkeys((*need.reqt, *sorted(counted(domain, need))))
        found += [_told(domain, slot, system, references[domain], databases) for slot in asked]
    return sum(found) / len(found) if found else 1.0


def said(slot: str, wanted: str, text: str) -> bool:
    """Whether a slot's value is said in a text: the value itself, another way of writing it, a clock time in any form,
    a number in digits or as a word; a name, a kind of food or a place also nearly, as the databases find it; where the
    value is yes or no, the slot."""
    if slot in words.HAS:
        return _spoken(slot, text)
    if slot in words.TIMES:
        return wanted in _times(text)
    low = words.plain(text)
    if any(words.plain(form) in low for form in _forms(wanted)):
        return True
    return slot in FUZZY and _nearly(words.plain(_named(wanted)).strip(), low)


def _nearly(form: str, text: str) -> bool:
    """Whether a text holds nearly these words, a misspelt place say."""
    from rapidfuzz import fuzz

    return SHORT < len(form) <= len(text) and fuzz.partial_ratio(form, text) >= RATIO


def _named(wanted: str) -> str:
    """A name without the kind of venue that it ends in; any other value as it is."""
    before, _, kind = wanted.rpartition(" ")
    return before if before and kind in words.texts()["kinds"] else wanted


def _forms(wanted: str) -> Iterable[str]:
    yield wanted
    if wanted.startswith("the "):
        yield wanted.removeprefix("the ")
    if len(_named(wanted)) > SHORT:
        yield _named(wanted)
    if wanted.isdecimal() and int(wanted) < len(_NUMBERS):
        yield _NUMBERS[int(wanted)]
    yield from (form for form, value in words.texts()["same"].items() if value == wanted)


def _times(text: str) -> frozenset[str]:
    """The clock times in a text, as HH:MM, by the clock of 12 hours too where a text does not say which half."""
    from adidem.core.language import find_times

    found = {mention.time for mention in find_times(text)}
    return frozenset(found | {words.value("time", word.strip(".,;?!")) or "" for word in text.split()})


def _told(domain: str, slot: str, text: str, references: frozenset[str], databases: Databases) -> bool:
    if slot in words.texts()["counted"]:
        return slot in _given(domain, text, references, databases)
    if slot in words.TIMES:
        return bool(_times(text) & frozenset(_clock_values(domain, slot, databases)))
    low = words.plain(text)
    values = {venue[slot] for venue in databases.venues.get(domain, ()) if venue.get(slot, "?") != "?"}
    if any(len(value) > 1 and words.plain(value) in low for value in values if value not in ("yes", "no", "free")):
        return True
    return _spoken(slot, text, databases)


def _clock_values(domain: str, slot: str, databases: Databases) -> Iterable[str]:
    return (venue[slot] for venue in databases.venues.get(domain, ()) if slot in venue)


def _spoken(slot: str, text: str, databases: Databases | None = None) -> bool:
    if slot == "car type":
        types = databases.taxis.get("taxi_types", ()) if databases is not None else ()
        return any(words.plain(kind) in words.plain(text) for kind in types)
    pattern = _word(slot)
    return pattern is not None and pattern.search(words.plain(text)) is not None


@cache
def _word(slot: str) -> Pattern | None:
    cue = words.texts()["spoken"].get(slot)
    return None if cue is None else Pattern(rf"(?<![a-z])(?:{cue})(?![a-z])")
