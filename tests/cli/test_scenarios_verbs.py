"""The verbs of `adidem scenarios` share their options, and a task's id shows its scenario."""

import pytest


@pytest.mark.parametrize("verb", ["generate", "certify", "show", "export"])
def test_every_verb_has_the_shared_options_after_its_own(cli, verb, meeting):
    said = cli("scenarios", verb, "--help").stdout
    assert [said.index(option) for option in ("--registry", "--plugin", "--set", "--strict-plugins")] == sorted(
        said.index(option) for option in ("--registry", "--plugin", "--set", "--strict-plugins")
    )
    assert "--setup" not in said
    assert "SETUP" not in said


def test_a_task_shows_its_scenario(cli):
    whole = cli("scenarios", "show", "set_consent/test/03").stdout
    assert cli("scenarios", "show", "set_consent/test/03/b/second").stdout == whole
    for wrong in ("set_consent/test/03/c/second", "set_consent/test/03/a", "set_consent/test/3/a/first"):
        assert "unknown scenario" in cli("scenarios", "show", wrong, code=2).stderr


def test_shared_options_reach_the_verb(cli, meeting):
    assert "12 of 12 pair certificates hold" in cli("scenarios", "certify", *meeting).stdout
    assert "no.py" in cli("scenarios", "certify", "--strict-plugins", "--plugin", "no.py", code=2).stderr
    assert "nope" in cli("scenarios", "show", "x", "--registry", "nope", code=2).stderr
