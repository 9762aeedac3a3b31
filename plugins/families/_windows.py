"""What the two scheduling families share: windows of the day as numbers, how a person says them, how they are heard.

Times are minutes after midnight inside this module, "HH:MM" outside it; ends are exclusive.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Literal

from attrs import evolve, frozen

from adidem.core.domain import Fact, Public, Seat, other
from adidem.core.language.clauses import cached_sentences, level
from adidem.core.language.times import find_durations, find_times, parse_time

MIDNIGHT = 24 * 60
LONGEST = 4000
Minutes = tuple[int, int]
Mood = Literal["free", "busy", "plan", "reject", "ask", "assign", ""]

_CLOCK = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])")


# ------------------------------------------------------------------------------------------------------------ numbers


def minutes(time: object) -> int | None:
    """Minutes after midnight of "HH:MM", or None for anything else; never raises."""
    return _parsed(time) if isinstance(time, str) else None


@lru_cache(maxsize=2048)
def _parsed(time: str) -> int | None:
    match = _CLOCK.fullmatch(time)
    found = 60 * int(match[1]) + int(match[2]) if match else MIDNIGHT + 1
    return found if found <= MIDNIGHT else None


def clock(minute: int) -> str:
    """ "HH:MM" of minutes after midnight, 0 to 1440."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def day_of(facts: Mapping[str, Any]) -> Minutes:
    """The public bounds of the day, in minutes."""
    start, end = facts["day"]
    low, high = minutes(start), minutes(end)
    return low or 0, MIDNIGHT if high is None else high


def spans_of(value: Any) -> list[Minutes] | None:
    """The windows of a condition in minutes; an end that is not known (None) is the end of any day; None where the
    whole condition is unknown."""
    if value is None:
        return None
    found = []
    for start, end in value:
        low, high = minutes(start), minutes(end)
        found.append((0 if low is None else low, MIDNIGHT if high is None else high))
    return found


def inside(windows: Iterable[Minutes] | None, start: int, end: int) -> bool:
    """Whether start to end lies inside one of the windows; an unknown condition constrains nothing."""
    return windows is None or any(low <= start and end <= high for low, high in windows)


def starts(windows: Iterable[Minutes], length: int, grid: int, day: Minutes) -> list[int]:
    """Every start on the grid of a stretch of that length inside the day and one of the windows, sorted."""
    found: set[int] = set()
    for low, high in windows:
        first = -(-max(low, day[0]) // grid) * grid
        found.update(range(first, min(high, day[1]) - length + 1, grid))
    return sorted(found)


def draw_windows(rng: Random, count: int, lengths: Sequence[int], grid: int, day: Minutes) -> list[Minutes] | None:
    """`count` windows with ends on the grid and at least one step between them, sorted; None: they found no room."""
    found: list[Minutes] = []
    for _ in range(count):
        length = rng.choice(lengths)
        room = (day[1] - day[0] - length) // grid
        if room < 0:
            return None
        for _ in range(6):
            start = day[0] + grid * rng.randint(0, room)
            if clear(found, start, start + length, grid):
                found.append((start, start + length))
                break
        else:
            return None
    return sorted(found)


def clear(windows: Iterable[Minutes], start: int, end: int, gap: int) -> bool:
    """Whether start to end keeps at least `gap` from every window."""
    return all(end + gap <= low or high + gap <= start for low, high in windows)


def value_of(windows: Iterable[Minutes]) -> list[list[str]]:
    """Windows as a condition's JSON value."""
    return [[clock(low), clock(high)] for low, high in windows]


# -------------------------------------------------------------------------------------------------------------- saying


def say_time(time: str, facts: Mapping[str, Any]) -> str:
    """A time as the people of the setting say it: "14:30" where they use the 24-hour clock, else "2:30", with am or
    pm only where the day would leave a doubt."""
    minute = minutes(time)
    if minute is None:
        return str(time)
    if facts.get("clock") == "24h":
        return time
    hour, rest = divmod(minute, 60)
    short = f"{(hour - 1) % 12 + 1}:{rest:02d}"
    low, high = day_of(facts)
    twin = (minute + MIDNIGHT // 2) % MIDNIGHT
    if low <= minute <= high and not low <= twin <= high:
        return short
    if hour in (0, 24):
        return time
    return f"{short} {'am' if hour < 12 else 'pm'}"


def say_span(start: str, end: str, facts: Mapping[str, Any]) -> str:
    """ "10:30 to 11:10"."""
    return f"{say_time(start, facts)} to {say_time(end, facts)}"


def window_words(value: Iterable[Sequence[str]], facts: Mapping[str, Any]) -> dict[str, str]:
    """The ways of listing windows that a setting's sentence may use: `{windows}` ("9:00 to 10:30 and 1:00 to 2:15"),
    `{windows_or}`, `{from_windows}` ("from 9:00 to 10:30 and from …"), `{from_windows_or}`, `{between_windows}`
    ("between 9:00 and 10:30 and between …"), `{between_windows_or}`."""
    ends = [(say_time(start, facts), say_time(end, facts)) for start, end in value]
    plain = [f"{start} to {end}" for start, end in ends]
    led = [f"from {text}" for text in plain]
    between = [f"between {start} and {end}" for start, end in ends]
    return {
        "windows": _listed(plain, "and"),
        "windows_or": _listed(plain, "or"),
        "from_windows": _listed(led, "and"),
        "from_windows_or": _listed(led, "or"),
        "between_windows": _listed(between, "and"),
        "between_windows_or": _listed(between, "or"),
    }


def _listed(parts: Sequence[str], word: str) -> str:
    if len(parts) < 3:
        return f" {word} ".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


# ------------------------------------------------------------------------------------------------------------- hearing


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


_BARE = r"(?:1[0-2]|[1-9])"
_BARE_PAIR = re.compile(
    rf"(?<![\w:.$€£/-])({_BARE})(?:\s*-\s*|\s+(?:to|until|till?)\s+)({_BARE})(?![\w:/$€£%-]|[.,][0-9])"
    r"(?!\s*(?:minutes?|mins?|hours?|hrs?|of|people|times|more|metres?|meters?|days?|weeks?|years?|km|miles?|dollars?)\b)"
)
_JOIN = re.compile(
    r"\s*(?:-|—|,?\s*(?:right\s+)?(?:up\s+)?(?:un)?to\b|,?\s*(?:up\s+)?(?:until|till?|'til|through)\b"
    r"|,?\s*(?:and\s+|then\s+|,\s*)*(?:(?:i|we|you)(?:'d|'ll|\s+will|\s+would)?\s+)?(?:be\s+)?"
    r"(?:end(?:ing|s)?|finish(?:ing|es|ed)?|done|over|out|away|gone|clos(?:e|es|ing))(?:\s+(?:at|by|before))?"
    r"(?!\s*[.!?]))\s*(?:about\s+|around\s+|roughly\s+)?(?:at\s+)?"
)
_AND = re.compile(r"\s*(?:and|&)\s*(?:about\s+|around\s+)?")
_BETWEEN = re.compile(r"\b(?:between|betw\.?)\s+(?:about\s+|around\s+)?$")
_CORRECTED = re.compile(
    r"\b(?:sorry|i\s+mean[t]?|correction|make\s+that|or\s+rather|rather|scratch\s+that|strike\s+that|oops|no\s*,|wait\b"
    r"|no\s*[-—]|let\s+me\s+correct|i\s+misspoke)"
)
_NEGATED = r"(?:not|n't|cannot|never|nothing|no|without)"
_AFTER = re.compile(
    rf"(?:(?P<not>\b{_NEGATED}\b|n't\b)[^.;!?]{{0,30}}?\b(?:before|until|till?|earlier\s+than|sooner\s+than)"
    r"|(?P<soft>\bfrom)|\b(?:after|past|since|starting\s+from|as\s+of|earliest(?:\s+is)?))\s+(?:about\s+|around\s+)?(?:at\s+)?$"
)
_BEFORE = re.compile(
    rf"(?:(?P<not>\b{_NEGATED}\b|n't\b)[^.;!?]{{0,30}}?\b(?:after|past|later\s+than|beyond)"
    r"|\b(?:before|until|till?|'til|by|up\s+to|latest(?:\s+is)?))\s+(?:about\s+|around\s+)?$"
)
_AFTER_TAIL = re.compile(
    r"\s*,?\s*(?:on\b(?!\s+(?:the|a|my|your|mon|tue|wed|thu|fri|sat|sun))|onwards?\b|(?:or|and)\s+(?:later\b|after\b(?!\s+[\w(]))"
    r"|at\s+the\s+(?:very\s+)?earliest\b|is\s+(?:my|the)\s+earliest\b)"
)
_BEFORE_TAIL = re.compile(
    r"\s*,?\s*(?:(?:or|and)\s+(?:earlier\b|before\b(?!\s+[\w(]))|at\s+the\s+(?:very\s+)?latest\b|is\s+(?:my|the)\s+latest\b)"
)
_FOR = re.compile(r"\s*(?:,\s*)?(?:for\s+)(?:about\s+|just\s+|a\s+)?$")
_CUT = re.compile(r"[,;:\n]|[.!?](?:\s|$)|\s(?:and|but|then|while|or|whereas|with|so|because|since|as)\s|\s-\s|—")

_ROOM = r"(?:\s+[a-z'-]+){0,3}?\s+"
_CUES = re.compile(
    r"(?P<ask>\b(?:are|were|would|will)\s+you\s+(?:\w+\s+){0,2}?(?:free|available|around|open|there|able)\b"
    r"|\bdo\s+you\s+have\b|\bwhen\s+(?:are|can|could)\s+you\b|\b(?:can|could|would|will)\s+you\s+(?:do|make|manage|come|be\s+able\s+to)\b)"
    r"|(?P<plan>\b(?:how|what)\s+about\b|\blet's\b|\bshall\s+we\b|\bwhy\s+(?:don't|not)\b|\b(?:could|can|should|might|may)\s+we\b"
    r"|\bwe\s+(?:could|can|might|should)\s+(?:do|meet|say|start|try|take|go|use|aim|settle|have)\b|\bwe'(?:ll|d)\b"
    r"|\bi(?:'d)?\s+(?:would\s+)?(?:propose|suggest|like|prefer|pick|choose|vote|go\s+(?:for|with))\b|\bsuggestion\b|\bproposal\b"
    r"|\b(?:then|so|ok|okay|great|good|perfect|right|deal|fine|settled|agreed|confirmed),?\s+(?:it's|it\s+is|that's|we\s+have)\b"
    r"|\bit's\s+settled\b|\bsettle\s+on\b|\bagree(?:d)?(?:\s+(?:on|to|with))?\b|\bgo\s+(?:with|for)\b|\bpencil\b|\block\s+in\b"
    r"|\bput(?:ting)?\s+(?:us|me|you|it|that|down)\b|\bmake\s+it\b|\bconfirm(?:ed|ing)?\b|\bstick\s+(?:with|to)\b|\bbook(?:ing)?\s+(?:us|it)?\b"
    r"|\b(?:does|would|will|could|might)\s+(?=[^a-z]*$)|\bsee\s+you\b|\bi'll\s+(?:see|meet)\b|\bmeet(?:ing)?\s+(?:up\s+)?(?:at|from)\b"
    r"|\b(?:ok|okay|yes|deal|great|perfect|fine|agreed|settled)\b[\s,.!:-]*$)"
    r"|(?P<busy>\b(?:not|n't|never|hardly|neither)\s+(?:\w+\s+){0,2}?(?:free|available|open|around|there)\b|n't\s+(?:be\s+)?(?:free|available|there|around)\b"
    r"|\b(?:busy|unavailable|tied\s+up|booked|occupied|taken|blocked|stuck)\b|(?:'m|'re|\bam|\bare|\bis)\s+(?:\w+\s+)?(?:away|out)\b(?!\s+of)"
    r"|\b(?:teaching|working|on\s+shift|on\s+duty|asleep|in\s+surgery|seeing\s+patients)\b"
    r"|(?:'s|\bis|\bare|'re)\s+(?:closed|shut)\b|\bin\s+(?:a|an|my|the)\s+(?:\w+\s+)?(?:meeting|class|call|lesson|session|exam|rehearsal)\b"
    r"|(?<!can )(?<!could )(?<!to )\b(?:have|got|'ve)\s+(?:got\s+)?(?:a|an|my|another)"
    rf"\s+(?!(?:free|gap|window|slot|opening|space|clear|open|quiet|spare)\b)[a-z]+{_ROOM}(?:from|between|at|until)\b"
    r"|\bbut\s+not\b|\bnot\s+(?:from|between)\s*$"
    r"|\b(?:i|we|you)\s+(?:work|teach)\b|(?:'m|\bam|'re)\s+at\s+(?:the|a)\b(?!\s+(?:desk|house)))"
    r"|(?P<flip>\b(?:except|other\s+than|apart\s+from|outside(?:\s+of)?|save\s+for|anything\s+but|any\s?time\s+but)\b)"
    r"|(?P<reject>\b(?:can't|cannot|can\s+not|couldn't|won't|wouldn't|unable\s+to|not\s+able\s+to|not\s+possible|don't\s+think)\b"
    r"|\b(?:no\s+to|instead\s+of|rather\s+than|not)\s*$)"
    r"|(?P<free>\b(?:free|available|availability|open|clear|spare|around|only|window|windows|gap|gaps|hours|able|leaves?|gives?|lets?)\b"
    r"|\bany\s?time\b|\b(?:i|we|you|my|your|she|he|they)\b[^.;!?]{0,24}\b(?:can|could|may|am\s+allowed)\b(?!'t)"
    r"|\b(?:have|has|need|must|got)\s+(?:to\s+)?(?:be\s+)?(?:gone|out|away|off|leave|go|finish|stop|done|back|home)\b)"
    r"|(?P<assign>\b(?:take|takes|have|has|get|gets|go|goes|use|uses|using|taking|first|second|yours|mine|slot|book|books)\b)"
)
_REJECT_TAIL = re.compile(
    r"\s*,?\s*(?:slot\s+|window\s+)?(?:(?:(?:is|'s|was|would\s+be|are|feels|sounds)\s+(?:\w+\s+)?(?:too\s+(?:early|late|short|long|tight|soon)|no\s+(?:good|use)|out\b(?!\s+of\s+the\s+way)|impossible"
    r"|not\s+(?:possible|good|great|going|an\s+option)|difficult|tricky|hard))"
    r"|(?:just\s+|really\s+)?(?:doesn't|does\s+not|don't|do\s+not|won't|will\s+not|can't|cannot|isn't|wouldn't|would\s+not)\s+(?:quite\s+|really\s+)?(?:work|suit|do|go|fit|be\s+possible|possible|help|good)\b"
    r"|not\s+for\s+me\b)"
)
_BUSY_TAIL = re.compile(
    r"\s*,?\s*(?:slot\s+|window\s+)?(?:(?:is|'s|are)\s+(?:already\s+|all\s+|fully\s+)?(?:taken|booked|busy|blocked|gone|full)\b"
    r"|(?:when\s+)?(?:i'm|i\s+am|we're|you're|you\s+are)\s+(?:\w+\s+)?(?:busy|tied\s+up|booked|stuck|teaching|working|(?:in|at)\s+(?:a|an|my|the)\b|not\s+(?:free|available)|away|out)\b"
    r"|(?:i|we)(?:'ve|\s+have)\s+(?:got\s+)?(?:a|an|my|another)\s+(?!(?:free|gap|window)\b)\w+)"
)
_FREE_TAIL = re.compile(
    r"\s*,?\s*(?:(?:free|open|clear|available)\b|(?:is|'s|are)\s+(?:when\s+)?(?:\w+\s+)?(?:free|open|clear|mine|available)\b|(?:when\s+)?(?:i'm|i\s+am|we're|you're|you\s+are)\s+(?:\w+\s+)?(?:free|available|open)\b"
    r"|(?:is|are|was|'s)\s+(?:all|the\s+only|my\s+only|when|what|as\s+much)\b|only\b|for\s+(?:me|my\s+part)\b)"
)
_OPEN_TAIL = re.compile(
    r"\s*(?:(?:is|are|'s)\s+)?(?:when\s+(?:i'm|i\s+am)\s+)?(?:free|open|clear|available|to\s+spare)\b(?!\s+(?:at|from)\b)"
)
_PLAN_TAIL = re.compile(
    r"\s*,?\s*(?:it\s+is\b|then\b|sharp\b|please\b|it's\s+settled|(?:that\s+)?(?:would\s+|could\s+|will\s+|should\s+)?(?:works?|suits?|do\b|fits?|sounds?|is\s+(?:fine|good|great|perfect|ok|okay|ideal|agreed|settled)|be\s+(?:fine|good|great|perfect|ok|ideal))"
    r"|is\s+(?:a\s+)?(?:yes|deal)|(?:ok|okay|alright|good|any\s+good|possible|agreed|instead|confirmed)\b)"
)
_TOGETHER = re.compile(r"\b(?:both(?:\s+of\s+us)?|overlap|in\s+common|we\s+share)\b")
_ALL_DAY = re.compile(
    r"\b(?:(?:free|available|open)\s+(?:all\s+day|(?:at\s+)?any\s?time)|any\s?time\s+(?:works|suits|is\s+fine))\b"
    r"(?=(?P<rest>.{0,24}))"
)
_ELSE = re.compile(
    r"\s*,?\s*(?:after|before|from|between|until|except|other|apart|but|as\s+long|if|up\s+to|past|on\b|[0-9])"
)


def hear_times(text: str, public: Public, speaker: Seat, lengths: Collection[int]) -> list[Said]:
    """Every stretch and point of the day said in a text, in order, with what its words make of it; a slip that is
    corrected at once ("10:30, sorry, 11") is left out. `lengths` are those that a plan may have. Never raises."""
    day = tuple(public.facts["day"])
    text = text[:LONGEST]
    low = level(text)
    items = _joined(_points(text, low, (day[0], day[1])), low, text)
    if not items:
        return []
    return _moods(_merged(_corrected(_in_context(items, text, low), low, lengths)), public, speaker)


def _points(text: str, low: str, day: tuple[str, str]) -> list[Said]:
    found = {m.start: (minutes(m.time), m.end) for m in find_times(text, within=day)}
    for match in _BARE_PAIR.finditer(low):
        for group in (1, 2):
            start, end = match.span(group)
            if not any(s < end and start < e for s, (_, e) in found.items()):
                time = minutes(parse_time(low[start:end], within=day))
                if time is not None:
                    found[start] = (time, end)
    return [Said(m, None, s, e, point=True) for s, (m, e) in sorted(found.items()) if m is not None]


def _joined(points: list[Said], low: str, text: str) -> list[Said]:
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
            if first.start is not None and second.start is not None and first.start < second.start:
                found.append(Said(first.start, second.start, first.at, second.until))
            continue
        found.append(_opened(low, _lengthened(text, low, first)))
    return found


def _is_pair(low: str, first: Said, second: Said) -> bool:
    gap = low[first.until : second.at]
    if len(gap) > 50:
        return False
    if _JOIN.fullmatch(gap):
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
    if not item.point:
        return item
    floor = max(0, item.at - 48)
    tail = _AFTER_TAIL.match(low, item.until)
    if tail:
        return evolve(item, end=None, until=tail.end(), point=False)
    tail = _BEFORE_TAIL.match(low, item.until)
    if tail:
        return evolve(item, start=None, end=item.start, until=tail.end(), point=False)
    after, before = _AFTER.search(low, floor, item.at), _BEFORE.search(low, floor, item.at)
    if after and (before is None or after["not"]) and not (before and before["not"]):
        at = item.at if after["not"] or after["soft"] else after.start()
        mood: Mood = "free" if after["not"] else ""
        return evolve(item, end=None, at=at, point=False, mood=mood)
    if before:
        at = item.at if before["not"] else before.start()
        return evolve(item, start=None, end=item.start, at=at, point=False, mood="free" if before["not"] else "")
    return item


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
        alone = len(re.findall(r"[a-z]+", rest)) <= 3
        question = low[:end].rstrip("\"') ").endswith("?")
        found.append(evolve(item, lead=lead, tail=tail, sentence=number, alone=alone, question=question))
    for index in range(len(found) - 2, -1, -1):
        item, after_ = found[index], found[index + 1]
        if item.sentence == after_.sentence and not item.tail.strip() and _LISTED.fullmatch(after_.lead):
            found[index] = evolve(item, tail=after_.tail)
    return found


_LISTED = re.compile(r"(?:\s|,|;|\b(?:and|or|also|then|plus|again|from|between|at)\b)*")


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


_OR = re.compile(r"\bor\b")


def _moods(items: list[Said], public: Public, speaker: Seat) -> list[Said]:
    found: list[Said] = []
    people = _people(public.names)
    for item in items:
        last = found[-1] if found and found[-1].sentence == item.sentence else None
        mood, who = item.mood or _mood(item), _who(item, people, speaker)
        both = bool(_TOGETHER.search(item.lead) or _TOGETHER.search(item.tail))
        if last is not None:
            if not mood and not re.search(r"\b(?:but|so)\b", item.lead):
                mood = last.mood
            who = who or last.who
        found.append(evolve(item, mood=mood, who=who, both=both))
    return found


def _mood(item: Said) -> Mood:
    tail = item.tail
    if _BUSY_TAIL.match(tail):
        return "busy"
    if _REJECT_TAIL.match(tail):
        return "reject"
    if _OPEN_TAIL.match(tail):
        return "free"
    last: Mood = ""
    for match in _CUES.finditer(_turned(item.lead)):
        kind: Any = match.lastgroup
        if kind == "flip":
            kind = "free" if last in ("busy", "reject") else "busy"
        if not (kind == "assign" and last) and not (last == "ask" and kind in ("free", "plan")):
            last = kind
    if last in ("busy", "reject"):
        return last
    if _PLAN_TAIL.match(tail):
        return "plan"
    return "free" if last in ("", "assign") and _FREE_TAIL.match(tail) else last


def _turned(lead: str) -> str:
    """What follows the last "but" or "so": what stands before it was about something else."""
    begin = 0
    for match in _TURN.finditer(lead):
        begin = match.end()
    return lead[begin:]


_TURN = re.compile(r"(?<!thing )(?<!time )(?<!all )\b(?:but|so|however)\b(?!\s+not\b)(?=.*\w)")


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


_TO_PERSON = re.compile(r"(?:works?|suits?|is|are|'s|fine|good|great|free|open|when|for|with|only|\s|,|-|\()*")
_TO_OBJECT = re.compile(
    r"\b(?:meet|see|join|help|call|ring|show|visit|host|reach|teach|tell|phone|with|beside|and\s+tell|to|than)\s+$"
)


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
    """Whether a stretch that is no plan tells when somebody is free or busy."""
    if item.point or item.both or item.mood in ("ask", "plan", "assign"):
        return False
    if item.start is None or item.end is None:
        return bool(item.mood) or item.alone
    if item.who is None and (item.start, item.end) == day_of(public.facts):
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


def merged(windows: Iterable[Minutes]) -> list[Minutes]:
    """Sorted windows, those that touch or overlap made one."""
    found: list[Minutes] = []
    for start, end in sorted(windows):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def all_day(text: str, public: Public) -> list[Fact]:
    """ "I'm free all day", where nothing follows that narrows it."""
    low = level(text[:LONGEST])
    for match in _ALL_DAY.finditer(low):
        lead = low[max(0, match.start() - 24) : match.start()]
        if re.search(rf"\b{_NEGATED}\b|n't|\bif\b|\bare\s+you\b", lead) or _ELSE.match(match["rest"]):
            continue
        about: Literal["speaker", "listener"] = "listener" if re.search(r"\byou\b|\byou're\b", lead) else "speaker"
        return [Fact("windows", [list(public.facts["day"])], about, match.start(), match.end())]
    return []


def untrue_windows(stated: Any, card: Any) -> str | None:
    """Why stated windows are untrue by the card's: a stretch said to be free lies outside every one of them, or an
    open end ("after 3") touches none. Saying less than the card holds is not untrue."""
    own = merged(spans_of(card) or [])
    for start, end in stated or ():
        low, high = minutes(start), minutes(end)
        if low is not None and high is not None and not inside(own, low, high):
            return f"said free {clock(low)} to {clock(high)}, but the card says {_written(own)}"
    opened = [(s, e) for s, e in stated or () if s is None or e is None]
    if opened and not any(_touches(own, minutes(s) or 0, minutes(e) or MIDNIGHT) for s, e in stated):
        return f"said {_open_words(opened)}, but the card says {_written(own)}"
    return None


def _touches(windows: Iterable[Minutes], start: int, end: int) -> bool:
    return any(low < end and start < high for low, high in windows)


def _written(windows: Iterable[Minutes]) -> str:
    return ", ".join(f"{clock(low)} to {clock(high)}" for low, high in windows)


def _open_words(windows: Iterable[Sequence[str | None]]) -> str:
    return " or ".join(f"free until {end}" if start is None else f"free from {start}" for start, end in windows)
