"""`adidem run`: plays a suite and scores what was agreed."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets, StrictPlugins, load_setup, warn_unencrypted
from adidem.core.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from adidem.core.runs.estimate import Estimate, Use
    from adidem.core.runs.execute import OnEpisode, Progress
    from adidem.core.runs.executors import Executor
    from adidem.core.runs.plan import Job
    from adidem.core.runs.recipe import Recipe
    from adidem.core.runs.resume import Resumed
    from adidem.core.runs.suite import Prepared
    from adidem.core.setup import Setup

app = typer.Typer(rich_markup_mode=None)

FAILED, INTERRUPTED = 1, 130
SPLITS = ("train", "dev", "test")
GIVEN = {"family": "families", "barrier": "barriers", "tag": "tags", "judge": "judges", "no_dialogue": "dialogue"}
"""What a configuration calls an option, where it is another name."""


AgentSpec = Annotated[
    str,
    typer.Option(
        "--agent",
        metavar="SPEC",
        help="Who is tested: scripted:NAME, local:smollm2, hf:PATH, human, or a litellm model.",
    ),
]
Partner = Annotated[
    str | None, typer.Option("--partner", metavar="SPEC", help="Who it talks to, or self. [default: the suite's]")
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge", metavar="SPEC", help="A model (or scripted:judge) for the suite's model judges; may be repeated."
    ),
]
Families = Annotated[
    list[str] | None, typer.Option("--family", metavar="NAME", help="In place of the suite's; may be repeated.")
]
Barriers = Annotated[
    list[str] | None,
    typer.Option("--barrier", metavar="NAME[:SEVERITY]", help="A condition played beside none; may be repeated."),
]
BarrierOn = Annotated[str, typer.Option("--barrier-on", metavar="WHO", help="agent or partner.")]
Repair = Annotated[
    str | None,
    typer.Option("--repair", metavar="LEVEL", help="plain or aware: tell the one without the barrier how to mend it."),
]
Detect = Annotated[
    bool, typer.Option("--detect", help="Ask the one without the barrier, off the record, which one is at work.")
]
SplitName = Annotated[str | None, typer.Option("--split", metavar="NAME", help="train, dev or test.")]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="NAME", help="Only scenarios with it; may be repeated.")
]
Bank = Annotated[str | None, typer.Option("--bank", metavar="NAME|FILE", help="In place of the suite's bank.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        max=2**31 - 1,
        help="At most so many tasks: a scenario's in a row (4 in hico, 2 in casino, 1 in multiwoz), families in turn; "
        "24 reach all six of hico. Each is played under every --barrier and --repeats times.",
    ),
]
Repeats = Annotated[int | None, typer.Option("--repeats", min=1, help="Times each task is played.")]
Turns = Annotated[int | None, typer.Option("--turns", min=1, max=200, help="Most turns of both.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0)]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, max=4096, help="Calls at once to one endpoint, at most.")
]
NoDialogue = Annotated[bool, typer.Option("--no-dialogue", help="Records from the cards alone.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The run's folder. [default: runs/…]")]
Resume = Annotated[bool, typer.Option("--resume", help="Play what the run in --out still owes.")]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Play the failed episodes of the run in --out again, and no others.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be used; play and write nothing.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, metavar="USD", help="Start no more episodes once it is spent.")
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", min=1, help="The same, once so many tokens are used.")]
TimeLimit = Annotated[
    str | None, typer.Option("--time-limit", metavar="TIME", help="The same, after 90s, 15m or 1h30m.")
]
ExecutorName = Annotated[
    str, typer.Option("--executor", metavar="NAME", help="local, or ray: by the workers of the cluster at RAY_ADDRESS.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=4096, help="Most workers of --executor ray. [default: one a free processor]"),
]
ApiBase = Annotated[str | None, typer.Option("--api-base", metavar="URL", help="Short for --set agent.api_base=URL.")]
AsJson = Annotated[bool, typer.Option("--json", help="End with one JSON object; no table.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress: no bar, and piped no line each 30 s.")]


@app.command()
def run(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite of registry.yaml, such as hico.")],
    agent: AgentSpec = "scripted:candid",
    partner: Partner = None,
    judge: Judges = None,
    family: Families = None,
    barrier: Barriers = None,
    barrier_on: BarrierOn = "partner",
    repair: Repair = None,
    detect: Detect = False,
    split: SplitName = None,
    tag: Tags = None,
    bank: Bank = None,
    limit: Limit = None,
    repeats: Repeats = None,
    turns: Turns = None,
    seed: Seed = None,
    concurrency: Concurrency = None,
    no_dialogue: NoDialogue = False,
    out: Out = None,
    resume: Resume = False,
    retry_failed: RetryFailed = False,
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    time_limit: TimeLimit = None,
    api_base: ApiBase = None,
    executor: ExecutorName = "local",
    workers: Workers = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    sets: Sets = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Play a suite: conversations, records, the rules' verdict, the judges' ratings; then show the results."""
    from adidem.core.agents.spec import REPAIRS
    from adidem.core.runs.executors import EXECUTORS
    from adidem.core.runs.limits import Limits, check_limits, seconds_of
    from adidem.core.runs.recipe import Recipe
    from adidem.core.runs.suite import open_store, owed, run_jobs
    from adidem.core.writing import must_be_writable

    if executor not in EXECUTORS:
        raise UnknownName("executor", executor, EXECUTORS)
    if workers is not None and executor == "local":
        raise ConfigError("--workers: the local executor plays in one process; give --executor ray too")
    if max_cost is not None and not (math.isfinite(max_cost) and max_cost > 0):
        raise ConfigError(f"--max-cost {max_cost}: give a number of US dollars above 0")
    if repair is not None and repair not in REPAIRS:
        raise UnknownName("repair instruction", repair, REPAIRS)
    if split is not None and split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    limits = Limits(max_cost, max_tokens, seconds_of(time_limit) if time_limit else None)
    going_on, only_failed = resume or retry_failed, retry_failed and not resume
    if going_on and out is None:
        flag = "--resume" if resume else "--retry-failed"
        raise ConfigError(f"{flag} needs the run's folder: give it with --out DIR")
    if barrier_on not in ("agent", "partner"):
        raise ConfigError(f"--barrier-on {barrier_on!r}: it sits on agent or on partner")
    given = [*(sets or ()), *([f"agent.api_base={api_base}"] if api_base else ())]
    setup = load_setup(registry, plugin, given, strict_plugins)
    changes = {
        "families": tuple(family) if family else None,
        "barriers": tuple(barrier) if barrier else None,
        "tags": tuple(tag) if tag else None,
        "partner": partner,
        "split": split,
        "bank": bank,
        "repeats": repeats,
        "turns": turns,
        "seed": seed,
        "concurrency": concurrency,
        "dialogue": False if no_dialogue else None,
    }
    asked = Recipe(
        suite,
        agent,
        {key: value for key, value in changes.items() if value is not None},
        judges=tuple(judge or ()),
        limit=limit,
        barrier_on=barrier_on,
        repair=repair,
        detect=detect,
        registry=registry,
        plugins=tuple(plugin or ()),
        sets=tuple(given),
        strict=strict_plugins,
    )
    folder = out if out is not None else _folder(suite, agent)
    goes_on = _going_on(context, asked, setup, folder if going_on else None, called=not dry_run)
    recipe, prepared = goes_on.recipe, goes_on.prepared
    _must_be_used(api_base, prepared)
    _warn_scripted(prepared, repair=repair, detect=detect)
    for certificate in prepared.selection.refused:
        typer.echo(f"adidem: warning: {certificate.scenario} is left out: {certificate.problems[0]}", err=True)
    if recipe.limit is not None and len(prepared.jobs.tasks) < recipe.limit and not going_on:
        there = len(prepared.jobs.tasks)
        typer.echo(f"adidem: --limit {recipe.limit}: there are {there} such tasks in {suite}, and no more", err=True)
    warn_unencrypted(prepared.sources.gateway)
    check_limits(limits, prepared.sources)
    if dry_run:
        for missing in sorted(prepared.sources.gateway.missing_keys):
            typer.echo(f"adidem: warning: {missing} before it is run", err=True)
        _show_estimate(prepared, owed(prepared, folder, only_failed=only_failed), as_json=as_json)
        return
    must_be_writable(folder, folder=True)
    with _elsewhere(executor, recipe, prepared, workers) as place:
        store, jobs = open_store(
            prepared,
            folder,
            resume=going_on,
            only_failed=only_failed,
            accepted=goes_on.accepted,
            words=recipe.words(),
        )
        with store, _progress(len(jobs), quiet=quiet, as_json=as_json) as on_episode:
            progress = run_jobs(prepared, store, jobs, on_episode, limits, place)
    _conclude(folder, progress, as_json=as_json)


def _going_on(context: typer.Context, recipe: Recipe, setup: Setup, folder: Path | None, *, called: bool) -> Resumed:
    """The run as it is asked for; where it goes on in a folder, as it was begun, which is told."""
    from adidem.core.runs.resume import Resumed, resumed

    if folder is None:
        return Resumed(recipe, recipe.prepared(setup, called=called))
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = {GIVEN.get(name, name) for name, source in sources.items() if source and source.name == "COMMANDLINE"}
    found = resumed(recipe, setup, folder, given, called=called)
    for line in found.told:
        typer.echo(f"adidem: {line}", err=True)
    return found


@contextmanager
def _elsewhere(executor: str, recipe: Recipe, prepared: Prepared, workers: int | None) -> Iterator[Executor | None]:
    """A cluster to play on; None is this process."""
    if executor == "local":
        yield None
        return
    from adidem.core.runs.executors.cluster import RayExecutor

    cluster = RayExecutor(recipe, prepared, workers)
    try:
        yield cluster
    finally:
        cluster.close()


def _must_be_used(api_base: str | None, prepared: Prepared) -> None:
    """Raises ConfigError where --api-base would change nothing."""
    model, _ = prepared.sources.models.get("agent", ("", None))
    if api_base is not None and (not model or model == "human" or model.startswith("local:")):
        raise ConfigError(
            f"--api-base changes nothing for {prepared.config.agent}, which asks no endpoint; that of the partner or "
            "of the judges is --set partner.api_base=URL or --set judge.api_base=URL"
        )


def _warn_scripted(prepared: Prepared, *, repair: str | None, detect: bool) -> None:
    """A scripted listener takes no instruction and cannot be asked: say so, since the run goes on without."""
    agent, partner = prepared.agents
    listener = partner if prepared.config.barrier_on == "agent" else agent
    for flag, given in (("--repair", repair is not None), ("--detect", detect)):
        if given and listener.scripted:
            typer.echo(f"adidem: warning: {flag} changes nothing for {listener.name}, which is scripted", err=True)


def _show_estimate(prepared: Prepared, jobs: Sequence[Job], *, as_json: bool) -> None:
    import json

    import attrs

    from adidem.core.report.text import many
    from adidem.core.runs.estimate import estimate

    found = estimate(prepared, jobs)
    if as_json:
        typer.echo(json.dumps({"dry_run": True, **attrs.asdict(found)}))
        return
    typer.echo(f"{many(found.episodes, 'episode')}; estimates, for conversations that last to the limit of turns:")
    uses: list[tuple[str, Estimate | Use]] = [*found.by.items(), ("in all", found)]
    for who, use in uses:
        tokens = f"{use.prompt_tokens:,} prompt and {use.completion_tokens:,} completion tokens"
        cost = "cost unknown" if use.cost is None else f"${use.cost:.2f}"
        typer.echo(f"  {who}: {use.calls:,} calls, {tokens}, {cost}")


def _folder(suite: str, agent: str) -> Path:
    who = "".join(c if c.isalnum() else "-" for c in agent).strip("-")[:40]
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    base = Path("runs") / f"{stamp}-{suite}-{who}"
    folder, number = base, 2
    while folder.exists():
        folder, number = base.with_name(f"{base.name}-{number}"), number + 1
    return folder


@contextmanager
def _progress(jobs_owed: int, *, quiet: bool, as_json: bool) -> Iterator[OnEpisode | None]:
    """A bar where somebody watches; else lines, so that a long run that is piped into something tells of itself."""
    if quiet:
        yield None
        return
    from adidem.core.cli.progress import in_a_bar, in_lines

    with (in_a_bar if sys.stderr.isatty() and not as_json else in_lines)(jobs_owed) as on_episode:
        yield on_episode


def _conclude(folder: Path, progress: Progress, *, as_json: bool) -> None:
    from adidem.core.report.screen import tolerant

    with tolerant():
        show(folder, as_json=as_json)
    if progress.cut_short:
        typer.echo(f"adidem: {progress.limit or 'interrupted'}; go on with --out {folder} --resume", err=True)
        raise typer.Exit(INTERRUPTED)
    if progress.failed:
        raise typer.Exit(FAILED)


def show(folder: Path, *, as_json: bool) -> None:
    """Show what a run comes to: a table, or one line of JSON."""
    from adidem.core.report import tables
    from adidem.core.report.summary import summarize
    from adidem.core.runs.store import RunStore

    with RunStore(folder) as store:
        summary = summarize(store)
    if as_json:
        import json

        data = summary.to_json()
        typer.echo(json.dumps({key: data[key] for key in ("run", "episodes", "metrics", "failures", "evidence")}))
        return
    from adidem.core.report import screen

    screen.show(*tables.as_table(summary))
    typer.echo(f"run: {folder}")
