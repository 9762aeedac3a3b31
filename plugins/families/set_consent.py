"""Set consent: which items of a list, with everything in that either requires and nothing that either refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field, frozen, validators

from adidem.core import language
from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Fact, Heard, Items, Plan, Public, RoleCard, Seat, Text, Violation, World, other
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from random import Random

    from adidem.plugins.families.hearing import wishes as ears
else:
    ears = LazyModule("adidem.plugins.families.hearing.wishes")

MOST_PLANS = 8
Wishes = dict[str, list[str]]


@frozen
class Selection:
    """The agreed items, each spelt as in the public list and in its order."""

    items: Items


@define
class SetConsent(PairedFamily):
    """Public: a list of items and maybe a greatest size. Private: each role's wishes, `{requires, refuses}`, two lists
    of items.

    What a role requires and what it refuses are one condition, not two: only then can a single differing condition
    turn one item from required into refused, which leaves two worlds that both agree without a plan in common.

    `max_items` caps the size of drawn selections, 1 to 12; None leaves it to the setting. With room for one item
    two agreements cannot differ in one role's wishes alone, so every pair is then agree/decline.
    """

    max_items: int | None = field(
        default=None,
        validator=validators.optional([validators.instance_of(int), validators.ge(1), validators.le(12)]),
    )

    name: ClassVar[str] = "set_consent"
    terms: ClassVar[type] = Selection
    settings_file: ClassVar[Path] = Path(__file__).with_suffix(".yaml")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (SelectionRules(),)

    def plans(self, world: World) -> Iterable[Selection]:
        """Every selection of at least one item and no more than the greatest size, the smallest first."""
        items, limit = _listed(world.public), _limit(world.public)
        return (Selection(chosen) for size in range(1, limit + 1) for chosen in combinations(items, size))

    def passing(self, world: World) -> Iterable[Selection]:
        """What both require with any of the items that neither requires nor refuses, as far as there is room."""
        items, limit = _listed(world.public), _limit(world.public)
        required = {item for seat in SEATS for item in _wish(world, seat, "requires")}
        refused = {item for seat in SEATS for item in _wish(world, seat, "refuses")}
        if not required.issubset(items) or required & refused:
            return
        free = [n for n, item in enumerate(items) if item not in required and item not in refused]
        fixed = [n for n, item in enumerate(items) if item in required]
        sizes = range(0 if fixed else 1, min(len(free), limit - len(fixed)) + 1)
        for size in sizes:
            chosen = sorted(tuple(sorted((*fixed, *extra))) for extra in combinations(free, size))
            yield from (Selection(tuple(items[n] for n in numbers)) for numbers in chosen)

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """The public list."""
        return {"items": public.facts["items"]}

    # ------------------------------------------------------------------------------------------------ scenarios

    def pair_kind(self, setting: Setting, number: int) -> str:
        """The kinds turn about; agree/decline alone where one item is all there is room for."""
        return "agree/decline" if self.max_items == 1 else super().pair_kind(setting, number)

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """The partner's wishes are drawn first; the owner's agree with them in one world. In the other world the
        owner wants the opposite of one or two items, or something that the partner's wishes or the room rule out."""
        params = setting.params
        count = min(rng.randint(*params.get("count", (6, 8))), len(params["items"]))
        items = [params["items"][n] for n in sorted(rng.sample(range(len(params["items"])), count))]
        limit = rng.choice(params.get("sizes", [None]))
        if self.max_items is not None:
            limit = min(self.max_items, limit or self.max_items)
        if limit is not None and limit >= count:
            limit = None
        drawn = _single(rng, items) if limit == 1 else _wishes(rng, items, kind, limit)
        if drawn is None:
            return None
        partner, one, two = (_in_order(wishes, items) for wishes in drawn)
        agreeing = (one, two) if kind == "agree/agree" else (one,)
        if not all(1 <= _count(partner, own, count, limit) <= MOST_PLANS for own in agreeing):
            return None
        values = {owner: one, other(owner): partner}
        facts = {"items": items, "max_items": limit, "article": params.get("article", "the")}
        room = "" if limit is None else params["limit"].format(max_items=language.number_words(limit))
        shown = {"items": _spoken(items, facts), "limit": room}
        return Sketch(facts, shown, {(s, "wishes"): values[s] for s in SEATS}, (owner, "wishes"), two)

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """`{requires}` and `{refuses}` ("the soup and the cake"), `{refuses_or}` ("the soup or the cake")."""
        refuses = _spoken(value["refuses"], facts)
        either = " or ".join(refuses.rsplit(" and ", 1)) if len(value["refuses"]) > 1 else refuses
        return {"requires": _spoken(value["requires"], facts), "refuses": refuses, "refuses_or": either}

    # --------------------------------------------------------------------------------------------------- speech

    def say(self, terms: Selection, public: Public) -> str:
        """`the lentil curry, the flatbread and the cake`."""
        return _spoken(terms.items, public.facts)

    @unguessed()
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """What must be in is required, what cannot be is refused; a list that is proposed or accepted is a plan. A
        plain mention, a question and a mere preference are neither."""
        items = public.facts["items"]
        heard = ears.find_wishes(text, items, public.name(other(speaker)))
        plans = (Plan(Selection(tuple(Text(i) for i in o.items)), o.start, o.end, o.rejected) for o in heard.offered)
        return Heard(tuple(_facts(heard)), tuple(plans))

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """A wish that the card does not hold is untrue; naming only some of one's wishes is not."""
        for condition in card.conditions:
            if condition.kind != fact.kind:
                continue
            for part in ("requires", "refuses"):
                said, known = fact.value.get(part), condition.value.get(part) or ()
                if said is not None and not said and known:
                    return f"said that {card.name} {part} nothing, but the card names {language.join_items(known)}"
                invented = [item for item in said or () if item not in known]
                if invented:
                    return f"said that {card.name} {part} {language.join_items(invented)}, which is not on the card"
        return None


def _facts(heard: ears.Wishes) -> Iterator[Fact]:
    """One fact a person; who says that nothing is refused refuses an empty list."""
    easy = heard.easy
    for wished in heard.wished:
        mine = wished.by == "speaker"
        none: list[str] | None = [] if mine and easy is not None else None
        value = {"requires": list(wished.requires) or None, "refuses": list(wished.refuses) or none}
        yield Fact("wishes", value, "speaker" if mine else "listener", wished.start, wished.end)
    if easy is not None and all(wished.by != "speaker" for wished in heard.wished):
        yield Fact("wishes", {"requires": None, "refuses": []}, "speaker", *easy)


def _listed(public: Public) -> tuple[Text, ...]:
    return tuple(Text(item) for item in public.facts["items"])


def _limit(public: Public) -> int:
    most = public.facts.get("max_items")
    count = len(public.facts["items"])
    return count if most is None else min(int(most), count)


def _wish(world: World, seat: Seat, part: str) -> Sequence[str]:
    wishes = world.of(seat, "wishes")
    return (wishes.get(part) or ()) if isinstance(wishes, Mapping) else ()


def _spoken(items: Iterable[str], facts: Mapping[str, Any]) -> str:
    article = facts.get("article", "the")
    return language.join_items(f"{article} {item}" if article else item for item in items)


# ------------------------------------------------------------------------------------------------------ drawing pairs


def _wishes(rng: Random, items: Sequence[str], kind: str, limit: int | None) -> tuple[Wishes, Wishes, Wishes] | None:
    """The partner's wishes, and the owner's in both worlds; None where the items run out."""
    pool = iter(rng.sample(items, len(items)))
    sizes = [rng.choice((1, 1, 2)) if limit is not None and limit < 4 else rng.choice((1, 2)), rng.choice((1, 2))]
    try:
        partner = {"requires": [next(pool) for _ in range(sizes[0])], "refuses": [next(pool) for _ in range(sizes[1])]}
        draw = _both_agree if kind == "agree/agree" else _one_declines
        one, two = draw(rng, pool, partner, limit)
    except StopIteration:
        return None
    return partner, one, two


def _both_agree(rng: Random, pool: Iterator[str], partner: Wishes, limit: int | None) -> tuple[Wishes, Wishes]:
    x, keep, shun = next(pool), _some(rng, pool, partner["requires"]), [next(pool)]
    room = limit is not None and limit == len({*partner["requires"], *keep}) + 1
    how = rng.choice(("swap", "turn", "room")) if room else rng.choice(("swap", "turn"))
    if how == "turn":
        keep = keep or [next(pool)]
        return {"requires": [*keep, x], "refuses": shun}, {"requires": keep, "refuses": [*shun, x]}
    y = next(pool)
    if how == "room":
        return {"requires": [*keep, x], "refuses": shun}, {"requires": [*keep, y], "refuses": shun}
    shun = rng.choice((shun, []))
    return {"requires": [*keep, x], "refuses": [*shun, y]}, {"requires": [*keep, y], "refuses": [*shun, x]}


def _one_declines(rng: Random, pool: Iterator[str], partner: Wishes, limit: int | None) -> tuple[Wishes, Wishes]:
    requires = [*_some(rng, pool, partner["requires"]), next(pool)]
    refuses = [next(pool) for _ in range(rng.choice((1, 2)))]
    room = 0 if limit is None else limit - len({*partner["requires"], *requires})
    if room == 0 and limit is not None and rng.random() < 0.5:
        return {"requires": requires, "refuses": refuses}, {"requires": [*requires, next(pool)], "refuses": refuses}
    replaced = rng.random() < 0.5
    if rng.random() < 0.5:
        wanted = rng.choice(partner["refuses"])
        changed = {"requires": [*(requires[:-1] if replaced else requires), wanted], "refuses": refuses}
    else:
        unwanted = rng.choice(partner["requires"])
        kept = [i for i in requires if i != unwanted]
        changed = {"requires": kept, "refuses": [*(refuses[:-1] if replaced else refuses), unwanted]}
    return {"requires": requires, "refuses": refuses}, changed


def _single(rng: Random, items: Sequence[str]) -> tuple[Wishes, Wishes, Wishes]:
    """Room for one item: both require the same, or each another."""
    shared, another, mine, theirs = rng.sample(items, 4)
    partner = {"requires": [shared], "refuses": [theirs]}
    return partner, {"requires": [shared], "refuses": [mine]}, {"requires": [another], "refuses": [mine]}


def _some(rng: Random, pool: Iterator[str], shared: Sequence[str]) -> list[str]:
    """Nothing, one item of one's own, or one that the other requires as well."""
    how = rng.random()
    return [] if how < 0.5 else [next(pool)] if how < 0.8 else [rng.choice(shared)]


def _in_order(wishes: Wishes, items: Sequence[str]) -> Wishes:
    return {part: [i for i in items if i in wanted] for part, wanted in wishes.items()}


def _count(one: Wishes, two: Wishes, items: int, limit: int | None) -> int:
    """How many selections fit both."""
    required = {*one["requires"], *two["requires"]}
    refused = {*one["refuses"], *two["refuses"]}
    if required & refused:
        return 0
    free = items - len(required) - len(refused)
    room = free if limit is None else min(free, limit - len(required))
    return sum(comb(free, size) for size in range(room + 1))


# --------------------------------------------------------------------------------------------------------------- rules


@define
class SelectionRules:
    """At least one item, all from the list, no more than the greatest size, nothing that either refuses, everything
    that either requires."""

    name: ClassVar[str] = "set_consent"
    families: ClassVar[tuple[str, ...]] = ("set_consent",)

    def check(self, world: World, terms: Selection) -> Iterable[Violation]:
        """Every violation of a selection."""
        chosen, listed = tuple(dict.fromkeys(terms.items)), world.public.facts["items"]
        if not chosen:
            yield Violation("some", "nothing is chosen", None, [], "at least one item")
        for item in chosen:
            if item not in listed:
                yield Violation("listed", f"{item!r} is not on the list", None, item, list(listed))
        most = world.public.facts.get("max_items")
        if most is not None and len(chosen) > most:
            yield Violation("size", f"{len(chosen)} items are more than {most}", None, len(chosen), most)
        for seat in SEATS:
            yield from _unmet(world, seat, chosen)


def _unmet(world: World, seat: Seat, chosen: Sequence[str]) -> Iterator[Violation]:
    name = world.public.name(seat)
    for item in _wish(world, seat, "refuses"):
        if item in chosen:
            yield Violation("refused", f"{name} refuses {item}", seat, item, f"without {item}")
    for item in _wish(world, seat, "requires"):
        if item not in chosen:
            yield Violation("required", f"{name} requires {item}", seat, list(chosen), f"with {item}")


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """Set consent."""
    register(SetConsent)


@hookimpl
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Its rules."""
    register(SelectionRules)
