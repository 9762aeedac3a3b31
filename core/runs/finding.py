"""Finds the runs below a folder, and says of a path that is no run what it is instead and what to give."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from adidem.core.runs.store_schema import FILE

DEEPEST = 5
"""How far below a folder a run is looked for."""

PASSED_OVER = frozenset({"annotations", "checkpoints", "node_modules", "__pycache__"})

TRAINED, STUDY, POLICY = ("recipe.json", "metrics.jsonl"), "study.json", "adidem.json"
"""Files by which the folder of a training run, of a study and of a policy is known."""

NEAR, MOST, SHOWN = 2, 500, 3
"""To say what lies in a folder it is looked through so deep, for so many runs, and so many are named."""


def runs_below(folder: Path, depth: int = DEEPEST) -> Iterator[Path]:
    """Folders with a store."""
    return filter(is_run, folders_below(folder, depth))


def trained_below(folder: Path, depth: int = DEEPEST) -> Iterator[Path]:
    """Folders with a training run and no store."""
    return filter(is_trained, folders_below(folder, depth))


def folders_below(folder: Path, depth: int = DEEPEST) -> Iterator[Path]:
    """Folders in which runs are looked for; links are not followed, so that nothing is found twice and nothing
    outside."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in PASSED_OVER or not entry.is_dir(follow_symlinks=False):
            continue
        path = Path(entry.path)
        yield path
        if depth > 1:
            yield from folders_below(path, depth - 1)


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run that was played."""
    return (folder / FILE).is_file()


def is_trained(folder: Path) -> bool:
    """Whether a folder holds a training run, and no run that was played."""
    return not is_run(folder) and any((folder / name).is_file() for name in TRAINED)


def of_training(folder: Path) -> bool:
    """Whether a folder holds a training run, or a study of several, and no run that was played."""
    return is_trained(folder) or ((folder / STUDY).is_file() and not is_run(folder))


def no_run(path: Path) -> str:
    """Why a path is no run, in one sentence that names what to give in its place."""
    if not path.is_dir():
        return _no_folder(path)
    if is_trained(path):
        return (
            f"{path} holds a training run and no episodes: adidem report {path} shows its curves, and "
            f"--agent hf:{path / 'policy'} plays what was trained"
        )
    if of_training(path):
        return (
            f"{path} holds a study and is no run: its table is {path / 'table.md'}, and its training runs lie in cells"
        )
    if (path / POLICY).is_file():
        return f"{path} holds a policy and is no run: --agent hf:{path} plays it"
    runs = _newest(path)
    if len(runs) == 1:
        return f"{path} is not a run, but holds one: give {runs[0]}"
    if runs:
        return (
            f"{path} is not a run, but holds {len(runs)}{' or more' if len(runs) == MOST else ''}: give one, such as "
            f"{_few(runs)} (the newest first); adidem report RUN RUN compares several, adidem view {path} shows all"
        )
    return f"{path} is not a run: it has no {FILE}, and no run lies in it"


def _no_folder(path: Path) -> str:
    if path.exists():
        inside = f", of the run {path.parent}: give that" if is_run(path.parent) else ": give the folder of a run"
        return f"{path} is not a run but a file{inside}"
    runs = _newest(path.parent) if path.parent.is_dir() else []
    near = _near(path, runs) or _near(path, _newest(Path("runs")))
    if near:
        return f"{path} is not a run: there is no such folder; did you mean {' or '.join(map(str, near))}?"
    there = f"; in {path.parent} lies {_few(runs)}" if runs else ""
    return f"{path} is not a run: there is no such folder{there} (adidem run keeps runs in runs/)"


def _newest(folder: Path) -> list[Path]:
    """The runs in a folder, those first that were written last."""
    return sorted(islice(runs_below(folder, NEAR), MOST), key=lambda run: (-_written(run), run))


def _written(run: Path) -> float:
    try:
        return max(each.stat().st_mtime for each in run.glob(f"{FILE}*"))
    except (OSError, ValueError):
        return 0.0


def _near(path: Path, runs: Sequence[Path]) -> list[Path]:
    """Those whose name is nearly this one, or begins with it."""
    names = {run.name.casefold(): run for run in reversed(runs)}
    name = path.name.casefold()
    found = get_close_matches(name, names, n=SHOWN, cutoff=0.6)
    found += [each for each in names if name and each.startswith(name) and each not in found]
    return [names[each] for each in found[:SHOWN]]


def _few(runs: Sequence[Path]) -> str:
    more = f" and {len(runs) - SHOWN} more" if len(runs) > SHOWN else ""
    return ", ".join(map(str, runs[:SHOWN])) + more
