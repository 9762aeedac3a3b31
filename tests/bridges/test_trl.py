"""TRL's own trainer trains a tiny model on adidem's tasks, and drives its environment."""

import json

import pytest

trl = pytest.importorskip("trl", reason="the extra bridges is not installed")
pytestmark = pytest.mark.slow

from adidem.core.bridges.game import game  # noqa: E402
from adidem.core.bridges.trl_rollouts import (  # noqa: E402
    REWARDS,
    RolloutFunc,
    dataset,
    environment_factory,
    rewards,
)
from tiny_chat import tokenizer, write_chat_model  # noqa: E402

DECLINE = '{"outcome": "decline", "terms": null}'


@pytest.fixture(scope="module")
def ready():
    return game("hico", family="bounded_quantities", limit=4, seed=1, turns=4)


class Trainer:
    """What a rollout function looks at of a trainer."""

    processing_class = tokenizer()


def test_only_what_was_sampled_is_trained_on(ready) -> None:
    """The mask is 1 on the policy's tokens and 0 on the partner's; log-probs stand where the mask does."""
    speaks = tokenizer()
    drawn = []

    def sampler(_trainer):
        def sample(ids):
            asked = speaks.decode(ids).rsplit("<|im_start|>user\n", 1)[1]
            said = DECLINE if "Write one JSON" in asked else "Nothing fits me, I fear. [END]"
            found = [*speaks.encode(said), speaks.eos_token_id]
            drawn.append(found)
            return found, [-0.5] * len(found)

        return sample

    names = list(ready.jobs)
    prompts = [[{"role": "user", "content": name}] for name in (names[0], names[0], names[1])]
    out = RolloutFunc(ready, "feasibility", sampler)(prompts, Trainer())
    assert {len(values) for values in out.values()} == {3}
    sampled = []
    for prompt, ids, logps, mask in zip(
        out["prompt_ids"], out["completion_ids"], out["logprobs"], out["env_mask"], strict=True
    ):
        assert len(ids) == len(logps) == len(mask)
        assert all((logp != 0) == bool(m) for logp, m in zip(logps, mask, strict=True))
        sampled += [i for i, m in zip(ids, mask, strict=True) if m]
        text = speaks.decode([*prompt, *ids])
        assert text.count("<|im_start|>system\n") == 1
        assert text.endswith(DECLINE + "<|im_end|>")
    assert sampled == [i for ids in drawn for i in ids]
    for name, reward in zip((names[0], names[0], names[1]), out[REWARDS], strict=True):
        job = ready.jobs[name]
        rules = ready.prepared.selection.rules["bounded_quantities"]
        assert reward == float(rules.right(job.task.scenario.world(job.task.world)).outcome == "decline")


def test_the_trainer_takes_a_step_with_it(ready, tmp_path) -> None:
    folder = write_chat_model(tmp_path / "model")
    config = trl.GRPOConfig(
        output_dir=str(tmp_path / "out"),
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=12,
        max_steps=1,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
    )
    trainer = trl.GRPOTrainer(
        model=str(folder),
        args=config,
        reward_funcs=[rewards],
        train_dataset=dataset(ready),
        rollout_func=RolloutFunc(ready, "integrity"),
    )
    trainer.train()
    assert trainer.state.global_step == 1


def test_the_environment_plays_an_episode_through_its_tool(ready) -> None:
    environment = environment_factory(ready, "feasibility")()
    row = dataset(ready)[0]
    told = environment.reset(**row)
    assert "Call the tool `reply`" in told
    assert environment.get_reward() is None
    heard = environment.reply("Nothing fits me, I fear. [END]")
    assert "Write one JSON" in heard
    assert environment.reply(DECLINE) == "It is over."
    assert environment.get_reward() in (0.0, 1.0)
    assert environment.reset(**row) == told


def test_trl_takes_its_method_for_a_tool() -> None:
    """The schema that TRL shows a model is made of the method's own docstring."""
    from transformers.utils import get_json_schema

    from adidem.core.bridges.trl_rollouts import Environment

    found = get_json_schema(Environment.reply)["function"]
    assert found["name"] == "reply"
    assert "JSON object" in json.dumps(found["parameters"])
