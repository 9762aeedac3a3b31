"""What distort keeps to, whatever is said: nothing at severity 0, never less as severity rises, no invention."""

import re
from random import Random

import pytest
from hypothesis import given

from adidem.core.domain import SEATS
from adidem.core.kit.barrier.words import CONDITIONAL, DECIDING, MANY_SEEDS
from adidem.core.language import Act, find_acts, find_numbers, find_times
from adidem.core.language.clauses import level
from adidem.core.language.measures import measures
from barrier_talk import BARRIERS, SEEDS, SEVERITIES, UTTERANCES

WORD = re.compile(r"[a-z]+")
each = pytest.mark.parametrize("barrier", BARRIERS.values(), ids=BARRIERS)


@each
@given(text=UTTERANCES, seed=SEEDS)
def test_below_a_tenth_every_byte_stays(barrier, text, seed):
    for severity in (0, 0.05, 0.0999):
        assert barrier.distort(text, severity, Random(seed)) == text


@each
@given(text=UTTERANCES, one=SEVERITIES, other=SEVERITIES, seed=SEEDS)
def test_its_own_measures_only_ever_go_its_way_as_severity_rises(barrier, text, one, other, seed):
    low, high = (measures(barrier.distort(text, s, Random(seed))) for s in sorted((one, other)))
    for name, direction in barrier.moves().items():
        assert direction * (high[name] - low[name]) >= -1e-12, name


@each
@given(text=UTTERANCES, severity=SEVERITIES, seed=SEEDS)
def test_the_same_three_give_the_same_words_and_draw_alike_at_every_severity(barrier, text, severity, seed):
    one, two, none = Random(seed), Random(seed), Random(seed)
    assert barrier.distort(text, severity, one) == barrier.distort(text, severity, two)
    barrier.distort(text, 0, none)
    assert one.getstate() == none.getstate()


@each
@given(text=UTTERANCES, severity=SEVERITIES, seed=SEEDS)
def test_no_fact_is_invented(barrier, text, severity, seed):
    said = barrier.distort(text, severity, Random(seed))
    assert set(re.findall(r"\d+", said)) <= set(re.findall(r"\d+", text))
    own = {word for phrases in barrier.phrases().values() for phrase in phrases for word in WORD.findall(level(phrase))}
    assert set(WORD.findall(level(said))) <= set(WORD.findall(level(text))) | own


@pytest.mark.parametrize(
    ("kind", "phrase"),
    [(kind, phrase) for b in BARRIERS.values() for kind, phrases in b.phrases().items() for phrase in phrases],
)
def test_its_own_phrases_name_nothing(kind, phrase):
    inside = phrase if phrase.startswith("I") else phrase[:1].lower() + phrase[1:]
    for context in (phrase, f"I need {inside} and {inside}, then.", f"{phrase} I said it"):
        assert measures(context)["specific_references"] == 0
        assert not find_numbers(context)
        assert not find_times(context)
    assert not re.search(r"\b[A-Z][a-z]", phrase[1:])


@each
def test_it_decides_nothing_that_was_not_decided(barrier, selection):
    """No yes, no, decline or deferral is heard that was not meant: what is said may lose its form, never turn round."""
    final = {Act.ACCEPT, Act.REJECT, Act.DECLINE, Act.DEFER}
    lines = {c.text for s in selection.scenarios for w in s.worlds for c in w.conditions}
    lines |= {selection.rules[s.family].family.ask(s.public, seat) for s in selection.scenarios for seat in SEATS}
    for line in sorted(lines):
        for severity in (0.3, 0.6, 1.0):
            said = barrier.distort(line, severity, Random(line))
            assert find_acts(said) & final <= find_acts(line) & final, said


@each
def test_what_is_heard_of_a_condition_is_never_untrue(barrier, selection):
    """Something may be lost on the way; what arrives as a fact about the speaker is what the card says."""
    for scenario in selection.scenarios:
        family = selection.rules[scenario.family].family
        for card in (world.card(seat) for world in scenario.worlds for seat in SEATS):
            for condition in card.conditions:
                for seed, severity in enumerate((0.3, 0.5, 0.7, 0.7, 0.9, 0.9, 1.0, 1.0)):
                    said = barrier.distort(condition.text, severity, Random(seed))
                    facts = family.hear(said, scenario.public, card.seat).facts
                    wrong = [family.contradicts(fact, card) for fact in facts if fact.about == "speaker"]
                    assert not any(wrong), (condition.text, said, wrong)


@each
def test_a_condition_keeps_some_of_its_parts_at_low_severity_and_few_at_high(barrier, selection):
    lines = sorted({c.text for s in selection.scenarios for w in s.worlds for c in w.conditions})

    def named(severity):
        return sum(measures(barrier.distort(x, severity, Random(x)))["specific_references"] for x in lines)

    whole, light, strong = named(0), named(0.25), named(0.95)
    assert 0.6 * whole < light < 0.95 * whole
    assert strong < 0.5 * whole


TABLE = [
    (
        "semantic_vagueness",
        "I need 40 crates.",
        [r"I need (around that much|something like that many|roughly that), .+\."],
    ),
    ("semantic_vagueness", "Meet me at 3:30.", [r"Meet me at .*that.*, .+\."]),
    ("semantic_vagueness", "Yes, that works for me.", [r"^(Well|Hm|Right, well), that (is|goes)"]),
    ("sociocultural_mismatch", "What do you need?", [r"^(People might|With respect|If I may).*what do you need\.$"]),
    ("sociocultural_mismatch", "That doesn't work for me.", [r"difficult|see", r"^(If|With|Forgive|You)"]),
    ("sociocultural_mismatch", "Agreed, that works for me.", [r"think about|honours you|time will settle"]),
    (
        "emotional_interference",
        "I need the blue lantern.",
        [r"^I('m| hate| can't)|^It's", r"!$", r"(?<!blue) (I|me)\b"],
    ),
    ("emotional_interference", "Thank you for the lamp.", [r"I tell you|I swear|honest to me"]),
]


@pytest.mark.parametrize(("name", "text", "patterns"), TABLE)
def test_what_each_makes_of_plain_words(name, text, patterns):
    """At severity 1 and a rate below 1 a site may be spared: the first seed that spares none is looked at."""
    said = [BARRIERS[name].distort(text, 1.0, Random(seed)) for seed in range(40)]
    assert any(all(re.search(p, line) for p in patterns) for line in said), said[:3]


def test_the_first_word_keeps_a_capital_of_its_own():
    said = BARRIERS["emotional_interference"].distort("I need it. IT IS MINE. We go.", 1.0, Random(1))
    assert re.search(r", I need it!.*, IT IS MINE!.*, we go!", said), said


@given(text=UTTERANCES, one=SEVERITIES, other=SEVERITIES, seed=SEEDS)
def test_two_at_once_apply_one_after_the_other(text, one, other, seed):
    first, second = BARRIERS["semantic_vagueness"], BARRIERS["emotional_interference"]
    rng = Random(seed)
    by_hand = second.distort(first.distort(text, one, rng), other, rng)

    from adidem.core.domain import Turn
    from adidem.core.play.barrier import through

    turn = Turn(0, "first", text)
    spoken = through(((first, one), (second, other)), "first", Random(seed), [])(turn)
    assert (spoken.text, spoken.meant) == (by_hand, text)


@each
def test_a_severity_outside_is_refused(barrier):
    for severity in (-0.1, 1.1):
        with pytest.raises(ValueError, match="severity"):
            barrier.distort("Hello.", severity, Random(0))
        with pytest.raises(ValueError, match="severity"):
            barrier.directive(severity)


def test_a_condition_stays_one_behind_a_courtesy():
    """Of "if you say yes, I accept" no acceptance is heard when "if I may say so" comes before it."""
    said = BARRIERS["sociocultural_mismatch"].distort("If you say yes, I accept.", 0.3, Random(31))
    assert said == "If I may say so, if you say ah, I accept."
    assert Act.ACCEPT not in find_acts(said)
    assert Act.ACCEPT in find_acts("If I may say so, that works for me.")


@each
def test_what_is_decided_on_a_condition_is_not_decided(barrier):
    for line in CONDITIONAL:
        for severity in (0.3, 0.6, 1.0):
            for seed in MANY_SEEDS:
                assert not find_acts(barrier.distort(line, severity, Random(seed))) & DECIDING - find_acts(line)
