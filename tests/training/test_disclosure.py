"""When the condition in which the worlds differ became available to the tested role."""

from __future__ import annotations

import pytest

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.domain import SEATS, Task, Turn, other
from adidem.core.training.disclosure import OWN, Disclosed, differing, disclosed_by_ears
from adidem.core.training.lab.demonstrator import EXPERT, Demonstrator
from lab_world import bank, jobs, rules, shown

TASKS = [Task(scenario, "a", seat) for scenario in bank("dev") for seat in SEATS]


def told(task: Task, *texts: str) -> Disclosed:
    """What the ears make of these turns, all the partner's."""
    turns = tuple(Turn(at, other(task.seat), text) for at, text in enumerate(texts))
    return disclosed_by_ears(rules()[task.scenario.family], task, turns)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_own_condition_is_there_from_the_start_and_the_others_when_it_is_told(task: Task) -> None:
    condition = differing(task)
    assert condition is not None
    family, public = rules()[task.scenario.family].family, task.scenario.public
    sentence = family.tell(condition, public)
    if condition.owner == task.seat:
        assert told(task, "Hello there.") == Disclosed(OWN)
        return
    assert told(task, "Hello there.", "What do you need?") == Disclosed(None)
    assert told(task, "Hello there.", sentence, sentence) == Disclosed(1)
    wrong = next(two for one, two in task.scenario.differing if one == condition)
    assert told(task, family.tell(wrong, public)) == Disclosed(None), "the other world's condition is not this one's"


def test_a_probe_sees_what_was_said_until_it_was_taken() -> None:
    assert Disclosed(2).by(2)
    assert Disclosed(OWN).by(-1)
    assert not Disclosed(2).by(1)
    assert not Disclosed(None).by(99)


def test_candid_partners_disclose_in_their_first_turn() -> None:
    some = [job for job in jobs(bank("dev")[::4]) if _is_partners(job.task)]
    played = shown(some, Demonstrator(EXPERT), ScriptedAgent(MANNERS["candid"]))
    assert played
    for each in played:
        theirs = next(turn.index for turn in each.conversation if turn.seat != each.job.task.seat)
        rule = rules()[each.job.task.scenario.family]
        assert disclosed_by_ears(rule, each.job.task, each.conversation).turn == theirs


def _is_partners(task: Task) -> bool:
    condition = differing(task)
    return condition is not None and condition.owner != task.seat
