"""The law that another process generates the same scenarios: sets of texts have another order in each.

Run as a module it is that other process: it prints the fingerprint of a family's scenarios.
"""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs

from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.subject import SEED, SPLITS, Subject
from adidem.core.scenarios import dump_bank
from adidem.core.sources import Fault, contained, import_file

HASH_SEEDS = ("1", "2")
"""Python's seeds for the order of sets, one a process."""

SECONDS = 60.0
"""A process that takes longer tells nothing."""


def scenarios_repeat_elsewhere(subject: Subject) -> Broken | None:
    """Processes that differ in the order of their sets generate the same scenarios."""
    family = subject.thing
    made = contained(type(family))
    if isinstance(made, Fault) or (attrs.has(type(family)) and made != family):
        raise Idle("it has options that another process would have to be told")
    module = sys.modules[type(family).__module__]
    file = getattr(module, "__file__", None) or ""
    where = file if module.__name__.startswith("adidem_plugin_") else module.__name__
    found = [_printed(where, type(family).__qualname__, seed) for seed in HASH_SEEDS]
    if None in found:
        raise Idle("another process cannot import it")
    if found[0] == found[1]:
        return None
    return Broken(f'scenarios(split, {SEED}, 4) gives other scenarios in another process (PYTHONHASHSEED "1" and "2")')


def fingerprint(family: Any) -> str:
    """A digest of a few scenarios of each split; a split that cannot be generated counts as none."""
    parts: list[bytes] = []
    for split in SPLITS:
        made = contained(lambda split=split: dump_bank(family.scenarios(split, SEED, 4)))  # type: ignore[misc]
        parts.append(b"" if isinstance(made, Fault) else made)
    return sha256(b"\n".join(parts)).hexdigest()


def _printed(where: str, cls: str, hash_seed: str) -> str | None:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "adidem.core.kit.family.elsewhere", where, cls]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else None


def main(where: str, cls: str) -> None:
    """Print the fingerprint of the family of that class in that file or module."""
    module = import_file(Path(where)) if where.endswith(".py") else import_module(where)
    found: Any = module
    for name in cls.split("."):
        found = getattr(found, name)
    sys.stdout.write(fingerprint(found()))


if __name__ == "__main__":
    main(*sys.argv[1:])
