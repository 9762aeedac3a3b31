"""Output format in speech, and speech that only looks like it."""

from __future__ import annotations

import pytest

from adidem.core.language import structured_text

FORMAT = [
    '{"outcome": "agree", "terms": {"quantity": 4}}',
    'Sure. {"outcome": "decline"}',
    '{"outcome": "agree", "terms": {"quantity": 4',
    "{'quantity': 4}",
    '"outcome": "agree"',
    "outcome: agree",
    "Outcome: **agree**",
    "```json\n{}\n```",
    "```\nanything",
    "<record>agree</record>",
    "</answer>",
    "<|im_end|>",
    "- quantity: 5\n- outcome: agree",
    "* **Start**: 9:00\n* **End**: 10:00",
    "start: 9:00\nend: 10:00",
    "Record: we agree on 40",
    "**Record:**\nwe agree",
    "## Final plan",
    "approved_by: Ms Chen",
    "start_time = 9:00",
    "Okay!\nJSON: {}",
    "1. shares: 40 and 60",
    "Yes, noon.\nslots.Tom: 12:00-12:30",
    "Good, twelve.\nquantity: 12",
    "start: 15:30, end: 16:30, all fine",
    "That suits me (amount=40)",
    "{action: refund, amount: 50}",
    "shares[Tom]: 40",
    'Then it is ["soup", "cake"].',
    "Hello [your name], the slot is yours.",
    "I can do {amount} at most.",
    "Dear {{partner_name}}, fine.",
    "Assistant: That works for me.",
    "Sure [/INST]",
    "| item | amount |",
]
SPEECH = [
    "My answer: no.",
    "Prices: apples 3, pears 4.",
    'I said "yes" and meant it :)',
    "Note: I need 4 (or 5).",
    "The plan: 9 to 10 :-)",
    "I have two points:\n- I need 8\n- you need 9",
    "Apples: 3 dollars\nPears: 4 dollars",
    "Here's the thing: I can't go above 14.",
    "For the record, I said 40.",
    "On the record: no, I did not.",
    "I start: you follow.",
    "Meet at 9:30 <- that's best",
    "I <3 this plan",
    "8 < 14",
    "We agree: it is 40.",
    "The decision: up to you.",
    "The result: nobody was happy.",
    "#1 on my list is cake",
    "a_b",
    "(see above)",
    "it's a 50:50 split",
    "Items I need: cake and soup.",
    "To sum up: 40 for you; 60 for me.",
    "",
    "my share = 40",
    "Start: 9:30 at the gate",
    "Items: soup, cake",
    "Noon it is.\nPlan: we meet at the gate, you bring the tea",
    "see [1] and (2)",
    "Tom: I heard you",
    "status: all good",
]


@pytest.mark.parametrize("text", FORMAT)
def test_output_format_is_found(text: str) -> None:
    spans = structured_text(text)
    assert spans
    assert all(text[s.start : s.end] == s.text for s in spans)


@pytest.mark.parametrize("text", SPEECH)
def test_ordinary_speech_is_no_output_format(text: str) -> None:
    assert structured_text(text) == ()
