"""`adidem check-plugin`: tries every law on the components of a file, a module or a name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets

if TYPE_CHECKING:
    from adidem.core.kit.law import Verdict

app = typer.Typer(rich_markup_mode=None)

BROKEN = 1


@app.command()
def check_plugin(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A Python file, a module, or a component's name (or KIND:NAME).")
    ],
    kind: Annotated[str | None, typer.Option("--kind", metavar="K", help="Only components of this kind.")] = None,
    law: Annotated[
        list[str] | None, typer.Option("--law", metavar="NAME", help="Only this law; may be repeated.")
    ] = None,
    examples: Annotated[int, typer.Option("--examples", min=1, max=100_000, help="Examples each law tries.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list of verdicts.")] = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    sets: Sets = None,
) -> None:
    """Try the laws of its kind on every component of a plugin. Exits 1 where one is broken, with the smallest example
    found and what to change."""
    from adidem.core.kit.search import hypothesis

    hypothesis()
    from adidem.core.kit.check import check
    from adidem.core.kit.target import subjects

    found = subjects(
        target, kind=kind, registry=registry, plugins=_files(plugin), overrides=sets or (), examples=examples
    )
    verdicts = []
    for verdict in check(found, law or ()):
        verdicts.append(verdict)
        if not as_json:
            _show(verdict)
    broken = sum(verdict.status == "broken" for verdict in verdicts)
    if as_json:
        import json

        typer.echo(json.dumps([verdict.as_json() for verdict in verdicts], indent=2, ensure_ascii=False))
    else:
        typer.echo(_summary(verdicts, len(found), broken))
    if broken:
        raise typer.Exit(BROKEN)


def _files(plugin: list[Path] | None) -> list[Path]:
    return plugin or []


def _show(verdict: Verdict) -> None:
    from adidem.core.kit.law import told

    if verdict.status == "broken":
        typer.echo(f"\n{told(verdict)}\n")
        return
    why = f" ({verdict.why})" if verdict.why else ""
    typer.echo(f"{verdict.status:<5} {verdict.kind} {verdict.component}: {verdict.law.name}{why}")


def _summary(verdicts: list[Verdict], components: int, broken: int) -> str:
    idle = sum(verdict.status == "idle" for verdict in verdicts)
    kept = len(verdicts) - broken - idle
    told = f"{components} component{'s' if components != 1 else ''}: {_laws(kept)} kept, {broken} broken"
    return f"{told}, {idle} that {'do' if idle != 1 else 'does'} not apply" if idle else told


def _laws(count: int) -> str:
    return f"{count} law{'s' if count != 1 else ''}"
