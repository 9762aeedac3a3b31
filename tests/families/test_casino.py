"""CaSiNo: the published layout read with nothing lost, packages said and heard, and the measures of deals."""

import asyncio
import json
from collections import Counter
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Condition, Record, Turn, World
from adidem.core.errors import BankError
from adidem.core.records import read_terms, write_record, write_terms, written
from adidem.core.rules import Rules
from adidem.core.setup import load
from adidem.plugins.families.casino import ITEMS, OWN, Casino, PackageRules, Packages
from adidem.plugins.families.corpora import negotiations, stream
from adidem.plugins.judges.integrity_rules import IntegrityRules
from adidem.plugins.judges.negotiation import Negotiation, efficient, measured, surplus

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "casino" / "casino_valid.json"
needs_sample = pytest.mark.skipif(not SAMPLE.exists(), reason=f"the CaSiNo sample is not at {SAMPLE}")
FAMILY = Casino()
OURS = list(FAMILY.read(OWN))
WORLD = OURS[0].worlds[0]
PLANS = list(FAMILY.plans(WORLD))
ENTRIES = [json.loads(line) for line in OWN.read_text().splitlines()]


def human_deal(world):
    deal = world.public.facts["source"]["deal"]
    return None if deal is None else read_terms(Packages, deal, FAMILY, world.public)


def world_of(first, second):
    """A world with these values of (firewood, food, water) for the two."""
    values = [dict(zip(ITEMS, each, strict=True)) for each in (first, second)]
    conditions = tuple(Condition(seat, "values", value, "…") for seat, value in zip(SEATS, values, strict=True))
    return World("a", WORLD.public, conditions)


def split(*shares):
    return next(p for p in PLANS if [getattr(p, item)["Ines"] for item in ITEMS] == list(shares))


def write(folder, content, name="deals.json"):
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return folder / name


# ------------------------------------------------------------------------------------------------------ what is read


def test_our_own_dialogues_are_read_with_values_deal_and_points():
    assert [s.id for s in OURS] == [f"casino/test/{n:02d}" for n in range(8)]
    assert WORLD.of("first", "values") == {"water": 5, "food": 4, "firewood": 3}
    assert human_deal(WORLD) == split(0, 3, 2)
    assert [human_deal(s.worlds[0]) is None for s in OURS] == [False] * 5 + [True] + [False] * 2


@pytest.mark.parametrize("scenario", OURS, ids=lambda s: s.id)
def test_recomputed_points_are_those_that_the_data_say(scenario):
    world = scenario.worlds[0]
    found = measured(FAMILY, world, human_deal(world))
    assert dict(zip(world.public.names, found.worth, strict=True)) == world.public.facts["source"]["points"]


@needs_sample
def test_the_sample_recomputed_points_and_the_human_baseline():
    """Points equal `points_scored` in every deal, and the mean surplus of people is the published 0.915."""
    worlds = [scenario.worlds[0] for scenario in FAMILY.read(SAMPLE)]
    found = [measured(FAMILY, world, human_deal(world)) for world in worlds]
    assert len(worlds) == 30
    for world, each in zip(worlds, found, strict=True):
        assert dict(zip(world.public.names, each.worth, strict=True)) == world.public.facts["source"]["points"]
    assert fmean(each.surplus for each in found) == pytest.approx(0.915, abs=5e-4)
    assert all(each.agreed for each in found)
    assert fmean(each.pareto for each in found) == pytest.approx(2 / 3)


@needs_sample
def test_at_most_sixteen_chat_logs_are_selected_in_the_sample():
    assert len(list(Casino(max_logs=16).read(SAMPLE))) == 27
    assert len(list(Casino(max_logs=12).read(SAMPLE))) == 11


def test_what_people_made_of_it_is_on_no_card():
    for scenario, seat in product(OURS, SEATS):
        card = scenario.worlds[0].card(seat)
        assert "source" not in card.public.facts
        other = [c for c in scenario.a if c.owner != seat]
        assert all(c.text not in repr(card) for c in other)


def test_a_list_and_lines_and_a_folder_give_the_same(tmp_path):
    as_list = [s.a for s in FAMILY.read(write(tmp_path, ENTRIES))]
    assert as_list == [s.a for s in OURS]
    folder = tmp_path / "all"
    folder.mkdir()
    write(folder, ENTRIES[:2], "casino_train.json")
    write(folder, ENTRIES[2:5], "casino_valid.json")
    write(folder, "".join(json.dumps(e) + "\n" for e in ENTRIES[5:]), "more.jsonl")
    assert [s.id for s in FAMILY.read(folder)] == [
        "casino/train/00", "casino/train/01", "casino/dev/00", "casino/dev/01", "casino/dev/02",
        "casino/test/00", "casino/test/01", "casino/test/02",
    ]  # fmt: skip


def broken(change):
    entry = json.loads(json.dumps(ENTRIES[1]))
    change(entry)
    return entry


FAULTS = [
    (lambda e: e.pop("participant_info"), "`participant_info` is no object with two people"),
    (lambda e: e["participant_info"].pop("mturk_agent_2"), "`participant_info` is no object with two people"),
    (lambda e: e.update(chat_logs="none"), "`chat_logs` is no list of objects"),
    (lambda e: e["participant_info"]["mturk_agent_1"]["value2issue"].update(Low="Gold"), "`value2issue` of mturk_ag"),
    (lambda e: e["participant_info"]["mturk_agent_1"]["value2issue"].update(High=["Food"]), "`value2issue` of mturk_a"),
    (lambda e: e["participant_info"]["mturk_agent_1"]["outcomes"].update(points_scored=10**400), "`points_scored` of"),
    (lambda e: e["chat_logs"][0].update(id=["mturk_agent_1"]), "who is none of the two"),
    (lambda e: e["chat_logs"][0].update(id="mturk_agent_9"), "'mturk_agent_9', who is none of the two"),
    (lambda e: e["chat_logs"][-2]["task_data"]["issue2youget"].update(Food="2"), "shares out 4 of 3 packages of Food"),
    (lambda e: e["chat_logs"][-2]["task_data"]["issue2youget"].update(Food="-1"), "has no count of Food"),
    (lambda e: e["chat_logs"][-2]["task_data"].pop("issue2theyget"), "has no count of Firewood"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS, ids=[said for _, said in FAULTS])
def test_what_is_no_negotiation_is_named_with_its_line(tmp_path, change, said):
    lines = [json.dumps(ENTRIES[0]), json.dumps(broken(change))]
    path = write(tmp_path, "\n".join(lines), "deals.jsonl")
    with pytest.raises(BankError, match=f"deals.jsonl:2: .*{said}"):
        list(FAMILY.read(path))


def test_the_last_deal_that_the_other_accepts_counts():
    deal = {"Firewood": "3", "Food": "0", "Water": "0"}
    rest = {"Firewood": "0", "Food": "3", "Water": "3"}
    data = {"issue2youget": deal, "issue2theyget": rest}

    def logs(*steps):
        entry = json.loads(json.dumps(ENTRIES[0]))
        entry["chat_logs"] = [
            {"text": text, "id": f"mturk_agent_{who}", "task_data": data if text == "Submit-Deal" else {}}
            for who, text in steps
        ]
        return negotiations.dialogue_of(entry).deal

    taken = {"Firewood": (3, 0), "Food": (0, 3), "Water": (0, 3)}
    assert logs((1, "Submit-Deal"), (2, "Accept-Deal")) == taken
    assert logs((2, "Submit-Deal"), (1, "Accept-Deal")) == {item: pair[::-1] for item, pair in taken.items()}
    assert logs((1, "Submit-Deal"), (1, "Accept-Deal")) is None
    assert logs((1, "Submit-Deal"), (2, "Reject-Deal"), (2, "Accept-Deal")) is None
    assert logs((1, "Submit-Deal"), (2, "Walk-Away")) is None
    assert logs((1, "Submit-Deal")) is None


# ------------------------------------------------------------------------------------------------- rules and measures


def test_every_package_goes_to_somebody_in_whole_ones():
    check = PackageRules().check
    good = split(1, 2, 2)
    assert list(check(WORLD, good)) == []

    def rules(**shares):
        return [v.rule for v in check(WORLD, Packages(**{**write_terms(good), **shares}))]

    assert rules(food={"Ines": 2, "Caleb": 2}) == ["units"]
    assert rules(food={"Ines": 3}) == ["whole"]
    assert rules(food={"Ines": -1, "Caleb": 4}) == ["whole"]
    assert rules(food={"Ines": 1.5, "Caleb": 1.5}) == ["whole", "whole"]


def test_nobody_may_get_less_than_by_walking_away():
    low = split(1, 0, 0)  # 3 points for Ines, who values firewood least
    (violation,) = PackageRules().check(WORLD, low)
    assert (violation.rule, violation.seat, violation.found, violation.required) == ("walk_away", "first", 3, 5)
    assert list(PackageRules().check(World("x", WORLD.public, ()), low)) == [], "what is not known is no constraint"


def test_the_greatest_product_for_the_same_values_is_169():
    """Both get 18 of 36 points: (18 - 5)² = 169, as FACTS.md derives."""
    world = world_of((5, 4, 3), (5, 4, 3))
    best = max(((a - 5) * (b - 5) for a, b in (measured(FAMILY, world, p).worth for p in PLANS)), default=0)
    assert best == 169


def test_opposite_values_worked_by_hand():
    """First 5, 4, 3 and second 3, 4, 5 for firewood, food, water. (3, 1, 0): 19 and 23 points, 14·18 = 252; the best is
    (3, 2, 0) and its mirror: 23 and 19, the same 252; (3, 3, 0) is 27 and 15: 220; (0, 0, 3) is 9 and 21: 64."""
    world = world_of((5, 4, 3), (3, 4, 5))
    assert measured(FAMILY, world, split(3, 1, 0)).worth == (19, 23)
    assert measured(FAMILY, world, split(3, 1, 0)).surplus == 1
    assert measured(FAMILY, world, split(3, 3, 0)).surplus == pytest.approx(220 / 252)
    assert measured(FAMILY, world, split(0, 0, 3)).surplus == pytest.approx(64 / 252)
    assert measured(FAMILY, world, split(3, 3, 0)).pareto
    assert not measured(FAMILY, world, split(0, 0, 3)).pareto
    assert measured(FAMILY, world, None).surplus == 0
    assert measured(FAMILY, world, None).pareto is None


ORDERS = st.permutations([5, 4, 3]).map(tuple)


@given(ORDERS, ORDERS, st.sampled_from(PLANS))
def test_the_surplus_is_in_the_unit_interval_and_the_same_seen_from_the_other_side(first, second, plan):
    one = measured(FAMILY, world_of(first, second), plan)
    mirrored = split(*(3 - getattr(plan, item)["Ines"] for item in ITEMS))
    two = measured(FAMILY, world_of(second, first), mirrored)
    assert 0 <= one.surplus <= 1
    assert (one.worth, one.surplus, one.pareto) == (two.worth[::-1], two.surplus, two.pareto)


@given(ORDERS, ORDERS)
def test_the_best_plan_is_efficient_and_some_plan_has_surplus_one(first, second):
    found = [measured(FAMILY, world_of(first, second), plan) for plan in PLANS]
    best = [each for each in found if each.surplus == 1]
    assert best
    assert all(each.pareto for each in best)


POINTS = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (float(pair[0]), float(pair[1])))


@given(st.lists(POINTS, min_size=1, max_size=12))
def test_someone_is_always_efficient_and_the_surplus_has_its_bounds(space):
    assert any(efficient(worth, space) for worth in space)
    assert all(0 <= surplus(worth, (5.0, 5.0), space) <= 1 for worth in space)


# --------------------------------------------------------------------------------------------------- records, judged


def case(first, second, scenario=OURS[0]):
    rules = Rules(FAMILY, [PackageRules()])
    world = scenario.worlds[0]
    raws = {"first": first, "second": second}
    records = {seat: written(raw, FAMILY, world.public) for seat, raw in raws.items()}
    feasibility = rules.feasibility(world, raws)
    return Case(scenario, world, "first", FAMILY, rules.checkers, (), records, feasibility)


def rated(first, second, scenario=OURS[0]):
    judgement = asyncio.run(Negotiation().judge(case(first, second, scenario), None))
    return {(r.dimension, r.seat): r.score if r.unscored is None else r.unscored for r in judgement.ratings}


def agree(plan):
    return write_record(Record("agree", plan))


def test_a_deal_is_what_both_recorded_alike():
    found = rated(agree(split(0, 3, 2)), agree(split(0, 3, 2)))
    assert found["agreement", None] == 1
    assert (found["points", "first"], found["points", "second"]) == (22, 19)
    assert found["nash_surplus", None] == found["human_surplus", None] > 0.9
    other = rated(agree(split(0, 3, 2)), agree(split(0, 3, 1)))
    assert (other["agreement", None], other["nash_surplus", None]) == (0, 0)
    assert (other["points", "first"], other["points", "second"]) == (5, 5)
    assert other["pareto", None] == "not asked: there was no deal"


@pytest.mark.parametrize("record", [{"outcome": "decline"}, "nonsense", None, {"outcome": "agree", "terms": {}}])
def test_no_deal_is_worth_walking_away(record):
    found = rated(record, agree(split(0, 3, 2)))
    assert (found["agreement", None], found["points", "first"], found["nash_surplus", None]) == (0, 5, 0)


def test_a_deal_that_shares_out_too_much_is_none():
    terms = {item: {"Ines": 2, "Caleb": 2} for item in ITEMS}
    record = {"outcome": "agree", "terms": terms}
    assert rated(record, record)["agreement", None] == 0


def test_people_who_walked_away_had_no_surplus():
    scenario = OURS[5]
    plan = next(iter(FAMILY.plans(scenario.worlds[0])))
    assert rated(agree(plan), agree(plan), scenario)["human_surplus", None] == 0


# ------------------------------------------------------------------------------------------------------------ speech


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_a_plan_is_heard_as_it_was_said(plan):
    said = FAMILY.say(plan, WORLD.public)
    frames = "How about {}?", "Yes, {} works for me.", "I'm afraid that doesn't suit me. I suggest {}."
    for text in (frame.format(said) for frame in frames):
        for seat in SEATS:
            assert [p.terms for p in FAMILY.hear(text, WORLD.public, seat).plans] == [plan]


@pytest.mark.parametrize("scenario", OURS, ids=lambda s: s.id)
def test_what_is_told_is_heard_exactly(scenario):
    for condition in scenario.a:
        heard = FAMILY.hear(FAMILY.tell(condition, scenario.public), scenario.public, condition.owner)
        assert [(f.kind, f.value, f.about) for f in heard.facts] == [("values", condition.value, "speaker")]
        assert heard.plans == ()


LOOSE = [  # text, said by the first (Ines), the first's (firewood, food, water) or None
    ("I take all the firewood, and you take all the food and water.", (3, 0, 0)),
    ("So I get 2 water, 1 food and no firewood, and you get the rest?", (0, 1, 2)),
    ("2 firewood, 2 food and 1 water for me, rest to you?", (2, 2, 1)),
    ("You give me 3 water, 0 food and one wood.", (1, 0, 3)),
    ("I give you two of the food, 3 firewood and 1 water.", (0, 1, 2)),
    ("For you two packages of water, one of food… hm", None),
    ("How about Caleb gets 3 firewood, 1 food and 0 water?", (0, 2, 3)),
    ("Can you give me 1 food, 1 water and 2 bundles of firewood?", (2, 1, 1)),
    ("I can't give you 3 firewood, 3 food and 3 water.", None),
    ("I take 2 firewood, 2 food and 5 water.", None),
    ("I take 2 firewood and you take 2 firewood, 1 food and 1 water.", None),
    ("I take 2 food and you take 1 food.", None),
    ("I'd trade 2 food for 1 water and 1 firewood.", None),
    ("I don't want 1 food, 1 water and 1 firewood.", None),
    ("Why don't we say 1 firewood, 1 food and 3 water for me?", (1, 1, 3)),
    ("All the water for me, all the food and firewood for you.", (0, 0, 3)),
    ("I get 2 food, 1 water and 0 firewood, the rest for you.", (0, 2, 1)),
    ("I suggest 3 firewood, 1 food and 0 water for you.", (0, 2, 3)),
    ("Hello! Nice weather, isn't it?", None),
    ("", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shares"), LOOSE, ids=[text for text, _ in LOOSE])
def test_loose_splits(text, shares):
    plans = [p.terms for p in FAMILY.hear(text, WORLD.public, "first").plans]
    assert plans == ([] if shares is None else [split(*shares)])


FACTS = [
    ("I need food the most and firewood the least.", {"firewood": 3, "food": 5, "water": 4}),
    ("Water is my top priority.", {"firewood": None, "food": None, "water": 5}),
    ("My highest priority is firewood.", {"firewood": 5, "food": None, "water": None}),
    ("Food is the least important to me.", {"firewood": None, "food": 3, "water": None}),
    ("I assume you value water the least?", None),
    ("Water is not my number one priority.", None),
    ("I need water most, then food, and firewood least.", {"firewood": 3, "food": 4, "water": 5}),
]


@pytest.mark.parametrize(("text", "values"), FACTS, ids=[text for text, _ in FACTS])
def test_loose_priorities(text, values):
    assert [f.value for f in FAMILY.hear(text, WORLD.public, "second").facts] == ([] if values is None else [values])


@given(st.text(max_size=200) | st.lists(st.sampled_from([text for text, _ in LOOSE]), max_size=4).map(" ".join))
def test_hearing_never_raises(text):
    heard = FAMILY.hear(text, WORLD.public, "first")
    assert all(list(PackageRules().check(World("x", WORLD.public, ()), p.terms)) == [] for p in heard.plans)


# ------------------------------------------------------------------------------------------------------------- streams


def test_every_shape_of_file_is_read_and_every_fault_named(tmp_path):
    shapes = {
        "a.json": ('[\n{"x": 1},\n\n {"x": 2}\n]', [("2", None, {"x": 1}), ("4", None, {"x": 2})]),
        "b.jsonl": ('\ufeff{"x": 1}\n\n{"x": 2}\n', [("1", None, {"x": 1}), ("3", None, {"x": 2})]),
        "c.json": ('{\n"m": {"log": []},\n"n": {"log": [1]}\n}', [("2", "m", {"log": []}), ("3", "n", {"log": [1]})]),
        "d.json": ('{"participant_info": {"log": 1}}', [("1", "participant_info", {"log": 1})]),
        "e.json": ("[]", []),
    }
    for name, (text, wanted) in shapes.items():
        path = write(tmp_path, text, name)
        assert [(e.where.rpartition(":")[2], e.key, e.value) for e in stream.entries(path)] == wanted
    faults = {
        "": "f.json:1: the file is empty",
        "hello": "f.json:1: neither a list",
        '[\n{"x": 1}\n{"x": 2}]': "f.json:3: ']' is missing before '{'",
        '[\n{"x": 1},': "f.json:2: no JSON",
        '[\n{"x": 1},\n{"x" 2}]': "f.json:3: no JSON",
        '[{"x": 1}] more': "f.json:1: more follows",
        '[\n{"x": "never ends': "f.json:2: no JSON: Unterminated",
        '{"m": {"log": []},\n 3: {}}': "f.json:2: a dialogue's id is no text",
        "[" + "[" * 100_000: "f.json:1: it is nested too deeply",
        '[\n{"x": ' + "9" * 5000 + "}]": "f.json:2: a number has more digits than can be read",
    }
    for text, said in faults.items():
        path = write(tmp_path, text, "f.json")
        with pytest.raises(BankError) as raised:
            list(stream.entries(path))
        assert said in str(raised.value)
    (tmp_path / "g.json").write_bytes(b'[{"x": "\xff"}]')
    with pytest.raises(BankError, match="no UTF-8"):
        list(stream.entries(tmp_path / "g.json"))
    with pytest.raises(BankError, match="is not there"):
        list(stream.entries(tmp_path / "none.json"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BankError, match="holds no file of dialogues"):
        list(stream.entries(tmp_path / "empty"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text(max_size=8), JSON, max_size=4), max_size=6), st.sampled_from([None, 1]))
def test_values_that_cross_the_edge_of_what_is_read_come_out_whole(tmp_path_factory, values, indent):
    path = tmp_path_factory.mktemp("s") / "x.json"
    path.write_text(json.dumps(values, indent=indent))
    before, stream.CHUNK = stream.CHUNK, 3
    try:
        assert [e.value for e in stream.entries(path)] == values
    finally:
        stream.CHUNK = before


@needs_sample
def test_what_integrity_by_rules_says_of_people_is_what_the_docs_say():
    """Why it is none of the suite's judges: docs/datasets.md has the figures, and what each flag is."""
    flagged = Counter()
    dialogues = (negotiations.dialogue_of(entry.value) for entry in stream.entries(SAMPLE))
    for scenario, dialogue in zip(FAMILY.read(SAMPLE), dialogues, strict=True):
        public = scenario.worlds[0].public
        deal = agree(read_terms(FAMILY.terms, public.facts["source"]["deal"], FAMILY, public))
        turns = tuple(Turn(at, SEATS[who], text) for at, (who, text) in enumerate(dialogue.chat))
        judged = asyncio.run(IntegrityRules().judge(evolve(case(deal, deal, scenario), conversation=turns), None))
        flagged.update({flag.kind for flag in judged.flags})
        flagged["any"] += bool(judged.flags)
    assert flagged == {"record_contradiction": 8, "repetition": 3, "factual_error": 1, "any": 11}
    assert "casino" not in [name for name, suite in load().registry.suites.items() if "integrity_rules" in suite.judges]


def test_a_folder_with_splits_is_not_read_twice(tmp_path):
    """As published: `casino.json` beside the splits holds the same dialogues, which are in `test` once."""
    lines = OWN.read_text().splitlines()
    (tmp_path / "casino.json").write_text("\n".join(lines))
    (tmp_path / "split").mkdir()
    (tmp_path / "split" / "casino_test.json").write_text("\n".join(lines[:2]))
    (tmp_path / "split" / "casino_valid.json").write_text("\n".join(lines[2:5]))
    assert Counter(s.split for s in Casino().read(tmp_path)) == {"test": 2, "dev": 3}
    (tmp_path / "split" / "casino_test.json").unlink()
    (tmp_path / "split" / "casino_valid.json").unlink()
    assert Counter(s.split for s in Casino().read(tmp_path)) == {"test": len(lines)}
