"""The layout of DESIGN section 2: one package, adidem, whose parts live at the top level of the repository."""

import importlib
import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest

import adidem

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "adidem"
PARTS = ["core", "plugins", "plugins.barriers", "plugins.families", "plugins.judges", "plugins.trainers"]


@pytest.mark.parametrize("name", ["core", "plugins"])
def test_top_level_folders_are_never_top_level_modules(name: str) -> None:
    """Under pytest core/ and plugins/ cannot be imported by their folder's name, so no module exists twice."""
    assert importlib.util.find_spec(name) is None
    assert name not in sys.modules


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_importable_under_adidem(part: str) -> None:
    """Each part imports as adidem.<part>, from the one folder that people edit."""
    module = importlib.import_module(f"adidem.{part}")
    assert module.__file__ is not None
    assert Path(module.__file__).resolve() == ROOT / part.replace(".", "/") / "__init__.py"


@pytest.mark.parametrize("name", ["core", "plugins", "registry.yaml"])
def test_the_links_are_relative_and_lead_to_the_top_level(name: str) -> None:
    """The committed links still point home when the clone lies somewhere else."""
    link = SOURCE / name
    assert link.is_symlink()
    assert not link.readlink().is_absolute()
    assert link.resolve(strict=True) == ROOT / name


def test_the_package_is_marked_as_typed() -> None:
    """Type checkers read adidem's annotations only where py.typed lies in the package itself."""
    assert (Path(adidem.__file__).parent / "py.typed").is_file()


def test_every_dependency_has_its_reason() -> None:
    """docs/dependencies.md lists what pyproject.toml asks for, under its extra, and nothing else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {(name_of(line),) for line in project["dependencies"]}
    for extra, lines in project["optional-dependencies"].items():
        asked |= {(extra, name_of(line)) for line in lines}

    rows = re.findall(r"^\| (.+) \|$", (ROOT / "docs" / "dependencies.md").read_text(), flags=re.MULTILINE)
    cells = [tuple(row.split(" | ")[:-1]) for row in rows]
    listed = [row for row in cells if row not in {("package",), ("extra", "package")}]
    assert sorted(listed) == sorted(asked)


def test_every_dependency_is_pinned_for_ci() -> None:
    """constraints.txt gives each direct dependency one exact version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [project["dependencies"], *project["optional-dependencies"].values()]
    pinned = re.findall(r"^([\w.-]+)==[\w.]+$", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE)
    assert {name_of(line).lower() for lines in asked for line in lines} <= {name.lower() for name in pinned}


def name_of(requirement: str) -> str:
    """The distribution that a requirement names, without version, extras or marker."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return found.group()
