"""The main job: what `make run` and `make run MODEL=` play, and what is said at the end."""

import subprocess
from importlib import util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def main_job():
    spec = util.spec_from_file_location("main_job", ROOT / "examples" / "main_job.py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def played(main_job, monkeypatch):
    """The agents that are played, in place of playing them."""
    agents = []
    share = {"value": 0.5, "ci_low": 0.4, "ci_high": 0.6, "unscored": 0}

    def play(_folder, agent, *_more):
        agents.append(agent)
        return {"episodes": {"scored": 24, "failed": 0}, "metrics": dict.fromkeys(main_job.HEADLINES, share)}, 1.0

    monkeypatch.setattr(main_job, "play", play)
    monkeypatch.setattr(main_job.subprocess, "run", lambda *_args, **_named: None)
    monkeypatch.setenv("COLUMNS", "60")
    return agents


@pytest.mark.parametrize("model", ["local:smollm2", None])
def test_what_it_says_can_be_copied_and_how_long_it_takes(main_job, played, capsys, model):
    main_job.main(model)
    said = capsys.readouterr().out
    assert played == [*main_job.SCRIPTED, *([model] if model else [])]
    assert "  .venv/bin/adidem run hico --agent openai/NAME --api-base http://localhost:8000/v1\n" in said
    assert ("about four minutes on two quiet cores, more on a busy machine\n" in said) == (model is not None)
    assert ("family by family" in said) == (model is not None)


@pytest.mark.parametrize(
    ("words", "last"),
    [([], "examples/main_job.py local:smollm2"), (["MODEL="], "examples/main_job.py"), (["MODEL=x/y"], "y.py x/y")],
)
def test_the_makefile_gives_the_model_or_none(words, last):
    done = subprocess.run(["make", "-n", "run", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if "main_job.py" in line]  # another make says where it is
    assert line.rstrip().endswith(last.replace("y.py", "main_job.py"))
