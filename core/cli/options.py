"""The options that every verb with plugins shares, and the loading that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from adidem.core.llm import Gateway
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


SHARED: dict[str, tuple[Any, Any]] = {
    "registry": (RegistryFile, None),
    "plugin": (PluginFiles, None),
    "sets": (Sets, None),
    "strict_plugins": (StrictPlugins, False),
}
"""The parameters that a verb with plugins has, each with its option and its default."""


def with_setup(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb that takes a `Setup` first, as typer sees it: with the shared options, after its own, in place of it."""
    hints = get_type_hints(verb, localns={"Setup": object}, include_extras=True)
    own = list(signature(verb).parameters.values())[1:]
    shown = [each.replace(annotation=hints[each.name]) for each in own]
    shown += [Parameter(name, Parameter.KEYWORD_ONLY, default=at, annotation=of) for name, (of, at) in SHARED.items()]

    @wraps(verb)
    def command(**given: Any) -> None:
        registry, plugin, sets, strict = (given.pop(name) for name in SHARED)
        verb(load_setup(registry, plugin, sets, strict), **given)

    command.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in shown}
    return command


def warn_unencrypted(gateway: Gateway) -> None:
    """Say which of the endpoints that will be called can be listened to on the way."""
    for url in sorted(gateway.unencrypted):
        typer.echo(
            f"adidem: warning: {url} is plain http to another machine: prompts and keys can be read on the way; use "
            "https or a tunnel",
            err=True,
        )


def load_setup(registry: Path | None, plugins: list[Path] | None, sets: list[str] | None, strict: bool) -> Setup:
    """Loads the registry and every plugin as the shared options say; what was left out is warned of on stderr."""
    from adidem.core.setup import load

    setup = load(registry, plugins or (), sets or (), strict=strict)
    for problem in setup.problems:
        typer.echo(f"adidem: warning: {problem}", err=True)
    return setup
