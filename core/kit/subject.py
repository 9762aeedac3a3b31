"""A component under examination, and the scenarios, worlds and plans that its laws are tried on."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import Any

from attrs import define, field

from adidem.core.components import Components
from adidem.core.contracts import Family
from adidem.core.domain import Public, Scenario, Split, World
from adidem.core.kit.law import Idle
from adidem.core.records import freeze
from adidem.core.rules import Rules
from adidem.core.sources import Fault, contained

SPLITS: tuple[Split, ...] = ("train", "dev", "test")
SEED = 2026
"""The seed that scenarios are generated with."""

MOST_PLANS = 20_000
"""As many plans of a plan space are looked at."""

LARGEST = 200_000
"""As many plans a family may list; scripted agents and certificates go through all of them."""


@define(eq=False, slots=False)
class Sample:
    """A family with the checkers that apply to it, and what it generates: worlds the simplest first, plans in the
    order of the plan space."""

    family: Family
    rules: Rules
    file: str | None = None
    _plans: dict[int, tuple[World, tuple[Any, ...]]] = field(factory=dict)

    @property
    def kept(self) -> bool:
        """Whether the family keeps records."""
        return self.family.terms is not None

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """What the family generates, split by split; a split that it cannot generate is left out here."""
        made: list[Scenario] = []
        for split in SPLITS:
            found: Any = contained(lambda split=split: list(self.family.scenarios(split, SEED, None)), self.file)  # type: ignore[misc]
            if not isinstance(found, Fault):
                made += [scenario for scenario in found if isinstance(scenario, Scenario)]
        return tuple(made)

    @cached_property
    def places(self) -> tuple[tuple[Scenario, World], ...]:
        """Every world with its scenario, the one with the shortest cards first. Raises Idle where there is none."""
        found = [(scenario, world) for scenario in self.scenarios for world in scenario.worlds]
        if not found:
            raise Idle("the family generates no scenario: see scenarios_made")
        return tuple(sorted(found, key=lambda place: (len(_cards(place[1])), place[0].id)))

    @cached_property
    def bounded(self) -> bool:
        """Whether plan spaces end within `LARGEST` plans, by the look of one of them."""
        world = self.places[0][1]
        ended = contained(lambda: next(islice(self.family.plans(world), LARGEST, None), None) is None, self.file)
        return ended is True

    @property
    def few(self) -> tuple[tuple[Scenario, World], ...]:
        """Both worlds of some of the scenarios, for laws that take long."""
        chosen = {scenario.id for scenario in self.scenarios[:: max(1, len(self.scenarios) // 6)]}
        return tuple(place for place in self.places if place[0].id in chosen)

    def plans(self, world: World) -> tuple[Any, ...]:
        """The plan space of a world, the first `MOST_PLANS` of it."""
        known = self._plans.get(id(world))
        if known is None or known[0] is not world:
            known = self._plans[id(world)] = (world, tuple(islice(self.family.plans(world), MOST_PLANS)))
        return known[1]

    def choices(self, public: Public) -> dict[str, tuple[str, ...]]:
        """The texts that may stand in each field."""
        return {name: tuple(texts) for name, texts in self.family.choices(public).items()}

    def key(self, terms: Any) -> Any:
        """A hashable key of terms."""
        return freeze(terms)


@define(eq=False, slots=False)
class Subject:
    """One component: its kind, name and code, the components around it, the file that it comes from, and how many
    examples each law may try."""

    kind: str
    name: str
    thing: Any
    components: Components
    file: str | None = None
    examples: int = 100
    _samples: dict[str, Sample] = field(factory=dict)

    @property
    def own(self) -> Sample:
        """The sample of a family under examination."""
        return self.sample(self.name)

    @property
    def written(self) -> Sample:
        """The same, of a family that keeps records. Raises Idle where it keeps none."""
        if not self.own.kept:
            raise Idle("the family keeps no records")
        return self.own

    @property
    def recorded(self) -> Sample:
        """The same, where its plans can be gone through. Raises Idle where there are too many, or none."""
        if not self.written.bounded:
            raise Idle("its plans cannot be gone through: see plans_are_a_space")
        return self.own

    @property
    def paired(self) -> Sample:
        """The same, of a family whose scenarios are pairs. Raises Idle where they are not."""
        if not getattr(self.recorded.family, "paired", True):
            raise Idle("the family's scenarios have one world alone")
        return self.own

    def sample(self, family: str) -> Sample:
        """A family of the components with its rules."""
        if family not in self._samples:
            found = self.components.families[family]
            rules = Rules(found, self.components.checkers_for(family))
            self._samples[family] = Sample(found, rules, self.file)
        return self._samples[family]

    def samples(self, *, kept: bool = True) -> tuple[Sample, ...]:
        """Every family that is on and generates something, those that come with the component first; with `kept`
        those alone that keep records."""
        ours = [name for name in self.components.families if self._origin(name) == self.file]
        names = [*ours, *(name for name in self.components.families if name not in ours)]
        found = [self.sample(name) for name in names]
        return tuple(sample for sample in found if sample.kept or not kept)

    def _origin(self, family: str) -> str | None:
        found = [r for r in self.components.registered if (r.kind.name, r.name) == ("family", family)]
        return found[0].origin.file if found else None


def _cards(world: World) -> str:
    return "".join(f"{condition.value!r}" for condition in world.conditions)
