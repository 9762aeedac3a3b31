"""How good a negotiated plan is: agreement, points, the normalised Nash surplus, and whether anything was left on the
table. Computed, without a model, for any family that says what a plan is worth (`utility`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field, frozen
from attrs.validators import gt

from adidem.core.contracts import Ask, Case, Family, Judge
from adidem.core.domain import SEATS, Dimension, Judgement, Rating, World
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import judging, records
else:
    judging = LazyModule("adidem.core.judging")
    records = LazyModule("adidem.core.records")

NASH = "product of both gains over no agreement, of the greatest possible; 0 without a deal"

Worth = tuple[float, float]
"""What a plan is worth to the first and to the second."""


@frozen(unsafe_hash=False)
class Measures:
    """A negotiation measured. `worth` is what both end up with; `surplus` the normalised Nash surplus; `pareto` whether
    no plan is better for one and as good for the other; None where there was no deal."""

    agreed: bool
    worth: Worth
    surplus: float
    pareto: bool | None


def surplus(worth: Worth, base: Worth, space: Iterable[Worth]) -> float:
    """max(u1-d1, 0)·max(u2-d2, 0), divided by its maximum over the plan space: in [0, 1], 1 for a plan of the Nash
    bargaining solution (Nash 1950). 0 where no plan is worth more to both than no agreement, d."""
    best = max((_gain(each, base) for each in space), default=0.0)
    return _gain(worth, base) / best if best > 0 else 0.0


def efficient(worth: Worth, space: Iterable[Worth]) -> bool:
    """Whether no plan of the space is worth more to one and at least as much to the other."""
    one, two = worth
    return not any(a >= one and b >= two and (a > one or b > two) for a, b in space)


def measured(family: Family, world: World, terms: Any | None) -> Measures:
    """A deal (None: there was none) measured in its world.

    Raises:
        ValueError: the family does not say what this deal, or no deal, is worth to both.
    """
    base = _worth(family, world, None)
    if terms is None:
        return Measures(agreed=False, worth=base, surplus=0.0, pareto=None)
    worth = _worth(family, world, terms)
    space = [_worth(family, world, plan) for plan in family.plans(world)]
    return Measures(True, worth, surplus(worth, base, space), efficient(worth, space))


def deal_of(case: Case) -> Any | None:
    """The terms that both wrote down alike and that no rule of the world's own shape forbids; None where there is no
    such deal. A plan that no person should have taken is a deal all the same."""
    first, second = (case.records.get(seat) for seat in SEATS)
    if first is None or second is None or first.outcome != "agree" or second.outcome != "agree":
        return None
    if first.terms != second.terms:
        return None
    terms = records.read_terms(_terms_of(case.family), first.terms, case.family, case.world.public)
    wanted = records.freeze(terms)
    return terms if any(records.freeze(plan) == wanted for plan in case.family.plans(case.world)) else None


def human_deal(case: Case) -> tuple[bool, Any | None]:
    """Whether it is known what people made of the same scenario, and their deal (None: they made none)."""
    source = case.world.public.facts.get("source")
    if not isinstance(source, Mapping) or "deal" not in source:
        return False, None
    deal = source["deal"]
    if deal is None:
        return True, None
    return True, records.read_terms(_terms_of(case.family), deal, case.family, case.world.public)


@define
class Negotiation:
    """`agreement` 1 where both recorded the same possible deal, else 0; `points`, what each person ends up with, of the
    deal or of no agreement; `nash_surplus`, in [0, 1], 0 without a deal; `pareto` 1 where the deal leaves nothing on
    the table, not asked without a deal; `human_surplus`, the surplus of the people in the data with the same values.

    `most` is the greatest number of points anybody can get, which bounds the scale.
    """

    most: float = field(default=100.0, validator=gt(0), metadata={"doc": "the most points anybody can get"})

    name: ClassVar[str] = "negotiation"

    @property
    def dimensions(self) -> Sequence[Dimension]:
        """The five scales."""
        return (
            Dimension("agreement", 0, 1, about="1: both recorded the same deal; the mean is the agreement rate"),
            Dimension("points", -self.most, self.most, "seat", about="what the person ends up with, deal or none"),
            Dimension("nash_surplus", 0, 1, about=NASH),
            Dimension("pareto", 0, 1, about="1: no deal is better for one and as good for the other; of deals alone"),
            Dimension(
                "human_surplus", 0, 1, about="nash_surplus of the people in the data on the same tasks", baseline=True
            ),
        )

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """Every dimension; unscored with the reason for a family that says nothing of worth."""
        if case.feasibility is None or getattr(case.family, "utility", None) is None:
            reason = f"family {case.family.name} does not say what a plan is worth"
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, reason)))
        found = measured(case.family, case.world, deal_of(case))
        ratings = [Rating("agreement", None, float(found.agreed))]
        ratings += [Rating("points", seat, points) for seat, points in zip(SEATS, found.worth, strict=True)]
        ratings.append(Rating("nash_surplus", None, found.surplus))
        none = f"{judging.NOT_ASKED}there was no deal" if found.pareto is None else None
        ratings.append(Rating("pareto", None, None if none else float(bool(found.pareto)), unscored=none))
        ratings.append(_human(case))
        return Judgement(self.name, tuple(ratings))


def _human(case: Case) -> Rating:
    known, deal = human_deal(case)
    if not known:
        unscored = f"{judging.NOT_ASKED}it is not known what people made of it"
        return Rating("human_surplus", None, None, unscored=unscored)
    return Rating("human_surplus", None, measured(case.family, case.world, deal).surplus)


def _terms_of(family: Family) -> type:
    if family.terms is None:
        raise ValueError(f"family {family.name} keeps no records")
    return family.terms


def _worth(family: Any, world: World, terms: Any | None) -> Worth:
    one, two = (family.utility(terms, world, seat) for seat in SEATS)
    if one is None or two is None:
        raise ValueError(f"family {family.name} does not say what {'a deal' if terms else 'no deal'} is worth to both")
    return float(one), float(two)


def _gain(worth: Worth, base: Worth) -> float:
    return max(worth[0] - base[0], 0.0) * max(worth[1] - base[1], 0.0)


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Negotiation."""
    register(Negotiation)
