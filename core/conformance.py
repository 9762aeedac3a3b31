"""Checks a component against its contract: members, their types, and signatures that the callers can call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

import attrs

from adidem.core import domain
from adidem.core.kinds import KINDS, Kind
from adidem.core.registry.config import NAME

NO_TEXT = ("true", "false", "null")
"""What YAML reads as no text."""

RESERVED = {kind.name: NO_TEXT for kind in KINDS} | {"barrier": ("none", *NO_TEXT)}
"""Names that fit the pattern of names and cannot be had, by kind."""


class IllFormed(Exception):
    """A component does not fulfil its contract; the text says which member and how."""


def name_of(kind: Kind, thing: Any) -> str:
    """The name of a component class or object. Raises IllFormed where it has none or none that will do."""
    name = getattr(thing, "name", None)
    if isinstance(thing, type) and not isinstance(name, str) and attrs.has(thing):
        name = next((a.default for a in attrs.fields(thing) if a.name == "name"), None)
    if not isinstance(name, str):
        raise IllFormed(f"{_called(thing)} has no `name` that is text" + ("" if name is None else f": {name!r}"[:80]))
    if not re.fullmatch(NAME, name) or name in RESERVED[kind.name]:
        raise IllFormed(f"{_called(thing)} may not be named {name!r}: small letters, digits and _, no reserved word")
    return name


def check_class(kind: Kind, cls: type) -> None:
    """Raises IllFormed where a class lacks a method of its contract or has one that cannot be called as it says."""
    for name, method in _methods(kind):
        if not any(name in vars(base) for base in cls.__mro__) and name not in _annotated(cls):
            raise IllFormed(f"{cls.__name__} lacks the method `{name}`")
        _check_method(cls.__name__, name, method, inspect.getattr_static(cls, name, None), bound=False)


def check_instance(kind: Kind, thing: Any) -> None:
    """Raises IllFormed where a finished component lacks a member or has one of a wrong type."""
    for name in _data(kind):
        if not hasattr(thing, name):
            raise IllFormed(f"{_called(thing)} lacks the member `{name}`")
    for name, method in _methods(kind):
        if not callable(getattr(thing, name, None)):
            raise IllFormed(f"{_called(thing)} lacks the method `{name}`")
        _check_method(_called(thing), name, method, getattr(thing, name), bound=True)
    problem = _MORE[kind.name](thing) if kind.name in _MORE else None
    if problem:
        raise IllFormed(f"{_called(thing)}: {problem}")


def _called(thing: Any) -> str:
    return thing.__name__ if isinstance(thing, type) else type(thing).__name__


def _methods(kind: Kind) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, member in vars(kind.contract).items():
        if not name.startswith("_") and inspect.isfunction(member):
            yield name, member


def _data(kind: Kind) -> list[str]:
    return [name for name, member in vars(kind.contract).items() if isinstance(member, property)]


def _annotated(cls: type) -> set[str]:
    return {name for base in cls.__mro__ for name in inspect.get_annotations(base)}


def _check_method(owner: str, name: str, contract: Callable[..., Any], found: Any, *, bound: bool) -> None:
    if isinstance(found, staticmethod):
        found, bound = found.__func__, True
    elif isinstance(found, classmethod):
        found = found.__func__
    if not callable(found):
        return  # set by the instance; checked there
    wanted = _parameters(contract)
    try:
        signature = inspect.signature(found)
    except (ValueError, TypeError):
        return  # some C functions show no signature
    try:
        signature.bind(*wanted[1 if bound else 0 :])
    except TypeError as error:
        asked = ", ".join(wanted[1:])
        raise IllFormed(f"{owner}.{name}{signature} cannot be called as {name}({asked}): {error}") from error
    if inspect.iscoroutinefunction(contract) and not inspect.iscoroutinefunction(inspect.unwrap(found)):
        raise IllFormed(f"{owner}.{name} must be `async def`")


@cache
def _parameters(contract: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(contract).parameters)


def _family(thing: Any) -> str | None:
    if thing.terms is not None and not (isinstance(thing.terms, type) and attrs.has(thing.terms)):
        return f"`terms` must be an attrs class, or None for a family without records, not {thing.terms!r}"
    if thing.defer_terms is not None and not (isinstance(thing.defer_terms, type) and attrs.has(thing.defer_terms)):
        return f"`defer_terms` must be an attrs class or None, not {thing.defer_terms!r}"
    return None


def _checker(thing: Any) -> str | None:
    families = thing.families
    if families is None:
        return None
    if isinstance(families, str) or not isinstance(families, Collection):
        return f"`families` must be a collection of names or None, not {families!r}"
    wrong = [name for name in families if not isinstance(name, str)]
    return f"`families` holds {wrong[0]!r}, which is no name" if wrong else None


def _judge(thing: Any) -> str | None:
    if isinstance(thing.dimensions, str | Mapping) or not isinstance(thing.dimensions, Collection):
        return f"`dimensions` must be a sequence of Dimension, not {thing.dimensions!r}"
    seen: set[str] = set()
    for dimension in thing.dimensions:
        if not isinstance(dimension, domain.Dimension):
            return f"`dimensions` holds {dimension!r}, which is no Dimension"
        if not dimension.low < dimension.high:
            return f"dimension {dimension.name!r} has an empty range {dimension.low} to {dimension.high}"
        if dimension.name in seen:
            return f"dimension {dimension.name!r} is there twice"
        seen.add(dimension.name)
    return None if seen else "`dimensions` is empty"


def _trainer(thing: Any) -> str | None:
    if not isinstance(thing.objective, domain.Objective):
        return f"`objective` must be an Objective, not {thing.objective!r}"
    if isinstance(thing.sampling, domain.Sampling):
        return None
    return f"`sampling` must be a Sampling, not {thing.sampling!r}"


_MORE: Mapping[str, Callable[[Any], str | None]] = {
    "family": _family,
    "checker": _checker,
    "judge": _judge,
    "trainer": _trainer,
}
