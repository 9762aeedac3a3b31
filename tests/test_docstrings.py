"""Every public name has a docstring: modules, classes, functions and methods; and what `adidem` exports says more."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import adidem
from adidem.core.kinds import KINDS

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("plugins/**/*.py"), ROOT / "src" / "adidem" / "testing.py"])
Named = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public(tree: ast.Module) -> Iterator[tuple[str, Named]]:
    """The public classes and functions of a module, and the public methods of its public classes."""
    for node in tree.body:
        if isinstance(node, Named) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith("_"):
                        yield f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_public_name_has_a_docstring(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{file}: the module says nothing"
    silent = [
        f"{file.relative_to(ROOT)}:{node.lineno} {name}" for name, node in public(tree) if not ast.get_docstring(node)
    ]
    assert not silent


@pytest.mark.parametrize("name", [name for name in adidem.__all__ if name != "__version__"])
def test_what_adidem_exports_is_explained(name: str) -> None:
    """A sentence at least; of a contract every member too."""
    thing = getattr(adidem, name)
    if thing in {kind.contract for kind in KINDS}:
        for member, value in vars(thing).items():
            if not member.startswith("_"):
                assert len(inspect.getdoc(value) or "") > 20, f"{name}.{member}"
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert len(inspect.getdoc(thing) or "") > 30
