"""Laws of distorted words: the same each time, nothing invented, nothing decided that was not."""

from __future__ import annotations

import random
from random import Random
from typing import Any

from hypothesis import strategies as st

from adidem.core.kit import texts
from adidem.core.kit.law import Broken
from adidem.core.kit.render import plain, text_line
from adidem.core.kit.search import smallest
from adidem.core.kit.subject import Subject
from adidem.core.language import Act, find_acts, find_numbers, find_times
from adidem.core.language.patterns import Pattern

SEEDS = (0, 1, 2)
DECIDING = {Act.ACCEPT, Act.REJECT, Act.DECLINE, Act.DEFER}
_CAPITAL = Pattern(r"(?<=[\w,;] )[A-Z][a-zà-ÿ]{2,}")
_DIGITS = Pattern(r"\d+")

Said = tuple[str, float, int]


def silent_at_zero(subject: Subject) -> Broken | None:
    """At severity 0 every byte stays and a model speaker is told nothing."""
    directive = subject.thing.directive(0.0)
    if not directive.empty:
        return Broken(f"directive(0.0) tells a speaker {plain(directive.style or directive.stance)}")

    def changes(example: tuple[str, int]) -> str | None:
        text, seed = example
        said = subject.thing.distort(text, 0.0, Random(seed))
        return None if said == text else f"at severity 0 {plain(text)} becomes {plain(said)}"

    strategy = st.tuples(texts.utterances(lines(subject)), st.sampled_from(SEEDS))
    found = smallest(strategy, changes, subject.examples, subject.file)
    return None if found is None else Broken(found.what)


def distort_never_raises(subject: Subject) -> Broken | None:
    """Whatever is said, at any severity, words come out."""

    def fails(example: Said) -> str | None:
        text, severity, seed = example
        said: Any = subject.thing.distort(text, severity, Random(seed))
        return None if isinstance(said, str) else f"distort gave {plain(said)}, no text"

    return _searched(subject, fails)


def same_words_again(subject: Subject) -> Broken | None:
    """The same words, severity and generator give the same words out, whatever was distorted before and whatever the
    global generator holds, which is left as it was."""

    def differs(example: Said) -> str | None:
        text, severity, seed = example
        state = random.getstate()
        one = subject.thing.distort(text, severity, Random(seed))
        touched = random.getstate() != state
        random.setstate(state)
        subject.thing.distort("Something else, which is said in between.", 1.0, Random(99))
        two = subject.thing.distort(text, severity, Random(seed))
        if touched:
            return "distort draws from Python's global generator"
        return None if one == two else f"it came out as {plain(one)} and then as {plain(two)}"

    return _searched(subject, differs)


def nothing_is_invented(subject: Subject) -> Broken | None:
    """No number, time, name or item comes out that did not go in."""
    items = _items(subject)

    def invents(example: Said) -> str | None:
        text, severity, seed = example
        said = subject.thing.distort(text, severity, Random(seed))
        new = _new_in(said, text) or next((f"the item {i!r}" for i in items if i in said and i not in text), None)
        return None if new is None else f"{new} is new in {plain(said)}"

    return _searched(subject, invents, spoken=True)


def nothing_is_decided(subject: Subject) -> Broken | None:
    """A yes, a no, a decline and a deferral may lose their form; none is heard that was not meant."""

    def decides(example: Said) -> str | None:
        text, severity, seed = example
        said = subject.thing.distort(text, severity, Random(seed))
        new = (find_acts(said) - find_acts(text)) & DECIDING
        return f"{sorted(new)[0]} is heard in {plain(said)}" if new else None

    return _searched(subject, decides, spoken=True)


def lines(subject: Subject) -> tuple[str, ...]:
    """What people say in the families around the barrier, the shortest first."""
    found: list[str] = []
    for sample in subject.samples()[:3]:
        found += texts.lines_of(sample)
    return tuple(sorted(found, key=len))


def _searched(subject: Subject, wrong: Any, *, spoken: bool = False) -> Broken | None:
    ours = lines(subject)
    said = st.sampled_from((*texts.SPOKEN, *ours)) if spoken else texts.utterances(ours)
    strategy = st.tuples(said, st.sampled_from((1.0, 0.8, 0.5, 0.2)), st.sampled_from(SEEDS))
    found = smallest(strategy, wrong, subject.examples * (3 if spoken else 1), subject.file)
    if found is None:
        return None
    text, severity, seed = found.example
    return Broken(found.what, (text_line(text, "said"), f"severity: {severity}, generator: Random({seed})"))


def _new_in(said: str, text: str) -> str | None:
    for word in _DIGITS.findall(said):
        if word not in _DIGITS.findall(text):
            return f"the number {word}"
    before = {mention.value for mention in find_numbers(text)}
    for mention in find_numbers(said):
        if mention.value not in before:
            return f"the number {mention.text!r}"
    times = {mention.time for mention in find_times(text)}
    for time in find_times(said):
        if time.time not in times:
            return f"the time {time.text!r}"
    low = text.casefold()
    for name in _CAPITAL.findall(said):
        if name.casefold() not in low:
            return f"the name {name!r}"
    return None


def _items(subject: Subject) -> tuple[str, ...]:
    """Items of the families around the barrier that have at least two words, or one that is no common one."""
    found: dict[str, None] = {}
    for sample in subject.samples()[:3]:
        for _, world in sample.few[:4]:
            for choices in sample.choices(world.public).values():
                found.update(dict.fromkeys(text for text in choices if len(text) > 5))
    return tuple(found)
