"""Plugin code contained where nothing can go on without its answer: its fault is one line that names the plugin."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from adidem.core.errors import AdidemError, ConfigError
from adidem.core.sources import cause

T = TypeVar("T")
_CORE = str(Path(__file__).resolve().parent)


def contained(what: str, call: Callable[[], T]) -> T:
    """The result of plugin code. `what` says whose it is (`called`).

    Raises:
        ConfigError: it raised, or asked to exit; `what`, the error's type, its text and the line it came from are
            named. An interrupt and cancellation pass through.
    """
    try:
        return call()
    except ConfigError:
        raise
    except AdidemError as error:
        raise ConfigError(f"{what}: {error}") from error
    except (Exception, SystemExit) as error:
        raise ConfigError(f"{what}: {cause(error)} ({_place(error)})") from error


def called(kind: str, thing: Any) -> str:
    """A component by kind, name and the file of its class: `family 'x' (/some/file.py)`."""
    import sys

    module = sys.modules.get(type(thing).__module__)
    file = getattr(module, "__file__", None)
    return f"{kind} {getattr(thing, 'name', '?')!r}" + (f" ({file})" if file else "")


def text_of(what: str, said: Any) -> str:
    """What a plugin said, where it is text.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(said, str):
        raise TypeError(f"{what} gave {type(said).__name__}, not text")
    return said


def told(family: Any, condition: Any, public: Any) -> str:
    """A condition as its owner would say it: the card's own text, or what the family makes of it.

    Raises:
        TypeError: the family gave no text.
    """
    return condition.text or text_of(f"family {family.name!r}: tell", family.tell(condition, public))


def said(family: Any, terms: Any, public: Any) -> str:
    """A plan (or a deferral) as the family says it.

    Raises:
        TypeError: the family gave no text.
    """
    return text_of(f"family {family.name!r}: say", family.say(terms, public))


def _place(error: BaseException) -> str:
    """The last line outside the core that was running, or the last one at all."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [f for f in frames if not str(Path(f.filename).resolve()).startswith(_CORE)]
    ours = [f for f in outside if "site-packages" not in f.filename and "/lib/python" not in f.filename]
    frame = (ours or outside or frames)[-1]
    return f"{frame.filename}:{frame.lineno}"
