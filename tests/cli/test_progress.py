"""What a run says of itself while it plays: a line now and then where it is piped, nothing with --quiet."""

import re
import subprocess
import sys
from time import sleep

import pytest
from attrs import frozen

from adidem.core.cli import progress


@frozen
class Outcome:
    """What became of an episode, as far as the count looks at it."""

    verified_success: bool | None = True
    failed: int = 1


def test_a_line_counts_and_says_how_long_it_takes(capsys):
    with progress.in_lines(4, every=0.02) as on_episode:
        sleep(0.05)
        on_episode(None, Outcome(), Outcome())
        on_episode(None, Outcome(None), Outcome())
        sleep(0.1)
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == "adidem: 0 of 4 episodes in 0:00, 0 verified, 0 failed"
    assert last == "adidem: 2 of 4 episodes in 0:00, 1 verified, 1 failed, about 0:00 left"


def test_a_count_of_an_hour_is_told_in_hours():
    count = progress.Count(40)
    count.done, count.began = 10, count.began - 3725
    assert count.line() == "10 of 40 episodes in 1:02:05, 0 verified, 0 failed, about 3:06:15 left"


@pytest.mark.parametrize("how", [[], ["--json"], ["--quiet"]])
def test_a_piped_run_tells_how_far_it_is_unless_it_is_to_be_quiet(tmp_path, how):
    code = (
        "from adidem.core.cli import main, progress; progress.in_lines.__wrapped__.__defaults__ = (0.001,); main.main()"
    )
    words = ["run", "hico", "--limit", "8", "--out", "run", *how]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    told = re.findall(r"^adidem: \d of 8 episodes in 0:\d\d, .*$", done.stderr, re.MULTILINE)
    assert bool(told) == ("--quiet" not in how), done.stderr
    assert "episodes in" not in done.stdout


@pytest.mark.parametrize(("limit", "said"), [(10, True), (7, False), (1, False)])
def test_a_limit_above_all_that_there_is_is_said_once(cli, limit, said):
    error = cli("run", "multiwoz", "--limit", limit, "--out", "run", "--json").stderr
    assert error.count("there are 7 such tasks in multiwoz, and no more") == said
