"""Rollouts in lockstep: real conversations with a policy in one seat, kept as text and as tokens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
import torch

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.domain import SEATS, WORLDS, Task, Turn, Usage
from adidem.core.errors import ModelFailure
from adidem.core.policy.draw import Draw
from adidem.core.policy.tiny import Shape, tiny
from adidem.core.policy.weights import WeightsPolicy
from adidem.core.rules import Rules
from adidem.core.setup import load
from adidem.core.training.contracts import Job, Played
from adidem.core.training.rollouts import Options, Partner, play
from letters import END, PROBE, RECORD, TURN, VOCABULARY, YOU, Letters

SMALL = Shape(width=32, layers=2, heads=4, inner=48, positions=512)
COMPONENTS = load().components
RULES = {name: Rules(COMPONENTS.families[name], COMPONENTS.checkers_for(name)) for name in ("bounded_quantities",)}
SCENARIOS = RULES["bounded_quantities"].family.scenarios("train", 3, 3)


class Talker:
    """A partner who says its lines in order; one that is an error is raised. What it was shown is kept."""

    scripted = True
    name = "talker"

    def __init__(self, lines: Sequence[Any] = ("yes",), record: Any = None) -> None:
        self.lines, self.written = list(lines), record or {"outcome": "decline"}
        self.seen: list[tuple[str, ...]] = []

    def join(self, family: Any, checkers: Any, card: Any, rng: Random) -> Any:
        return self

    async def speak(self, history: Any, left: int) -> Turn:
        self.seen.append(tuple(turn.text for turn in history))
        line = self.lines[min(len(history) // 2, len(self.lines) - 1)]
        if isinstance(line, BaseException):
            raise line
        text, action = line if isinstance(line, tuple) else (line, "speak")
        return Turn(0, "first", text, action)

    async def record(self, history: Any, schema: Any, problem: str | None = None) -> Any:
        if isinstance(self.written, BaseException):
            raise self.written
        return self.written

    def usage(self) -> Usage:
        return Usage()

    async def close(self) -> None:
        pass


def policy(seed: int = 4, longest: int = 6, sharp: float = 20.0, end: int = END) -> WeightsPolicy:
    """A policy that rambles in letters; `sharp` makes it prefer some."""
    made = tiny(Letters(longest=longest, opened=20, end=end), VOCABULARY, SMALL, seed=seed)
    with torch.no_grad():
        made.model.lm_head.weight.mul_(sharp)
    return made


def jobs(count: int = 10) -> list[Job]:
    tasks = [Task(scenario, world, seat) for scenario in SCENARIOS for world in WORLDS for seat in SEATS]
    return [Job(tasks[at % len(tasks)], at, at * 7 + 1, SEATS[at % 3 % 2]) for at in range(count)]


def rolled(
    some: Sequence[Job] | None = None,
    partner: Partner | None = None,
    made: WeightsPolicy | None = None,
    **options: Any,
) -> list[Played]:
    who = partner or Talker()
    given = Options(**{"limit": 5, "draw": Draw(0.9), **options})
    return asyncio.run(play(jobs() if some is None else some, made or POLICY, lambda _job: who, RULES, given))


POLICY = policy()


def test_a_conversation_is_kept_as_text_and_as_tokens() -> None:
    """Turns alternate from the opener on; the tokens are the opening, what was heard, what was said, the record."""
    for played in rolled():
        job, codec = played.job, POLICY.codec
        seats = [turn.seat for turn in played.conversation]
        assert seats == [SEATS[(SEATS.index(job.opener) + at) % 2] for at in range(len(seats))]
        assert [turn.index for turn in played.conversation] == list(range(len(seats)))
        ids, turns = played.trajectory.ids, played.trajectory.turns
        opening = codec.opening(view(job))
        assert list(ids[: len(opening)]) == opening
        rest = ids[len(opening) :]
        heard = [turn for turn in played.conversation if turn.seat != job.task.seat]
        assert rest.count(YOU) >= len(heard)
        spoken = sum(turn.seat == job.task.seat for turn in played.conversation)
        assert set(turns) == {-1, *range(spoken + 1)}
        assert [each for each in turns if each >= 0] == sorted(each for each in turns if each >= 0)


def test_trap_1_only_what_was_sampled_is_a_policy_turn() -> None:
    """Nothing else has a turn or a log-prob; every delimiter stands once; each cue stands before its turn's ids."""
    for played in rolled(probes="own"):
        ids, turns, logps = (
            list(each) for each in (played.trajectory.ids, played.trajectory.turns, played.trajectory.logps)
        )
        assert all((turn < 0) == (logp == 0.0) for turn, logp in zip(turns, logps, strict=True))
        last = max(turns)
        for turn in range(last + 1):
            first = turns.index(turn)
            assert ids[first - 1] == (RECORD if turn == last else TURN)
            assert turns[first - 1] == -1
        own = [each for each, turn in zip(ids, turns, strict=True) if turn < 0]
        assert own.count(TURN) == last
        assert own.count(RECORD) == 1
        assert PROBE not in own


def test_trap_7_what_was_sampled_is_never_encoded_again() -> None:
    """Token in, token out: ids that no text would be encoded to stay as they were drawn."""
    for played in rolled():
        said = [turn for turn in played.conversation if turn.seat == played.job.task.seat]
        for number, turn in enumerate(said):
            ids = [i for i, at in zip(played.trajectory.ids, played.trajectory.turns, strict=True) if at == number]
            assert POLICY.codec.said(ids, view(played.job), turn.index) == turn


def test_trap_9_the_ratio_at_the_first_step_is_1() -> None:
    """The update's own scores of what was sampled are the behaviour's log-probs."""
    found = rolled(probes="reply", draw=Draw(0.7))
    n = max(len(each.trajectory.ids) for each in found)
    ids = torch.full((len(found), n), POLICY.codec.pad)
    for row, each in enumerate(found):
        ids[row, : len(each.trajectory.ids)] = torch.tensor(each.trajectory.ids)
    lengths = torch.tensor([len(each.trajectory.ids) for each in found])
    scored = POLICY.score(ids, lengths, temperature=0.7).logp
    for row, each in enumerate(found):
        for at, turn in enumerate(each.trajectory.turns):
            if turn >= 0:
                ratio = (scored[row, at - 1] - each.trajectory.logps[at]).exp().item()
                assert ratio == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("where", ["own", "reply"])
def test_trap_17_a_probe_changes_nothing(where: str) -> None:
    """Tokens, texts and records are the same with probes and without."""
    for one, two in zip(rolled(), rolled(probes=where), strict=True):
        assert one.conversation == two.conversation
        assert one.records == two.records
        assert one.trajectory.ids == two.trajectory.ids
        assert one.trajectory.logps == pytest.approx(two.trajectory.logps, abs=1e-4)


@pytest.mark.parametrize("where", ["own", "reply"])
def test_each_utterance_has_its_probe(where: str) -> None:
    """After the own turn, or after the reply where there was one; also for the last."""
    for played in rolled(probes=where):
        own = [turn.index for turn in played.conversation if turn.seat == played.job.task.seat]
        last = len(played.conversation) - 1
        wanted = own if where == "own" else [min(index + 1, last) for index in own]
        assert list(played.reached) == wanted
        assert len(played.probes) == len(own)


def test_a_probe_is_the_greedy_record_of_that_moment() -> None:
    """Against a full forward of the conversation up to it."""
    for played in rolled(jobs(4), probes="own"):
        ids, turns = played.trajectory.ids, played.trajectory.turns
        for number, raw in enumerate(played.probes):
            end = max(at for at, turn in enumerate(turns) if turn == number) + 1
            prefix = [*ids[:end], *POLICY.codec.after("turn", ids[:end]), PROBE]
            drawn: list[int] = []
            while len(drawn) < POLICY.codec.longest and END not in drawn:
                logits = POLICY.model(torch.tensor([[*prefix, *drawn]])).logits[0, -1]
                drawn.append(int(logits.argmax()))
            assert raw == POLICY.codec.record(drawn, view(played.job))


def test_a_conversation_does_not_depend_on_the_others() -> None:
    """Alone, in the whole, and in parts of another size."""
    whole = rolled()
    alone = [rolled([job])[0] for job in jobs()[:4]]
    parts = rolled(together=3)
    for one, two in [*zip(whole, alone, strict=False), *zip(whole, parts, strict=True)]:
        assert one.conversation == two.conversation
        assert one.trajectory.ids == two.trajectory.ids


def test_the_seed_of_a_job_is_what_makes_its_samples_differ() -> None:
    one = Job(jobs()[0].task, 0, 1)
    same, other = rolled([one, one]), rolled([one, Job(one.task, 1, 2)])
    assert same[0].trajectory == same[1].trajectory
    assert other[0].trajectory != other[1].trajectory


def test_trap_13_truncation_at_any_turn_marks_the_conversation() -> None:
    """A turn that was cut off, or the record; one that always ends is not marked, one whose record ended is."""
    earlier = 0
    for played in rolled(made=policy(seed=6, sharp=10.0)):
        turns, ids = played.trajectory.turns, played.trajectory.ids
        ends = [ids[max(at for at, each in enumerate(turns) if each == turn)] for turn in range(max(turns) + 1)]
        assert played.trajectory.truncated == any(end != END for end in ends)
        earlier += ends[-1] == END and any(end != END for end in ends)
    assert earlier, "some were cut off in a turn alone"
    for end, cut in ((END, True), (0, False)):
        quiet = policy(end=end)
        with torch.no_grad():
            quiet.model.model.norm.weight.zero_()  # all logits alike: greedy takes the first id
        assert all(each.trajectory.truncated == cut for each in rolled(made=quiet, draw=Draw(0.0)))


def test_trap_4_no_end_is_ever_forced() -> None:
    """Where the end was not sampled, what the template puts there is not the policy's."""
    for played in rolled():
        for at, (token, turn) in enumerate(zip(played.trajectory.ids, played.trajectory.turns, strict=True)):
            if turn >= 0 and played.trajectory.turns[at + 1 : at + 2] == (-1,) and token != END:
                assert played.trajectory.ids[at + 1] == END


def test_a_failed_partner_fails_its_own_conversation_alone() -> None:
    """At a turn or at its record, with the cause; the others are as they would be."""
    down, mute = Talker(["hm", ModelFailure("timeout", "no answer")]), Talker(record=ModelFailure("empty", "nothing"))
    whole = rolled()
    partners: dict[int, Partner] = {2: down, 5: mute}
    found = asyncio.run(
        play(jobs(), POLICY, lambda job: partners.get(job.sample, Talker()), RULES, Options(limit=5, draw=Draw(0.9)))
    )
    assert found[2].failure == "timeout: no answer"
    assert found[5].failure == "empty: nothing"
    assert not found[2].records
    for row in (0, 1, 3, 4, 6, 7, 8, 9):
        assert found[row].failure is None
        assert found[row].trajectory.ids == whole[row].trajectory.ids


def test_leaving_ends_a_conversation_and_three_silences_do() -> None:
    for played in rolled(partner=Talker([("bye", "leave")]), limit=9):
        spoke = [turn for turn in played.conversation if turn.seat != played.job.task.seat]
        assert len(spoke) == 1
        assert played.conversation[-1].action == "leave"
    assert all(len(each.conversation) <= 9 for each in rolled(limit=9))


def test_records_are_read_as_in_any_run() -> None:
    """The partner's is canonical; the policy's rambling is unreadable and says so."""
    played = rolled(jobs(2), Talker(record={"outcome": "declined"}))[0]
    tested, partner = played.job.task.seat, SEATS[1 - SEATS.index(played.job.task.seat)]
    assert played.records[partner].outcome == "decline"
    assert played.records[tested].unreadable is not None


def test_a_base_partner_is_the_policy_as_it_started() -> None:
    """It plays in step, from its own card, and does not move with the policy."""
    made = policy(seed=6)
    first = rolled(made=made, partner="base", probes="own")
    with torch.no_grad():
        for each in made.model.parameters():
            each.add_(0.5 * torch.randn(each.shape, generator=torch.Generator().manual_seed(1)))
    made.changed()
    made.anchor()  # a stage starts: what its KL is held to is another, who sits across is not
    second = rolled(made=made, partner="base", probes="own")
    for one, two in zip(first, second, strict=True):
        assert {turn.seat for turn in one.conversation} == set(SEATS)
        assert one.trajectory != two.trajectory
        if one.job.opener != one.job.task.seat:
            assert one.conversation[0] == two.conversation[0]


def test_trap_8_what_cannot_simply_go_on_is_dropped_and_says_why() -> None:
    """A template that strips reasoning: the conversation fails at that turn; nothing is merged silently."""

    class Stripping(Letters):
        def broken(self, ids: Sequence[int]) -> str | None:
            return "stripped" if sum(ids) % 8 == 0 else None

    made = policy()
    made.codec = Stripping(longest=6, opened=20)
    found = rolled(made=made, probes="own")
    assert {each.failure for each in found} == {"stripped", None}
    for each in found:
        assert bool(each.records) == (each.failure is None)


def test_trap_12_the_policy_that_was_changed_is_the_one_that_samples() -> None:
    """Perturbed, it says other things; nothing of before is kept."""
    made = policy(seed=8)
    before = rolled(made=made)
    with torch.no_grad():
        made.model.model.layers[0].mlp.down_proj.weight.add_(1.0)
    made.changed()
    assert [each.trajectory.ids for each in rolled(made=made)] != [each.trajectory.ids for each in before]


def test_a_scripted_partner_plays_as_in_any_run() -> None:
    """A real agent of ours, with its own card and stream."""
    partner = ScriptedAgent(MANNERS["candid"])
    found = rolled(partner=partner, limit=6)
    assert all(each.failure is None for each in found)
    assert json.dumps([each.conversation[0].text for each in found])
    again = rolled(partner=partner, limit=6)
    assert [each.conversation for each in found] == [each.conversation for each in again]


def test_what_the_partner_says_may_be_distorted_on_its_way() -> None:
    """A barrier on the partner: the policy hears what came out, what was meant is kept."""

    def muffled(turn: Turn) -> Turn:
        return Turn(turn.index, turn.seat, turn.text.upper(), turn.action, meant=turn.text)

    found = asyncio.run(
        play(jobs(3), POLICY, lambda _job: Talker(["hush"]), RULES, Options(limit=4), lambda _talk: muffled)
    )
    for played in found:
        said = [turn for turn in played.conversation if turn.seat != played.job.task.seat]
        assert {(turn.text, turn.meant) for turn in said} == {("HUSH", "hush")}
        assert bytes("HUSH", "ascii") in bytes(i for i in played.trajectory.ids if i < 128)


def view(job: Job) -> Any:
    from adidem.core.policy.contracts import View

    scenario = job.task.scenario
    return View(RULES[scenario.family].family, scenario.world(job.task.world).card(job.task.seat), 5)
