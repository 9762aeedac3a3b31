"""The words of the tongue that mean the same in every family."""

from __future__ import annotations

PAD, UNKNOWN, OPEN, CARD, TURNS, ME, YOU, RECORD, PROBE, END = (
    "<pad>",
    "<unk>",
    "<open>",
    "<card>",
    "<turns>",
    "<me>",
    "<you>",
    "<record>",
    "<probe>",
    "<end>",
)
"""What frames a conversation: the context, whose turn it is, a record and a probe, and the end of any of them."""

SELF, PARTNER = "me", "you"
"""The two people where a value or a plan names them, from the policy's side."""

ASK, TELL, OFFER, YES, NO, DECLINE, DEFER, FINE, BYE = (
    "ask",
    "tell",
    "offer",
    "yes",
    "no",
    "decline",
    "defer",
    "fine",
    "bye",
)
AGREE = "agree"
ACTS = (ASK, TELL, OFFER, YES, NO, DECLINE, DEFER, FINE, BYE)

NONE, TRUE, FALSE, NEXT, STOP, MINUS, WIDE, POINT = "none", "true", "false", "|", ";", "-", "^", "."
APPROVER = "approver"
REPAIR = "<repair>"
"""The instruction to make sure of what was understood, in the context of a policy that is told so."""

PAIRS = tuple(f"{n:02d}" for n in range(100))
COPIES = tuple(f"<c{n}>" for n in range(16))
"""Places in the family's list of texts to choose from; what lies beyond the last is unknown."""

COMMON = (
    *(PAD, UNKNOWN, OPEN, CARD, TURNS, ME, YOU, RECORD, PROBE, END, SELF, PARTNER),
    *(*ACTS, AGREE, NONE, TRUE, FALSE, NEXT, STOP, MINUS, WIDE, POINT, APPROVER, REPAIR),
    *PAIRS,
    *COPIES,
)


def family_word(name: str) -> str:
    """The word of a family."""
    return f"family:{name}"


def kind_word(kind: str) -> str:
    """The word of a kind of private condition."""
    return f"kind:{kind}"


def key_word(key: str) -> str:
    """The word of a key inside a condition's value."""
    return f"key:{key}"


def fact_word(name: str) -> str:
    """The word of a public fact."""
    return f"fact:{name}"


def surface_word(word: str) -> str:
    """The word of a word as it was spoken."""
    return f"~{word}"
