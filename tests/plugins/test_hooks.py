"""Every hook is documented with its exact signature, has a docstring, and has a test named after it, which is here."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import adidem
from adidem.core import hookspecs
from adidem.core.kinds import KINDS
from adidem.core.plugins import Manager
from adidem.core.setup import Setup, load

ROOT = Path(__file__).resolve().parents[2]
HOOKS = {name: spec for name, spec in vars(hookspecs).items() if name.startswith("adidem_")}
DOCS = (ROOT / "docs" / "hooks.md").read_text()


def test_adidem_register_families(toy: Path, load_only: Callable[..., Setup]) -> None:
    """A family registered as a class is made with its defaults and found under its name."""
    family = load_only(toy).components.families["toy"]
    assert (family.most, family.unit) == (9, "crates")  # type: ignore[attr-defined]
    assert isinstance(family, adidem.Family)


def test_adidem_register_checkers(toy: Path, load_only: Callable[..., Setup]) -> None:
    """A checker registered as an object is taken as it is and applies to the families that it names."""
    components = load_only(toy).components
    assert components.checkers_for("toy") == (components.checkers["toy"],)
    assert components.checkers_for("other") == ()


def test_adidem_register_barriers(toy: Path, load_only: Callable[..., Setup]) -> None:
    """A barrier takes its list of words from the registry."""
    barriers = load_only(toy, registry="barriers: {mumble: {words: [hm, er]}}").components.barriers
    assert barriers["mumble"].words == ("hm", "er")  # type: ignore[attr-defined]


def test_adidem_register_judges(toy: Path, load_only: Callable[..., Setup]) -> None:
    """A judge is found with its dimensions."""
    (dimension,) = load_only(toy).components.judges["nod"].dimensions
    assert (dimension.name, dimension.low, dimension.high) == ("nods", 0, 10)


def test_adidem_register_trainers(toy: Path, load_only: Callable[..., Setup]) -> None:
    """A trainer takes a number in range from the registry; a whole one will do."""
    trainers = load_only(toy, registry="trainers: {flat: {within: 1}}").components.trainers
    assert trainers["flat"].within == 1.0  # type: ignore[attr-defined]


def test_there_is_a_hook_and_a_typed_wrapper_for_every_kind() -> None:
    """The kinds, the specifications and the manager's methods are in step."""
    assert list(HOOKS) == [kind.hook for kind in KINDS]
    for hook in HOOKS:
        wrapper = inspect.signature(getattr(Manager, hook.removeprefix("adidem_")))
        wanted = inspect.signature(HOOKS[hook]).parameters["register"].annotation
        assert wrapper.parameters["register"].annotation == wanted


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_docstring_and_a_test_named_after_it(hook: str) -> None:
    """Nobody adds a hook without saying and testing what it does."""
    assert len(inspect.getdoc(HOOKS[hook]) or "") > 60
    assert f"test_{hook}" in globals()


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_exact_signature(hook: str) -> None:
    """docs/hooks.md has a section a hook, with the signature as it stands in the code."""
    said = str(inspect.signature(HOOKS[hook])).replace("'", "")
    section = re.search(rf"^### {hook}\n\n```python\n(.+)\n```\n\n\w", DOCS, re.MULTILINE)
    assert section is not None
    assert section[1] == f"def {hook}{said}"


def test_the_documented_hooks_are_those_there_are() -> None:
    """A hook that is gone leaves the documents too."""
    assert re.findall(r"^### (\w+)", DOCS, re.MULTILINE) == list(HOOKS)


def test_the_example_in_the_documents_works(write: Callable[[str, str], Path], load_only: Callable[..., Setup]) -> None:
    """The plugin that docs/hooks.md shows is loaded with the options that it shows."""
    code = re.search(r"```python\n(.*?)```", DOCS, re.DOTALL)
    options = re.search(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    assert code is not None
    assert options is not None
    setup = load_only(write("my_trainer.py", code[1]), registry=options[1], strict=True)
    assert setup.components.trainers["terminal"].scale == 2.0  # type: ignore[attr-defined]


def test_the_public_names_are_found_where_they_are_promised() -> None:
    """`adidem` exports the marker and the contracts, and refuses other names."""
    assert adidem.hookimpl is hookspecs.hookimpl
    assert {kind.contract for kind in KINDS} <= {getattr(adidem, name) for name in adidem.__all__}
    assert set(adidem.__all__) <= set(dir(adidem))
    with pytest.raises(AttributeError, match="no_such"):
        _ = adidem.no_such


def test_the_packaged_registry_loads_every_builtin_strictly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What ships is whole: no built-in is left out and every suite has all it needs."""
    monkeypatch.chdir(tmp_path)
    setup = load(strict=True)
    for section in ("families", "checkers", "barriers", "judges", "trainers"):
        assert set(setup.registry.entries(section)) <= set(setup.components.of(section))
    for name in setup.registry.suites:
        assert setup.suite(name).families
