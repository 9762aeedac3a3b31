"""The family: its scenarios, its plan space, and how its plans and conditions are said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define

from adidem.core.contracts import Checker
from adidem.core.domain import SEATS, Heard, Public, Seat, Text, World
from adidem.core.scenarios import PairedFamily, Setting, Sketch
from adidem_potluck import ears
from adidem_potluck.rules import PotluckRules
from adidem_potluck.terms import Table

if TYPE_CHECKING:
    from random import Random


@define
class Potluck(PairedFamily):
    """Public: dishes, each with its course and what it contains. Private: for each role the dishes they can make
    (`makes`, a list in the order of the dishes) and one thing they cannot eat (`allergy`)."""

    name: ClassVar[str] = "potluck"
    terms: ClassVar[type] = Table
    settings_file: ClassVar[Path] = Path(__file__).with_name("settings.yaml")

    def own_checkers(self) -> tuple[Checker, ...]:
        """The rules of this family."""
        return (PotluckRules(),)

    def plans(self, world: World) -> Iterable[Table]:
        """Every way for the two to bring two different dishes."""
        names = world.public.names
        for pair in permutations(world.public.facts["dishes"], 2):
            yield Table({name: Text(dish) for name, dish in zip(names, pair, strict=True)})

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """The dishes."""
        return {"brings": tuple(public.facts["dishes"])}

    def sketch(self, setting: Setting, rng: Random, kind: str, owner: Seat) -> Sketch:
        """Larders and allergies at random; in the other world the owner is allergic to something else, or can make
        other dishes. The base class draws again until the pair is proven to be of that kind."""
        dishes: Mapping[str, Any] = setting.params["dishes"]
        contents = sorted({content for dish in dishes.values() for content in dish["contains"]})
        values: dict[tuple[Seat, str], Any] = {}
        for seat in SEATS:
            values[seat, "makes"] = _some(dishes, rng)
            values[seat, "allergy"] = rng.choice(contents)
        changed = (owner, rng.choice(("makes", "allergy")))
        value = _some(dishes, rng) if changed[1] == "makes" else rng.choice(contents)
        facts = {"dishes": {name: dict(dish) for name, dish in dishes.items()}}
        return Sketch(facts, {"dishes": _menu(dishes)}, values, changed, value)

    def words(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """`{dishes}` or `{allergy}`."""
        return {"dishes": _either([f"the {dish}" for dish in value])} if kind == "makes" else {"allergy": value}

    def say(self, terms: Table, public: Public) -> str:
        """`Ana brings the lentil curry and Ben brings the plum cake`."""
        return " and ".join(f"{name} brings the {dish}" for name, dish in terms.brings.items())

    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """What somebody can make, what they cannot eat, and who brings what."""
        return ears.hear(text, public, speaker)


def _some(dishes: Mapping[str, Any], rng: Random) -> list[str]:
    """Two or three dishes, in the order of the list."""
    chosen = rng.sample(list(dishes), rng.choice((2, 3)))
    return [dish for dish in dishes if dish in chosen]


def _menu(dishes: Mapping[str, Any]) -> str:
    """The dishes as the brief lists them."""
    return "; ".join(
        f"{name} ({dish['course']}, with {' and '.join(dish['contains'])})" for name, dish in dishes.items()
    )


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
