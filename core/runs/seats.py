"""Which judges sit in a run, under which label, asking which model."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.contracts import Ask, Case, Judge
from adidem.core.errors import ConfigError
from adidem.core.play import JudgeSeat
from adidem.core.play.judge import OnUsage
from adidem.core.runs.agents import AgentSource, merged
from adidem.core.runs.judging import SCRIPTED_JUDGE, ask_of
from adidem.core.setup import Setup


def seats(
    setup: Setup, sources: AgentSource, judges: Sequence[str], model_judges: Sequence[str], specs: Sequence[str]
) -> tuple[JudgeSeat, ...]:
    """The judges of a run in the order they are asked.

    `judges` sit in any case, with the model of their own option `model` where they have one. Each spec is the name of
    one more judge, or a model (or `scripted:judge`) for every one of `model_judges`, or for the judges named beside it
    where some of them ask a model. The first spec of a judge sits under the judge's own name, a further one as
    `JUDGE@SPEC`.

    Raises:
        ConfigError: a spec is neither, or its model cannot be called as things are.
    """
    found: list[JudgeSeat] = []
    for name in judges:
        judge = setup.components.get("judge", name)
        found.append(_seat(sources, setup, judge, getattr(judge, "model", None), found))
    named = [spec for spec in specs if spec in setup.components.judges]
    models = [spec for spec in specs if spec not in setup.components.judges]
    for name in named:
        judge = setup.components.judges[name]
        own = getattr(judge, "model", None)
        if hasattr(judge, "model") and own is None:
            if not models:
                raise ConfigError(
                    f"judge {name!r} asks a model: give one with --judge MODEL --only {name}, "
                    f"or set judges.{name}.model"
                )
            found += [_seat(sources, setup, judge, spec, found) for spec in models]
        else:
            found.append(_seat(sources, setup, judge, own, found))
    asking = [name for name in named if hasattr(setup.components.judges[name], "model")]
    for spec in [] if asking else models:
        if not model_judges:
            raise ConfigError(f"--judge {spec}: it is for a suite's model_judges, and this suite names none there")
        for name in model_judges:
            found.append(_seat(sources, setup, _asked(setup, name, model_judges, spec), spec, found))
    return tuple(found)


def _asked(setup: Setup, name: str, model_judges: Sequence[str], spec: str) -> Judge:
    """One of a suite's model judges. Raises ConfigError where it is not there, with a way to ask the others."""
    try:
        judge: Judge = setup.components.get("judge", name)
    except ConfigError as error:
        there = [f"--judge {other} " for other in model_judges if other in setup.components.judges]
        others = f", or name the judges to ask: {''.join(there)}--judge {spec}" if there else ""
        raise ConfigError(f"{error}; take it out of the suite's model_judges{others}") from error
    return judge


def _seat(sources: AgentSource, setup: Setup, judge: Judge, spec: str | None, taken: Sequence[JudgeSeat]) -> JudgeSeat:
    if any(seat.judge.name == judge.name and seat.spec == spec for seat in taken):
        raise ConfigError(f"judge {judge.name!r} sits twice" + (f" with {spec}" if spec else ""))
    label = judge.name
    if any(seat.label == label for seat in taken):
        label = f"{judge.name}@{spec}"
    if spec is None:
        return JudgeSeat(label, judge)
    named = setup.registry.agents.get(spec)
    model = spec if named is None else named.spec
    settings = merged(setup.registry.models.get(model), named, setup.overrides.judge)
    if model != SCRIPTED_JUDGE:
        sources.gateway.check(model, settings)
        sources.note(f"judge {label}", model, settings)

    def ask(case: Case, on_usage: OnUsage) -> Ask:
        return ask_of(sources.gateway, model, settings, on_usage)(case)

    return JudgeSeat(label, judge, spec, ask)
