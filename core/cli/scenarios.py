"""`adidem scenarios`: generate, certify, show and export scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adidem.core.cli.options import with_setup
from adidem.core.contracts import is_paired
from adidem.core.domain import SEATS, WORLDS
from adidem.core.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from adidem.core.domain import Scenario, World
    from adidem.core.rules import Right, Rules
    from adidem.core.setup import Setup

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Generate, certify, show and export scenarios.")

SPLITS = ("train", "dev", "test")
Families = Annotated[list[str] | None, typer.Option("--family", metavar="NAME", help="Only these; may be repeated.")]
SplitName = Annotated[str | None, typer.Option("--split", metavar="NAME", help="train, dev or test. [default: all]")]
Bank = Annotated[str, typer.Option("--bank", metavar="NAME|FILE", help="A shipped bank or a JSONL file.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here, not to the terminal.")]


@app.command()
@with_setup
def generate(
    setup: Setup,
    family: Families = None,
    split: SplitName = None,
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="A family and split. [default: one a setting]")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="[default: the shipped bank's]")] = None,
    out: Out = None,
) -> None:
    """Generate scenarios as JSON lines. Without any option it writes the shipped bank, byte for byte."""
    from adidem.core.runs.scenarios import BANK_SEED, generated
    from adidem.core.scenarios import dump_bank

    _must_be_new(out)
    found: list[Scenario] = []
    paired = [name for name, each in setup.components.families.items() if is_paired(each)]
    for name in family or sorted(paired):
        component = setup.components.get("family", name)
        for part in _splits(split):
            found += generated(component, part, BANK_SEED if seed is None else seed, count)
    _write(dump_bank(found), out)


@app.command()
@with_setup
def certify(
    setup: Setup,
    bank: Bank = "hico",
    family: Families = None,
    split: SplitName = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list, one certificate each.")] = False,
) -> None:
    """Enumerate every pair certificate and print how many hold. A family that the bank lacks is generated."""
    from adidem.core.runs.scenarios import certified, rules_of

    scenarios = _read(setup, bank, family, split)
    started = perf_counter()
    rules = rules_of(setup, sorted({s.family for s in scenarios}))
    single = sorted(name for name, each in rules.items() if not is_paired(each.family))
    if single:
        why = "keeps no records" if rules[single[0]].family.terms is None else "has one world alone"
        raise ConfigError(f"family {single[0]!r} {why}, so there is no pair to certify: leave it out")
    certificates = [(s, certified(s, rules[s.family])) for s in scenarios]
    seconds = perf_counter() - started
    if as_json:
        import json

        typer.echo(json.dumps([_certificate_json(s, c) for s, c in certificates], indent=2))
    else:
        _print_certificates(certificates, seconds)
    if not all(c.holds for _, c in certificates):
        raise typer.Exit(1)


@app.command()
@with_setup
def show(
    setup: Setup,
    scenario: Annotated[str, typer.Argument(metavar="ID", help="family/split/NN, or a task of it.")],
    bank: Bank = "hico",
) -> None:
    """Show a scenario's two worlds side by side, with what is right in each."""
    from adidem.core.containment import called, contained
    from adidem.core.report.screen import show as print_parts
    from adidem.core.report.worlds import side_by_side
    from adidem.core.runs.scenarios import rules_of

    scenario = _scenario_of(scenario)
    name = scenario.partition("/")[0]
    family = [name] if name in setup.components.families else None
    found = {s.id: s for s in _read(setup, bank, family, None)}
    if scenario not in found:
        raise UnknownName("scenario", scenario, found)
    picked = found[scenario]
    rules = rules_of(setup, [picked.family])[picked.family]
    print_parts(contained(called("family", rules.family), lambda: side_by_side(picked, rules)))


@app.command()
@with_setup
def export(
    setup: Setup,
    bank: Bank = "hico",
    family: Families = None,
    split: SplitName = None,
    out: Out = None,
) -> None:
    """Export a bank, or a part of it, as JSON lines with the right outcome and every correct plan of both worlds."""
    import orjson

    from adidem.core.records import write_terms
    from adidem.core.runs.scenarios import rules_of
    from adidem.core.scenarios import scenario_to_json

    _must_be_new(out)
    scenarios = _read(setup, bank, family, split)
    rules = rules_of(setup, sorted({s.family for s in scenarios}))
    lines = []
    for item in scenarios:
        right = {w.name: _right(rules[item.family], w) for w in item.worlds}
        answers = {
            name: {"outcome": r.outcome, "plans": [write_terms(plan) for plan in r.plans]} for name, r in right.items()
        }
        lines.append(orjson.dumps({**scenario_to_json(item), "right": answers}) + b"\n")
    _write(b"".join(lines), out)


def _scenario_of(id_: str) -> str:
    """The scenario of a task (family/split/NN/world/seat); what is no task's id is left as it is."""
    parts = id_.split("/")
    return "/".join(parts[:3]) if len(parts) == 5 and parts[3] in WORLDS and parts[4] in SEATS else id_


def _right(rules: Rules, world: World) -> Right:
    from adidem.core.containment import called, contained

    return contained(called("family", rules.family), lambda: rules.right(world))


def _splits(split: str | None) -> tuple[Any, ...]:
    if split is None:
        return SPLITS
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    return (split,)


def _read(setup: Setup, bank: str, families: list[str] | None, split: str | None) -> list[Scenario]:
    from adidem.core.runs.scenarios import generated
    from adidem.core.scenarios import load_bank

    splits = _splits(split)
    banked = load_bank(bank)
    names = families or sorted({s.family for s in banked})
    found: list[Scenario] = []
    for name in names:
        component = setup.components.get("family", name)
        ours = [s for s in banked if s.family == name and s.split in splits]
        if not ours and bank == "hico":
            ours = [s for part in splits for s in generated(component, part)]
        found += ours
    if not found:
        raise ConfigError(f"{bank}: no scenario of {', '.join(names) or 'any family'} in {', '.join(splits)}")
    return found


def _must_be_new(out: Path | None) -> None:
    from adidem.core.writing import must_be_new

    if out is not None:
        must_be_new(out, parents=False)


def _write(content: bytes, out: Path | None) -> None:
    if out is None:
        typer.echo(content.decode(), nl=False)
        return
    from adidem.core.writing import write_whole

    try:
        write_whole(out, content)
    except OSError as error:
        raise ConfigError(f"{out}: cannot write: {error.strerror}") from error


def _certificate_json(scenario: Scenario, certificate: Any) -> dict[str, Any]:
    return {
        "scenario": scenario.id,
        "holds": certificate.holds,
        "kind": certificate.kind,
        "plans": {"a": len(certificate.a.plans), "b": len(certificate.b.plans)},
        "problems": list(certificate.problems),
    }


def _print_certificates(certificates: Iterable[tuple[Scenario, Any]], seconds: float) -> None:
    from statistics import median

    found = list(certificates)
    for name in sorted({s.family for s, _ in found}):
        ours = [c for s, c in found if s.family == name]
        kinds = Counter(c.kind for c in ours)
        plans = [len(side.plans) for c in ours for side in (c.a, c.b) if side.plans]
        shown = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        spread = f"plans a world {min(plans)}–{max(plans)}, median {median(plans):g}" if plans else "no plans"
        typer.echo(f"{name}: {sum(c.holds for c in ours)} of {len(ours)} hold; {shown}; {spread}")
    for scenario, certificate in found:
        for problem in certificate.problems:
            typer.echo(f"{scenario.id}: {problem}")
    holding = sum(c.holds for _, c in found)
    typer.echo(f"{holding} of {len(found)} pair certificates hold ({seconds:.2f} s)")
