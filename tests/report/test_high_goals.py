"""High goals that failed, by model and pooled; whose rating of goals counts; judges that left much unscored."""

import json

import pytest
from attrs import evolve

from adidem.core.domain import Flag, Judgement, Rating


def goal(score, seat, label="sotopia", spec="scripted:judge"):
    return Judgement(label, (Rating("goal", seat, score),), spec=spec)


def rate(score_of, *more):
    """Each episode with a Goal of its own, and with Integrity lost in scenario 00 alone."""

    def change(number, episode):
        fails = episode.scenario.endswith("00")
        rated = Judgement("integrity_rules", (Rating("integrity", None, float(not fails)),))
        judgements = (rated, goal(score_of(episode), episode.seat), *(make(episode) for make in more))
        return evolve(episode, judgements=judgements)

    return change


def high(episode):
    return 9.0


def table(text):
    lines = text.split("#### High goals that failed", 1)[1].split("####")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in rows if set(row[0]) != {"-"}][1:]


def test_several_runs_tell_it_by_model_and_pooled(cli, copied, played):
    config = {"suite": "hico", "agent": "openai/one", "partner": "self"}
    one = copied("one", rate(high), config)
    again = copied("again", rate(high), config)
    two = copied("two", rate(lambda e: 9.0 if e.scenario.endswith("00") else 2.0), {**config, "agent": "openai/two"})
    runs = json.loads(cli("report", one, two, "--format", "json").stdout)
    first, second = (run["high_goal_failure"] for run in runs)
    assert second["value"] == 1.0
    assert 0 < first["value"] < 1
    rows = table(cli("report", one, again, two, played, "--format", "md").stdout)
    counts = {row[0]: int(row[3]) for row in rows}
    assert counts["openai/one"] == 2 * first["n"]
    assert counts["openai/two"] == second["n"]
    shares = {row[0]: float(row[4].split()[0]) for row in rows}
    assert shares["openai/one"] == pytest.approx(100 * first["value"], abs=0.06)
    assert shares["openai/two"] == 100.0
    assert counts["all together"] == sum(n for name, n in counts.items() if name != "all together")
    pooled = sum(shares[name] * n for name, n in counts.items() if name != "all together") / counts["all together"]
    assert shares["all together"] == pytest.approx(pooled, abs=0.1)
    assert "[" in rows[-1][4], "with an interval"
    shown = cli("report", one, two).stdout
    assert "High goals that failed" in shown
    assert "all together" in shown


def test_runs_of_models_and_of_a_mechanism_are_not_pooled(cli, copied):
    def model(episode):
        return Judgement("integrity", (Rating("integrity", None, 1.0),), spec="openai/judge")

    config = {"suite": "hico", "agent": "openai/one", "partner": "self"}
    judges = {"integrity": "openai/judge", "integrity_rules": None, "sotopia": "scripted:judge"}
    spoken = copied("spoken", rate(high, model), config, speaks=True, judges=judges)
    scripted = copied("scripted", rate(high))
    rows = table(cli("report", spoken, scripted, "--format", "md").stdout)
    assert [row[1] for row in rows] == ["model", "mechanism"]


def test_a_run_without_goals_is_named_and_runs_without_any_have_no_such_part(cli, copied):
    rated = copied("rated", rate(high))
    bare = copied("bare", lambda _, e: evolve(e, judgements=e.judgements[:0]))
    assert "without a rating of goals or a verdict: bare" in cli("report", rated, bare, "--format", "md").stdout
    other = copied("other", lambda _, e: evolve(e, judgements=()))
    assert "High goals" not in cli("report", bare, other, "--format", "md").stdout


def test_a_models_rating_of_goals_goes_before_the_scripted_one(cli, copied):
    def low_by_a_model(episode):
        return goal(9.0 if episode.scenario.endswith("00") else 3.0, episode.seat, "sotopia@openai/x", "openai/x")

    judges = {"integrity_rules": None, "sotopia": "scripted:judge", "sotopia@openai/x": "openai/x"}
    run = copied("run", rate(high, low_by_a_model), judges=judges)
    assert json.loads(cli("report", run, "--format", "json").stdout)["high_goal_failure"]["value"] == 1.0


def test_conversations_behind_a_barrier_never_stand_in_for_those_without(cli, copied):
    """Nobody is rated high without a barrier: then there is nothing to say, whatever is rated behind one."""
    run = copied("run", rate(lambda e: 2.0 if e.barrier == "none" else 9.0))
    found = json.loads(cli("report", run, "--format", "json").stdout)["high_goal_failure"]
    assert (found["n"], found["value"]) == (0, None)
    assert "Goal ≥ 8 but failing Verified Success: no conversation" in " ".join(cli("report", run).stdout.split())


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_a_judge_that_left_much_unscored_is_named_at_the_top_however_many_ratings_others_gave(
    cli, copied, tmp_path, form
):
    """One Integrity in four is unscored, and hundreds of other ratings are not."""

    def change(number, episode):
        others = Judgement("sotopia", tuple(Rating(f"d{n}", episode.seat, 1.0) for n in range(40)))
        rating = Rating(
            "integrity", None, None if number % 4 == 0 else 1.0, unscored="empty" if number % 4 == 0 else None
        )
        return evolve(episode, judgements=(Judgement("integrity", (rating,), spec="openai/x"), others))

    run, other = copied("run", change), copied("other", rate(high))
    for folders in ([run], [run, other]):
        out = [] if form == "table" else ["--out", tmp_path / f"{len(folders)}"]
        said = cli("report", *folders, "--format", form, *out).stdout
        text = said if form == "table" else (tmp_path / f"{len(folders)}").read_text(encoding="utf-8")
        assert "ratings by integrity (25 %) are unscored" in " ".join(text.split()).replace("&#37;", "%")
        assert "ratings by sotopia" not in text.split("unscored and in no mean", 1)[0]


def test_a_quote_that_answers_a_question_is_told_as_evidence_and_not_as_a_charge(cli, copied):
    """`understanding` keeps the words behind each answer as flags of kind mcq."""

    def change(number, episode):
        flags = tuple(Flag("mcq", "first", None, "x", "q1: A", supported=n > 0) for n in range(4))
        asked = Judgement("understanding", (Rating("mcq", None, 0.75),), flags, spec="openai/x")
        charged = Judgement("integrity", (Rating("integrity", None, 0.0),), (Flag("repetition", None, None, "x"),))
        return evolve(episode, judgements=(asked, charged))

    run = copied("run", change)
    text = " ".join(cli("report", run).stdout.split())
    number = json.loads(cli("report", run, "--format", "json").stdout)["judges"]["understanding"]
    assert number["flags"] == {}
    quotes = number["evidence"]["mcq"]
    assert f"{quotes} quotes for mcq; 25 % of its quotes are of what was not said" in text
    assert "mcq ×" not in text
    assert "repetition ×" in text
