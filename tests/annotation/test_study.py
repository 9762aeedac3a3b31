"""Studies: what is drawn, in which order, and that nothing of an episode but its text reaches a sheet."""

import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from attrs import evolve

from adidem.core.annotation import study as drawing
from adidem.core.annotation.questions import chosen, questions
from adidem.core.annotation.sheet import page, write_sheet
from adidem.core.annotation.study import draw
from adidem.core.domain import AgentNames, Cause, Feasibility, Judgement, Rating, Usage, Written
from adidem.core.domain.verdict import Failure, Flag
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.judging import read_yaml
from adidem.core.runs.store import RunStore

ALL = chosen([])


def drawn(folder, folder_b=None, asked=ALL, **options):
    with RunStore(folder) as run:
        if folder_b is None:
            return draw(run, None, asked, **options)
        with RunStore(folder_b) as run_b:
            return draw(run, run_b, asked, **options)


def files(study, folder):
    """Everything an annotator is given, as one text."""
    for sheet in study.sheets:
        write_sheet(sheet, folder / sheet.annotator)
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*.*"))}


def test_the_same_run_and_seed_draw_the_same_study(played):
    assert drawn(played, seed=3, annotators=2) == drawn(played, seed=3, annotators=2)


def test_another_seed_draws_other_names_and_another_order(played):
    one, two = drawn(played, seed=1), drawn(played, seed=2)
    assert not one.key.items.keys() & two.key.items.keys()
    tasks = [[s.key.items[item.id].task for item in s.sheets[0].items] for s in (one, two)]
    assert sorted(tasks[0]) == sorted(tasks[1])
    assert tasks[0] != tasks[1]


def test_each_annotator_has_the_same_items_in_an_own_order(played):
    first, second = drawn(played, annotators=2).sheets
    assert {i.id for i in first.items} == {i.id for i in second.items}
    assert [i.id for i in first.items] != [i.id for i in second.items]
    assert first.id != second.id


def test_a_limit_is_spread_over_conditions(conditions):
    marks = drawn(conditions, limit=6).key.items.values()
    assert Counter(mark.barrier for mark in marks) == {
        "none": 2,
        "semantic_vagueness:0.7": 2,
        "emotional_interference:0.7": 2,
    }


def test_a_limit_is_spread_over_families(copied):
    def other(episode):
        task = episode.task.replace("meeting_place", "other")
        return [episode, evolve(episode, task=task, family="other")]

    with_two = copied("two", other)
    assert Counter(m.task.split("/")[0] for m in drawn(with_two, limit=4).key.items.values()) == {
        "meeting_place": 2,
        "other": 2,
    }


def test_failed_episodes_and_those_without_words_are_left_out(copied):
    def change(episode):
        if episode.world == "a":
            return evolve(episode, status="failed", cause=Cause("timeout", "too slow"))
        return evolve(episode, turns=()) if episode.seat == "first" else episode

    found = drawn(copied("some", change))
    assert {mark.task.split("/", 3)[3] for mark in found.key.items.values()} == {"b/second"}
    with pytest.raises(ConfigError, match="no scored episode with a conversation"):
        drawn(copied("nothing", lambda episode: evolve(episode, turns=())))


def test_nothing_but_text_reaches_a_sheet(played, copied, tmp_path, monkeypatch):
    """Two runs that differ in everything but what was said and written give the same files, byte for byte."""
    monkeypatch.setattr(drawing, "_secret", lambda _: "the same")

    def disguised(episode):
        return evolve(
            episode,
            agents=AgentNames("openai/some-model-9", "scripted:guarded"),
            ended="turns",
            due="defer",
            feasibility=Feasibility((Failure("outcome", "kind", "it failed"),)),
            judgements=(
                Judgement(
                    "integrity",
                    (Rating("integrity", None, 0.0, "bad"),),
                    (Flag("repetition", None, 0, "quote", "why"),),
                    spec="openai/judge-7",
                ),
            ),
            usage={"agent": Usage(9, 9, 9, 9.0)},
            seconds={"total": 99.0},
            extra={"x": "extra-fact"},
            turns=tuple(evolve(t, meant="meant-this", reasoning="reasoned-so", seconds=5.0) for t in episode.turns),
        )

    one = files(drawn(played), tmp_path / "one")
    assert one == files(drawn(copied("disguised", disguised)), tmp_path / "two")
    text = json.dumps(one)
    assert "scripted" not in text
    assert "secret-run-name" not in text
    assert "meeting_place" not in text, "no task"


def test_a_condition_shows_nowhere(conditions, tmp_path):
    """The three conditions of a task, with the same words in each, cannot be told apart; severities are in no file."""
    found = drawn(conditions)
    for text in files(found, tmp_path / "sheets").values():
        assert ":0.7" not in text
    by_task = {}
    for item, mark in ((i, found.key.items[i.id]) for i in found.sheets[0].items):
        by_task.setdefault(mark.task, set()).add((item.situation, item.talks))
    assert all(len(shown) == 1 for shown in by_task.values())


def test_pairs_are_matched_and_their_sides_drawn(played, copied):
    other = copied("other", lambda e: evolve(e, turns=tuple(evolve(t, text=f"B says {t.text}") for t in e.turns)))
    study = drawn(played, other, chosen(["helped_more"]), annotators=2)
    assert {mark.kind for mark in study.key.items.values()} == {"pair"}
    sides = [study.key.sheets[sheet.id].left for sheet in study.sheets]
    assert set(sides[0].values()) == {"a", "b"}
    assert sides[0] != sides[1]
    for sheet in study.sheets:
        for item in sheet.items:
            starts = ["b" if talk.turns[0].text.startswith("B says") else "a" for talk in item.talks]
            left = study.key.sheets[sheet.id].left[item.id]
            assert starts == [left, "b" if left == "a" else "a"]


def test_with_two_runs_conversations_come_before_pairs(played, copied):
    items = drawn(played, copied("other"), limit=3).sheets[0].items
    assert [len(item.talks) for item in items] == [1, 1, 1, 2, 2, 2]
    assert [q.name for q in items[-1].questions] == ["helped_more"]


def test_two_runs_that_share_nothing_are_refused(played, copied):
    elsewhere = copied("elsewhere", lambda episode: evolve(episode, barrier="semantic_vagueness:0.7"))
    with pytest.raises(ConfigError, match="share no task"):
        drawn(played, elsewhere)
    changed = copied("changed", scenario=lambda s: evolve(s, setting="another"))
    with pytest.raises(ConfigError, match="share no task"):
        drawn(played, changed)


def test_a_comparison_needs_two_runs(played):
    with pytest.raises(ConfigError, match="give RUN_B"):
        drawn(played, None, chosen(["helped_more"]))


def test_an_unknown_question_is_named():
    with pytest.raises(UnknownName, match="did you mean 'integrity'"):
        chosen(["integrty"])


def test_people_and_judges_rate_by_the_same_sentences():
    """The anchors and the definitions of the violations are the judges' own; change both files together."""
    from adidem.plugins import judges

    folder = judges.__path__[0]
    from pathlib import Path

    anchors, faults = (read_yaml(Path(folder) / f"{name}.yaml") for name in ("understanding", "integrity"))
    for name, entry in anchors.items():
        assert questions()[name].asks == entry["asks"]
        assert dict(questions()[name].answers) == {str(level): words for level, words in entry["levels"].items()}
    asked = [question.name for question in questions().values() if question.turn]
    assert asked == list(faults)
    for name, entry in faults.items():
        assert entry["is"].startswith(questions()[name].help)
        assert questions()[name].not_ == entry["is_not"]


def test_a_record_that_could_not_be_read_is_shown_as_it_was_written(copied):
    broken = copied(
        "broken",
        lambda e: evolve(
            e, records={**e.records, "first": Written(raw="<b>the park</b>, I think", unreadable="no JSON")}
        ),
    )
    text = page(drawn(broken).sheets[0])
    assert "&lt;b&gt;the park&lt;/b&gt;, I think" in text
    assert "no JSON" not in text


def test_a_store_that_lacks_a_scenario_is_damaged(copied):
    folder = copied("lacking")
    with closing(sqlite3.connect(folder / "run.sqlite")) as db, db:
        db.execute("DELETE FROM scenarios WHERE id = (SELECT min(scenario) FROM episodes)")
    with pytest.raises(ConfigError, match="a store of another version, or damaged: it has episodes of"):
        drawn(folder)
