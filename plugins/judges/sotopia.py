"""SOTOPIA's seven dimensions, for each of the two people, with the published ranges and the published overall score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import Attribute, define, field

from adidem.core.contracts import Ask, Case, Judge
from adidem.core.domain import SEATS, Dimension, Judgement, Rating, Seat
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import judging
else:
    judging = LazyModule("adidem.core.judging")

PUBLISHED = (
    Dimension("believability", 0, 10, "seat", "10: natural, and in character"),
    Dimension("relationship", -5, 5, "seat", "how their relationship changed"),
    Dimension("knowledge", 0, 10, "seat", "10: learned what is new and matters"),
    Dimension("secret", -10, 0, "seat", "0: kept what is to be kept secret"),
    Dimension("social_rules", -10, 0, "seat", "0: broke no norm and no law"),
    Dimension("financial_and_material_benefits", -5, 5, "seat", "what was gained or lost"),
    Dimension("goal", 0, 10, "seat", "10: reached the own goal"),
)
"""In the order of the paper."""

NAMES = tuple(dimension.name for dimension in PUBLISHED)
OVERALL = Dimension(
    "overall",
    sum(d.low for d in PUBLISHED) / len(PUBLISHED),
    sum(d.high for d in PUBLISHED) / len(PUBLISHED),
    "seat",
    "mean of the seven",
)
NORMALISED = Dimension("overall_normalised", 0, 1, "seat", "mean of those asked for, each scaled to 0..1")

_RUBRIC = Path(__file__).with_name("sotopia.j2")


def _known(_judge: object, _field: Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    from adidem.core.errors import UnknownName

    if not value:
        raise ValueError("must name at least one dimension")
    for place, name in enumerate(value):
        if name not in NAMES:
            raise ValueError(str(UnknownName("dimension", name, NAMES)))
        if name in value[:place]:
            raise ValueError(f"names {name!r} twice")


@define
class Sotopia:
    """Each dimension for each person, with a reasoning.

    `dimensions` names those to ask for (default: all seven). `overall` is the unweighted mean of the seven (a seventh
    of each: -4.29 to 5.71), unscored unless all seven are there; `overall_normalised` the mean of those asked for, each
    scaled to 0..1, unscored unless all of them are there. `model` is the judge's model.
    """

    _dimensions: tuple[str, ...] = field(default=NAMES, validator=_known)
    model: str | None = field(default=None)

    name: ClassVar[str] = "sotopia"

    @property
    def asked(self) -> tuple[Dimension, ...]:
        """The dimensions that the model is asked for, in the order of the paper."""
        return tuple(dimension for dimension in PUBLISHED if dimension.name in self._dimensions)

    @property
    def dimensions(self) -> Sequence[Dimension]:
        """Those asked for, and the two overall scores."""
        return (*self.asked, OVERALL, NORMALISED)

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """Every dimension for both people. Does not raise."""
        silent = judging.nothing_said(case)
        if silent:
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, silent)))
        names = case.world.public.names
        messages = judging.messages_for(case, _RUBRIC, dimensions=self.asked, texts=_texts())
        said = await judging.asked(ask, messages, judging.schema_of(self.asked, names))
        if said.failed is not None:
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, said.failed)))
        found = judging.ratings(self.asked, names, said.data, said.problem)
        for seat in SEATS:
            found += self._overall(seat, [rating for rating in found if rating.seat == seat])
        return Judgement(self.name, tuple(found))

    def _overall(self, seat: Seat, ratings: Sequence[Rating]) -> tuple[Rating, Rating]:
        scores = {rating.dimension: rating.score for rating in ratings if rating.score is not None}
        missing = [dimension.name for dimension in self.asked if dimension.name not in scores]
        left_out = [name for name in NAMES if name not in self._dimensions]
        unscored = f"unscored: {', '.join(missing)}" if missing else None
        if left_out:
            plain = f"{judging.NOT_ASKED}{', '.join(left_out)}"
        else:
            plain = unscored or ""
        return (
            _mean(OVERALL, seat, [scores.get(d.name, d.low) for d in self.asked], plain or None),
            _mean(NORMALISED, seat, [_scaled(d, scores.get(d.name, d.low)) for d in self.asked], unscored),
        )


def _mean(dimension: Dimension, seat: Seat, values: Sequence[float], unscored: str | None) -> Rating:
    if unscored is not None:
        return Rating(dimension.name, seat, None, unscored=unscored)
    return Rating(dimension.name, seat, sum(values) / len(values), f"mean of {len(values)}")


def _scaled(dimension: Dimension, score: float) -> float:
    return (score - dimension.low) / (dimension.high - dimension.low)


def _texts() -> Any:
    return judging.read_yaml(Path(__file__).with_name("sotopia.yaml"))


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """SOTOPIA's dimensions."""
    register(Sotopia)
