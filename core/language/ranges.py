"""Bounds and ranges of numbers in loose speech: "at least 8", "14 tops", "anywhere from 80 to 140"."""

from __future__ import annotations

from functools import lru_cache

from attrs import evolve, frozen

from adidem.core.language.clauses import Party, level, sentence_at, spoken_by
from adidem.core.language.cues import load_cues
from adidem.core.language.numbers import NumberMention, find_numbers
from adidem.core.language.patterns import Pattern, Patterns
from adidem.core.language.words import NOT_A_UNIT


@frozen(slots=True)
class RangeMention:
    """Bounds said in a text, both inclusive; None where a side is open, both equal where the number is exact.

    "More than 8" of whole things is 9 and up. `by` is "partner" where the sentence tells the other's bound.
    """

    low: int | float | None
    high: int | float | None
    start: int
    end: int
    text: str
    money: bool = False
    unit: str | None = None
    by: Party = "speaker"


_CUES = load_cues("ranges")
_KINDS = ("exact", "low", "high")
_LEADS = Patterns(lambda kind: rf"(?<![\w'-]){_CUES[f'{kind}_lead']}\s*$")
_TAILS = Patterns(lambda kind: rf",?\s*{_CUES[f'{kind}_tail']}(?!\w)")
_COMPARED = Pattern(lambda: rf"(?<![\w'-])(?:(?P<up>{_CUES['more_than']})|(?P<down>{_CUES['less_than']}))\s*$")
_WISH = Pattern(lambda: rf"\b{_CUES['wish']}\s*$")
_UNFIT = Pattern(lambda: rf"[^.;!?0-9]{{0,24}}?\b{_CUES['unfit']}\b")
_NEEDED = Pattern(r"\b(?:need|needs|must\s+have|require|requires|want|wants)\s+(?:the\s+|a\s+full\s+)?$")
_OR_ELSE = Pattern(lambda: rf"(?:[\s-]+[a-z'-]+){{0,3}}?,?\s+{_CUES['or_else']}\b")
_SUMS = Pattern(lambda: rf"\b{_CUES['sums']}\s+$")
_ELSEWHERE = Pattern(lambda: rf"(?:\s+[a-z]+)?\s+{_CUES['elsewhere']}\b")
_FITS = Pattern(lambda: rf"[^.;!?0-9,]{{0,16}}?\b{_CUES['fits']}\b")
_WORD = Pattern(r"[\s-]+([a-z][a-z'-]*)")
_SKIPPED = frozenset("in total altogether overall of the for me us".split())
_UP_FROM = Pattern(r"\bfrom\s+$")
_UP_TAIL = Pattern(r"\s*(?:up|upwards?|onwards?|on)\b(?!\s+to\b)")
_TO = Pattern(
    r"\s*(?:-|—|\bto\b|\bthrough\b|,?\s*(?:\band\s+)?\bup\s+to\b|\band\s+as\s+(?:many|much|high)\s+as\b)\s*(?:about\s+|around\s+|maybe\s+)?$"
)
_AND = Pattern(r"\s*(?:and|&|to|-)\s*(?:about\s+|around\s+)?$")
_BETWEEN = Pattern(r"\bbetween\s+(?:about\s+|around\s+|roughly\s+)?$")
_CHANGE = Pattern(
    r"\b(?:change|move|bump|raise|lower|switch|went|go|going|moved|changed|drop|cut)\b[^.;,]{0,16}\bfrom\s+$"
)
_NOT_RANGE = Pattern(r"(?:\b(?:not|never|cannot)|n't)\b[^.,;]{0,16}$")


@lru_cache(maxsize=4096)
def find_ranges(text: str) -> tuple[RangeMention, ...]:
    """Every bound, range or exact number said in `text`, by position.

    A low and a high of the same thing in one sentence merge; a bare number is no range.
    """
    mentions = find_numbers(text)
    if not mentions:
        return ()
    low = level(text)
    found: list[RangeMention] = []
    index = 0
    while index < len(mentions):
        pair = _pair(text, low, mentions, index)
        if pair is not None:
            index += 2
            found.append(pair)
            continue
        single = _single(text, low, mentions, index)
        index += 1
        if single is not None:
            merged = _merged(text, found[-1], single) if found else None
            if merged is not None:
                found[-1] = merged
            else:
                found.append(single)
    return tuple(found)


def _pair(text: str, low: str, mentions: tuple[NumberMention, ...], index: int) -> RangeMention | None:
    if index + 1 >= len(mentions):
        return None
    first, second = mentions[index], mentions[index + 1]
    floor = max(0, first.start - 40)
    between = _BETWEEN.search(low, floor, first.start)
    begin = _after_unit(low, first, second)
    if between is None or not _AND.match(low, begin, second.start):
        if not _TO.match(low, begin, second.start) or second.value <= first.value or _leads_to_other(low, first):
            return None
        if _CHANGE.search(low, floor, first.start):
            return None
    if _NOT_RANGE.search(low, max(0, first.start - 24), between.start() if between else first.start):
        return None
    start = between.start() if between else first.start
    return _range(text, low, (first.value, second.value), (start, second.end), first, second)


def _leads_to_other(low: str, first: NumberMention) -> bool:
    return bool(_LEADS["high"].search(low, max(0, first.start - 60), first.start))


def _after_unit(low: str, first: NumberMention, second: NumberMention) -> int:
    """Where the first number's unit ends: "8 crates to 14 crates"."""
    if first.unit and low.startswith(first.unit, first.end + 1) and first.end + 1 + len(first.unit) < second.start:
        return first.end + 1 + len(first.unit)
    return first.end


def _range(
    text: str,
    low: str,
    bounds: tuple[int | float | None, int | float | None],
    span: tuple[int, int],
    first: NumberMention,
    second: NumberMention,
) -> RangeMention:
    least, most = bounds
    if least is not None and most is not None and least > most:
        least, most = most, least
    party = spoken_by(low, sentence_at(text, span[0]).start, span[0])
    piece = text[span[0] : span[1]]
    money = first.money or second.money
    return RangeMention(least, most, span[0], span[1], piece, money, second.unit or first.unit, party)


def _single(text: str, low: str, mentions: tuple[NumberMention, ...], index: int) -> RangeMention | None:
    mention = mentions[index]
    begin = max(mentions[index - 1].end if index else 0, sentence_at(text, mention.start).start)
    until = mentions[index + 1].start if index + 1 < len(mentions) else len(low)
    floor = max(begin, mention.start - 70)
    value = mention.value
    tail = _tail(low, mention, until)
    if tail is not None:
        kind, end = tail
        return _range(text, low, _bounds(kind, value), (mention.start, end), mention, mention)
    for kind in _KINDS:
        match = _LEADS[kind].search(low, floor, mention.start)
        if match is not None:
            return _range(text, low, _bounds(kind, value), (match.start(), mention.end), mention, mention)
    if _NEEDED.search(low, floor, mention.start) and _OR_ELSE.match(low, mention.end, until):
        return _range(text, low, (value, None), (mention.start, mention.end), mention, mention)
    return _compared(text, low, mention, floor)


def _compared(text: str, low: str, mention: NumberMention, floor: int) -> RangeMention | None:
    """A comparison counts only where it is wished for ("I need more than 8") or ruled out ("more than 8 won't do")."""
    match = _COMPARED.search(low, floor, mention.start)
    if match is None:
        return None
    up = match["up"] is not None
    value = mention.value
    beyond = value + (1 if up else -1) if isinstance(value, int) else value
    span = (match.start(), mention.end)
    others = _SUMS.search(low, floor, match.start()) and _ELSEWHERE.match(low, mention.end)
    if others or _UNFIT.match(low, mention.end):
        return _range(text, low, (None, value) if up else (value, None), span, mention, mention)
    if _WISH.search(low, floor, match.start()) or _FITS.match(low, mention.end):
        return _range(text, low, (beyond, None) if up else (None, beyond), span, mention, mention)
    return None


def _bounds(kind: str, value: int | float) -> tuple[int | float | None, int | float | None]:
    return (value if kind != "high" else None), (value if kind != "low" else None)


def _tail(low: str, mention: NumberMention, until: int) -> tuple[str, int] | None:
    """The bound that follows a number, at once or after its noun: "14 crates at the outside"."""
    if _UP_FROM.search(low, max(0, mention.start - 8), mention.start):
        up = _UP_TAIL.match(low, mention.end)
        if up is not None:
            return "low", up.end()
    position = mention.end
    for _ in range(4):
        for kind in _KINDS:
            match = _TAILS[kind].match(low, position)
            if match is not None and not _belongs_to_next(low, match.end(), until):
                return kind, match.end()
        word = _WORD.match(low, position)
        if word is None or word.group(1) in NOT_A_UNIT - _SKIPPED or word.end() > until:
            return None
        position = word.end()
    return None


def _belongs_to_next(low: str, end: int, until: int) -> bool:
    gap = low[end:until]
    return until < len(low) and (not gap.strip() or gap.strip() in ("of", "about", "is", "than", ":", "$"))


def _merged(text: str, first: RangeMention, second: RangeMention) -> RangeMention | None:
    """One range from a low and a high that follow each other, unless they are another person's or another thing's."""
    if (first.low is None) == (first.high is None) or (second.low is None) == (second.high is None):
        return None
    if (first.low is None) == (second.low is None) or sentence_at(text, first.start) != sentence_at(text, second.start):
        return None
    if (first.unit and second.unit and first.unit != second.unit) or first.by != second.by:
        return None
    if second.start - first.end > 60 or (first.money != second.money and (first.unit or second.unit)):
        return None
    least = first.low if first.low is not None else second.low
    most = first.high if first.high is not None else second.high
    if least is None or most is None or least > most:
        return None
    end = max(first.end, second.end)
    piece = text[first.start : end]
    return evolve(
        first,
        low=least,
        high=most,
        end=end,
        text=piece,
        unit=first.unit or second.unit,
        money=first.money or second.money,
    )
