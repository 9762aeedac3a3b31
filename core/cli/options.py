"""The options that every verb with plugins shares, and the loading that they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from adidem.core.setup import Setup

RegistryFile = Annotated[
    Path | None,
    typer.Option("--registry", metavar="FILE", help="Laid over the packaged registry. [default: ./registry.yaml]"),
]
PluginFiles = Annotated[
    list[Path] | None, typer.Option("--plugin", metavar="FILE", help="A Python file of plugins; may be repeated.")
]
StrictPlugins = Annotated[bool, typer.Option("--strict-plugins", help="A broken plugin is an error.")]
Sets = Annotated[
    list[str] | None, typer.Option("--set", metavar="A.B=V", help="A setting laid over the registry; may be repeated.")
]


def load_setup(
    registry: Path | None, plugins: list[Path] | None, sets: list[str] | None, strict: bool, *, warn: bool = True
) -> Setup:
    """Loads the registry and every plugin as the shared options say; what was left out is warned of on stderr."""
    from adidem.core.setup import load

    setup = load(registry, plugins or (), sets or (), strict=strict)
    if warn:
        for problem in setup.problems:
            typer.echo(f"adidem: warning: {problem}", err=True)
    return setup
