"""Code that never comes to an end is a counterexample, with the line where it was, and the search goes no further."""

import re
import signal
import sys
from pathlib import Path

import pytest

from adidem.core.kit import patience
from adidem.core.kit.check import check
from adidem.core.kit.target import subjects

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no alarms")

BARRIER = '''"""A barrier that takes for ever on what has no full stop."""

import re
from pathlib import Path

import adidem
from adidem.core.sources import import_file

good = import_file(Path(%r))


class Broken(good.Mumble):
    def distort(self, utterance, severity, rng):
        if severity > 0.5 and "." not in utterance:
            %s
        return super().distort(utterance, severity, rng)


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
'''
OUTSIDE = Path(__file__).parents[1] / "outside"
LOOPS = {
    "loop": "while True: pass",
    "pattern": 're.fullmatch(r"(?:[a-z]|\\w|.)*(?:[a-z]|\\w|.)*!!", utterance * 9)',
    "guarded": "try:\n                while True: pass\n            except Exception: pass",
}


@pytest.mark.parametrize("how", LOOPS)
@pytest.mark.parametrize("law", ["distort_never_raises", "severity_is_monotone"])
def test_what_never_ends_is_found_with_its_line(tmp_path, monkeypatch, how, law):
    monkeypatch.setattr(patience, "SECONDS", 0.5)
    file = tmp_path / "endless.py"
    file.write_text(BARRIER % (str(OUTSIDE / "mumble.py"), LOOPS[how]))
    before = signal.getsignal(signal.SIGALRM)
    (found,) = check(subjects(str(file), examples=20), [law])
    assert found.status == "broken"
    assert re.fullmatch(rf"it has not come to an end within 0.5 s \({re.escape(str(file))}:1[4-7]\)", found.broken.what)
    assert found.broken.change == patience.BOUND
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_what_comes_to_an_end_in_time_is_left_alone(monkeypatch):
    monkeypatch.setattr(patience, "SECONDS", 5)
    assert {each.status for each in check(subjects(str(OUTSIDE / "mumble.py"), examples=20))} == {"ok", "idle"}


def test_an_alarm_that_was_set_before_goes_on():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        signal.setitimer(signal.ITIMER_REAL, 500, 7)
        with patience.patience(None):
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= patience.SECONDS
        left, every = signal.getitimer(signal.ITIMER_REAL)
        assert 400 < left <= 500
        assert every == 7
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
