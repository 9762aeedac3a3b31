"""The scenarios that a suite plays: from its bank or generated, filtered, and each with its pair certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import frozen

from adidem.core.containment import called, contained
from adidem.core.contracts import Family, is_paired
from adidem.core.domain import Scenario, Split
from adidem.core.errors import BankError, ConfigError, UnknownName
from adidem.core.registry import Suite
from adidem.core.rules import Certificate, Rules
from adidem.core.runs.shelf import Shelf
from adidem.core.scenarios import dump_bank, load_bank
from adidem.core.scenarios.bank import SHIPPED, Bank
from adidem.core.setup import Setup

BANK_SEED = 2026
"""The seed of the shipped bank, and of scenarios generated for families that a bank lacks. The seed of a run does not
touch it: the same scenarios are played again with other luck."""


@frozen(unsafe_hash=False)
class Selection:
    """What will be played, the rules it is judged by, and the certificates that did not hold."""

    scenarios: Sequence[Scenario]
    rules: Mapping[str, Rules]
    refused: tuple[Certificate, ...] = ()

    @property
    def digest(self) -> str:
        """A fingerprint of the scenarios, so that a resumed run plays the same ones."""
        found = sha256()
        held = self.scenarios
        for line in held.lines() if isinstance(held, Shelf) else (dump_bank([scenario]) for scenario in held):
            found.update(line)
        return found.hexdigest()[:16]


def rules_of(setup: Setup, families: Iterable[str]) -> dict[str, Rules]:
    """Each family with every enabled checker that applies to it."""
    components = setup.components
    return {name: Rules(components.get("family", name), components.checkers_for(name)) for name in families}


def select(setup: Setup, suite: Suite) -> Selection:
    """The scenarios of a suite, certified where the family has paired worlds.

    A scenario whose certificate does not hold under the enabled checkers is left out and named in `refused`.

    Raises:
        ConfigError: nothing is left to play, or a bank cannot be read.
    """
    rules = rules_of(setup, suite.families)
    banked = load_bank(suite.bank) if suite.bank is not None and suite.data is None else Bank((), {})
    if suite.bank not in SHIPPED:
        known(setup, banked)
    refused: list[Certificate] = []
    elsewhere: Counter[str] = Counter()

    def sound() -> Iterator[Scenario]:
        for scenario in _found(suite, {name: r.family for name, r in rules.items()}, banked):
            if _wanted(scenario, suite):
                certificate = _certificate(scenario, rules[scenario.family], banked)
                if certificate is None or certificate.holds:
                    yield scenario
                else:
                    refused.append(certificate)
            elif scenario.split != suite.split:
                elsewhere[scenario.split] += 1

    kept = Shelf.of(sound()) if suite.data is not None else tuple(sound())
    if not kept:
        why = f"; {refused[0].scenario}: {refused[0].problems[0]}" if refused else ""
        tags = f" with tag {' or '.join(suite.tags)}" if suite.tags else ""
        named = ", ".join(suite.families)
        if suite.data is not None and not refused:
            held = ", ".join(f"{count} in {split!r} (--split {split})" for split, count in sorted(elsewhere.items()))
            has = f"; it holds {held}" if held else ""
            raise ConfigError(f"{suite.data} holds no scenario of {named} in split {suite.split!r}{tags}{has}")
        raise ConfigError(f"no certified scenario of {named} in split {suite.split!r}{tags}{why}")
    return Selection(kept, rules, tuple(refused))


def _certificate(scenario: Scenario, rules: Rules, banked: Bank) -> Certificate | None:
    return certified(scenario, rules, banked.places.get(scenario.id)) if is_paired(rules.family) else None


def known(setup: Setup, bank: Bank) -> None:
    """Raises BankError for the first scenario whose family nobody registers."""
    for scenario in bank:
        try:
            setup.components.get("family", scenario.family)
        except UnknownName as error:
            raise BankError(f"{bank.places[scenario.id]}: scenario {scenario.id}: {error}") from error
        except ConfigError:
            continue  # it is there and switched off


def certified(scenario: Scenario, rules: Rules, place: str | None = None) -> Certificate:
    """The certificate of a scenario; `place` is where it stands in a bank.

    Raises:
        BankError: the own code of its family or of a checker failed; the family is named with its file.
    """
    what = f"{place + ': ' if place else ''}scenario {scenario.id}: {called('family', rules.family)} cannot read it"
    try:
        return contained(what, lambda: rules.certificate(scenario))
    except ConfigError as error:
        raise BankError(str(error)) from error


def _found(suite: Suite, families: Mapping[str, Family], banked: Bank) -> Iterator[Scenario]:
    if suite.data is not None:
        for family in families.values():
            yield from _read(family, suite.data)
    elif suite.bank is not None and suite.bank not in SHIPPED and Path(suite.bank).exists():
        yield from (s for s in banked if s.family in families)
    else:
        for name, family in families.items():
            yield from [s for s in banked if s.family == name] or generated(family, suite.split)


def _read(family: Family, data: str) -> Iterator[Scenario]:
    """The scenarios of a data set as a stream: it may be larger than the memory."""
    read = getattr(family, "read", None)
    if read is None:
        raise ConfigError(f"family {family.name!r} reads no data set: leave the suite's data out")
    path = Path(data).expanduser()
    if not path.exists():
        raise ConfigError(f"the suite's data {data} is not there")
    stream = contained(called("family", family), lambda: _checked(family, read(path)))
    while (scenario := contained(called("family", family), lambda: next(stream, None))) is not None:
        yield scenario


def generated(family: Family, split: Split, seed: int = BANK_SEED, count: int | None = None) -> Sequence[Scenario]:
    """What a family generates.

    Raises:
        ConfigError: the family's own code failed; the family and its error are named.
    """
    what = f"{called('family', family)} could not generate scenarios"
    return contained(what, lambda: list(_checked(family, family.scenarios(split, seed, count))))


def _checked(family: Family, said: Iterable[Any]) -> Iterator[Scenario]:
    """Scenarios as a family gives them, held to what they must be."""
    names: set[str] = set()
    for item in said:
        if not isinstance(item, Scenario):
            raise TypeError(f"it gave an object of type {type(item).__name__}, not a Scenario")
        if item.family != family.name:
            raise ValueError(f"scenario {item.id!r} is of family {item.family!r}")
        if item.id in names:
            raise ValueError(f"scenario {item.id!r} is there twice")
        names.add(item.id)
        yield item


def _wanted(scenario: Scenario, suite: Suite) -> bool:
    return scenario.split == suite.split and (not suite.tags or bool(set(suite.tags) & set(scenario.tags)))
