"""Verified Success: false as soon as one check is false, unscored only if feasible and Integrity unscored."""

import pytest

from adidem.core.outcomes import deciding, evidence_of, verified


@pytest.mark.parametrize(
    ("feasible", "integrity", "success"),
    [
        (True, True, True),
        (True, False, False),
        (False, True, False),
        (False, False, False),
        (True, None, None),
        (False, None, False),
        (None, None, None),
        (None, False, False),
    ],
)
def test_verified_success(feasible, integrity, success):
    assert verified(feasible, integrity) is success


@pytest.mark.parametrize(
    ("specs", "label"),
    [
        ({"integrity": "openai/a", "integrity_rules": None}, "integrity"),
        ({"integrity": "scripted:judge", "integrity_rules": None}, "integrity_rules"),
        (
            {"integrity": "scripted:judge", "integrity_rules": None, "integrity@openai/a": "openai/a"},
            "integrity@openai/a",
        ),
        ({"integrity@openai/b": "openai/b", "integrity": "openai/a"}, "integrity"),
        ({"integrity": "openai/a", "integrity@scripted:judge": "scripted:judge"}, "integrity"),
        ({"integrity": "scripted:judge"}, "integrity"),
        ({"integrity@b/b": "b/b", "integrity@a/a": "a/a", "integrity": "scripted:judge"}, "integrity@a/a"),
        ({"sotopia": "openai/a"}, None),
    ],
)
def test_a_models_verdict_decides_whatever_its_label(specs, label):
    assert deciding(specs) == label


def test_a_run_judged_by_a_model_later_is_evidence_of_models():
    specs = {"integrity": "scripted:judge", "integrity_rules": None}
    later = {**specs, "integrity@openai/a": "openai/a"}
    assert evidence_of(True, specs, bool) == "mechanism"
    assert evidence_of(True, later, bool) == "model"
    assert evidence_of(False, later, bool) == "mechanism"


def test_a_model_that_was_asked_and_gave_no_score_is_no_evidence_of_models():
    specs = {"integrity_rules": None, "integrity": "openai/a", "sotopia": "openai/b"}
    assert evidence_of(True, specs, {"sotopia", "integrity_rules"}.__contains__) == "mechanism"
    assert evidence_of(True, specs, {"integrity"}.__contains__) == "model"
    assert evidence_of(True, {"sotopia": "openai/b"}, {"sotopia"}.__contains__) == "model"
    assert evidence_of(True, {"sotopia": "openai/b"}, set().__contains__) == "mechanism"
