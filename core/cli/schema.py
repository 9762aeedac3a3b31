"""`adidem schema`: the JSON Schema of registry.yaml, with the options of every component that loaded; or of recipes."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets, StrictPlugins, load_setup
from adidem.core.components import Components
from adidem.core.kinds import KINDS
from adidem.core.registry.json_schema import registry_schema

app = typer.Typer(rich_markup_mode=None)


Recipe = Annotated[bool, typer.Option("--recipe", help="That of training recipes, with every trainer's options.")]


@app.command()
def schema(
    recipe: Recipe = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    sets: Sets = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Print the JSON Schema of registry.yaml (or of recipes), for editors: `# yaml-language-server: $schema=FILE`."""
    setup = load_setup(registry, plugin, sets, strict_plugins)
    found = schema_of(setup.components)
    if recipe:
        from adidem.core.training.recipe import recipe_schema

        trainers = found["properties"]["trainers"]
        found = recipe_schema()
        found["properties"]["trainers"] = trainers
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))


def schema_of(components: Components) -> dict[str, Any]:
    """The schema of a registry that may name these components, on or off. One that the registry names and no plugin
    registers takes any entry: nothing is known of its options."""
    sections: dict[str, dict[str, type | None]] = {kind.section: {} for kind in KINDS}
    for item in components.registered:
        sections[item.kind.section][item.name] = item.thing if isinstance(item.thing, type) else None
    result = registry_schema(sections)
    for section in sections:
        for name in components.registry.entries(section) if components.registry else ():
            result["properties"][section]["properties"].setdefault(name, {})
    return result
