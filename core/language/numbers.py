"""Numbers in loose speech: digits, money, number words, dozens; never times, dates, ordinals or percentages."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from attrs import frozen

from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.core.language.times import clock_spans
from adidem.core.language.words import NOT_A_UNIT, NUMBER_WORDS, SHORT_HUNDREDS, words_value

_LONGEST = 100
_MONEY_WORDS = frozenset("dollar dollars euro euros buck bucks quid usd eur gbp sterling".split())


@frozen(slots=True)
class NumberMention:
    """A number said in a text; `unit` is the noun that follows it, lower case, where one does."""

    value: int | float
    start: int
    end: int
    text: str
    money: bool = False
    unit: str | None = None


_DIGITS = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?"
_NUMBER = Pattern(
    r"(?<![\w#])(?<![0-9][.:/])(?<![a-z]-)(?=[0-9$€£a-z])(?:"
    rf"(?P<sign>[$€£]\s?|(?:usd|eur|gbp)\s?)?(?P<digits>{_DIGITS})"
    r"(?P<scale>k\b|[\s-](?:hundred|thousand|dozen|grand|million)\b)?"
    r"(?P<attached>\s?[$€£]|(?:kg|g|km|cm|mm|ml|lbs?|mins?|hrs?|pcs|usd|eur|gbp)\b|-?ish\b)?"
    rf"|(?P<words>{NUMBER_WORDS})"
    r")(?P<half>\s+and\s+a\s+half\b)?(?!\w)(?![.:/]?[0-9])(?!,[0-9]{3})(?!\s?(?:%|percent\b|per\s+cent\b|per-cent\b))"
)
_MAYBE = Pattern(
    r"[0-9]|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|nine?ty|hundred|thousand|grand"
    r"|dozen|couple|pair)\b"
)
_UNIT = Pattern(
    r"[\s-]+(?:(?:more|extra|additional|whole|full|big|small|large|of\s+(?:the|those|these|your|our|my)(?:\s+[0-9]+)?)[\s-]+)?([a-z][a-z'-]*)"
)
_FRACTION = Pattern(
    r"[\s-]+(?:half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|hundredths?"
    r"|first|second(?!s)|o'?clock)\b"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE_AFTER = Pattern(rf"\s+(?:of\s+)?{_MONTH}\b(?!\s+(?:i|we|you|be|need|have|not)\b)")
_MONTH_AFTER = Pattern(rf"\s+{_MONTH}\b")
_DATE_LEAD = Pattern(r"\b(?:on|by|until|from|since|before|after)\s+(?:the\s+)?$")
_DATE_BEFORE = Pattern(rf"\b{_MONTH}\s+$")
_LABEL = Pattern(
    r"(?:\b(?:room|bus|route|gate|platform|page|chapter|step|option|phase|building|apartment|apt|suite|lane|hall"
    r"|version|number|no\.|#|appendix|section|terminal|proposal|scenario|rule)\s?$)"
)
_YEAR_LEAD = Pattern(rf"(?:\b(?:in|since|of|by|year|spring|summer|autumn|fall|winter)|{_MONTH}[a-z]*,?)\s+$")
_BULLET = Pattern(r"^[ ]*[0-9]{1,2}[.)][ ]", re.MULTILINE)
_ONE_LEAD = Pattern(
    r"\b(?:only|just|exactly|least|most|than|above|over|below|under|past|beyond|to|about|or|maximum|minimum|between|and|from|of|is|be|take|have|give|want|need)\s+$"
)
_ONE_PRONOUN = Pattern(r"\b(?:the|this|that|no|any|every|each|which|some|another|other|same|good|big|last|next)\s+$")
_ONE_NOT = frozenset(
    "thing things way question moment second minute day other another last side hand more point who person".split()
)
_CLOCK_LEAD = Pattern(r"\b(?:at|from|until|till|by|before|after|around)\s+(?:about\s+)?$")
_RECORD = Pattern(r"[+-]?\s?[$€£]?\s?[+-]?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?\s?(?:[$€£]|[a-z]{1,20})?\s*\.?")
_INEXACT = Pattern(
    r"\b(?:least|most|more|less|fewer|than|up|under|over|above|below|between|or|to|max|maximum|min|minimum|not|no"
    r"|(?<!and a )half(?!\s+a\s+dozen)|double|twice"
    r"|plus|minus|per|each|apiece)\b"
)


def parse_number(value: object) -> int | float | None:
    """The one number a record's value names, or None where it names none, two, or a bound; never raises.

    Whole floats become int, so that 240, 240.0, "240", "$240" and "two hundred and forty" are equal records.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _whole(value) if math.isfinite(value) else None
    return _parse_text(value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def find_numbers(text: str) -> tuple[NumberMention, ...]:
    """Every number said in `text`, by position; times, dates, years, ordinals, fractions, percentages are not numbers.

    A bare hour ("at 9", "from 2 to 4") is told from a number by context alone and is returned here too.
    """
    low = level(text)
    if not _MAYBE.search(low):
        return ()
    taken = _not_numbers(low)
    found = []
    for match in _NUMBER.finditer(low):
        start, end = match.span()
        if any(s < end and start < e for s, e in taken):
            continue
        mention = _mention(text, low, match)
        if mention is not None:
            found.append(mention)
    return tuple(found)


def _parse_text(text: str) -> int | float | None:
    low = level(text).strip()
    if not 0 < len(low) <= _LONGEST:
        return None
    plain = _RECORD.fullmatch(low)
    if plain is not None and not low.endswith(("h", "am", "pm", "st", "nd", "rd", "th", "k", "x", "s/a")):
        number = _digits(plain.group(1) + (plain.group(2) or ""))
        return -number if "-" in low[: plain.start(1)] else number
    if _INEXACT.search(low):
        return None
    values = {m.value for m in find_numbers(text)}
    return values.pop() if len(values) == 1 else None


def _not_numbers(low: str) -> list[tuple[int, int]]:
    taken = list(clock_spans(low))
    if "\n" in low:
        bullets = [m.span() for m in _BULLET.finditer(low)]
        taken += bullets if len(bullets) > 1 else []
    return taken


def _mention(text: str, low: str, match: re.Match[str]) -> NumberMention | None:
    start, end = match.span()
    words = match["words"]
    if _FRACTION.match(low, end) or _is_label(low, match) or len(match["digits"] or "") > _LONGEST:
        return None
    unit = _unit_after(low, end)
    if words == "one" and not match["half"] and not _is_counted_one(low, start, unit):
        return None
    if words and SHORT_HUNDREDS.fullmatch(words) and _CLOCK_LEAD.search(low, max(0, start - 20), start):
        return None
    value = _value(match)
    money = bool(match["sign"] or (match["attached"] or "").strip() in ("$", "€", "£", "usd", "eur", "gbp"))
    attached = (match["attached"] or "").strip(" -$€£")
    if attached and attached != "ish" and not money:
        unit = attached
    money = money or unit in _MONEY_WORDS or (match["scale"] or "").strip() == "grand"
    return NumberMention(value, start, end, text[start:end], money, unit)


def _value(match: re.Match[str]) -> int | float:
    if match["words"]:
        value: int | float = words_value(match["words"])
    else:
        scale = (match["scale"] or "").strip(" -")
        value = _digits(match["digits"])
        if scale:
            value *= {"hundred": 100, "dozen": 12, "million": 1_000_000}.get(scale, 1000)
    if match["half"]:
        value += 6 if (match["words"] or match["scale"] or "").endswith("dozen") else 0.5
    return _whole(value)


def _digits(text: str) -> int | float:
    plain = text.replace(",", "")
    return _whole(float(plain)) if "." in plain else int(plain)


def _whole(value: int | float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unit_after(low: str, end: int) -> str | None:
    match = _UNIT.match(low, end)
    if match is None:
        return None
    word = match.group(1).strip("'-")
    if word == "of" or word in NOT_A_UNIT:
        return None
    return word.split("-")[0]


def _is_counted_one(low: str, start: int, unit: str | None) -> bool:
    """ "One" as a number ("one crate", "just one"), not as a pronoun ("this one", "one of us")."""
    floor = max(0, start - 20)
    if _ONE_PRONOUN.search(low, floor, start):
        return False
    if unit is not None:
        return unit not in _ONE_NOT
    if not low[:start].strip() and not low[start + 3 :].strip(" .!"):
        return True
    tail = low[start + 3 : start + 7]
    return bool(_ONE_LEAD.search(low, floor, start)) and not tail.startswith((" of", " or"))


def _is_label(low: str, match: re.Match[str]) -> bool:
    """The digits name something (a room, a date, a year) and count nothing."""
    digits = match["digits"]
    if not digits or match["sign"]:
        return False
    start, end = match.span()
    floor = max(0, start - 16)
    if _LABEL.search(low, floor, start):
        return True
    if len(digits) <= 2 and _MONTH_AFTER.match(low, end) and _DATE_LEAD.search(low, floor, start):
        return True
    if len(digits) <= 2 and (_DATE_AFTER.match(low, end) or _DATE_BEFORE.search(low, floor, start)):
        return True
    is_year = len(digits) == 4 and digits[:2] in ("19", "20")
    return is_year and bool(_YEAR_LEAD.search(low, floor, start)) and _unit_after(low, end) is None
