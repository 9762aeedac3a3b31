"""The lab's speakers, its demonstrations, its starting policy and its checks against leaks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import fmean

import pytest

from adidem.core.domain import Rollout, Turn, other
from adidem.core.errors import UnknownName
from adidem.core.language import Act, find_acts
from adidem.core.policy.contracts import View
from adidem.core.policy.tongue import words as w
from adidem.core.training.evaluate import Settings, Shuffled, speaking, trial_jobs
from adidem.core.training.imitation import trajectory_of
from adidem.core.training.lab.agents import lab_agent
from adidem.core.training.lab.base import REPORT, make_base, tongue_of
from adidem.core.training.lab.demonstrations import demonstrate, drawn_scenarios
from adidem.core.training.lab.demonstrator import DEMONSTRATOR, EXPERT, Demonstrator
from adidem.core.training.lab.leaks import public_alone
from adidem.core.training.lab.partner import HELD_OUT, PARTNER, PHRASES, LabPartner, partner_phrases
from adidem.core.training.recipe import Imitation, Tiny
from lab_world import bank, jobs, rules, scorer, shown, tongue

SMALL = Tiny(width=32, layers=1, heads=2, inner=32)

MEANT = {
    "propose": ({Act.PROPOSE}, {Act.ACCEPT, Act.REJECT, Act.DECLINE}),
    "accept": ({Act.ACCEPT}, {Act.REJECT, Act.DECLINE, Act.PROPOSE}),
    "reject": ({Act.REJECT}, {Act.ACCEPT, Act.DECLINE, Act.PROPOSE}),
    "decline": ({Act.DECLINE}, {Act.ACCEPT, Act.PROPOSE}),
    "ask": ({Act.ASK}, {Act.ACCEPT, Act.PROPOSE, Act.DECLINE}),
    "greet": (set(), {Act.ACCEPT, Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
    "pleasant": (set(), {Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
    "easy": (set(), {Act.ACCEPT, Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
    "again": (set(), {Act.ACCEPT, Act.PROPOSE, Act.DECLINE, Act.REJECT}),
    "confirm": (set(), {Act.PROPOSE, Act.REJECT, Act.ASK, Act.DECLINE}),
    "close": (set(), {Act.PROPOSE, Act.DECLINE, Act.REJECT, Act.ASK}),
}


@pytest.mark.parametrize("name", PHRASES)
@pytest.mark.parametrize("kind", MEANT)
def test_partners_phrases_are_heard_as_they_are_meant(name: str, kind: str) -> None:
    must, must_not = MEANT[kind]
    for phrase in partner_phrases(name)[kind]:
        acts = find_acts(phrase.format(partner="Tom", plan="12 crates"))
        assert must <= acts, phrase
        assert not must_not & acts, (phrase, acts)


@pytest.mark.parametrize("name", PHRASES)
def test_partners_deferrals_name_the_approver(name: str) -> None:
    for scenario in bank("dev"):
        family = rules()[scenario.family].family
        if family.defer_terms is None or scenario.public.approver is None:
            continue
        said = family.say(family.defer_terms(scenario.public.approver), scenario.public)
        for phrase in partner_phrases(name)["defer"]:
            heard = family.hear(phrase.format(plan=said), scenario.public, "first")
            assert [d.approver for d in heard.deferrals] == [scenario.public.approver], phrase


def test_held_out_phrases_are_none_of_those_trained_on() -> None:
    ones = {phrase for listed in partner_phrases(PARTNER).values() for phrase in listed}
    others = {phrase for listed in partner_phrases(HELD_OUT).values() for phrase in listed}
    assert partner_phrases(PARTNER).keys() == partner_phrases(HELD_OUT).keys()
    assert not ones & others


def test_agents_of_the_lab_go_by_name() -> None:
    assert [lab_agent(name).name for name in (PARTNER, HELD_OUT, DEMONSTRATOR, EXPERT)] == [
        PARTNER,
        HELD_OUT,
        DEMONSTRATOR,
        EXPERT,
    ]
    with pytest.raises(UnknownName):
        lab_agent("lab:somebody")


@pytest.mark.parametrize("partner", [PARTNER, HELD_OUT])
def test_an_expert_succeeds_with_either_phrasing_and_mixed_demonstrators_less_often(partner: str) -> None:
    """The task can be done, and the demonstrators leave something to learn."""
    some = jobs(bank("dev")[::2], seed=3)
    expert = shown(some, Demonstrator(EXPERT), LabPartner(partner))
    assert fmean(success(expert)) >= (1.0 if partner == PARTNER else 0.95)
    if partner == PARTNER:
        assert 0.4 < fmean(success(shown(some, Demonstrator(), LabPartner(partner)))) < 0.95


def success(played: object) -> list[bool]:
    rollouts = asyncio.run(scorer().rollouts(played))  # type: ignore[arg-type]
    return [bool(each.success) for each in rollouts if isinstance(each, Rollout)]


def shown_to(seed: int) -> list[str]:
    families = {name: each.family for name, each in rules().items()}
    scenarios = drawn_scenarios(families, 12, seed)
    found = demonstrate(rules(), tongue(), scenarios, LabPartner(), each=4, turns=8, seed=seed)
    return [tongue().text(each.ids) for each in found]


def test_demonstrations_repeat_by_their_seed_and_a_part_holds_a_tentative_record() -> None:
    one, again, other_ones = shown_to(5), shown_to(5), shown_to(6)
    assert one == again
    assert one != other_ones
    probes = [text for text in one if w.PROBE in text.split()]
    assert 0.1 < len(probes) / len(one) < 0.6
    assert all(w.RECORD not in text.split() for text in probes)
    told = [text for text in one if w.REPAIR in text.split()]
    assert 0 < len(told) < len(one) / 2


def test_a_conversation_of_others_is_laid_out_as_the_policys_own() -> None:
    """The demonstrator's tokens alone are to be learned: its acts and its record, each with its end."""
    (each, *_) = shown(jobs(bank("dev")[:1]), Demonstrator(EXPERT), LabPartner())
    task = each.job.task
    view = View(rules()[task.scenario.family].family, task.scenario.world(task.world).card(task.seat), 8)
    found = trajectory_of(tongue(), view, each.conversation, {"outcome": "decline"})
    words = tongue().text(found.ids).split()
    own = [word for word, turn in zip(words, found.turns, strict=True) if turn >= 0]
    assert own.count(w.END) == max(found.turns) + 1
    assert w.YOU not in own
    assert w.ME not in own
    assert own[-2:] == [w.DECLINE, w.END]


def test_the_start_is_made_once_and_the_same_by_its_seed(tmp_path: Path) -> None:
    import torch

    from adidem.core.policy.loading import load_policy

    imitation = Imitation(scenarios=6, each=2, steps=4, batch=4)
    one = make_base(rules(), imitation, SMALL, 8, tmp_path / "one")
    two = make_base(rules(), imitation, SMALL, 8, tmp_path / "two")
    weights = [dict(load_policy(str(folder)).model.named_parameters()) for folder in (one, two)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    told = (one / REPORT).stat().st_mtime_ns
    assert make_base(rules(), imitation, SMALL, 8, one) == one
    assert (one / REPORT).stat().st_mtime_ns == told
    said: list[str] = []
    file = one / "tongue.json"
    file.write_text(file.read_text().replace('"~', '"~other'))  # as if phrases had been edited since
    make_base(rules(), imitation, SMALL, 8, one, said.append)
    assert "it is made anew" in said[0]
    assert file.read_bytes() == (two / "tongue.json").read_bytes()


def test_the_record_from_the_public_context_alone_is_right_in_one_world_at_most(tmp_path: Path) -> None:
    """For any policy: the worlds share their public context and no right record."""
    from adidem.core.policy.loading import load_policy

    made = make_base(rules(), Imitation(scenarios=12, each=2, steps=6, batch=8), SMALL, 8, tmp_path / "base")
    leak, right = asyncio.run(public_alone(load_policy(str(made)), bank("dev"), rules(), 8))
    assert leak.n == len(right) == 4 * len(bank("dev"))
    assert all(not (one and two) for one, two in zip(right[::2], right[1::2], strict=True))
    assert 0 < leak.random_plan < 0.1
    assert leak.giving_up <= 0.5


def test_a_shuffled_partner_tells_nothing() -> None:
    """The words are there, and no condition can be made out of them."""
    told = []
    for job in jobs(bank("dev")):
        task = job.task
        family, world = rules()[task.scenario.family].family, task.scenario.world(task.world)
        view = View(family, world.card(task.seat), 8)
        theirs = world.card(other(task.seat))
        text = " ".join(family.tell(condition, task.scenario.public) for condition in theirs.conditions)
        turn = Turn(0, theirs.seat, text)
        heard = tongue().text(tongue().heard(turn, view))
        mixed = tongue().text(Shuffled(tongue()).heard(turn, view))
        assert w.TELL in heard.split()
        told.append(heard == mixed)
    assert fmean(told) < 0.1


def test_a_policy_gets_its_own_codec_back() -> None:
    class Quiet:
        codec = "own"

    quiet = Quiet()
    with speaking(quiet, "another"):  # type: ignore[arg-type]
        assert quiet.codec == "another"
    assert quiet.codec == "own"


def test_a_trial_plays_every_task_with_one_opener_in_both_worlds() -> None:
    found = trial_jobs(bank("test"), Settings(repeats=1, seed=2))
    assert len(found) == 240
    assert len({job.task.id for job in found}) == 240
    openers: dict[str, set[str]] = {}
    for job in found:
        openers.setdefault(job.task.scenario.id, set()).add(job.opener)
    assert all(len(each) == 1 for each in openers.values())
    assert len({job.opener for job in found}) == 2


def test_the_labs_vocabulary_is_made_without_a_test_setting() -> None:
    families = {name: each.family for name, each in rules().items()}
    held = {word.strip("~") for word in tongue_of(families).vocabulary.words if word.startswith("~")}
    assert "unfortunately" not in held, "a word of a held-out phrase"
    assert {"how", "agreed", "let's"} <= held
