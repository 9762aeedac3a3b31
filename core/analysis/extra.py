"""Libraries of the extra `analysis`, imported when a figure needs one."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from adidem.core.errors import ConfigError, to_install


def must_be_here(name: str) -> None:
    """See that a library can be imported, without importing it. Raises ConfigError as `library` does."""
    if find_spec(name) is None:
        raise ConfigError(f"this needs {name}: {to_install('analysis')}")


def library(name: str) -> Any:
    """The module of that name. Raises ConfigError, with what to install, where it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the library is there and broken: its own message says more
        raise ConfigError(f"this needs {package}: {to_install('analysis')}") from error
