"""Which items of a list somebody requires, refuses, or puts forward together, in the loose way that people talk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from attrs import Factory, define, evolve, frozen

from adidem.core.language.clauses import Party, level
from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.items import _spans
from adidem.core.language.patterns import Pattern

Role = Literal["requires", "refuses"]


@frozen
class Wished:
    """What one person requires and refuses, as far as it was said, in the order of the list."""

    by: Party
    requires: tuple[str, ...]
    refuses: tuple[str, ...]
    start: int
    end: int


@frozen
class Offered:
    """Items that are put forward together, in the order of the list; `rejected` where they are turned down together."""

    items: tuple[str, ...]
    start: int
    end: int
    rejected: bool = False


@frozen
class Wishes:
    """What a text says of a list: wishes, one entry a person, and offers in the order of the text."""

    wished: tuple[Wished, ...] = ()
    offered: tuple[Offered, ...] = ()


def find_wishes(text: str, items: Sequence[str], partner: str = "") -> Wishes:
    """All that a text says of these items; `partner` is the name of the person spoken to. Never raises.

    A plain mention, a question, a condition and a mere preference are neither a wish nor an offer.
    """
    return _find(text, tuple(items), partner)


@lru_cache(maxsize=4096)
def _find(text: str, items: tuple[str, ...], partner: str) -> Wishes:
    masked = _mask(text, items)
    if not _ITEM.search(masked) and _whole(masked, 0, len(masked), len(items)) is None:
        return Wishes()
    told = _Told(len(items), partner.casefold().split()[0] if partner.strip() else "")
    for sentence in _sentences(masked):
        told.take(sentence)
    if not told.wishes and not told.offers:
        told.take_bare(masked)
    wished = tuple(_of_person(told.wishes, by, items) for by in _PARTIES)
    offered = tuple(Offered(tuple(items[n] for n in sorted(o.items)), o.start, o.end, o.rejected) for o in told.offers)
    return Wishes(tuple(w for w in wished if w is not None), offered)


_PARTIES: tuple[Party, ...] = ("speaker", "partner")
_FIRST = 0xE000
_LAST = 0xF8FF
_I = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_CUES = load_cues("wishes")


def _said(name: str) -> str:
    return _CUES[name].replace("¤", _I)


def _cue(name: str, before: str = "", after: str = "") -> Pattern:
    return Pattern(lambda: before + whole_words(_said(name)) + after)


_DET = (
    r"(?:the|a|an|some|any|your|my|our|his|her|their|both|either|those|these|that|this|of|also|just|only|maybe|perhaps"
    r"|finally|even|then)"
)
_ITEM = Pattern(f"{_I}+")
_JOIN = Pattern(
    rf"(?:\s*[,/+&]\s*(?:(?:and|or|nor|plus|then|&)\s+)?|\s+(?:and|or|nor|plus|with|alongside|together\s+with|along\s+with"
    rf"|as\s+well\s+as)\s+)(?:{_DET}\s+)*"
)
_END = Pattern(r"[.!?…]+[\")\]]*(?=\s|$)|\n+")
_BULLET = Pattern(r"\n[ ]*(?:[-*•·]|[0-9]{1,2}[.)])(?=\s)")
_MARKS = Pattern(rf"[\"*_`()\[\]]|(?<![a-z{chr(_FIRST)}-{chr(_LAST)}])'|'(?![a-z])")
_BOUNDARY = Pattern(
    r"[,;—]|(?<=\s)-+(?=\s)|\b(?:but|and|so|because|since|although|though|while|whereas|which|who|yet|however|if|unless"
    r"|whether|then|or|nor|plus|given|when|until|seeing)\b(?!\s+(?:far|long\s+as))|\b(?:only\s+if|(?:as|so)\s+long\s+as|provided)\b"
)
_BEFORE = Pattern(
    lambda: "|".join(
        f"(?P<{name}>{whole_words(_said(name))})" for name in ("weak", "negative", "need", "strong", "without")
    )
)
_AFTER = Pattern(
    lambda: (
        r"\s*"
        + "(?:"
        + "|".join(
            f"(?P<{name}>{_said(name)})"
            for name in ("after_must_not_miss", "after_refuse", "after_require", "after_mention")
        )
        + r")(?![\w'])"
    )
)
_OUT = _cue("after_out", r"\s+")
_IDIOM, _ALL_BUT, _ABLE = _cue("idiom"), _cue("all_but", after="$"), _cue("able")
_CONDITION, _ASKING, _ASKING_YOU = _cue("condition", r"\s*"), _cue("asking", r"\W*"), _cue("asking_you")
_TAG, _ECHO = Pattern(lambda: rf"\s*{_said('tag')}"), _cue("echo", r"\W*")
_CORRECTED = Pattern(lambda: f"{whole_words(_said('corrected'))}|(?<![\\w']){_said('slip')}\\s*$")
_PROPOSE = Pattern(
    lambda: "|".join(
        f"(?P<{name}>{whole_words(_said('propose' + suffix))})"
        for name, suffix in (("firm", ""), ("several", "_several"), ("bare", "_bare"))
    )
)
_UNPROPOSED = Pattern(lambda: rf"(?<![\w']){_said('unproposed')}$")
_NO_PLAN, _EXCLUDED, _STOP, _WHOLE = _cue("no_plan"), _cue("excluded"), _cue("stop"), _cue("whole")
_ADDED = Pattern(lambda: rf"\W*(?:{_said('added')}(?![\w'])\W*)*")
_PLAN_ENDS = Pattern(lambda: rf"\s*(?:$|[,;:.!?—-]|{whole_words(_said('plan_ends'))})")
_AS_WELL, _ACCEPTED = _cue("as_well", r"\s*,?\s*"), _cue("accepted", r"\s+")
_TOGETHER, _TAKE_PLAN = _cue("together"), Pattern(lambda: rf"(?<![\w']){_said('take_plan')}$")
_ASSENT, _FIRM = _cue("assent"), _cue("firm_assent")
_FILLER = Pattern(lambda: f"{whole_words(_said('filler'))}|{whole_words(_said('assent'))}")
_SUBJECT = Pattern(
    r"\b(?:(?P<me>i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|my|mine|our|ours|(?<!told\s)(?<!tell\s)me|us)"
    r"|(?P<you>you|you're|you've|you'd|you'll|your|yours))(?![\w'])"
)
_FOR_YOU = Pattern(r"[^,;:.—]*?\bfor\s+(?:you|your)\b")
_JUST = Pattern(r"\b(?:just|only)\b")
_CONJUNCTION = Pattern(rf"\W*(?:and|or|nor|plus|also)\s+(?:{_DET}\s+)*")
_DANGLING = Pattern(rf"\b(?:leave|leaving|leaves|set)\s+(?:{_DET}\s+)*$")
_NO_ONE_ITEM = Pattern(rf"\bno\s+(?:{_DET}\s+)*$")
_FOR_ME = Pattern(r"\s+(?:for\s+(?:me|us)|on\s+my|please|from\s+me)\b")
_SINGULAR_NO = Pattern(r"\s+(?:doesn't|does\s+not)\b")
_NOT_ALONE, _ASKS_AFTER = _cue("not_alone", r"\s+"), _cue("asks_after", r"\W+")
_SEVERAL_OF, _ALL_NAMED = _cue("several_of", after=rf"\s+(?:{_DET}\s+)*$"), _cue("all_named")
_COUNTS = "zero one two three four five six seven eight nine ten".split()
# Something that is not on the list stands in the middle of it: what was put forward is not known.
_UNKNOWN = Pattern(
    r"(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|plus)\s+)(?:the|some|an?)\s+(?=[a-z])"
    r"|\s+(?:and|or|plus)\s+(?!(?:that|done|no|nothing|so|then)\b)[a-z]+\s*(?:[.?!,]|$)"
)
_UNKNOWN_FIRST = Pattern(rf"\b(?:the|some|an?)\s+[a-z]+\s*(?:,|\band\b|\bplus\b)\s*(?:{_DET}\s+)*$")
_COMMA_AND = Pattern(r",\s*and\s")
_OUTRIGHT = Pattern(r"\b(?:because|since|as|given|though|although|while|seeing|which|but|and)\b")
_LATER_CONDITION = Pattern(r"\b(?:if|unless|as\s+long\s+as|so\s+long\s+as|provided|only\s+if)\b")
_COMMON = frozenset(
    """night day time hour round list order way place name number table side part work thing point year week morning
    evening group story house room home line turn step stop record date help love need want have must plan deal set
    show play game form card call word end start piece open close""".split()
)


@frozen
class _Group:
    """Items named in one breath ("the soup, the cake and the bread"): offsets, their numbers, where each begins, and
    the words that join them."""

    start: int
    end: int
    items: tuple[int, ...]
    starts: tuple[int, ...]
    joins: str = ""

    def halves(self, at: int) -> tuple[_Group, _Group]:
        """The items before the one numbered `at` in this group, and the rest."""
        left = evolve(self, end=self.starts[at] - 1, items=self.items[:at], starts=self.starts[:at])
        return left, evolve(self, start=self.starts[at], items=self.items[at:], starts=self.starts[at:])


@frozen
class _Wish:
    role: Role
    by: Party
    items: tuple[int, ...]
    start: int
    end: int


@frozen
class _Offer:
    items: tuple[int, ...]
    start: int
    end: int
    rejected: bool = False


@frozen
class _Sentence:
    """A stretch of the masked text, with the items named in it; `asked` where it ends in a question mark."""

    text: str
    start: int
    end: int
    asked: bool
    groups: tuple[_Group, ...]


@frozen
class _Before:
    """What the words before some items do to them, and where that cue begins."""

    does: Literal["requires", "refuses", "mention", "without"] | None = None
    at: int = 0


# --------------------------------------------------------------------------------------------------- text to sentences


def _mask(text: str, items: tuple[str, ...]) -> str:
    """The levelled text, as long as it was, each item named in it turned into a run of one private letter."""
    low = _BULLET.sub(lambda m: "," + " " * (len(m.group()) - 1), level(text))
    numbers = {item: n for n, item in enumerate(items)}
    spans = [(start, end, numbers[item]) for item, start, end in _spans(level(text), items)]
    if spans or len(items) <= _LAST - _FIRST:
        spans += _short_names(low, items, spans)
    for start, end, number in spans:
        low = low[:start] + chr(_FIRST + number) * (end - start) + low[end:]
    low = _MARKS.sub(" ", low)
    return _IDIOM.sub(lambda m: " " * len(m.group()), low)


def _short_names(low: str, items: tuple[str, ...], spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    pattern, numbers = _short(items)
    if pattern is None:
        return []
    free = (m for m in pattern.finditer(low) if not any(s < m.end() and m.start() < e for s, e, _ in spans))
    return [(m.start(), m.end(), numbers[m.group()]) for m in free]


@lru_cache(maxsize=512)
def _short(items: tuple[str, ...]) -> tuple[re.Pattern[str] | None, dict[str, int]]:
    """The last words of longer names, where they can only mean that item and are no everyday words."""
    words = [level(item).split() for item in items]
    everywhere = [w for parts in words for w in set(parts)]
    numbers = {}
    for n, parts in enumerate(words):
        last = parts[-1] if len(parts) > 1 else ""
        if len(last) > 2 and last.isalpha() and last not in _COMMON and everywhere.count(last) == 1:
            numbers[last] = n
    if not numbers:
        return None, {}
    return re.compile(r"(?<![\w'-])(?:" + "|".join(sorted(numbers)) + r")(?![\w'-])"), numbers


def _sentences(masked: str) -> Iterator[_Sentence]:
    begin = 0
    for match in (*_END.finditer(masked), None):
        end = len(masked) if match is None else match.end()
        if masked[begin:end].strip():
            asked = match is not None and "?" in match.group()
            yield _Sentence(masked, begin, end, asked, _groups(masked, begin, end))
        begin = end


def _groups(masked: str, begin: int, end: int) -> tuple[_Group, ...]:
    found: list[_Group] = []
    for match in _ITEM.finditer(masked, begin, end):
        number = ord(match.group()[0]) - _FIRST
        last = found[-1] if found else None
        joined = last is not None and _JOIN.fullmatch(masked, last.end, match.start())
        if last is not None and joined and number not in last.items:
            found[-1] = _Group(
                last.start,
                match.end(),
                (*last.items, number),
                (*last.starts, match.start()),
                last.joins + joined.group(),
            )
        else:
            found.append(_Group(match.start(), match.end(), (number,), (match.start(),)))
    return tuple(found)


# --------------------------------------------------------------------------------------------------- what is collected


@define
class _Told:
    """Collects what the sentences of one text say of `count` items."""

    count: int
    partner: str
    wishes: list[_Wish] = Factory(list)
    offers: list[_Offer] = Factory(list)
    _before: tuple[int, int] = (0, 0)

    def take(self, sentence: _Sentence) -> None:
        """Read one sentence, with what it corrects in the one before."""
        wishes, offers = len(self.wishes), len(self.offers)
        offer, used = _offer(sentence, self.count)
        if offer is not None:
            self.offers.append(offer)
        _Reader(sentence, self, used).read()
        lead = sentence.groups[0].start if sentence.groups else sentence.start
        if sentence.groups and _CORRECTED.search(sentence.text, sentence.start, lead):
            self._correct(sentence, wishes, offers)
        self._before = (wishes, offers)

    def take_bare(self, masked: str) -> None:
        """A list and nothing else, not even a full stop, is put forward: that is how a plan is said by itself."""
        groups = _groups(masked, 0, len(masked))
        if len(groups) != 1 or " or " in groups[0].joins or masked[groups[0].end :].strip():
            return
        if not re.sub(rf"\b{_DET}\b", "", masked[: groups[0].start]).strip():
            self.offers.append(_Offer(groups[0].items, groups[0].start, groups[0].end))

    def _correct(self, sentence: _Sentence, wishes: int, offers: int) -> None:
        """What the sentence before said in the same way is taken back; a bare list takes its place."""
        earlier_wishes, earlier_offers = self._before
        if len(self.offers) > offers:
            del self.offers[earlier_offers:offers]
        elif len(self.wishes) > wishes:
            said = {(w.role, w.by) for w in self.wishes[wishes:]}
            kept = [w for w in self.wishes[earlier_wishes:wishes] if (w.role, w.by) not in said]
            self.wishes[earlier_wishes:wishes] = kept
        elif offers > earlier_offers:
            last, group = self.offers[-1], sentence.groups[0]
            self.offers[-1] = _Offer(_replaced(last.items, group.items), group.start, group.end)
        elif wishes > earlier_wishes:
            wish, group = self.wishes[-1], sentence.groups[0]
            self.wishes[-1] = evolve(wish, items=_replaced(wish.items, group.items), end=group.end)


def _replaced(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    """A corrected list: all of it where it shares an item with the old one, else as many of its last items."""
    return new if set(old) & set(new) else (*old[: -len(new)], *new)


def _of_person(wishes: Sequence[_Wish], by: Party, items: tuple[str, ...]) -> Wished | None:
    own = [w for w in wishes if w.by == by]
    requires = {n for w in own if w.role == "requires" for n in w.items}
    refuses = {n for w in own if w.role == "refuses" for n in w.items}
    if requires == refuses:
        return None
    return Wished(
        by,
        tuple(items[n] for n in sorted(requires - refuses)),
        tuple(items[n] for n in sorted(refuses - requires)),
        min(w.start for w in own),
        max(w.end for w in own),
    )


# -------------------------------------------------------------------------------------------------------------- wishes


@define
class _Reader:
    """Reads the wishes of one sentence; groups that an offer has used up are passed over."""

    sentence: _Sentence
    told: _Told
    used: frozenset[int]
    last: _Wish | None = None

    def read(self) -> None:
        """Every wish in the sentence."""
        groups = self.sentence.groups
        if any(_CONDITION.match(self._piece(n)) and not self._named(n, "even") for n in range(len(groups))):
            return
        for n in range(len(groups)):
            if n not in self.used:
                self._read_group(n)

    def _gap(self, n: int) -> tuple[int, int]:
        groups = self.sentence.groups
        return (groups[n - 1].end if n else self.sentence.start), groups[n].start

    def _piece_start(self, n: int) -> int:
        begin, end = self._gap(n)
        start = begin
        for match in _BOUNDARY.finditer(self.sentence.text, begin, end):
            start = match.end() if match.group() in ",;—-" else match.start()
        return start

    def _piece(self, n: int) -> str:
        return self.sentence.text[self._piece_start(n) : self.sentence.groups[n].start]

    def _named(self, n: int, word: str) -> bool:
        return word in self._piece(n).split()

    def _read_group(self, n: int) -> None:
        text, group = self.sentence.text, self.sentence.groups[n]
        begin, start = self._gap(n)[0], self._piece_start(n)
        piece = text[start : group.start]
        if self._is_asked(n, piece):
            return
        before = _before(text, start, group.start)
        after = _AFTER.match(text, group.end)
        if after is not None and after["after_mention"] and text.startswith("neither", before.at):
            after = None
        if _ALL_BUT.search(text, begin, group.start):
            if _ABLE.search(text, begin, group.start) or _ACCEPTED.match(text, group.end):
                self._add("refuses", group, group.start)
            return
        if after is not None and before.does in ("requires", "refuses", "without") and len(group.items) > 1:
            group, rest = self._split(group)
            self._judge(n, group, before, None)
            self._judge(n, rest, _Before(), after)
        else:
            self._judge(n, group, before, after)

    def _split(self, group: _Group) -> tuple[_Group, _Group]:
        """ "I can't have nuts, and the cake has to be there": where the second half begins."""
        commas = [m.end() for m in _COMMA_AND.finditer(self.sentence.text, group.start, group.end)]
        at = next((k for k, s in enumerate(group.starts) if commas and s >= commas[-1]), len(group.items) - 1)
        return group.halves(max(1, at))

    def _judge(self, n: int, group: _Group, before: _Before, after: re.Match[str] | None) -> None:
        text = self.sentence.text
        if after is not None and not (before.does in ("requires", "refuses") and _OUT.match(text, group.end)):
            self._judge_after(group, after)
            return
        does = before.does
        if does in ("requires", "refuses") and _OUT.match(text, group.end):
            does = "refuses" if does == "requires" else "requires"
        elif does == "requires" and _DANGLING.search(text, before.at, group.start):
            return
        if does == "without" and _NO_ONE_ITEM.search(text, 0, group.start) and _FOR_ME.match(text, group.end):
            does = "refuses"
        if does is None and self.last is not None and self._carries_on(n):
            does = self.last.role
        if does == "refuses" and self._is_combination(group, before):
            if _TAKE_PLAN.search(text, before.at, group.start):
                self.told.offers.append(_Offer(group.items, group.start, group.end, rejected=True))
            return
        if does == "requires" and self._is_choice(group, before):
            return
        if does in ("requires", "refuses"):
            self._add("requires" if does == "requires" else "refuses", group, before.at or group.start)

    def _judge_after(self, group: _Group, after: re.Match[str]) -> None:
        text = self.sentence.text
        if after.lastgroup in ("after_must_not_miss", "after_require"):
            self._add("requires", group, group.start, after.end(), after.group())
        elif after.lastgroup == "after_refuse":
            if len(group.items) > 1 and _SINGULAR_NO.match(text, group.end):
                self.told.offers.append(_Offer(group.items, group.start, after.end(), rejected=True))
            else:
                self._add("refuses", group, group.start, after.end(), after.group())

    def _is_combination(self, group: _Group, before: _Before) -> bool:
        """ "I can't have both A and B" rules out neither of them alone."""
        if len(group.items) < 2:
            return False
        text = self.sentence.text
        if "with" in group.joins or ("or" not in group.joins and _TAKE_PLAN.search(text, before.at, group.start)):
            return True
        return bool(_TOGETHER.search(text, before.at, group.start) or _NOT_ALONE.match(text, group.end))

    def _is_choice(self, group: _Group, before: _Before) -> bool:
        """ "I need A or B", "one of A and B": neither is needed for certain."""
        lead = self.sentence.text[before.at : group.start]
        return bool(re.search(r"\bor\b", group.joins)) or (len(group.items) > 1 and bool(_SEVERAL_OF.search(lead)))

    def _carries_on(self, n: int) -> bool:
        """ "I need A, my aunt's favourite, and B": an aside stands between."""
        if self.last is None or n == 0 or n - 1 in self.used or _AFTER.match(self.sentence.text, self._gap(n)[0]):
            return False
        begin, end = self._gap(n)
        if _CORRECTED.search(self.sentence.text, begin, end):
            return True
        aside = self.sentence.text[begin:end].split(",")
        return len(aside) == 3 and not aside[0].strip() and bool(_CONJUNCTION.fullmatch(aside[2]))

    def _is_asked(self, n: int, piece: str) -> bool:
        sentence = self.sentence
        if _CONDITION.match(piece) or _ASKING_YOU.search(piece):
            return True
        if not sentence.asked:
            return False
        if _ASKING.match(piece):
            return True
        rest = sentence.text[sentence.groups[n].end : sentence.end]
        if _TAG.match(rest.lstrip(" ,-—")) or _OUTRIGHT.match(piece.lstrip()) or _BOUNDARY.search(rest):
            return False
        return not _ECHO.match(sentence.text, sentence.start, sentence.end) and not self.used

    def _add(self, role: Role, group: _Group, start: int, end: int = 0, after: str = "") -> None:
        by = self._person(group, start, after)
        wish = _Wish(role, by, group.items, start, max(end, group.end))
        lead = self.sentence.text[self.last.end if self.last else group.start : group.start]
        if self.last is not None and _CORRECTED.search(lead) and self.last in self.told.wishes:
            self.told.wishes.remove(self.last)
            wish = evolve(wish, items=_replaced(self.last.items, group.items))
        self.told.wishes.append(wish)
        self.last = wish

    def _person(self, group: _Group, cue: int, after: str) -> Party:
        text, n = (
            self.sentence.text,
            next(k for k, g in enumerate(self.sentence.groups) if g.start <= group.start < g.end),
        )
        start = self._piece_start(n)
        own = _SUBJECT.search(after)
        if own is not None:
            return "partner" if own["you"] else "speaker"
        party: Party | None = None
        for match in _SUBJECT.finditer(text, start, max(cue, start)):
            party = "partner" if match["you"] else "speaker"
        if self.told.partner and re.search(rf"\b{re.escape(self.told.partner)}(?!\w)", text[start : max(cue, start)]):
            party = party or "partner"
        if party is not None:
            return party
        if _FOR_YOU.match(text, group.end):
            return "partner"
        told_you = _ECHO.match(text, self.sentence.start)
        return "partner" if told_you or (self.last is not None and self.last.by == "partner" and n) else "speaker"


def _before(text: str, start: int, end: int) -> _Before:
    """What the cues in `text[start:end]` come to: each may turn what the ones before it said."""
    does: str | None = None
    without = False
    at = start
    for match in _BEFORE.finditer(text, start, end):
        kind = match.lastgroup
        if kind == "without":
            without = not without
            at = match.start() if does is None else at
        elif kind == "strong":
            does, without = ("weak" if does == "negative" else "strong"), False
            at = match.start()
        else:
            does, without, at = kind, False, match.start()
    if does == "weak":
        return _Before("mention", at)
    if does is None:
        return _Before("without" if without else None, at)
    refused = does == "strong" or (does == "negative") != without
    return _Before("refuses" if refused else "requires", at)


# -------------------------------------------------------------------------------------------------------------- offers

_NONE: tuple[_Offer | None, frozenset[int]] = (None, frozenset())


def _offer(sentence: _Sentence, count: int) -> tuple[_Offer | None, frozenset[int]]:
    """The list that a sentence puts forward or accepts, and which of its groups that uses up."""
    text = sentence.text
    if not sentence.groups and _whole(text, sentence.start, sentence.end, count) is None:
        return _NONE
    matches = list(_PROPOSE.finditer(text, sentence.start, sentence.end))
    for match, following in zip_longest(matches, matches[1:]):
        if _UNPROPOSED.search(text, max(sentence.start, match.start() - 30), match.start()):
            continue
        end = sentence.end if following is None else following.start()
        stop = _STOP.search(text, match.end(), end)
        offer, used = _region(sentence, match, end if stop is None else stop.start(), count)
        if used:
            return offer, used
    return _plain(sentence, count)


def _region(sentence: _Sentence, cue: re.Match[str], end: int, count: int) -> tuple[_Offer | None, frozenset[int]]:
    """The list after a cue: items added one after another, some left out, the whole list but some."""
    text = sentence.text
    numbers = [n for n, g in enumerate(sentence.groups) if cue.end() <= g.start and g.end <= end]
    first = sentence.groups[numbers[0]].start if numbers else end
    lead = text[cue.end() : first]
    whole = _whole(text, cue.end(), end, count)
    if (not numbers and whole is None) or _NO_PLAN.search(lead) or _UNKNOWN_FIRST.search(lead):
        return _NONE
    chosen, excluded, used, reached = _collect(sentence, numbers, cue.end())
    if chosen is None:
        return _NONE
    if whole is not None:
        if not excluded and cue.lastgroup != "firm":
            return _NONE
        chosen, reached = tuple(n for n in range(count) if n not in excluded), max(reached, whole.end())
    if not chosen:
        return (None, used) if cue.lastgroup == "firm" else _NONE
    if cue.lastgroup == "several" and len(chosen) < 2 and not _JUST.search(lead):
        return _NONE
    if cue.lastgroup == "bare" and not (_ADDED.fullmatch(lead) and _ends(text, reached)):
        return _NONE
    if _is_undone(sentence, reached, len(chosen)):
        return _NONE
    return _Offer(tuple(n for n in chosen if n not in excluded), cue.start(), reached), used


def _whole(text: str, start: int, end: int, count: int) -> re.Match[str] | None:
    """Words for the whole list: "everything", "all six" where there are six."""
    named = _ALL_NAMED.search(text, start, end)
    if named is not None and count < len(_COUNTS) and _COUNTS[count] in named.group().split():
        return named
    return _WHOLE.search(text, start, end)


def _ends(text: str, end: int) -> bool:
    return bool(_PLAN_ENDS.match(text, end) or _ACCEPTED.match(text, end))


def _is_undone(sentence: _Sentence, end: int, size: int) -> bool:
    """What follows a list takes it back: it is an addition, a statement about the items, or hangs on a condition."""
    text = sentence.text
    if size == 1 and _AS_WELL.match(text, end):
        return True
    after = None if sentence.asked else _AFTER.match(text, end)
    if after is not None and not _ACCEPTED.match(text, end):
        return True
    condition = _LATER_CONDITION.search(text, end, sentence.end)
    return condition is not None and bool(_ITEM.search(text, condition.end(), sentence.end))


def _collect(
    sentence: _Sentence, numbers: Sequence[int], begin: int
) -> tuple[tuple[int, ...] | None, frozenset[int], frozenset[int], int]:
    """Chosen and excluded items, the groups used, and where the last ends; None where it is no clear list."""
    text = sentence.text
    chosen: tuple[int, ...] = ()
    excluded: set[int] = set()
    used: set[int] = set()
    reached = begin
    for n in numbers:
        group = sentence.groups[n]
        gap = text[reached : group.start]
        if _EXCLUDED.search(gap) and not _CORRECTED.search(gap):
            excluded.update(group.items)
        elif re.search(r"\bor\b", group.joins):
            return None, frozenset(), frozenset(), begin
        elif chosen and _CORRECTED.search(gap):
            chosen = _replaced(chosen, group.items)
        elif not chosen or _ADDED.fullmatch(gap):
            chosen = (*chosen, *(i for i in group.items if i not in chosen))
        else:
            return None, frozenset(), frozenset(), begin
        used.add(n)
        reached = group.end
        if _UNKNOWN.match(text, reached):
            return None, frozenset(), frozenset(), begin
    return chosen, frozenset(excluded), frozenset(used), reached


def _plain(sentence: _Sentence, count: int) -> tuple[_Offer | None, frozenset[int]]:
    """A list with hardly a word beside it ("just the curry then"), or one that is accepted ("A and B it is")."""
    text = sentence.text
    whole = _whole(text, sentence.start, sentence.end, count)
    words = text[sentence.start : sentence.end]
    bare = words if whole is None else words.replace(whole.group(), "")
    if re.search("[a-z]", _FILLER.sub("", bare)):
        return _accepted(sentence)
    if re.match(r"\W*(?:no|not|neither|without|just\s+not)\b", words):
        return _NONE
    chosen, excluded, used, reached = _collect(sentence, range(len(sentence.groups)), sentence.start)
    if chosen is None:
        return _NONE
    if whole is not None and (excluded or (not chosen and _FIRM.search(bare))):
        chosen, reached = tuple(n for n in range(count) if n not in excluded), max(reached, whole.end())
    sure = _FIRM if len(chosen) == 1 else _ASSENT
    several = len(chosen) > 1 and (excluded or (sentence.asked and len(chosen) > 2))
    if not chosen or not (several or whole or sure.search(words)):
        return _NONE
    start = sentence.groups[0].start if whole is None else whole.start()
    return _Offer(tuple(n for n in chosen if n not in excluded), start, reached), used


def _accepted(sentence: _Sentence) -> tuple[_Offer | None, frozenset[int]]:
    """A list of which the rest of the sentence says that it will do, or asks whether it would."""
    text, groups = sentence.text, sentence.groups
    if not groups or " or " in groups[-1].joins:
        return _NONE
    group = groups[-1]
    lead = text[groups[-2].end if len(groups) > 1 else sentence.start : group.start]
    after = (_ASKS_AFTER if sentence.asked else _ACCEPTED).match(text, group.end)
    if after is None or re.search("[a-z]", _FILLER.sub("", lead)):
        return _NONE
    settled = after.group().split()[-2:] == ["it", "is"]
    if not settled and (len(groups) > 1 or (len(group.items) < 2 and not _JUST.search(lead))):
        return _NONE
    return _Offer(group.items, group.start, group.end), frozenset({len(groups) - 1})
