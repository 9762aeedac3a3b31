"""Directives by band, and a prompt that differs by nothing else."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.agents.chat import ChatAgent
from adidem.core.domain import SEATS, Directive
from adidem.core.domain.speech import combined
from adidem.core.language.measures import MEASURES, measures
from adidem.core.llm import Gateway
from adidem.core.runs.agents import directed
from adidem.plugins.barriers._barrier import band
from barrier_talk import BARRIERS

each = pytest.mark.parametrize("barrier", BARRIERS.values(), ids=BARRIERS)
ONE_A_BAND = {"none": 0.05, "light": 0.2, "moderate": 0.4, "strong": 0.7, "extreme": 0.9}


@pytest.mark.parametrize(
    ("severity", "name"),
    [
        (0, "none"),
        (0.0999, "none"),
        (0.1, "light"),
        (0.2999, "light"),
        (0.3, "moderate"),
        (0.5499, "moderate"),
        (0.55, "strong"),
        (0.7999, "strong"),
        (0.8, "extreme"),
        (1, "extreme"),
    ],
)
def test_bands_begin_where_they_are_said_to(severity, name):
    assert band(severity) == name


@each
def test_every_band_has_a_directive_of_its_own(barrier):
    found = [barrier.directive(severity) for severity in ONE_A_BAND.values()]
    assert len({(d.stance, d.tactics, d.mechanisms, d.exemplars) for d in found}) == 5
    assert found[0].empty
    for directive in found[1:]:
        assert 3 <= len(re.findall(r"[.!?](?= |$)", directive.style)) <= 5
        assert directive.stance
        assert directive.tactics
        assert directive.mechanisms
        assert directive.exemplars
        assert all(re.search(r"\(\d{4}\)", source) for source in directive.sources)


@each
def test_a_directive_says_that_it_is_a_manner_and_no_more(barrier):
    for severity in (0.2, 0.4, 0.7, 0.9):
        stance = barrier.directive(severity).stance
        assert "every number and every decision stay your own" in stance
        assert "nothing you say is untrue" in stance


@each
def test_quotas_are_of_known_measures_are_told_and_tighten_with_the_band(barrier):
    told = [barrier.directive(severity) for severity in list(ONE_A_BAND.values())[1:]]
    for directive in told:
        assert set(directive.quotas) <= set(MEASURES)
        assert all(low <= high for low, high in directive.quotas.values())
        assert all(f"{high:g}" in directive.tactics[-1] for _, high in directive.quotas.values())
    for lighter, stronger in pairwise(told):
        for name, direction in barrier.moves().items():
            if name in lighter.quotas and name in stronger.quotas:
                for before, after in zip(lighter.quotas[name], stronger.quotas[name], strict=True):
                    assert direction * (after - before) >= 0, name


@each
def test_exemplars_talk_as_their_own_quotas_want(barrier):
    """An exemplar is one sentence: it is held to the greatest values alone, and to the least of those it shows off."""
    shown = {
        "semantic_vagueness": "hedges",
        "sociocultural_mismatch": "politeness",
        "emotional_interference": "first_person",
    }
    for severity in (0.4, 0.7, 0.9):
        directive = barrier.directive(severity)
        values = [measures(line) for line in directive.exemplars]
        for name in ("specific_references", "questions_asked", "exclamations"):
            if name in directive.quotas:
                assert all(v[name] <= directive.quotas[name][1] for v in values), (severity, name)
        assert any(v[shown[barrier.name]] >= 1 for v in values)


def prompt(selection, directive, seat, which=0):
    scenario = selection.scenarios[which]
    rules = selection.rules[scenario.family]
    agent = ChatAgent("some/model", Gateway())
    from random import Random

    agent = directed(agent, [directive])
    return agent.join(rules.family, rules.checkers, scenario.worlds[0].card(seat), Random(0)).system


@each
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("severity", [0.2, 0.4, 0.7, 0.9])
def test_a_prompt_with_a_directive_is_the_prompt_without_and_the_directive(barrier, severity, seat, selection):
    """Taking one block of lines out, each of the directive or of its heading, gives the plain prompt back: the goal,
    the card, the actions and the facts are the same."""
    directive = barrier.directive(severity)
    for which in range(0, 60, 10):
        plain = prompt(selection, Directive("", "", (), (), ()), seat, which)
        told = prompt(selection, directive, seat, which)
        assert told.startswith(plain.rstrip("\n"))
        added = told[len(plain.rstrip("\n")) :]
        for text in (
            directive.style,
            directive.stance,
            *directive.tactics,
            *directive.mechanisms,
            *directive.exemplars,
        ):
            assert text in added
            added = added.replace(text, "", 1)
        left = [line.strip(' -"') for line in added.splitlines() if line.strip(' -"')]
        assert left == ["How you talk, every time:", "For example:", "Never say that you talk this way on purpose."]


@each
def test_in_the_none_band_the_prompt_is_the_same_to_the_byte(barrier, selection):
    scenario = selection.scenarios[0]
    rules = selection.rules[scenario.family]
    from random import Random

    agent = ChatAgent("some/model", Gateway())
    plain = agent.join(rules.family, rules.checkers, scenario.worlds[0].card("first"), Random(0)).system
    assert directed(agent, [barrier.directive(0.09)]) is agent
    assert prompt(selection, barrier.directive(0.09), "first") == plain


def test_two_directives_become_one_and_an_empty_one_adds_nothing():
    vague, upset = (BARRIERS[n].directive(0.7) for n in ("semantic_vagueness", "emotional_interference"))
    both = combined([vague, upset])
    assert both.style == f"{vague.style} {upset.style}"
    assert both.quotas["specific_references"] == (0, 2)
    assert both.quotas["hedges"] == vague.quotas["hedges"]
    assert combined([vague, BARRIERS["sociocultural_mismatch"].directive(0)]) == vague
    assert combined([]).empty


BOUNDS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: tuple(sorted(pair)))


@given(one=BOUNDS, other=BOUNDS)
def test_a_quota_of_two_is_never_empty(one, other):
    first, second = (Directive("a", "", (), (), (), {"x": bounds}) for bounds in (one, other))
    low, high = combined([first, second]).quotas["x"]
    assert low <= high
    if max(one[0], other[0]) <= min(one[1], other[1]):
        assert (low, high) == (max(one[0], other[0]), min(one[1], other[1]))
    else:
        assert (low, high) == other
