"""Agreement as tables on the terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from adidem.core.analysis.agreement import Agreement, Confusion, Identification, Rater
from adidem.core.analysis.coefficients import Figure
from adidem.core.report.markdown import markdown_row, markdown_text

if TYPE_CHECKING:
    from rich.console import RenderableType

TITLES = {
    "agreement": "raw agreement",
    "cohen_kappa": "Cohen's κ",
    "fleiss_kappa": "Fleiss' κ",
    "alpha_nominal": "α (nominal)",
    "alpha_interval": "α (interval)",
    "pearson": "Pearson's r",
    "icc_2_1": "ICC(2,1)",
    "icc_2_k": "ICC(2,k)",
}
HEAD = ("raters", "figure", "value", "95 % interval", "n")
NOTES = (
    "intervals: of agreement and κ a bootstrap that draws whole scenarios; of r and ICC by formula, as if items were "
    "independent, and so too narrow where a scenario has several items",
)


@frozen(unsafe_hash=False)
class Compared:
    """All that `adidem agree` found: the raters in their order, the agreement of each dimension, how well each rater
    named the barrier, ratings that were no score, and remarks on the sources."""

    raters: Sequence[str]
    dimensions: Mapping[str, Agreement]
    identification: Mapping[str, Identification]
    unscored: Mapping[str, Mapping[str, int]]
    notes: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; an undefined figure is null with its reason."""
        return asdict(self)


@frozen(unsafe_hash=False)
class Section:
    """One heading, the lines under it, and one table."""

    title: str
    lines: Sequence[str]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def sections(compared: Compared) -> Iterator[Section]:
    """The report in parts: what the letters stand for, then each dimension, then the barriers."""
    letters = dict(zip(compared.raters, letters_for(len(compared.raters)), strict=True))
    counts = [[letter, name, _unscored(compared.unscored.get(name, {}))] for name, letter in letters.items()]
    yield Section("raters", (), ("", "rater", "unscored"), counts)
    for name, found in compared.dimensions.items():
        used = [f"{letters[rater]}: {_rater(facts)}" for rater, facts in found.raters.items()]
        yield Section(name, [*used, f"rated by all: {found.n}"], HEAD, list(_figures(found, letters)))
    for name, known in compared.identification.items():
        yield _identified(letters[name], known)


def letters_for(count: int) -> list[str]:
    """A, B, …, Z, AA, AB, …"""
    alphabet = ascii_uppercase
    return [alphabet[n] if n < 26 else alphabet[n // 26 - 1] + alphabet[n % 26] for n in range(count)]


def _unscored(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def _rater(facts: Rater) -> str:
    """`n 40, no 10 %, yes 90 %, mean 0.90`."""
    parts = [f"n {facts.n}"]
    if facts.prevalence is not None:
        parts += [f"{category} {100 * share:.0f} %" for category, share in facts.prevalence.items()]
    if facts.mean is not None:
        parts.append(f"mean {facts.mean:.2f}")
    return ", ".join(parts)


def _figures(found: Agreement, letters: Mapping[str, str]) -> Iterator[list[str]]:
    for pair in found.pairs:
        yield from _rows(f"{letters[pair.first]}–{letters[pair.second]}", pair.figures)
    told = {} if len(found.raters) > 2 else found.pairs[0].figures
    yield from _rows("all", {name: figure for name, figure in found.overall.items() if name not in told})


def _rows(who: str, figures: Mapping[str, Figure]) -> Iterator[list[str]]:
    for name, figure in figures.items():
        yield [who, TITLES[name], *_cells(figure)]


def _cells(figure: Figure) -> list[str]:
    if figure.value is None:
        return ["–", figure.undefined or "", str(figure.n)]
    interval = "" if figure.ci_low is None else f"[{figure.ci_low:.2f}, {figure.ci_high:.2f}]"
    return [f"{round(figure.value, 3) + 0.0:.3f}", interval, str(figure.n)]


def _identified(letter: str, known: Identification) -> Section:
    value, interval, n = _cells(known.accuracy)
    lines = [f"right: {value} {interval} of {n}"]
    if known.left_out:
        lines.append(f"left out, since several barriers were at work at once: {known.left_out}")
    return Section(f"barriers as {letter} named them", lines, *_table(known.confusion))


def _table(confusion: Confusion) -> tuple[list[str], list[list[str]]]:
    head = ["at work \\ answered", *confusion.labels]
    counted = zip(confusion.labels, confusion.table, strict=True)
    return head, [[label, *map(str, row)] for label, row in counted if any(row)]


def as_table(compared: Compared) -> Iterator[RenderableType]:
    """The report for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    for section in sections(compared):
        yield Text(section.title, style="bold")
        yield from (escape(line) for line in section.lines)
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for place, column in enumerate(section.head):
            counts = section.head is not HEAD and len(section.head) > 3 and place > 0
            figure = column in ("value", "n") or counts
            least = len("[-0.00, -0.00]") if column == HEAD[3] else None
            table.add_column(escape(column), overflow="fold", no_wrap=figure, min_width=least)
        for row in section.rows:
            table.add_row(*map(escape, row))
        yield table
    yield from (escape(note) for note in _notes(compared))


def as_markdown(compared: Compared) -> str:
    """The report in Markdown."""
    parts = []
    for section in sections(compared):
        lines = [f"### {markdown_text(section.title)}", "", *(f"- {markdown_text(line)}" for line in section.lines), ""]
        table = [section.head, ["---"] * len(section.head), *section.rows]
        parts.append("\n".join([*lines, *(markdown_row(row) for row in table)]))
    return "\n\n".join([*parts, *_notes(compared)]) + "\n"


def _notes(compared: Compared) -> Iterable[str]:
    return (*compared.notes, *NOTES)
