"""inspect_ai itself evaluates a mock model on adidem's tasks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="the extra bridges is not installed")
pytestmark = pytest.mark.slow


def declining(input, tools, tool_choice, config):  # noqa: A002
    from inspect_ai.model import ModelOutput

    text = input[-1].text
    said = '{"outcome": "decline", "terms": null}' if "Write one JSON" in text else "Nothing fits me, I fear. [END]"
    return ModelOutput.from_content("mockllm", said)


def test_a_model_is_scored_as_in_a_run(tmp_path) -> None:
    """Who always declines is feasible exactly where declining is right; the log says who said what."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import get_model

    from adidem.core.bridges.inspect_tasks import hico

    model = get_model("mockllm/model", custom_outputs=declining)
    task = hico(family="bounded_quantities", limit=8, seed=1)
    [log] = evaluate(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert len(log.samples) == 8
    for sample in log.samples:
        due = sample.metadata["episode"]["due"]
        assert sample.scores["feasibility"].value == float(due == "decline")
        assert [m.role for m in sample.messages][:2] == ["system", "user"]
        assert sample.messages[-1].text == '{"outcome": "decline", "terms": null}'
    metrics = {score.name: score.metrics for score in log.results.scores}
    assert set(metrics) == {"verified_success", "feasibility", "integrity"}
    expected = sum(s.metadata["episode"]["due"] == "decline" for s in log.samples) / 8
    assert metrics["feasibility"]["mean"].value == pytest.approx(expected)


def test_what_is_unscored_is_left_out_of_the_mean(tmp_path) -> None:
    """Of a judged suite without a judge the headlines are unscored: no zero."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import get_model

    from adidem.core.bridges.inspect_tasks import suite

    model = get_model("mockllm/model", custom_outputs=declining)
    task = suite("sotopia", partner="scripted:candid", limit=2, scores="verified_success")
    [log] = evaluate(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    [score] = log.results.scores
    assert score.unscored_samples == 2


def test_the_command_line_knows_it_by_name(tmp_path) -> None:
    """`inspect eval adidem/hico --model mockllm/model`, through the entry point."""
    command = [str(Path(sys.executable).parent / "inspect"), "eval", "adidem/hico", "--model", "mockllm/model"]
    options = ["-T", "limit=4", "--log-dir", str(tmp_path), "--log-format", "json", "--display", "none"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    [file] = tmp_path.glob("*.json")
    log = json.loads(file.read_text())
    assert log["status"] == "success"
    assert log["results"]["completed_samples"] == 4


def test_any_suite_with_lists_data_and_settings_from_the_command_line(tmp_path) -> None:
    """inspect_ai makes a list of `a,b`; the scores are those that this suite can have."""
    from adidem.plugins.families.casino import OWN

    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(OWN.read_text().splitlines()[:3]) + "\n")
    command = [str(Path(sys.executable).parent / "inspect"), "eval", "adidem/suite", "--model", "mockllm/model"]
    options = ["name=casino", "scores=negotiation.points,negotiation.nash_surplus", f"data={file}"]
    options += ["sets=families.casino.max_logs=8", "repeats=2", "seats=first"]
    log = ["--log-dir", str(tmp_path), "--log-format", "json", "--display", "none"]
    said = [word for option in options for word in ("-T", option)]
    done = subprocess.run([*command, *said, *log], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(next(tmp_path.glob("*.json")).read_text())
    short = sum(len(json.loads(line)["chat_logs"]) <= 8 for line in file.read_text().splitlines())
    assert 0 < short < 3
    assert found["results"]["completed_samples"] == 2 * short
    means = {score["name"]: score["metrics"]["mean"]["value"] for score in found["results"]["scores"]}
    assert means == {"negotiation.points": 5.0, "negotiation.nash_surplus": 0.0}
