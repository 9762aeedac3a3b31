"""`adidem check-plugin`: what it takes, what it prints, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adidem.core.kit.check import CHECKS, LAWS
from adidem.core.kit.law import law_texts

OUTSIDE = Path(__file__).parents[1] / "outside"
MEETING = OUTSIDE / "meeting_place.py"
SHARED = OUTSIDE / "broken" / "family_shares_a_plan.py"


def test_every_law_has_words_for_the_author_and_every_word_has_its_law():
    texts = law_texts()
    assert {kind: {law.name for law in laws} for kind, laws in LAWS.items()} == {
        kind: set(laws) for kind, laws in texts.items()
    }
    for laws in LAWS.values():
        for law in laws:
            assert law.states.endswith(".")
            assert law.change.rstrip().endswith((".", "it"))
            assert len(law.change) > 40
    assert set(CHECKS) == {"family", "checker", "barrier", "judge", "trainer"}


def test_a_sound_file_ends_with_0_and_a_line_a_law(cli):
    said = cli("check-plugin", MEETING, "--examples", 10).stdout.splitlines()
    assert "ok    family meeting_place: pairs_hold" in said
    assert "ok    checker meeting_place: check_never_raises" in said
    assert said[-1] == "2 components: 28 laws kept, 0 broken, 4 that do not apply"


def test_a_broken_one_ends_with_1_and_tells_world_plan_and_what_to_change(cli):
    said = cli("check-plugin", SHARED, "--law", "pairs_hold", code=1).stdout
    assert "family meeting_place breaks pairs_hold" in said
    assert "1 correct record(s) are right in both worlds" in said
    assert 'Otto (second): reach = ["the harbour", "the park"]' in said
    assert 'plan that is right in both worlds: {"place": "the park"}' in said
    assert "  change    Draw the differing condition again" in said


def test_code_that_raises_is_to_be_mended_whatever_the_law(cli, tmp_path):
    """A rule for every family that knows the facts of one alone: the law that is tried last is not what is wrong."""
    cli("new", "checker", "spare", "--out", tmp_path)
    file = tmp_path / "spare.py"
    file.write_text(file.read_text().replace('= ("bounded_quantities",)', "= None"))
    words = ("--law", "check_never_raises", "--law", "check_repeats", "--examples", 10)
    said = cli("check-plugin", file, *words, code=1).stdout
    assert said.count(f"KeyError: 'on_offer' ({file}:") == 2
    never, repeats = said.split("spare breaks ")[1:]
    assert "A rule that is not for every family names its own in `families`." in never
    assert "  change    Mend the line that is named, and look again." in repeats


@pytest.mark.parametrize(
    ("field", "value", "change"),
    [
        ("Amount", "Amount(5)", "Of the types of terms only Text and Time are called; an Amount is a plain number"),
        ("ByRole[Amount]", "ByRole({'Ada': 5})", "ByRole is a dict with one value for each person's name"),
        ("Amount", "int('5 pounds')", "Mend the line that is named, and look again."),
    ],
)
def test_a_type_of_terms_that_is_called_is_told_how_it_is_written(cli, tmp_path, field, value, change):
    cli("new", "family", "market")
    file = tmp_path / "market.py"
    text = file.read_text().replace("    place: Text\n", f"    place: Text\n    price: {field}\n")
    text = text.replace("import Condition,", "import Amount, ByRole, Condition,")
    file.write_text(text.replace("Agreed(Text(place))", f"Agreed(Text(place), {value})"))
    said = cli("check-plugin", file, "--law", "plans_are_a_space", code=1).stdout
    assert f"({file}:" in said
    assert change in said


def test_verdicts_as_json(cli):
    found = json.loads(cli("check-plugin", SHARED, "--kind", "family", "--law", "pairs_hold", "--json", code=1).stdout)
    assert [(v["kind"], v["component"], v["law"], v["status"]) for v in found] == [
        ("family", "meeting_place", "pairs_hold", "broken")
    ]
    assert found[0]["what"]
    assert found[0]["example"]
    assert found[0]["change"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("barrier:semantic_vagueness", "barrier semantic_vagueness"),
        ("semantic_vagueness", "barrier semantic_vagueness"),
        ("adidem.plugins.barriers.semantic_vagueness", "barrier semantic_vagueness"),
    ],
)
def test_a_target_may_be_a_name_or_a_module(cli, target, told):
    said = cli("check-plugin", target, "--law", "directive_is_complete").stdout
    assert said.splitlines()[-1] == "1 component: 1 law kept, 0 broken"
    assert told in said


def test_a_module_of_ones_own_need_not_be_in_the_registry(cli, tmp_path, monkeypatch):
    package = tmp_path / "lab"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "adidem_plugins.py").write_text((OUTSIDE / "mumble.py").read_text())
    monkeypatch.syspath_prepend(str(tmp_path))
    said = cli("check-plugin", "lab.adidem_plugins", "--law", "silent_at_zero").stdout
    assert "ok    barrier mumble: silent_at_zero" in said


def test_a_name_of_several_kinds_is_all_of_them_or_the_kind_that_is_named(cli):
    law = ("--law", "scenarios_made", "--law", "families_are_known")
    assert cli("check-plugin", "bounded_quantities", *law).stdout.startswith("ok    family bounded")
    assert "2 components" in cli("check-plugin", "bounded_quantities", *law).stdout
    assert "1 component:" in cli("check-plugin", "checker:bounded_quantities", *law).stdout
    assert "1 component:" in cli("check-plugin", "bounded_quantities", "--kind", "checker", *law).stdout


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("semantic_vaguness", "did you mean 'semantic_vagueness'?"),
        ("no.such.module", "No module named 'no'"),
        ("nowhere.py", "--plugin nowhere.py: cannot be read"),
        ("/tmp", "/tmp is a folder: name a Python file, or the module of a package that is installed"),
        ("bariers:semantic_vagueness", "unknown kind 'bariers'"),
    ],
)
def test_what_is_not_there_is_a_usage_error(cli, target, told):
    error = cli("check-plugin", target, code=2).stderr
    assert told in error
    assert len(error.splitlines()) == 1


def test_an_unknown_law_gets_the_nearest_one(cli):
    error = cli("check-plugin", MEETING, "--law", "pairs_holds", code=2).stderr
    assert "did you mean 'pairs_hold'" in error


def test_a_file_that_was_left_out_says_why(cli, tmp_path):
    (tmp_path / "mine.py").write_text("import no_such_library")
    assert "No module named 'no_such_library'" in cli("check-plugin", "mine.py", code=2).stderr
    (tmp_path / "empty.py").write_text("x = 1")
    assert "it has no hook" in cli("check-plugin", "empty.py", code=2).stderr
    (tmp_path / "half.py").write_text(
        "import adidem\n\nclass B:\n    name = 'half'\n\n"
        "@adidem.hookimpl\ndef adidem_register_barriers(register):\n    register(B)\n"
    )
    assert "lacks the method `directive`" in cli("check-plugin", "half.py", code=2).stderr


def test_what_is_switched_off_is_not_checked(cli, tmp_path):
    (tmp_path / "registry.yaml").write_text("families: {meeting_place: false}\ncheckers: {meeting_place: false}\n")
    error = cli("check-plugin", MEETING, code=2).stderr
    assert "is switched off in the registry: family meeting_place, checker meeting_place" in error


def test_options_of_the_registry_are_what_is_checked(cli, tmp_path):
    cli("new", "checker", "spare", "--out", tmp_path)
    assert "7 laws kept, 0 broken" in cli("check-plugin", "spare.py", "--examples", 10).stdout
    tight = ("--set", "checkers.spare.share=0.001", "--law", "pairs_survive")
    assert "none of the 30 scenarios of bounded_quantities" in cli("check-plugin", "spare.py", *tight, code=1).stdout


def test_without_hypothesis_a_plain_error_says_what_to_install():
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "sys.argv = ['adidem', 'check-plugin', 'bounded_quantities']\n"
        "from adidem.core.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "adidem: the laws of components need Hypothesis: "
        "pip install -c constraints.txt -e '.[kit]' in the clone of adidem"
    )


def test_neither_help_nor_listing_loads_hypothesis():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom adidem.core.cli.main import app\n"
        "for words in (['--help'], ['check-plugin', '--help'], ['new', '--help'], ['plugins']):\n"
        "    assert CliRunner().invoke(app, words).exit_code == 0\n"
        "print('hypothesis' in sys.modules or 'pytest' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
