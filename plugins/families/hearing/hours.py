"""Hears the hours of a day in loose speech: stretches and points of time, what the words around them make of them, and
whom they are about. The cues are in the YAML file beside this one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from attrs import evolve, frozen

from adidem.core.domain import Fact, Public, Seat, other
from adidem.core.language.clauses import cached_sentences, level
from adidem.core.language.cues import load_cues
from adidem.core.language.patterns import Pattern
from adidem.core.language.times import find_durations, find_times, parse_time
from adidem.plugins.families._windows import MIDNIGHT, Minutes, clock, day_of, merged, minutes

LONGEST = 4000
HALF_DAY = MIDNIGHT // 2
Mood = Literal["free", "busy", "plan", "reject", "ask", "assign", ""]

CUE = load_cues("hours", Path(__file__).parent)
_MOODS = ("ask", "plan", "busy", "flip", "reject", "free", "assign")


def _led(name: str) -> Pattern:
    """The cue right after some text, a comma or "slot" allowed before it."""
    return Pattern(lambda: rf"\s*,?\s*(?:(?:slot|window)\s+)?{CUE[name]}(?!\w)")


def _ending(name: str) -> Pattern:
    """The cue right before a time."""
    return Pattern(lambda: rf"\b{CUE[name]}\s+(?:(?:about|around)\s+)?(?:at\s+)?$")


@frozen(slots=True)
class Said:
    """A stretch of the day (or, where `point`, its start alone) said in a text, in minutes; None: an open end.

    `lead` and `tail` are the levelled words before and after it that belong to it, `mood` what they make of it and
    `who` the person they name last. `alone`: its sentence holds hardly anything else.
    """

    start: int | None
    end: int | None
    at: int
    until: int
    lead: str = ""
    tail: str = ""
    mood: Mood = ""
    who: Seat | None = None
    both: bool = False
    point: bool = False
    alone: bool = False
    question: bool = False
    sentence: int = 0

    @property
    def length(self) -> int | None:
        """Minutes from start to end, where both are said."""
        return None if self.start is None or self.end is None else self.end - self.start


_BARE = r"(?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_BARE_PAIR = Pattern(
    rf"(?<![\w:.$€£/-])({_BARE})(?:\s*-\s*|\s+(?:to|until|till?)\s+)({_BARE})(?![\w:/$€£%-]|[.,][0-9])"
    r"(?!\s*(?:minutes?|mins?|hours?|hrs?|of|people|times|more|metres?|meters?|days?|weeks?|years?|km|miles?|dollars?)\b)"
)
_BARE_BEFORE = Pattern(rf"(?<![\w:.$€£/-])({_BARE})(?:\s*-\s*|\s+(?:to|until|till?)\s+)$")
_JOINT = Pattern(lambda: rf"\s*{CUE['joint']}\s*(?:(?:about|around|roughly)\s+)?(?:at\s+)?")
_AND = Pattern(r"\s*(?:and|&)\s*(?:about\s+|around\s+)?")
_BETWEEN = Pattern(r"\bbetween\s+(?:about\s+|around\s+)?$")
_FOR = Pattern(r"\s*(?:,\s*)?for\s+(?:about\s+|just\s+|a\s+)?$")
_FROM = Pattern(r"\bfrom\s+(?:about\s+|around\s+)?(?:at\s+)?$")
_AFTER_NOT, _AFTER, _AFTER_TAIL = _ending("after_not"), _ending("after_open"), _led("after_tail")
_BEFORE_NOT, _BEFORE, _BEFORE_TAIL = _ending("before_not"), _ending("before_open"), _led("before_tail")
_EVENT_NOT, _IN_BETWEEN = _ending("event_not"), Pattern(lambda: rf"\b{CUE['in_between']}\b")
_CUT = Pattern(lambda: CUE["cut"])
_LISTED = Pattern(r"(?:\s|,|;|\b(?:and|or|also|then|plus|again|from|between|at)\b)*")
_WORD = Pattern(r"[a-z]+")
_CORRECTED = Pattern(lambda: rf"\b{CUE['corrected']}")
_OR = Pattern(r"\bor\b")
_TURN = Pattern(lambda: CUE["turned"])
_NEW_MATTER = Pattern(r"\b(?:but|so)\b")
_TOGETHER = Pattern(lambda: rf"\b{CUE['together']}\b")
_MOOD = Pattern(lambda: "|".join(rf"(?P<{mood}>\b{CUE[mood]}(?!\w))" for mood in _MOODS))
_BUSY_TAIL, _REJECT_TAIL, _OPEN_TAIL = _led("busy_after"), _led("reject_after"), _led("open_after")
_PLAN_TAIL, _FREE_TAIL = _led("plan_after"), _led("free_after")
_FOR_ONE = Pattern(r"^\s*,?\s*(?:for|on)\s+(?:me|you|my\s+side|your\s+side|us|both\s+of\s+us)\b")
_TO_PERSON = Pattern(lambda: CUE["to_person"])
_TO_OBJECT = Pattern(lambda: rf"\b{CUE['object_of']}\s+$")
_ALL_DAY = Pattern(lambda: rf"\b{CUE['all_day']}\b(?=(?P<rest>.{{0,24}}))")
_PLACED = Pattern(lambda: rf"\b{CUE['placed']}")
_NARROWED = Pattern(lambda: rf"\s*,?\s*{CUE['narrowed']}")
_NOT_ALL_DAY = Pattern(r"\b(?:not|never|cannot|no|if|are\s+you)\b|n't")
_YOU = Pattern(r"\byou(?:'re)?\b")


def hear_times(text: str, public: Public, speaker: Seat, lengths: Collection[int]) -> list[Said]:
    """Every stretch and point of the day said in a text, in order, with what its words make of it; a slip that is
    corrected at once ("10:30, sorry, 11") is left out. `lengths` are those that a plan may have. Never raises."""
    day = tuple(public.facts["day"])
    text = text[:LONGEST]
    low = level(text)
    items = _joined(_points(text, low, (day[0], day[1])), low, text, day_of(public.facts)[1])
    if not items:
        return []
    said = _corrected(_in_context(_spanned(items, low), text, low), low, lengths)
    return _moods(_merged(said), public, speaker)


def _points(text: str, low: str, day: tuple[str, str]) -> list[Said]:
    found = {m.start: (minutes(m.time), m.end) for m in find_times(text, within=day)}
    bare = [match.span(group) for match in _BARE_PAIR.finditer(low) for group in (1, 2)]
    bare += [match.span(1) for start in found if (match := _BARE_BEFORE.search(low, 0, start))]
    for start, end in bare:
        if not any(s < end and start < e for s, (_, e) in found.items()):
            time = minutes(parse_time(low[start:end], within=day))
            if time is not None:
                found[start] = (time, end)
    return [Said(m, None, s, e, point=True) for s, (m, e) in sorted(found.items()) if m is not None]


def _joined(points: list[Said], low: str, text: str, latest: int) -> list[Said]:
    """Points joined into stretches: two times with a joint between them, a time "for" a length of time, a time with
    "after" or "until" before it."""
    found: list[Said] = []
    index = 0
    while index < len(points):
        first = points[index]
        second = points[index + 1] if index + 1 < len(points) else None
        index += 1
        if second is not None and _is_pair(low, first, second):
            index += 1
            start, end = first.start or 0, second.start or 0
            if end <= start < end + HALF_DAY <= latest:
                end += HALF_DAY  # "two to six" in a day that begins at six
            if start < end:
                found.append(Said(start, end, first.at, second.until))
            continue
        found.append(_opened(low, _lengthened(text, low, first)))
    return found


def _spanned(items: list[Said], low: str) -> list[Said]:
    """ "Out at ten, class isn't till one, everything in between is mine": from the one point to the other."""
    match = _IN_BETWEEN.search(low)
    before = [item for item in items if match is not None and item.until <= match.start()][-2:]
    if match is None or len(before) < 2:
        return items
    first, second = before
    ends = [next((end for end in (item.start, item.end) if end is not None), None) for item in before]
    if first.length is not None or second.length is not None or None in ends or ends[0] >= ends[1]:  # type: ignore[operator]
        return items
    whole = Said(ends[0], ends[1], first.at, match.end(), mood="free")
    return sorted([*(item for item in items if item not in before), whole], key=lambda item: item.at)


def _is_pair(low: str, first: Said, second: Said) -> bool:
    gap = low[first.until : second.at]
    if len(gap) > 50:
        return False
    if _JOINT.fullmatch(gap):
        return True
    return bool(_AND.fullmatch(gap) and _BETWEEN.search(low, max(0, first.at - 24), first.at))


def _lengthened(text: str, low: str, point: Said) -> Said:
    for duration in find_durations(text):
        if point.until <= duration.start <= point.until + 24 and _FOR.fullmatch(low[point.until : duration.start]):
            end = (point.start or 0) + duration.minutes
            if end <= MIDNIGHT:
                return evolve(point, end=end, until=duration.end, point=False)
    return point


def _opened(low: str, item: Said) -> Said:
    """The item as an open stretch, where "after", "until" and the like stand by its one time. What is ruled out before
    or after it ("not before 10") leaves the rest free."""
    if not item.point:
        return item
    floor = max(0, item.at - 48)
    for tail, upward in ((_AFTER_TAIL, True), (_BEFORE_TAIL, False)):
        found = tail.match(low, item.until)
        if found:
            return _half(item, upward, item.at, found.end())
    if _EVENT_NOT.search(low, floor, item.at):
        return item
    for ruled_out, upward in ((_AFTER_NOT, True), (_BEFORE_NOT, False)):
        if ruled_out.search(low, floor, item.at):
            return evolve(_half(item, upward, item.at, item.until), mood="free")
    if _FROM.search(low, floor, item.at):
        return _half(item, True, item.at, item.until)
    for lead, upward in ((_BEFORE, False), (_AFTER, True)):
        found = lead.search(low, floor, item.at)
        if found:
            return _half(item, upward, found.start(), item.until)
    return item


def _half(item: Said, upward: bool, at: int, until: int) -> Said:
    start, end = (item.start, None) if upward else (None, item.start)
    return evolve(item, start=start, end=end, at=at, until=until, point=False)


def _in_context(items: list[Said], text: str, low: str) -> list[Said]:
    """Each with its own words before and after it: those up to the next comma or conjunction are the tail of one, the
    rest the lead of the next; nothing reaches beyond its sentence."""
    sentences = cached_sentences(text)
    found: list[Said] = []
    for index, item in enumerate(items):
        number = next((n for n, s in enumerate(sentences) if s.start <= item.at < s.end), 0)
        sentence = sentences[number] if sentences else None
        begin, end = (sentence.start, sentence.end) if sentence else (0, len(low))
        before = items[index - 1].until if index else 0
        after = items[index + 1].at if index + 1 < len(items) else len(low)
        lead = low[max(begin, _cut(low, before, item.at)) : item.at] if before > begin else low[begin : item.at]
        tail = low[item.until : min(end, _cut(low, item.until, after) if after < end else end)]
        rest = low[begin : item.at] + low[item.until : end]
        alone = len(_WORD.findall(rest)) <= 3
        question = low[:end].rstrip("\"') ").endswith("?")
        found.append(evolve(item, lead=lead, tail=tail, sentence=number, alone=alone, question=question))
    for index in range(len(found) - 2, -1, -1):
        item, after_ = found[index], found[index + 1]
        if item.sentence == after_.sentence and not item.tail.strip() and _LISTED.fullmatch(after_.lead):
            found[index] = evolve(item, tail=after_.tail)
    return found


def _cut(low: str, start: int, end: int) -> int:
    match = _CUT.search(low, start, end)
    return match.start() if match else (start if end < len(low) else end)


def _corrected(items: list[Said], low: str, lengths: Collection[int]) -> list[Said]:
    """Without what is taken back at once; "10:30 to 11, sorry, 11:10" mends the end where that gives a known length."""
    found: list[Said] = []
    for item in items:
        last = found[-1] if found else None
        if last is not None and _CORRECTED.search(low[last.until : min(item.at, last.until + 60)]):
            gap = low[last.until : item.at]
            if len(gap) <= 60 and not _REJECT_TAIL.match(gap):
                found.pop()
                item = _mended(last, item, lengths)
        found.append(item)
    return found


def _mended(last: Said, item: Said, lengths: Collection[int]) -> Said:
    if item.point and last.length is not None and (item.start or 0) - (last.start or 0) in lengths:
        item = evolve(item, start=last.start, end=item.start, point=False, at=last.at)
    lead = f"{last.lead} " if last.lead.strip() else item.lead
    return evolve(item, lead=lead, mood=item.mood or last.mood, alone=item.alone or last.alone)


def _merged(items: list[Said]) -> list[Said]:
    """ "After 2 and before 4" and "not before 2, not after 4" are one stretch."""
    found: list[Said] = []
    for item in items:
        whole = _whole(found[-1], item) if found and found[-1].sentence == item.sentence else None
        if whole is None:
            found.append(item)
        else:
            found[-1] = whole
    return found


def _whole(first: Said, second: Said) -> Said | None:
    """One stretch of two whose open ends face away from each other, unless "or" stands between them."""
    if first.point or second.point or (first.start is None) == (first.end is None) or _OR.search(second.lead):
        return None
    if (first.start is None) == (second.start is None) or (second.start is None) == (second.end is None):
        return None
    low, high = (second.start, first.end) if first.start is None else (first.start, second.end)
    if low is None or high is None or low >= high:
        return None
    return evolve(first, start=low, end=high, until=second.until, tail=second.tail, mood=first.mood or second.mood)


def _moods(items: list[Said], public: Public, speaker: Seat) -> list[Said]:
    found: list[Said] = []
    people = _people(public.names)
    for item in items:
        last = found[-1] if found and found[-1].sentence == item.sentence else None
        mood, who = item.mood or _mood(item), _who(item, people, speaker)
        both = bool(_TOGETHER.search(item.lead) or _TOGETHER.search(item.tail))
        if last is not None and not _NEW_MATTER.search(item.lead):
            mood, who = mood or last.mood, who or last.who
            mood = "plan" if mood == "assign" and last.mood == "plan" else mood
        found.append(evolve(item, mood=mood, who=who, both=both))
    for index in range(len(found) - 2, -1, -1):  # "Ada from 9 to 10 and Tom from 10 to 11 is fine with me"
        item, after = found[index], found[index + 1]
        if not item.mood and after.mood == "plan" and item.sentence == after.sentence:
            found[index] = evolve(item, mood="plan")
    return found


def _mood(item: Said) -> Mood:
    tail = _FOR_ONE.sub("", item.tail)
    if _BUSY_TAIL.match(tail):
        return "busy"
    if _REJECT_TAIL.match(tail):
        return "reject"
    if _OPEN_TAIL.match(tail):
        return "free"
    last: Mood = ""
    for match in _MOOD.finditer(_turned(item.lead)):
        kind: Any = match.lastgroup
        if kind == "flip":
            kind = "free" if last in ("busy", "reject") else "busy"
        if not (kind == "assign" and last) and not (last == "ask" and kind in ("free", "plan")):
            last = kind
    if last in ("busy", "reject"):
        return last
    if _PLAN_TAIL.match(tail):
        return "plan"
    return "free" if last in ("", "assign") and _FREE_TAIL.match(item.tail) else last


def _turned(lead: str) -> str:
    """What follows the last "but" or "so": what stands before it was about something else."""
    begin = 0
    for match in _TURN.finditer(lead):
        begin = match.end()
    return lead[begin:]


@lru_cache(maxsize=256)
def _people(names: tuple[str, str]) -> re.Pattern[str]:
    first, second = (re.escape(level(name.split()[0])) for name in names)
    return re.compile(
        rf"\b(?:(?P<first>{first})|(?P<second>{second})"
        r"|(?P<me>i|i'm|i've|i'd|i'll|my|mine|me|myself|we|we're|we've|we'll|our|us)"
        r"|(?P<you>you|you're|you've|you'd|you'll|your|yours|yourself))\b"
    )


def _who(item: Said, people: re.Pattern[str], speaker: Seat) -> Seat | None:
    found: Seat | None = None
    for match in people.finditer(item.lead):
        if match.lastgroup != "you" or not _TO_OBJECT.search(item.lead, 0, match.start()):
            found = _seat_of(match, speaker)
    if found is None:
        tail = _TO_PERSON.match(item.tail)
        match_ = people.match(item.tail, tail.end()) if tail else None
        found = _seat_of(match_, speaker) if match_ else None
    return found


def person_in(low: str, public: Public, speaker: Seat, *, first: bool = False) -> Seat | None:
    """The person that levelled words name last (or first): "my", "you", a name; None: nobody."""
    found: Seat | None = None
    for match in _people(public.names).finditer(low):
        if match.lastgroup != "you" or not _TO_OBJECT.search(low, 0, match.start()):
            found = _seat_of(match, speaker)
            if first:
                break
    return found


def is_corrected(gap: str) -> bool:
    """Whether the levelled words between two statements take the first one back."""
    return len(gap) <= 60 and bool(_CORRECTED.search(gap))


def _seat_of(match: re.Match[str], speaker: Seat) -> Seat:
    kind = match.lastgroup
    if kind == "me":
        return speaker
    if kind == "you":
        return other(speaker)
    return "first" if kind == "first" else "second"


# --------------------------------------------------------------------------------------------------------------- facts


def tells_windows(item: Said, public: Public) -> bool:
    """Whether a stretch that is no plan tells when somebody is free or busy; "I'm on the water from ten" tells neither
    for certain."""
    if item.point or item.both or item.mood in ("ask", "plan", "assign"):
        return False
    if item.start is None or item.end is None:
        return bool(item.mood) or item.alone
    if item.who is None and (item.start, item.end) == day_of(public.facts):
        return False
    if not item.mood and _PLACED.search(item.lead):
        return False
    return bool(item.mood) or item.who is not None or item.alone


def window_facts(items: Iterable[Said], speaker: Seat, day: Minutes) -> list[Fact]:
    """One fact of kind "windows" for each person told about: all their free stretches together, less the busy ones.
    An end that was not said ("after 3", "I'm busy from 2 to 3") is None."""
    told: dict[Seat, list[Said]] = {}
    for item in items:
        told.setdefault(item.who or speaker, []).append(item)
    found = []
    for seat, said in told.items():
        windows = _windows_said(said, day)
        if windows:
            value = [[clock(s) if s else None, clock(e) if e < MIDNIGHT else None] for s, e in windows]
            about: Literal["speaker", "listener"] = "speaker" if seat == speaker else "listener"
            found.append(Fact("windows", value, about, min(i.at for i in said), max(i.until for i in said)))
    return found


def _windows_said(items: Iterable[Said], day: Minutes) -> list[Minutes]:
    free: list[Minutes] = []
    busy: list[Minutes] = []
    for item in items:
        span = (item.start or 0, MIDNIGHT if item.end is None else item.end)
        (busy if item.mood in ("busy", "reject") else free).append(span)
    found = merged(free) if free else [(0, MIDNIGHT)]
    for low, high in busy:
        found = [piece for s, e in found for piece in ((s, min(e, low)), (max(s, high), e)) if piece[0] < piece[1]]
    return [(s, e) for s, e in found if s < day[1] and e > day[0]] if busy else found


def all_day(text: str, public: Public) -> list[Fact]:
    """ "I'm free all day", where nothing follows that narrows it."""
    low = level(text[:LONGEST])
    for match in _ALL_DAY.finditer(low):
        lead = low[max(0, match.start() - 24) : match.start()]
        if _NOT_ALL_DAY.search(lead) or _NARROWED.match(match["rest"]):
            continue
        about: Literal["speaker", "listener"] = "listener" if _YOU.search(lead) else "speaker"
        return [Fact("windows", [list(public.facts["day"])], about, match.start(), match.end())]
    return []
