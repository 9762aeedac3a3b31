"""Laws of distorted words: the same each time, nothing invented, nothing decided that was not."""

from __future__ import annotations

import random
from itertools import product
from random import Random
from typing import Any

from attrs import asdict
from hypothesis import strategies as st

from adidem.core.contracts import denied
from adidem.core.domain import Condition, Directive, World
from adidem.core.kit import texts
from adidem.core.kit.law import Broken
from adidem.core.kit.patience import again
from adidem.core.kit.render import plain, text_line
from adidem.core.kit.search import smallest
from adidem.core.kit.subject import Sample, Subject
from adidem.core.language import Act, find_acts, find_numbers, find_times
from adidem.core.language.patterns import Pattern

SEEDS = (0, 1, 2)
MISHEARD = 0.02
"""Of so many of the things told, a part may be heard for the whole."""

SEVERITIES = (0.2, 0.5, 0.8, 1.0)
CONDITIONAL = (
    "If you say yes, I accept.",
    "If that suits you, okay, it works for me.",
    "As long as you take the rest, good, I agree.",
    "Unless you say no, that is fine with me.",
    "I don't know whether that works for me.",
)
"""Nothing is decided by these, whatever becomes of a word in them."""

MANY_SEEDS = range(40)
DECIDING = {Act.ACCEPT, Act.REJECT, Act.DECLINE, Act.DEFER}
_CAPITAL = Pattern(r"(?<=[\w,;] )[A-Z][a-zà-ÿ]{2,}")
_WORD = Pattern(r"[^\W\d_]{2,}")
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
    """Whatever is said, at any severity, words come out, and something is left of what has words."""

    def fails(example: Said) -> str | None:
        text, severity, seed = example
        said: Any = subject.thing.distort(text, severity, Random(seed))
        if not isinstance(said, str):
            return f"distort gave {plain(said)}, no text"
        return "nothing is left of it" if _WORD.search(text) and not said.strip() else None

    return _searched(subject, fails)


def same_words_again(subject: Subject) -> Broken | None:
    """The same words, severity and generator give the same words out, whatever was distorted before and whatever the
    global generator holds, which is left as it was; the same severity gives the same directive."""
    for severity in SEVERITIES:
        first, again = (subject.thing.directive(severity) for _ in range(2))
        if first != again:
            return Broken(f"directive({severity}) tells a speaker other things the second time", _apart(first, again))

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

    for example in product(CONDITIONAL, (0.3, 0.6, 1.0), MANY_SEEDS):
        again()
        if (what := decides(example)) is not None:
            return _broken(example, what)
    return _searched(subject, decides, spoken=True)


def nothing_is_turned_round(subject: Subject) -> Broken | None:
    """What somebody truly tells of their card is not heard as an untruth once it is distorted: it may be hidden, and in
    a few lines part of it is heard for the whole."""
    told = [(sample, world, c, sample.family.tell(c, world.public)) for sample, world in _worlds(subject)
            for c in world.conditions]  # fmt: skip
    tried, turned = 0, list[tuple[str, str, str, str]]()
    for (sample, world, condition, text), severity, seed in product(told, (1.0, 0.7, 0.4), SEEDS[:2]):
        tried += 1
        again()
        said = subject.thing.distort(text, severity, Random(seed))
        why = _untruth(sample, world, condition, text, said)
        if why is not None:
            turned.append((text, said, why, f"severity: {severity}, generator: Random({seed})"))
    if len(turned) <= MISHEARD * tried:
        return None
    text, said, why, drawn = min(turned, key=lambda found: len(found[0]))
    what = f"{plain(said)} is heard otherwise than it was meant: {why}"
    return Broken(what, (text_line(text, "said"), drawn, f"so are {len(turned)} of {tried} things told of a card"))


def _worlds(subject: Subject) -> list[tuple[Sample, World]]:
    return [(sample, world) for sample in subject.samples()[:3] for _, world in sample.few]


def _untruth(sample: Sample, world: World, condition: Condition, text: str, said: str) -> str | None:
    """Why what is heard of the speaker in what was said is untrue of the card, where what was meant is not."""
    card = world.card(condition.owner)

    def untrue(words: str) -> list[str]:
        heard = sample.family.hear(words, world.public, condition.owner)
        return [why for f in heard.facts if f.about == "speaker" and (why := denied(f, card, sample.family))]

    found = untrue(said)
    return found[0] if found and not untrue(text) else None


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
    return _broken(found.example, found.what)


def _broken(example: Said, what: str) -> Broken:
    text, severity, seed = example
    return Broken(what, (text_line(text, "said"), f"severity: {severity}, generator: Random({seed})"))


def _apart(first: Directive, again: Directive) -> tuple[str, ...]:
    """The parts of two directives that differ."""
    parts = asdict(first, recurse=False)
    return tuple(
        f"{name}: {plain(one)} and then {plain(getattr(again, name))}"
        for name, one in parts.items()
        if one != getattr(again, name)
    )


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
