"""Runs whose families keep no records: what is said of who rated them, and of nobody having done so."""

from __future__ import annotations

import pytest

from adidem.core.runs.store import RunStore
from stub_endpoint import Fault

UNRATED = "nothing is rated: no judge sat"


def text(result) -> str:
    return " ".join(result.stdout.split())


@pytest.mark.parametrize("format", ["table", "md"])
def test_a_run_that_nobody_rated_says_so_and_how_to(cli, format) -> None:
    """Without a judge there is no figure at all: a report that shows none has to say why."""
    cli("run", "sotopia_transfer", "--limit", "2", "--quiet", "--out", "alone")
    cli("run", "sotopia_transfer", "--limit", "2", "--judge", "scripted:judge", "--quiet", "--out", "rated")
    assert UNRATED in text(cli("report", "alone", "--format", format))
    assert UNRATED not in text(cli("report", "rated", "--format", format))


def test_a_run_that_nobody_rated_has_no_ratings_as_evidence(cli, stub) -> None:
    stub.answer = "I see."
    told = ["run", "socialveil", "--agent", "openai/stub", "--api-base", stub.url, "--limit", "1", "--out", "run"]
    said = text(cli(*told))
    assert "evidence: conversations alone, nothing is rated; a model or a person spoke" in said
    assert "Integrity" not in said
    assert "Feasibility" not in said


@pytest.mark.parametrize("suite", ["multiwoz", "hico"])
def test_where_every_episode_failed_there_is_no_evidence_of_anything(cli, stub, suite) -> None:
    """Nothing played: neither Integrity nor Feasibility is there, whatever families keep."""
    stub.faults = [Fault("401")] * 99
    told = ["run", suite, "--agent", "openai/stub", "--api-base", stub.url, "--limit", "1", "--out", "run"]
    said = text(cli(*told, code=1))
    assert "evidence: none, no episode is scored" in said
    assert "decided by rules" not in said


def spoken_by_a_model(cli, folder) -> None:
    """Two episodes of a run without a model judge, as if a model had spoken in them."""
    cli("run", "hico", "--limit", "2", "--quiet", "--out", "run")
    with RunStore(folder / "run", write=True) as store:
        store.put("speaks", True)


def test_a_model_that_was_asked_in_vain_is_no_evidence_of_models(cli, stub, tmp_path) -> None:
    """All answers malformed: the report said `evidence: model` of a run in which no model gave a verdict."""
    spoken_by_a_model(cli, tmp_path)
    stub.answer = "Shall we say Tuesday?"
    asked = ["openai/stub", "--set", f"judge.api_base={stub.url}", "--only", "integrity"]
    before = text(cli("report", "run"))
    assert "evidence: mechanism for Integrity (no model judged it); Feasibility is decided by rules" in before
    told = cli("judge", "run", "--judge", *asked, code=1)
    assert "2 episodes put to integrity, none rated: 2 of 2 ratings unscored" in told.stderr
    after = text(cli("report", "run"))
    assert "evidence: mechanism for Integrity (a model was asked, none of its verdicts is scored)" in after
    assert '"evidence":"mechanism"' in cli("report", "run", "--format", "json").stdout.replace(" ", "")
    assert "mechanism" in cli("report", "run", "--format", "csv").stdout
    assert "evidence: mechanism" in cli("language", "run").stdout


def test_a_part_of_a_models_verdicts_is_told_as_a_part(cli, stub, tmp_path) -> None:
    spoken_by_a_model(cli, tmp_path)
    first: list[str] = []

    def answer(body):
        first.append(str(body["messages"][1]))
        return "Tuesday!" if first[-1] == first[0] else {"reasoning": "", "violations": []}

    stub.answer = answer
    cli("judge", "run", "--judge", "openai/stub", "--set", f"judge.api_base={stub.url}", "--only", "integrity")
    assert "evidence: model (1 of 2 ratings by the model that judged are scored)" in text(cli("report", "run"))


def test_computed_ratings_of_a_model_speak_of_no_integrity_and_no_rules_of_records(cli, stub) -> None:
    """Inform and Success are computed: neither Feasibility nor Integrity is there to have evidence of."""
    stub.answer = "Which one would you like?"
    told = ["run", "multiwoz", "--agent", "openai/stub", "--api-base", stub.url, "--limit", "1", "--out", "run"]
    said = text(cli(*told))
    assert "evidence: ratings by rules or scripts, no model judged" in said
    assert "Integrity" not in said
    assert "Feasibility" not in said
