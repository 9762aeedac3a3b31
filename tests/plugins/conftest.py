"""A toy plugin with one component of every kind, and registries that load nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adidem.core.setup import Setup, load

HEADER = """
from typing import ClassVar
from attrs import field, frozen
from attrs.validators import ge, le
import adidem
from adidem.core.domain import Dimension, Directive, Heard, Judgement, Objective, Sampling, TurnCredit
"""

FAMILY = '''
@frozen
class Terms:
    quantity: int

@frozen
class Toy:
    """A toy family."""
    name: ClassVar[str] = "toy"
    terms: ClassVar[type] = Terms
    defer_terms: ClassVar[type | None] = None
    most: int = field(default=9, validator=[ge(1), le(99)], metadata={"doc": "greatest quantity"})
    unit: str = "crates"
    def scenarios(self, split, seed, count): return ()
    def plans(self, world): return [Terms(n) for n in range(self.most)]
    def choices(self, public): return {}
    def say(self, terms, public): return str(terms.quantity)
    def tell(self, condition, public): return str(condition.value)
    def hear(self, text, public, speaker): return Heard()

@adidem.hookimpl
def adidem_register_families(register):
    register(Toy)
'''

CHECKER = """
class ToyRules:
    name = "toy"
    families = ("toy",)
    def check(self, world, terms): return ()

@adidem.hookimpl
def adidem_register_checkers(register):
    register(ToyRules())
"""

BARRIER = """
@frozen
class Mumble:
    name: ClassVar[str] = "mumble"
    words: tuple[str, ...] = ("hm",)
    def directive(self, severity): return Directive("", "", (), (), ())
    def measure(self, utterance): return {}
    def distort(self, utterance, severity, rng): return utterance

@adidem.hookimpl
def adidem_register_barriers(register):
    register(Mumble)
"""

JUDGE = """
@frozen
class Nod:
    name: ClassVar[str] = "nod"
    dimensions: ClassVar[tuple] = (Dimension("nods", 0, 10),)
    async def judge(self, case, ask): return Judgement("nod", ())

@adidem.hookimpl
def adidem_register_judges(register):
    register(Nod)
"""

TRAINER = """
@frozen
class Flat:
    name: ClassVar[str] = "flat"
    sampling: ClassVar[Sampling] = Sampling("groups")
    objective: ClassVar[Objective] = Objective()
    within: float = field(default=0.25, validator=[ge(0), le(1)])
    def credit(self, rollouts): return TurnCredit("rewards", ())

@adidem.hookimpl
def adidem_register_trainers(register):
    register(Flat)
"""

TOY = HEADER + FAMILY + CHECKER + BARRIER + JUDGE + TRAINER


@pytest.fixture
def parts() -> dict[str, str]:
    """The toy plugin's source, part by part, to be broken one at a time."""
    return {"family": FAMILY, "checker": CHECKER, "barrier": BARRIER, "judge": JUDGE, "trainer": TRAINER}


@pytest.fixture
def header() -> str:
    """The imports that every part of the toy plugin needs."""
    return HEADER


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a file of that name and text and gives its path."""

    def do(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return do


@pytest.fixture
def toy(write: Callable[[str, str], Path]) -> Path:
    """The file of the toy plugin."""
    return write("toy.py", TOY)


@pytest.fixture
def load_only(write: Callable[[str, str], Path]) -> Callable[..., Setup]:
    """Loads the given plugin files with a registry of the given text that names no built-in."""

    def do(*files: Path, registry: str = "", sets: tuple[str, ...] = (), strict: bool = False) -> Setup:
        return load(write("my.yaml", "builtins: []\n" + registry), files, sets, strict=strict)

    return do
