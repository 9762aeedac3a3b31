"""Laws of trainers: one number for each policy turn, the return kept, in whichever order conversations come."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import fsum, isclose, isfinite, nan
from typing import Any

from attrs import evolve
from hypothesis import strategies as st

from adidem.core.domain import SEATS, Objective, Probe, Rollout, Sampling, TurnCredit
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain
from adidem.core.kit.search import smallest
from adidem.core.kit.subject import Subject

KINDS = ("rewards", "advantages", "weights")
REWARDS = (0.0, 1.0, 0.2, 0.8, -0.5)
Batch = tuple[Rollout, ...]


def one_number_a_turn(subject: Subject) -> Broken | None:
    """`credit` gives a TurnCredit with one number for each policy turn of each rollout, in their order, and none for
    what is no policy turn."""

    def lacks(batch: Batch) -> str | None:
        credit: Any = subject.thing.credit(batch)
        if not isinstance(credit, TurnCredit):
            return f"credit gave {plain(credit)}, no TurnCredit"
        if credit.kind not in KINDS:
            return f"the kind of the credit is {plain(credit.kind)}: it must be one of {', '.join(KINDS)}"
        if len(credit.values) != len(batch):
            return f"there are {len(batch)} rollouts and credit for {len(credit.values)}"
        for rollout, values in zip(batch, credit.values, strict=True):
            if len(values) != len(rollout.rewards):
                return f"a rollout of {len(rollout.rewards)} policy turns has {len(values)} numbers"
        return None

    return _searched(subject, lacks)


def credit_is_finite(subject: Subject) -> Broken | None:
    """Also where all rewards are equal, a probe could not be read, or others of its group failed and left it alone,
    every number is finite."""

    def strays(batch: Batch) -> str | None:
        for rollout, values in zip(batch, subject.thing.credit(batch).values, strict=True):
            for turn, value in enumerate(values):
                if not isfinite(value):
                    return f"turn {turn} of {_called(rollout)} has the credit {value}"
        return None

    return _searched(subject, strays) or _searched(subject, lambda some: strays(some[0]), _some)


def the_return_is_kept(subject: Subject) -> Broken | None:
    """Rewards that a trainer moves between turns add up to what they were, unless it says `keeps_return = False`."""
    if getattr(subject.thing, "keeps_return", True) is False:
        raise Idle("it says keeps_return = False")

    def loses(batch: Batch) -> str | None:
        credit = subject.thing.credit(batch)
        if credit.kind != "rewards":
            return None
        for rollout, values in zip(batch, credit.values, strict=True):
            before, after = fsum(rollout.rewards), fsum(values)
            if rollout.rewards and not isclose(before, after, rel_tol=1e-6, abs_tol=1e-6):
                return f"the rewards of {_called(rollout)} add up to {before:g}, its credit to {after:g}"
        return None

    return _searched(subject, loses)


def order_is_no_matter(subject: Subject) -> Broken | None:
    """Conversations in another order get the same credit, each its own."""

    def differs(example: tuple[Batch, tuple[int, ...]]) -> str | None:
        batch, order = example
        straight = subject.thing.credit(batch).values
        turned = subject.thing.credit(tuple(batch[place] for place in order)).values
        for place, values in zip(order, turned, strict=True):
            if not _near(straight[place], values):
                was = plain(list(straight[place]))
                return f"{_called(batch[place])} gets {was}, and {plain(list(values))} in the order {list(order)}"
        return None

    def shuffled(batch: Batch) -> st.SearchStrategy[tuple[Batch, tuple[int, ...]]]:
        return st.tuples(st.just(batch), st.permutations(range(len(batch))).map(tuple))

    return _searched(subject, differs, shuffled)


def same_credit_again(subject: Subject) -> Broken | None:
    """The same rollouts get the same credit each time."""

    def differs(batch: Batch) -> str | None:
        one, two = (subject.thing.credit(batch).values for _ in range(2))
        return None if one == two else f"first {plain(one)}, then {plain(two)}"

    return _searched(subject, differs)


def the_unscored_stay_out(subject: Subject) -> Broken | None:
    """A conversation whose return is no number, since its judging failed, changes nobody else's credit."""

    def changes(example: tuple[Batch, int]) -> str | None:
        batch, place = example
        sibling = batch[place]
        unscored = evolve(sibling, sample=99, rewards=(*sibling.rewards[:-1], nan), success=None, ratings={})
        before = subject.thing.credit(batch).values
        after = subject.thing.credit((*batch, unscored)).values
        for rollout, one, two in zip(batch, before, after, strict=False):
            if not _near(one, two):
                return f"{_called(rollout)} gets {plain(one)}, and {plain(two)} beside a sibling that is unscored"
        return None

    def chosen(batch: Batch) -> st.SearchStrategy[tuple[Batch, int]]:
        return st.tuples(st.just(batch), st.sampled_from(range(len(batch))))

    return _searched(subject, changes, chosen)


def the_kind_fits_the_objective(subject: Subject) -> Broken | None:
    """Rewards are for a critic, advantages for a loss without one, weights for the likelihood: the objective says so
    too."""
    objective: Any = subject.thing.objective
    if not isinstance(objective, Objective):
        return Broken(f"`objective` is {plain(objective)}, no Objective")
    said = "weights" if objective.loss == "likelihood" else "rewards" if objective.critic else "advantages"

    def differs(batch: Batch) -> str | None:
        kind = subject.thing.credit(batch).kind
        return None if kind == said else f"credit is {kind}, the objective is made for {said}"

    return _searched(subject, differs)


def batches(sampling: Sampling, scenarios: int) -> st.SearchStrategy[Batch]:
    """Rollouts as the trainer wants them sampled: both worlds of each scenario, or groups in one; lengths differ."""
    worlds: Sequence[Any] = ("a", "b") if sampling.plan == "pairs" else ("a",)
    samples = range(max(1, min(sampling.samples, 2 if sampling.plan == "pairs" else 3)))

    @st.composite
    def drawn(draw: st.DrawFn) -> Batch:
        return tuple(
            _rollout(draw, sampling, f"family/train/{number:02d}", world, SEATS[number % 2], sample)
            for number in range(scenarios)
            for world in worlds
            for sample in samples
        )

    return drawn()


def _some(batch: Batch) -> st.SearchStrategy[tuple[Batch]]:
    """The batch without those whose conversation failed, the fewest first."""
    kept = st.lists(st.sampled_from(range(len(batch))), min_size=1, unique=True)
    return kept.map(lambda places: (tuple(batch[place] for place in sorted(places)),))


def _rollout(draw: st.DrawFn, sampling: Sampling, name: str, world: Any, seat: Any, sample: int) -> Rollout:
    """One conversation: so many utterances and a record, the reward on the record."""
    said, reward = draw(LENGTHS), draw(st.sampled_from(REWARDS))
    return Rollout(
        scenario=name,
        world=world,
        seat=seat,
        sample=sample,
        rewards=(*(0.0,) * said, reward),
        probes=tuple(draw(PROBES) for _ in range(said)) if sampling.probes else (),
        anchors=tuple(draw(ANCHORS) for _ in range(said + 1)),
        success={0.0: False, 1.0: True}.get(reward),
        ratings={"sotopia.goal": 10 * reward} if reward > 0 else {},
        tokens=(3,) * (said + 1),
    )


LENGTHS = st.integers(0, 3)
ANCHORS = st.sampled_from(("start", "asked", "told"))
PROBES = st.sampled_from(
    (
        *(Probe(*seen) for seen in product((False, True), repeat=3)),
        Probe(None, None, False),
        Probe(None, None, True),
    )
)


def _searched(subject: Subject, wrong: Any, more: Any = None) -> Broken | None:
    """The smallest batch, of as few scenarios as will do, that `wrong` complains of; `more` makes of a batch what it
    is given, the batch first."""
    for scenarios in (1, 2):
        drawn: Any = batches(subject.thing.sampling, scenarios)
        found = smallest(
            drawn if more is None else drawn.flatmap(more), wrong, max(10, subject.examples // 2), subject.file
        )
        if found is not None:
            return Broken(found.what, _shown(found.example if more is None else found.example[0]))
    return None


def _near(one: Sequence[float], two: Sequence[float]) -> bool:
    return len(one) == len(two) and all(
        isclose(x, y, rel_tol=1e-6, abs_tol=1e-6) for x, y in zip(one, two, strict=True)
    )


def _called(rollout: Rollout) -> str:
    return f"sample {rollout.sample} of {rollout.scenario}/{rollout.world}/{rollout.seat}"


def _shown(batch: Batch) -> tuple[str, ...]:
    return tuple(
        f"{_called(r)}: rewards {plain(list(r.rewards))}"
        + (f", probes {plain([(p.within, p.elsewhere, p.disclosed) for p in r.probes])}" if r.probes else "")
        for r in batch
    )
