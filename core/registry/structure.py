"""Turns a tree into typed values, strictly: nothing is converted silently and every mistake says where it stands."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import attrs
from attrs import Attribute

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.registry.tree import Node, mistake, plain, shown

T = TypeVar("T")

LISTS: tuple[Any, ...] = (tuple, list, set, frozenset, Sequence, Collection, Iterable)
SCALARS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "text",
    type(None): "null",
}


def structure(node: Node, kind: type[T], path: str = "") -> T:
    """The value of that type. Raises ConfigError with file, line, column, path and cause."""
    return cast("T", _value(node, kind, path))


def options_of(cls: type) -> dict[str, Attribute[Any]]:
    """The init fields of an attrs class by the name they are written with; its `name` is no option."""
    return {a.alias or a.name: a for a in attrs.fields(cls) if a.init and a.name != "name"}


def keywords(node: Node, cls: type, path: str) -> dict[str, Any]:
    """The typed init arguments of an attrs class from a mapping; validators have not run yet."""
    if not isinstance(node.value, dict):
        raise mistake(node, path, f"must be a mapping, not {shown(plain(node))}")
    fields, hints = options_of(cls), hints_of(cls)
    for name, member in node.value.items():
        if name not in fields:
            raise mistake(member, path, str(UnknownName("key", name, fields)))
    for name, attribute in fields.items():
        if attribute.default is attrs.NOTHING and name not in node.value:
            raise mistake(node, path, f"needs {name!r}")
    found = {}
    for name, member in node.value.items():
        attribute = fields[name]
        wanted = Any if attribute.converter else hints.get(attribute.name, Any)
        found[name] = _value(member, wanted, f"{path}.{name}" if path else name)
    return found


def build(node: Node, cls: type[T], path: str) -> T:
    """An instance of an attrs class from a mapping, its validators run; a refusal is laid at the field's door."""
    arguments = keywords(node, cls, path)
    try:
        return cls(**arguments)
    except (ValueError, TypeError) as error:
        blamed = blame(cls, arguments)
        place = node.members.get(blamed, node) if blamed else node
        raise mistake(place, f"{path}.{blamed}" if blamed and path else blamed or path, said(error)) from error


def blame(cls: type, arguments: Mapping[str, Any]) -> str | None:
    """The first argument that its own converter or validator refuses, or None where it is their combination."""
    fields = options_of(cls)
    for name, value in arguments.items():
        attribute = fields[name]
        try:
            convert: Any = attribute.converter
            if convert is not None:
                value = convert(value)
            if attribute.validator is not None:
                attribute.validator(_Bare(arguments), attribute, value)
        except (ValueError, TypeError):
            return name
        except AttributeError:
            continue
    return None


class _Bare:
    """Stands in for an instance that could not be made, so that each validator can be asked alone."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.__dict__.update(arguments)


def said(error: BaseException) -> str:
    """An exception's message on one line, without the attribute name that attrs puts before it."""
    text = str(error.args[0]) if error.args else type(error).__name__
    return re.sub(r"^'\w+' (?=must |should )", "", " ".join(text.split()))


@cache
def hints_of(cls: type) -> Mapping[str, Any]:
    """The types of a class's fields, its string annotations resolved; those that cannot be are left out."""
    names = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    hints: dict[str, Any] = {}
    for attribute in attrs.fields(cls):
        one = types.SimpleNamespace(__annotations__={attribute.name: attribute.type})
        with suppress(NameError, TypeError, AttributeError, SyntaxError):
            hints |= get_type_hints(one, globalns=names)
    return hints


def _value(node: Node, kind: Any, path: str) -> Any:
    kind = unwrapped(kind)
    origin = get_origin(kind) or kind
    if kind is Any or kind is object:
        return plain(node)
    if kind in SCALARS:
        return _scalar(node, kind, path)
    if origin is Literal:
        return _literal(node, get_args(kind), path)
    if origin in (Union, types.UnionType):
        return _union(node, get_args(kind), path)
    if origin in LISTS:
        return _list(node, kind, origin, path)
    if origin in (dict, Mapping):
        return _mapping(node, kind, path)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(_literal(node, tuple(member.value for member in kind), path))
    if isinstance(kind, type) and issubclass(kind, Path):
        return kind(node.place.folder / _scalar(node, str, path))
    if isinstance(kind, type) and attrs.has(kind):
        return build(node, kind, path)
    return plain(node)


def unwrapped(kind: Any) -> Any:
    """The type behind NewType, Annotated and the like."""
    while True:
        if kind is None:
            return type(None)
        if isinstance(kind, NewType):
            kind = kind.__supertype__
        elif get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif isinstance(kind, TypeVar):
            return Any
        else:
            return kind


def _scalar(node: Node, kind: Any, path: str) -> Any:
    value = node.value
    if kind is float and type(value) in (int, float) and isfinite(cast("float", value)):
        return float(cast("float", value))
    if kind is not float and type(value) is kind:
        return value
    raise mistake(node, path, f"must be {SCALARS[kind]}, not {shown(plain(node))}")


def _literal(node: Node, choices: tuple[Any, ...], path: str) -> Any:
    for choice in choices:
        if type(choice) is type(node.value) and choice == node.value:
            return choice
    unknown = UnknownName("value", str(plain(node)), map(str, choices))
    raise mistake(node, path, f"must be one of {', '.join(map(str, choices))}: {unknown}")


def _union(node: Node, kinds: tuple[Any, ...], path: str) -> Any:
    if node.value is None and type(None) in kinds:
        return None
    real = [kind for kind in kinds if kind is not type(None)]
    if len(real) == 1:
        return _value(node, real[0], path)
    exact = [kind for kind in real if kind is type(node.value)]
    for kind in (*exact, *real):
        try:
            return _value(node, kind, path)
        except ConfigError:
            continue
    wanted = " or ".join(SCALARS.get(kind, getattr(kind, "__name__", str(kind))) for kind in real)
    raise mistake(node, path, f"must be {wanted}, not {shown(plain(node))}")


def _list(node: Node, kind: Any, origin: Any, path: str) -> Any:
    if not isinstance(node.value, tuple):
        raise mistake(node, path, f"must be a list, not {shown(plain(node))}")
    of = get_args(kind) or (Any, ...)
    fixed = origin is tuple and (len(of) < 2 or of[1] is not ...)
    if fixed and len(of) != len(node.value):
        raise mistake(node, path, f"must be a list of {len(of)}, not of {len(node.value)}")
    wanted = of if fixed else [of[0]] * len(node.value)
    items = [_value(n, t, f"{path}[{i}]") for i, (n, t) in enumerate(zip(node.value, wanted, strict=True))]
    return items if origin is list else origin(items) if origin in (set, frozenset) else tuple(items)


def _mapping(node: Node, kind: Any, path: str) -> dict[str, Any]:
    if not isinstance(node.value, dict):
        raise mistake(node, path, f"must be a mapping, not {shown(plain(node))}")
    of = get_args(kind)[1] if len(get_args(kind)) == 2 else Any
    return {name: _value(member, of, f"{path}.{name}") for name, member in node.value.items()}
