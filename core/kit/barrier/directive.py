"""Laws of what a model speaker is told, and of how talk is measured."""

from __future__ import annotations

from math import isfinite
from typing import Any

from adidem.core.domain import Directive
from adidem.core.kit import texts
from adidem.core.kit.law import Broken
from adidem.core.kit.render import plain, text_line
from adidem.core.kit.search import first, smallest
from adidem.core.kit.subject import Subject

SEVERITIES = (0.0, 0.2, 0.4, 0.5, 0.7, 0.9, 1.0)
SPEAKING = (0.4, 0.5, 0.7, 0.9, 1.0)
"""Severities at which a barrier says something."""

PARTS = ("style", "stance", "tactics", "mechanisms", "exemplars")


def directive_is_complete(subject: Subject) -> Broken | None:
    """From moderate severities on a directive has a style, a stance, tactics, mechanisms and exemplars, in words, and
    quotas whose least value is not above the greatest."""

    def lacks(severity: float) -> str | None:
        told: Any = subject.thing.directive(severity)
        if not isinstance(told, Directive):
            return f"directive({severity}) gave {plain(told)}, no Directive"
        if severity in SPEAKING:
            empty = [part for part in PARTS if not getattr(told, part)]
            if empty:
                return f"directive({severity}) has no {' and no '.join(empty)}"
        return _wordless(told, severity) or _quota_problem(told, severity)

    found = first(SEVERITIES, lacks, subject.file)
    return None if found is None else Broken(found.what)


def quotas_are_measured(subject: Subject) -> Broken | None:
    """Every quota is of something that `measure` measures, so that compliance can be told."""
    measured = set(subject.thing.measure("I would like to talk about it. Could we?"))
    for severity in SEVERITIES:
        unknown = set(subject.thing.directive(severity).quotas) - measured
        if unknown:
            what = f"directive({severity}) has a quota of {sorted(unknown)[0]!r}, which measure() does not measure"
            return Broken(what, (f"it measures: {', '.join(sorted(measured)) or 'nothing'}",))
    return None


def measures_are_numbers(subject: Subject) -> Broken | None:
    """Whatever is said, `measure` gives finite numbers, under the same names each time."""
    names: set[str] | None = None

    def wrong(text: str) -> str | None:
        nonlocal names
        measured = subject.thing.measure(text)
        for name, value in measured.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                return f"measure gave {name!r} the value {plain(value)}"
        if dict(subject.thing.measure(text)) != dict(measured):
            return "measure gave other values the second time"
        names = set(measured) if names is None else names
        if names != set(measured):
            return f"measure names {listed_names(measured)} here and {listed_names(names)} elsewhere"
        return None

    found = smallest(texts.utterances(()), wrong, subject.examples, subject.file)
    return None if found is None else Broken(found.what, (text_line(found.example),))


def listed_names(names: Any) -> str:
    """Names in order, or the word for none."""
    return ", ".join(sorted(names)) or "nothing"


def _wordless(told: Directive, severity: float) -> str | None:
    for part in ("tactics", "mechanisms", "exemplars"):
        given: Any = getattr(told, part)
        if isinstance(given, str) or not all(isinstance(line, str) and line.strip() for line in given):
            return f"directive({severity}).{part} must be a tuple of sentences, not {plain(given)}"
    for part in ("style", "stance"):
        said: Any = getattr(told, part)
        if not isinstance(said, str):
            return f"directive({severity}).{part} is {plain(said)}, no text"
    return None


def _quota_problem(told: Directive, severity: float) -> str | None:
    for name, bounds in told.quotas.items():
        pair: Any = bounds
        good = isinstance(pair, tuple | list) and len(pair) == 2 and all(isfinite(bound) for bound in pair)
        if not good or pair[0] > pair[1]:
            return f"directive({severity}) has the quota {name!r} = {plain(pair)}: it must be (least, greatest)"
    return None
