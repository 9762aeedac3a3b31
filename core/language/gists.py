"""What is left of an utterance when how it is said is taken away: its figures, its words, its courtesy."""

from __future__ import annotations

from functools import lru_cache

from attrs import frozen

from adidem.core.language.clauses import level
from adidem.core.language.numbers import find_numbers
from adidem.core.language.patterns import Pattern
from adidem.core.language.times import Day, find_durations, find_times

Figure = tuple[str, int | float]
"""A number, or a time in minutes of half a day: "half past two", 2:30 and 14:30 are one figure, as are 2 and 2:00."""

_WORD = Pattern(r"[a-z]+(?:'[a-z]+)?")
_ENDING = Pattern(r"(?:'s|ing|edly|ed|ies|es|s|ly)$")
_FORM = frozenset(
    """a about actually again ah aha all already also although am an and any anything are aren't as at away aye be
    because been being both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down
    each either else even ever every everything exactly few for from further get gets getting give gives giving go goes
    going gone got had has hasn't have haven't having he her here him his hm hmm how however i i'd i'll i'm i've if in
    indeed instead into is isn't it it'd it'll it's its just know let let's like little look lot made make makes making
    many may maybe me mean meant might mine more most much must my myself need needed needs neither never no nope nor
    not nothing now of off often oh ok okay on once one only onto or other our out over own part per perhaps possible
    put quite rather really right said same say saying see seem seems shall she should simply so some somehow something
    soon still such sure take takes taking tell than that that's the their them then there there's these they thing
    things think this those though thought to together too total totally try two under until up upon us use used very
    want wants was wasn't way we we'd we'll we're we've well went were weren't what what's when where whether which
    while who why will with within without won't would wouldn't yeah yep yes yet you you'd you'll you're you've your
    yours yourself absolutely completely fully truly entirely certainly definitely come ever anyway honestly
    afraid able explore work works till past""".split()
)
_COURTESY = frozenset(
    """appreciate anytime apologise apologize best bye care cheers chat check concern contact dear delighted fine
    forward free glad good goodbye grateful great happy hear hello help helpful hesitate hey hi hope important kind
    lovely luck nice patience perfect please pleased pleasure reach respect share sorry support thank thanks thankful
    touch understand understood unfortunately warm welcome wish wonderful worry sadly""".split()
)


@frozen(slots=True)
class Gist:
    """The figures of an utterance, the stems of its words that carry meaning, and those of its courtesy."""

    figures: frozenset[Figure]
    words: frozenset[str]
    courtesy: frozenset[str]


@lru_cache(maxsize=4096)
def gist(text: str, names: tuple[str, ...] = (), within: Day | None = None) -> Gist:
    """The gist of an utterance; people's `names` are no words of it. Figures count however they are spelt."""
    low = level(text)
    spans: list[_Span] = [(m.start, m.end, ("t", _minutes(m.time))) for m in find_times(text, within)]
    spans += _lasting(text, spans)
    spans += _counted(text, spans)
    for start, end, _ in spans:
        low = low[:start] + " " * (end - start) + low[end:]
    skipped = {part for name in names for part in level(name).split()}
    stems = {_stem(word) for word in _WORD.findall(low) if word not in _FORM and word not in skipped}
    courtesy = frozenset(stem for stem in stems if stem in _COURTESY_STEMS)
    return Gist(frozenset(figure for _, _, figure in spans), frozenset(stems - courtesy), courtesy)


_Span = tuple[int, int, Figure]


def _lasting(text: str, taken: list[_Span]) -> list[_Span]:
    found = find_durations(text)
    return [(m.start, m.end, ("d", m.minutes)) for m in found if not _overlaps(m.start, m.end, taken)]


def _counted(text: str, taken: list[_Span]) -> list[_Span]:
    found: list[_Span] = []
    for mention in find_numbers(text):
        if not _overlaps(mention.start, mention.end, taken):
            hour = isinstance(mention.value, int) and 1 <= mention.value <= 12
            figure: Figure = ("t", int(mention.value) % 12 * 60) if hour else ("n", mention.value)
            found.append((mention.start, mention.end, figure))
    return found


def _overlaps(start: int, end: int, spans: list[_Span]) -> bool:
    return any(s < end and start < e for s, e, _ in spans)


def _minutes(time: str) -> int:
    hour, minute = time.split(":")
    return int(hour) % 12 * 60 + int(minute)


def _stem(word: str) -> str:
    stem = _ENDING.sub("", word)
    return stem if len(stem) > 2 else word


_COURTESY_STEMS = frozenset(map(_stem, _COURTESY))
