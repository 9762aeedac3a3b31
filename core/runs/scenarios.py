"""The scenarios that a suite plays: from its bank or generated, filtered, and each with its pair certificate."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from attrs import frozen

from adidem.core.contracts import Family
from adidem.core.domain import Scenario, Split
from adidem.core.errors import AdidemError, ConfigError
from adidem.core.registry import Suite
from adidem.core.rules import Certificate, Rules
from adidem.core.scenarios import dump_bank, load_bank
from adidem.core.scenarios.bank import SHIPPED
from adidem.core.setup import Setup

BANK_SEED = 2026
"""The seed of the shipped bank, and of scenarios generated for families that a bank lacks. The seed of a run does not
touch it: the same scenarios are played again with other luck."""


@frozen(unsafe_hash=False)
class Selection:
    """What will be played, the rules it is judged by, and the certificates that did not hold."""

    scenarios: tuple[Scenario, ...]
    rules: Mapping[str, Rules]
    refused: tuple[Certificate, ...] = ()

    @property
    def digest(self) -> str:
        """A fingerprint of the scenarios, so that a resumed run plays the same ones."""
        return sha256(dump_bank(self.scenarios)).hexdigest()[:16]


def rules_of(setup: Setup, families: Iterable[str]) -> dict[str, Rules]:
    """Each family with every enabled checker that applies to it."""
    components = setup.components
    return {name: Rules(components.get("family", name), components.checkers_for(name)) for name in families}


def select(setup: Setup, suite: Suite) -> Selection:
    """The scenarios of a suite, certified where the family keeps records.

    A scenario whose certificate does not hold under the enabled checkers is left out and named in `refused`.

    Raises:
        ConfigError: nothing is left to play, or a bank cannot be read.
    """
    rules = rules_of(setup, suite.families)
    found = [s for s in _found(suite, {name: r.family for name, r in rules.items()}) if _wanted(s, suite)]
    recorded = [s for s in found if rules[s.family].family.terms is not None]
    certificates = {s.id: rules[s.family].certificate(s) for s in recorded}
    kept = tuple(s for s in found if s.id not in certificates or certificates[s.id].holds)
    refused = tuple(c for c in certificates.values() if not c.holds)
    if not kept:
        why = f"; {refused[0].scenario}: {refused[0].problems[0]}" if refused else ""
        tags = f" with tag {' or '.join(suite.tags)}" if suite.tags else ""
        raise ConfigError(f"no certified scenario of {', '.join(suite.families)} in split {suite.split!r}{tags}{why}")
    return Selection(kept, rules, refused)


def _found(suite: Suite, families: Mapping[str, Family]) -> Sequence[Scenario]:
    if suite.data is not None:
        return [s for family in families.values() for s in _read(family, suite.data)]
    banked = load_bank(suite.bank) if suite.bank is not None else ()
    if suite.bank is not None and suite.bank not in SHIPPED and Path(suite.bank).exists():
        return [s for s in banked if s.family in families]
    found: list[Scenario] = []
    for name, family in families.items():
        ours = [s for s in banked if s.family == name]
        found += ours if ours else generated(family, suite.split)
    return found


def _read(family: Family, data: str) -> Sequence[Scenario]:
    read = getattr(family, "read", None)
    if read is None:
        raise ConfigError(f"family {family.name!r} reads no data set: leave the suite's data out")
    path = Path(data).expanduser()
    if not path.exists():
        raise ConfigError(f"the suite's data {data} is not there")
    return list(read(path))


def generated(family: Family, split: Split, seed: int = BANK_SEED, count: int | None = None) -> Sequence[Scenario]:
    """What a family generates.

    Raises:
        ConfigError: the family's own code failed; the family and its error are named.
    """
    try:
        return family.scenarios(split, seed, count)
    except AdidemError:
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        cause = f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"
        raise ConfigError(f"family {family.name!r} could not generate scenarios: {cause}") from error


def _wanted(scenario: Scenario, suite: Suite) -> bool:
    return scenario.split == suite.split and (not suite.tags or bool(set(suite.tags) & set(scenario.tags)))
