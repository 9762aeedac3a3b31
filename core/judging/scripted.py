"""The offline judge `scripted:judge`: it fills in whatever a judge asks for from what can be counted.

It is a mechanism that lets every path run without a model. It has no opinion, hears no meaning, and says so in every
reasoning; what it gives is never evidence about how well anybody talked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from adidem.core import language
from adidem.core.contracts import Answer, Ask, Case
from adidem.core.domain import SEATS, Seat, Turn
from adidem.core.judging.measures import again, measures, table
from adidem.core.judging.questions import UNKNOWN, Question, questions

NAME = "scripted:judge"
OPENING = "scripted mechanism, not an opinion: "
LOOP = 3
"""How often in all the very same words make a loop."""

Schema = Mapping[str, Any]


def scripted_ask(case: Case) -> Ask:
    """An Ask that answers each judge's schema for this case, the same way every time and without any model."""
    filler = _Filler(case)

    async def ask(messages: Sequence[Mapping[str, str]], *, schema: Schema | None = None) -> Answer:
        del messages  # it counts in the case, and the schema says what is asked
        if schema is None:
            return Answer(text=f"{OPENING}it answers only in JSON, by a schema")
        data = filler.fill(schema, "", None)
        return Answer(text=json.dumps(data, ensure_ascii=False), data=data)

    return ask


@define(eq=False)
class _Filler:
    """Answers by the names in a schema: a dimension's, a person's, `violations`, `answers`. What it does not know it
    fills with the least that meets the schema."""

    case: Case
    _measured: dict[Seat | None, dict[str, float]] = field(factory=dict)

    def fill(self, schema: Schema, name: str, seat: Seat | None) -> Any:
        """A value that meets the schema. `name` is the key it stands under, `seat` whom the object around it is of."""
        properties = schema.get("properties")
        if name == "violations":
            return list(self._violations())
        if name == "answers" and properties is not None:
            return self._answers(properties)
        if properties is None:
            return _least(schema, name)
        if "score" in properties:
            return self._score(properties["score"], name, seat)
        return {key: self.fill(part, key, self.case.world.public.seat(key) or seat) for key, part in properties.items()}

    def _score(self, schema: Schema, name: str, seat: Seat | None) -> dict[str, Any]:
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        weights = table()["dimensions"].get(name) or table()["dimensions"]["other"]
        features = self._measures(seat)
        used = {key: features[key] for key in weights if key != "at"}
        place = weights["at"] + sum(weights[key] * value for key, value in used.items())
        score = low + (high - low) * min(1.0, max(0.0, place))
        counted = ", ".join(f"{key} {value:.2f}" for key, value in used.items()) or "a constant"
        return {"reasoning": OPENING + counted, "score": round(score) if schema.get("type") == "integer" else score}

    def _measures(self, seat: Seat | None) -> dict[str, float]:
        if seat not in self._measured:
            self._measured[seat] = measures(self.case, seat)
        return self._measured[seat]

    def _violations(self) -> Sequence[dict[str, Any]]:
        """Output format, and the very same words said three times. The other kinds ask for an understanding."""
        turns = self.case.conversation
        found = [
            self._flag("format_text", turn, turn.text[span.start : span.end], "it looks like output format")
            for turn in turns
            for span in language.structured_text(turn.text)[:1]
        ]
        for seat in SEATS:
            repeats = [turn for turn in turns if turn.seat == seat and again(turns, turn)]
            same = [turn for turn in repeats if sum(t.text == turn.text for t in repeats) >= LOOP - 1]
            found += [self._flag("repetition", turn, turn.text, "the very same words again") for turn in same[-1:]]
        return found

    def _flag(self, kind: str, turn: Turn, quote: str, why: str) -> dict[str, Any]:
        name = self.case.world.public.name(turn.seat)
        return {"kind": kind, "role": name, "turn": turn.index + 1, "quote": quote, "reason": OPENING + why}

    def _answers(self, properties: Schema) -> dict[str, Any]:
        asked = questions(self.case.world.public)
        by_key = {f"q{place}": question for place, question in enumerate(asked if isinstance(asked, tuple) else (), 1)}
        return {key: self._answer(by_key.get(key)) for key in properties}

    def _answer(self, question: Question | None) -> dict[str, str]:
        """The option that shares most words with one turn of the person it is about; that turn is the quote."""
        best, answer, quote = 0, UNKNOWN, ""
        if question is None:
            return {"quote": quote, "answer": answer}
        options = [(letter, _bag(option)) for letter, option in zip(question.letters, question.options, strict=True)]
        for turn in self.case.conversation:
            said = _bag(turn.text) if turn.seat == question.about else frozenset()
            for letter, words in options:
                if len(said & words) > best:
                    best, answer, quote = len(said & words), letter, turn.text
        return {"quote": quote, "answer": answer}


def _bag(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


def _least(schema: Schema, name: str) -> Any:
    """The least value that meets a schema without properties."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "string":
        return OPENING + "counted" if name == "reasoning" else ""
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    return {"array": [], "boolean": False, "object": {}}.get(str(kind))
