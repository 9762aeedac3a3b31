"""Plugins come from the registry, from installed distributions and from files, in that order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adidem.core.errors import ConfigError
from adidem.core.setup import Setup

Load = Callable[..., Setup]
Write = Callable[[str, str], Path]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on sys.path to install distributions into; modules imported from it are forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in [n for n, m in sys.modules.items() if str(folder) in str(getattr(m, "__file__", ""))]:
        del sys.modules[name]


def install(folder: Path, distribution: str, module: str, text: str, value: str | None = None) -> None:
    """Lays down a distribution of one module with an entry point in the group `adidem`."""
    (folder / f"{module}.py").write_text(text)
    info = folder / f"{distribution.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[adidem]\nmine = {value or module}\n")


def test_an_installed_plugin_is_found_with_its_distribution(site: Path, toy: Path, load_only: Load) -> None:
    """The entry-point group `adidem` is read and the distribution is named with its version."""
    install(site, "toy-lab", "toy_lab_plugin", toy.read_text())
    rows = load_only().components.describe()
    assert {row["distribution"] for row in rows} == {"toy-lab 1.2"}
    assert {row["origin"] for row in rows} == {"entry point mine = toy_lab_plugin"}


def test_an_entry_point_may_name_an_object(site: Path, toy: Path, load_only: Load) -> None:
    """An instance whose methods are hooks is a plugin too."""
    text = toy.read_text() + "\nclass Bag:\n    @adidem.hookimpl\n"
    text += "    def adidem_register_judges(self, register): register(Nod)\nbag = Bag()\n"
    install(site, "toy-bag", "toy_bag_plugin", text, "toy_bag_plugin:bag")
    setup = load_only()
    assert setup.problems == ()
    assert list(setup.components.judges) == ["nod"]
    assert not setup.components.families


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        ("no_such_module_here", "No module named 'no_such_module_here'"),
        ("toy_sick_plugin:absent", "has no attribute 'absent'"),
        ("toy_sick_plugin:Toy", "Toy is a class; a plugin is a module or an object"),
    ],
)
def test_a_broken_installed_plugin_is_named(site: Path, toy: Path, load_only: Load, value: str, cause: str) -> None:
    """Its distribution and the cause stand in the problem."""
    install(site, "toy-sick", "toy_sick_plugin", toy.read_text(), value)
    (problem,) = load_only().problems
    assert "toy-sick 1.2" in str(problem)
    assert cause in problem.cause


def test_a_module_named_in_the_registry_is_loaded(site: Path, toy: Path, load_only: Load) -> None:
    """`plugins: [module]` imports it; strict has nothing to say."""
    (site / "toy_listed.py").write_text(toy.read_text())
    setup = load_only(registry="plugins: [toy_listed]", strict=True)
    assert {row["origin"] for row in setup.components.describe()} == {"plugins toy_listed"}


def test_a_module_that_is_found_two_ways_is_one_plugin(site: Path, toy: Path, load_only: Load) -> None:
    """Named in the registry and installed with an entry point, it does not clash with itself."""
    install(site, "toy-twice", "toy_twice_plugin", toy.read_text())
    setup = load_only(registry="plugins: [toy_twice_plugin]")
    assert setup.problems == ()
    assert {row["origin"] for row in setup.components.describe()} == {"plugins toy_twice_plugin"}


def test_the_registry_comes_before_installed_plugins_and_files_come_last(
    site: Path, toy: Path, write: Write, load_only: Load
) -> None:
    """Of three toys the registry's wins; both others are named as left out."""
    (site / "toy_first.py").write_text(toy.read_text())
    install(site, "toy-second", "toy_second_plugin", toy.read_text())
    setup = load_only(toy, registry="plugins: [toy_first]")
    assert {item.origin.name for item in setup.components.registered} == {"toy_first"}
    assert [p.origin.how for p in setup.problems if p.kind == "family"] == ["entry point", "--plugin"]


def test_two_installed_plugins_that_clash_are_both_named(
    site: Path, parts: dict[str, str], header: str, load_only: Load
) -> None:
    """The problem tells both distributions."""
    install(site, "toy-one", "toy_one_plugin", header + parts["judge"])
    install(site, "toy-two", "toy_two_plugin", header + parts["judge"])
    (problem,) = load_only().problems
    assert "toy-one 1.2" in str(problem)
    assert "toy-two 1.2" in str(problem)
    with pytest.raises(ConfigError, match="judge 'nod' is already registered by"):
        load_only(strict=True)
