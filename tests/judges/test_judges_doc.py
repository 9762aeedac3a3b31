"""What docs/judges.md shows works as it stands there."""

import asyncio
import re
from pathlib import Path

import pytest

from adidem.core.judging.scripted import scripted_ask
from adidem.core.runs.store import RunStore
from adidem.core.setup import load
from judge_helpers import in_range

DOC = (Path(__file__).parents[2] / "docs" / "judges.md").read_text()


@pytest.fixture
def warmth(tmp_path):
    """The judge of one's own, and the suite that names it, as the page has them."""
    (code,) = re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)
    (suite,) = re.findall(r"```yaml\n(suites:.*?)```", DOC, re.DOTALL)
    (tmp_path / "warmth.py").write_text(code)
    (tmp_path / "warmth.j2").write_text("Rate {{ names[0] }} and {{ names[1] }} over {{ turns }} turns.")
    (tmp_path / "registry.yaml").write_text(suite)
    return tmp_path / "registry.yaml"


@pytest.mark.parametrize("way", [0, 1, 2])
def test_each_way_of_giving_it_a_model_reaches_the_endpoint(way, warmth, cli, stub):
    """The page's three commands, with a stub for MODEL; the third where the suite names it under `judges`."""
    lines = re.findall(r"^    adidem (run .*? --plugin warmth.py .*?) +# ", DOC, re.MULTILINE)
    words = lines[way].replace("MODEL", "openai/stub").split()
    if way == 2:
        warmth.write_text(warmth.read_text().replace("model_judges", "judges"))
    asked = {"reasoning": "r", "score": 7}
    stub.answer = lambda body: {name: {"warmth": asked} for name in _people(body)}
    cli(*words, "--limit", 1, "--set", f"judge.api_base={stub.url}", "--json", "--out", "run")
    assert _scored(warmth.parent / "run") == {7}


def _people(body):
    return body["response_format"]["json_schema"]["schema"]["properties"]


def _scored(folder):
    with RunStore(folder) as store:
        return {rating["score"] for rating in store.ratings() if rating["judge"] == "warmth"}


def test_without_a_model_it_says_how_one_reaches_it(warmth, cli):
    """`--judge MODEL` was given, and reaches what the suite names under `model_judges` alone."""
    warmth.write_text("suites:\n  lab: {families: [bounded_quantities], judges: [warmth], model_judges: [integrity]}\n")
    words = ("--plugin", "warmth.py", "--judge", "scripted:judge", "--limit", 1, "--json", "--out", "run")
    cli("run", "lab", *words)
    with RunStore(warmth.parent / "run") as store:
        (why,) = {rating["unscored"] for rating in store.ratings() if rating["judge"] == "warmth"}
    assert "name it under the suite's model_judges" in why
    assert "judges.NAME.model" in why


def test_the_judge_of_ones_own_loads_and_rates(tmp_path, warmth, case_of):
    judge = load(plugins=[tmp_path / "warmth.py"], strict=True).components.get("judge", "warmth")
    case = case_of("bounded_quantities/train/00", "a", ("Hello.", "Hi."), ({"outcome": "decline"},) * 2)
    judgement = asyncio.run(judge.judge(case, scripted_ask(case)))
    assert in_range(judge, judgement)
    assert judgement.score("warmth", "first") is not None


def test_every_dimension_of_the_built_in_judges_is_named():
    for judge in load().components.judges.values():
        assert f"`{judge.name}`" in DOC
        assert all(f"`{dimension.name}`" in DOC for dimension in judge.dimensions)
