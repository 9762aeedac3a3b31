"""Content that comes as a list of parts: its text is heard, its thinking kept apart."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.llm import http_transport, litellm_transport
from adidem.core.llm.content import spoken
from adidem.core.llm.transport import Request

THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "They need 40."}]}
CASES = [
    ("Forty?", ("Forty?", None)),
    ([{"type": "text", "text": "For"}, {"type": "text", "text": "ty?"}], ("Forty?", None)),
    ([THINKING, {"type": "text", "text": "Forty?"}], ("Forty?", "They need 40.")),
    ([{"type": "thinking", "thinking": "They need 40."}, "Forty?"], ("Forty?", "They need 40.")),
    ([{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": None}, 3, None], ("", None)),
    (None, ("", None)),
    (
        [{"thinking": [THINKING, {"text": "One thought in a thought is enough."}]}],
        ("", "One thought in a thought is enough."),
    ),
    ("\ud800", ("?", None)),
]


@pytest.mark.parametrize(("content", "wanted"), CASES)
def test_parts_are_heard_as_text_and_thinking(content, wanted):
    assert spoken(content) == wanted


def test_both_transports_hear_them():
    request = Request(model="m", messages=())
    message = {"role": "assistant", "content": CASES[2][0]}
    raw = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    replies = [http_transport._reply(request, raw)]
    choice = SimpleNamespace(message=SimpleNamespace(content=CASES[2][0]), finish_reason="stop")
    replies.append(litellm_transport._reply(SimpleNamespace(choices=[choice], usage=None, _hidden_params={}), request))
    assert [(reply.text, reply.reasoning) for reply in replies] == [("Forty?", "They need 40.")] * 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "text", "thinking"]) | st.text(), inner),
    max_leaves=12,
)


@given(JSON)
def test_whatever_a_server_sends_it_is_text(content):
    text, thought = spoken(content)
    text.encode()
    assert thought is None or thought.encode()
