"""Runs whose families keep no records: what is said of who rated them, and of nobody having done so."""

from __future__ import annotations

import pytest

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


def test_computed_ratings_of_a_model_speak_of_no_integrity_and_no_rules_of_records(cli, stub) -> None:
    """Inform and Success are computed: neither Feasibility nor Integrity is there to have evidence of."""
    stub.answer = "Which one would you like?"
    told = ["run", "multiwoz", "--agent", "openai/stub", "--api-base", stub.url, "--limit", "1", "--out", "run"]
    said = text(cli(*told))
    assert "evidence: ratings by rules or scripts, no model judged" in said
    assert "Integrity" not in said
    assert "Feasibility" not in said
