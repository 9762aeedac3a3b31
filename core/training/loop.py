"""The loop of training: conversations are played and scored, a trainer gives credit, the policy takes a step.

Nothing is drawn from a stream that goes on: every update draws from the run's seed and its own number, so that a run
that was killed goes on from its last checkpoint to the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from adidem.core.containment import called, contained
from adidem.core.contracts import Trainer
from adidem.core.domain import Rollout, Sampling, Scenario, TurnCredit
from adidem.core.errors import TrainingError
from adidem.core.policy.contracts import Policy
from adidem.core.training import checkpoint
from adidem.core.training.contracts import Job, Sample, Trajectory
from adidem.core.training.disclosure import ANNOTATOR
from adidem.core.training.metrics import Metrics
from adidem.core.training.parallel import ALONE, Processes
from adidem.core.training.progress import NOTHING, UNANNOTATED, Display, Silent
from adidem.core.training.recipe import Update
from adidem.core.training.sampling import jobs_of, scenarios_needed, seats_of, whole
from adidem.core.training.update import Learner


@frozen(eq=False)
class Stage:
    """One stage: its trainer, how many updates of how many conversations, and how they are made. `play` plays and
    scores jobs: of each, what the policy said as tokens and what the trainer sees, or why it could not be scored."""

    trainer: Trainer
    updates: int
    conversations: int
    settings: Update
    temperature: float
    longest: int
    play: Callable[[Sequence[Job], Sampling], Sequence[Outcome]]


@frozen(eq=False)
class Outcome:
    """A job that was played: tokens and rollout, or why it cannot be used. `seconds` are what it was made in, by what
    was done; of all jobs together, on the first."""

    trajectory: Trajectory | None = None
    rollout: Rollout | None = None
    unscored: str | None = None
    seconds: Mapping[str, float] = field(factory=dict)


@frozen(eq=False)
class Plan:
    """A whole run: the policy, its stages one after the other, and where scenarios come from: `scenarios(update,
    count)`. `evaluate(update)` gives figures of tasks that are not trained on, every `evaluate_every` updates, before
    the first and after the last; None where there are none."""

    policy: Policy
    stages: Sequence[Stage]
    scenarios: Callable[[int, int], Sequence[Scenario]]
    seed: int = 0
    save_every: int = 1
    keep: int = 2
    evaluate: Callable[[int], Mapping[str, Any]] | None = None
    evaluate_every: int = 0
    board: bool = True
    processes: Processes = ALONE

    @property
    def updates(self) -> int:
        """All stages' updates."""
        return sum(stage.updates for stage in self.stages)


def train(plan: Plan, run: Path, *, resume: bool = False, show: Display | None = None) -> int:
    """Train to the end, from the last checkpoint where told; how many updates were made now. The policy is saved under
    `run/policy`.

    Raises:
        TrainingError: training cannot go on; the last checkpoint is kept.
    """
    view = show or Silent()
    done = checkpoint.made(run, plan.updates) if resume else 0
    state = checkpoint.load(run, done) if done else None
    if state is not None:
        plan.policy.restore(state["policy"])
    metrics = Metrics(run, done if state is not None else -1, board=plan.board) if plan.processes.first else None
    try:
        if state is None:
            _evaluate(plan, 0, metrics, view)
        start = 0
        for stage in plan.stages:
            end = start + stage.updates
            if done < end:
                _stage(plan, stage, range(max(start, done), end), start, state, run, metrics, view)
                state = None
            start = end
    finally:
        if metrics is not None:
            metrics.close()
    if plan.processes.first:
        plan.policy.save(run / "policy")
    return plan.updates - done


def _stage(
    plan: Plan,
    stage: Stage,
    updates: range,
    start: int,
    state: Mapping[str, Any] | None,
    run: Path,
    metrics: Metrics | None,
    show: Display,
) -> None:
    """The updates of one stage, whose start is its reference; in the midst of one its state goes on."""
    if updates.start == start:
        plan.policy.anchor()
    learner = Learner(plan.policy, stage.settings, stage.temperature, stage.longest, plan.processes)
    if state is not None and updates.start > start:
        learner.restore(state["optimizer"])
    for update in updates:
        figures = one_update(plan, stage, learner, update, show)
        ours = update + 1
        last = ours == plan.updates
        if last or (plan.evaluate_every and ours % plan.evaluate_every == 0):
            figures |= _evaluated(plan, ours, show)
        if metrics is not None:
            metrics.add(ours, figures)
        if plan.processes.first and (last or ours == updates.stop or ours % plan.save_every == 0):
            whole_state = {"policy": plan.policy.state(), "optimizer": learner.state(), "update": ours}
            checkpoint.save(run, ours, whole_state, plan.keep)
        plan.processes.wait()
        show.done(ours, figures)


def one_update(plan: Plan, stage: Stage, learner: Learner, update: int, show: Display) -> dict[str, Any]:
    """Play, score, credit, learn; the figures of it."""
    started = perf_counter()
    sampling, name = stage.trainer.sampling, stage.trainer.name
    show.doing(f"{name}: playing")
    scenarios = plan.scenarios(update, scenarios_needed(sampling, stage.conversations))
    jobs = jobs_of(sampling, scenarios, seats_of(scenarios), plan.seed, update)
    outcomes = plan.processes.gathered(list(stage.play(plan.processes.share(jobs), sampling)))
    imitation = stage.trainer.objective.loss == "likelihood"
    kept = whole([outcome.rollout for outcome in outcomes], sampling, imitation=imitation)
    if not kept:
        raise TrainingError(f"update {update + 1}: no conversation can be used: {_reasons(outcomes)}")
    played = perf_counter()
    samples = [_sample(outcomes[place]) for place in kept]
    credit = credited(stage.trainer, [sample.rollout for sample in samples])
    show.doing(f"{name}: learning")
    learned: dict[str, Any] = {**learner.learn(samples, credit, stage.trainer.objective, f"{plan.seed}/{update}")}
    why = nothing_learned(samples, credit, learned, imitation=imitation)
    if why is not None:
        learned[NOTHING] = why
    ended = perf_counter()
    return {
        "trainer": name,
        **described(samples),
        **learned,
        **{f"credit/{key}": number for key, number in credit.diagnostics.items()},
        "conversations": len(jobs),
        "dropped": len(jobs) - len(kept),
        **({"unscored": _reasons(outcomes)} if any(o.unscored for o in outcomes) else {}),
        **_unannotated(samples),
        "seconds": ended - started,
        "seconds_played": played - started,
        "seconds_learned": ended - played,
        **{f"seconds_{key}": n for o in outcomes for key, n in o.seconds.items()},
    }


def nothing_learned(
    samples: Sequence[Sample], credit: TurnCredit, learned: Mapping[str, float], *, imitation: bool
) -> str | None:
    """Why an update held nothing to learn from, or changed nothing; None where it did."""
    if not learned["steps"]:
        return "no weight is above 0" if imitation else "the policy said nothing"
    rollouts = [sample.rollout for sample in samples]
    returns = {sum(rollout.rewards) for rollout in rollouts}
    even = f"all {len(rollouts)} conversations came to the same return, {returns.pop():g}" if len(returns) == 1 else ""
    if not imitation and not learned["advantage"]:
        return f"every advantage is 0: {even or 'none fared better than what it is compared with'}"
    if even and credit.kind == "rewards" and [*map(tuple, credit.values)] == [tuple(r.rewards) for r in rollouts]:
        return f"{even}: the step follows the critic's error alone"
    return None if learned["changed"] else "no weight of the policy changed: the step is below what its numbers resolve"


def credited(trainer: Trainer, rollouts: Sequence[Rollout]) -> TurnCredit:
    """A trainer's credit, held to its form.

    Raises:
        ConfigError: the trainer's own code failed, or gave something else; it is named with its file.
    """

    def asked() -> TurnCredit:
        said: Any = trainer.credit(rollouts)
        if not isinstance(said, TurnCredit):
            raise TypeError(f"credit gave {type(said).__name__}, not a TurnCredit")
        if len(said.values) != len(rollouts):
            raise ValueError(f"credit gave {len(said.values)} rows for {len(rollouts)} conversations")
        wanted = trainer.objective.kind
        if said.kind != wanted:
            raise ValueError(f"credit gave {said.kind}, and its objective is made for {wanted}")
        values = tuple(_row(row, place, said.kind) for place, row in enumerate(said.values))
        numbers = {str(name): float(number) for name, number in said.diagnostics.items()}
        return evolve(said, values=values, diagnostics=numbers)

    return contained(called("trainer", trainer), asked)


def _row(row: Any, place: int, kind: str) -> tuple[float, ...]:
    """A conversation's credit as numbers. Text is none, though Python would read one in it."""
    try:
        given = list(row)
    except TypeError as error:
        raise TypeError(f"credit of conversation {place} is {type(row).__name__}, no row of numbers") from error
    return tuple(
        _number(value, f"credit of conversation {place}, turn {turn}", kind) for turn, value in enumerate(given)
    )


def _number(value: Any, what: str, kind: str) -> float:
    try:
        if isinstance(value, str | bytes | complex):
            raise TypeError
        number = float(value)
    except OverflowError as error:
        raise ValueError(f"{what} is beyond what a float holds") from error
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} is {type(value).__name__}, no number") from error
    if kind == "weights" and number < 0:
        raise ValueError(f"{what} is {number:g}: a weight of the likelihood is never negative")
    return number


def described(samples: Sequence[Sample]) -> dict[str, float]:
    """What came of the conversations, as means; of `Rollout.extra` all that are numbers."""
    rollouts = [sample.rollout for sample in samples]
    found = {
        "reward": float(np.mean([sum(r.rewards) for r in rollouts])),
        "verified_success": _mean([r.success for r in rollouts]),
        "policy_turns": float(np.mean([len(r.rewards) for r in rollouts])),
        "policy_tokens": float(np.mean([sum(t >= 0 for t in s.trajectory.turns) for s in samples])),
        "tokens": float(np.mean([len(s.trajectory.ids) for s in samples])),
        "truncated": float(np.mean([r.truncated for r in rollouts])),
    }
    names = dict.fromkeys(name for r in rollouts for name, value in r.extra.items() if isinstance(value, int | float))
    return {**found, **{name: _mean([r.extra.get(name) for r in rollouts]) for name in names}}


def _mean(values: Sequence[Any]) -> float:
    known = [float(value) for value in values if isinstance(value, int | float)]
    return float(np.mean(known)) if known else float("nan")


def _sample(outcome: Outcome) -> Sample:
    assert outcome.trajectory is not None
    assert outcome.rollout is not None
    return Sample(outcome.trajectory, outcome.rollout)


def _reasons(outcomes: Sequence[Outcome]) -> str:
    return counted(o.unscored for o in outcomes if o.unscored is not None) or "their partners are missing"


def _unannotated(samples: Sequence[Sample]) -> dict[str, str]:
    """Why disclosures were not annotated, where that was so."""
    found = counted(str(s.rollout.extra[ANNOTATOR]) for s in samples if ANNOTATOR in s.rollout.extra)
    return {UNANNOTATED: found} if found else {}


def counted(reasons: Iterable[str]) -> str:
    """The most frequent reasons, with how often each."""
    most = Counter(reasons).most_common(3)
    return "; ".join(f"{reason} ({count})" for reason, count in most)


def _evaluate(plan: Plan, update: int, metrics: Metrics | None, show: Display) -> None:
    figures = _evaluated(plan, update, show)
    if figures and metrics is not None:
        metrics.add(update, figures)
    if figures:
        show.done(update, figures)


def _evaluated(plan: Plan, update: int, show: Display) -> dict[str, Any]:
    if plan.evaluate is None:
        return {}
    show.doing("evaluating")
    return {f"test/{name}": number for name, number in plan.evaluate(update).items()}
