"""The tables of a study: figures of each configuration over its seeds, with clustered and paired intervals.

Means are over tasks and seeds; an interval draws whole scenarios (both worlds, both roles, all seeds together). A
difference is paired task by task: against the shared start, and against the first configuration.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import Any

from adidem.core.analysis.bootstrap import Estimate, clustered_mean
from adidem.core.analysis.signflip import sign_flip
from adidem.core.training.study_cell import RESULT
from adidem.core.training.whole import write_whole

BASE = "base"
FIGURES = ("feasibility", "integrity", "verified_success", "conduct", "no_premature_decline", "substance", "disclosure")
MAIN = "verified_success"
READING = 50
"""Conversations of each configuration that are exported to be read blind."""

Row = Mapping[str, Any]


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
    write_whole(out / "table.md", "\n".join(_markdown(told, curves)) + "\n")
    _export_reading(out, cells)


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


# ------------------------------------------------------------------------------------------------------------ as text


def _markdown(told: Mapping[str, Any], curves: Mapping[str, Any]) -> Iterable[str]:
    table = told["configurations"]
    if not table:
        yield "No cell is done yet."
        return
    kinds = list(next(iter(table.values()))["figures"])
    yield "Verified Success by trial: mean over tasks and seeds [95 % interval, scenarios drawn whole]."
    yield f"Conversations of a figure: {_sizes(table)}."
    yield ""
    yield f"| configuration | seeds | {' | '.join(kinds)} | seed spread | curve mean | s/update | peak MB |"
    yield f"|---|---|{'---|' * len(kinds)}---|---|---|---|"
    for label, row in table.items():
        cells = " | ".join(_shown(row["figures"][kind][MAIN]) if kind in row["figures"] else "" for kind in kinds)
        curve = _curve_mean(curves[label])
        yield (
            f"| {label} | {len(row['seeds'])} | {cells} | {row['spread']:.3f} | {_number(curve[0])} | "
            f"{_number(curve[1])} | {row['peak_mb']} |"
        )
    yield ""
    yield f"All figures at {kinds[0]}."
    yield ""
    yield f"| configuration | {' | '.join(FIGURES)} |"
    yield f"|---|{'---|' * len(FIGURES)}"
    for label, row in table.items():
        yield f"| {label} | {' | '.join(_shown(row['figures'][kinds[0]][name]) for name in FIGURES)} |"
    yield ""
    yield f"Verified Success by family at {kinds[0]}."
    yield ""
    families = sorted({name for row in table.values() for name in row["by_family"]})
    yield f"| configuration | {' | '.join(families)} |"
    yield f"|---|{'---|' * len(families)}"
    for label, row in table.items():
        yield f"| {label} | {' | '.join(_number(row['by_family'].get(name)) for name in families)} |"
    yield ""
    yield "Paired differences in Verified Success, task by task over seeds; p by flipping the signs of whole scenarios."
    yield ""
    yield "| second − first | trial | difference [95 % interval] | p |"
    yield "|---|---|---|---|"
    for found in told["differences"]:
        shown = _shown({**found, "value": found["difference"]})
        yield f"| {found['second']} − {found['first']} | {found['trial']} | {shown} | {found['p']:.4f} |"
    yield ""
    yield from _credit(curves)
    if told["leak"]:
        leak = told["leak"]
        yield (
            f"Right record from the public context alone: {leak['public_alone']:.3f}; giving up always "
            f"{leak['giving_up']:.3f}, a random plan {leak['random_plan']:.3f} (n = {leak['n']})."
        )


def _credit(curves: Mapping[str, Any]) -> Iterable[str]:
    """What the trainers said of their credit, at the first update that has it and the last, over seeds: the stages of a
    cell need not say the same."""
    names = sorted(
        {
            key
            for seeds in curves.values()
            for lines in seeds.values()
            for line in lines
            for key in line
            if key.startswith("credit/")
        }
    )
    rows = []
    for label, seeds in curves.items():
        lines = [[line for line in curve if "reward" in line] for curve in seeds.values()]
        lines = [curve for curve in lines if curve]
        if lines:
            cells = [
                f"{_number(_over(lines, 0, name))} → {_number(_over(lines, -1, name))}"
                if _over(lines, 0, name) is not None
                else ""
                for name in names
            ]
            rows.append(f"| {label} | {' | '.join(cells)} |")
    if rows and names:
        yield "Diagnostics of credit, first update → last."
        yield ""
        yield f"| configuration | {' | '.join(name.removeprefix('credit/') for name in names)} |"
        yield f"|---|{'---|' * len(names)}"
        yield from rows
        yield ""


def _over(curves: Sequence[Sequence[Row]], place: int, name: str) -> float | None:
    said = [[line[name] for line in curve if isinstance(line.get(name), int | float)] for curve in curves]
    values = [found[place] for found in said if found]
    return fmean(values) if values else None


def _curve_mean(seeds: Mapping[str, Sequence[Row]]) -> tuple[float | None, float | None]:
    """Mean Verified Success and mean seconds of training updates."""
    lines = [line for curve in seeds.values() for line in curve if "reward" in line]
    success = [line[MAIN] for line in lines if isinstance(line.get(MAIN), int | float)]
    seconds = [line["seconds"] for line in lines if isinstance(line.get("seconds"), int | float)]
    return (fmean(success) if success else None, fmean(seconds) if seconds else None)


def _sizes(table: Mapping[str, Any]) -> str:
    sizes = {figures[MAIN]["n"] for row in table.values() for figures in row["figures"].values()}
    return ", ".join(str(n) for n in sorted(sizes))


def _shown(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return "unscored"
    if found["ci_low"] is None:
        return f"{found['value']:.3f}"
    return f"{found['value']:.3f} [{found['ci_low']:.3f}, {found['ci_high']:.3f}]"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


# ------------------------------------------------------------------------------------------------------ blind reading


def _export_reading(out: Path, cells: Mapping[str, Mapping[int, Any]]) -> None:
    """Conversations of each configuration under a code that does not give it away; `key.json` says which is which."""
    folder = out / "reading"
    folder.mkdir(exist_ok=True)
    key = {}
    for label, found in cells.items():
        seed = next(iter(found))
        kind = next(iter(found[seed]["trials"]))
        rows = [row for row in found[seed]["trials"][kind] if row["text"]]
        chosen = Random("reading").sample(rows, min(READING, len(rows)))
        code = sha256(f"{label}/{seed}".encode()).hexdigest()[:6]
        key[code] = {"configuration": label, "seed": seed, "trial": kind}
        texts = [f"## {number}\n\n" + "\n".join(row["text"]) for number, row in enumerate(chosen, 1)]
        write_whole(folder / f"{code}.md", f"# {code}\n\n" + "\n\n".join(texts) + "\n")
    write_whole(folder / "key.json", json.dumps(key, indent=1))
