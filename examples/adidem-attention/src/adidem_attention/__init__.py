"""Attention lapses: the speaker's mind wanders, sentences break off in the middle, and what followed is gone.

SocialVeil (arXiv 2602.05115) has three barriers and names others that it leaves out; this is one of them. Everything
that is told or said stands in attention.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import yaml
from attrs import field, frozen
from attrs.validators import ge, le

import adidem
from adidem.core.domain import Directive

NOTHING = Directive("", "", (), (), ())
SHORT = 4
"""Sentences of fewer words are over before a mind can wander."""


@cache
def texts() -> Mapping[str, Any]:
    """The file of texts."""
    found: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("attention.yaml").read_text(encoding="utf-8"))
    return found


@frozen
class Attention:
    """At a lapse the second half of a sentence is lost and the speaker says so."""

    name: ClassVar[str] = "attention"
    rate: float = field(default=0.8, validator=[ge(0), le(1)], metadata={"doc": "share of sentences at severity 1"})

    def directive(self, severity: float) -> Directive:
        """The band's directive; nothing below the first band."""
        bands = [band for band in texts()["bands"] if severity >= band["from"]]
        if not bands:
            return NOTHING
        told = bands[-1]
        return Directive(
            style=texts()["style"].strip(),
            stance=f"{told['stance']} {texts()['keeps']}",
            tactics=(*told["tactics"], f"In each turn: lapses {told['lapses'][0]} to {told['lapses'][1]}."),
            mechanisms=tuple(texts()["mechanisms"]),
            exemplars=tuple(told["exemplars"]),
            quotas={"lapses": (float(told["lapses"][0]), float(told["lapses"][1]))},
            sources=tuple(texts()["sources"]),
        )

    def measure(self, utterance: str) -> Mapping[str, float]:
        """`lapses`: how often the speaker says that they lost the thread."""
        low = utterance.casefold()
        return {"lapses": float(sum(low.count(phrase.casefold()) for phrase in texts()["phrases"]))}

    def moves(self) -> Mapping[str, int]:
        """More severity never means fewer lapses."""
        return {"lapses": 1}

    def distort(self, utterance: str, severity: float, rng: Random) -> str:
        """Two numbers are drawn for each sentence, whatever the severity: whether it is lost, and what is said then."""
        if severity < texts()["bands"][0]["from"]:
            severity = 0.0
        said = []
        for sentence in re.split(r"(?<=[.!?]) ", utterance):
            lot, pick = rng.random(), rng.random()
            phrases = texts()["phrases"]
            lost = lot < self.rate * severity
            said.append(_lapsed(sentence, phrases[int(pick * len(phrases))]) if lost else sentence)
        return " ".join(said)


def _lapsed(sentence: str, phrase: str) -> str:
    """The first half of a sentence, and the phrase."""
    words = sentence.split(" ")
    if len(words) < SHORT:
        return sentence
    return f"{' '.join(words[: len(words) // 2]).rstrip(',;:')}… {phrase}."


@adidem.hookimpl
def adidem_register_barriers(register: adidem.Register[adidem.Barrier]) -> None:
    """The barrier."""
    register(Attention)
