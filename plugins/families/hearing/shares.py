"""Hears how two people split a total: shares and whole splits put forward or turned down, and the bounds of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from adidem.core.domain import SEATS, Amount, Fact, Plan, Public, Seat, other
from adidem.core.language.patterns import Pattern
from adidem.plugins.families.hearing.share_bounds import bounds_said
from adidem.plugins.families.hearing.talk import BREAKS, CUE, ENDS, EQUAL, WORDS, Talk, listen


def shares_said(text: str, public: Public, speaker: Seat) -> tuple[tuple[Fact, ...], tuple[Plan, ...]]:
    """What a text says of ranges, and the splits it puts forward or turns down: each person's amount by name."""
    talk = listen(text, public, speaker)
    if talk is None:
        return (), ()
    plans = sorted([*_equal_splits(talk), *_plans(talk)], key=lambda plan: plan.start)
    return tuple(bounds_said(talk)), tuple(_without_repeats(plans))


_PREPOSITIONS = frozenset("for from to by on".split())
_LINKS = frozenset("is are would be goes go going comes coming being to 's that's 'd".split())
_NAMING = frozenset("share part portion".split())
_HAVING = frozenset("have has".split())
_MODALS = frozenset("will 'll would 'd could can should".split())
_WHERE = frozenset("side end part share account plate lot".split())
_TOO = Pattern(lambda: rf"^ (?:\S+ ){{0,3}}?{CUE['too']} (@[sl]) ")
_IF = Pattern(r"(?<! what)(?<! even) if ")
_ODD_QUESTION = Pattern(lambda: rf" {CUE['odd_question']} (?:\S+ )*$")
_SPENT = frozenset("paid took had did got spent gave covered owe owed owes bought earned lost saved".split())
_UNLINKED = frozenset("or if but because unless instead not than".split())


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


def _plans(talk: Talk) -> list[Plan]:
    shares, paired = _distributed(talk)
    for index, value in talk.amounts.items():
        if index in paired:
            continue
        share = _share(talk, index, value)
        if share is not None:
            shares.append(share)
    shares.sort(key=lambda share: share.index)
    return list(_combined(talk, shares))


def _share(talk: Talk, index: int, value: Amount) -> _Share | None:
    """The share that the amount at `index` is, where the words around say whose."""
    start, before, sure = _owner_before(talk, index)
    end, after, joint = _owner_after(talk, index)
    if before is not None and after is not None and before != after:
        if joint == "for":
            return None
        after = None
    too = _TOO.match(talk.text(index + 1, talk.on_to(index + 1, ENDS)))
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


def _owner_before(talk: Talk, index: int) -> tuple[int, str | None, bool]:
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


def _is_one_of_two(talk: Talk, at: int) -> bool:
    """ "You and I have 24": the amount belongs to both."""
    if at < 2 or talk.words[at - 1] not in ("and", "&", "or") or talk.words[at - 2] not in ("@s", "@l"):
        return False
    return at < 3 or (talk.words[at - 3] not in _PREPOSITIONS and talk.words[at - 3] not in ("#", "%"))


def _owner_after(talk: Talk, index: int) -> tuple[int, str | None, str]:
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
        if not joint and len(follow) > 1 and follow[1] not in BREAKS:
            return index, None, ""
    elif not joint and follow and follow[0] not in BREAKS and follow[0] != "&":
        return index, None, ""
    if follow and follow[0] in ("#", ":", "=") and joint:
        return index, None, ""
    if words[index - 1 : index] and words[index - 1] in _SPENT:
        return index, None, ""
    return at + 1, words[at], joint


def _is_past(talk: Talk, index: int) -> bool:
    start, end = talk.back_to(index, ENDS), talk.on_to(index, ENDS)
    return bool(WORDS["past"].search(talk.text(start, end)))


def _is_supposed(talk: Talk, start: int) -> bool:
    """Said earlier, only supposed, doubted or asked about: not put forward by itself."""
    begin = talk.back_to(start, ENDS)
    lead = talk.text(begin, start + 1)
    clause = talk.text(talk.back_to(start, BREAKS), start + 1)
    doubt = WORDS["unsure"].search(clause) or _IF.search(clause) or _ODD_QUESTION.search(clause)
    return bool(doubt or WORDS["said_before"].search(lead))


def _is_denied(talk: Talk, start: int, index: int, end: int) -> bool:
    """The clause turns the share down: before it ("I can't take 140") or after it ("140 for me won't do")."""
    before = talk.text(talk.back_to(start, BREAKS), index)
    if WORDS["denied"].search(WORDS["not_denied"].sub(" ", before)):
        return True
    stop = talk.on_to(end, ENDS | frozenset(("#", "%", "but", "so", "and")))
    after = talk.text(end, stop)
    head, comma, tail = after.partition(" , ")
    if comma and tail.startswith(("that ", "which ", "this ", "it ", "that's ", "it's ")):
        head = after
    return bool(WORDS["refused"].search(head))


def _distributed(talk: Talk) -> tuple[list[_Share], set[int]]:
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


def _owners_after_both(talk: Talk, second: int) -> tuple[str, str] | None:
    words, at = talk.words, second + 1
    while at < len(words) and words[at] in _LEADING and at - second < 5:
        at += 1
    return _two_owners(words[at : at + 3])


def _owners_before_both(talk: Talk, index: int) -> tuple[str, str] | None:
    at = index - 1
    while at >= 0 and talk.words[at] in talk.fill and index - at < 8:
        at -= 1
    return _two_owners(talk.words[at - 2 : at + 1]) if at >= 2 else None


def _two_owners(words: Sequence[str]) -> tuple[str, str] | None:
    if len(words) < 3 or words[1] not in ("and", "&", "/", ","):
        return None
    return (words[0], words[2]) if {words[0], words[2]} == {"@s", "@l"} else None


_LARGER = Pattern(
    lambda: rf"(@[sl]) (?:\S+ ){{0,2}}?the (?:({CUE['larger']})|smaller|lesser|lower) {CUE['share_noun']}"
)


def _larger(talk: Talk, index: int, second: int) -> tuple[str, str] | None:
    """Who is who where somebody takes the larger (or the smaller) of the two."""
    start, end = talk.back_to(index, ENDS), talk.on_to(second, ENDS)
    match = _LARGER.search(talk.text(start, end))
    if match is None or talk.amounts[index] == talk.amounts[second]:
        return None
    named, unnamed = match[1], "@l" if match[1] == "@s" else "@s"
    first_is_named = (talk.amounts[index] > talk.amounts[second]) == bool(match[2])
    return (named, unnamed) if first_is_named else (unnamed, named)


def _combined(talk: Talk, shares: Sequence[_Share]) -> Iterator[Plan]:
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


def _belong(talk: Talk, one: _Share, two: _Share, total: int) -> bool:
    """Two people's shares close together that make the total, or that are said in one breath and do not."""
    between = talk.words[one.index + 1 : two.index]
    if one.seat == two.seat or len(between) > 14:
        return False
    if one.value + two.value == total:
        return True
    return one.sure and two.sure and len(between) <= 9 and not (ENDS | _UNLINKED).intersection(between)


def _clash(talk: Talk, one: _Share, two: _Share) -> bool:
    """What each could take, side by side, that does not make the total: no plan."""
    if one.seat == two.seat or one.rejected or two.rejected:
        return False
    between = talk.words[one.index + 1 : two.index]
    return len(between) <= 12 and not _UNLINKED.intersection(between)


def _plan(talk: Talk, by_seat: Mapping[Seat, Amount], shares: Sequence[_Share]) -> Plan:
    names = talk.public.names
    terms = {name: by_seat[seat] for seat, name in zip(SEATS, names, strict=True)}
    start = talk.spans[min(s.start for s in shares)][0]
    end = talk.spans[max(s.end for s in shares) - 1][1]
    return Plan(terms, start, end, any(s.rejected for s in shares))


# --------------------------------------------------------------------------------------------------------- equal splits


def _equal_splits(talk: Talk) -> Iterator[Plan]:
    """ "Half each", "split it evenly", "120 each": a plan where the half is a whole number of steps."""
    total, step = talk.public.facts["total"], talk.public.facts["step"]
    if total % (2 * step):
        return
    half = total // 2
    spots = [(talk.at(m.start()), m.span()) for m in EQUAL.finditer(talk.low)]
    for index, value in talk.amounts.items():
        if value == half and _is_each(talk, index):
            spots.append((index, talk.spans[index]))
    for index, (start, end) in spots:
        if index >= len(talk.words) or _is_past(talk, index) or _is_supposed(talk, max(0, index - 1)):
            continue
        after = talk.at(end)
        terms = dict.fromkeys(talk.public.names, half)
        yield Plan(terms, start, end, _is_denied(talk, index, index, after))


def _is_each(talk: Talk, index: int) -> bool:
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
