"""The tables of a study as Markdown: figures, families, differences, learning curves, credit, leaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from adidem.core.training.study.figures import FIGURES, HELD_OUT, MAIN, Row


def markdown(told: Mapping[str, Any], curves: Mapping[str, Any]) -> Iterable[str]:
    """The lines of `table.md`: what `table.json` and `curves.json` hold."""
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
    for kind in kinds[:1] + [kind for kind in kinds if kind == HELD_OUT]:
        yield from _figures(table, kind)
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
    yield from _curves(curves)
    yield from _credit(curves)
    if told["leak"]:
        leak = told["leak"]
        yield (
            f"Right record from the public context alone: {leak['public_alone']:.3f}; giving up always "
            f"{leak['giving_up']:.3f}, a random plan {leak['random_plan']:.3f} (n = {leak['n']})."
        )


def _figures(table: Mapping[str, Any], kind: str) -> Iterable[str]:
    yield f"All figures at {kind}."
    yield ""
    yield f"| configuration | {' | '.join(FIGURES)} |"
    yield f"|---|{'---|' * len(FIGURES)}"
    for label, row in table.items():
        yield f"| {label} | {' | '.join(_shown(row['figures'][kind][name]) for name in FIGURES)} |"
    yield ""


def _curves(curves: Mapping[str, Any]) -> Iterable[str]:
    """Verified Success of what was trained on, update by update: the mean over seeds, the least and the greatest."""
    found = {label: [_played(curve) for curve in seeds.values()] for label, seeds in curves.items()}
    longest = max((len(curve) for seeds in found.values() for curve in seeds), default=0)
    if not longest:
        return
    yield "Learning curves: Verified Success of the training conversations of each update, which were played before it;"
    yield "mean over seeds (the least seed to the greatest)."
    yield ""
    yield f"| configuration | {' | '.join(map(str, range(1, longest + 1)))} |"
    yield f"|---|{'---|' * longest}"
    for label, seeds in found.items():
        if any(seeds):
            cells = [[curve[at] for curve in seeds if at < len(curve)] for at in range(longest)]
            yield f"| {label} | {' | '.join(map(_spread, cells))} |"
    yield ""


def _played(curve: Sequence[Row]) -> list[float]:
    return [line[MAIN] for line in curve if "reward" in line and isinstance(line.get(MAIN), int | float)]


def _spread(values: Sequence[float]) -> str:
    if not values:
        return ""
    return f"{fmean(values):.2f}" + (f" ({min(values):.2f}–{max(values):.2f})" if len(values) > 1 else "")


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
    success = [value for curve in seeds.values() for value in _played(curve)]
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
