"""Where plugins come from: built-ins, what YAML names, entry points and files; imported with faults contained."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from importlib import import_module, util
from importlib.machinery import PathFinder
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from traceback import walk_tb
from types import ModuleType
from typing import Any, TypeVar
from zlib import crc32

from attrs import evolve, frozen

import adidem
from adidem.core.aside import aside
from adidem.core.errors import ConfigError
from adidem.core.language.untrusted import plain
from adidem.core.registry import Named, Registry

T = TypeVar("T")
GROUP = "adidem"
BUILTIN = "builtin"


@frozen
class Origin:
    """Where a plugin comes from: `how` (`builtin`, `entry point`, `plugins`, `--plugin`), the module, entry point or
    file by which it is named, its distribution with version, and its file; None where there is none or it is unknown.
    """

    how: str
    name: str
    distribution: str | None = None
    file: str | None = None

    @property
    def short(self) -> str:
        """How it came and by which name, as it can be shown."""
        return plain(f"{self.how} {self.name}")

    def __str__(self) -> str:
        more = [part for part in (self.distribution, self.file) if part and part != self.name]
        return self.short + (plain(f" ({', '.join(more)})") if more else "")


@frozen
class Source:
    """A plugin that may be loaded: `load` imports it and may raise anything."""

    origin: Origin
    load: Callable[[], Any]


@frozen
class Fault:
    """What went wrong in a plugin's own code, on one line, with the place in its file where it is known."""

    cause: str


def contained(call: Callable[[], T], file: str | None = None) -> T | Fault:
    """The result of code that is not ours, or its fault: nothing that a plugin raises goes further, an interrupt
    excepted. `file` is the plugin's: the fault names the last line of it that was running."""
    try:
        return call()
    except (Exception, SystemExit) as error:  # noqa: BLE001 (containing it is what this is for)
        return Fault(cause(error, file))


def loaded(call: Callable[[], T], origin: Origin) -> T | Fault:
    """The same of what runs while a plugin is loaded: what it raises may be no Exception at all, and what it prints, if
    it is none of ours, goes to standard error."""
    try:
        with nullcontext() if origin.how == BUILTIN else aside():
            return call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 (GeneratorExit, a group, a class of the plugin's own)
        return Fault(cause(error, origin.file))


def cause(error: BaseException, file: str | None = None) -> str:
    """An exception on one line: its type, its message, and where in the plugin's file it came from. Whatever stands in
    it can be shown and written."""
    kind, text = type(error).__name__, _message(error)
    lines = [line for frame, line in walk_tb(error.__traceback__) if file and _same(frame.f_code.co_filename, file)]
    place = f" ({file}:{lines[-1]})" if lines and not isinstance(error, SyntaxError) else ""
    return plain(f"{kind}: {text}{place}")


def _message(error: BaseException) -> str:
    """What an exception says of itself, by code that may be a plugin's own and may raise anything."""
    try:
        if isinstance(error, SyntaxError):
            return " ".join(plain(f"{error.msg} ({error.filename}:{error.lineno})").split())
        return " ".join(plain(str(error)).split())[:300] or "no message"
    except KeyboardInterrupt:
        raise
    except BaseException as second:  # noqa: BLE001 (a message that cannot be read is no reason to stop)
        return f"its message cannot be read: {type(second).__name__}"


def sources(registry: Registry, files: Iterable[Path] = ()) -> Iterator[Source]:
    """Every plugin in loading order: built-ins, `plugins` of the registry, entry points by name, `--plugin` files.
    The first of two components of one name wins. Raises ConfigError for a file that cannot be read."""
    own = f"adidem {adidem.__version__}"
    for name in registry.builtins:
        yield Source(Origin(BUILTIN, name, own, _module_file(name, BUILTIN)), lambda name=name: import_module(name))  # type: ignore[misc]
    for number, named in enumerate(registry.plugins):
        yield _named(named, f"{named.place}: plugins[{number}]: {named.name}")
    yield from _entry_points()
    for path in files:
        _must_be_readable(path, f"--plugin {path}")
        yield Source(Origin("--plugin", str(path), None, str(path)), lambda path=path: import_file(path))  # type: ignore[misc]


def _named(named: Named, where: str) -> Source:
    name, file = named.name, named.file
    if file is None:
        origin = Origin("plugins", name, _distribution(name), _module_file(name, "plugins"))
        return Source(origin, lambda: _import_named(name, named.place.folder))
    _must_be_readable(file, where)
    return Source(Origin("plugins", name, None, str(file)), lambda: import_file(file))


def _import_named(name: str, folder: Path) -> ModuleType:
    """A module that a registry names; where none is installed, a file of that name beside the registry is told of."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        beside = Path(*name.split(".")).with_suffix(".py")
        if error.name is not None and f"{name}.".startswith(f"{error.name}.") and (folder / beside).is_file():
            raise ImportError(f"{error}; to load the file, name it by its path: {beside}") from error
        raise


def import_file(path: Path) -> ModuleType:
    """The module of a Python file, under a name of its own. A second call, or a link to it, gives the same."""
    real = path.resolve()
    name = f"adidem_plugin_{real.stem}_{crc32(os.fsencode(real)):08x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file (its name must end in .py)")
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def located(origin: Origin, plugin: Any) -> Origin:
    """The origin with the file that the loaded plugin really came from, where it was not known before."""
    module = plugin if isinstance(plugin, ModuleType) else sys.modules.get(type(plugin).__module__)
    file = getattr(module, "__file__", None)
    return evolve(origin, file=str(file)) if file and origin.file is None else origin


def real_file(plugin: Any) -> str | None:
    """The file of a plugin that is a module, all links followed. None of a built-in module, whose file is no one
    else's, of an object, of which a file may hold several, and where there is none."""
    if not isinstance(plugin, ModuleType) or plugin.__name__.startswith("adidem."):
        return None
    file = getattr(plugin, "__file__", None)
    return os.path.realpath(file) if isinstance(file, str) else None


def _entry_points() -> Iterator[Source]:
    if not _may_have_entry_points():
        return
    from importlib import metadata

    found = contained(lambda: sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value)))
    if isinstance(found, Fault):
        yield Source(Origin("entry point", GROUP), lambda: _raise(found.cause))
        return
    for point in found:
        dist = contained(lambda point=point: f"{point.dist.name} {point.dist.version}" if point.dist else None)  # type: ignore[misc]
        distribution = None if isinstance(dist, Fault) else dist
        file = _module_file(point.module, "entry point")
        yield Source(Origin("entry point", f"{point.name} = {point.value}", distribution, file), point.load)


def _may_have_entry_points() -> bool:
    """Whether any distribution may have an entry point of ours, read off the folders of sys.path. It is asked first
    because importlib.metadata is slow to import (email, zipfile, csv, …) and most users have no plugin installed."""
    for folder in map(Path, dict.fromkeys(sys.path)):
        if folder.is_file():
            return True  # a zip archive, say
        with suppress(OSError):
            for info in folder.glob("*.*-info/entry_points.txt"):
                if f"[{GROUP}]".encode() in b"".join(info.read_bytes().split(b" ")):
                    return True
    return any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder)


def _raise(text: str) -> Any:
    raise ImportError(text)


def _must_be_readable(path: Path, where: str) -> None:
    """Raises ConfigError for what is no regular file that can be read. It is looked at before it is opened: a named
    pipe would never open."""
    try:
        mode = path.stat().st_mode
        if S_ISREG(mode):
            with path.open("rb") as file:
                file.read(1)
            return
    except OSError as error:
        raise _unreadable(where, f"{error.strerror or error}") from error
    except ValueError as error:  # a null byte, half a character: no file can be called so
        raise _unreadable(where, f"{error}") from error
    if S_ISDIR(mode):
        raise _unreadable(where, "Is a directory; name a Python file, or install the package that it holds")
    raise _unreadable(where, "it is a pipe or a device; name a Python file")


def _unreadable(where: str, what: str) -> ConfigError:
    return ConfigError(plain(f"{where}: cannot be read: {what}"))


def _module_file(name: str, how: str) -> str | None:
    """Where a module's code is, without running it (a package around it is run); None where it cannot be found."""
    there = sys.modules.get(name)
    if there is not None:
        return getattr(there, "__file__", None)
    spec = loaded(lambda: util.find_spec(name), Origin(how, name))
    return None if isinstance(spec, Fault) or spec is None else spec.origin


def _distribution(module: str) -> str | None:
    from importlib import metadata

    found = contained(lambda: metadata.packages_distributions().get(module.partition(".")[0], []))
    if isinstance(found, Fault) or not found:
        return None
    version = contained(lambda: metadata.version(found[0]))
    return found[0] if isinstance(version, Fault) else f"{found[0]} {version}"


def _same(one: str, other: str) -> bool:
    return one == other or Path(one).absolute() == Path(other).absolute()
