"""Hears which items of a list are put forward together: proposed, accepted, or added one after another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from attrs import frozen

from adidem.core.language.cues import whole_words
from adidem.core.language.patterns import Pattern
from adidem.plugins.families.hearing.listed import ACCEPTED, AFTER, CORRECTED, DET, ITEM, Sentence, cue, replaced, said

_PROPOSE = Pattern(
    lambda: "|".join(
        f"(?P<{name}>{whole_words(said('propose' + suffix))})"
        for name, suffix in (("firm", ""), ("several", "_several"), ("bare", "_bare"))
    )
)
_UNPROPOSED = Pattern(lambda: rf"(?<![\w']){said('unproposed')}$")
_ADDED = Pattern(lambda: rf"\W*(?:{said('added')}(?![\w'])\W*)*")
_PLAN_ENDS = Pattern(lambda: rf"\s*(?:$|[,;:.!?—-]|{whole_words(said('plan_ends'))})")
_FILLER = Pattern(lambda: f"{whole_words(said('filler'))}|{whole_words(said('assent'))}")
_JUST = Pattern(r"\b(?:just|only)\b")
_COUNTS = "zero one two three four five six seven eight nine ten".split()
# Something that is not on the list stands in the middle of it: what was put forward is not known.
_UNKNOWN = Pattern(
    r"(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|plus)\s+)(?:the|some|an?)\s+(?=[a-z])"
    r"|\s+(?:and|or|plus)\s+(?!(?:that|done|no|nothing|so|then)\b)[a-z]+\s*(?:[.?!,]|$)"
)
_UNKNOWN_FIRST = Pattern(rf"\b(?:the|some|an?)\s+[a-z]+\s*(?:,|\band\b|\bplus\b)\s*(?:{DET}\s+)*$")
_LATER_CONDITION = Pattern(r"\b(?:if|unless|as\s+long\s+as|so\s+long\s+as|provided|only\s+if)\b")
_NO_PLAN = cue("no_plan")
_EXCLUDED = cue("excluded")
_STOP = cue("stop")
_WHOLE = cue("whole")
_AS_WELL = cue("as_well", r"\s*,?\s*")
_ASSENT = cue("assent")
_FIRM = cue("firm_assent")
_ASKS_AFTER = cue("asks_after", r"\W+")
_ALL_NAMED = cue("all_named")


@frozen
class Offer:
    """Items, by number, that are put forward together; `rejected` where they are turned down together."""

    items: tuple[int, ...]
    start: int
    end: int
    rejected: bool = False


_NONE: tuple[Offer | None, frozenset[int]] = (None, frozenset())


def find_offer(sentence: Sentence, count: int) -> tuple[Offer | None, frozenset[int]]:
    """The list that a sentence puts forward or accepts, and which of its groups that uses up."""
    text = sentence.text
    if not sentence.groups and whole_list(text, sentence.start, sentence.end, count) is None:
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


def _region(sentence: Sentence, cue: re.Match[str], end: int, count: int) -> tuple[Offer | None, frozenset[int]]:
    """The list after a cue: items added one after another, some left out, the whole list but some."""
    text = sentence.text
    numbers = [n for n, g in enumerate(sentence.groups) if cue.end() <= g.start and g.end <= end]
    first = sentence.groups[numbers[0]].start if numbers else end
    lead = text[cue.end() : first]
    whole = whole_list(text, cue.end(), end, count)
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
    return Offer(tuple(n for n in chosen if n not in excluded), cue.start(), reached), used


def whole_list(text: str, start: int, end: int, count: int) -> re.Match[str] | None:
    """Words for the whole list: "everything", "all six" where there are six."""
    named = _ALL_NAMED.search(text, start, end)
    if named is not None and count < len(_COUNTS) and _COUNTS[count] in named.group().split():
        return named
    return _WHOLE.search(text, start, end)


def _ends(text: str, end: int) -> bool:
    return bool(_PLAN_ENDS.match(text, end) or ACCEPTED.match(text, end))


def _is_undone(sentence: Sentence, end: int, size: int) -> bool:
    """What follows a list takes it back: it is an addition, a statement about the items, or hangs on a condition."""
    text = sentence.text
    if size == 1 and _AS_WELL.match(text, end):
        return True
    after = None if sentence.asked else AFTER.match(text, end)
    if after is not None and not ACCEPTED.match(text, end):
        return True
    condition = _LATER_CONDITION.search(text, end, sentence.end)
    return condition is not None and bool(ITEM.search(text, condition.end(), sentence.end))


def _collect(
    sentence: Sentence, numbers: Sequence[int], begin: int
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
        if _EXCLUDED.search(gap) and not CORRECTED.search(gap):
            excluded.update(group.items)
        elif re.search(r"\bor\b", group.joins):
            return None, frozenset(), frozenset(), begin
        elif chosen and CORRECTED.search(gap):
            chosen = replaced(chosen, group.items)
        elif not chosen or _ADDED.fullmatch(gap):
            chosen = (*chosen, *(i for i in group.items if i not in chosen))
        else:
            return None, frozenset(), frozenset(), begin
        used.add(n)
        reached = group.end
        if _UNKNOWN.match(text, reached):
            return None, frozenset(), frozenset(), begin
    return chosen, frozenset(excluded), frozenset(used), reached


def _plain(sentence: Sentence, count: int) -> tuple[Offer | None, frozenset[int]]:
    """A list with hardly a word beside it ("just the curry then"), or one that is accepted ("A and B it is")."""
    text = sentence.text
    whole = whole_list(text, sentence.start, sentence.end, count)
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
    return Offer(tuple(n for n in chosen if n not in excluded), start, reached), used


def _accepted(sentence: Sentence) -> tuple[Offer | None, frozenset[int]]:
    """A list of which the rest of the sentence says that it will do, or asks whether it would."""
    text, groups = sentence.text, sentence.groups
    if not groups or " or " in groups[-1].joins:
        return _NONE
    group = groups[-1]
    lead = text[groups[-2].end if len(groups) > 1 else sentence.start : group.start]
    after = (_ASKS_AFTER if sentence.asked else ACCEPTED).match(text, group.end)
    if after is None or re.search("[a-z]", _FILLER.sub("", lead)):
        return _NONE
    settled = after.group().split()[-2:] == ["it", "is"]
    if not settled and (len(groups) > 1 or (len(group.items) < 2 and not _JUST.search(lead))):
        return _NONE
    return Offer(group.items, group.start, group.end), frozenset({len(groups) - 1})
