"""What a run keeps so that its report can say what was recorded and what a rating means, wherever it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from adidem.core.containment import called, contained
from adidem.core.play import JudgeSeat
from adidem.core.rules import Rules


def about_of(rules: Mapping[str, Rules], seats: Sequence[JudgeSeat]) -> dict[str, str]:
    """By the name of a family, and by `judge.dimension`, what their authors say of them, where they say something.

    Raises:
        ConfigError: a family's own code failed.
    """
    found: dict[str, str] = {}
    for name, each in rules.items():
        said: Any = contained(called("family", each.family), partial(getattr, each.family, "about", ""))
        if isinstance(said, str) and said:
            found[name] = " ".join(said.split())
    for seat in seats:
        found |= {f"{seat.judge.name}.{d.name}": str(d.about) for d in seat.judge.dimensions if d.about}
    return found


def baselines_of(seats: Sequence[JudgeSeat]) -> list[str]:
    """The ratings (`judge.dimension`) that are of what others made of the tasks, and not of who spoke."""
    return [f"{seat.judge.name}.{d.name}" for seat in seats for d in seat.judge.dimensions if d.baseline]
