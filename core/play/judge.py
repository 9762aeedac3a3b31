"""The judges of an episode: each asked alone, none able to end a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve, frozen

from adidem.core.contracts import Answer, Ask, Case, Judge
from adidem.core.domain import SEATS, Judgement, Rating, Seat, Usage
from adidem.core.errors import ModelFailure

OnUsage = Callable[[Usage], None]


async def no_model(*_: Any, **__: Any) -> Answer:
    """What a judge without a model gets when it asks."""
    raise ModelFailure("bad_request", "this judge has no model; give one with --judge or in registry.yaml")


def asks_nobody(_case: Case, _on_usage: OnUsage) -> Ask:
    """The `ask` of judges that need no model."""
    return no_model


@frozen(eq=False)
class JudgeSeat:
    """A judge as it sits in a run: its label there, the model it asks (None: none), and how an Ask is made for a case;
    what the asking uses is handed to the second argument."""

    label: str
    judge: Judge
    spec: str | None = None
    ask: Callable[[Case, OnUsage], Ask] = asks_nobody


async def judged(case: Case, seats: Sequence[JudgeSeat]) -> tuple[tuple[Judgement, ...], dict[str, Usage]]:
    """What every judge says of a case, and what each used of models (`judge LABEL`), one after the other so that
    providers' prefix caches hit. A judge that raises leaves its dimensions unscored, with the reason."""
    judgements: list[Judgement] = []
    spent: dict[str, Usage] = {}
    for seat in seats:
        used: list[Usage] = []
        judgement = await _judged(seat, case, seat.ask(case, used.append))
        judgements.append(evolve(judgement, judge=seat.label, spec=seat.spec))
        if used:
            spent[f"judge {seat.label}"] = sum(used, Usage())
    return tuple(judgements), spent


async def _judged(seat: JudgeSeat, case: Case, ask: Ask) -> Judgement:
    try:
        return await seat.judge.judge(case, ask)
    except Exception as error:  # noqa: BLE001  a judge that raises is unscored, never the end of an episode
        return unscored(seat.judge, f"{type(error).__name__}: {error}")


def unscored(judge: Judge, reason: str) -> Judgement:
    """All of a judge's dimensions unscored, for one reason."""
    whole: Sequence[Seat | None] = (None,)
    return Judgement(
        judge.name,
        tuple(
            Rating(dimension.name, seat, None, unscored=reason)
            for dimension in judge.dimensions
            for seat in (SEATS if dimension.scope == "seat" else whole)
        ),
    )
