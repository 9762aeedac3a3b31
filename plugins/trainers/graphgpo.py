"""GraphGPO, the graph-based group method that HICO-Bench compares with: the conversations of one task are laid over
each other as a graph of states, and a step is worth how near it comes to success.

    nodes = anchor states, edges = steps, goal = a virtual node behind every verified success
    d(s) = length of the shortest way from s to the goal; unreachable: the largest finite d + 1
    G_{i,t} = 10 · γ^{d(s')},  s' the state that the step leads to
    Â_{i,t} = A_E(i) + ω · norm(G_{i,t} among the steps that leave the same state),  A_E(i) = norm_g(R_i)

In a group without any success there is no goal to be near to, and no step advantage. A conversation's last step (its
record) leads to the goal where it was a Verified Success, and nowhere where it was not. Anchors are those of GiGPO
(`Rollout.anchors`); a turn without a token is an edge and gets no step advantage.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from attrs import field, frozen
from attrs.validators import ge, gt, in_, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollout, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.plugins.trainers._groups import anchors, even, gathered, laid_out, normalised, task_of, totals
from adidem.plugins.trainers.gigpo import has_tokens

if TYPE_CHECKING:
    import numpy as np
else:
    np = LazyModule("numpy")

GOAL, NOWHERE = object(), object()
"""Where the record of a success leads, and where any other leads."""


@frozen
class GraphGPO:
    """Group advantages, and step advantages from the distance to success in the graph of a task's conversations."""

    name: ClassVar[str] = "graphgpo"
    samples: int = field(default=4, validator=[ge(2), le(64)], metadata={"doc": "G, conversations of one group"})
    omega: float = field(default=1.0, validator=[ge(0), le(100)], metadata={"doc": "weight of the step advantage"})
    gamma: float = field(default=0.95, validator=[gt(0), le(1)], metadata={"doc": "γ of 10·γ^d"})
    eps: float = field(default=1e-4, validator=[gt(0), le(1)], metadata={"doc": "added to the deviation"})
    reduce: Literal["sequence", "token"] = field(default="sequence", validator=in_(["sequence", "token"]))

    @property
    def sampling(self) -> Sampling:
        """Groups with probes, which the anchor states are made of."""
        return Sampling("groups", self.samples, probes=True)

    @property
    def objective(self) -> Objective:
        """Clipped, no critic."""
        return Objective(reduce=self.reduce)

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """Both advantages, added. Raises ValueError where anchors are missing."""
        states = anchors(rollouts, self.name)
        returns, groups = totals(rollouts), gathered(map(task_of, rollouts))
        starts = np.concatenate([[0], np.cumsum([len(r.rewards) for r in rollouts])])
        step = np.zeros(int(starts[-1]))
        for group in groups:
            scored = [i for i in group if np.isfinite(returns[i])]
            values = _steps([(rollouts[i], states[i]) for i in scored], self.gamma, self.eps)
            for i, value in zip(scored, values, strict=True):
                step[starts[i] : starts[i + 1]] = value
        episode = normalised(returns, groups, self.eps)
        reached = [any(rollouts[i].success for i in group) for group in groups]
        found = {
            "even_groups": even(returns, groups),
            "groups_with_success": float(np.mean(reached)) if reached else float("nan"),
        }
        both = np.repeat(episode, np.diff(starts)) + self.omega * step
        return TurnCredit("advantages", laid_out(both, rollouts), found)


def _steps(group: Sequence[tuple[Rollout, tuple[str, ...]]], gamma: float, eps: float) -> list[list[float]]:
    """The step advantages of one task's conversations."""
    if not any(rollout.success for rollout, _ in group):
        return [[0.0] * len(states) for _, states in group]
    ways = [[*states[1:], GOAL if rollout.success else NOWHERE] for rollout, states in group]
    edges = [edge for (_, states), way in zip(group, ways, strict=True) for edge in zip(states, way, strict=True)]
    distance = distances(edges)
    beyond = max(distance.values()) + 1
    values = np.array([10 * gamma ** distance.get(there, beyond) for _, there in edges])
    spoken = [has_tokens(rollout.tokens, t) for rollout, states in group for t in range(len(states))]
    leaving = gathered(
        (edge[0],) if said else (None, i) for i, (edge, said) in enumerate(zip(edges, spoken, strict=True))
    )
    found = iter(normalised(values, leaving, eps).tolist())
    return [[next(found) for _ in states] for _, states in group]


def distances(edges: Sequence[tuple[object, object]]) -> dict[object, int]:
    """The least number of steps from each node to GOAL; nodes from which no way leads there are not in it."""
    before: dict[object, list[object]] = {}
    for here, there in edges:
        before.setdefault(there, []).append(here)
    found: dict[object, int] = {GOAL: 0}
    waiting = deque([GOAL])
    while waiting:
        node = waiting.popleft()
        for here in before.get(node, ()):
            if here not in found:
                found[here] = found[node] + 1
                waiting.append(here)
    return found


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """GraphGPO."""
    register(GraphGPO)
