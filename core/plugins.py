"""Loads plugins, checks their hooks, blocks and names those that are broken: the one file that touches the manager."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import pluggy
from attrs import define, field

from adidem.core import hookspecs
from adidem.core.components import Components, Problem, Registered, admit, assemble
from adidem.core.conformance import IllFormed
from adidem.core.contracts import Barrier, Checker, Family, Judge, Trainer
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.hookspecs import PROJECT, Register
from adidem.core.kinds import KINDS, Kind
from adidem.core.registry import Registry
from adidem.core.sources import Fault, Origin, Source, loaded, located, real_file, sources

HOOKS = tuple(kind.hook for kind in KINDS)


def load_components(registry: Registry, files: Iterable[Path] = (), *, strict: bool = False) -> Components:
    """Every component of every plugin, with the registry's options. What is broken is left out and named in
    `problems`; `strict` makes the first of them a ConfigError."""
    manager = Manager()
    for source in sources(registry, files):
        manager.load(source)
    manager.check_pending()
    components = assemble(registry, manager.collect(), manager.problems)
    if strict:
        refuse(components)
    return components


def refuse(components: Components) -> None:
    """Raises ConfigError for the first problem, saying how many there are."""
    missing = components.missing.items()
    problems = [str(problem) for problem in components.problems]
    problems += [f"{entry.place}: no plugin registers {kind} {name!r}" for (kind, name), entry in missing]
    if problems:
        raise ConfigError(f"--strict-plugins: {problems[0]}{_more(problems)}")


def _more(problems: Sequence[Any]) -> str:
    return f" (and {len(problems) - 1} more, see `adidem plugins`)" if len(problems) > 1 else ""


class _Pluggy(pluggy.PluginManager):
    """Passes over what a module holds besides functions, most of it imported, before it is looked at statically."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        """As in pluggy, which takes nothing but functions and methods for a hook."""
        held = plugin.__dict__ if type(plugin) is ModuleType else {}
        if name in held and not isinstance(held[name], _ROUTINES):
            return None
        return super().parse_hookimpl_opts(plugin, name)


_ROUTINES = (FunctionType, BuiltinFunctionType, MethodType, classmethod, staticmethod)


@define
class Manager:
    """The pluggy manager with the plugins it holds and the problems met so far."""

    problems: list[Problem] = field(factory=list)
    _pm: pluggy.PluginManager = field(init=False)
    _origins: dict[str, Origin] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._pm = _Pluggy(PROJECT)
        self._pm.add_hookspecs(hookspecs)

    # One thin, typed method a hook: each calls it on one plugin alone, so that a fault is that plugin's.

    def register_families(self, plugin: str, register: Register[Family]) -> Any:
        """Calls `adidem_register_families` of a plugin."""
        return self._call("adidem_register_families", plugin, register)

    def register_checkers(self, plugin: str, register: Register[Checker]) -> Any:
        """Calls `adidem_register_checkers` of a plugin."""
        return self._call("adidem_register_checkers", plugin, register)

    def register_barriers(self, plugin: str, register: Register[Barrier]) -> Any:
        """Calls `adidem_register_barriers` of a plugin."""
        return self._call("adidem_register_barriers", plugin, register)

    def register_judges(self, plugin: str, register: Register[Judge]) -> Any:
        """Calls `adidem_register_judges` of a plugin."""
        return self._call("adidem_register_judges", plugin, register)

    def register_trainers(self, plugin: str, register: Register[Trainer]) -> Any:
        """Calls `adidem_register_trainers` of a plugin."""
        return self._call("adidem_register_trainers", plugin, register)

    def load(self, source: Source) -> None:
        """Imports a plugin, checks its hooks and takes it in, or leaves it out and says why."""
        plugin = loaded(source.load, source.origin)
        if isinstance(plugin, Fault):
            self._leave_out(source.origin, plugin.cause)
            return
        self.add(plugin, source.origin)

    def add(self, plugin: Any, given: Origin) -> None:
        """Takes in a plugin that is there already: a module or an object. The same one twice is one plugin."""
        found = loaded(lambda: (located(given, plugin), self._is_there(plugin)), given)
        if isinstance(found, Fault):
            self._leave_out(given, found.cause)
            return
        origin, there = found
        if there:
            return
        name = f"{len(self._origins)} {origin.short}"
        fault = loaded(lambda: misfit(plugin) or self._register(plugin, name), origin)
        if fault is not None:
            self._leave_out(origin, fault.cause if isinstance(fault, Fault) else fault)
            return
        self._origins[name] = origin

    def _is_there(self, plugin: Any) -> bool:
        """Whether it was taken in before: the same object, or a module of the same file, whatever name it goes by."""
        file = real_file(plugin)
        known = [other for _, other in self._pm.list_name_plugin() if other is not None]
        return any(plugin == other for other in known) or (
            file is not None and any(file == real_file(other) for other in known)
        )

    def _register(self, plugin: Any, name: str) -> str | None:
        """What pluggy has against it, or None; it validates all of a plugin before it takes anything in."""
        try:
            self._pm.register(plugin, name)
        except (pluggy.PluginValidationError, ValueError) as error:
            return " ".join(str(error).split())
        return None

    def check_pending(self) -> None:
        """Ends the loading: blocks every plugin that has a hook nobody specified, until none is left."""
        while True:
            try:
                self._pm.check_pending()
                return
            except pluggy.PluginValidationError as error:
                name = self._pm.get_name(error.plugin)
                if name is None:
                    raise
                self._block(name, " ".join(str(error).split()))

    def collect(self) -> list[Registered]:
        """What all plugins register, kind by kind in the order of loading. Of two components of one kind and name the
        later is left out; of a hook that raises, everything it had registered is."""
        found: dict[tuple[str, str], Registered] = {}
        for name, plugin in self._pm.list_name_plugin():
            if plugin is None:
                continue
            for kind in KINDS:
                for item in self._registrations(kind, name):
                    self._keep(found, item)
        return list(found.values())

    def _keep(self, found: dict[tuple[str, str], Registered], item: Registered) -> None:
        first = found.setdefault((item.kind.name, item.name), item)
        if first is not item:
            cause = f"{item.kind.name} {item.name!r} is already registered by {first.origin}; rename one of them"
            self.problems.append(Problem(item.kind.name, item.name, item.origin, cause))

    def _registrations(self, kind: Kind, plugin: str) -> list[Registered]:
        origin = self._origins[plugin]
        things: list[Any] = []
        returned = loaded(lambda: self._hook(kind)(plugin, things.append), origin)
        if isinstance(returned, Fault):
            self._leave_out(origin, f"{kind.hook} raised {returned.cause}")
            return []
        if returned:
            self._leave_out(origin, f"{kind.hook} must return nothing, not {type(returned[0]).__name__}")
            return []
        return [item for thing in things if (item := self._admitted(kind, thing, origin)) is not None]

    def _admitted(self, kind: Kind, thing: Any, origin: Origin) -> Registered | None:
        item = loaded(lambda: admit(kind, thing, origin), origin)
        if not isinstance(item, Fault):
            return item
        cause = item.cause.removeprefix(f"{IllFormed.__name__}: ")
        label = loaded(lambda: _label(thing), origin)
        self.problems.append(Problem(kind.name, label if isinstance(label, str) else "?", origin, cause))
        return None

    def _hook(self, kind: Kind) -> Callable[[str, Register[Any]], Any]:
        method: Callable[[str, Register[Any]], Any] = getattr(self, kind.hook.removeprefix("adidem_"))
        return method

    def _call(self, hook: str, plugin: str, register: Register[Any]) -> Any:
        others = [other for name, other in self._pm.list_name_plugin() if name != plugin and other is not None]
        return self._pm.subset_hook_caller(hook, remove_plugins=others)(register=register)

    def _block(self, name: str, cause: str) -> None:
        self._pm.set_blocked(name)
        self._pm.unregister(name=name)
        self._leave_out(self._origins[name], cause)

    def _leave_out(self, origin: Origin, cause: str) -> None:
        self.problems.append(Problem("plugin", origin.name, origin, cause))


def _label(thing: Any) -> str:
    """A component's name, or its class's where it has none."""
    name = getattr(thing, "name", None)
    return name if isinstance(name, str) else str(getattr(thing, "__name__", type(thing).__name__))


def misfit(plugin: Any) -> str | None:
    """What is wrong with a plugin's hooks, or None: no hook at all, a function named like a hook that is none or is
    not marked, a signature that cannot take `register`, a coroutine."""
    if isinstance(plugin, type):
        return f"{plugin.__name__} is a class; a plugin is a module or an object"
    hooks = 0
    for name in dir(plugin):
        function = getattr(plugin, name, None)
        if not inspect.isroutine(function) or hasattr(function, f"{PROJECT}_spec"):
            continue
        marked = getattr(function, f"{PROJECT}_impl", None)
        if marked is None and not name.startswith(f"{PROJECT}_"):
            continue
        problem = _hook_misfit(marked.get("specname") or name if marked else name, function, marked is not None)
        if problem:
            return problem
        hooks += 1
    return None if hooks else "it has no hook: a function named adidem_register_… and marked @adidem.hookimpl"


def _hook_misfit(name: str, function: Any, marked: bool) -> str | None:
    line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
    where = f" (line {line})" if line else ""
    if name not in HOOKS:
        return f"{UnknownName('hook', name, HOOKS)}{where}"
    if not marked:
        return f"{name}{where} is not marked @adidem.hookimpl"
    if inspect.iscoroutinefunction(function):
        return f"{name}{where} must be a plain function, not `async def`"
    parameters = inspect.signature(function).parameters
    if "register" not in parameters:
        return f"{name}({', '.join(parameters)}){where} has a wrong signature: it must be {name}(register)"
    return None
