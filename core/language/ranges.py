"""Bounds and ranges of numbers in loose speech: "at least 8", "14 tops", "anywhere from 80 to 140"."""

from __future__ import annotations

import re
from functools import lru_cache

from attrs import evolve, frozen

from adidem.core.language.clauses import Party, level, sentence_at, spoken_by
from adidem.core.language.numbers import NumberMention, find_numbers
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


_NEGATION = r"(?:can't|cannot|can\s+not|couldn't|won't|will\s+not|wouldn't|don't|do\s+not|mustn't|shouldn't|not|never|isn't|unable\s+to|no\s+way\s+(?:i|we)\s+can|hard\s+to|impossible\s+to|nor|nothing|refuse\s+to)"
_FILL = r"(?:[a-z']+\s+){0,4}?"
_AFTER_CUE = r"\s+(?:(?:of|is|at|be|than|about|around|say|only|just|to|the|a|would\s+be|'s)\s+){0,3}$"
_LOW_LEAD = re.compile(
    rf"(?:\b{_NEGATION}\s+{_FILL}(?:less|fewer|lower|below|under|smaller|beneath)(?:\s+than)?"
    r"|\bat\s+(?:the\s+)?(?:very\s+)?least|\bno\s+(?:fewer|less|lower|smaller)\s+than|\b(?:the\s+|my\s+|our\s+|a\s+|an\s+)?(?:absolute\s+|bare\s+)?minimum(?:\s+(?:here|for\s+(?:me|us)|i\s+[a-z']+|we\s+[a-z']+))?"
    r"|\bmin\.?|\b(?:my|our|the|a)\s+(?:floor|lower\s+limit|lower\s+bound|bottom\s+line)(?:\s+for\s+(?:me|us))?|\bas\s+(?:low|few|little)\s+as"
    r"|\bthe\s+(?:very\s+)?(?:least|lowest|fewest|smallest)\s+(?:amount\s+|number\s+)?(?:that\s+)?(?:i|we|he|she|they|you)(?:'d|'ll)?(?:\s+[a-z']+){1,4}?(?=\s+(?:is|would|are)\b)"
    r"|\bupwards\s+of|\bstarting\s+(?:at|from)|\bnorth\s+of"
    rf"){_AFTER_CUE}|\b(?:minimum|min):\s*$|\b{_NEGATION}\s+{_FILL}(?:less|fewer|lower|below|under)(?:\s+than)?\s+$"
)
_HIGH_LEAD = re.compile(
    rf"(?:\b{_NEGATION}\s+{_FILL}(?:more|above|over|past|beyond|higher|exceed|further|bigger|larger|upwards)(?:\s+than)?"
    r"|\bat\s+(?:the\s+)?(?:very\s+)?(?:most|outside)|\b(?:no|not\s+(?:a\s+(?:cent|penny|dollar|single\s+one|crate|bit)\s+)?)\s*(?:more|higher|greater|larger|bigger|over|above)(?:\s+than)?"
    r"|\b(?:the\s+|my\s+|our\s+|a\s+|an\s+)?(?:absolute\s+)?max(?:imum)?(?:\s+(?:here|for\s+(?:me|us)|i\s+[a-z']+|we\s+[a-z']+))?|\b(?:anything\s+|anywhere\s+)?up\s+to|\b(?:my|our|the|a)\s+(?:ceiling|cap|upper\s+limit|upper\s+bound|hard\s+limit|limit|top|budget)(?:\s+for\s+(?:me|us))?"
    r"|\b(?:capped|cap\s+it|tops?\s+out|max(?:es)?\s+out|limited)|\bas\s+(?:much|many|high|far)\s+as|\b(?:stretch|go\s+up|go\s+as\s+high\s+as)"
    r"|\bthe\s+(?:very\s+)?(?:most|highest|largest)\s+(?:amount\s+|number\s+)?(?:that\s+)?(?:i|we|he|she|they|you)(?:'d|'ll)?(?:\s+[a-z']+){1,4}?(?=\s+(?:is|would|are)\b)"
    rf"){_AFTER_CUE}|\b(?:maximum|max):\s*$"
)
_EXACT_LEAD = re.compile(
    r"\b(?:exactly|precisely|(?:has|have|needs?)\s+to\s+be|must\s+be|no\s+more\s+and\s+no\s+less\s+than|nothing\s+(?:but|other\s+than))\s+(?:exactly\s+)?$"
)
_COMPARE_LEAD = re.compile(
    r"\b(?:(?P<up>more\s+than|over|above|greater\s+than|higher\s+than|beyond|past|north\s+of)|(?P<down>less\s+than|fewer\s+than|under|below|lower\s+than))\s+$"
)
_WISH = re.compile(
    r"\b(?:need|needs|want|wants|require|requires|must\s+(?:be|have|get|stay)|has\s+to\s+be|have\s+to\s+be|keep\s+(?:it|this|that|things)?|stay|has\s+to\s+stay|have\s+to\s+stay|kept|be)\s*(?:something\s+|anything\s+|at\s+)?$"
)
_UNFIT = re.compile(
    r"[^.;!?0-9]{0,24}?\b(?:is|are|'s|would\s+be|be|was)?\s*(?:won't|wouldn't|doesn't|don't|can't|isn't|aren't|not|no\s+(?:good|use|way)|too\s+(?:much|many|little|few|low|high)|out(?:\s+of\s+(?:the\s+question|reach))?|impossible|useless|pointless|never|more\s+than\s+(?:i|we)\s+can)\b"
)
_FITS = re.compile(
    r"[^.;!?0-9,]{0,16}?\b(?:works?|is\s+(?:fine|ok|okay|good|great)|suits?|will\s+do|would\s+(?:do|work))\b"
)
_LOW_TAIL = re.compile(
    r",?\s*(?:or\s+(?:more|above|higher|over|up|greater|better|upwards)|and\s+(?:up|above|upwards?|more|over)(?!\s+to\b)|upwards|on\s+up|at\s+(?:the\s+)?(?:very\s+)?least|minimum|and\s+no(?:t)?\s+(?:less|fewer|lower)"
    r"|\+|(?:is|are|'s|would\s+be)\s+(?:my|our|the|a)\s+(?:\w+\s+)?(?:minimum|floor|lower\s+limit|least|lowest|bottom\s+line|fewest)|plus)(?!\w)"
)
_HIGH_TAIL = re.compile(
    r",?\s*(?:or\s+(?:less|fewer|under|below|lower)|and\s+(?:under|below|down)|tops|max(?:imum)?\b|at\s+(?:the\s+)?(?:very\s+)?(?:most|outside)|and\s+no(?:t)?\s+(?:a\s+\w+\s+)?(?:more|higher)"
    r"|(?:is|are|'s|would\s+be)\s+(?:as\s+(?:high|far|much|many)\s+as|(?:my|our|the|a)\s+(?:\w+\s+)?(?:maximum|max|limit|ceiling|cap|most|highest|top|budget)))(?!\w)"
)
_EXACT_TAIL = re.compile(
    r",?\s*(?:exactly|precisely|on\s+the\s+nose|or\s+nothing|no\s+more,?\s+(?:and\s+)?no\s+less)\b"
)
_UP_FROM = re.compile(r"\bfrom\s+$")
_UP_TAIL = re.compile(r"\s*(?:up|upwards?|onwards?|on)\b(?!\s+to\b)")
_TO = re.compile(
    r"\s*(?:-|—|\bto\b|\bthrough\b|,?\s*(?:\band\s+)?\bup\s+to\b|\band\s+as\s+(?:many|much|high)\s+as\b)\s*(?:about\s+|around\s+|maybe\s+)?$"
)
_AND = re.compile(r"\s*(?:and|&|to|-)\s*(?:about\s+|around\s+)?$")
_BETWEEN = re.compile(r"\bbetween\s+(?:about\s+|around\s+|roughly\s+)?$")
_CHANGE = re.compile(
    r"\b(?:change|move|bump|raise|lower|switch|went|go|going|moved|changed|drop|cut)\b[^.;,]{0,16}\bfrom\s+$"
)
_NOT_RANGE = re.compile(r"\b(?:not|n't|never|cannot)\b[^.,;]{0,16}$")
_SUBJECT = re.compile(
    r"\b(?:(i|we|i'm|i'd|we'd|i'll|my|our|me|us)|(you|your|you'd|you're|he|she|they|his|her|their))\b"
)


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
            merged = _merged(text, low, found[-1], single) if found else None
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
    return bool(_HIGH_LEAD.search(low, max(0, first.start - 60), first.start))


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
    for kind, pattern in (("exact", _EXACT_LEAD), ("low", _LOW_LEAD), ("high", _HIGH_LEAD)):
        match = pattern.search(low, floor, mention.start)
        if match is not None:
            return _range(text, low, _bounds(kind, value), (match.start(), mention.end), mention, mention)
    return _compared(text, low, mention, floor)


def _compared(text: str, low: str, mention: NumberMention, floor: int) -> RangeMention | None:
    """ "More than 8" counts only where it is wished for ("I need more than 8") or ruled out ("more than 8 won't do")."""
    match = _COMPARE_LEAD.search(low, floor, mention.start)
    if match is None:
        return None
    up = match["up"] is not None
    value = mention.value
    beyond = value + (1 if up else -1) if isinstance(value, int) else value
    span = (match.start(), mention.end)
    if _UNFIT.match(low, mention.end):
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
        for kind, pattern in (("exact", _EXACT_TAIL), ("low", _LOW_TAIL), ("high", _HIGH_TAIL)):
            match = pattern.match(low, position)
            if match is not None and not _belongs_to_next(low, match.end(), until):
                return kind, match.end()
        word = _WORD.match(low, position)
        if word is None or word.group(1) in NOT_A_UNIT - _SKIPPED or word.end() > until:
            return None
        position = word.end()
    return None


_WORD = re.compile(r"[\s-]+([a-z][a-z'-]*)")
_SKIPPED = frozenset("in total altogether overall of the for me us".split())


def _belongs_to_next(low: str, end: int, until: int) -> bool:
    gap = low[end:until]
    return until < len(low) and (not gap.strip() or gap.strip() in ("of", "about", "is", "than", ":", "$"))


def _merged(text: str, low: str, first: RangeMention, second: RangeMention) -> RangeMention | None:
    """One range from a low and a high that follow each other, unless they are another person's or another thing's."""
    if (first.low is None) == (first.high is None) or (second.low is None) == (second.high is None):
        return None
    if (first.low is None) == (second.low is None) or sentence_at(text, first.start) != sentence_at(text, second.start):
        return None
    if first.unit and second.unit and first.unit != second.unit or first.by != second.by:
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
