"""`adidem.testing`: the laws as tests of a plugin author's own."""

from pathlib import Path

import pytest

from adidem.testing import LawOf, assert_laws, laws_of

pytest_plugins = ["pytester"]

OUTSIDE = Path(__file__).parents[1] / "outside"
CONFTEST = 'pytest_plugins = ["adidem.testing"]\n'


def suite(target):
    return f"import pytest\n\n\n@pytest.mark.laws({str(target)!r}, kind='family')\ndef test_it(law):\n    law()\n"


@pytest.mark.slow
def test_each_law_is_a_test_of_its_own(pytester):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(suite(OUTSIDE / "meeting_place.py"))
    done = pytester.runpytest_subprocess("-v", "--law-examples", "5", "--strict-markers")
    done.stdout.fnmatch_lines(["*test_it?family-meeting_place-pairs_hold? PASSED*"])
    done.assert_outcomes(passed=21, skipped=4)


def test_a_broken_law_fails_with_the_words_of_check_plugin(pytester):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(suite(OUTSIDE / "broken" / "family_shares_a_plan.py"))
    done = pytester.runpytest_subprocess("-k", "pairs_hold")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["family meeting_place breaks pairs_hold", "*plan that is right in both worlds*", "  change    Draw *"]
    )
    done.stdout.no_fnmatch_line("*Traceback*")


def test_a_test_without_the_mark_is_told_what_is_missing(pytester):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_it(law):\n    law()\n")
    done = pytester.runpytest_subprocess()
    done.stdout.fnmatch_lines(["*test_it asks for `law`: mark it @pytest.mark.laws(TARGET)*"])


def test_one_assertion_tells_of_every_broken_law():
    assert_laws(str(OUTSIDE / "mumble.py"), examples=10)
    with pytest.raises(AssertionError, match="breaks directive_is_complete"):
        assert_laws(str(OUTSIDE / "broken" / "barrier_without_examples.py"), examples=10)


def test_a_law_is_called_by_kind_component_and_name():
    found = laws_of(str(OUTSIDE / "evenly.py"))
    assert all(isinstance(each, LawOf) for each in found)
    assert str(found[0]) == "trainer-evenly-one_number_a_turn"
