"""A training run made ready: everything that a recipe names is looked up and checked before anything is written.

Nothing here imports torch; what is learned with is put together in `assemble`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
from attrs import evolve, field, frozen

from adidem.core.components import make
from adidem.core.containment import called, contained
from adidem.core.contracts import Agent, Barrier, Trainer
from adidem.core.domain import Scenario
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.play.judge import JudgeSeat
from adidem.core.registry import Entry
from adidem.core.registry.config import parse_condition
from adidem.core.registry.merge import merge
from adidem.core.registry.tree import Place, mistake
from adidem.core.rules import Rules
from adidem.core.runs.agents import AgentSource, directed, directives, merged
from adidem.core.runs.config import HOW
from adidem.core.runs.judging import ask_of
from adidem.core.runs.plan import spread
from adidem.core.runs.scenarios import Selection, certified, generated
from adidem.core.runs.seats import seats
from adidem.core.runs.suite import options_in_use
from adidem.core.scenarios import load_bank
from adidem.core.scenarios.bank import SHIPPED
from adidem.core.setup import Setup
from adidem.core.sources import Fault
from adidem.core.training.annotator import Annotator, ModelAnnotator
from adidem.core.training.hearing import training_rules
from adidem.core.training.recipe import Play, Read, Recipe, Stage, Update, node_of
from adidem.core.training.sampling import picked, scenarios_needed

BASE = "base"
LAB = "lab:"
CONDUCT = "conduct"
UNCHANGEABLE = ("keep", "save_every", "tensorboard", "description")
"""What a resumed run may say otherwise; for all else it would be another run."""


@frozen(eq=False)
class Across:
    """Who sits across: an agent, or BASE; and the barrier that its turns pass through, where it is scripted."""

    agent: Agent | str
    barrier: tuple[tuple[Barrier, float], ...] = ()


@frozen(eq=False)
class Phase:
    """One stage as it is checked: its trainer with all options, and how it is played and learned."""

    trainer: Trainer
    updates: int
    conversations: int
    update: Update
    play: Play
    partner: Across
    demonstrator: Agent | None = None


@frozen(eq=False)
class Ready:
    """A run that may start. `usual` is who sits across by the recipe's own `play`, whatever a stage says otherwise: so
    runs of other stages are tried alike."""

    recipe: Recipe
    setup: Setup
    rules: Mapping[str, Rules]
    pool: tuple[Scenario, ...]
    phases: tuple[Phase, ...]
    usual: Across
    judge: JudgeSeat
    conduct: JudgeSeat | None
    raters: tuple[JudgeSeat, ...]
    sources: AgentSource
    annotator: Annotator | None = None
    bank: str = "hico"
    document: Mapping[str, Any] = field(factory=dict)

    def scenarios(self, update: int, count: int) -> list[Scenario]:
        """The scenarios of an update."""
        recipe = self.recipe
        if recipe.scenarios.source == "bank":
            return picked(self.pool, count, recipe.seed, update)
        return fresh(self.rules, recipe, count, update)


def prepare(
    setup: Setup,
    read: Read,
    trainer: str | None = None,
    seed: int | None = None,
    kept: Sequence[tuple[str, Mapping[str, Any]]] = (),
) -> Ready:
    """Look up and check all that a recipe names; `trainer` goes before the recipe's own trainer and stages. `kept` are
    the trainers and options of a run that goes on, stage by stage; those of other trainers count for nothing.

    Raises:
        ConfigError: anything that is unknown, switched off, out of range or cannot work.
    """
    recipe = read.recipe if seed is None else evolve(read.recipe, seed=seed)
    rules = training_rules(setup.components, recipe.scenarios.families)
    sources = AgentSource(setup, share=1)
    _must_be_trainers(setup, read)
    stages = _kept(_stages(recipe, trainer), kept)
    phases = tuple(_phase(setup, sources, read, recipe, stage) for stage in stages)
    _must_speak_alike(phases)
    reward = recipe.reward
    (judge,) = _judges(setup, sources, [reward.judge], reward.judge_model)
    conduct = None if reward.conduct == "off" else _judges(setup, sources, [CONDUCT], None)[0]
    raters = _judges(setup, sources, reward.raters, reward.judge_model)
    annotator = None if reward.annotator is None else _annotator(setup, sources, reward.annotator)
    pool, bank = pool_of(rules, read), bank_of(read)
    own = [phase.partner for phase in phases if phase.play is recipe.play]
    usual = own[0] if own else across_of(setup, sources, recipe.play)
    ready = Ready(recipe, setup, rules, pool, phases, usual, judge, conduct, raters, sources, annotator, bank)
    for phase in phases:
        ready.scenarios(0, scenarios_needed(phase.trainer.sampling, phase.conversations))
    return evolve(ready, document=_document(ready))


def trainer_of(setup: Setup, read: Read, name: str, options: Mapping[str, Any]) -> Trainer:
    """A trainer with the registry's options, the recipe's over them, and a stage's over these.

    Raises:
        ConfigError: there is none of that name, or an option is unknown or out of range.
    """
    plainly: Trainer = setup.components.get("trainer", name)
    written = read.tree.at("trainers", name)
    if written is None and not options:
        return plainly
    entry = setup.registry.entry("trainers", name)
    nodes = [entry.options, *([written] if written is not None else []), node_of(options, Place(f"stage {name}"))]
    over = nodes[0]
    for node in nodes[1:]:
        over = merge(over, node)
    item = next(i for i in setup.components.registered if (i.kind.name, i.name) == ("trainer", name))
    made = make(item, Entry(True, over, over.place))
    if isinstance(made, Fault):
        raise ConfigError(f"trainer {name!r}: {made.cause}")
    found: Trainer = made
    return found


def _must_be_trainers(setup: Setup, read: Read) -> None:
    """See that all options in the recipe are some trainer's, whichever is trained with. Raises ConfigError."""
    for name, node in read.tree.section("trainers").items():
        try:
            trainer_of(setup, read, name, {})
        except UnknownName as error:
            raise mistake(node, f"trainers.{name}", str(error)) from error


def _must_speak_alike(phases: Sequence[Phase]) -> None:
    """A policy has one codec in all stages. Raises ConfigError where they ask for several."""
    for name in ("turn_tokens", "record_tokens"):
        found = list(dict.fromkeys(getattr(phase.play, name) for phase in phases))
        if len(found) > 1:
            raise ConfigError(f"play.{name}: is {' and '.join(map(str, found))} in different stages; set it for all")


def agent_of(sources: AgentSource, spec: str, who: str) -> Agent:
    """An agent by its spec, the lab's among them. Raises ConfigError."""
    if not spec.startswith(LAB):
        return sources.agent(spec, who)
    from adidem.core.training.lab.agents import lab_agent

    return lab_agent(spec)


def pool_of(rules: Mapping[str, Rules], read: Read) -> tuple[Scenario, ...]:
    """The certified training scenarios of the recipe's bank; none where they are made afresh. Raises ConfigError."""
    settings = read.recipe.scenarios
    if settings.source == "fresh":
        return ()
    found = [s for s in load_bank(bank_of(read)) if s.family in rules and s.split == settings.split]
    missing = [family for family in rules if not any(s.family == family for s in found)]
    if missing:
        raise ConfigError(f"the bank {settings.bank} has no {settings.split} scenario of {', '.join(missing)}")
    return tuple(s for s in found if len(s.worlds) > 1 and certified(s, rules[s.family]).holds)


def bank_of(read: Read) -> str:
    """The name or the whole path of the recipe's bank, which starts from the file that names it."""
    bank = read.recipe.scenarios.bank
    if bank in SHIPPED:
        return bank
    return str((read.tree.where("scenarios", "bank").folder / Path(bank).expanduser()).absolute())


def fresh(rules: Mapping[str, Rules], recipe: Recipe, count: int, update: int) -> list[Scenario]:
    """New certified scenarios for an update, families in turn."""
    each = -(-count // len(rules))
    seed = (recipe.seed << 20) + update
    found = [s for rule in rules.values() for s in generated(rule.family, recipe.scenarios.split, seed, each)]
    kept = [s for s in found if certified(s, rules[s.family]).holds]
    if len(kept) < count:
        raise ConfigError(f"only {len(kept)} of {count} generated scenarios hold their certificate")
    return spread(kept)[:count]


def _stages(recipe: Recipe, trainer: str | None) -> Sequence[Stage]:
    if trainer is not None:
        return [Stage(trainer=trainer)]
    if recipe.stages:
        return recipe.stages
    if recipe.trainer is None:
        raise ConfigError(
            "which trainer? name it as in `adidem train pacpo`, or set `trainer` or `stages` in the recipe"
        )
    return [Stage(trainer=recipe.trainer)]


def _kept(stages: Sequence[Stage], kept: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[Stage]:
    if [stage.trainer for stage in stages] != [name for name, _ in kept]:
        return stages
    both = zip(stages, kept, strict=True)
    return [evolve(stage, options={**stage.options, **options}) for stage, (_, options) in both]


def _phase(setup: Setup, sources: AgentSource, read: Read, recipe: Recipe, stage: Stage) -> Phase:
    trainer = trainer_of(setup, read, stage.trainer, stage.options)
    play = stage.play or recipe.play
    sampling, _ = contained(called("trainer", trainer), lambda: (trainer.sampling, trainer.objective.kind))
    shown = sampling.source == "demonstrator"
    if shown and play.demonstrator is None:
        raise ConfigError(f"trainer {stage.trainer!r} learns from a demonstrator: set play.demonstrator to an agent")
    return Phase(
        trainer,
        recipe.updates if stage.updates is None else stage.updates,
        recipe.conversations if stage.conversations is None else stage.conversations,
        stage.update or recipe.update,
        play,
        across_of(setup, sources, play),
        agent_of(sources, play.demonstrator or "", "agent") if shown else None,
    )


def across_of(setup: Setup, sources: AgentSource, play: Play) -> Across:
    """Who sits across as `play` says, behind its barrier. Raises ConfigError for a name that is unknown."""
    parts = parse_condition(play.barrier) if play.barrier is not None else ()
    barrier = tuple((setup.components.get("barrier", name), severity) for name, severity in parts)
    if play.partner == BASE:
        if barrier:
            raise ConfigError("play.barrier: the partner `base` cannot be given one; take another partner")
        return Across(BASE)
    agent = agent_of(sources, play.partner, "partner")
    return Across(directed(agent, directives(barrier)), barrier if agent.scripted else ())


def _judges(setup: Setup, sources: AgentSource, names: Sequence[str], model: str | None) -> tuple[JudgeSeat, ...]:
    asking = [name for name in names if hasattr(setup.components.get("judge", name), "model")]
    alone = [name for name in asking if setup.components.get("judge", name).model is None]
    if alone and model is None:
        raise ConfigError(
            f"judge {alone[0]!r} asks a model: set reward.judge_model in the recipe, or judges.{alone[0]}.model in "
            "registry.yaml"
        )
    known = [name for name in names if name not in asking]
    if model is None or not asking:
        return seats(setup, sources, names, (), ())
    found = {seat.label: seat for seat in seats(setup, sources, known, asking, [model])}
    return tuple(found[name] for name in names)


def _annotator(setup: Setup, sources: AgentSource, spec: str) -> Annotator:
    """The frozen model that marks disclosures, reached as a judge's is."""
    named = setup.registry.agents.get(spec)
    model = spec if named is None else named.spec
    settings = merged(setup.registry.models.get(model), named, setup.overrides.judge)
    sources.gateway.check(model, settings)
    sources.note("annotator", model, settings)
    none: Any = SimpleNamespace(repeat=0)  # it is asked about no case
    return ModelAnnotator(ask_of(sources.gateway, model, settings, lambda _: None)(none))


def options_now(trainer: Trainer) -> dict[str, Any]:
    """A trainer's options as they are; of one that is no attrs class, none."""
    known: Any = trainer
    return attrs.asdict(known) if attrs.has(type(known)) else {}


def _components(ready: Ready) -> dict[str, Any]:
    """The options of everything but trainers that decides what is played and how it is rated, by section and name."""
    known = ready.setup.components
    plays = [ready.recipe.play, *(phase.play for phase in ready.phases)]
    behind = [play.barrier for play in plays if play.barrier is not None]
    used: list[tuple[str, Any]] = [("families", known.get("family", name)) for name in ready.rules]
    used += [("checkers", checker) for rules in ready.rules.values() for checker in rules.checkers]
    used += [("judges", seat.judge) for seat in (ready.judge, ready.conduct, *ready.raters) if seat is not None]
    used += [("barriers", known.get("barrier", name)) for one in behind for name, _ in parse_condition(one)]
    found: dict[str, Any] = {}
    for section, thing in used:
        found.setdefault(section, {})[thing.name] = options_in_use(thing)
    return found


def _document(ready: Ready) -> dict[str, Any]:
    """All that a run hangs on, as plain JSON."""
    recipe = attrs.asdict(ready.recipe, value_serializer=lambda _, __, v: str(v) if isinstance(v, Path) else v)
    phases = [
        {
            "trainer": phase.trainer.name,
            "options": options_now(phase.trainer),
            "updates": phase.updates,
            "conversations": phase.conversations,
        }
        for phase in ready.phases
    ]
    models = {
        who: {name: value for name, value in said.items() if name not in HOW}
        for who, said in ready.sources.settings.items()
    }
    return {
        "recipe": {k: v for k, v in recipe.items() if k not in UNCHANGEABLE},
        "phases": phases,
        "models": models,
        "components": _components(ready),
        "scenarios": Selection(ready.pool, ready.rules).digest if ready.pool else None,
    }
