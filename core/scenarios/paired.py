"""Makes certified pairs from settings: draws a sketch, proves it by enumeration, draws again until it holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from adidem.core.contracts import Checker
from adidem.core.domain import Condition, Fact, Public, RoleCard, Scenario, Seat, Split, World
from adidem.core.domain.heard import Heard
from adidem.core.errors import PlanError
from adidem.core.scenarios.settings import Setting, load_settings

if TYPE_CHECKING:
    from random import Random

    from adidem.core.rules import Rules

DRAWS = 400


@frozen(unsafe_hash=False)
class Sketch:
    """A drawn pair before it is proven.

    `facts` are the public facts and `shown` the same as the text shows them; `conditions` maps (seat, kind) to the
    value in the first world, in card order; `changed` is the one key that differs and `value` what it is in the
    second world.
    """

    facts: Mapping[str, Any]
    shown: Mapping[str, Any]
    conditions: Mapping[tuple[Seat, str], Any]
    changed: tuple[Seat, str]
    value: Any


class PairedFamily(ABC):
    """What the built-in families share, and a base for others: settings from a YAML file and pairs that hold.

    A subclass gives `name`, `terms`, `plans`, `choices`, `say`, `hear`, and besides

    - `settings_file`: the YAML file of its settings;
    - `kinds`: the pair kinds to cycle through, such as `agree/agree` and `agree/decline`;
    - `sketch`: one drawn pair (None: this draw came to nothing);
    - `words`: the placeholders of a condition's sentence;
    - `own_checkers`: the checkers that prove its pairs.
    """

    name: ClassVar[str]
    terms: ClassVar[type]
    defer_terms: ClassVar[type | None] = None
    settings_file: ClassVar[Path]
    kinds: ClassVar[Sequence[str]] = ("agree/agree", "agree/decline", "agree/decline")

    @abstractmethod
    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch | None:
        """Draw a pair of that kind whose differing condition belongs to `owner`."""

    @abstractmethod
    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """What fills the placeholders of the sentence that tells a condition of that kind."""

    @abstractmethod
    def own_checkers(self) -> tuple[Checker, ...]:
        """The checkers that prove the family's own pairs."""

    @abstractmethod
    def plans(self, world: World) -> Iterable[Any]:
        """The finite plan space (see `Family.plans`)."""

    @abstractmethod
    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """Texts that may stand in `Text` and `Items` fields (see `Family.choices`)."""

    @abstractmethod
    def say(self, terms: Any, public: Public) -> str:
        """A plan as a person would say it (see `Family.say`)."""

    @abstractmethod
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """Facts and plans in loose speech (see `Family.hear`)."""

    def contradicts(self, fact: Fact, card: RoleCard) -> str | None:
        """Why a stated fact is untrue by the speaker's own card, or None; by default, known parts that differ."""
        from adidem.core.contracts import states

        return None if states(fact, card) else f"the card says otherwise about {fact.kind}"

    def pair_kind(self, setting: Setting, number: int) -> str:
        """The pair kind of the `number`-th scenario; a family may let the setting decide."""
        return self.kinds[number % len(self.kinds)]

    def owner(self, number: int) -> Seat:
        """Whose condition differs in the `number`-th scenario: turn about, and so for every pair kind."""
        kinds = len(self.kinds)
        turn = number if kinds % 2 else number // kinds
        return "first" if turn % 2 == 0 else "second"

    def tell(self, condition: Condition, public: Public) -> str:
        """A condition as its owner says it: the sentence on the card."""
        return condition.text

    def ask(self, public: Public, seat: Seat) -> str:
        """How the person in that seat asks for what the other privately needs."""
        return str(public.facts["ask"][seat])

    def settings(self, split: Split) -> tuple[Setting, ...]:
        """The hand-written settings of a split."""
        return tuple(s for s in load_settings(self.settings_file) if s.split == split)

    def scenarios(self, split: Split, seed: int, count: int | None) -> Sequence[Scenario]:
        """`count` certified scenarios, one a setting in order and then round again; None: one a setting.

        Each is drawn from its own generator, made from (family, split, seed, number).

        Raises:
            PlanError: a setting yields no pair of the kind in a few hundred draws.
        """
        settings = self.settings(split)
        if not settings:
            raise PlanError(f"family {self.name} has no settings for split {split!r}")
        from adidem.core.rules import Rules

        rules = Rules(self, self.own_checkers())
        total = len(settings) if count is None else count
        return [self._draw(settings[n % len(settings)], split, seed, n, rules) for n in range(total)]

    def _draw(self, setting: Setting, split: Split, seed: int, number: int, rules: Rules) -> Scenario:
        from random import Random  # slow to import

        rng = Random(f"{self.name}/{split}/{seed}/{number}")
        kind = self.pair_kind(setting, number)
        owner = self.owner(number)
        for _ in range(DRAWS):
            sketch = self.sketch(setting, rng, kind, owner)
            if sketch is None:
                continue
            scenario = self._build(sketch, setting, split, number, swap=rng.random() < 0.5)
            certificate = rules.certificate(scenario)
            if certificate.holds and certificate.kind == kind:
                return scenario
        raise PlanError(f"setting {setting.id!r} of {self.name}: no {kind} pair in {DRAWS} draws; widen its ranges")

    def _build(self, sketch: Sketch, setting: Setting, split: Split, number: int, *, swap: bool) -> Scenario:
        one = dict(sketch.conditions)
        two = {**one, sketch.changed: sketch.value}
        a, b = (two, one) if swap else (one, two)
        return Scenario(
            id=f"{self.name}/{split}/{number:02d}",
            family=self.name,
            split=split,
            setting=setting.id,
            public=setting.public(sketch.facts, sketch.shown),
            a=self._conditions(a, setting, sketch.facts),
            b=self._conditions(b, setting, sketch.facts),
            tags=setting.tags,
        )

    def _conditions(
        self, values: Mapping[tuple[Seat, str], Any], setting: Setting, facts: Mapping[str, Any]
    ) -> tuple[Condition, ...]:
        return tuple(
            Condition(seat, kind, value, setting.sentence(kind, seat, self.words(kind, value, facts)))
            for (seat, kind), value in values.items()
        )
