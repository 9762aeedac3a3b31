"""The parts of a report that set runs beside each other in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from os.path import commonprefix

from adidem.core.report.charts import Intervals, Mark
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.plots.style import LABEL
from adidem.core.report.section import Section, Table
from adidem.core.report.several.pairs import Comparison, Flips, Values, comparisons
from adidem.core.report.text import cell
from adidem.core.report.wording import TITLES

HEAD = (
    "second against first", "measure", "pairs", "first", "second", "difference", "95 % percentile", "95 % BCa",
    "p (sign flip)", "p (Holm)", "gained / lost", "p (McNemar)", "detectable",
)  # fmt: skip
CHANGED = ("second against first", "scenario", "gained", "lost", "of")
SAME = 4
"""As many letters that all names begin with are worth leaving out."""

MOST = 60
"""As many scenarios that changed stand in the table of a pair."""


def compared(found: Sequence[Comparison], name: str = "compare", lines: Sequence[str] = ()) -> Section:
    """One row a comparison; the chart shows the headlines' differences."""
    if not found:
        return Section(name, [*lines, "the runs share no task, condition and repeat that both scored"])
    table = Table(HEAD, [_row(comparison) for comparison in found], labels=2)
    shown: dict[str, list[Mark]] = {}
    labels = _labels(found)
    for one in found:
        if one.measure in HEADLINES:
            shown.setdefault(labels[_pair(one)], []).append(_mark(one))
    chart = Intervals(list(shown.items()), "difference in percentage points, second less first", zero=True)
    return Section(name, lines, [table], chart if shown else None)


def _mark(one: Comparison) -> Mark:
    apart = one.found.difference
    low, high = (None if end is None else 100 * end for end in (apart.ci_low, apart.ci_high))
    return Mark(TITLES[one.measure], 100 * (apart.value or 0.0), low, high)


def _labels(found: Sequence[Comparison]) -> dict[str, str]:
    """What each pair is called beside the plot: where names are long, without what all of them begin with, so that both
    can be told from the others."""
    names = {name for one in found for name in (one.first, one.second)}
    begins = commonprefix(sorted(map(cell, names)))  # noqa: RUF071  letters are meant
    begins = begins[: max(begins.rfind(letter) for letter in "-_./: ") + 1]  # and whole words of a name
    if len(begins) < SAME or all(len(_pair(one)) <= LABEL for one in found):
        return {_pair(one): _pair(one) for one in found}

    def rest(name: str) -> str:
        return "…" + cell(name)[len(begins) :]

    return {_pair(one): f"{rest(one.second)} − {rest(one.first)}" for one in found}


def _pair(one: Comparison) -> str:
    return f"{cell(one.second)} − {cell(one.first)}"


def _row(one: Comparison) -> list[str]:
    found, share = one.found, one.measure in HEADLINES
    by = 100 if share else 1
    form, unit = (".1f", " %") if share else (".2f", "")
    test, counts = found.sign_flip, found.mcnemar if share else None
    return [
        _pair(one),
        TITLES.get(one.measure, cell(one.measure)),
        str(found.difference.n),
        f"{by * found.first:{form}}{unit}",
        f"{by * found.second:{form}}{unit}",
        _signed(by * (found.difference.value or 0.0), form),
        _limits(found.difference.ci_low, found.difference.ci_high, by, form),
        _limits(found.bca_low, found.bca_high, by, form),
        probability(test.p) + ("" if test.exact else " (drawn)"),
        "" if one.holm is None else probability(one.holm),
        "" if counts is None else f"{counts.gained} / {counts.lost}",
        "" if counts is None else probability(counts.p),
        f"{by * found.detectable:{form}}" if found.detectable else "",
    ]


def probability(p: float) -> str:
    """`0.032`, and `< 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _limits(low: float | None, high: float | None, by: int, form: str) -> str:
    return "" if low is None or high is None else f"{_signed(by * low, form)} to {_signed(by * high, form)}"


def _signed(value: float, form: str) -> str:
    """With its sign, and never a negative zero."""
    rounded = float(f"{value:{form}}") + 0.0
    return f"{rounded:+{form}}"


def flipped(found: Sequence[Flips]) -> Section:
    """The scenarios that changed, pair by pair, the most changed first."""
    lines: list[str] = []
    body: list[list[str]] = []
    for one in found:
        rows = sorted(one.scenarios.items(), key=lambda item: (-item[1][0] - item[1][1], item[0]))
        gained, lost = (sum(counts[place] for counts in one.scenarios.values()) for place in (0, 1))
        pair = f"{cell(one.second)} against {cell(one.first)}"
        more = f", of which the first {MOST} are below" if len(rows) > MOST else ""
        lines.append(f"{pair}: {gained} episodes gained, {lost} lost, in {len(rows)} scenarios{more}")
        body += [[pair, cell(name), str(up), str(down), str(n)] for name, (up, down, n) in rows[:MOST]]
    table = Table(CHANGED, body, labels=2, caption="changed scenarios, and of how many episodes")
    return Section("flips", lines, [table] if body else [])


FREE = frozenset({"dialogue", "version", "concurrency", "turns"})
"""Settings that may differ between the two runs of which one has no dialogue."""


def without_dialogue(runs: Sequence[Facts], values: Sequence[Values]) -> Section | None:
    """Dialogue against none: runs that are alike but for that. None where there is no such pair."""
    found: list[Comparison] = []
    silent = [place for place, facts in enumerate(runs) if facts.config.get("dialogue") is False]
    talking = [place for place, facts in enumerate(runs) if facts.config.get("dialogue") is True]
    for one, two in product(silent, talking):
        if _rest(runs[one]) == _rest(runs[two]):
            shares = [{name: values[place][name] for name in HEADLINES} for place in (one, two)]
            found += comparisons([runs[one].name, runs[two].name], shares)
    return compared(found, "dialogue") if found else None


def _rest(facts: Facts) -> dict[str, object]:
    return {key: value for key, value in facts.config.items() if key not in FREE}
