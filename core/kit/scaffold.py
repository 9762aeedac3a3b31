"""Writes a plugin to start from: one file, or a package that installs and tests itself."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from adidem.core.conformance import RESERVED
from adidem.core.errors import ConfigError
from adidem.core.kinds import Kind, kind_named
from adidem.core.registry import PACKAGED
from adidem.core.registry.config import NAME
from adidem.core.setup import load
from adidem.core.writing import whole_folder, write_new, write_whole

_WRITTEN = {"family": ("family", "checker")}
"""The kinds of what is written for a kind, where it is more than one component."""

_LOADED = {
    "conftest": "loaded by pytest, for every test beside it, as its configuration",
    "setup": "run by pip and setuptools as the build of its folder",
    "sitecustomize": "run by Python whenever it starts",
    "usercustomize": "run by Python whenever it starts",
}
"""Files that are run unasked, by name."""

_TEMPLATES = Path(__file__).with_name("templates")


def scaffold(kind: str, name: str, folder: Path, *, package: bool = False) -> tuple[Path, ...]:
    """Write the files of a new component into a folder and return their paths, the one to edit first.

    Raises:
        ConfigError: there is no such kind, the name will not do or is another component's, something of that name is
            there already, or it cannot be written.
    """
    of = kind_named(kind)
    _must_do(of, name, package=package)
    _must_be_free(of, name)
    words = _words(of, name, package=package)
    top = folder / words["distribution"] if package else folder
    files = _package_files(of, words) if package else {f"{name}.py": f"{of.name}.py.j2"}
    goal = top if package else top / f"{name}.py"
    if os.path.lexists(goal):  # a link that leads nowhere is there too
        raise ConfigError(f"{goal} is there already: choose another name or another --out")
    texts = {path: _rendered(template, words) for path, template in files.items()}
    try:
        _write(goal, texts, package=package)
    except OSError as error:
        raise ConfigError(
            f"{error.filename or goal} cannot be written ({error.strerror or error}); nothing is left of it"
        ) from error
    return tuple(top / path for path in files)


def _write(goal: Path, texts: Mapping[str, str], *, package: bool) -> None:
    """Write the package or the file whole or not at all. Raises OSError."""
    if not package:
        write_new(goal, *texts.values())
        return
    with whole_folder(goal) as part:
        for path, text in texts.items():
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(part / path, text)


def _must_do(kind: Kind, name: str, *, package: bool) -> None:
    import keyword

    if not re.fullmatch(NAME, name) or name in RESERVED[kind.name] or keyword.iskeyword(name):
        raise ConfigError(f"a {kind.name} cannot be called {name!r}: small letters, digits and _, no reserved word")
    taken = None if package else _taken_for(name)
    if taken is not None:
        raise ConfigError(
            f"a {kind.name} in a file cannot be called {name!r}: {name}.py would be {taken}; choose another name, or "
            "give --package"
        )


def _taken_for(name: str) -> str | None:
    """What Python or pytest would take a file of that name for; None where for nothing else."""
    if name in _LOADED:
        return _LOADED[name]
    if name.startswith("test_") or name.endswith("_test"):
        return "run by pytest as tests"
    if name in {*sys.stdlib_module_names, "adidem"} or _is_installed(name):
        return "imported in place of the module of that name by what runs in its folder"
    return None


def _is_installed(name: str) -> bool:
    """Whether a module of that name is installed. It is not imported, and the working folder is not looked at."""
    here = {"", str(Path.cwd())}
    return PathFinder.find_spec(name, [path for path in sys.path if path not in here]) is not None


def _must_be_free(kind: Kind, name: str) -> None:
    """Raises ConfigError where a component of that name is registered: built in, installed, or of your registry, unless
    that cannot be loaded (it may name what is only now to be written)."""
    try:
        components = load().components
    except ConfigError:
        components = load(PACKAGED).components
    for registered in components.registered:
        if registered.kind.name in _WRITTEN.get(kind.name, (kind.name,)) and registered.name == name:
            raise ConfigError(
                f"{registered.kind.name} {name!r} is already registered by {registered.origin}; choose another name"
            )


def _words(kind: Kind, name: str, *, package: bool) -> Mapping[str, Any]:
    import yaml

    module = f"adidem_{name}"
    first = yaml.safe_load((_TEMPLATES / "texts.yaml").read_text(encoding="utf-8"))[kind.name]
    return {
        "kind": kind.name,
        "section": kind.section,
        "name": name,
        "cls": _class_name(kind, name),
        "title": name.replace("_", " ").strip().capitalize(),
        "package": module,
        "distribution": module.replace("_", "-"),
        "file": module if package else f"{name}.py",
        "first_run": first.format(name=name),
    }


def _class_name(kind: Kind, name: str) -> str:
    """A name in CamelCase, with the kind's after it where the template has another thing so called, or Python."""
    import keyword

    found = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    used = re.findall(r"\w+", (_TEMPLATES / f"{kind.name}.py.j2").read_text(encoding="utf-8"))
    return found + kind.name.capitalize() if found in used or keyword.iskeyword(found) else found


def _package_files(kind: Kind, words: Mapping[str, Any]) -> dict[str, str]:
    """Each file of a package with its template, the one to edit first."""
    return {
        f"src/{words['package']}/__init__.py": f"{kind.name}.py.j2",
        "tests/test_laws.py": "test_laws.py.j2",
        "conftest.py": "conftest.py.j2",
        "pyproject.toml": "pyproject.toml.j2",
        "README.md": "README.md.j2",
    }


def _rendered(template: str, words: Mapping[str, Any]) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=jinja2.select_autoescape(default_for_string=False, default=False),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(words)
