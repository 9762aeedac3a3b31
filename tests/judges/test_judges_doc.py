"""What docs/judges.md shows works as it stands there."""

import asyncio
import re
from pathlib import Path

from adidem.core.judging.scripted import scripted_ask
from adidem.core.setup import load
from judge_helpers import in_range

DOC = (Path(__file__).parents[2] / "docs" / "judges.md").read_text()


def test_the_judge_of_ones_own_loads_and_rates(tmp_path, case_of):
    (code,) = re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)
    (tmp_path / "warmth.py").write_text(code)
    (tmp_path / "warmth.j2").write_text("Rate {{ names[0] }} and {{ names[1] }} over {{ turns }} turns.")
    judge = load(plugins=[tmp_path / "warmth.py"], strict=True).components.get("judge", "warmth")
    case = case_of("bounded_quantities/train/00", "a", ("Hello.", "Hi."), ({"outcome": "decline"},) * 2)
    judgement = asyncio.run(judge.judge(case, scripted_ask(case)))
    assert in_range(judge, judgement)
    assert judgement.score("warmth", "first") is not None


def test_every_dimension_of_the_built_in_judges_is_named():
    for judge in load().components.judges.values():
        assert f"`{judge.name}`" in DOC
        assert all(f"`{dimension.name}`" in DOC for dimension in judge.dimensions)
