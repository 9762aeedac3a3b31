"""What a person sees of training: one line an update where it is piped, a table that fits the terminal else."""

from __future__ import annotations

import io
from typing import Any

import pytest
from attrs import evolve
from rich.console import Console

from adidem.core.training.loop import train
from adidem.core.training.metrics import read
from adidem.core.training.progress import display, line, outcomes
from adidem.plugins.trainers.grpo import GRPO
from adidem.plugins.trainers.pacpo import PaCPO
from adidem.plugins.trainers.ppo import PPO
from two_turns import new_policy, plan_of, player

SMALL: dict[str, Any] = {"conversations": 16, "lr": 1e-2}

UPDATE: dict[str, Any] = {
    "reward": 0.41234, "feasibility": 0.5, "integrity": 0.9, "verified_success": 0.46, "entropy": 1.234, "kl": 0.00312,
    "clip_fraction": 0.0123, "explained_variance": -0.25, "credit/within": 0.21, "credit/paired": 0.1,
    "credit/gate": 0.3, "credit/corr_phi_return": 0.44, "credit/variance_left": 0.81, "credit/readable": 1.0,
    "credit/unpaired": 0.0, "credit/bonus": 0.5, "dropped": 0, "seconds": 12.3, "seconds_played": 9.0,
    "trainer": "pacpo",
}  # fmt: skip
TITLES = (
    "reward", "Feasibility", "Integrity", "Verified Success", "entropy", "KL", "clip fraction", "explained variance",
    "within credit", "paired credit", "gate open", "corr(Φ, R)", "Var(R-Φ) / Var(R)", "bonus", "seconds",
)  # fmt: skip


def shown(updates: int, terminal: bool, width: int, **more: Any) -> str:
    """What is written while so many updates are made."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=width, color_system=None, legacy_windows=False)
    with display(updates, 0, quiet=False, console=console, **more) as view:
        view.done(0, {"test/T=1/verified_success": 0.25, "test/T=1/turns": 6.0})
        for update in range(1, updates + 1):
            view.doing("pacpo: playing")
            view.done(update, {**UPDATE, **({"nothing_learned": "no reason"} if update == 2 else {})})
    return out.getvalue()


def test_piped_it_is_one_line_an_update() -> None:
    """Nothing else, no escape sequence, and what is as it always is left out."""
    lines = shown(12, False, 80).splitlines()
    assert len(lines) == 13
    assert lines[0] == " 0/12  test VS T=1 0.25"
    assert lines[1] == (
        " 1/12  reward 0.412  F 0.5  I 0.9  VS 0.46  H 1.23  KL 0.00312  clip 0.0123  EV -0.25  within 0.21  "
        "paired 0.1  gate 0.3  corr(Φ,R) 0.44  Var(R-Φ)/Var(R) 0.81  bonus 0.5  s 12.3"
    )
    assert lines[2].endswith("nothing was learned: no reason")


@pytest.mark.parametrize("width", [80, 60, 200])
def test_on_a_terminal_every_figure_has_a_row_and_none_is_cut(width: int) -> None:
    """The last picture, at 80 columns too: the first update and the last ones."""
    text = shown(12, True, width)
    last = text[text.rindex("after update") :]
    rows = {row[:20].strip(): row[20:].split() for row in last.splitlines() if row.strip()}
    assert set(TITLES) <= set(rows)
    heads = last.splitlines()[0].split()[2:]
    assert (heads[0], heads[-1]) == ("0", "12")
    assert len(heads) == min(13, (width - 20) // 10)
    assert rows["reward"] == ["0.412"] * (len(heads) - 1)
    assert rows["test VS, T=1"] == ["0.25"]
    assert all(len(row) <= width for row in last.splitlines())
    assert "12/12" in last
    assert "update 2: nothing was learned: no reason" in text


def test_a_run_that_goes_on_shows_what_was_before() -> None:
    text = shown(3, True, 80, earlier=[{**UPDATE, "update": -1, "reward": 0.777}])
    assert "0.777" in text[text.rindex("after update") :]


def test_what_could_not_be_scored_or_annotated_is_said_with_its_reason() -> None:
    """In an update, in its evaluation, and of the annotator, whose agreement is a figure like the others."""
    figures = {
        "reward": 0.5,
        "annotators_agree": 0.75,
        "annotator_failed": 0.25,
        "unannotated": "timeout: no answer (3)",
        "test/T=1/unscored": 4.0,
        "test/unscored": "integrity: server_error (4)",
    }
    assert line(figures) == (
        "reward 0.5  annotators 0.75  unannotated 0.25  not annotated: timeout: no answer (3)  "
        "unscored in evaluation: integrity: server_error (4)"
    )
    assert "unannotated" not in line({"annotators_agree": 1.0, "annotator_failed": 0.0})


def test_the_last_update_in_words() -> None:
    found = outcomes({**UPDATE, "test/T=0/verified_success": 0.7, "unscored": "judge x: timeout (2)"})
    assert found == (
        "reward 0.412, Feasibility 0.5, Integrity 0.9, Verified Success 0.46, test VS, T=0 0.7, "
        "unscored: judge x: timeout (2)"
    )
    assert line({"reward": float("nan"), "kl": None, "update": 3}) == ""


def alike(jobs: Any, sampling: Any) -> Any:
    """Every conversation comes to the same return, whatever was said."""
    found = player(new_policy())(jobs, sampling)
    even = [evolve(each.rollout, rewards=(0.0,) * len(each.rollout.rewards)) for each in found]
    return [evolve(each, rollout=rollout) for each, rollout in zip(found, even, strict=True)]


@pytest.mark.parametrize(
    ("trainer", "said"),
    [
        (GRPO(), "every advantage is 0: all 16 conversations came to the same return, 0"),
        (PPO(), "all 16 conversations came to the same return, 0"),
    ],
)
def test_where_all_returns_are_equal_it_is_said(tmp_path: Any, trainer: Any, said: str) -> None:
    plan = plan_of(new_policy(), trainer, updates=2, **SMALL)
    train(evolve(plan, stages=[evolve(plan.stages[0], play=alike)]), tmp_path)
    assert all(said in found["nothing_learned"] for found in read(tmp_path))


def test_where_no_weight_changes_it_is_said(tmp_path: Any) -> None:
    """A step below what the weights resolve, as of an adapter in bfloat16; where something is learned, nothing."""
    plan = plan_of(new_policy(), GRPO(), updates=1, conversations=32, lr=1e-30)
    train(plan, tmp_path / "a")
    (found,) = read(tmp_path / "a")
    assert found["advantage"] > 0
    assert found["changed"] == 0
    assert "no weight of the policy changed" in found["nothing_learned"]
    train(plan_of(new_policy(), GRPO(), PaCPO(), updates=1, conversations=32, lr=1e-2), tmp_path / "b")
    assert not [each for each in read(tmp_path / "b") if "nothing_learned" in each or not each["changed"]]
