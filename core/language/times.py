"""Times of day and durations in loose speech, and how a person says how long something takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from attrs import frozen

from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.core.language.words import NOT_A_UNIT, NUMBER_WORDS, SMALL, TEENS, UNITS, number_words, words_value

Day = tuple[str, str]

DAY_START, DAY_END = "00:00", "24:00"
_LONGEST = 60


@frozen(slots=True)
class TimeMention:
    """A time of day said in a text: `time` is "HH:MM" on the 24 hour clock."""

    time: str
    start: int
    end: int
    text: str


@frozen(slots=True)
class DurationMention:
    """A length of time said in a text, in minutes."""

    minutes: int
    start: int
    end: int
    text: str


@frozen(slots=True)
class _Atom:
    """One clock reading before its half of the day is known; `sure` where nothing but a time is written so."""

    start: int
    end: int
    hour: int
    minute: int
    half: str | None
    literal: bool
    sure: bool
    bare: bool


_HOURS = {w: n for w, n in SMALL.items() if 1 <= n <= 12}
_HOUR_WORD = "(?:" + "|".join(sorted(_HOURS, key=len, reverse=True)) + r")\b"
_UNIT_WORD = "(?:" + "|".join(UNITS) + ")"
_MINUTE_WORD = rf"(?:(?:oh|o)[\s-]{_UNIT_WORD}|(?:twenty|thirty|forty|fifty)(?:[\s-]{_UNIT_WORD})?|{'|'.join(TEENS)})\b"
_TAIL = (
    r"(?P<tail>\s?[ap]\s?\.?\s?m\b\.?|\s+in\s+the\s+(?:morning|afternoon|evening)|\s+at\s+night\b"
    r"|\s+(?:this|tomorrow)\s+(?:morning|afternoon|evening)|\s+tonight\b)?"
)
_BEFORE_HOUR = (
    r"(?P<frac>half|(?:a\s+)?quarter|(?:five|ten|twenty[\s-]five|twenty|[0-9]{1,2}(?=\s+(?:past\b|min)))(?P<min>\s+min(?:ute)?s)?)"
    rf"\s+(?P<dir>past|after|to|before|till)\s+(?:(?P<h4>{_HOUR_WORD}|1[0-2]|[1-9])(?![0-9:.]*[0-9])|(?P<n4>noon|midday|midnight))|"
)


def _atom_pattern(fractions: str) -> Pattern:
    return Pattern(
        r"(?<![\w$€£#])(?<![0-9][.:/,])(?=[0-9nmhqtfesoa])(?:"
        r"(?P<h1>[01]?[0-9]|2[0-4])(?::|\s?h\s?)(?P<m1>[0-5][0-9])(?::[0-5][0-9])?(?!:?[0-9])|"
        rf"{fractions}"
        r"(?P<h2>[01]?[0-9]|2[0-3])\.(?P<m2>[0-5][0-9])(?![.:/]?[0-9])"
        r"|(?P<h3>[01]?[0-9]|2[0-4])(?P<oc>\s?o'?\s?clock|h\b)?(?![.:/,]?[0-9])(?!(?![ap]\.?m)\w)(?!\s?(?:%|percent|per\s+cent|[€£$]))"
        rf"|half\s+(?P<h6>{_HOUR_WORD})"
        rf"|(?P<h5>{_HOUR_WORD})(?:[\s-](?P<m5>{_MINUTE_WORD})|(?P<oc5>\s+o'?\s?clock))?(?!-[a-z])"
        r"|(?P<m7>[01][0-9]|2[0-3])(?P<m8>[0-5][0-9])(?=\s?(?:hrs|hours)\b)"
        r"|(?P<noon>(?:12\s+)?(?:noon|midday|midnight)\b)"
        rf"){_TAIL}"
    )


_ATOM = _atom_pattern(_BEFORE_HOUR)
_PLAIN_ATOM = _atom_pattern(r"(?P<frac>(?P<min>(?P<dir>(?P<h4>(?P<n4>(?!))))))|")
_MAYBE = Pattern(r"[0-9]|\b(?:noon|midday|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
_LEAD = Pattern(
    r"(?:\b(?:at|by|from|until|till|til|after|before|past|between|since|around|starting|ending|earliest|latest|onwards)"
    r"(?:\s+(?:about|around|say|exactly|like|roughly|at|maybe))?|\b(?:no|not)\s+(?:later|earlier|sooner)\s+than|\b(?:earliest|latest)\s+(?:i|we)\s+can(?:\s+[a-z]+){1,2}\s+is)\s*$"
)
_SOFT_LEAD = Pattern(
    r"(?:\b(?:how|what)\s+about|\b(?:let's\s+)?say|\bmake\s+it|\bto|\bmean|\bmeant|\bit's|\bat|\bstart|\bdo|\btry|\btake)\s+(?:at\s+|about\s+)?$"
    r"|^(?:\W|ok(?:ay)?|yes|so|sure|sorry|fine|then|well)*$"
)
_NOT_TIME_LEAD = Pattern(
    r"\b(?:increase[sd]?|rais(?:e|ed|ing)|lower(?:ed)?|reduce[sd]?|cut|up|down|go|went|drop(?:ped)?|off|divid\w+|split)\s+(?:it\s+|that\s+|this\s+)?by\s*$"
)
_NEXT_WORD = Pattern(r"\s*-?\s*([a-z][a-z'-]*)")
_TIME_NOUNS = frozenset(
    "slot slots window windows block session shift stretch gap weekdays weekday every each start finish hrs".split()
)
_MORE = frozenset(("more", "less", "fewer", "percent", "plus"))
_PAIRED = Pattern(r"\s*(?:-|—|to|until|till?|and|or|,|, or|, and|&)\s*$")
_BETWEEN = Pattern(r"\b(?:between|from)\s+(?:about\s+|around\s+)?$")
_DURATION_NUMBER = rf"(?:[0-9]+(?:[.,][0-9]+)?|{NUMBER_WORDS})"
_DURATION = Pattern(
    r"(?<![\w$€£.,:])(?=[0-9a-z])(?:"
    r"(?P<tq>three[\s-]quarters\s+of\s+an\s+hour)"
    r"|(?P<qh>(?:a\s+)?quarter[\s-](?:of\s+an\s+)?hour)"
    r"|(?P<hh>half[\s-](?:of\s+)?an?[\s-]hour|(?:a\s+)?half[\s-]hour)"
    rf"|(?P<hours>{_DURATION_NUMBER}|an?|one\s+full|a\s+full|a\s+whole|a\s+good)(?P<half1>\s+and\s+a\s+half)?[\s-]?(?:hours?|hrs?|h)\b"
    rf"(?:(?P<half2>\s+and\s+a\s+half)|(?P<quarter>\s+and\s+a\s+quarter)|(?P<tq2>\s+and\s+three\s+quarters)"
    rf"|,?\s+(?:and\s+)?(?P<rest>{_DURATION_NUMBER})[\s-]?(?:minutes?|mins?|m)\b"
    rf"|\s+and\s+(?P<rest2>{_DURATION_NUMBER})(?=\s*(?:[.,;:!?)]|$|(?:for|from|on|to|at|if|so|because|of\s+it)\b)))?"
    rf"|(?P<minutes>{_DURATION_NUMBER})[\s-]?(?:minutes?|mins?)\b(?!\s+(?:past|to\s+(?:{_HOUR_WORD}|[0-9])|after|before|early|late))"
    r"|(?P<hm>[0-9]{1,2})h(?P<hmm>[0-5][0-9])(?=\s+(?:long|in\s+total|total)\b)"
    r")"
)
_MAYBE_DURATION = Pattern(r"hour|min|[0-9]\s?h")


def parse_time(value: object, within: Day | None = None) -> str | None:
    """The time that a record's value names as "HH:MM", or None where it names none or two; never raises.

    An hour 1..12 without am or pm is the one that lies in `within`, where exactly one does, else read as written.
    """
    if not isinstance(value, str):
        return f"{value:02d}:00" if type(value) is int and 0 <= value <= 24 and within is not None else None
    text = level(value).strip()
    if not 0 < len(text) <= _LONGEST:
        return None
    if len(text) == 4 and text.isascii() and text.isdigit() and text[:2] < "24" and text[2:] < "60":
        return f"{text[:2]}:{text[2:]}"
    bare = text.removesuffix("ish").rstrip(" -.") if not text.endswith("m.") else text
    whole = _ATOM.fullmatch(bare)
    if whole is not None:
        atom = _atom(whole, alone=True)
        return None if atom is None else _resolve(atom, within)
    times = {m.time for m in find_times(value, within)}
    return times.pop() if len(times) == 1 else None


@lru_cache(maxsize=4096)
def find_times(text: str, within: Day | None = None) -> tuple[TimeMention, ...]:
    """Every time of day said in `text`, by position; bare hours count after "at", "from", "until" and the like.

    With `within` a bare hour also counts after "how about", "say", "make it".
    """
    found = []
    atoms = _atoms(level(text), within is not None)
    for index, atom in enumerate(atoms):
        time = _resolve(atom, within) if index + 1 >= len(atoms) else None
        pair = _pair_half(level(text), atoms, index)
        time = time or _resolve(_with_half(atom, pair), within)
        if time is not None and (within is None or not atom.bare or within[0] <= time <= within[1]):
            found.append(TimeMention(time, atom.start, atom.end, text[atom.start : atom.end]))
    return tuple(found)


@lru_cache(maxsize=4096)
def find_durations(text: str) -> tuple[DurationMention, ...]:
    """Every length of time said in `text`, in minutes, by position."""
    low = level(text)
    if not _MAYBE_DURATION.search(low):
        return ()
    found = []
    for match in _DURATION.finditer(low):
        minutes = _minutes(match)
        if minutes is not None:
            found.append(DurationMention(minutes, match.start(), match.end(), text[match.start() : match.end()]))
    return tuple(found)


def clock_spans(low: str) -> tuple[tuple[int, int], ...]:
    """Where in the levelled text `low` something stands that can only be a time of day."""
    return tuple((a.start, a.end) for a in _atoms(low, False) if a.sure)


def speak_duration(minutes: int) -> str:
    """How a person says a length of time: "half an hour", "an hour and a half", "two hours and 10 minutes"."""
    if minutes < 0:
        raise ValueError(f"a duration is 0 minutes or more, not {minutes}")
    known = {30: "half an hour", 60: "an hour", 90: "an hour and a half"}
    if minutes in known:
        return known[minutes]
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    head = "an hour" if hours == 1 else f"{number_words(hours) if hours < 13 else hours} hours"
    if not rest:
        return head
    if rest == 30 and hours < 13:
        return f"{number_words(hours)} and a half hours"
    return f"{head} and {rest} minute{'' if rest == 1 else 's'}"


def _atoms(low: str, soft: bool) -> list[_Atom]:
    if not _MAYBE.search(low):
        return []
    raw = list(_readings(low))
    kept: list[_Atom] = []
    for index, atom in enumerate(raw):
        before = kept[-1] if kept else None
        after = raw[index + 1] if index + 1 < len(raw) else None
        accepted = _accept(low, atom, before, after, soft)
        if accepted is not None:
            kept.append(accepted)
    return kept


def _readings(low: str) -> Iterator[_Atom]:
    position = 0
    while (match := _ATOM.search(low, position)) is not None:
        atom = _atom(match)
        if atom is None and match["frac"] and (plain := _PLAIN_ATOM.match(low, match.start())):
            match, atom = plain, _atom(plain)
        if atom is not None:
            yield atom
        position = match.end()


def _accept(low: str, atom: _Atom, before: _Atom | None, after: _Atom | None, soft: bool) -> _Atom | None:
    if atom.sure:
        return atom
    if _is_quantity(low, atom):
        return None
    if after is not None and not after.sure and _PAIRED.match(low, atom.end, after.start) and _is_quantity(low, after):
        return None
    if before is not None and _PAIRED.match(low, before.end, atom.start) and (before.sure or _leads(low, atom)):
        return _sure(atom) if before.sure else atom
    if before is not None and _PAIRED.match(low, before.end, atom.start):
        return atom
    if after is not None and _PAIRED.match(low, atom.end, after.start) and after.sure:
        return _sure(atom)
    head = low[max(0, atom.start - 40) : atom.start]
    if _LEAD.search(head) and not _NOT_TIME_LEAD.search(head):
        return atom
    return atom if soft and _SOFT_LEAD.search(head) else None


def _leads(low: str, atom: _Atom) -> bool:
    return bool(_LEAD.search(low, max(0, atom.start - 20), atom.start))


def _is_quantity(low: str, atom: _Atom) -> bool:
    """A noun follows, as in "8 crates", so it is no hour."""
    if low.startswith(("%", "$", "€", "£"), atom.end):
        return True
    match = _NEXT_WORD.match(low, atom.end)
    if match is None:
        return False
    word = match.group(1)
    if word == "of":
        return True
    return word in _MORE or (word not in NOT_A_UNIT and word not in _TIME_NOUNS)


def _atom(match: re.Match[str], alone: bool = False) -> _Atom | None:
    tail = match["tail"]
    half = _half(tail)
    start, end = match.span()
    if match["h1"]:
        text = match["h1"]
        hour = int(text)
        return _Atom(start, end, hour, int(match["m1"]), half, len(text) == 2 and hour < 10, True, False)
    if match["noon"] or match["n4"]:
        word = match["noon"] or match["n4"]
        hour = 0 if "midnight" in word else 12
        return (
            _shifted(match, hour, start, end, None, literal=True)
            if match["n4"]
            else _Atom(start, end, hour, 0, None, True, True, False)
        )
    if match["h4"]:
        return _shifted(match, _hour(match["h4"]), start, end, half, literal=False, alone=alone)
    if match["h2"]:
        return _Atom(
            start,
            end,
            int(match["h2"]),
            int(match["m2"]),
            half,
            len(match["h2"]) == 2 and match["h2"] < "10",
            bool(half),
            False,
        )
    if match["h3"]:
        sure = bool(half or match["oc"])
        return _Atom(start, end, int(match["h3"]), 0, half, match["oc"] == "h", sure, not sure)
    if match["m7"]:
        return _Atom(start, end, int(match["m7"]), int(match["m8"]), None, True, True, False)
    if match["h6"]:
        return _Atom(start, end, _hour(match["h6"]), 30, half, False, bool(half), False)
    minute = _minute_words(match["m5"]) if match["m5"] else 0
    sure = bool(half or match["oc5"])
    return _Atom(start, end, _hour(match["h5"]), minute, half, False, sure, not match["m5"] and not sure)


def _shifted(
    match: re.Match[str], hour: int, start: int, end: int, half: str | None, literal: bool, alone: bool = False
) -> _Atom | None:
    frac = match["frac"].removesuffix(match["min"] or "")
    direction = match["dir"]
    named = frac.endswith(("half", "quarter")) or match["min"] is not None
    if frac == "half" and direction not in ("past", "after"):
        return None
    minutes = 30 if frac == "half" else 15 if frac.endswith("quarter") else _value(frac)
    if not 0 < minutes < 60:
        return None
    if direction in ("to", "before", "till"):
        if not (named or half or alone) and (frac.isdigit() or direction != "to" or not _told_as_time(match)):
            return None
        return _Atom(
            start, end, (hour - 1) % 24 if literal or hour > 1 else 12, 60 - minutes, half, literal, True, False
        )
    return _Atom(start, end, hour, minutes, half, literal, True, False)


def _told_as_time(match: re.Match[str]) -> bool:
    return bool(_LEAD.search(match.string, max(0, match.start() - 20), match.start())) and not _BETWEEN.search(
        match.string, max(0, match.start() - 20), match.start()
    )


def _hour(text: str) -> int:
    return int(text) if text.isdigit() else _HOURS[text]


def _value(text: str) -> int:
    return int(text) if text.isdigit() else words_value(text)


def _minute_words(text: str) -> int:
    return words_value(re.sub(r"^(?:oh|o)[\s-]", "", text))


def _half(tail: str | None) -> str | None:
    if not tail:
        return None
    stripped = tail.strip()
    if stripped[0] in "ap" and stripped[1:2] in (".", "m", " "):
        return stripped[0] + "m"
    if "morning" in stripped:
        return "am"
    return "night" if "night" in stripped else "pm"


def _sure(atom: _Atom) -> _Atom:
    return _Atom(atom.start, atom.end, atom.hour, atom.minute, atom.half, atom.literal, True, atom.bare)


def _with_half(atom: _Atom, half: str | None) -> _Atom:
    if half is None or atom.half is not None or not 1 <= atom.hour <= 12:
        return atom
    return _Atom(atom.start, atom.end, atom.hour, atom.minute, half, atom.literal, atom.sure, atom.bare)


def _pair_half(low: str, atoms: list[_Atom], index: int) -> str | None:
    """The am or pm that a later time of the same pair lends to this one: "between 2 and 4 pm"."""
    atom = atoms[index]
    if atom.half is not None or atom.literal or not 1 <= atom.hour <= 12 or index + 1 >= len(atoms):
        return None
    after = atoms[index + 1]
    if after.half is None or not _PAIRED.match(low, atom.end, after.start):
        return None
    return _lent_half(atom, after)


def _lent_half(first: _Atom, second: _Atom) -> str | None:
    if (first.hour % 12, first.minute) < (second.hour % 12, second.minute):
        return second.half
    return "am" if second.half != "am" else "pm"


def _resolve(atom: _Atom, within: Day | None) -> str | None:
    hour, minute = atom.hour, atom.minute
    if hour == 24:
        return DAY_END if minute == 0 else None
    if atom.half is not None and hour <= 12:
        return f"{_in_half(hour, atom.half):02d}:{minute:02d}"
    literal = f"{hour:02d}:{minute:02d}"
    if literal == "00:00" and within is not None and within[1] == DAY_END and within[0] != DAY_START:
        return DAY_END
    if atom.literal or not 1 <= hour <= 12 or within is None:
        return literal
    other = f"{(hour + 12) % 24:02d}:{minute:02d}"
    if not _inside(literal, within) and _inside(other, within):
        return other
    return literal


def _in_half(hour: int, half: str) -> int:
    if half == "am":
        return hour % 12
    if half == "night":
        return hour % 12 + (12 if 5 <= hour < 12 else 0)
    return hour % 12 + 12


def _inside(time: str, within: Day) -> bool:
    return within[0] <= time <= within[1]


def _minutes(match: re.Match[str]) -> int | None:
    if match["tq"]:
        return 45
    if match["qh"]:
        return 15
    if match["hh"]:
        return 30
    if match["hm"]:
        return 60 * int(match["hm"]) + int(match["hmm"])
    if match["minutes"]:
        return _whole(_quantity(match["minutes"]))
    hours = 60 * _quantity(match["hours"])
    hours += 30 if match["half1"] or match["half2"] else 0
    hours += 15 if match["quarter"] else 45 if match["tq2"] else 0
    rest = match["rest"] or match["rest2"]
    hours += _quantity(rest) if rest else 0
    return _whole(hours)


def _quantity(text: str) -> float:
    if text[0].isdigit():
        return float(text.replace(",", "."))
    return 1 if text.startswith(("a ", "an", "one f")) or text == "a" else words_value(text)


def _whole(minutes: float) -> int | None:
    return round(minutes) if minutes < 100_000 else None
