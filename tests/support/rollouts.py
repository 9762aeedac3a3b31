"""Rollouts for the tests of trainers: conversations without a conversation, and strategies that draw whole updates."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from adidem.core.domain import Probe, Rollout
from adidem.core.training.contracts import Sample, Trajectory

FITS, MISFITS, UNREADABLE = (True, False), (False, True), (None, None)


def probe(kind: tuple[bool | None, bool | None] = FITS, disclosed: bool = True) -> Probe:
    """A probe by what it is within and elsewhere."""
    return Probe(kind[0], kind[1], disclosed)


def rollout(
    reward: float = 1.0, probes: Sequence[Probe] = (), *, turns: int | None = None, world: str = "a", **more: Any
) -> Rollout:
    """A conversation whose reward sits on its record; one utterance a probe, or `turns` policy turns in all."""
    count = len(probes) + 1 if turns is None else turns
    given: dict[str, Any] = {"scenario": "s", "seat": "first", "sample": 0, **more}
    return Rollout(world=world, rewards=(0.0,) * (count - 1) + (reward,), probes=tuple(probes), **given)  # type: ignore[arg-type]


def sample(rollout: Rollout, tokens: Sequence[int] | None = None, context: int = 3, partner: int = 2) -> Sample:
    """A conversation as tokens: a context, then every policy turn with so many tokens, the partner's between them."""
    lengths = tokens if tokens is not None else [2] * len(rollout.rewards)
    turns = [-1] * context
    for turn, length in enumerate(lengths):
        turns += [turn] * length + [-1] * (partner if turn + 1 < len(lengths) else 0)
    ids = tuple(range(1, len(turns) + 1))
    trajectory = Trajectory(ids, tuple(turns), tuple(-1.0 if t >= 0 else 0.0 for t in turns), rollout.truncated)
    return Sample(trajectory, rollout)


rewards = st.floats(-2, 2, allow_nan=False, width=32)
kinds = st.sampled_from([(True, True), FITS, MISFITS, (False, False), UNREADABLE])
probes = st.builds(probe, kinds, st.booleans())


@st.composite
def updates(draw: st.DrawFn, most_scenarios: int = 3, samples: int = 2) -> list[Rollout]:
    """Rollouts of a pairs plan: in each scenario the same samples in both worlds, of any lengths; each turn may have a
    reward of its own."""
    found = []
    for scenario in range(draw(st.integers(1, most_scenarios))):
        for world in ("a", "b"):
            for k in range(samples):
                said = draw(st.lists(probes, max_size=4))
                numbers = tuple(draw(st.lists(rewards, min_size=len(said) + 1, max_size=len(said) + 1)))
                anchors = tuple(draw(st.sampled_from("xyz")) for _ in numbers)
                success = draw(st.booleans())
                found.append(
                    Rollout(
                        f"s{scenario}",
                        world,
                        "first",
                        k,
                        numbers,
                        tuple(said),
                        anchors,
                        success,
                        tokens=(2,) * len(numbers),
                    )
                )
    return found
