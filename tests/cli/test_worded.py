"""What the command line says where a newcomer read something else: wrong options, numbers of one, where a page goes."""

import pytest

from adidem.core.report.text import many
from adidem.core.report.wording import ending
from adidem.core.runs.store import RunStore


@pytest.mark.parametrize("verb", ["run", "report"])
def test_an_option_that_there_is_none_of_is_quoted_so_that_a_blank_behind_it_shows(cli, verb) -> None:
    known = {"run": "--barrier", "report": "--compare"}[verb]
    said = cli(verb, "x", f"{known} ", code=2).stderr
    assert said.startswith(f"adidem: no such option: '{known} ' (Possible options: {known}")
    assert cli(verb, "x", "-Q", code=2).stderr.startswith("adidem: no such option: '-Q'; see ")


def test_one_is_singular() -> None:
    assert [many(number, "episode") for number in (0, 1, 2, 1204)] == [
        "0 episodes", "1 episode", "2 episodes", "1,204 episodes",
    ]  # fmt: skip


def test_verbs_count_one_episode_as_one(cli) -> None:
    assert cli("run", "hico", "--limit", "1", "--dry-run").stdout.startswith("1 episode; estimates")
    cli("run", "hico", "--limit", "1", "--out", "one", "--json")
    assert cli("export", "one", "--format", "episodes", "--out", "one.jsonl").stderr == "one.jsonl: 1 episode\n"
    assert "adidem: 1 episode rated" in cli("judge", "one", "--judge", "scripted:judge", "--json").stderr


def test_what_episodes_waited_is_said_to_be_a_sum_over_those_played_at_once(cli, tmp_path) -> None:
    """282.4 s in a run of 9 s look like a fault, unless it is said that many waited at once."""
    from adidem.core.report.summary import summarize

    cli("run", "hico", "--limit", "1", "--out", "one", "--json")
    with RunStore(tmp_path / "one", write=True) as store:
        store.put("seconds", {"wall": 9.0, "dialogue": 50.0, "waiting": 282.4})
        (line,) = [line for line in ending(summarize(store)) if line.startswith("time:")]
    assert "time: 9.0 s" in line
    assert "282.4 s, summed over episodes that are played at once" in line


def test_the_page_of_several_runs_goes_where_the_help_says(cli, tmp_path) -> None:
    for name in ("one", "two"):
        cli("run", "hico", "--limit", "1", "--out", f"runs/{name}", "--json")
    told = cli("report", "runs/one", "runs/two", "--format", "html").stdout
    assert told == f"{tmp_path}/runs/report.html\n"
    assert "of several in the folder that holds them all" in " ".join(cli("report", "--help").stdout.split())
