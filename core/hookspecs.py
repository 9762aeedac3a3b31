"""The five hooks. A plugin is a module (or object) with any of these functions, marked `@adidem.hookimpl`.

Each hook hands the plugin a `register` callback; a plugin may call it any number of times and returns nothing, so
several plugins may register under one hook. What is registered is a component class (its attrs init fields become its
options in registry.yaml) or a finished object. A clashing or ill-formed component is left out with its plugin named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import pluggy

from adidem.core.contracts import Barrier, Checker, Family, Judge, Trainer

PROJECT = "adidem"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

C = TypeVar("C")
Register: TypeAlias = Callable[[type[C] | C], None]


@hookspec
def adidem_register_families(register: Register[Family]) -> None:
    """Register coordination families: kinds of problem with scenarios in two worlds, a plan space, and a way of
    saying and hearing plans. See `adidem.core.contracts.Family`."""


@hookspec
def adidem_register_checkers(register: Register[Checker]) -> None:
    """Register rule checkers: they find violations in recorded terms, in a world. A checker may serve one family,
    several or all; it also decides, by enumeration, which outcome is right. See `adidem.core.contracts.Checker`."""


@hookspec
def adidem_register_barriers(register: Register[Barrier]) -> None:
    """Register communication barriers: patterned ways of talking put into one agent at a severity in [0, 1].
    See `adidem.core.contracts.Barrier`."""


@hookspec
def adidem_register_judges(register: Register[Judge]) -> None:
    """Register judges: they rate a finished episode on named dimensions with ranges, or say why they could not.
    See `adidem.core.contracts.Judge`."""


@hookspec
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """Register credit-assignment trainers: they turn rollouts into credit per turn.
    See `adidem.core.contracts.Trainer`."""
