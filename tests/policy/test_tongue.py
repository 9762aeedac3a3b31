"""The lab's tongue: what is written in it is read again, in every family, and no word of a test setting is in it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.contracts import Family
from adidem.core.domain import SEATS, WORLDS, Amount, ByRole, Items, RoleCard, Scenario, Text, Time, Turn, other
from adidem.core.errors import ConfigError
from adidem.core.policy.codecs import load_codec
from adidem.core.policy.contracts import View
from adidem.core.policy.tongue import Tongue, Vocabulary, vocabulary_of
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.mouth import act_words, phrases, say
from adidem.core.policy.tongue.numbers import number_words, read_number
from adidem.core.policy.tongue.place import Place
from adidem.core.records import read_record, write_terms
from adidem.core.rules import Rules
from adidem.core.scenarios import load_bank
from adidem.core.setup import load

SETUP = load()
BANK = load_bank("hico")
NAMES = sorted({scenario.family for scenario in BANK})
FAMILIES: dict[str, Family] = {name: SETUP.components.get("family", name) for name in NAMES}
SEEN = [scenario for scenario in BANK if scenario.split != "test"]
TONGUE = Tongue(vocabulary_of(FAMILIES, SEEN, ("how", "about", "agreed")))
scenarios = st.sampled_from(list(BANK))
seats = st.sampled_from(SEATS)


def view(scenario: Scenario, seat: Any = "first", world: Any = "a") -> View:
    return View(FAMILIES[scenario.family], scenario.world(world).card(seat), 8)


def some_plan(scenario: Scenario, number: int) -> Any:
    plans = list(FAMILIES[scenario.family].plans(scenario.world("a")))
    return plans[number % len(plans)]


def test_no_name_and_no_item_of_a_setting_is_a_word() -> None:
    """Those of test settings above all: they are copied by their place."""
    words = {word.split(":")[-1].lstrip("~").casefold() for word in TONGUE.vocabulary.words}
    for scenario in BANK:
        public = scenario.public
        choices = [text for listed in FAMILIES[scenario.family].choices(public).values() for text in listed]
        for text in (*public.names, *choices):
            assert text.casefold() not in words
    assert {word for word in words if word.isdigit() and len(word) > 2} == set()


def test_a_vocabulary_is_never_made_from_what_is_tested_on() -> None:
    test = [scenario for scenario in BANK if scenario.split == "test"]
    with pytest.raises(ValueError, match="to be tested on"):
        vocabulary_of(FAMILIES, test[:1])


def test_a_test_scenario_adds_nothing_unknown_to_its_context() -> None:
    """Kinds, keys, facts, people and choices of test settings are all in the vocabulary of train and dev."""
    for scenario in BANK:
        for seat in SEATS:
            assert w.UNKNOWN not in TONGUE.text(TONGUE.opening(view(scenario, seat))).split()


@given(st.one_of(st.integers(-(10**15), 10**15), st.integers(-(10**8), 10**8).map(lambda n: n / 1000)))
def test_a_number_is_read_as_written(number: float) -> None:
    words = number_words(number)
    assert read_number([*words, w.STOP], 0) == (number, len(words))


@given(scenarios, seats, st.integers(0, 10**9))
@settings(deadline=None)
def test_a_plan_is_read_as_written(scenario: Scenario, seat: Any, number: int) -> None:
    family, plan = FAMILIES[scenario.family], some_plan(scenario, number)
    place = Place.of(family, scenario.public, seat)
    words = place.plan(plan)
    assert w.UNKNOWN not in words
    assert family.terms is not None
    assert place.read_plan(family.terms, words) == plan
    assert place.read_plan(family.terms, words[:-1]) is None
    assert place.read_plan(family.terms, [*words, w.FINE]) is None


@given(scenarios, seats, st.integers(0, 10**9))
@settings(deadline=None)
def test_a_record_is_read_as_written(scenario: Scenario, seat: Any, number: int) -> None:
    family, here = FAMILIES[scenario.family], view(scenario, seat)
    raws: list[Any] = [{"outcome": "decline", "terms": None}]
    raws.append({"outcome": "agree", "terms": write_terms(some_plan(scenario, number))})
    if family.defer_terms is not None and scenario.public.approver is not None:
        raws.append({"outcome": "defer", "terms": {"approver": scenario.public.approver}})
    for raw in raws:
        ids = TONGUE.wrote(raw, here)
        assert ids[-1] in TONGUE.ends("record")
        assert len(ids) <= TONGUE.most("record")
        record = read_record(TONGUE.record(ids, here), family, scenario.public)
        assert record == read_record(raw, family, scenario.public)


@given(scenarios, seats, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=150)
def test_what_the_policy_says_is_heard_as_it_was_meant(scenario: Scenario, seat: Any, rng: Random) -> None:
    """Sampled words become a sentence, and the sentence is heard as these words again."""
    here = view(scenario, seat)
    place = Place.of(here.family, scenario.public, seat)
    acts: list[Any] = [(w.TELL, c.kind) for c in here.card.conditions]
    acts += [(w.OFFER, some_plan(scenario, rng.randrange(10**6)))] if rng.random() < 0.5 else [(w.ASK, None)]
    words = [word for act in acts for word in act_words(act, place)]
    ids = TONGUE.vocabulary.encode([*words, w.END])
    turn = TONGUE.said(ids, here, rng.randrange(8))
    assert not turn.text.startswith("{")
    assert TONGUE.spoken(turn, here) == ids


@pytest.mark.parametrize("act", [w.ASK, w.YES, w.NO, w.DECLINE, w.FINE, w.BYE])
def test_each_phrase_of_an_act_is_heard_as_that_act(act: str) -> None:
    scenario = SEEN[0]
    here = view(scenario)
    for index in range(0, 2 * len(phrases().get(act, "")), 2):
        turn = TONGUE.said(TONGUE.vocabulary.encode([act, w.END]), here, index)
        assert TONGUE.text(TONGUE.spoken(turn, here)) == f"{act} {w.END}"


def test_a_deferral_is_said_and_heard_by_its_approver() -> None:
    scenario = next(s for s in SEEN if s.family == "authorization" and s.public.approver)
    here = view(scenario)
    place = Place.of(here.family, scenario.public, "first")
    ids = TONGUE.vocabulary.encode([w.DEFER, place.text(str(scenario.public.approver)), w.END])
    turn = TONGUE.said(ids, here, 0)
    assert str(scenario.public.approver) in turn.text
    assert TONGUE.spoken(turn, here) == ids


@given(scenarios, seats, st.lists(st.integers(-3, len(TONGUE.vocabulary) + 3), max_size=12))
@settings(deadline=None)
def test_any_ids_make_a_turn_and_a_record(scenario: Scenario, seat: Any, ids: list[int]) -> None:
    """Never an error; what means nothing is shown as the output that it is."""
    here = view(scenario, seat)
    turn = TONGUE.said(ids, here, 3)
    assert turn.text
    assert turn.seat == seat
    TONGUE.record(ids, here)
    TONGUE.heard(turn, view(scenario, other(seat)))


@given(scenarios, seats)
@settings(deadline=None)
def test_what_the_partner_tells_is_written_as_it_would_stand_on_its_card(scenario: Scenario, seat: Any) -> None:
    """Told aloud or printed on a card, a condition's words are the same, from the listener's side."""
    here, theirs = view(scenario, seat), view(scenario, other(seat)).card
    place = Place.of(here.family, scenario.public, seat)
    for condition in theirs.conditions:
        turn = Turn(0, other(seat), here.family.tell(condition, scenario.public))
        wanted = [w.TELL, w.kind_word(condition.kind), *place.value(condition.value)]
        assert " ".join(wanted) in TONGUE.text(TONGUE.heard(turn, here))


def test_different_values_of_a_condition_are_different_words() -> None:
    told: dict[str, Any] = {}
    for scenario in BANK:
        place = Place.of(FAMILIES[scenario.family], scenario.public, "first")
        for condition in (*scenario.a, *(scenario.b or ())):
            words = " ".join([scenario.id, condition.owner, condition.kind, *place.value(condition.value)])
            assert told.setdefault(words, condition.value) == condition.value


def test_a_vocabulary_is_saved_and_loaded(tmp_path: Path) -> None:
    TONGUE.save(tmp_path)
    again = load_codec("tongue", tmp_path)
    assert isinstance(again, Tongue)
    assert again.vocabulary == TONGUE.vocabulary
    assert again.pad == TONGUE.pad
    with pytest.raises(ValueError, match="once"):
        Vocabulary(("a", "a"))
    with pytest.raises(ConfigError, match="not a saved tongue"):
        load_codec("tongue", tmp_path / "nowhere")


def test_conversations_of_the_tongue_stay_short() -> None:
    """Every right plan and every card of the bank: a context under 64 ids, a record under the most that is sampled."""
    longest = 0
    for scenario in BANK:
        rules = Rules(FAMILIES[scenario.family], SETUP.components.checkers_for(scenario.family))
        for name in WORLDS:
            for seat in SEATS:
                longest = max(longest, len(TONGUE.opening(view(scenario, seat, name))))
            place = Place.of(FAMILIES[scenario.family], scenario.public, "first")
            for plan in rules.right(scenario.world(name)).plans:
                assert len(place.plan(plan)) + 2 <= TONGUE.most("record")
    assert longest < 64


@frozen
class Spot:
    """Where one of the two sleeps, and on how much room."""

    place: Text
    area: Amount


@frozen(unsafe_hash=False)
class Camp:
    """Terms with every type that there is."""

    start: Time
    extras: Items
    spots: ByRole[Spot]


class Tent:
    """A family that nobody here has heard of."""

    name = "tent"
    terms = Camp
    defer_terms = None

    def choices(self, public: Any) -> Any:
        return {"extras": ("a stove", "a lamp"), "place": ("lake", "wood")}


def test_terms_of_an_unknown_family_are_written_by_their_types() -> None:
    public = SEEN[0].public
    place = Place.of(Tent(), public, "second")  # type: ignore[arg-type]
    one, two = public.names
    spots = {one: Spot(Text("lake"), 12345), two: Spot(Text("wood"), 2.5)}
    terms = Camp(Time("09:45"), (Text("a lamp"),), spots)
    words = place.plan(terms)
    assert words[:5] == ["09", "45", "<c1>", ";", "me"]
    assert place.read_plan(Camp, words) == terms


def test_words_that_mean_nothing_show_as_output_format() -> None:
    from adidem.core import language

    here = view(SEEN[0])
    turn = TONGUE.said(TONGUE.vocabulary.encode([w.OFFER, "<c9>", w.END]), here, 0)
    assert language.structured_text(turn.text)
    card: RoleCard = here.card
    assert say([(w.BYE, None)], Place.of(here.family, card.public, "first"), card, 0).leaves
