"""A family whose own code fails before anything is played: one line that names it and its file."""

import re

import pytest

from adidem.core import rules as ruling
from adidem.core.errors import ConfigError, PlanError
from adidem.core.rules import Rules
from adidem.core.runs.scenarios import certified, generated


class Broken:
    """A family that does what a test says."""

    name = "broken"
    terms = None
    defer_terms = None

    def __init__(self, does):
        self.does = does

    def scenarios(self, split, seed, count):
        if isinstance(self.does, BaseException):
            raise self.does
        return self.does

    def plans(self, world):
        return self.scenarios(None, 0, None)


@pytest.mark.parametrize("does", [None, 7, ["junk"], SystemExit(3), ValueError("boom")])
def test_generation_that_fails_names_family_and_file(does):
    with pytest.raises(ConfigError, match=r"family 'broken' \(.*test_family_code_contained.py\) could not generate"):
        generated(Broken(does), "dev")


def test_scenarios_of_another_family_and_of_one_id_are_refused():
    from adidem.core.scenarios import load_bank

    one = load_bank("hico")[0]
    with pytest.raises(ConfigError, match="is of family"):
        generated(Broken([one]), "dev")
    family = Broken([one, one])
    family.name = one.family
    with pytest.raises(ConfigError, match="is there twice"):
        generated(family, "dev")


@pytest.mark.parametrize("does", [None, SystemExit(3), RuntimeError("boom")])
def test_plans_that_fail_name_family_and_file(does):
    from adidem.core.scenarios import load_bank

    one = load_bank("hico")[0]
    with pytest.raises(ConfigError, match=re.escape("family 'broken' (")):
        certified(one, Rules(Broken(does), []))


def test_a_plan_space_that_never_ends_is_refused(monkeypatch):
    from itertools import count

    from adidem.core.scenarios import load_bank

    monkeypatch.setattr(ruling, "MOST_PLANS", 50)
    with pytest.raises(PlanError, match="does not end"):
        Rules(Broken(count()), []).passing(load_bank("hico")[0].world("a"))
