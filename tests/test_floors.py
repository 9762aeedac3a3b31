"""The house of DESIGN section 2: a floor imports only from floors below it, in no circle, and the core stays light."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("plugins/**/*.py")])

FLOORS = (
    ("domain", "language", "errors", "lazy", "aside"),
    ("contracts",),
    ("hookspecs", "kinds"),
    ("registry",),
    ("conformance", "sources"),
    ("components",),
    ("plugins",),
    ("setup",),
    ("containment", "records", "rules", "knowledge", "listening", "locking", "outcomes", "reach", "writing"),
    ("scenarios",),
    ("judging", "neutral"),
    ("llm",),
    ("policy",),
    ("agents",),
    ("play",),
    ("runs",),
    ("analysis",),
    ("training",),
    ("kit",),
    ("export", "bridges"),
    ("report", "annotation"),
    ("web",),
    ("cli",),
)
"""From the ground up. Parts of one floor may use each other, save on the ground floor, in no circle."""

LEVEL = {part: level for level, parts in enumerate(FLOORS) for part in parts}
ALONE = ("domain", "language", "errors", "lazy", "aside")
LIGHT = (
    "domain",
    "contracts",
    "hookspecs",
    "kinds",
    "registry",
    "conformance",
    "sources",
    "components",
    "plugins",
    "rules",
)
HEAVY = {"litellm", "torch", "transformers", "matplotlib", "starlette"}
HOOKS_TOUCHED_IN = "core/plugins.py"


def module_of(file: Path) -> str:
    """The dotted name of a file, adidem. before it."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(("adidem", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imports(file: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports, wherever in it, with the line; `from a import b` is a.b where that is one."""
    for node in ast.walk(ast.parse(file.read_text(), str(file))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}:{node.lineno}: a relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole if whole in MODULES else str(node.module)), node.lineno


MODULES = {module_of(file): file for file in FILES}


def part(module: str) -> str | None:
    """The part of the core that a module belongs to; None for what is not in the core, and for adidem.core itself."""
    names = module.split(".")
    return names[2] if names[:2] == ["adidem", "core"] and len(names) > 2 else None


def test_every_part_of_the_core_has_its_floor() -> None:
    """A new file or folder of the core is given a place in the order above."""
    unknown = {name for module in MODULES if (name := part(module)) is not None and name not in LEVEL}
    assert not unknown


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_imports_only_from_its_floor_and_those_below(file: Path) -> None:
    """Every import in the file, those inside functions included."""
    own = part(module_of(file))
    for module, line in imports(file):
        where = f"{file.relative_to(ROOT)}:{line}: imports {module}"
        used = part(module)
        if not {own, used} <= {None, *LEVEL}:
            continue  # the test above names it
        if own is None:
            assert used is None or LEVEL[used] < LEVEL["agents"], f"{where}; a plugin stands below the agents"
        elif used is not None and used != own:
            assert own not in ALONE, f"{where}; {own} imports nothing of ours"
            assert LEVEL[used] <= LEVEL[own], f"{where}, a floor above"
        if own is not None:
            assert not module.startswith("adidem.plugins"), f"{where}; the core knows no plugin"
        if own in LIGHT:
            assert module.split(".")[0] not in HEAVY, f"{where}, a heavy library"


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not even through others; a package's __init__ stands for itself."""
    graph = {
        name: {module for module, _ in imports(file) if module in MODULES and module != name}
        for name, file in MODULES.items()
    }
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_only_one_file_touches_the_hooks(file: Path) -> None:
    """Every call of a hook goes through the typed wrappers of core/plugins.py."""
    if str(file.relative_to(ROOT)) == HOOKS_TOUCHED_IN:
        return
    for node in ast.walk(ast.parse(file.read_text())):
        assert not (isinstance(node, ast.Attribute) and node.attr in ("hook", "subset_hook_caller", "add_hookspecs"))
        assert not (isinstance(node, ast.Name) and node.id == "PluginManager")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import adidem.core.cli", ["adidem.core.cli"]),
        ("def f():\n    from adidem.core import rules", ["adidem.core.rules"]),
        ("from adidem.core.registry import Suite", ["adidem.core.registry"]),
        ("if x:\n    import torch.nn as nn", ["torch.nn"]),
    ],
)
def test_the_reading_of_imports_sees_them_all(text: str, wanted: list[str], tmp_path: Path) -> None:
    """Inside functions and conditions, with names and without."""
    (tmp_path / "f.py").write_text(text)
    assert [module for module, _ in imports(tmp_path / "f.py")] == wanted
