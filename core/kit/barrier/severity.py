"""Laws of severity: more of it is never less of the barrier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random
from statistics import fmean

from hypothesis import strategies as st

from adidem.core.kit import texts
from adidem.core.kit.barrier.words import lines
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain, text_line
from adidem.core.kit.search import smallest
from adidem.core.kit.subject import Subject

LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MOST_LINES = 40
SEEDS = range(4)
SLACK = 0.02
"""What a mean over lines and generators may fall by, as a share of 1, and still count as not falling."""


def severity_is_monotone(subject: Subject) -> Broken | None:
    """As severity rises, more of what people say is changed, on average over many lines, and never less."""
    said = _corpus(subject)
    before, low = 0.0, 0.0
    for level in LEVELS[1:]:
        now = fmean(_change(text, subject.thing.distort(text, level, Random(seed))) for text in said for seed in SEEDS)
        if now < before - SLACK:
            what = f"at severity {level} {now:.0%} of a line is changed, at severity {low} it was {before:.0%}"
            return Broken(what, _counterexample(subject, said, low, level))
        before, low = max(before, now), level
    return None


def measures_move_one_way(subject: Subject) -> Broken | None:
    """What the barrier says that it moves (`moves`: +1 up, -1 down) only ever moves that way, utterance by utterance,
    with the same generator."""
    moves = getattr(subject.thing, "moves", None)
    if moves is None:
        raise Idle("the barrier has no `moves`")
    ways: Mapping[str, int] = moves()

    def turns_back(example: tuple[str, float, float, int]) -> str | None:
        text, one, other, seed = example
        low, high = sorted((one, other))
        weak, strong = (subject.thing.distort(text, severity, Random(seed)) for severity in (low, high))
        first, second = subject.thing.measure(weak), subject.thing.measure(strong)
        for name, way in ways.items():
            if way * (second[name] - first[name]) < -1e-9:
                moved = f"{name} goes from {first[name]:g} to {second[name]:g} though moves() says {way:+d}"
                return f"from severity {low} to {high} {moved}: {plain(weak)} becomes {plain(strong)}"
        return None

    severities = st.sampled_from(LEVELS) | st.floats(0, 1)
    strategy = st.tuples(texts.utterances(lines(subject)), severities, severities, st.integers(0, 3))
    found = smallest(strategy, turns_back, subject.examples, subject.file)
    return None if found is None else Broken(found.what, (text_line(found.example[0], "said"),))


def quotas_follow_severity(subject: Subject) -> Broken | None:
    """As severity rises, the middle of each quota moves one way."""
    middles: dict[str, list[tuple[float, float]]] = {}
    for level in LEVELS:
        for name, (low, high) in subject.thing.directive(level).quotas.items():
            middles.setdefault(name, []).append((level, (low + high) / 2))
    for name, found in middles.items():
        steps = [later - earlier for (_, earlier), (_, later) in pairwise(found)]
        if any(step > 0 for step in steps) and any(step < 0 for step in steps):
            told = ", ".join(f"{middle:g} at {level}" for level, middle in found)
            return Broken(f"the middle of the quota {name!r} goes up and down: {told}")
    return None


def it_does_something(subject: Subject) -> Broken | None:
    """At severity 1 at least some of what people say comes out changed."""
    said = _corpus(subject)
    if any(subject.thing.distort(text, 1.0, Random(seed)) != text for text in said for seed in SEEDS):
        return None
    return Broken(f"none of {len(said)} lines is changed at severity 1", (text_line(said[0], "such as"),))


def _corpus(subject: Subject) -> Sequence[str]:
    ours = lines(subject)
    return (*texts.SPOKEN, *ours[:: max(1, len(ours) // MOST_LINES)])


def _counterexample(subject: Subject, said: Sequence[str], low: float, high: float) -> tuple[str, ...]:
    """The shortest line that the lower severity changes more than the higher one."""
    for text in sorted(said, key=len):
        for seed in SEEDS:
            weak, strong = (subject.thing.distort(text, severity, Random(seed)) for severity in (low, high))
            if _change(text, weak) > _change(text, strong):
                return (
                    text_line(text, "said"),
                    f"generator: Random({seed})",
                    text_line(weak, f"at {low}"),
                    text_line(strong, f"at {high}"),
                )
    return ()


@lru_cache(maxsize=20_000)
def _change(before: str, after: str) -> float:
    """How much of a line is changed, from 0 to 1."""
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_distance(before, after))
