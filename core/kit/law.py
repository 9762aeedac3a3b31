"""What a law is: a statement about every component of a kind, the code that looks for a counterexample, and the words
that tell an author what to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from attrs import frozen

Status: TypeAlias = Literal["ok", "broken", "idle"]


@frozen
class Broken:
    """A counterexample: what happened, and the smallest example found, a line each. `change` stands in place of the
    law's own advice where the counterexample says more exactly what is wrong."""

    what: str
    example: tuple[str, ...] = ()
    change: str | None = None


class Idle(Exception):
    """A law does not apply to this component; the text says why."""


@frozen(eq=False)
class Law:
    """A law of one kind of component. `check` is given a `Subject` and returns the counterexample, or None; it may
    raise Idle."""

    kind: str
    check: Callable[[Any], Broken | None]

    @property
    def name(self) -> str:
        """What `--law` calls it."""
        return self.check.__name__

    @property
    def states(self) -> str:
        """The law in one sentence."""
        return _texts()[self.kind][self.name]["states"]

    @property
    def change(self) -> str:
        """What an author whose component breaks it should look at first."""
        return _texts()[self.kind][self.name]["change"]


@frozen
class Verdict:
    """How one component fares under one law: `ok`, `broken` (then `broken` holds the counterexample), or `idle` where
    the law does not apply (then `why` says so)."""

    kind: str
    component: str
    law: Law
    status: Status
    broken: Broken | None = None
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """The verdict as `check-plugin --json` prints it."""
        found = self.broken
        return {
            "kind": self.kind,
            "component": self.component,
            "law": self.law.name,
            "status": self.status,
            "states": self.law.states,
            "what": None if found is None else found.what,
            "example": [] if found is None else list(found.example),
            "change": None if found is None else found.change or self.law.change,
            "why": self.why or None,
        }


def told(verdict: Verdict) -> str:
    """A broken law as it is told to the author: the law, what happened, the smallest example, what to change."""
    found = verdict.broken
    if found is None:
        return f"{verdict.kind} {verdict.component}: {verdict.law.name}: {verdict.status}"
    lines = [
        f"{verdict.kind} {verdict.component} breaks {verdict.law.name}",
        f"  the law   {verdict.law.states}",
        f"  found     {found.what}",
        *(f"  {'example' if place == 0 else '':<9} {line}" for place, line in enumerate(found.example)),
        f"  change    {found.change or verdict.law.change}",
    ]
    return "\n".join(lines)


@cache
def _texts() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    import yaml

    text = Path(__file__).with_name("laws.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Mapping[str, str]]] = yaml.safe_load(text)
    return found


def law_texts() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """The words of every law by kind and name: `states` and `change`."""
    return _texts()
