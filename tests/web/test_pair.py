"""An episode page's matter: the pair, its turns, where the condition was told, verdicts, evidence, probes."""

from random import Random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Condition, Episode, Flag, Heard, Judgement, Turn, Written
from adidem.core.runs.store import RunStore
from adidem.core.web.checks import verdict
from adidem.core.web.disclosure import disclosure
from adidem.core.web.evidence import evidence
from adidem.core.web.pair import pair, whole_text
from adidem.core.web.probes import chart, probes
from adidem.core.web.side import side


@pytest.fixture
def paired(played, rules):
    """`paired(episode)`: its page's matter."""

    def make(episode, folder=played, terms=()):
        with RunStore(folder) as store:
            return pair(store, *episode.key, rules, terms)

    return make


def one(episodes, **wanted):
    return next(e for e in episodes if all(getattr(e, name) == value for name, value in wanted.items()))


# ---------------------------------------------------------------------------------------------------------- the pair


def test_the_other_world_stands_beside_it_with_the_same_role_and_condition(paired, episodes):
    for episode in episodes:
        found = paired(episode)
        a, b = found.sides
        assert (a.world, b.world) == ("a", "b")
        assert [s.here for s in found.sides] == [episode.world == "a", episode.world == "b"]
        for s in (a, b):
            assert (s.episode.seat, s.episode.barrier, s.episode.scenario) == (
                episode.seat,
                episode.barrier,
                episode.scenario,
            )
        assert len(found.rows) == max(len(a.episode.turns), len(b.episode.turns))
        for row in found.rows:
            for s in (a, b):
                cell = row.cells[s.world]
                turns = s.episode.turns
                assert (cell.turn if cell else None) == (turns[row.index] if row.index < len(turns) else None)
        assert sum(row.parts for row in found.rows) <= 1


def test_the_first_difference_is_marked(paired, episodes):
    found = paired(episodes[0])
    a, b = ([(t.seat, t.text, t.action) for t in s.episode.turns] for s in found.sides)
    first = next((i for i in range(max(len(a), len(b))) if a[i : i + 1] != b[i : i + 1]), None)
    assert [row.index for row in found.rows if row.parts] == ([] if first is None else [first])


def test_without_the_other_world_its_card_is_still_shown(copied, episodes, paired):
    folder = copied(change=lambda e: e if e.world == "b" else None)
    found = paired(one(episodes, world="b"), folder)
    a, b = found.sides
    assert a.episode is None
    assert len(a.cards) == 2
    assert b.here
    assert all(row.cells["a"] is None for row in found.rows)
    assert not any(row.parts for row in found.rows)


def test_exactly_one_condition_of_one_card_is_marked_in_each_world(paired, episodes):
    for episode in episodes:
        found = paired(episode)
        for s in found.sides:
            marked = [text for card in s.cards for text, differs in card.conditions if differs]
            assert len(marked) == 1
            assert any("differs" in piece.kinds for piece in marked[0].pieces)
            others = [text for card in s.cards for text, differs in card.conditions if not differs]
            assert not any(piece.kinds for text in others for piece in text.pieces)


def test_the_other_role_and_other_conditions_of_the_world_are_linked(paired, episodes):
    found = paired(episodes[0])
    assert {kin.differs for kin in found.kin} == {"seat", "barrier"}
    assert all(kin.row["world"] == episodes[0].world for kin in found.kin)


def test_words_that_were_searched_for_are_marked(paired, episodes):
    word = episodes[0].turns[0].text.split()[0].strip(",.")
    found = paired(episodes[0], terms=[word])
    cell = found.rows[0].cells[episodes[0].world]
    assert any("hit" in piece.kinds and piece.text.lower() == word.lower() for piece in cell.told.pieces)


def test_a_text_in_full(episodes):
    turn = Turn(0, "first", "x" * 50_000, reasoning="why")
    episode = evolve(episodes[0], turns=(turn,))
    assert whole_text(episode, "text", 0) == turn.text
    assert whole_text(episode, "reasoning", 0) == "why"
    for part, index in (("text", 1), ("text", -1), ("seat", 0), ("meant", 0), ("__class__", 0)):
        assert whole_text(episode, part, index) is None


# ---------------------------------------------------------------------------------------------------- the condition


def test_a_condition_that_was_told_is_marked_where_it_was(episodes, scenarios, rules):
    """As its owner tells it, put into a conversation of small talk."""
    for scenario in scenarios.values():
        family = rules[scenario.family].family
        for world, condition in zip("ab", scenario.differing[0], strict=True):
            words = family.tell(condition, scenario.public)
            said = ["Hello there.", f"Well. {words}", "I see.", "Right."]
            seats = ["first", "second"] if condition.owner == "second" else ["second", "first"]
            turns = tuple(Turn(i, seats[i % 2], text) for i, text in enumerate(said))
            episode = evolve(episodes[0], scenario=scenario.id, family=scenario.family, world=world, turns=turns)
            found = disclosure(scenario, episode, rules[scenario.family])
            assert found.whole == 1, (scenario.id, world, words)
            assert found.at(1) == "whole"
            assert found.at(0) == found.at(2) == ""
            assert set(found.marks) == {1}
            assert all(said[1][m.start : m.end].strip() for m in found.marks[1])


def test_what_was_never_told_is_marked_nowhere(episodes, scenarios, rules):
    episode = evolve(episodes[0], turns=(Turn(0, "first", "Hello."), Turn(1, "second", "Hello, and goodbye.")))
    found = disclosure(scenarios[episode.scenario], episode, rules[episode.family])
    assert (found.whole, found.part, dict(found.marks)) == (None, None, {})
    assert (found.problem, found.unsure) == ("", "")


def test_what_rules_did_not_hear_a_model_may_have_told(episodes, scenarios, rules):
    """Not known is not never: of a model's or a person's words rules hear some."""
    turns = (Turn(0, "first", "Hello."), Turn(1, "second", "Hello, and goodbye."))
    for name in ("openai/gpt-5-mini", "hf:policy", "human"):
        for owner in ("first", "second"):
            shown = next(e for e in episodes if scenarios[e.scenario].differing[0][0].owner == owner)
            tested = evolve(shown.agents, **{"agent" if shown.seat == owner else "partner": name})
            other = evolve(shown.agents, **{"partner" if shown.seat == owner else "agent": name})
            scenario, family = scenarios[shown.scenario], rules[shown.family]
            found = disclosure(scenario, evolve(shown, turns=turns, agents=tested), family)
            assert found.unsure == f"rules heard nothing of it in the words of {name}, which may have told it in others"
            assert not disclosure(scenario, evolve(shown, turns=turns, agents=other), family).unsure


def test_a_family_without_ears_knows_nothing(episodes, scenarios, rules):
    class Deaf:
        name = "deaf"

        def __init__(self, family):
            self.family = family

        def __getattr__(self, name):
            return getattr(self.family, name)

        def hear(self, *_):
            return Heard()

    found = rules[episodes[0].family]
    deaf = found.__class__(Deaf(found.family), found.checkers)
    said = disclosure(scenarios[episodes[0].scenario], episodes[0], deaf)
    assert "does not hear even its own words for it" in said.unsure


def test_a_family_that_is_not_loaded_or_fails_is_said(episodes, scenarios, rules):
    scenario = scenarios[episodes[0].scenario]
    assert "not loaded" in disclosure(scenario, episodes[0], None).problem

    class Deaf:
        name = "deaf"

        def hear(self, *_):
            raise RuntimeError("no ears")

    broken = rules[scenario.family].__class__(Deaf(), ())
    assert "no ears" in disclosure(scenario, episodes[0], broken).problem


# ---------------------------------------------------------------------------------------------------------- verdicts


def test_every_stored_failure_is_shown_and_nothing_else_fails(episodes, scenarios, rules):
    """By itself with the rules, and without them."""
    for episode in episodes:
        stored = {f.message for f in episode.feasibility.failures}
        for known in (rules[episode.family], None):
            found = verdict(scenarios[episode.scenario], episode, known)
            broken = {check.message.text for check in found.checks if not check.passed}
            assert broken == stored
            assert bool(found.problem) == (known is None)
        with_rules = verdict(scenarios[episode.scenario], episode, rules[episode.family])
        if episode.feasibility.passed and episode.due == "agree":
            assert any(check.name == f"rules of {episode.family}" for check in with_rules.checks)


def test_no_right_record_is_right_in_the_other_world(episodes, scenarios, rules):
    right = [e for e in episodes if e.feasibility.passed]
    assert right
    for episode in right:
        found = verdict(scenarios[episode.scenario], episode, rules[episode.family])
        assert found.elsewhere == (("", False),)


def test_records_that_differ_or_cannot_be_read_are_told_apart(episodes, scenarios, rules):
    episode = next(e for e in episodes if e.due == "agree" and e.feasibility.passed)
    scenario, known = scenarios[episode.scenario], rules[episode.family]
    unread = Written("scribble", unreadable="it is no JSON")
    records = {**episode.records, "first": unread}
    raws = {"first": "scribble", "second": episode.records["second"].raw}
    changed = evolve(episode, records=records, feasibility=known.feasibility(scenario.world(episode.world), raws))
    found = verdict(scenario, changed, known)
    names = {seat: scenario.public.name(seat) for seat in ("first", "second")}
    by_whose = {(check.name, check.whose): check.passed for check in found.checks}
    assert by_whose["can be read", names["first"]] is False
    assert by_whose["can be read", names["second"]] is True
    assert not any("match" in name for name, _ in by_whose), "one record alone is compared with nothing"


def test_rules_that_have_changed_do_not_change_the_verdict_that_counted(episodes, scenarios, rules):
    episode = next(e for e in episodes if e.due == "agree" and e.feasibility.passed)
    strict = rules[episode.family]

    class Never:
        name, families = "never", None

        def check(self, world, terms):
            from adidem.core.domain import Violation

            yield Violation("never", "nothing is ever right")

    found = verdict(scenarios[episode.scenario], episode, strict.__class__(strict.family, (*strict.checkers, Never())))
    assert all(check.passed for check in found.checks)
    assert "the verdict that counted" in found.problem


# ---------------------------------------------------------------------------------------------------------- evidence


def test_evidence_is_marked_over_the_words_that_it_quotes(episodes, scenarios):
    episode = episodes[0]
    turn = episode.turns[1]
    quote = turn.text[3:20]
    flags = (
        Flag("factual_error", turn.seat, turn.index, quote, "not so"),
        Flag("repetition", None, None, "words that nobody ever said", supported=False),
    )
    found = evidence(
        evolve(episode, judgements=(Judgement("integrity", flags=flags),)), scenarios[episode.scenario].public
    )
    (mark,) = found.marks[turn.index]
    assert turn.text[mark.start : mark.end].strip() == quote.strip()
    assert mark.note == 1
    assert [(n.number, n.turn, n.supported) for n in found.notes] == [(1, turn.index, True), (2, None, False)]


# ------------------------------------------------------------------------------------------------------------ probes

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
PARTS = dict.fromkeys(("within", "elsewhere", "disclosed", "phi"), JSON)
ENTRY = st.fixed_dictionaries({"turn": st.integers(-1, 12) | JSON}, optional=PARTS)


def with_probes(said):
    return Episode(
        "f/test/00/a/first", "f/test/00", "f", "test", "a", "first", 0, "none", None, "scored", extra={"probes": said}
    )


@given(st.lists(ENTRY) | JSON)
def test_whatever_stands_for_probes_never_fails_a_page(said):
    found = probes(with_probes(said))
    drawn = chart({"a": found})
    assert (drawn is None) == (not found)


def test_the_potential_of_probes_that_were_stored_without_one():
    said = [
        {"turn": 0, "within": False, "elsewhere": True, "disclosed": False},
        {"turn": 2, "within": True, "elsewhere": False, "disclosed": False},
        {"turn": 4, "within": True, "elsewhere": False, "disclosed": True},
        {"turn": 6, "within": None, "elsewhere": None, "disclosed": True},
        {"turn": 8, "within": True, "elsewhere": True, "disclosed": True, "phi": 0.3},
    ]
    assert [round(p.phi, 6) for p in probes(with_probes(said))] == [0, 0.25, 0.35, 0, 0.3]


def test_the_chart_stays_in_its_box():
    said = [{"turn": turn, "phi": Random(turn).uniform(-1, 1)} for turn in range(0, 40, 2)]
    drawn = chart({"a": probes(with_probes(said)), "b": ()})
    assert list(drawn.lines) == ["a"]
    assert all(0 <= x <= 640 and 0 <= y <= 180 for x, y, _ in drawn.lines["a"])


def test_a_side_without_anything_is_shown(scenarios, episodes):
    scenario = scenarios[episodes[0].scenario]
    assert side(scenario, "a", None, None, here=False).used.calls == 0
    assert isinstance(scenario.a[0], Condition)
