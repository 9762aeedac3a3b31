"""How a policy is tried: alike for every run of a recipe's `play`, and behind the same barrier whoever sits across."""

from __future__ import annotations

from typing import Any

import pytest

from adidem.core.setup import load
from adidem.core.training.evaluate import Attempt, evaluations_of
from adidem.core.training.prepare import prepare
from adidem.core.training.recipe import recipe_of

MODEL = "openai/partner"
OVERRIDES = [f'models."{MODEL}".api_base=http://127.0.0.1:9/v1']


def attempts(**document: Any) -> dict[str, Attempt]:
    """The ways in which the policy of such a recipe is tried, by name."""
    ready = prepare(load(None, (), OVERRIDES), recipe_of({"conversations": 24, **document}))
    return {each.name: each for each in evaluations_of(ready)[1]}


def test_a_stage_that_plays_otherwise_is_tried_as_the_recipe_plays() -> None:
    """Configurations of a study stay comparable: the stages of one cell say nothing of how it is tried."""
    play = {"partner": "lab:partner", "turns": 8}
    shorter = {"turns": 4, "partner": "scripted:candid"}
    stages = [{"trainer": "ppo", "play": shorter}, {"trainer": "ppo", "play": shorter}]
    found = attempts(play=play, stages=stages, evaluation={"limit": 8})["T=1"]
    assert found.settings.turns == 8
    assert getattr(found.across.agent, "name", None) == "lab:partner"


@pytest.mark.parametrize(("usual", "other"), [("lab:partner", MODEL), (MODEL, "lab:held_out")])
def test_another_partner_sits_behind_the_same_barrier(usual: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is told how it talks, what a script says is distorted, whichever of the two is held out."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    play = {"partner": usual, "barrier": "semantic_vagueness:0.7"}
    found = attempts(play=play, trainer="ppo", evaluation={"limit": 8, "held_out": other})
    for name, spec in (("T=1", usual), ("held_out", other)):
        across: Any = found[name].across
        told, distorted = getattr(across.agent, "directive", None) is not None, bool(across.barrier)
        assert (told, distorted) == ((True, False) if spec == MODEL else (False, True)), name
