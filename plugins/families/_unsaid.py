"""Hears vague speech without guessing: a plan of which a part was not named is none, nor is what was told in part."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from attrs import evolve

from adidem.core.domain import Heard, Public, Seat
from adidem.core.lazy import LazyModule

clauses: Any = LazyModule("adidem.core.language.clauses")
unnamed: Any = LazyModule("adidem.core.language.unnamed")

F = TypeVar("F")
Hear: TypeAlias = Callable[[F, str, Public, Seat], Heard]


def unguessed(*whole: str) -> Callable[[Hear[F]], Hear[F]]:
    """For a family's `hear`: it is given the text with gaps (core/language/unnamed.py), and of a sentence with a gap
    neither a plan nor a fact of the kinds `whole` is kept. Text without such words is heard as it is."""

    def heedful(hear: Hear[F]) -> Hear[F]:
        @wraps(hear)
        def heard(family: F, text: str, public: Public, speaker: Seat) -> Heard:
            gapped = unnamed.with_gaps(text)
            found = hear(family, gapped, public, speaker)
            if unnamed.GAP not in gapped or not (found.plans or found.facts):
                return found
            spans = [(s.start, s.end) for s in clauses.sentences(gapped) if unnamed.GAP in s.text]

            def open_(start: int, end: int) -> bool:
                return any(begin < max(end, start + 1) and start < stop for begin, stop in spans)

            return evolve(
                found,
                facts=tuple(f for f in found.facts if f.kind not in whole or not open_(f.start, f.end)),
                plans=tuple(p for p in found.plans if not open_(p.start, p.end)),
            )

        return heard

    return heedful
