"""A barrier's own code that fails: what it distorts fails the episode by name, what it measures never does."""

import asyncio

import pytest

from adidem.core.domain import Directive, Task
from adidem.core.errors import ConfigError
from adidem.core.play import Setup, play
from adidem.core.report.compliance import compliance
from adidem.core.runs.agents import directives


class Bad:
    name = "bad"

    def __init__(self, **given):
        self.given = given

    def _do(self, what, fine):
        value = self.given.get(what, fine)
        if isinstance(value, BaseException):
            raise value
        return value

    def directive(self, severity):
        return self._do("directive", Directive("x", "y", ("a",), ("b",), ("c",), {"a": (0, 1)}))

    def measure(self, utterance):
        return self._do("measure", {"a": 1.0})

    def distort(self, utterance, severity, rng):
        return self._do("distort", utterance)


def played(scenario, rules, fake, barrier):
    setup = Setup(fake(), fake(), rules, limit=4, barrier_name="bad@1", barrier=((barrier, 1.0),))
    return asyncio.run(play(Task(scenario, "a", "first"), setup))


@pytest.mark.parametrize("wrong", [ValueError("boom"), SystemExit(2), None, 7])
def test_a_distortion_that_fails_names_the_barrier(scenario, rules, fake, wrong):
    episode = played(scenario, rules, fake, Bad(distort=wrong))
    assert episode.status == "failed"
    assert episode.cause.kind == "internal_error"
    assert "barrier 'bad' (" in episode.cause.message


@pytest.mark.parametrize("wrong", [ValueError("boom"), SystemExit(2), None, "text", {"a": "txt"}, {"a": float("nan")}])
def test_a_measure_that_fails_is_noted(scenario, rules, fake, wrong):
    episode = played(scenario, rules, fake, Bad(measure=wrong))
    assert episode.status == "scored"
    facts = episode.extra["barrier"]
    assert "barrier 'bad' (" in facts["error"]
    assert compliance([{"barrier": "bad@1", "scenario": "s", "barrier_facts": facts}]) is None


@pytest.mark.parametrize("wrong", [ValueError("boom"), SystemExit(2), None])
def test_a_directive_that_fails_stops_the_preparation(wrong):
    with pytest.raises(ConfigError, match=r"barrier 'bad' \(.*test_barrier_code_contained"):
        directives([(Bad(directive=wrong), 1.0)])


def test_a_speaker_without_text_and_an_exit_are_failed_episodes(scenario, rules, fake):
    for said in ((None, "speak"), SystemExit(1)):
        agents = fake([said] * 4), fake([said] * 4)
        episode = asyncio.run(play(Task(scenario, "a", "first"), Setup(*agents, rules, limit=4)))
        assert (episode.status, episode.cause.kind) == ("failed", "internal_error")
    agents = fake(records=[SystemExit(1)]), fake()
    episode = asyncio.run(play(Task(scenario, "a", "first"), Setup(*agents, rules, limit=4)))
    assert (episode.status, episode.cause.kind) == ("failed", "internal_error")
