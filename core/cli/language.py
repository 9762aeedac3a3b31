"""`adidem language`: how people talked in a stored run, beside every score, without playing it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

app = typer.Typer(rich_markup_mode=None)

MEANS = {"mechanism": " (scripted speakers, or no model judged; says nothing about models)"}
"""What stands behind the word that says what a run is evidence of."""


@app.command()
def language(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Everything, by turn too, as JSON.")] = False,
) -> None:
    """Measure sentiment, hedges, pronouns and questions of every speaker, and correlate them with every score."""
    from adidem.core.analysis.language import language_table
    from adidem.core.runs.store import RunStore

    with RunStore(run) as store:
        found = language_table(store)
    if as_json:
        import orjson

        typer.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return
    from adidem.core.report.screen import show

    show(_talk(found["by_barrier"]), _correlated(found["correlations"]))
    typer.echo(
        "rates are per 100 words; r and ρ over all conditions, with 95 % intervals, bootstrap clustered by scenario"
    )
    typer.echo(f"evidence: {found['evidence']}{MEANS.get(found['evidence'], '')}")


def _table(titles: list[str], rows: list[list[Any]]) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for place, title in enumerate(titles):
        table.add_column(title, justify="left" if place == 0 else "right", overflow="fold", no_wrap=place > 0)
    for row in rows:
        table.add_row(*(escape(_text(cell)) for cell in row))
    return table


def _talk(rows: list[dict[str, Any]]) -> RenderableType:
    if not rows:
        return "nobody said anything"
    titles = list(rows[0])
    return _table([title.replace("_", " ") for title in titles], [[row[t] for t in titles] for row in rows])


def _correlated(rows: list[dict[str, Any]]) -> RenderableType:
    shown = [
        [f"{r['who']} {r['feature']} ~ {r['score']}", r["n"], _interval(r, "pearson"), _interval(r, "spearman")]
        for r in rows
        if r["pearson"] is not None
    ]
    return _table(["speaker, feature ~ score", "n", "r", "ρ"], shown) if shown else "no score varies beside a feature"


def _interval(row: dict[str, Any], name: str) -> str:
    if row[name] is None:
        return ""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.2f}" + (f" [{low:.2f}, {high:.2f}]" if low is not None else "")


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
