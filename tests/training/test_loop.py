"""The loop: what is dropped and counted, going on to the same numbers, stages, and what stops it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from attrs import evolve, frozen

from adidem.core.domain import Objective, Rollout, Sampling, TurnCredit
from adidem.core.errors import ConfigError, TrainingError
from adidem.core.training import checkpoint
from adidem.core.training.contracts import Job
from adidem.core.training.loop import Outcome, Plan, Stage, credited, train
from adidem.core.training.metrics import FILE, Metrics, read
from adidem.core.training.progress import line
from adidem.plugins.trainers.grpo import GRPO
from adidem.plugins.trainers.pacpo import PaCPO
from adidem.plugins.trainers.ppo import PPO
from adidem.plugins.trainers.self_reinforcement import SelfReinforcement
from rollouts import rollout
from two_turns import new_policy, plan_of, player

SMALL: dict[str, Any] = {"conversations": 16, "lr": 1e-2}


def weights_of(plan: Plan) -> torch.Tensor:
    """All weights of the policy and its value head in one row."""
    policy: Any = plan.policy
    return torch.cat([p.detach().reshape(-1) for p in (*policy.model.parameters(), *policy.head.parameters())])


def numbers(run: Path) -> list[dict[str, Any]]:
    """A run's figures without its seconds."""
    return [{k: v for k, v in each.items() if not k.startswith("seconds")} for each in read(run)]


def broken_at(plan: Plan, update: int) -> Plan:
    """The plan, killed while it plays that update."""
    played = 0

    def play(stage: Stage, jobs: Sequence[Job], sampling: Sampling) -> Sequence[Outcome]:
        nonlocal played
        played += 1
        if played > update:
            raise KeyboardInterrupt
        return stage.play(jobs, sampling)

    stages = [evolve(s, play=lambda jobs, sampling, s=s: play(s, jobs, sampling)) for s in plan.stages]
    return evolve(plan, stages=stages)


@pytest.mark.parametrize("save_every", [1, 3])
def test_a_killed_run_goes_on_to_the_same_numbers(tmp_path: Path, save_every: int) -> None:
    """Two stages of different trainers; killed in the fourth update; what was written after the checkpoint is cut."""

    def plan() -> Plan:
        made = plan_of(new_policy(), PPO(), PaCPO(), updates=3, **SMALL)
        return evolve(made, save_every=save_every)

    whole, halved = tmp_path / "whole", tmp_path / "halved"
    one = plan()
    assert train(one, whole) == 6
    with pytest.raises(KeyboardInterrupt):
        train(broken_at(plan(), 4), halved)
    assert len(read(halved)) == 4
    assert checkpoint.saved(halved)[-1] == {1: 4, 3: 3}[save_every]
    with (halved / FILE).open("a") as file:
        file.write('{"update": 5, "rew')  # a torn line
    two = plan()
    assert train(two, halved, resume=True) == 6 - checkpoint_before(save_every)
    assert numbers(halved) == numbers(whole)
    assert torch.equal(weights_of(one), weights_of(two))


def checkpoint_before(save_every: int) -> int:
    """Updates that were kept when it was killed."""
    return {1: 4, 3: 3}[save_every]


def test_a_run_that_is_done_is_done(tmp_path: Path) -> None:
    """Resumed it makes no update, and its policy is written all the same."""
    train(plan_of(new_policy(), GRPO(), updates=2, **SMALL), tmp_path)
    before = (tmp_path / FILE).read_text()
    assert train(plan_of(new_policy(), GRPO(), updates=2, **SMALL), tmp_path, resume=True) == 0
    assert (tmp_path / FILE).read_text() == before
    assert (tmp_path / "policy" / "adidem.json").is_file()


def test_a_half_written_checkpoint_is_none(tmp_path: Path) -> None:
    """It has no name yet; the last whole one counts, older ones are forgotten."""
    for update in range(1, 5):
        checkpoint.save(tmp_path, update, {"update": update}, keep=2)
    (tmp_path / "checkpoints" / "000009.half").mkdir()
    assert checkpoint.saved(tmp_path) == [3, 4]
    assert checkpoint.load(tmp_path, 4) == {"update": 4}
    (tmp_path / "checkpoints" / "000004" / "state.pt").write_bytes(b"torn")
    with pytest.raises(TrainingError, match=r"state.pt: cannot be read: .*delete its folder to go on from an earlier"):
        checkpoint.load(tmp_path, 4)


def test_trap_11_the_reference_is_the_start_of_the_stage(tmp_path: Path) -> None:
    """Imitation, then PaCPO: the second stage's reference is what the first one came to, also after a kill."""
    seen = []

    def watched(plan: Plan) -> Plan:
        policy: Any = plan.policy
        anchor = policy.anchor

        def noted() -> None:
            anchor()
            ids = torch.tensor([[0, 1, 4, 3]])
            length = torch.tensor([4])
            with torch.no_grad():
                now = policy.score(ids, length, temperature=1.0).logp
            assert torch.allclose(policy.reference(ids, length, temperature=1.0), now, atol=1e-6)
            seen.append(weights_of(plan))

        policy.anchor = noted
        return plan

    stages = (SelfReinforcement(keep="success"), PaCPO())
    train(watched(plan_of(new_policy(), *stages, updates=2, kl=0.1, **SMALL)), tmp_path / "a")
    assert len(seen) == 2
    assert not torch.equal(seen[0], seen[1])
    with pytest.raises(KeyboardInterrupt):
        train(broken_at(plan_of(new_policy(), *stages, updates=2, kl=0.1, **SMALL), 3), tmp_path / "b")
    train(plan_of(new_policy(), *stages, updates=2, kl=0.1, **SMALL), tmp_path / "b", resume=True)
    assert numbers(tmp_path / "a") == numbers(tmp_path / "b")
    assert [each["trainer"] for each in read(tmp_path / "a")] == ["self_reinforcement"] * 2 + ["pacpo"] * 2


def test_an_unscored_conversation_is_dropped_with_its_partner_and_counted(tmp_path: Path) -> None:
    """Never given a number: of 16 conversations two are lost, one unscored and one left without its other world."""
    plan = plan_of(new_policy(), PaCPO(), updates=1, **SMALL)

    def play(jobs: Sequence[Job], sampling: Sampling) -> Sequence[Outcome]:
        outcomes = list(player(new_policy())(jobs, sampling))
        outcomes[0] = Outcome(unscored="judge integrity: timeout")
        return outcomes

    train(evolve(plan, stages=[evolve(plan.stages[0], play=play)]), tmp_path)
    (found,) = read(tmp_path)
    assert (found["conversations"], found["dropped"]) == (16, 2)
    assert found["unscored"] == "judge integrity: timeout (1)"
    assert found["credit/unpaired"] == 0


def test_an_update_in_which_nothing_is_scored_stops(tmp_path: Path) -> None:
    """With the causes."""
    plan = plan_of(new_policy(), GRPO(), updates=1, **SMALL)
    stage = evolve(plan.stages[0], play=lambda jobs, _: [Outcome(unscored="connection: refused")] * len(jobs))
    with pytest.raises(TrainingError, match=r"update 1: no conversation can be used: connection: refused \(16\)"):
        train(evolve(plan, stages=[stage]), tmp_path)


@frozen
class Strange:
    """A trainer that gives whatever it is told to."""

    said: Any
    name: str = "strange"
    sampling: Sampling = Sampling()
    objective: Objective = Objective()

    def credit(self, rollouts: Sequence[Rollout]) -> Any:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (None, "gave NoneType, not a TurnCredit"),
        (TurnCredit("rewards", ()), "gave 0 rows for 1 conversations"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (TurnCredit("advantages", ((1.0,),), {"x": "y"}), "could not convert"),  # type: ignore[dict-item]
        *[
            (TurnCredit("advantages", values), cause)  # type: ignore[arg-type]
            for values, cause in (
                ((("1",),), "conversation 0, turn 0 is str, no number"),
                (((None,),), "conversation 0, turn 0 is NoneType, no number"),
                (((10**400,),), "conversation 0, turn 0 is beyond what a float holds"),
                (((1j,),), "conversation 0, turn 0 is complex, no number"),
                ((None,), "conversation 0 is NoneType, no row of numbers"),
                (None, "TypeError"),
            )
        ],
        (TurnCredit("rewards", ((1.0,),)), "gave rewards, and its objective is made for advantages"),
        (TurnCredit("weights", ((1.0,),)), "gave weights, and its objective is made for advantages"),
    ],
)
def test_a_trainers_own_fault_names_it(said: Any, cause: str) -> None:
    """One line with the trainer, its file and the cause."""
    with pytest.raises(ConfigError, match=f"trainer 'strange' .*test_loop.py.*{cause}"):
        credited(Strange(said), [rollout(turns=1)])


@pytest.mark.parametrize(
    ("objective", "kind"),
    [
        (Objective(), "advantages"),
        (Objective(critic=True), "rewards"),
        (Objective(loss="likelihood"), "weights"),
    ],
)
def test_credit_is_of_the_kind_that_the_objective_is_made_for(objective: Objective, kind: Any) -> None:
    """Any other kind is refused; integers are numbers."""
    one = rollout(turns=1)
    for given in ("rewards", "advantages", "weights"):
        strange = Strange(TurnCredit(given, ((1,),)), objective=objective)
        if given == kind:
            assert credited(strange, [one]).values == ((1.0,),)
            continue
        with pytest.raises(
            ConfigError, match=f"trainer 'strange' .*gave {given}, and its objective is made for {kind}"
        ):
            credited(strange, [one])


def test_a_negative_weight_of_the_likelihood_is_refused() -> None:
    """It would be left out and nothing said of it."""
    strange = Strange(TurnCredit("weights", ((-1.0,),)), objective=Objective(loss="likelihood"))
    with pytest.raises(ConfigError, match="turn 0 is -1: a weight of the likelihood is never negative"):
        credited(strange, [rollout(turns=1)])


@pytest.mark.parametrize(
    "made",
    [
        lambda: Objective(loss="huber"),  # type: ignore[arg-type]
        lambda: Objective(reduce="mean"),  # type: ignore[arg-type]
        lambda: Objective(level="word"),  # type: ignore[arg-type]
        lambda: Objective(loss="likelihood", critic=True),
        lambda: Sampling("trios"),  # type: ignore[arg-type]
        lambda: Sampling(probe_at="both"),  # type: ignore[arg-type]
        lambda: Sampling(source="nobody"),  # type: ignore[arg-type]
        lambda: TurnCredit("returns", ()),  # type: ignore[arg-type]
    ],
)
def test_a_word_that_names_no_formula_is_refused(made: Any) -> None:
    """Else another formula would train in its place."""
    with pytest.raises(ValueError, match=r"critic|must be in"):
        made()


def test_an_update_in_which_every_weight_is_nought_says_so(tmp_path: Path) -> None:
    """In the figures and on the line."""
    plan = plan_of(new_policy(), SelfReinforcement(), updates=1, **SMALL)
    said = Silencing(plan.stages[0].trainer)
    train(evolve(plan, stages=[evolve(plan.stages[0], trainer=said)]), tmp_path)
    (found,) = read(tmp_path)
    assert (found["steps"], found["nothing_learned"]) == (0, "no weight is above 0")
    assert line(found).endswith("nothing was learned: no weight is above 0")


@frozen
class Silencing:
    """Another trainer, whose every weight is 0."""

    under: Any
    name: str = "silencing"

    @property
    def sampling(self) -> Sampling:
        """The other's."""
        found: Sampling = self.under.sampling
        return found

    @property
    def objective(self) -> Objective:
        """The other's."""
        found: Objective = self.under.objective
        return found

    def credit(self, rollouts: Sequence[Rollout]) -> TurnCredit:
        """Noughts."""
        return TurnCredit("weights", tuple((0.0,) * len(each.rewards) for each in rollouts))


def test_undefined_figures_are_null_and_shown_nowhere(tmp_path: Path) -> None:
    """JSON knows no NaN."""
    metrics = Metrics(tmp_path, -1, board=False)
    metrics.add(1, {"reward": 0.25, "explained_variance": float("nan"), "trainer": "ppo"})
    metrics.close()
    text = (tmp_path / FILE).read_text()
    assert json.loads(text) == {"update": 1, "reward": 0.25, "explained_variance": None, "trainer": "ppo"}
    assert line(json.loads(text)) == "reward 0.25"


def test_the_line_of_an_update_shows_what_the_trainer_says_of_its_credit() -> None:
    """Known figures under short names in their order, a plugin's own after them."""
    figures = {"credit/mine": 0.5, "credit/within": 0.25, "reward": 0.1234, "kl": 0.001, "dropped": 2}
    assert line(figures) == "reward 0.123  KL 0.001  within 0.25  mine 0.5  dropped 2"


@pytest.mark.parametrize("bad", ["x{line}", "[]", "", '{"update": "1"}', "[" * 100_000])
def test_a_garbled_line_of_figures_is_named_and_the_file_left_alone(bad: str, tmp_path: Path) -> None:
    """Of any line that has its end; a torn last one is written again."""
    good = [json.dumps({"update": update, "reward": 0.5}) for update in (1, 2, 3)]
    file = tmp_path / FILE
    for place in range(3):
        lines = [*good]
        lines[place] = bad.replace("{line}", good[place])
        text = "\n".join(lines) + "\n"
        file.write_text(text)
        with pytest.raises(TrainingError, match=rf"metrics\.jsonl:{place + 1}: holds no figures"):
            Metrics(tmp_path, 3, board=False)
        assert file.read_text() == text
    file.write_text("\n".join(good)[:-4])
    Metrics(tmp_path, 3, board=False).close()
    assert file.read_text() == "\n".join(good[:2]) + "\n"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_the_board_holds_the_same_figures(tmp_path: Path) -> None:
    """TensorBoard reads them back."""
    train(evolve(plan_of(new_policy(), GRPO(), updates=2, **SMALL), board=True), tmp_path)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = EventAccumulator(str(tmp_path / "tensorboard"))
    board.Reload()
    assert [each.value for each in board.Scalars("reward")] == pytest.approx(
        [each["reward"] for each in read(tmp_path)]
    )


def test_evaluation_comes_before_after_and_between(tmp_path: Path) -> None:
    """At 0, every second update, and at the end."""
    plan = evolve(
        plan_of(new_policy(), GRPO(), updates=3, **SMALL), evaluate=lambda u: {"x": float(u)}, evaluate_every=2
    )
    train(plan, tmp_path)
    assert [(each["update"], each.get("test/x")) for each in read(tmp_path)] == [
        (0, 0.0),
        (1, None),
        (2, 2.0),
        (3, 3.0),
    ]
