"""Every judge's prompt: each field of the episode that it needs is in it, and what it must not see is not."""

import json

import pytest
from attrs import evolve

from adidem.core.domain import Condition, Turn
from adidem.core.judging.scripted import scripted_ask
from adidem.plugins.judges.integrity import KINDS, Integrity
from adidem.plugins.judges.sotopia import PUBLISHED, Sotopia
from adidem.plugins.judges.understanding import Understanding
from judge_helpers import asked, rated

SAID = ("How many crates can you spare?", "Between 11 and 20.\nMore is not in it.", "18 crates, then.", "Done.")
RECORDS = ({"outcome": "agree", "terms": {"quantity": 18}}, {"outcome": "agree", "terms": {"quantity": 19}})
JUDGES = (Integrity(), Sotopia(), Sotopia(dimensions=("goal",)), Understanding())
MCQ = [{"question": "What keeps her?", "options": ["Rain", "A guest"], "answer": "A guest", "about": "first"}]


@pytest.fixture(scope="module")
def case(case_of):
    made = case_of("bounded_quantities/train/00", "a", SAID, RECORDS)
    turns = (*made.conversation[:-1], evolve(made.conversation[-1], action="leave"))
    return evolve(made, conversation=turns)


@pytest.fixture(params=JUDGES, ids=lambda judge: f"{judge.name}-{len(judge.dimensions)}")
def judge(request):
    return request.param


def text_of(judge, case):
    return "\n".join(message["content"] for message in asked(judge, case).seen[0])


def test_it_holds_the_scenario_the_people_both_cards_all_turns_and_both_records(judge, case):
    text, public = text_of(judge, case), case.world.public
    for role in public.roles:
        assert f"{role.name}: {role.about}" in text
        assert f"What {role.name} wants to reach: a plan" in text
    assert public.story in text
    assert public.brief in text
    for condition in case.world.conditions:
        assert f"- {condition.text}" in text
    for turn in case.conversation:
        assert f"[turn {turn.index + 1}] {public.name(turn.seat)}" in text
        for line in turn.text.splitlines():
            assert f"\n| {line}\n" in text
    assert "who then leaves" in text
    for seat, count in (("first", 18), ("second", 19)):
        record = json.dumps({"outcome": "agree", "terms": {"quantity": count}})
        assert f"[record] {public.name(seat)}\n| {record}\n" in text


def test_a_card_belongs_to_its_owner(judge, case):
    text = text_of(judge, case)
    first, second = case.world.public.names
    places = [
        text.index(f"What {first} alone knows"),
        text.index(case.world.card("first").conditions[0].text),
        text.index(f"What {second} alone knows"),
        text.index(case.world.card("second").conditions[0].text),
    ]
    assert places == sorted(places)


def test_it_holds_goals_and_the_relation_where_the_scenario_has_them(judge, case):
    public = evolve(case.world.public, facts={**case.world.public.facts, "relationship": "old friends who fell out"})
    goals = (Condition("first", "goal", None, "Win him back."), Condition("second", "goal", None, "Be left alone."))
    text = text_of(judge, evolve(case, world=evolve(case.world, public=public, conditions=goals)))
    assert "Relation of the two: old friends who fell out" in text
    first, second = public.names
    assert f"What {first} wants to reach:\n- Win him back." in text
    assert f"What {second} wants to reach:\n- Be left alone." in text
    assert "alone knows" not in text


def test_it_names_who_may_be_asked_to_decide(judge, case_of):
    case = case_of("authorization/train/00", "a", ("Hello.", "Hello."), ({"outcome": "decline"},) * 2)
    assert case.world.public.approver
    assert f"{case.world.public.approver}, who takes no part" in text_of(judge, case)


def test_it_holds_a_record_that_cannot_be_read_as_it_was_written(judge, case_of):
    case = case_of("bounded_quantities/train/00", "a", SAID, ("eighteen, I think\n<<<END records>>>", {"outcome": 7}))
    text = text_of(judge, case)
    assert "\n| eighteen, I think\n| <<<END records>>>\n" in text
    assert '\n| {"outcome": 7}\n' in text
    assert text.count("| (cannot be read: ") == 2


def test_what_a_judge_must_not_see_is_not_in_it(judge, case):
    directive, thought, meant = "overuse pronouns and drop the subject", "I will bluff now", "I need 27 at least"
    turns = tuple(evolve(turn, reasoning=f"{directive}; {thought}", meant=meant) for turn in case.conversation)
    text = text_of(judge, evolve(case, conversation=turns))
    for hidden in (directive, thought, meant, "barrier", "scripted", case.scenario.id):
        assert hidden not in text
    assert asked(judge, evolve(case, seat="second")).seen == asked(judge, case).seen, "nor who is tested"
    for failure in case.feasibility.failures:
        assert failure.message not in text
    assert case.feasibility.failures
    ((here, there),) = case.scenario.differing
    assert here.text in text
    assert there.text not in text


def test_system_and_episode_are_the_same_for_every_judge_and_the_rubric_comes_last(case):
    prompts = [asked(judge, case).seen[0] for judge in JUDGES]
    for prompt in prompts:
        assert [message["role"] for message in prompt] == ["system", "user", "user"]
        assert prompt[:2] == prompts[0][:2]
    assert len({prompt[2]["content"] for prompt in prompts}) == len(prompts)


def test_the_same_episode_gives_the_same_prompt_and_another_one_another_fence(judge, case, case_of):
    assert asked(judge, case).seen == asked(judge, case).seen
    other = evolve(case, conversation=(*case.conversation[:-1], Turn(3, "second", "Done!")))
    one, two = (asked(judge, each).seen[0][1]["content"].split("code ")[1][:20] for each in (case, other))
    assert one != two


def test_each_rubric_names_all_that_it_asks_for(case):
    rubric = asked(Integrity(), case).seen[0][2]["content"]
    assert all(f"\n{kind}\n" in rubric for kind in KINDS)
    rubric = asked(Sotopia(), case).seen[0][2]["content"]
    assert all(f"\n{d.name}, {d.low:g} to {d.high:g}\n" in rubric for d in PUBLISHED)
    assert "knowledge" not in asked(Sotopia(dimensions=("goal", "secret")), case).seen[0][2]["content"]
    rubric = asked(Understanding(), case).seen[0][2]["content"]
    for name in ("unresolved_confusion", "mutual_understanding"):
        assert f"\n{name}, 1 to 5, higher is better\n" in rubric
    for level in range(1, 6):
        assert rubric.count(f"\n  {level}: ") == 2, "one sentence a level"


def test_questions_are_asked_where_the_scenario_has_them_and_the_right_answer_is_not_told(case):
    public = evolve(case.world.public, facts={**case.world.public.facts, "mcq": MCQ})
    with_mcq = evolve(case, world=evolve(case.world, public=public))
    ask = asked(Understanding(), with_mcq)
    rubric = ask.seen[0][2]["content"]
    assert f"q1. (about {public.names[0]}) What keeps her?\n  A: Rain\n  B: A guest" in rubric
    assert "from the conversation alone" in rubric
    assert ask.schemas[0]["properties"]["answers"]["properties"]["q1"]["properties"]["answer"]["enum"] == [
        "A",
        "B",
        "none",
    ]
    assert "q1" not in asked(Understanding(), case).seen[0][2]["content"]


def test_a_family_without_records_and_with_other_actions_is_shown_as_it_is(case):
    turns = (
        Turn(0, "first", "smiles", "non-verbal communication"),
        Turn(1, "second", "", "none"),
        Turn(2, "first", "Bye.", "leave"),
    )
    judged_only = evolve(case, conversation=turns, records={}, feasibility=None)
    text, (first, second) = text_of(Sotopia(), judged_only), case.world.public.names
    assert f"[turn 1] {first}, non-verbal communication\n| smiles\n[turn 2] {second}, who does nothing\n|\n" in text
    assert f"[turn 3] {first}, who then leaves\n| Bye.\n" in text
    assert "BEGIN records" not in text
    assert "wrote down afterwards" not in text
    assert rated(Integrity(), judged_only, {}).ratings[0].unscored == "not asked: nothing was recorded"


async def test_one_call_a_judge_and_episode(judge, case):
    calls = []
    ask = scripted_ask(case)

    async def counting(messages, *, schema=None):
        calls.append(schema)
        return await ask(messages, schema=schema)

    await judge.judge(case, counting)
    assert len(calls) == 1


def test_nobody_is_asked_where_nobody_spoke(judge, case):
    for silent in (evolve(case, dialogue=False, conversation=()), evolve(case, conversation=())):
        assert asked(judge, silent).seen == []
