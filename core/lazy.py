"""Modules that are imported when something of them is first asked for, so that a start loads what it uses alone."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule(ModuleType):
    """Stands in for the module of that name; a type checker is shown the import itself:

    ```python
    if TYPE_CHECKING:
        from adidem.plugins.families.hearing import hours
    else:
        hours = LazyModule("adidem.plugins.families.hearing.hours")
    ```
    """

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value
