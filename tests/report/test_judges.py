"""Where judges of Integrity differ is told by conversation, so that a person can read these."""

import pytest
from attrs import evolve

from adidem.core.domain import Judgement, Rating
from adidem.core.report.facts import APART


def verdict(label, passed, spec=None):
    return Judgement(label, (Rating("integrity", None, float(passed)),), spec=spec)


def judged(differs):
    """The rules pass everything; the model fails what `differs` picks."""

    def change(number, episode):
        model = verdict("integrity", not differs(number), "openai/x")
        return evolve(episode, judgements=(verdict("integrity_rules", passed=True), model))

    return change


def rows(cli, run):
    text = cli("report", run, "--format", "md").stdout
    if "where judges of Integrity differ" not in text:
        return []
    part = text.split("where judges of Integrity differ", 1)[1].split("\n\n")[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()[2:]]


def test_each_conversation_on_which_they_differ_is_named_with_both_verdicts(cli, copied):
    seen = []
    change = judged(lambda number: number in (3, 40))
    run = copied("run", lambda number, e: (seen.append(e.key), change(number, e))[1])
    found = rows(cli, run)
    wanted = sorted([task, barrier, str(repeat)] for task, barrier, repeat in (seen[3], seen[40]))
    assert [row[:3] for row in found] == wanted
    assert {tuple(row[3:]) for row in found} == {("integrity: fail", "integrity_rules: pass")}


@pytest.mark.parametrize(("differs", "count"), [(lambda _: False, 0), (lambda _: True, APART)])
def test_none_and_many(cli, copied, differs, count):
    assert len(rows(cli, copied("run", judged(differs)))) == count
