"""What somebody in one seat knows: the own card, what was heard of the other's, and the plans that fit both."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from adidem.core.domain import SEATS, Condition, Conversation, RoleCard, World, other
from adidem.core.listening import HeardTurn, listen
from adidem.core.records import freeze
from adidem.core.rules import Rules


class Knowledge:
    """Hears a conversation from one seat. Turns are heard once and remembered; plans that fit are remembered for each
    state of knowledge."""

    def __init__(self, rules: Rules, card: RoleCard) -> None:
        self.rules, self.card = rules, card
        self._turns: dict[tuple[int, str], HeardTurn] = {}
        self._plans: dict[Any, tuple[Any, ...]] = {}
        self._best: dict[Any, tuple[Any, ...]] = {}

    def hear(self, history: Conversation) -> tuple[HeardTurn, ...]:
        """Every turn as heard."""
        found = []
        for turn in history:
            key = (turn.index, turn.text)
            heard = self._turns.get(key)
            if heard is None:
                heard = self._turns[key] = listen(self.rules.family, self.card.public, turn)
            found.append(heard)
        return tuple(found)

    def of_partner(self, turns: tuple[HeardTurn, ...]) -> dict[str, Any]:
        """What the partner has said of itself: condition kind → value; what was said later stands, and a part left
        unsaid (None) keeps what was said of it before."""
        known: dict[str, Any] = {}
        for heard in turns:
            if heard.turn.seat == self.card.seat:
                continue
            for fact in heard.heard.facts:
                if fact.about == "speaker":
                    known[fact.kind] = _merged(known.get(fact.kind), fact.value)
        return known

    def world(self, partner: Mapping[str, Any]) -> World:
        """The world as far as it is known from this seat."""
        theirs = other(self.card.seat)
        heard = tuple(Condition(theirs, kind, value) for kind, value in partner.items())
        return World("imagined", self.card.public, (*self.card.conditions, *heard))

    def plans(self, partner: Mapping[str, Any]) -> tuple[Any, ...]:
        """The plans that pass every rule as far as it is known, in the order of the plan space."""
        key = freeze(dict(partner))
        if key not in self._plans:
            self._plans[key] = self.rules.passing(self.world(partner))
        return self._plans[key]

    def best(self, partner: Mapping[str, Any]) -> tuple[Any, ...]:
        """Of the plans that fit, those that are best for both: the largest product of what each gains over no
        agreement, as far as it is known. All of them where the family does not say what a plan is worth."""
        key = freeze(dict(partner))
        if key not in self._best:
            self._best[key] = self._worthiest(self.plans(partner), self.world(partner))
        return self._best[key]

    def worth(self, terms: Any) -> float | None:
        """What a plan is worth to the holder of the card; None where the family does not say."""
        utility = getattr(self.rules.family, "utility", None)
        found: float | None = None if utility is None else utility(terms, self.world({}), self.card.seat)
        return found

    def _worthiest(self, plans: tuple[Any, ...], world: World) -> tuple[Any, ...]:
        utility = getattr(self.rules.family, "utility", None)
        if utility is None or not plans:
            return plans
        products = []
        for plan in plans:
            gains = [_gain(utility(plan, world, seat), utility(None, world, seat)) for seat in SEATS]
            products.append(prod(gain for gain in gains if gain is not None))
        return tuple(plan for plan, product in zip(plans, products, strict=True) if product == max(products))

    def fits(self, terms: Any, partner: Mapping[str, Any]) -> bool:
        """Whether a plan passes every rule as far as it is known."""
        return not self.rules.violations(self.world(partner), terms)


def _gain(worth: float | None, base: float | None) -> float | None:
    return None if worth is None or base is None else max(worth - base, 0.0)


def _merged(before: Any, now: Any) -> Any:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return {**before, **{key: value for key, value in now.items() if value is not None}}
    return now
