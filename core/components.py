"""What plugins registered, made with the registry's options: the families, checkers, barriers, judges and trainers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, TypedDict

import attrs
from attrs import field, frozen

from adidem.core.conformance import IllFormed, check_class, check_instance, name_of
from adidem.core.contracts import Barrier, Checker, Family, Judge, Trainer
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.kinds import KINDS, Kind, kind_named
from adidem.core.language.untrusted import plain
from adidem.core.registry import PACKAGED, Entry, Registry
from adidem.core.registry.structure import blame, keywords, options_of, said
from adidem.core.registry.tree import mistake
from adidem.core.sources import Fault, Origin, loaded

Status: TypeAlias = Literal["ok", "broken", "missing"]


class Row(TypedDict):
    """One line of `adidem plugins`. `kind` is a component's, or `plugin` for a plugin that registered nothing."""

    kind: str
    name: str
    enabled: bool
    origin: str
    distribution: str | None
    status: Status
    error: str | None


@frozen
class Problem:
    """A plugin or a component that was left out: its kind (`plugin` for a whole one), name, origin and the cause."""

    kind: str
    name: str = field(converter=plain)
    origin: Origin
    cause: str = field(converter=plain)

    def __str__(self) -> str:
        what = self.origin if self.kind == "plugin" else f"{self.kind} {self.name!r} of {self.origin}"
        return f"{what} is left out: {self.cause}"


@frozen(eq=False)
class Registered:
    """A component as a plugin handed it over: a class or a finished object, under its kind and name."""

    kind: Kind
    name: str
    thing: Any
    origin: Origin

    @property
    def options(self) -> dict[str, attrs.Attribute[Any]]:
        """The options that registry.yaml may set; none of a finished object."""
        return options_of(self.thing) if isinstance(self.thing, type) and attrs.has(self.thing) else {}


def admit(kind: Kind, thing: Any, origin: Origin) -> Registered:
    """A component on its way in. Raises IllFormed where its class or object does not fulfil the contract."""
    name = name_of(kind, thing)
    if isinstance(thing, type):
        check_class(kind, thing)
    else:
        check_instance(kind, thing)
    return Registered(kind, name, thing, origin)


def make(item: Registered, entry: Entry) -> Any | Fault:
    """The component with its options, None where it is switched off, or the fault in its own code.

    Raises ConfigError, with file, line and column, where the registry's options are wrong.
    """
    path = f"{item.kind.section}.{item.name}"
    if not item.options:
        for name, node in entry.options.members.items():
            reason = "takes no options" if isinstance(item.thing, type) else "is a finished object and takes no options"
            raise mistake(node, path, f"unknown key {name!r}: {item.kind.name} {item.name!r} {reason}")
        arguments: dict[str, Any] = {}
    else:
        needed = [n for n, a in item.options.items() if a.default is attrs.NOTHING and n not in entry.options.members]
        if needed and not entry.mentioned:
            return Fault(f"needs the option {needed[0]!r}: set {path}.{needed[0]} in registry.yaml, or switch it off")
        arguments = keywords(entry.options, item.thing, path) if entry.enabled or entry.options.members else {}
    if not entry.enabled:
        return None
    return _made(item, entry, arguments, path)


def _made(item: Registered, entry: Entry, arguments: dict[str, Any], path: str) -> Any | Fault:
    def call() -> Any:
        made = item.thing(**arguments) if isinstance(item.thing, type) else item.thing
        if name_of(item.kind, made) != item.name:
            raise IllFormed(f"{type(made).__name__} changes its name from {item.name!r} to {made.name!r}")
        check_instance(item.kind, made)
        return made

    refusals: list[Exception] = []

    def noted() -> Any:
        try:
            return call()
        except (ValueError, TypeError) as error:
            refusals.append(error)
            raise

    made = loaded(noted, item.origin)
    if isinstance(made, Fault) and refusals and arguments:
        blamed = loaded(lambda: blame(item.thing, arguments), item.origin)
        told = loaded(lambda: plain(said(refusals[0])), item.origin)
        option = blamed if isinstance(blamed, str) else ""
        node = entry.options.members.get(option, entry.options)
        why = told.cause if isinstance(told, Fault) else told
        raise mistake(node, f"{path}.{option}" if option else path, why) from refusals[0]
    return made


@frozen(eq=False)
class Components:
    """Every component that is on, by name, in the order of loading; and what is off, left out or missing."""

    families: Mapping[str, Family] = field(factory=dict)
    checkers: Mapping[str, Checker] = field(factory=dict)
    barriers: Mapping[str, Barrier] = field(factory=dict)
    judges: Mapping[str, Judge] = field(factory=dict)
    trainers: Mapping[str, Trainer] = field(factory=dict)
    registered: tuple[Registered, ...] = ()
    problems: tuple[Problem, ...] = ()
    missing: Mapping[tuple[str, str], Entry] = field(factory=dict)
    registry: Registry | None = field(default=None, repr=False)

    def of(self, kind: str) -> Mapping[str, Any]:
        """The components of a kind that are on; the kind's name may be singular or plural."""
        found: Mapping[str, Any] = getattr(self, kind_named(kind).section)
        return found

    def get(self, kind: str, name: str) -> Any:
        """The component of that kind and name. Raises UnknownName with the nearest names, or ConfigError that says
        where it is switched off or why it was left out."""
        found, wanted = self.of(kind), kind_named(kind)
        if name in found:
            return found[name]
        for item in self.registered:
            if (item.kind, item.name) == (wanted, name):
                raise ConfigError(f"{wanted.name} {name!r} is switched off in {self._entry(item).place}")
        for problem in self.problems:
            if (problem.kind, problem.name) == (wanted.name, name):
                raise ConfigError(str(problem))
        raise self._unknown(wanted, name)

    def checkers_for(self, family: str) -> tuple[Checker, ...]:
        """The checkers that apply to a family: its own (of the same name) first, the others by name."""
        fitting = [c for c in self.checkers.values() if c.families is None or family in c.families]
        return tuple(sorted(fitting, key=lambda c: (c.name != family, c.name)))

    def describe(self) -> list[Row]:
        """One row a component, plugin or entry: kind by kind, in the order of loading, what was left out last."""
        rows = [self._row(item) for kind in KINDS for item in self.registered if item.kind == kind]
        rows += [
            Row(
                kind=p.kind,
                name=p.name,
                enabled=False,
                origin=p.origin.short,
                distribution=p.origin.distribution,
                status="broken",
                error=p.cause
                if not p.origin.file or p.origin.file in p.cause
                else plain(f"{p.cause} ({p.origin.file})"),
            )
            for p in self.problems
        ]
        rows += [
            Row(
                kind=kind,
                name=name,
                enabled=False,
                origin=str(entry.place),
                distribution=None,
                status="missing",
                error="no plugin that loaded registers it",
            )
            for (kind, name), entry in self.missing.items()
        ]
        return rows

    def _row(self, item: Registered) -> Row:
        return Row(
            kind=item.kind.name,
            name=item.name,
            enabled=item.name in self.of(item.kind.name),
            origin=item.origin.short,
            distribution=item.origin.distribution,
            status="ok",
            error=None,
        )

    def _entry(self, item: Registered) -> Entry:
        assert self.registry is not None, "components that were loaded know their registry"
        return self.registry.entry(item.kind.section, item.name)

    def _unknown(self, kind: Kind, name: str) -> UnknownName:
        error = _unknown(kind, name, [r.name for r in self.registered if r.kind == kind])
        whole = [p.origin.short for p in self.problems if p.kind == "plugin"]
        if whole:
            error.args = (f"{error} (left out as broken, see `adidem plugins`: {', '.join(whole)})",)
        return error


def assemble(registry: Registry, registered: Iterable[Registered], problems: Iterable[Problem]) -> Components:
    """The components of a registry. Raises ConfigError for wrong options, and for an entry that names no component
    unless a plugin was left out that may have held it."""
    made: dict[str, dict[str, Any]] = {kind.section: {} for kind in KINDS}
    kept, left_out = [], list(problems)
    for item in registered:
        result = make(item, registry.entry(item.kind.section, item.name))
        if isinstance(result, Fault):
            left_out.append(Problem(item.kind.name, item.name, item.origin, result.cause))
            continue
        kept.append(item)
        if result is not None:
            made[item.kind.section][item.name] = result
    missing = _missing(registry, kept, left_out)
    return Components(**made, registered=tuple(kept), problems=tuple(left_out), missing=missing, registry=registry)


def _unknown(kind: Kind, name: str, names: Iterable[str]) -> UnknownName:
    """A component that nothing registers: misspelt, or else of a plugin that is not loaded."""
    error = UnknownName(kind.name, name, names)
    if not error.near:
        error.args = (
            f"{error}; if a plugin has it, name the plugin: `plugins: [FILE.py]` in registry.yaml, or --plugin",
        )
    return error


def _missing(registry: Registry, kept: Iterable[Registered], left_out: list[Problem]) -> dict[tuple[str, str], Entry]:
    """Entries that nothing answers to. Those of the packaged file are no typo of the user's: its built-in is broken,
    and listed as such, or `builtins` leaves it out."""
    known = {(item.kind.name, item.name) for item in kept}
    broken = {(problem.kind, problem.name) for problem in left_out}
    missing = {}
    for kind in KINDS:
        for name, entry in registry.entries(kind.section).items():
            if (kind.name, name) in known | broken or entry.place.source == str(PACKAGED):
                continue
            if not any(problem.kind == "plugin" for problem in left_out):
                names = [n for k, n in known if k == kind.name]
                raise ConfigError(f"{entry.place}: {kind.section}: {_unknown(kind, name, names)}")
            missing[kind.name, name] = entry
    return missing
