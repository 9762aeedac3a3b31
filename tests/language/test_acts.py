"""What loose utterances do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import Act, find_acts

ACCEPTING = [
    "Works for me.",
    "That works for me!",
    "That works.",
    "Deal.",
    "It's a deal.",
    "Okay, deal!",
    "Agreed.",
    "That's fine with me.",
    "Perfect, let's do that.",
    "Yes, 14:30 it is.",
    "Half past two it is!",
    "Great, 40 crates it is then.",
    "Sounds good to me.",
    "Sounds great, thanks.",
    "I can live with that.",
    "I'll take it.",
    "Count me in.",
    "We have a deal.",
    "You've got a deal.",
    "I'm happy with that.",
    "Fine by me.",
    "That suits me perfectly.",
    "That would be perfect.",
    "That'll do.",
    "Yes.",
    "Sure.",
    "I accept.",
    "I agree to that.",
    "Let's go with that.",
    "Noon works great for me.",
    "9:30 works for us.",
    "That’s okay for me.",
    "All right, that sounds fair.",
    "I'm good with 40.",
    "We're all set.",
    "Confirmed.",
    "No objections from me.",
    "I can do that.",
    "Good, then it's settled.",
    "Tuesday works fine for me.",
    "Deal, shall I book it?",
    "That price is too high. Well, all right, deal.",
    "Let's shake on it.",
    "I'd be fine with 10:15.",
    "I'm happy to go with 40.",
    "40 would be fine for me.",
    "So it's agreed: 40 crates.",
    "So we have a plan: 10:15.",
    "That sounds reasonable, let's go ahead.",
]
NOT_ACCEPTING = [
    "No deal.",
    "Not agreed.",
    "That doesn't work for me.",
    "That does not work.",
    "Does that work for you?",
    "Would that work for you?",
    "Is that okay with you?",
    "Deal?",
    "If you can do 40 then deal.",
    "That works, but only if you can start at nine.",
    "I'd agree if you went down to 40.",
    "It's a deal provided you bring the van.",
    "I'm not happy with that.",
    "I can't live with that.",
    "I don't think that works for me.",
    "I'm not sure that works for us.",
    "We haven't got a deal yet.",
    "Let me know if that works for you.",
    "Anything between 8 and 14 works for me.",
    "I hope we can reach a deal.",
    "I wish that worked for me.",
    "Nothing works for me before ten.",
    "That would work if it were later.",
    "That isn't fine with me.",
    "Neither works for me.",
    "You said that works for you.",
    "That sounds good, but I need at least eight.",
    "That's good to know.",
    "Once we are agreed I'll tell the others.",
    "I need at least 8 crates.",
    "What works best for you?",
    "How about 14:30?",
    "My wife works on Tuesdays.",
    "That never works for me.",
    "I can do that only if you pay half.",
    "We agreed on nothing yet.",
]
OTHERS = [
    ("How about 14:30?", {Act.PROPOSE}),
    ("What if we say 40?", {Act.PROPOSE}),
    ("Let's say noon.", {Act.PROPOSE}),
    ("I suggest 40 crates.", {Act.PROPOSE}),
    ("We could do Tuesday at nine.", {Act.PROPOSE}),
    ("Does 9 am work for you?", {Act.PROPOSE}),
    ("Would half past two suit you?", {Act.PROPOSE}),
    ("Could we meet at ten?", {Act.PROPOSE}),
    ("Why don't we split it 60 and 40?", {Act.PROPOSE}),
    ("Would you take $140?", {Act.PROPOSE}),
    ("Is 40 okay?", {Act.PROPOSE}),
    ("I'd propose cake and soup.", {Act.PROPOSE}),
    ("Can you do 40?", {Act.PROPOSE}),
    ("If you can do 40 then deal.", {Act.PROPOSE}),
    ("Shall we say 200 for you and 100 for me?", {Act.PROPOSE}),
    ("Maybe we could go with ten.", {Act.PROPOSE}),
    ("My offer is 120.", {Act.PROPOSE}),
    ("That doesn't work for me.", {Act.REJECT}),
    ("I can't do that.", {Act.REJECT}),
    ("That's too much for me.", {Act.REJECT}),
    ("40 is too low for us.", {Act.REJECT}),
    ("Sorry, I can't accept that.", {Act.REJECT}),
    ("That won't be enough.", {Act.REJECT}),
    ("I'm afraid not.", {Act.REJECT}),
    ("No.", {Act.REJECT}),
    ("No, that is too early.", {Act.REJECT}),
    ("That isn't going to work for us.", {Act.REJECT}),
    ("That's out of the question.", {Act.REJECT}),
    ("I can't do 14:30.", {Act.REJECT}),
    ("Nine doesn't suit me.", {Act.REJECT}),
    ("No deal.", {Act.REJECT}),
    ("That is not acceptable.", {Act.REJECT}),
    ("I won't agree to that.", {Act.REJECT}),
    ("30 doesn't work but 40 works for me.", {Act.REJECT, Act.PROPOSE}),
    ("We can't make this work.", {Act.DECLINE}),
    ("Let's leave it.", {Act.DECLINE}),
    ("Let's leave it at that, then.", {Act.DECLINE}),
    ("No plan fits both of us.", {Act.DECLINE}),
    ("We'd better call it off.", {Act.DECLINE}),
    ("I don't think we can reach an agreement.", {Act.DECLINE}),
    ("There's simply no time that suits both of us.", {Act.DECLINE}),
    ("Our windows just don't overlap.", {Act.DECLINE}),
    ("I'm afraid we'll have to leave it there.", {Act.DECLINE}),
    ("Then we decline.", {Act.DECLINE}),
    ("There's nothing that works for both of us.", {Act.DECLINE}),
    ("We cannot find a slot today.", {Act.DECLINE}),
    ("Let's agree to disagree.", {Act.DECLINE}),
    ("Unfortunately I don't see how this can work.", {Act.DECLINE}),
    ("There isn't a plan that fits both of us.", {Act.DECLINE}),
    ("We simply could not agree.", {Act.DECLINE}),
    ("Let's end here.", {Act.DECLINE}),
    ("I'm afraid that's not going to be possible.", {Act.REJECT}),
    ("We'll need Ms Chen's approval for that.", {Act.DEFER}),
    ("I'd have to get Ms Chen to sign off.", {Act.DEFER}),
    ("We need to ask Ms Chen.", {Act.DEFER}),
    ("I'll have to check with Dr Patel.", {Act.DEFER}),
    ("That has to go to the head teacher.", {Act.DEFER}),
    ("This is beyond what we may decide.", {Act.DEFER}),
    ("That's above my pay grade.", {Act.DEFER}),
    ("Let's ask Mr Okafor.", {Act.DEFER}),
    ("It's up to Dr Patel to decide.", {Act.DEFER}),
    ("Only the board can approve that.", {Act.DEFER}),
    ("I'll pass this on to Ms Chen.", {Act.DEFER}),
    ("Ms Chen has to sign off on that.", {Act.DEFER}),
    ("This needs to be approved by the landlord.", {Act.DEFER}),
    ("That is outside my authority.", {Act.DEFER}),
    ("Sorry, I meant 40.", {Act.CORRECT}),
    ("Scratch that.", {Act.CORRECT}),
    ("Make that 40.", {Act.CORRECT}),
    ("I misspoke.", {Act.CORRECT}),
    ("Correction: 45 minutes.", {Act.CORRECT}),
    ("Wait, no, that should be 15.", {Act.CORRECT}),
    ("Or rather, half past ten.", {Act.CORRECT}),
    ("My mistake, it's 40.", {Act.CORRECT}),
    ("What are your limits?", {Act.ASK}),
    ("When are you free?", {Act.ASK}),
    ("How much do you need?", {Act.ASK}),
    ("Tell me what you need.", {Act.ASK}),
    ("And you?", {Act.ASK}),
    ("Is there anything you can't have?", {Act.ASK}),
    ("Do you have a budget?", {Act.ASK}),
    ("May I ask how low you can go?", {Act.ASK}),
    ("I need at least 8 crates.", {Act.TELL}),
    ("I'm busy until noon.", {Act.TELL}),
    ("My limit is $140.", {Act.TELL}),
    ("We can't go above 14.", {Act.TELL}),
    ("I'm allergic to nuts.", {Act.TELL}),
    ("I can only do mornings, from 9 to 11.", {Act.TELL}),
    ("Anything above $400 has to go to Ms Chen.", {Act.TELL}),
    ("Thanks so much!", {Act.THANK, Act.FILLER}),
    ("Hello there, how are you?", {Act.GREET, Act.FILLER}),
    ("Bye, take care!", {Act.CLOSE, Act.FILLER}),
    ("What a lovely day.", {Act.FILLER}),
    ("I'm so glad we're talking about this together.", {Act.FILLER}),
    ("I hear you, and I really appreciate your patience.", {Act.THANK, Act.FILLER}),
    ("The nuts would be a problem.", set()),
    ("", set()),
]
QUIET = {
    Act.DECLINE: [
        "I don't want to call it off.",
        "Let's leave at nine.",
        "If you can't do 40, we can't make this work.",
        "Shall we call it off?",
        "No problem, we can find a time.",
        "I'd hate to walk away.",
        "There's no rush.",
        "No need to leave it there.",
    ],
    Act.DEFER: [
        "I need to ask you something.",
        "Let me check with you about the time.",
        "If it's over $500 we'd have to ask Ms Chen.",
        "I can go up to 14.",
        "I need to check my diary.",
        "May I ask what you need?",
        "We go to the park at nine.",
        "It's up to you.",
    ],
    Act.CORRECT: [
        "Let's make that 40.",
        "Could you make that 40?",
        "That's correct.",
        "I meant it.",
        "Right, not wrong.",
    ],
    Act.REJECT: [
        "No problem.",
        "That doesn't bother me.",
        "No, I have no other limits.",
        "I can't do more than 14.",
        "Is that too much for you?",
        "That's not a problem at all.",
        "No worries!",
    ],
    Act.TELL: [
        "I can do that.",
        "We can't make this work.",
        "I understand.",
        "I have a question.",
        "I see what you mean.",
    ],
    Act.ASK: ["How are you?", "I need eight.", "Thanks for asking.", "I know the place."],
    Act.FILLER: ["I need eight crates.", "Deal.", "The soup is out.", "How about ten?", "Nuts are a problem for me."],
    Act.PROPOSE: ["I need at least 8.", "Deal.", "What is your limit?", "I can't go above 14."],
}


@pytest.mark.parametrize("text", ACCEPTING)
def test_an_acceptance_is_heard(text: str) -> None:
    assert Act.ACCEPT in find_acts(text)


@pytest.mark.parametrize("text", NOT_ACCEPTING)
def test_what_is_negated_conditional_or_asked_is_no_acceptance(text: str) -> None:
    assert Act.ACCEPT not in find_acts(text)


@pytest.mark.parametrize(("text", "acts"), OTHERS)
def test_an_utterance_has_its_acts(text: str, acts: set[Act]) -> None:
    assert acts <= find_acts(text)
    assert Act.FILLER in acts or Act.FILLER not in find_acts(text)
    assert Act.ACCEPT not in find_acts(text)


@pytest.mark.parametrize(("act", "text"), [(act, text) for act, texts in QUIET.items() for text in texts])
def test_an_act_is_not_invented(act: Act, text: str) -> None:
    assert act not in find_acts(text)


@given(st.text(max_size=200))
def test_any_text_has_acts(text: str) -> None:
    assert all(isinstance(act, Act) for act in find_acts(text))


@given(st.sampled_from(ACCEPTING + [text for text, _ in OTHERS]))
def test_acts_do_not_depend_on_case_or_blanks(text: str) -> None:
    assert find_acts(text) == find_acts(text.upper()) == find_acts(f"  {text} ")
