"""Hears which items of a list somebody requires, refuses, or puts forward together, in the loose way people talk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from attrs import Factory, define, evolve, frozen

from adidem.core.language.clauses import Party, level, sentence_at
from adidem.core.language.cues import whole_words
from adidem.core.language.patterns import Pattern
from adidem.plugins.families.hearing.listed import (
    ACCEPTED,
    AFTER,
    CORRECTED,
    DET,
    ITEM,
    Group,
    Sentence,
    cue,
    groups_of,
    mask,
    replaced,
    said,
    sentences_of,
)
from adidem.plugins.families.hearing.offers import Offer, find_offer, whole_list

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
    """What a text says of a list: wishes, one entry a person, offers in the order of the text, and where the speaker
    says that nothing on it is refused."""

    wished: tuple[Wished, ...] = ()
    offered: tuple[Offered, ...] = ()
    easy: tuple[int, int] | None = None


def find_wishes(text: str, items: Sequence[str], partner: str = "") -> Wishes:
    """All that a text says of these items; `partner` is the name of the person spoken to. Never raises.

    A plain mention, a question, a condition and a mere preference are neither a wish nor an offer.
    """
    return _find(text, tuple(items), partner)


@lru_cache(maxsize=4096)
def _find(text: str, items: tuple[str, ...], partner: str) -> Wishes:
    masked = mask(text, items)
    easy = _easy(text)
    if not ITEM.search(masked) and whole_list(masked, 0, len(masked), len(items)) is None:
        return Wishes(easy=easy)
    told = _Told(len(items), partner.casefold().split()[0] if partner.strip() else "")
    for sentence in sentences_of(masked):
        told.take(sentence)
    if not told.wishes and not told.offers:
        told.take_bare(masked)
    wished = tuple(_of_person(told.wishes, by, items) for by in _PARTIES)
    offered = tuple(Offered(tuple(items[n] for n in sorted(o.items)), o.start, o.end, o.rejected) for o in told.offers)
    if any(w is not None and w.by == "speaker" and w.refuses for w in wished):
        easy = None
    return Wishes(tuple(w for w in wished if w is not None), offered, easy)


def _easy(text: str) -> tuple[int, int] | None:
    """Where the speaker says that nothing is refused, in a sentence that leaves nothing out."""
    low = level(text)
    for match in _EASY.finditer(low):
        sentence = sentence_at(text, match.start())
        if not _NOT_EASY.search(low, match.start(), sentence.end) and not sentence.text.rstrip().endswith("?"):
            return match.span()
    return None


_PARTIES: tuple[Party, ...] = ("speaker", "partner")
_BOUNDARY = Pattern(
    r"[,;—]|(?<=\s)-+(?=\s)|\b(?:but|and|so|because|since|although|though|while|whereas|which|who|yet|however|if|unless"
    r"|whether|then|or|nor|plus|given|when|until|seeing)\b(?!\s+(?:far|long\s+as))|\b(?:only\s+if|(?:as|so)\s+long\s+as|provided)\b"
)
_BEFORE = Pattern(
    lambda: "|".join(
        f"(?P<{name}>{whole_words(said(name))})" for name in ("weak", "negative", "need", "strong", "without")
    )
)
_LOST_WITHOUT = cue("lost_without", r"\s*,?\s*")
_EASY, _NOT_EASY = cue("easy"), cue("not_easy")
_OUT = cue("after_out", r"\s+")
_SUBJECT = Pattern(
    r"\b(?:(?P<me>i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|my|mine|our|ours|(?<!told\s)(?<!tell\s)me|us)"
    r"|(?P<you>you|you're|you've|you'd|you'll|your|yours))(?![\w'])"
)
_FOR_YOU = Pattern(r"[^,;:.—]*?\bfor\s+(?:you|your)\b")
_CONJUNCTION = Pattern(rf"\W*(?:and|or|nor|plus|also)\s+(?:{DET}\s+)*")
_DANGLING = Pattern(rf"\b(?:leave|leaving|leaves|set)\s+(?:{DET}\s+)*$")
_NO_ONE_ITEM = Pattern(rf"\bno\s+(?:{DET}\s+)*$")
_FOR_ME = Pattern(r"\s+(?:for\s+(?:me|us)|on\s+my|please|from\s+me)\b")
_SINGULAR_NO = Pattern(r"\s+(?:doesn't|does\s+not)\b")
_COMMA_AND = Pattern(r",\s*and\s")
_OUTRIGHT = Pattern(r"\b(?:because|since|as|given|though|although|while|seeing|which|but|and)\b")
_ALL_BUT = cue("all_but", after="$")
_ABLE = cue("able")
_CONDITION = cue("condition", r"\s*")
_ASKING = cue("asking", r"\W*")
_ASKING_YOU = cue("asking_you")
_TAG = Pattern(lambda: rf"\s*{said('tag')}")
_ECHO = cue("echo", r"\W*")
_TOGETHER = cue("together")
_TAKE_PLAN = Pattern(lambda: rf"(?<![\w']){said('take_plan')}$")
_NOT_ALONE = cue("not_alone", r"\s+")
_SEVERAL_OF = cue("several_of", after=rf"\s+(?:{DET}\s+)*$")


@frozen
class _Wish:
    role: Role
    by: Party
    items: tuple[int, ...]
    start: int
    end: int


@frozen
class _Before:
    """What the words before some items do to them, and where that cue begins."""

    does: Literal["requires", "refuses", "mention", "without"] | None = None
    at: int = 0


@define
class _Told:
    """Collects what the sentences of one text say of `count` items."""

    count: int
    partner: str
    wishes: list[_Wish] = Factory(list)
    offers: list[Offer] = Factory(list)
    _before: tuple[int, int] = (0, 0)

    def take(self, sentence: Sentence) -> None:
        """Read one sentence, with what it corrects in the one before."""
        wishes, offers = len(self.wishes), len(self.offers)
        offer, used = find_offer(sentence, self.count)
        if offer is not None:
            self.offers.append(offer)
        _Reader(sentence, self, used).read()
        lead = sentence.groups[0].start if sentence.groups else sentence.start
        if sentence.groups and CORRECTED.search(sentence.text, sentence.start, lead):
            self._correct(sentence, wishes, offers)
        self._before = (wishes, offers)

    def take_bare(self, masked: str) -> None:
        """A list and nothing else, not even a full stop, is put forward: that is how a plan is said by itself."""
        groups = groups_of(masked, 0, len(masked))
        if len(groups) != 1 or " or " in groups[0].joins or masked[groups[0].end :].strip():
            return
        if not re.sub(rf"\b{DET}\b", "", masked[: groups[0].start]).strip():
            self.offers.append(Offer(groups[0].items, groups[0].start, groups[0].end))

    def _correct(self, sentence: Sentence, wishes: int, offers: int) -> None:
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
            self.offers[-1] = Offer(replaced(last.items, group.items), group.start, group.end)
        elif wishes > earlier_wishes:
            wish, group = self.wishes[-1], sentence.groups[0]
            self.wishes[-1] = evolve(wish, items=replaced(wish.items, group.items), end=group.end)


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


@define
class _Reader:
    """Reads the wishes of one sentence; groups that an offer has used up are passed over."""

    sentence: Sentence
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
        after = AFTER.match(text, group.end)
        if after is not None and after["after_mention"] and text.startswith("neither", before.at):
            after = None
        if _ALL_BUT.search(text, begin, group.start):
            if _ABLE.search(text, begin, group.start) or ACCEPTED.match(text, group.end):
                self._add("refuses", group, group.start)
            return
        if after is not None and before.does in ("requires", "refuses", "without") and len(group.items) > 1:
            group, rest = self._split(group)
            self._judge(n, group, before, None)
            self._judge(n, rest, _Before(), after)
        else:
            self._judge(n, group, before, after)

    def _split(self, group: Group) -> tuple[Group, Group]:
        """ "I can't have nuts, and the cake has to be there": where the second half begins."""
        commas = [m.end() for m in _COMMA_AND.finditer(self.sentence.text, group.start, group.end)]
        at = next((k for k, s in enumerate(group.starts) if commas and s >= commas[-1]), len(group.items) - 1)
        return group.halves(max(1, at))

    def _judge(self, n: int, group: Group, before: _Before, after: re.Match[str] | None) -> None:
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
        if does == "without" and _LOST_WITHOUT.match(text, group.end):
            does = "requires"
        if does is None and self.last is not None and self._carries_on(n):
            does = self.last.role
        if does == "refuses" and self._is_combination(group, before):
            if _TAKE_PLAN.search(text, before.at, group.start):
                self.told.offers.append(Offer(group.items, group.start, group.end, rejected=True))
            return
        if does == "requires" and self._is_choice(group, before):
            return
        if does in ("requires", "refuses"):
            self._add("requires" if does == "requires" else "refuses", group, before.at or group.start)

    def _judge_after(self, group: Group, after: re.Match[str]) -> None:
        text = self.sentence.text
        if after.lastgroup in ("after_must_not_miss", "after_require"):
            self._add("requires", group, group.start, after.end(), after.group())
        elif after.lastgroup == "after_refuse":
            if len(group.items) > 1 and _SINGULAR_NO.match(text, group.end):
                self.told.offers.append(Offer(group.items, group.start, after.end(), rejected=True))
            else:
                self._add("refuses", group, group.start, after.end(), after.group())

    def _is_combination(self, group: Group, before: _Before) -> bool:
        """ "I can't have both A and B" rules out neither of them alone."""
        if len(group.items) < 2:
            return False
        text = self.sentence.text
        if "with" in group.joins or ("or" not in group.joins and _TAKE_PLAN.search(text, before.at, group.start)):
            return True
        return bool(_TOGETHER.search(text, before.at, group.start) or _NOT_ALONE.match(text, group.end))

    def _is_choice(self, group: Group, before: _Before) -> bool:
        """ "I need A or B", "one of A and B": neither is needed for certain."""
        lead = self.sentence.text[before.at : group.start]
        return bool(re.search(r"\bor\b", group.joins)) or (len(group.items) > 1 and bool(_SEVERAL_OF.search(lead)))

    def _carries_on(self, n: int) -> bool:
        """ "I need A, my aunt's favourite, and B": an aside stands between."""
        if self.last is None or n == 0 or n - 1 in self.used or AFTER.match(self.sentence.text, self._gap(n)[0]):
            return False
        begin, end = self._gap(n)
        if CORRECTED.search(self.sentence.text, begin, end):
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

    def _add(self, role: Role, group: Group, start: int, end: int = 0, after: str = "") -> None:
        by = self._person(group, start, after)
        wish = _Wish(role, by, group.items, start, max(end, group.end))
        lead = self.sentence.text[self.last.end if self.last else group.start : group.start]
        if self.last is not None and CORRECTED.search(lead) and self.last in self.told.wishes:
            self.told.wishes.remove(self.last)
            wish = evolve(wish, items=replaced(self.last.items, group.items))
        self.told.wishes.append(wish)
        self.last = wish

    def _person(self, group: Group, cue: int, after: str) -> Party:
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
