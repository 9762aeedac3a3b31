"""To repeat it: the command in a report resolves to the configuration that the run had."""

import re
import shlex

import pytest
import yaml

from adidem.core.report.sections.settings import settings

RUNS = {
    "options": "hico --limit 4 --turns 6 --seed 5 --barrier semantic_vagueness --repair aware",
    "a seat and its judges": "hico --limit 2 --set suites.hico.seats=first --set suites.hico.judges=[integrity_rules]",
    "an option of a family": "hico --family set_consent --limit 4 --set families.set_consent.max_items=5",
    "no barrier": "socialveil --limit 2 --set suites.socialveil.barriers=[]",
    "model judges": "hico --limit 2 --judge scripted:judge --set suites.hico.model_judges=[integrity]",
    "calls at once": "casino --limit 2 --concurrency 3",
}


@pytest.mark.parametrize("name", RUNS)
def test_the_command_of_a_report_has_the_same_configuration(cli, tmp_path, name):
    cli("run", *RUNS[name].split(), "--out", tmp_path / "first", "--quiet")
    text = cli("report", tmp_path / "first", "--format", "md").stdout
    (command,) = re.findall(r"^    adidem (run .*)$", text, re.M)
    cli(*shlex.split(command), "--out", tmp_path / "second", "--quiet")
    first, second = (
        yaml.safe_load((tmp_path / run / "config.yaml").read_text(encoding="utf-8")) for run in ("first", "second")
    )
    assert first == second


def test_how_models_are_called_is_said_without_their_names():
    agent = {"model": "openai/x", "api_base": "http://127.0.0.1:8000/v1"}
    models = {"agent": agent, "judge openai/y": {"temperature": 0.5}}
    assert list(settings({"suite": "hico", "judges": ["integrity_rules", "conduct"], "models": models}, {})) == [
        "--set", 'agent.api_base="http://127.0.0.1:8000/v1"', "--set", "judge.temperature=0.5",
    ]  # fmt: skip


def test_a_suite_of_another_registry_says_that_it_needs_it(cli, copied, played):
    assert "--registry" not in cli("report", played, "--format", "md").stdout
    other = copied("other", config={"suite": "mine", "components": {"family.mine": {"size": 3}}, "judges": ["mine"]})
    text = cli("report", other, "--format", "md").stdout
    assert "the suite is of a registry of one's own: the command needs it (--registry), and its plugins" in text
    assert "--set" not in text.partition("adidem run mine")[2].partition("\n")[0]
