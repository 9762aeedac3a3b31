"""Everything a verb starts from, in one call: the registry, its overrides and every component."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from adidem.core.components import Components, Problem
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.kinds import kind_named
from adidem.core.plugins import load_components
from adidem.core.registry import PACKAGED, Overrides, Registry, Suite, parse_overrides, read_registry
from adidem.core.registry.config import parse_condition
from adidem.core.registry.tree import Place


@frozen(eq=False)
class Setup:
    """A registry with its components and the overrides of this run's agent, partner and judge."""

    registry: Registry
    components: Components
    overrides: Overrides

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was left out and why, to be shown as warnings."""
        return self.components.problems

    def suite(self, name: str, **changes: Any) -> Suite:
        """The suite of that name, fields replaced by `changes` (those of the command line), ready to be played.

        Raises UnknownName for the suite, ConfigError for a change out of range, for a name in it that is unknown,
        switched off or left out, and for a family without its checker; the suite is named.
        """
        if name not in self.registry.suites:
            raise UnknownName("suite", name, self.registry.suites)
        try:
            suite = attrs.evolve(self.registry.suites[name], **changes)
        except ValueError as error:
            raise ConfigError(f"suite {name!r}: {error.args[0] if error.args else error}") from error
        check_suite(self, name, suite)
        return suite


def load(
    registry: Path | None = None,
    plugins: Iterable[Path] = (),
    overrides: Iterable[str] = (),
    *,
    strict: bool = False,
) -> Setup:
    """Reads the registry (the given file, ./registry.yaml or the packaged one alone), lays `a.b=v` overrides over it
    and loads every plugin, the given files last. Raises ConfigError; broken plugins are in `problems` unless
    `strict`. A suite of one's own that names what no plugin registers is an error, unless a plugin was left out."""
    said = parse_overrides(overrides)
    found = read_registry(registry, said)
    setup = Setup(found, load_components(found, plugins, strict=strict), said)
    if strict or not setup.problems:
        for name, suite in found.suites.items():
            check_suite(setup, name, suite, known_only=True)
    return setup


def check_suite(setup: Setup, name: str, suite: Suite, *, known_only: bool = False) -> None:
    """Raises ConfigError where a suite needs what there is not. With `known_only` a component that is there but
    switched off is no mistake, nor is what the packaged file says: the suite may never be asked for."""
    registered = {(item.kind.name, item.name) for item in setup.components.registered}
    for kind, needed, place in _needs(setup.registry, name, suite):
        if known_only and ((kind, needed) in registered or place.source == str(PACKAGED)):
            continue
        try:
            setup.components.get(kind, needed)
        except ConfigError as error:
            off = "is switched off in" in str(error)
            advice = f"; {_without(name, suite, kind, needed, place)}" if off else ""
            error.args = ((f"{place}: suites.{name}: " if place.source else f"suite {name!r}: ") + f"{error}{advice}",)
            raise
    if not known_only:
        for family in suite.families:
            _check_rules(setup.components, name, family)


def _without(name: str, suite: Suite, kind: str, needed: str, place: Place) -> str:
    """How a suite is played although one of its components is switched off."""
    section = kind_named(kind).section
    if not place.source:
        return f"leave it out, or switch it on with --set {section}.{needed}=true"
    barred = [text for text in suite.barriers if needed in (part for part, _ in parse_condition(text))]
    rest = [text for text in getattr(suite, section) if text not in (barred if kind == "barrier" else [needed])]
    ways = [f"with --set 'suites.{name}.{section}=[{', '.join(rest)}]'"] if rest or kind != "family" else []
    ways.append("in your own registry.yaml, which is laid over the packaged one")
    given = "" if kind == "judge" else f", or play other {section} with --{kind} NAME"
    return f"take it out of suites.{name}.{section} too: {', or '.join(ways)}{given}"


def _needs(registry: Registry, name: str, suite: Suite) -> Iterable[tuple[str, str, Place]]:
    written = registry.suites[name]
    families = [(name, name) for name in suite.families]
    judges = [(name, name) for name in suite.judges]
    barriers = [(text, part) for text in suite.barriers for part, _ in parse_condition(text)]
    for kind, field, names in (
        ("family", "families", families),
        ("judge", "judges", judges),
        ("barrier", "barriers", barriers),
    ):
        said = getattr(written, field)
        for text, needed in names:
            place = registry.where("suites", name, field, said.index(text)) if text in said else Place("")
            yield kind, needed, place


def _check_rules(components: Components, suite: str, family: str) -> None:
    """A family whose own checker is off or broken would be played without its rules, and everything would pass."""
    own = any(item.kind.name == "checker" and item.name == family for item in components.registered)
    broken = any(problem.kind == "checker" and problem.name == family for problem in components.problems)
    if own or broken:
        try:
            components.get("checker", family)
        except ConfigError as error:
            raise ConfigError(f"suite {suite!r} needs the rules of family {family!r}: {error}") from error
