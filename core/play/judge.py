"""The judges of an episode: each asked alone, none able to end a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve, frozen

from adidem.core.contracts import Answer, Ask, Case, Judge
from adidem.core.domain import SEATS, Dimension, Flag, Judgement, Rating, Seat, Usage
from adidem.core.errors import ModelFailure
from adidem.core.judging.scale import number

OnUsage = Callable[[Usage], None]

NO_MODEL = (
    "this judge asks a model and has none: name it under the suite's model_judges, for --judge MODEL to reach it, or "
    "give it the field `model` and set judges.NAME.model"
)

MOST = 16
"""Most notes of what was dropped that are kept."""


async def no_model(*_: Any, **__: Any) -> Answer:
    """What a judge without a model gets when it asks."""
    raise ModelFailure("bad_request", NO_MODEL)


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
        return valid(seat.judge, await seat.judge.judge(case, ask), len(case.conversation))
    except (Exception, SystemExit) as error:  # noqa: BLE001  a judge that raises is unscored, never the end of an episode
        return unscored(seat.judge, _one_line(f"{type(error).__name__}: {error}"))


def valid(judge: Judge, said: Any, turns: int) -> Judgement:
    """What a judge said, held to what it declares: one rating for each dimension and seat. A score that is no finite
    number of its dimension's range, one given twice and one that is missing are unscored with the reason; what was
    never declared is dropped, as is a flag of a person or a turn that is not there; `notes.dropped` names it."""
    if not isinstance(said, Judgement):
        return unscored(judge, f"the judge gave no Judgement but {_kind(said)}")
    given: dict[tuple[str, Any], list[Rating]] = {}
    dropped: list[str] = []
    places = {(d.name, seat): d for d in judge.dimensions for seat in _seats(d)}
    entry: Any
    for entry in _listed(said.ratings):
        place = (entry.dimension, entry.seat) if isinstance(entry, Rating) else None
        if place is not None and _hashable(place) and place in places:
            given.setdefault(place, []).append(entry)
        else:
            dropped.append(_one_line(f"rating {place!r} is not declared" if place else f"{_kind(entry)} is no Rating"))
    flags = [flag for flag in _listed(said.flags) if _flagged(flag, turns)]
    lost = len(_listed(said.flags)) - len(flags)
    dropped += [f"{lost} flag(s) of a person or a turn that is not there"] if lost else []
    ratings = tuple(_rating(d, seat, given.get((d.name, seat), [])) for (_, seat), d in places.items())
    given_notes: Any = said.notes
    notes = given_notes if isinstance(given_notes, dict) and _storable(given_notes) else {}
    return Judgement(judge.name, ratings, tuple(flags), {**notes, **({"dropped": dropped[:MOST]} if dropped else {})})


def _rating(dimension: Dimension, seat: Seat | None, given: Sequence[Rating]) -> Rating:
    if len(given) != 1:
        reason = "the judge gave no rating" if not given else f"the judge gave {len(given)} ratings"
        return Rating(dimension.name, seat, None, unscored=reason)
    rating: Any = given[0]
    reason = rating.reason if isinstance(rating.reason, str) else ""
    if rating.score is None or rating.unscored is not None:
        why = rating.unscored if isinstance(rating.unscored, str) and rating.unscored else "the judge gave no reason"
        return Rating(dimension.name, seat, None, reason, why)
    score = number(rating.score, dimension.low, dimension.high)
    if isinstance(score, str):
        return Rating(dimension.name, seat, None, reason, score)
    return Rating(dimension.name, seat, score, reason)


def _flagged(flag: Any, turns: int) -> bool:
    """Whether it is a flag that can be laid somewhere."""
    if not isinstance(flag, Flag):
        return False
    kept: Any = flag
    if not all(isinstance(text, str) for text in (kept.kind, kept.quote, kept.reason)):
        return False
    index = kept.turn
    whole = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < turns
    return kept.seat in (None, *SEATS) and (index is None or whole) and isinstance(kept.supported, bool)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except Exception:  # noqa: BLE001  a judge's own object may raise anything
        return False
    return True


def _storable(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False).encode()
    except Exception:  # noqa: BLE001  whatever a judge put there
        return False
    return all(isinstance(key, str) for key in value)


def _kind(value: Any) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _seats(dimension: Dimension) -> Sequence[Seat | None]:
    return SEATS if dimension.scope == "seat" else (None,)


def unscored(judge: Judge, reason: str) -> Judgement:
    """All of a judge's dimensions unscored, for one reason."""
    return Judgement(
        judge.name,
        tuple(Rating(d.name, seat, None, unscored=reason) for d in judge.dimensions for seat in _seats(d)),
    )
