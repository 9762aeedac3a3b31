"""The tables of a study: figures of each configuration over its seeds, with clustered and paired intervals.

Means are over tasks and seeds; an interval draws whole scenarios (both worlds, both roles, all seeds together). A
difference is paired task by task: against the shared start, and against the first configuration.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from adidem.core.analysis.bootstrap import Estimate, clustered_mean
from adidem.core.analysis.signflip import sign_flip
from adidem.core.training.study.cell import RESULT
from adidem.core.training.study.figures import FIGURES, MAIN, Row
from adidem.core.training.study.reading import export_reading
from adidem.core.training.study.text import markdown
from adidem.core.writing import write_whole

BASE = "base"


def write_tables(out: Path, labels: Sequence[str]) -> None:
    """Write `table.json`, `table.md`, `curves.json` and the conversations to read, from the cells that are done."""
    cells = {label: _cells(out, label) for label in (BASE, *labels)}
    cells = {label: found for label, found in cells.items() if found}
    table = {label: _described(found) for label, found in cells.items()}
    compared = _compared(cells, [label for label in labels if label in cells])
    leak = next((cell["leak"] for cell in cells.get(BASE, {}).values() if cell.get("leak")), None)
    told = {"configurations": table, "differences": compared, "leak": leak}
    write_whole(out / "table.json", json.dumps(told, ensure_ascii=False, indent=1))
    curves = {label: {str(s): cell["curve"] for s, cell in found.items()} for label, found in cells.items()}
    write_whole(out / "curves.json", json.dumps(curves, ensure_ascii=False, indent=1))
    write_whole(out / "table.md", "\n".join(markdown(told, curves)) + "\n")
    export_reading(out, cells)


def _cells(out: Path, label: str) -> dict[int, Any]:
    """Results by seed."""
    found: dict[int, Any] = {}
    for folder in sorted((out / "cells").glob("*")):
        name, _, seed = folder.name.rpartition("-") if folder.name != BASE else (BASE, "", "0")
        if name == label and seed.isdigit() and (folder / RESULT).is_file():
            found[int(seed)] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    return dict(sorted(found.items()))


def _described(cells: Mapping[int, Any]) -> dict[str, Any]:
    """Figures of every kind of trial, over seeds."""
    kinds = list(next(iter(cells.values()))["trials"])
    figures = {
        kind: {
            name: _estimate([row for cell in cells.values() for row in cell["trials"][kind]], name) for name in FIGURES
        }
        for kind in kinds
    }
    by_seed = {seed: {kind: _mean(cell["trials"][kind], MAIN) for kind in kinds} for seed, cell in cells.items()}
    first = kinds[0]
    families = sorted({row["family"] for cell in cells.values() for row in cell["trials"][first]})
    rows = [row for cell in cells.values() for row in cell["trials"][first]]
    return {
        "seeds": list(cells),
        "figures": figures,
        "by_seed": by_seed,
        "spread": pstdev([found[first] for found in by_seed.values()]),
        "by_family": {name: _mean([row for row in rows if row["family"] == name], MAIN) for name in families},
        "seconds": fmean(cell["seconds_trained"] for cell in cells.values()),
        "peak_mb": max(cell["peak_mb"] for cell in cells.values()),
    }


def _estimate(rows: Sequence[Row], name: str) -> dict[str, Any]:
    values = [row["found"].get(name) for row in rows]
    found: Estimate = clustered_mean(values, [row["scenario"] for row in rows])
    return {
        "value": found.value,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "n": found.n,
        "unscored": found.unscored,
    }


def _mean(rows: Sequence[Row], name: str) -> float:
    values = [row["found"][name] for row in rows if name in row["found"]]
    return fmean(values) if values else float("nan")


def _compared(cells: Mapping[str, Mapping[int, Any]], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Paired differences in Verified Success, of each configuration and the start, and the first configuration."""
    pairs = [(BASE, label) for label in labels if BASE in cells]
    pairs += [(labels[0], label) for label in labels[1:]]
    return [found for one, two in pairs for found in _differences(cells, one, two)]


def _differences(cells: Mapping[str, Mapping[int, Any]], one: str, two: str) -> Iterable[dict[str, Any]]:
    for kind in next(iter(cells[two].values()))["trials"]:
        before, after = _by_task(cells[one], kind), _by_task(cells[two], kind)
        tasks = [task for task in after if task in before]
        apart = [after[task] - before[task] for task in tasks]
        clusters = [task.rsplit("/", 2)[0] for task in tasks]
        found = clustered_mean(apart, clusters)
        yield {
            "first": one,
            "second": two,
            "trial": kind,
            "difference": found.value,
            "ci_low": found.ci_low,
            "ci_high": found.ci_high,
            "p": sign_flip(apart, clusters).p,
            "tasks": len(tasks),
        }


def _by_task(cells: Mapping[int, Any], kind: str) -> dict[str, float]:
    """Each task's mean over seeds."""
    found: dict[str, list[float]] = {}
    for cell in cells.values():
        for row in cell["trials"].get(kind, ()):
            if MAIN in row["found"]:
                found.setdefault(row["task"], []).append(row["found"][MAIN])
    return {task: fmean(values) for task, values in found.items()}
