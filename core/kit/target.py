"""What `check-plugin` is to look at: the components of a file, of a module, or of a name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from adidem.core.components import Components, Problem, Registered
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.kinds import KINDS, kind_named
from adidem.core.kit.subject import Subject
from adidem.core.setup import Setup, load

EXAMPLES = 100
"""As many examples a law tries where nobody says otherwise."""


def subjects(
    target: str,
    *,
    kind: str | None = None,
    registry: Path | None = None,
    plugins: Iterable[Path] = (),
    overrides: Iterable[str] = (),
    examples: int = EXAMPLES,
) -> tuple[Subject, ...]:
    """The components to be checked, in the order of kinds.

    `target` is the path of a Python file, the dotted name of a module (a package stands for what it holds), or the
    name of a component, `kind:name` where several share it. `kind` keeps that kind alone.

    Raises:
        ConfigError: nothing answers to the target, or a plugin or component of it was left out as broken; the cause is
            named.
    """
    files, said = [*plugins], [*overrides]
    path = Path(target)
    if path.is_dir() and "." not in target and not _importable(target):
        raise ConfigError(f"{target} is a folder: name a Python file, or the module of a package that is installed")
    if path.suffix == ".py" or path.is_file():
        files.append(path)
        setup = load(registry, files, said)
        found = [item for item in setup.components.registered if _same(item.origin.file, path)]
        _whole(target, [p for p in setup.problems if _same(p.origin.file, path)])
    else:
        setup, found = _by_name(target, registry, files, said)
    wanted = None if kind is None else kind_named(kind)
    on = [item for item in found if item.name in setup.components.of(item.kind.name) and wanted in (None, item.kind)]
    if not on:
        raise ConfigError(_nothing(target, found, kind))
    return tuple(
        Subject(item.kind.name, item.name, setup.components.get(item.kind.name, item.name), setup.components,
                item.origin.file, examples)
        for each in KINDS
        for item in on
        if item.kind == each
    )  # fmt: skip


def _by_name(target: str, registry: Path | None, files: list[Path], said: list[str]) -> tuple[Setup, list[Registered]]:
    setup = load(registry, files, said)
    found = _of_module(setup.components, target) or _of_name(setup.components, target)
    if not found and ("." in target or _importable(target)):
        named = [str(each.file or each.name) for each in setup.registry.plugins]
        setup = load(registry, files, [*said, f"plugins={json.dumps([*named, target])}"])
        found = _of_module(setup.components, target)
        _whole(target, [p for p in setup.problems if p.origin.name == target])
    if not found:
        _whole(target, [p for p in setup.problems if p.name == target])
        raise UnknownName("plugin file, module or component", target, _names(setup.components))
    return setup, found


def _of_module(components: Components, module: str) -> list[Registered]:
    found = []
    for item in components.registered:
        cls = item.thing if isinstance(item.thing, type) else type(item.thing)
        if cls.__module__ == module or cls.__module__.startswith(f"{module}."):
            found.append(item)
    return found


def _of_name(components: Components, target: str) -> list[Registered]:
    kind, colon, name = target.rpartition(":")
    wanted = kind_named(kind) if colon else None
    return [item for item in components.registered if item.name == name and wanted in (None, item.kind)]


def _importable(module: str) -> bool:
    from importlib import util

    try:
        return module.isidentifier() and util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _whole(target: str, problems: list[Problem]) -> None:
    """Raises ConfigError for the first thing of the target that was left out."""
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ConfigError(f"{target}: {problems[0]}{more}")


def _nothing(target: str, found: list[Registered], kind: str | None) -> str:
    if not found:
        return f"{target} registers no component: mark a function adidem_register_… with @adidem.hookimpl"
    told = ", ".join(f"{item.kind.name} {item.name}" for item in found)
    if kind is not None:
        return f"{target} has no {kind} that is on; it has {told}"
    return f"everything in {target} is switched off in the registry: {told}"


def _names(components: Components) -> list[str]:
    return [item.name for item in components.registered]


def _same(file: str | None, path: Path) -> bool:
    return file is not None and Path(file).resolve() == path.resolve()
