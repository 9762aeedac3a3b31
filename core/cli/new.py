"""`adidem new`: writes a plugin to start from."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from adidem.core.kinds import KINDS

app = typer.Typer(rich_markup_mode=None)


@app.command()
def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=", ".join(kind.name for kind in KINDS) + ".")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and _.")],
    package: Annotated[bool, typer.Option("--package", help="A package that installs, with its own tests.")] = False,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write it.")] = Path(),
) -> None:
    """Write a component that keeps every law as it is, with comments that lead to the first edit."""
    from adidem.core.kit.scaffold import scaffold
    from adidem.core.writing import must_be_writable

    must_be_writable(out, folder=True)
    first, *rest = scaffold(kind, name, out, package=package)
    typer.echo(f"edit    {first}")
    for path in rest:
        typer.echo(f"        {path}")
    if package:
        typer.echo(f"install pip install -e {quote(f'{rest[-1].parent}[test]')}")
        typer.echo(f"check   adidem check-plugin adidem_{name}")
    else:
        said = quote(str(first))
        typer.echo(f"check   adidem check-plugin {said}")
        typer.echo(f"load    plugins: {_listed(str(first))} in registry.yaml, or --plugin {said}")


def _listed(path: str) -> str:
    """A list of one path, as YAML reads it in one line."""
    import yaml

    return yaml.safe_dump([path], default_flow_style=True, allow_unicode=True, width=sys.maxsize).strip()
