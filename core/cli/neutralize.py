"""`adidem neutralize`: scenarios without their goals, by rules or by a model, and what of either goal is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets, StrictPlugins, load_setup, warn_unencrypted
from adidem.core.errors import ConfigError

if TYPE_CHECKING:
    from adidem.core.neutral import Leaks, Matter
    from adidem.core.setup import Setup

app = typer.Typer(rich_markup_mode=None)

Data = Annotated[Path | None, typer.Option("--data", metavar="PATH", help="Episodes. [default: the ten that ship]")]
Model = Annotated[
    str | None, typer.Option("--model", metavar="SPEC", help="Ask it, once for each text. [default: by rules]")
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the episodes, made neutral, here.")]
FamilyName = Annotated[str, typer.Option("--family", metavar="NAME", help="Whose episodes they are.")]


@app.command()
def neutralize(
    data: Data = None,
    model: Model = None,
    out: Out = None,
    family: FamilyName = "sotopia",
    as_json: Annotated[bool, typer.Option("--json", help="The report as a JSON list.")] = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    sets: Sets = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Make scenarios neutral and report the words, amounts and roles of either goal that survive, and the public facts
    that stay. With --out the episodes are written with the neutral text as `scenario` and the old one as
    `scenario_detailed`."""
    from adidem.core.neutral import leaks
    from adidem.core.writing import must_be_new

    setup = load_setup(registry, plugin, sets, strict_plugins)
    component = setup.components.get("family", family)
    if not hasattr(component, "matter"):
        raise ConfigError(f"family {family!r} has no scenarios to be made neutral")
    if data is not None and not data.exists():
        raise ConfigError(f"--data {data} is not there")
    if out is not None:
        must_be_new(out, parents=False)
    scenarios = list(component.read(data)) if data is not None else list(component.scenarios("test", 0, None))
    matters = [component.matter(scenario) for scenario in scenarios]
    texts = _texts(setup, model, matters)
    found = [leaks(text, matter.goals) for text, matter in zip(texts, matters, strict=True)]
    rows = [
        {"scenario": s.id, "name": s.setting, "before": m.text, "neutral": text, **report.to_json()}
        for s, m, text, report in zip(scenarios, matters, texts, found, strict=True)
    ]
    if out is not None:
        _write(out, [component.write_episode(s) for s in scenarios], texts)
    if as_json:
        import json

        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        _print(rows, found)


def _texts(setup: Setup, model: str | None, matters: Sequence[Matter]) -> list[str]:
    """The neutral texts. Raises ConfigError where the model gave none."""
    if model is None:
        from adidem.core.neutral import by_rules

        return [by_rules(matter).text for matter in matters]
    import asyncio

    return asyncio.run(_asked(setup, model, matters))


async def _asked(setup: Setup, spec: str, matters: Sequence[Matter]) -> list[str]:
    from attrs import evolve

    from adidem.core.contracts import Answer
    from adidem.core.errors import ModelFailure
    from adidem.core.neutral.model import TOKENS, by_model
    from adidem.core.runs.agents import AgentSource, merged

    sources = AgentSource(setup)
    named = setup.registry.agents.get(spec)
    model = spec if named is None else named.spec
    settings = evolve(merged(setup.registry.models.get(model), named, setup.overrides.judge), temperature=0.0)
    sources.gateway.check(model, settings)
    warn_unencrypted(sources.gateway)

    async def ask(messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None) -> Answer:
        limit = settings.max_tokens or TOKENS
        return await sources.gateway.ask(model, messages, settings=settings, schema=schema, max_tokens=limit)

    try:
        return [await by_model(ask, spec, matter) for matter in matters]
    except ModelFailure as failure:
        raise ConfigError(f"{spec} made no neutral text: {failure}") from failure
    finally:
        await sources.close()


def _write(out: Path, episodes: Iterable[dict[str, Any]], texts: Iterable[str]) -> None:
    import orjson

    from adidem.core.writing import write_whole

    lines = []
    for episode, text in zip(episodes, texts, strict=True):
        detailed = episode.get("scenario_detailed", episode["scenario"])
        lines.append(orjson.dumps({**episode, "scenario": text, "scenario_detailed": detailed}))
    try:
        write_whole(out, b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise ConfigError(f"{out}: cannot write: {error.strerror}") from error


def _print(rows: Sequence[dict[str, Any]], found: Sequence[Leaks]) -> None:
    for row, report in zip(rows, found, strict=True):
        typer.echo(f"{row['scenario']} {row['name']}: {row['neutral']}")
        for who, place in (("first", 0), ("second", 1)):
            for kind in ("amounts", "verbs", "roles", "words"):
                survived = getattr(report, kind)[place]
                if survived:
                    typer.echo(f"  {kind} of the {who} goal: {', '.join(survived)}")
        if report.facts:
            typer.echo(f"  public facts that stay: {', '.join(report.facts)}")
    clean = sum(report.clean for report in found)
    typer.echo(f"{clean} of {len(found)} without an amount, a verb or a role of either goal")
