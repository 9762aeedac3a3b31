"""Where in a conversation the values of recorded terms were said or implied, in any spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

import attrs
from attrs import frozen

from adidem.core.contracts import Case
from adidem.core.domain import Amount, Items, Time
from adidem.core.language import find_durations, find_numbers, find_times, item_spans
from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.core.language.times import Day
from adidem.core.records import fields_of

Kind = Literal["number", "time", "item"]
Leaf = tuple[str, Kind, Any]
"""Where in the terms a value stands, what it is, and the value."""

NEVER = -1
HALF_DAY = 12 * 60
_ADDING = Pattern(
    r"\b(?:more|less|fewer|another|extra|additional|add|up|down|plus|minus|top|other|off|rest|knock|half|middle|halfway"
    r"|difference|meet)\b"
)
_PARTS = (
    (Pattern(r"\b(?:half|halves|even|evenly|equal|equally|fifty)\b"), 2),
    (Pattern(r"\bthirds?\b"), 3),
    (Pattern(r"\bquarters?\b"), 4),
    (Pattern(r"\b(?:all|everything|lot|whole)\b"), 1),
)
_ALL = Pattern(r"\b(?:everything|all|whole\s+(?:list|lot)|both|the\s+lot|every\s+one)\b")
_WORD = Pattern(r"[a-z]{3,}")


def leaves(terms: Any, where: str = "") -> Iterator[Leaf]:
    """Every number, time and item of typed terms; names and other texts may be said in too many ways to be looked
    for."""
    for name, kind in fields_of(terms.__class__):
        yield from _leaves(getattr(terms, name), kind, f"{where}.{name}")


def _leaves(value: Any, kind: Any, where: str) -> Iterator[Leaf]:
    if attrs.has(type(value)):
        yield from leaves(value, where)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(one, None, f"{where}.{key}")
    elif kind == Items:
        yield from ((f"{where}.{item}", "item", item) for item in value)
    elif kind is Time:
        yield where, "time", value
    elif kind in (Amount, None) and isinstance(value, int | float):
        yield where, "number", value


@lru_cache(maxsize=256)
def holds_times(kind: Any) -> bool:
    """Whether a terms class, or the type of one of its fields, holds a time of day anywhere."""
    if attrs.has(kind):
        return any(holds_times(of) for _, of in fields_of(kind))
    return kind is Time or any(holds_times(part) for part in get_args(kind))


@frozen(slots=True)
class _Turn:
    numbers: frozenset[int | float]
    times: frozenset[int]
    items: frozenset[str]
    adds: bool


def day_of(case: Case) -> Day | None:
    """The public bounds of the day, where there are any."""
    return case.world.public.day


def items_named(low: str, items: tuple[str, ...]) -> set[str]:
    """The items named in a levelled text by their names or by any word of them: "the seals" for the seal colony."""
    if not items:
        return set()
    found = {item for item, _, _ in item_spans(low, items)}
    words = {_stem(word) for word in _WORD.findall(low)}
    return found | {item for item in items if words & _words_of(item)}


class Said:
    """The values said in a conversation, turn by turn."""

    def __init__(self, case: Case) -> None:
        facts = case.world.public.facts
        self._day = day_of(case)
        self._timed = holds_times(case.family.terms)
        self._units = {n for n in (facts.get("pack"), facts.get("step")) if isinstance(n, int) and n > 1}
        self._total, on_offer = _number(facts.get("total")), _number(facts.get("on_offer"))
        self._whole = self._total or on_offer
        self._items = tuple(facts["items"]) if isinstance(facts.get("items"), list | tuple) else ()
        self._turns = [self._hear(turn.text) for turn in case.conversation]
        lasting = {m.minutes for turn in case.conversation for m in find_durations(turn.text)}
        usual = facts.get("durations")
        known = (facts.get("duration"), *(usual if isinstance(usual, list | tuple) else ()))
        self._lengths = lasting | {n for n in known if isinstance(n, int) and n}

    def last(self, leaf: Leaf) -> int:
        """The index of the last turn that says or implies a value, or NEVER."""
        _, kind, value = leaf
        found: Mapping[Kind, Callable[[int, Any], bool]] = {
            "number": self._number_at,
            "time": self._time_at,
            "item": self._item_at,
        }
        says = found[kind]
        return max((i for i in range(len(self._turns)) if says(i, value)), default=NEVER)

    def missing(self, terms: Any) -> Leaf | None:
        """A number or time that was never said nor implied, or None. An item may be called by a word that is not in its
        name: only where two or more, or all, were never named is one of them missing."""
        wanted = list(leaves(terms))
        never = [leaf for leaf in wanted if self.last(leaf) == NEVER]
        items = [leaf for leaf in never if leaf[1] == "item"]
        if len(never) == len(items) == 1 < len(wanted):
            return None
        return next(iter(never), None)

    def _hear(self, text: str) -> _Turn:
        low = level(text)
        numbers = {mention.value for mention in find_numbers(text)}
        times = {_clock(mention.time) for mention in find_times(text, self._day)} if self._timed else set()
        times |= {time for n in numbers if (time := _bare_time(n)) is not None}
        items = set(self._items) if self._items and _ALL.search(low) else items_named(low, self._items)
        numbers |= self._parts(low)
        return _Turn(frozenset(numbers), frozenset(times), frozenset(items), bool(_ADDING.search(low)))

    def _parts(self, low: str) -> set[int | float]:
        """Parts of the whole: "half each", "two thirds", "the lot"."""
        whole = self._whole
        if not isinstance(whole, int):
            return set()
        named = [n for words, n in _PARTS if words.search(low)]
        return {whole * k / n for n in named for k in range(1, n + 1)}

    def _number_at(self, index: int, value: int | float) -> bool:
        turn = self._turns[index]
        if self._is_number(turn.numbers, value) or (self._total and self._is_number(turn.numbers, self._total - value)):
            return True
        if not turn.adds:
            return False
        before = {n for t in self._turns[: index + 1] for n in t.numbers}
        return any(value in (n + m, n - m, m - n) for n in turn.numbers for m in before) or any(
            2 * value == n + m for n in before for m in before
        )

    def _is_number(self, numbers: frozenset[int | float], value: int | float) -> bool:
        return value in numbers or any(n * unit == value for n in numbers for unit in self._units)

    def _time_at(self, index: int, value: str) -> bool:
        minute, times = _clock(value), self._turns[index].times
        return minute in times or any(
            (minute + sign * d) % HALF_DAY in times for d in self._lengths for sign in (1, -1)
        )

    def _item_at(self, index: int, value: str) -> bool:
        return value in self._turns[index].items or value not in self._items


def _bare_time(number: int | float) -> int | None:
    """ "At 2" is 2:00, "at 230" 2:30, in minutes of half a day."""
    if not isinstance(number, int):
        return None
    hour, minute = (number, 0) if number <= 24 else divmod(number, 100)
    return (60 * hour + minute) % HALF_DAY if hour <= 24 and minute < 60 else None


def _number(value: Any) -> int | float | None:
    """A public fact as a number, None where a family means something else by that name."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _clock(time: str) -> int:
    hour, minute = time.split(":")
    return (60 * int(hour) + int(minute)) % HALF_DAY


@lru_cache(maxsize=1024)
def _words_of(item: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(level(item)))


def _stem(word: str) -> str:
    return word.removesuffix("s").removesuffix("e") if word.endswith("es") else word.removesuffix("s")


def explicit(plans: Sequence[tuple[int, Any]], key: Any) -> int:
    """The index of the last turn in which a plan was put forward as a whole, or NEVER; `plans` are turns and keys."""
    return max((index for index, said in plans if said == key), default=NEVER)
