"""verifiers itself rolls an environment out with a mock endpoint."""

import asyncio

import pytest

pytest.importorskip("verifiers", reason="the extra bridges is not installed")
pytestmark = pytest.mark.slow


def answer(body):
    text = body["messages"][-1]["content"]
    text = text if isinstance(text, str) else text[0]["text"]
    if "Write one JSON" in text:
        return '{"outcome": "decline", "terms": null}'
    return "Nothing fits me, I fear. [END]"


@pytest.fixture
def client(stub, monkeypatch):
    import verifiers as vf

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    stub.answer = answer
    from verifiers.types import ClientConfig

    _ = vf
    return ClientConfig(api_key_var="OPENAI_API_KEY", api_base_url=stub.url)


def test_rollouts_are_rewarded_by_what_came_of_them(client) -> None:
    """Who always declines is rewarded exactly where that is verified, as in a run with the same seed."""
    import verifiers as vf

    env = vf.load_environment(
        "adidem", suite="hico", family="bounded_quantities", limit=4, seed=1, reward="feasibility"
    )
    assert len(env.get_dataset()) == 4
    found = asyncio.run(env.evaluate(client, "stub", num_examples=4, rollouts_per_example=1))
    outputs = found["outputs"]
    assert len(outputs) == 4
    for output in outputs:
        assert output.get("error") is None
        job = env.ready.jobs[output["info"]["job"]]
        rules = env.ready.prepared.selection.rules["bounded_quantities"]
        due = rules.right(job.task.scenario.world(job.task.world)).outcome
        assert output["reward"] == float(due == "decline")
        assert "decline" in str(output["completion"][-1])


def test_a_reward_that_nobody_gives_is_refused_at_once() -> None:
    """It would otherwise be unscored in every rollout."""
    import verifiers as vf

    with pytest.raises(Exception, match=r"negotiation\.nash_surplus"):
        vf.load_environment("adidem", suite="casino", limit=1, reward="negotiation.nash")
    made = vf.load_environment("adidem", suite="casino", limit=1, reward="negotiation.nash_surplus")
    assert made.reward == "negotiation.nash_surplus"
