"""Reading what models write: tolerant of wrapping, never guessing, never raising."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.llm.parse import Parsed, parse_json, split_reasoning
from adidem.core.llm.redact import bare_url, one_line, plain, redact

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
RECORD = {"outcome": "agree", "terms": {"items": ["a, }", "b"], "n": 3}}


@pytest.mark.parametrize(
    "text",
    [
        '{"outcome": "agree", "terms": {"items": ["a, }", "b"], "n": 3}}',
        '```json\n{"outcome": "agree", "terms": {"items": ["a, }", "b"], "n": 3}}\n```',
        'Here it is:\n```\n{"outcome": "agree", "terms": {"items": ["a, }", "b"], "n": 3}}```\nDone.',
        'Sure! {"outcome": "agree", "terms": {"items": ["a, }", "b"], "n": 3}} Is {that} fine?',
        '{"outcome": "agree", "terms": {"items": ["a, }", "b",], "n": 3,},}',
        'So {"outcome": "agree", "terms": {"items": ["a, }", "b",], "n": 3, } } it is',
    ],
)
def test_json_is_found_in_any_wrapping(text: str) -> None:
    assert parse_json(text) == Parsed(RECORD)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no text"),
        ("I agree to 40 boxes.", "no complete JSON"),
        ('{"outcome": "agree", "terms": {"n": 3', "no complete JSON"),
        ('{"n": 3} or rather {"n": 4}', "differ"),
        ('{"n": 3, "n": 4}', "twice"),
        ('{"n": NaN}', "NaN"),
        ('{"n": 1e999}', "not finite"),
        ("{" * 5000, "no complete JSON"),
        ("[" * 50000, "no complete JSON"),
        ('{"a":' * 20000, "no complete JSON"),
        ("9" * 6000, "no complete JSON"),
        ("x" * 300_000, "longer"),
    ],
)
def test_nothing_is_guessed(text: str, problem: str) -> None:
    parsed = parse_json(text)
    assert parsed.value is None
    assert parsed.problem is not None
    assert problem in parsed.problem


def test_the_same_object_twice_is_one_value() -> None:
    assert parse_json('{"n": 3}, that is {"n": 3}').value == {"n": 3}


@given(st.text() | st.text(alphabet='{}[]",:`\\ntruef0123.e-+NaI<think>/ '))
def test_arbitrary_text_never_raises(text: str) -> None:
    parse_json(text)
    answer, reasoning = split_reasoning(text)
    assert reasoning is None or reasoning.strip()
    assert answer == answer.strip()
    one_line(text)


@given(VALUES)
def test_json_comes_back_as_it_was_written(value: object) -> None:
    assert parse_json(json.dumps(value)) == Parsed(value)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_an_object_is_found_between_words(value: object) -> None:
    assert parse_json(f"Well, {json.dumps(value)} then.") == Parsed(value)


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("Hello.", "Hello.", None),
        ("<think>They need 40.</think>\nForty?", "Forty?", "They need 40."),
        ("Hm. <THINK>a</THINK> Yes. <think>b</think> No.", "Hm.  Yes.  No.", "a\nb"),
        ("They need 40.</think>Forty?", "Forty?", "They need 40."),
        ("Wait <think>I was cut", "Wait", "I was cut"),
        ("<think></think>Forty?", "Forty?", None),
    ],
)
def test_reasoning_is_kept_apart(text: str, answer: str, reasoning: str | None) -> None:
    assert split_reasoning(text) == (answer, reasoning)


def test_terminal_escapes_and_control_characters_are_removed() -> None:
    text = "\x1b[31mred\x1b[0m \x1b]0;title\x07bell\x07 a\x00b\u202ec\r\nd\x9b5m\ud800"
    assert plain(text) == "red bell abc\nd5m?"


@given(st.text(alphabet=st.characters(codec=None)))
def test_plain_text_is_safe_and_stays_as_it_is(text: str) -> None:
    cleaned = plain(text)
    assert plain(cleaned) == cleaned
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in cleaned)
    cleaned.encode()


def test_secrets_are_taken_out_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "planted-secret-value")
    said = redact("key planted-secret-value, Bearer abcdef123456, sk-proj-abc123456789, http://me:pw@host/v1")
    assert said == "key <MY_API_KEY>, Bearer <key>, <key>, http://host/v1"
    assert bare_url("https://me:pw@host:8000/v1?key=abc") == "https://host:8000/v1"
