"""An utterance about a split as words in order: whose they are, which numbers can be shares, slips blanked out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from attrs import frozen

from adidem.core.domain import SEATS, Amount, Public, Seat, other
from adidem.core.language import NumberMention, RangeMention, find_numbers, find_ranges
from adidem.core.language.clauses import level
from adidem.core.language.cues import load_cues
from adidem.core.language.patterns import Pattern, Patterns

CUE = load_cues("shares", Path(__file__).parent)
WORDS = Patterns(lambda name: f" {CUE[name]} ")
"""A cue of that name in a text of words: see `Talk.text`."""

ENDS = frozenset(".?")
BREAKS = ENDS | frozenset(", : — – but so then however and because".split())
EQUAL = Pattern(lambda: CUE["equal"])


# ------------------------------------------------------------------------------------------------- mending what is said

_SLIP = Pattern(lambda: rf"[^.!?\n]{{0,30}}?\b{_marked()}\b{_then()}")
_LATE_SLIP = Pattern(lambda: rf".{{0,40}}?\b{CUE['sure_marker']}\b{_then()}", re.DOTALL)
_RESTART = Pattern(lambda: rf"[,;—-]\s*{_marked()}(?=[\s,:—-])[^.!?\n]*")
_DIGITS = r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_SLASH = Pattern(rf"(?<![0-9/.,]){_DIGITS}(\s?[/-]\s?)(?=[$€£]?{_DIGITS}(?![0-9/]))")


def _marked() -> str:
    """What marks a slip."""
    return rf"(?:{CUE['marker']}|{CUE['sure_marker']})"


def _then() -> str:
    """What may stand between a slip's mark and the number that is meant."""
    return rf"(?:[\s,.!:…—-]|\b{CUE['slip_words']}\b)*[$€£]?\s*"


def _unslash(text: str, total: int) -> str:
    """ "140/100" with "&" for "/", where the two make the total, so that both are heard as numbers."""
    if "/" not in text and "-" not in text:
        return text

    def ampersand(match: re.Match[str]) -> str:
        one, two = (int(match[n].replace(",", "")[:15]) for n in (1, 3))
        return match[1] + match[2].replace("/", "&").replace("-", "&") if one + two == total else match[0]

    return _SLASH.sub(ampersand, text)


@lru_cache(maxsize=2048)
def _mend(text: str) -> str:
    """The text with slips that the speaker corrects blanked out, offsets kept: "12, sorry, I meant 14" says 14."""
    numbers = find_numbers(text)
    low = level(text)
    for one, two in pairwise(numbers):
        gap = low[one.end : two.start]
        if _SLIP.fullmatch(gap) or _LATE_SLIP.fullmatch(gap):
            text = _blank(text, one.start, two.start)
        elif len(gap) < 90 and (restart := _RESTART.search(gap)) is not None:
            begin = max(low.rfind(mark, 0, one.start) for mark in ".!?\n") + 1
            text = _blank(text, begin, one.end + restart.start() + 1)
    return text


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


# ------------------------------------------------------------------------------------------------------- words in order

_MONEY_UNITS = frozenset("dollar dollars buck bucks euro euros quid pound pounds usd eur gbp".split())
_NO_UNIT = frozenset("respectively together upfront cash gladly happily myself".split())
_SPEAKER = frozenset("i me myself".split())
_LISTENER = frozenset("you yourself".split())
_OURS = frozenset("we us our ours".split())
_POSSESSIVES = {"my": "@s", "mine": "@s", "your": "@l", "yours": "@l"}
_WORD = r"[a-z]+(?:'[a-z]+)?|[0-9][0-9:.,/]*|\n|[^\sa-z0-9*_\"]"
APPROX = Pattern(lambda: rf"{CUE['approximate']}\s+[$€£]?\s*$")
VAGUE_TAIL = Pattern(r"\s?-?ish\b|[\s\w]{0,12}\bor so\b|[\s\w]{0,12}\bgive or take\b")
ADDED = Pattern(lambda: rf"\b{CUE['added']}\s+[$€£]?\s*$")
_OTHERWISE = Pattern(lambda: rf"\b{CUE['otherwise']}\s+(?:the\s+)?[$€£]?\s*$")
MORE_TAIL = Pattern(r"\s+(?:more|extra|additional|fewer|less|further)\b(?!\s+than)")
RATE_TAIL = Pattern(r"(?:\s+(?!in\b)[a-z]+)?\s+(?:per|every|a)\s+(?:day|week|month|year|night|person|head|hour|mile)\b")
_OF_WHOLE = Pattern(r"\b(?:of|out of)\s+(?:the|our|all|those|these)?\s*(?:full|whole|total)?\s*[$€£]?\s*$")
_ALL_LEAD = Pattern(r"\b(?:all|full|whole|entire)\s+[$€£]?\s*$")


@frozen(unsafe_hash=False)
class Talk:
    """An utterance as words in order. Owners are `@s` (speaker), `@l` (listener), `@w` (both); an amount that can be
    a share is `#`, any other number `%`; `spans` are the words' offsets."""

    words: list[str]
    spans: list[tuple[int, int]]
    amounts: Mapping[int, Amount]
    numbers: tuple[NumberMention, ...]
    ranges: tuple[RangeMention, ...]
    low: str
    public: Public
    speaker: Seat
    fill: frozenset[str]
    doing: frozenset[str]

    def seat(self, owner: str) -> Seat:
        """The seat of an owner word."""
        return other(self.speaker) if owner == "@l" else self.speaker

    def numbers_in(self, mention: RangeMention) -> list[NumberMention]:
        """The numbers inside the words of a range; there is always one."""
        return [n for n in self.numbers if mention.start <= n.start < mention.end]

    def at(self, offset: int) -> int:
        """The index of the first word that starts at or after an offset."""
        return next((i for i, span in enumerate(self.spans) if span[0] >= offset), len(self.spans))

    def back_to(self, index: int, stops: frozenset[str]) -> int:
        """The index after the last stop word before `index`."""
        while index > 0 and self.words[index - 1] not in stops:
            index -= 1
        return index

    def on_to(self, index: int, stops: frozenset[str]) -> int:
        """The index of the first stop word at or after `index`."""
        while index < len(self.words) and self.words[index] not in stops:
            index += 1
        return index

    def text(self, start: int, end: int) -> str:
        """The words from `start` to `end`, one blank between, one at either side."""
        return f" {' '.join(self.words[start:end])} "


def listen(text: str, public: Public, speaker: Seat) -> Talk | None:
    """The words of an utterance, or None where it holds no amount and no talk of equal parts; slips are mended."""
    text = _mend(_unslash(text, public.facts["total"]))
    numbers = find_numbers(text)
    low = level(text)
    if not numbers and not EQUAL.search(low):
        return None
    facts = public.facts
    ranges = tuple(r for r in find_ranges(text) if r.low != r.high)
    taken = [_number_word(n, low, ranges, numbers, facts) for n in numbers]
    words, spans, amounts = [], [], {}
    position = 0
    pattern, owners = _lexicon(public.names, speaker)
    for number, (word, end) in [*zip(numbers, taken, strict=True), (None, ("", 0))]:
        until = len(low) if number is None else number.start
        for match in pattern.finditer(low, position, until):
            for piece in _pieces(match.group(), owners):
                words.append(piece)
                spans.append(match.span())
        if number is not None:
            if word == "#":
                amounts[len(words)] = number.value
            words.append(word)
            spans.append((number.start, number.end))
            position = end
    fill, doing = _filling(tuple(facts["verbs"]))
    return Talk(words, spans, amounts, numbers, ranges, low, public, speaker, fill, doing)


def _number_word(
    number: NumberMention,
    low: str,
    ranges: Sequence[RangeMention],
    numbers: Sequence[NumberMention],
    facts: Mapping[str, Any],
) -> tuple[str, int]:
    """`#` for an amount that can be a share, else `%`; and where the number with its unit ends."""
    end = number.end
    unit_is_ours = number.unit is not None and number.unit in _units(facts)
    if number.unit is not None and unit_is_ours:
        end = low.find(number.unit, end) + len(number.unit)
    floor = max(0, number.start - 26)
    bound = any(r.start <= number.start < r.end for r in ranges)
    vague = APPROX.search(low, floor, number.start) or VAGUE_TAIL.match(low, number.end)
    other_thing = (
        _OTHERWISE.search(low, floor, number.start)
        or MORE_TAIL.match(low, number.end)
        or RATE_TAIL.match(low, number.end)
    )
    if bound or vague or other_thing or not counts(number, facts) or _is_whole(number, low, numbers, facts):
        return "%", end
    return "#", end


def counts(number: NumberMention | RangeMention, facts: Mapping[str, Any]) -> bool:
    """The number is in the setting's unit, or in none."""
    ours = number.unit is None or number.unit in _NO_UNIT or number.unit in _units(facts)
    return number.money or ours if facts["currency"] else ours and not number.money


def _units(facts: Mapping[str, Any]) -> frozenset[str]:
    named = {facts["unit"], facts["units"], *facts["nouns"]} - {""}
    return frozenset(named) | (_MONEY_UNITS if facts["currency"] else frozenset())


def _is_whole(number: NumberMention, low: str, numbers: Sequence[NumberMention], facts: Mapping[str, Any]) -> bool:
    """The number is the total that is split, not somebody's share: "of the 24 hours"."""
    if number.value != facts["total"]:
        return False
    floor = max(0, number.start - 26)
    if _OF_WHOLE.search(low, floor, number.start):
        return True
    return not (any(n.value == 0 for n in numbers) or _ALL_LEAD.search(low, floor, number.start))


@lru_cache(maxsize=512)
def _lexicon(names: tuple[str, str], speaker: Seat) -> tuple[re.Pattern[str], Mapping[str, str]]:
    owners = dict.fromkeys(_SPEAKER, "@s") | dict.fromkeys(_LISTENER, "@l") | dict.fromkeys(_OURS, "@w")
    spelt = []
    for seat, name in zip(SEATS, names, strict=True):
        for form in {level(name), level(name).split()[0]}:
            owners[form] = "@s" if seat == speaker else "@l"
            spelt.append(form)
    spelt.sort(key=len, reverse=True)
    exact = "|".join(rf"\b{re.escape(form)}(?:'s)?(?![a-z])" for form in spelt)
    return re.compile(f"{exact}|{_WORD}"), owners


def _pieces(word: str, owners: Mapping[str, str]) -> tuple[str, ...]:
    """ "i'll" is `@s 'll`, "my" is `@s 's`, "Tom's" is `@l 's`; other words stay."""
    if word in owners:
        return (owners[word],)
    if word in _POSSESSIVES:
        return _POSSESSIVES[word], "'s"
    head, mark, tail = word.partition("'")
    if mark and head in owners:
        return owners[head], f"'{tail}"
    if word in (".", "!", "…", "\n", ";"):
        return (".",)
    return (word,)


_VERBS = "take pay cover do get keep contribute chip handle carry bring receive fund put use claim accept manage go"
_SPECIAL = {"do": ("does", "doing"), "go": ("goes", "going"), "put": ("puts", "putting"), "get": ("gets", "getting")}
_FILL = frozenset(
    """will 'll would 'd could can may might should shall to be being then just also maybe perhaps probably gladly
    happily certainly definitely still instead simply in on up at with as is are 're am 'm 've 's of the a all full
    whole entire remaining other last rest share part half portion side end slice cut = : - have has need needs want
    wants like happy glad willing ready able prepared agree agreed offer live good fine okay ok can't cannot
    couldn't won't wouldn't don't doesn't not never mind afford manage getting going towards into toward → >""".split()
)


@lru_cache(maxsize=256)
def _filling(verbs: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The words that may stand between an owner and the share, and those of them that say it is taken."""
    doing = {form for verb in (*_VERBS.split(), *verbs) for form in _forms(verb)}
    return _FILL | doing, frozenset(doing)


def _forms(verb: str) -> tuple[str, ...]:
    if verb in _SPECIAL:
        return (verb, *_SPECIAL[verb])
    stem = verb[:-1] if verb.endswith("e") else verb
    plural = f"{verb}es" if verb.endswith(("s", "sh", "ch", "x")) else f"{verb}s"
    return verb, plural, f"{stem}ing", f"{verb}{verb[-1]}ing"
