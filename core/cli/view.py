"""`adidem view`: a local web page to look through runs and read conversations in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, StrictPlugins, load_setup

if TYPE_CHECKING:
    from adidem.core.rules import Rules
    from adidem.core.setup import Setup

app = typer.Typer(rich_markup_mode=None)

PORT = 8610


@app.command()
def view(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="A folder of runs, or one run.")] = Path("runs"),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = PORT,
    host: Annotated[str, typer.Option("--host", help="Where to listen; off loopback a token is needed.")] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="ADIDEM_VIEW_TOKEN", help="What a visitor brings. [default: made where needed]"),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", metavar="NAME", help="Answer to this name too; may be repeated.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser on it.")] = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Look through runs and read their conversations, both worlds side by side, in a browser.

    Nothing is changed: a small index, view.sqlite, is kept beside each run that is looked at, and may be deleted. A run
    that is still being played is shown as it grows. Ends with Ctrl-C.
    """
    from adidem.core.web.folders import Runs
    from adidem.core.web.serve import listen, missing, serve

    runs = Runs(folder)
    try:
        import starlette  # noqa: F401  said now, and not at the first page
        import uvicorn  # noqa: F401

        from adidem.core.web.app import Viewer
    except ImportError as error:
        raise missing(error) from error
    rules = _rules(load_setup(registry, plugin, None, strict_plugins))
    place = listen(host, port, token, allow_host or ())
    typer.echo(f"adidem view: {place.url}  (Ctrl-C ends it)")
    if open_browser:
        typer.launch(place.url)
    serve(Viewer(runs, rules), place)


def _rules(setup: Setup) -> dict[str, Rules]:
    """The rules of every family that is on; what is broken or off is left out, and its runs are still shown."""
    from adidem.core.rules import Rules

    found = setup.components
    return {name: Rules(family, found.checkers_for(name)) for name, family in found.families.items()}
