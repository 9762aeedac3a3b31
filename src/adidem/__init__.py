"""adidem: measure, and train, language agents that end a conversation in verified agreement.

What plugin authors need is here: `hookimpl` and the contracts. They are imported when first asked for, so that
`import adidem` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adidem.core.bridges.verifiers_env import load_environment as load_environment
    from adidem.core.contracts import Agent as Agent
    from adidem.core.contracts import Answer as Answer
    from adidem.core.contracts import Ask as Ask
    from adidem.core.contracts import Barrier as Barrier
    from adidem.core.contracts import Case as Case
    from adidem.core.contracts import Checker as Checker
    from adidem.core.contracts import Family as Family
    from adidem.core.contracts import Judge as Judge
    from adidem.core.contracts import Participant as Participant
    from adidem.core.contracts import Trainer as Trainer
    from adidem.core.hookspecs import Register as Register
    from adidem.core.hookspecs import hookimpl as hookimpl

__version__ = "0.1.0"

_HOME = {
    "Agent": "contracts",
    "Answer": "contracts",
    "Ask": "contracts",
    "Barrier": "contracts",
    "Case": "contracts",
    "Checker": "contracts",
    "Family": "contracts",
    "Judge": "contracts",
    "Participant": "contracts",
    "Trainer": "contracts",
    "Register": "hookspecs",
    "hookimpl": "hookspecs",
}

_SOUGHT = {"load_environment": "bridges.verifiers_env"}
"""What other tools look for here (verifiers); it needs the extra `bridges`, and so is none of the names for authors."""

__all__ = [  # noqa: PLE0604 (the names are those of _HOME)
    "__version__",
    *_HOME,
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name) or _SOUGHT.get(name)
    if home is None:
        raise AttributeError(f"module 'adidem' has no attribute {name!r}")
    value = getattr(import_module(f"adidem.core.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
