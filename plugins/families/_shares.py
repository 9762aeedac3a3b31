"""Hears how two people speak of a split: bounds, shares and whole splits, refusals, and slips that they correct.

It knows the public words of a scenario and who speaks, nothing private.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from attrs import evolve, frozen

from adidem.core.domain import SEATS, Amount, Fact, Plan, Public, Seat, other
from adidem.core.language import NumberMention, RangeMention, find_numbers, find_ranges
from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern


def shares_said(text: str, public: Public, speaker: Seat) -> tuple[tuple[Fact, ...], tuple[Plan, ...]]:
    """What a text says of ranges, and the splits it puts forward or turns down: each person's amount by name."""
    talk = _read(_mend(_unslash(text, public.facts["total"])), public, speaker)
    if talk is None:
        return (), ()
    plans = sorted([*_equal_splits(talk), *_plans(talk)], key=lambda plan: plan.start)
    return tuple(_facts(talk)), tuple(_without_repeats(plans))


# ------------------------------------------------------------------------------------------------- mending what is said

_MARKER = (
    r"(?:(?<!i'm )(?<!am )(?<!so )(?<!very )sorry(?! (?:but|to|for|about|that|i can't|no))|no,? wait|wait|oops|whoops"
    r"|hang on|i mean|or rather|my mistake|my bad|apologies|pardon|actually|(?<=[,-] )no(?=[,-]))"
)
_SURE_MARKER = (
    r"(?:i mean[t]?\b|correction|scratch that|strike that|make (?:that|it)\b|i misspoke|that should (?:be|have been)"
    r"|i should have said|let me correct)"
)
_SLIP_WORDS = (
    r"(?:[\s,.!:…—-]|\b(?:i|meant?|mean|to|say|said|make|that|that's|it|it's|is|was|be|should|have|been|wrong|no|wait|sorry"
    r"|actually|rather|correction|mistake|my|let|me|correct|myself|at|least|most|up|more|less|fewer|than|minimum|maximum)\b)*"
)
_SLIP = Pattern(rf"[^.!?\n]{{0,30}}?\b(?:{_MARKER}|{_SURE_MARKER})\b{_SLIP_WORDS}[$€£]?\s*")
_LATE_SLIP = Pattern(rf".{{0,40}}?\b{_SURE_MARKER}\b{_SLIP_WORDS}[$€£]?\s*", re.DOTALL)
_RESTART = Pattern(rf"[,;—-]\s*(?:{_MARKER}|{_SURE_MARKER})(?=[\s,:—-])[^.!?\n]*")
_DIGITS = r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_SLASH = Pattern(rf"(?<![0-9/.,]){_DIGITS}(\s?[/-]\s?)(?=[$€£]?{_DIGITS}(?![0-9/]))")


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
_APPROX = Pattern(
    r"(?:(?<!how )(?<!what )\babout|\baround|\broughly|\bapprox(?:imately)?\.?|\bnearly|\balmost|\bsome"
    r"|\bsomething like)\s+[$€£]?\s*$"
)
_VAGUE_TAIL = Pattern(r"\s?-?ish\b|[\s\w]{0,12}\bor so\b|[\s\w]{0,12}\bgive or take\b")
_BY = r"another|an? (?:extra|additional|further)|by"
_ADDED = Pattern(rf"\b(?:{_BY})\s+[$€£]?\s*$")
_OTHERWISE = Pattern(
    r"\b(?:instead of|rather than|as opposed to|not|than|over|under|above|below|past|beyond|up to|at least|at most"
    rf"|within|exceed|until|{_BY})\s+(?:the\s+)?[$€£]?\s*$"
)
_MORE_TAIL = Pattern(r"\s+(?:more|extra|additional|fewer|less|further)\b(?!\s+than)")
_RATE_TAIL = Pattern(
    r"(?:\s+(?!in\b)[a-z]+)?\s+(?:per|every|a)\s+(?:day|week|month|year|night|person|head|hour|mile)\b"
)
_OF_WHOLE = Pattern(r"\b(?:of|out of)\s+(?:the|our|all|those|these)?\s*(?:full|whole|total)?\s*[$€£]?\s*$")
_ALL_LEAD = Pattern(r"\b(?:all|full|whole|entire)\s+[$€£]?\s*$")


@frozen(unsafe_hash=False)
class _Talk:
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


def _read(text: str, public: Public, speaker: Seat) -> _Talk | None:
    """The words of an utterance, or None where it holds no amount and no talk of equal parts."""
    numbers = find_numbers(text)
    low = level(text)
    if not numbers and not _EQUAL.search(low):
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
    return _Talk(words, spans, amounts, numbers, ranges, low, public, speaker, fill, doing)


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
    vague = _APPROX.search(low, floor, number.start) or _VAGUE_TAIL.match(low, number.end)
    other_thing = (
        _OTHERWISE.search(low, floor, number.start)
        or _MORE_TAIL.match(low, number.end)
        or _RATE_TAIL.match(low, number.end)
    )
    if bound or vague or other_thing or not _counts(number, facts) or _is_whole(number, low, numbers, facts):
        return "%", end
    return "#", end


def _counts(number: NumberMention | RangeMention, facts: Mapping[str, Any]) -> bool:
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


# --------------------------------------------------------------------------------------------------- facts about ranges

_ENDS = frozenset(".?")
_BREAKS = _ENDS | frozenset(", : — – but so then however and because".split())
_ASKING = frozenset(
    """what how can could would will do does did is are shall should any might may have has was why which who where
    when""".split()
)
_SOFT = Pattern(
    r" (?:ideally|prefer|preferably|hoping|hope|wish|love|would like|'d like|comfortable|happiest|rather|dream) "
)
_PAST = Pattern(
    r" (?:last (?:year|time|week|month|night|season|spring|summer|autumn|fall|winter|term|quarter)|yesterday|used to"
    r"|previously|back then|usually|normally|in the past|years ago|already) "
)
_REPORTED = Pattern(
    r" @l (?:just |also |already |clearly |'ve |have )*(?:said|mentioned|told|stated|explained|wrote|say|says) "
)
_HYPOTHESIS = Pattern(r" (?:if|suppose|supposing|assuming|whether|unless|imagine|when) (?:\S+ ){0,2}?@l ")
_TOLD = Pattern(r"\b(?:told|tell|tells|telling|showed|asked) @[slw] ")
_ASKED_OF = Pattern(
    r" @s (?:\S+ ){0,3}?(?:(?:need|want|expect) @l to|(?:give|leave|let|allow|offer|hand) @l) (?:\S+ ){0,4}$"
)
_DEMAND = Pattern(
    r" @l (?:'d |would |will |'ll |really |just )*"
    r"(?:must|should|ought|needs? to|have to|has to|better|can|could|may|might) "
)
_NOT_NEEDED = Pattern(r" (?:don't|do not|never|didn't) (?:\S+ )?(?:need|say|said|have|mean) (?!to )")
_GIVING = Pattern(r" @s (?:\S+ ){0,3}?(?:spare|give up|part with|hand over|let go of|offer @l|do without|spare @l) ")


def _facts(talk: _Talk) -> list[Fact]:
    """The bounds that somebody's share has, in the order of the text; a least and a most of one sentence are one."""
    found: list[tuple[int, Fact]] = []
    for mention in (*talk.ranges, *_only(talk)):
        fact = _fact(talk, mention)
        if fact is None:
            continue
        sentence = talk.back_to(talk.at(mention.start), _ENDS)
        if found and found[-1][0] == sentence and (joined := _joined(found[-1][1], fact)) is not None:
            found[-1] = (sentence, joined)
        else:
            found.append((sentence, fact))
    return [fact for _, fact in found]


def _fact(talk: _Talk, mention: RangeMention) -> Fact | None:
    facts = talk.public.facts
    index = talk.at(talk.numbers_in(mention)[0].start)
    begin = talk.back_to(index, _ENDS)
    if not _counts(mention, facts) or facts["total"] in (mention.low, mention.high) or _is_vague(talk, mention):
        return None
    lead = talk.text(begin, index)
    clause = talk.text(talk.back_to(index, _BREAKS), index)
    if _SOFT.search(clause) or _PAST.search(lead) or _NOT_NEEDED.search(clause) or _GIVING.search(clause):
        return None
    if _is_asked(talk, index) or " split " in clause or _HYPOTHESIS.search(clause):
        return None
    value = {"least": mention.low, "most": mention.high}
    about = _about(talk, lead, mention)
    if about == "listener" and _ASKED_OF.search(lead):
        value = {"least": _rest(facts, mention.high), "most": _rest(facts, mention.low)}
        return Fact("range", value, "speaker", mention.start, mention.end)
    if about == "listener" and _DEMAND.search(clause) and not _REPORTED.search(lead):
        return None
    return Fact("range", value, about, mention.start, mention.end)


def _rest(facts: Mapping[str, Any], bound: Amount | None) -> Amount | None:
    return None if bound is None else facts["total"] - bound


def _is_vague(talk: _Talk, mention: RangeMention) -> bool:
    """A bound that is itself approximate, or an amount on top of another, is no bound."""
    after = talk.at(mention.end)
    if mention.text.endswith("plus") and after < len(talk.words) and talk.words[after] not in _BREAKS:
        return True
    for number in talk.numbers_in(mention):
        start, end = number.start, number.end
        floor = max(0, start - 26)
        if (
            _APPROX.search(talk.low, floor, start)
            or _ADDED.search(talk.low, floor, start)
            or _VAGUE_TAIL.match(talk.low, end)
        ):
            return True
        if _MORE_TAIL.match(talk.low, end) or _RATE_TAIL.match(talk.low, end):
            return True
    return False


def _about(talk: _Talk, lead: str, mention: RangeMention) -> Any:
    """Whose bound it is: the nearest person named before it, else the one it is for, else the speaker."""
    owners = re.findall(r"@[slw]", _TOLD.sub("", lead))
    if owners:
        return "listener" if owners[-1] == "@l" else "speaker"
    after = talk.at(mention.end)
    follow = re.match(r" (?:\S+ )?(?:for|from|to|on) (@[sl])", talk.text(after, after + 4))
    return "listener" if follow is not None and follow[1] == "@l" else "speaker"


def _is_asked(talk: _Talk, index: int) -> bool:
    """The word stands in a clause that asks: "do you need at least …?"."""
    end = talk.on_to(index, _ENDS)
    if end == len(talk.words) or talk.words[end] != "?":
        return False
    start = talk.back_to(index, _BREAKS)
    return any(word in _ASKING for word in talk.words[start : start + 2])


def _only(talk: _Talk) -> Iterator[RangeMention]:
    """ "I can only pay 140" says that 140 is the most."""
    for index, value in talk.amounts.items():
        start = talk.back_to(index, _BREAKS)
        lead = talk.text(start, index)
        if re.search(r" @[sl] (?:can|could|have|'ve|'m|am|are|will|'ll) (?:\S+ )?only (?:\S+ ){0,3}$", lead):
            begin, end = talk.spans[start][0], talk.spans[index][1]
            money = bool(talk.public.facts["currency"])
            yield RangeMention(None, value, talk.spans[index][0], end, talk.low[begin:end], money)


def _joined(one: Fact, two: Fact) -> Fact | None:
    """One fact of two about the same person where they do not differ, or None."""
    if one.about != two.about:
        return None
    least, most = ({fact.value[end] for fact in (one, two)} - {None} for end in ("least", "most"))
    if len(least) > 1 or len(most) > 1 or (least and most and min(least) > min(most)):
        return None
    value = {"least": min(least, default=None), "most": min(most, default=None)}
    return Fact("range", value, one.about, min(one.start, two.start), max(one.end, two.end))


# ----------------------------------------------------------------------------------------------------- shares and plans

_VERBS = "take pay cover do get keep contribute chip handle carry bring receive fund put use claim accept manage go"
_SPECIAL = {"do": ("does", "doing"), "go": ("goes", "going"), "put": ("puts", "putting"), "get": ("gets", "getting")}
_FILL = frozenset(
    """will 'll would 'd could can may might should shall to be being then just also maybe perhaps probably gladly
    happily certainly definitely still instead simply in on up at with as is are 're am 'm 've 's of the a all full
    whole entire remaining other last rest share part half portion side end slice cut = : - have has need needs want
    wants like happy glad willing ready able prepared agree agreed offer live good fine okay ok can't cannot
    couldn't won't wouldn't don't doesn't not never mind afford manage getting going towards into toward → >""".split()
)
_PREPOSITIONS = frozenset("for from to by on".split())
_LINKS = frozenset("is are would be goes go going comes coming being to 's that's 'd".split())
_NAMING = frozenset("share part portion".split())
_HAVING = frozenset("have has".split())
_MODALS = frozenset("will 'll would 'd could can should".split())
_WHERE = frozenset("side end part share account plate lot".split())
_DENIED = Pattern(
    r" (?:can't|cannot|couldn't|won't|wouldn't|don't|doesn't|didn't|not|never|unable|impossible|refuse|nor|shouldn't"
    r"|no way) "
)
_NOT_DENIED = Pattern(
    r" (?:why (?:not|don't|doesn't)|(?:don't|won't|wouldn't|not) (?:\S+ )?mind|not only|not a problem"
    r"|(?:can't|couldn't|won't|wouldn't) @[lw]) "
)
_TOO_MUCH = r"too (?:much|many|little|few|high|low|steep|long|far|big|small)"
_REFUSED = Pattern(
    rf" (?:{_TOO_MUCH}|(?:does|will|would|can|is|are|wo|ca)n't (?:\S+ )?(?:work|do|be|enough|fit|possible|going"
    r"|suit|feasible|ok(?:ay)?|fair|realistic|happen)|won't|wouldn't|can't|isn't|doesn't work|not (?:enough|possible"
    r"|going|okay|fair|doable|feasible|workable)|impossible|out of (?:the question|reach)|beyond|off the table|no good"
    r"|(?:more|less) than @s) "
)
_TOO = Pattern(
    rf"^ (?:\S+ ){{0,3}}?(?:{_TOO_MUCH} (?:for|on)|(?:is|are|be|'s|that's) (?:\S+ )?(?:more|less|fewer) than)"
    r" (@[sl]) "
)
_SAID_BEFORE = Pattern(
    r" @[sl] (?:just |also |already |originally |first |'ve |'d |have |had )*"
    r"(?:said|mentioned|told|suggested|proposed|offered|asked|wanted|stated) "
)
_UNSURE = Pattern(r" (?:not sure|unsure|doubt|wonder|unless|until|even if|before|whether) ")
_IF = Pattern(r"(?<! what)(?<! even) if ")
_ODD_QUESTION = Pattern(r" (?:do|does|did|are|were|have|has|had|when|where|how|who|why \S+) @[sl] (?:\S+ )*$")
_SPENT = frozenset("paid took had did got spent gave covered owe owed owes bought earned lost saved".split())
_UNLINKED = frozenset("or if but because unless instead not than".split())


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


@frozen
class _Share:
    """An amount that somebody is given: the words from `start` to `end` hold it, `index` is the amount's own.
    `sure` marks one that is a proposal even without the other share."""

    seat: Seat
    value: Amount
    index: int
    start: int
    end: int
    sure: bool
    rejected: bool = False


def _plans(talk: _Talk) -> list[Plan]:
    shares, paired = _distributed(talk)
    for index, value in talk.amounts.items():
        if index in paired:
            continue
        share = _share(talk, index, value)
        if share is not None:
            shares.append(share)
    shares.sort(key=lambda share: share.index)
    return list(_combined(talk, shares))


def _share(talk: _Talk, index: int, value: Amount) -> _Share | None:
    """The share that the amount at `index` is, where the words around say whose."""
    start, before, sure = _owner_before(talk, index)
    end, after, joint = _owner_after(talk, index)
    if before is not None and after is not None and before != after:
        if joint == "for":
            return None
        after = None
    too = _TOO.match(talk.text(index + 1, talk.on_to(index + 1, _ENDS)))
    owner = before or after or (too[1] if too else None)
    if owner is None or _is_past(talk, index):
        return None
    sure = sure or (after is not None and joint != "")
    if before is None:
        start = index
    if after is None:
        end = index + 1
    rejected = bool(too) or _is_denied(talk, start, index, end)
    sure = (sure and not _is_supposed(talk, start)) or bool(too)
    return _Share(talk.seat(owner), value, index, start, end, sure, rejected)


def _owner_before(talk: _Talk, index: int) -> tuple[int, str | None, bool]:
    """The owner that a few words of taking lead up to the amount from; sure where one of them is a verb of taking."""
    at = index - 1
    while at >= 0 and talk.words[at] in talk.fill and index - at < 10:
        at -= 1
    if at < 0 or talk.words[at] not in ("@s", "@l") or _is_one_of_two(talk, at):
        return index, None, False
    between = talk.words[at + 1 : index]
    has = _HAVING.intersection(between) and _MODALS.intersection((*between, *talk.words[max(0, at - 1) : at]))
    sure = bool(talk.doing.intersection(between) or _NAMING.intersection(between) or has)
    return at, talk.words[at], sure


def _is_one_of_two(talk: _Talk, at: int) -> bool:
    """ "You and I have 24": the amount belongs to both."""
    if at < 2 or talk.words[at - 1] not in ("and", "&", "or") or talk.words[at - 2] not in ("@s", "@l"):
        return False
    return at < 3 or (talk.words[at - 3] not in _PREPOSITIONS and talk.words[at - 3] not in ("#", "%"))


def _owner_after(talk: _Talk, index: int) -> tuple[int, str | None, str]:
    """The owner that the amount is for, and the preposition: "140 for me", "100 on your side", "140 me"."""
    words, at = talk.words, index + 1
    while at < len(words) and words[at] in _LINKS and at - index < 4:
        at += 1
    joint = ""
    if at < len(words) and (words[at] in _PREPOSITIONS or words[at] == "("):
        joint = words[at]
        at += 1
    if at >= len(words) or words[at] not in ("@s", "@l"):
        return index, None, ""
    follow = words[at + 1 : at + 3]
    if joint == "(" and follow[:1] != [")"]:
        return index, None, ""
    if follow[:1] == ["'s"]:
        if joint and (len(follow) < 2 or follow[1] not in _WHERE):
            return index, None, ""
        if not joint and len(follow) > 1 and follow[1] not in _BREAKS:
            return index, None, ""
    elif not joint and follow and follow[0] not in _BREAKS and follow[0] != "&":
        return index, None, ""
    if follow and follow[0] in ("#", ":", "=") and joint:
        return index, None, ""
    if words[index - 1 : index] and words[index - 1] in _SPENT:
        return index, None, ""
    return at + 1, words[at], joint


def _is_past(talk: _Talk, index: int) -> bool:
    start, end = talk.back_to(index, _ENDS), talk.on_to(index, _ENDS)
    return bool(_PAST.search(talk.text(start, end)))


def _is_supposed(talk: _Talk, start: int) -> bool:
    """Said earlier, only supposed, doubted or asked about: not put forward by itself."""
    begin = talk.back_to(start, _ENDS)
    lead = talk.text(begin, start + 1)
    clause = talk.text(talk.back_to(start, _BREAKS), start + 1)
    doubt = _UNSURE.search(clause) or _IF.search(clause) or _ODD_QUESTION.search(clause)
    return bool(doubt or _SAID_BEFORE.search(lead))


def _is_denied(talk: _Talk, start: int, index: int, end: int) -> bool:
    """The clause turns the share down: before it ("I can't take 140") or after it ("140 for me won't do")."""
    before = talk.text(talk.back_to(start, _BREAKS), index)
    if _DENIED.search(_NOT_DENIED.sub(" ", before)):
        return True
    stop = talk.on_to(end, _ENDS | frozenset(("#", "%", "but", "so", "and")))
    after = talk.text(end, stop)
    head, comma, tail = after.partition(" , ")
    if comma and tail.startswith(("that ", "which ", "this ", "it ", "that's ", "it's ")):
        head = after
    return bool(_REFUSED.search(head))


def _distributed(talk: _Talk) -> tuple[list[_Share], set[int]]:
    """Shares of two amounts said together: "140/100 for me and you", "Priya and Tom take 140 and 100"."""
    shares: list[_Share] = []
    taken: set[int] = set()
    for index in talk.amounts:
        second = index + 2
        if second not in talk.amounts or talk.words[index + 1] not in ("&", "and", "to", "/") or _is_past(talk, index):
            continue
        owners = _owners_after_both(talk, second) or _owners_before_both(talk, index) or _larger(talk, index, second)
        if owners is None:
            continue
        rejected = _is_denied(talk, index, index, second + 1)
        for at, owner in zip((index, second), owners, strict=True):
            shares.append(_Share(talk.seat(owner), talk.amounts[at], at, index, second + 1, True, rejected))
        taken |= {index, second}
    return shares, taken


_LEADING = frozenset("split for between from to with respectively , as going".split())


def _owners_after_both(talk: _Talk, second: int) -> tuple[str, str] | None:
    words, at = talk.words, second + 1
    while at < len(words) and words[at] in _LEADING and at - second < 5:
        at += 1
    return _two_owners(words[at : at + 3])


def _owners_before_both(talk: _Talk, index: int) -> tuple[str, str] | None:
    at = index - 1
    while at >= 0 and talk.words[at] in talk.fill and index - at < 8:
        at -= 1
    return _two_owners(talk.words[at - 2 : at + 1]) if at >= 2 else None


def _two_owners(words: Sequence[str]) -> tuple[str, str] | None:
    if len(words) < 3 or words[1] not in ("and", "&", "/", ","):
        return None
    return (words[0], words[2]) if {words[0], words[2]} == {"@s", "@l"} else None


_LARGER = Pattern(
    r"(@[sl]) (?:\S+ ){0,2}?the (?:(larger|bigger|greater|higher)|smaller|lesser|lower)"
    r" (?:share|part|half|portion|one|amount|number|chunk|slice)"
)


def _larger(talk: _Talk, index: int, second: int) -> tuple[str, str] | None:
    """Who is who where somebody takes the larger (or the smaller) of the two."""
    start, end = talk.back_to(index, _ENDS), talk.on_to(second, _ENDS)
    match = _LARGER.search(talk.text(start, end))
    if match is None or talk.amounts[index] == talk.amounts[second]:
        return None
    named, unnamed = match[1], "@l" if match[1] == "@s" else "@s"
    first_is_named = (talk.amounts[index] > talk.amounts[second]) == bool(match[2])
    return (named, unnamed) if first_is_named else (unnamed, named)


def _combined(talk: _Talk, shares: Sequence[_Share]) -> Iterator[Plan]:
    """Two shares that belong together are one plan; a sure share alone implies the other."""
    total = talk.public.facts["total"]
    at = 0
    while at < len(shares):
        one = shares[at]
        two = shares[at + 1] if at + 1 < len(shares) else None
        if two is not None and _belong(talk, one, two, total):
            at += 2
            yield _plan(talk, {one.seat: one.value, two.seat: two.value}, (one, two))
        elif two is not None and _clash(talk, one, two):
            at += 2
        else:
            at += 1
            if one.sure and 0 <= one.value <= total:
                yield _plan(talk, {one.seat: one.value, other(one.seat): total - one.value}, (one,))


def _belong(talk: _Talk, one: _Share, two: _Share, total: int) -> bool:
    """Two people's shares close together that make the total, or that are said in one breath and do not."""
    between = talk.words[one.index + 1 : two.index]
    if one.seat == two.seat or len(between) > 14:
        return False
    if one.value + two.value == total:
        return True
    return one.sure and two.sure and len(between) <= 9 and not (_ENDS | _UNLINKED).intersection(between)


def _clash(talk: _Talk, one: _Share, two: _Share) -> bool:
    """What each could take, side by side, that does not make the total: no plan."""
    if one.seat == two.seat or one.rejected or two.rejected:
        return False
    between = talk.words[one.index + 1 : two.index]
    return len(between) <= 12 and not _UNLINKED.intersection(between)


def _plan(talk: _Talk, by_seat: Mapping[Seat, Amount], shares: Sequence[_Share]) -> Plan:
    names = talk.public.names
    terms = {name: by_seat[seat] for seat, name in zip(SEATS, names, strict=True)}
    start = talk.spans[min(s.start for s in shares)][0]
    end = talk.spans[max(s.end for s in shares) - 1][1]
    return Plan(terms, start, end, any(s.rejected for s in shares))


# --------------------------------------------------------------------------------------------------------- equal splits

_EQUAL = Pattern(
    r"\bhalf each\b|\bhalf[ -](?:and[ -])?half\b|\b(?:fifty|50)\s?[-/ &]\s?(?:fifty|50)\b"
    r"|\bhalve (?:it|them|that|this)\b"
    r"|\b(?:split|splitting|divide|dividing|share|sharing|cut|cutting)\b[^.?!;,\n]{0,30}?"
    r"\b(?:evenly|equally|in half|down the middle)\b"
    r"|\b(?:an?|the) (?:even|equal|straight) (?:split|division|share)\b|\bequal (?:shares|halves|parts)\b"
)


def _equal_splits(talk: _Talk) -> Iterator[Plan]:
    """ "Half each", "split it evenly", "120 each": a plan where the half is a whole number of steps."""
    total, step = talk.public.facts["total"], talk.public.facts["step"]
    if total % (2 * step):
        return
    half = total // 2
    spots = [(talk.at(m.start()), m.span()) for m in _EQUAL.finditer(talk.low)]
    for index, value in talk.amounts.items():
        if value == half and _is_each(talk, index):
            spots.append((index, talk.spans[index]))
    for index, (start, end) in spots:
        if index >= len(talk.words) or _is_past(talk, index) or _is_supposed(talk, max(0, index - 1)):
            continue
        after = talk.at(end)
        terms = dict.fromkeys(talk.public.names, half)
        yield Plan(terms, start, end, _is_denied(talk, index, index, after))


def _is_each(talk: _Talk, index: int) -> bool:
    if talk.words[index + 1 : index + 2] in (["each"], ["apiece"]):
        return True
    at = index - 1
    while at >= 0 and talk.words[at] in talk.fill:
        at -= 1
    return at >= 0 and talk.words[at] in ("each", "both")


def _without_repeats(plans: Iterable[Plan]) -> list[Plan]:
    kept: list[Plan] = []
    for plan in plans:
        if not kept or (kept[-1].terms, kept[-1].rejected) != (plan.terms, plan.rejected):
            kept.append(plan)
        else:
            kept[-1] = evolve(kept[-1], end=max(kept[-1].end, plan.end))
    return kept
