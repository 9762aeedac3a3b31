"""From a model's text to an utterance, and from a schema to the words for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.agents.forms import forms, skeleton
from adidem.core.agents.speech import Said, acted, utterance


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Forty would do.", Said("Forty would do.")),
        ("Maya: Forty would do.", Said("Forty would do.")),
        ("**Maya Ortiz:** Forty would do.", Said("Forty would do.")),
        ("Forty would do.\nBen: Fine.\nMaya: Great.", Said("Forty would do.")),
        ("Forty would do.\n\n**Ben Carter**: Fine.", Said("Forty would do.")),
        ("Hi.\nMaya: Forty would do.", Said("Hi.\nForty would do.")),
        ("Ben: I can do forty.", Said("")),
        ("Forty it is, see you. [END]", Said("Forty it is, see you.", leaves=True)),
        ("Forty it is. **[end]** (leaves the room)", Said("Forty it is.", leaves=True)),
        ("[END] Bye.", Said("Bye.", leaves=True)),
        ("[END]", Said("", leaves=True)),
        ('"Forty would do."', Said("Forty would do.")),
        ('"Forty" is what I said, not "fourteen"', Said('"Forty" is what I said, not "fourteen"')),
        ("Forty\x1b[2J would\x00 do.<|im_end|>", Said("Forty would do.")),
        ("We meet at 9: fine?", Said("We meet at 9: fine?")),
        ("That's for Ben: he can have forty.", Said("That's for Ben: he can have forty.")),
    ],
)
def test_an_utterance_is_what_the_person_says(text: str, said: Said) -> None:
    assert utterance(text, "Maya Ortiz", "Ben Carter") == said


def test_an_unfinished_sentence_is_left_out_where_the_model_ran_out_of_tokens() -> None:
    assert utterance("Fine. I can take at most 4", "Maya", "Ben", cut_short=True).text == "Fine."
    assert utterance("I can take at most 4", "Maya", "Ben", cut_short=True).text == "I can take at most 4"
    assert utterance("It costs 3.50 or 4", "Maya", "Ben", cut_short=True).text == "It costs 3.50 or 4"


@given(st.text(alphabet=st.characters(codec=None)) | st.text(alphabet='MayBen: \n*"[]ENDend.'), st.booleans())
def test_any_text_becomes_an_utterance(text: str, cut_short: bool) -> None:
    said = utterance(text, "Maya Ortiz", "Ben (Benny) Carter", cut_short=cut_short)
    assert said.text == said.text.strip()
    assert "[END]" not in said.text
    assert "\nBen:" not in f"\n{said.text}"


def test_a_schema_in_words_shows_what_belongs_in_each_place() -> None:
    slot = {"type": "object", "properties": {"start": {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}}}
    agreed = {
        "type": "object",
        "properties": {
            "quantity": {"type": "integer"},
            "items": {"type": "array", "items": {"type": "string", "enum": ["tea", "milk"]}},
            "slots": {"type": "object", "properties": {"Maya": slot}},
        },
    }
    deferred = {"type": "object", "properties": {"approver": {"type": "string", "enum": ["Dana"]}}}
    schema = {
        "properties": {
            "outcome": {"enum": ["agree", "decline", "defer"]},
            "terms": {"anyOf": [agreed, deferred, {"type": "null"}]},
        }
    }
    assert [form.json for form in forms(schema)] == [
        '{"outcome": "agree", "terms": {"quantity": <whole number>, "items": [<one of: "tea", "milk">, ...], '
        '"slots": {"Maya": {"start": <time, HH:MM>}}}}',
        '{"outcome": "decline", "terms": null}',
        '{"outcome": "defer", "terms": {"approver": <"Dana">}}',
    ]
    assert [form.json for form in forms(deferred)] == [skeleton(deferred)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Good morning.", Said("Good morning.")),
        ("[none]", Said("", action="none")),
        ("**[None]**", Said("", action="none")),
        ("[action] hands over the key", Said("hands over the key", action="action")),
        ("[Action: opens the window]", Said("opens the window", action="action")),
        ("[non-verbal] nods", Said("nods", action="non-verbal communication")),
        ("[Non-verbal communication]: shrugs", Said("shrugs", action="non-verbal communication")),
        ("[nonverbal] frowns\n[action] stands up", Said("frowns", action="non-verbal communication")),
        ("[speak] Hello there.", Said("Hello there.")),
        ("Here you are. [action] hands over the key", Said("Here you are.")),
        ("Goodbye, then. [leave]", Said("Goodbye, then.", leaves=True, action="leave")),
        ("[leave] Goodbye.", Said("Goodbye.", leaves=True, action="leave")),
        ("[leave]", Said("", leaves=True, action="leave")),
        ("Goodbye. [END]", Said("Goodbye.", leaves=True, action="leave")),
        ("Maya: [action] waits\nBen: [leave]", Said("waits", action="action")),
        ("[smiles] Hello.", Said("[smiles] Hello.")),
        ("[action]", Said("")),
        ("", Said("")),
    ],
)
def test_a_turn_is_one_of_five_things(text: str, said: Said) -> None:
    """What is malformed is speech, or nothing at all to be asked for again; it is never taken for doing nothing."""
    assert acted(text, "Maya Ortiz", "Ben Carter") == said


@given(st.text(alphabet=st.characters(codec=None)) | st.text(alphabet="[]action leave none:Maya\n"))
def test_any_text_is_a_turn_and_only_its_marker_makes_it_silent(text: str) -> None:
    said = acted(text, "Maya Ortiz", "Ben Carter")
    assert said.leaves == (said.action == "leave")
    assert said.action != "none" or any(word in text.lower() for word in ("none", "nothing", "no action"))
