"""Laws of judges: every rating is a number in its range or unscored with a reason, whatever a model says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from attrs import define, evolve, field
from hypothesis import strategies as st

from adidem.core.contracts import Answer, Case
from adidem.core.domain import SEATS, Judgement, Rating, Scenario, Seat, Task, Turn, World, Written
from adidem.core.errors import ModelFailure
from adidem.core.kit import strategies, texts
from adidem.core.kit.family.play import played
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain, turn_lines, world_lines
from adidem.core.kit.search import first, smallest
from adidem.core.kit.shapes import shaped
from adidem.core.kit.subject import Sample, Subject
from adidem.core.play import case_of
from adidem.core.play.judge import valid

FAILURES = ("connection", "timeout", "content_filter", "empty", "malformed", "length")
MOST_FAMILIES = 3


@define
class Model:
    """An Ask that answers as it is told: with JSON and its text, with text alone, or by raising. It keeps what it was
    asked."""

    answer: Any
    asked: list[tuple[Sequence[Mapping[str, str]], Any]] = field(factory=list)

    async def __call__(self, messages: Sequence[Mapping[str, str]], *, schema: Any = None) -> Answer:
        """The answer, each time."""
        self.asked.append((messages, schema))
        said = self.answer(schema) if callable(self.answer) else self.answer
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Answer) else Answer(json.dumps(said, default=str), said)


def it_never_raises(subject: Subject) -> Broken | None:
    """Whatever was said, written down and answered by a model, a Judgement comes back."""

    def fails(example: tuple[Case, Any]) -> str | None:
        case, answer = example
        said = judged(subject, case, Model(answer))
        return None if isinstance(said, Judgement) else f"judge gave {plain(said)}, no Judgement"

    return _searched(subject, fails)


def scores_stay_in_range(subject: Subject) -> Broken | None:
    """Every score is a finite number within its dimension's bounds, and an unscored rating says why."""

    def strays(example: tuple[Case, Any]) -> str | None:
        case, answer = example
        said = judged(subject, case, Model(answer))
        return next((problem for rating in said.ratings if (problem := _rating_problem(subject, rating))), None)

    return _searched(subject, strays)


def everything_declared_is_rated(subject: Subject) -> Broken | None:
    """Each dimension has exactly one rating for each seat (or for the episode), nothing else is rated, and flags are
    laid at a seat and a turn that are there."""

    def lacks(example: tuple[Case, Any]) -> str | None:
        case, answer = example
        said = judged(subject, case, Model(answer))
        if said.judge != subject.name:
            return f"the judgement is signed {said.judge!r}"
        held = valid(subject.thing, said, len(case.conversation))
        if held.notes.get("dropped"):
            return str(held.notes["dropped"][0])
        given = [(rating.dimension, rating.seat) for rating in said.ratings]
        for rating in held.ratings:
            if given.count((rating.dimension, rating.seat)) != 1:
                return f"{rating.dimension} of {rating.seat or 'the episode'}: {rating.unscored}"
        return None

    return _searched(subject, lacks)


def rubbish_is_unscored(subject: Subject) -> Broken | None:
    """Where a model was asked and gave nothing usable, what it was asked for is unscored with a reason: no number
    stands in for it."""

    def scored(example: tuple[Case, str, Any]) -> str | None:
        case, name, answer = example
        model = Model(answer)
        said = judged(subject, case, model)
        if not model.asked:
            return None
        scores = [rating for rating in said.ratings if rating.score is not None]
        if not scores:
            return None
        return f"the model {name}, and {scores[0].dimension} is rated {scores[0].score}"

    rubbish = [
        ("answered with an empty text", Answer("")),
        ("answered 'banana'", Answer("banana")),
        ("answered with an empty list", []),
        ("answered with an empty object", {}),
        ("answered with another object", {"banana": 10}),
        ("answered in the shape it asked for, 'banana' for every number", _worded),
        *((f"failed ({kind})", ModelFailure(kind, "no usable answer")) for kind in FAILURES),
    ]
    examples = [(case, name, answer) for case in cases(subject) for name, answer in rubbish]
    if not any(_asks(subject, case) for case in cases(subject)):
        raise Idle("the judge asks no model")
    found = first(examples, scored, subject.file)
    return None if found is None else Broken(found.what, _shown(found.example[0]))


def same_judgement_again(subject: Subject) -> Broken | None:
    """The same case and the same answers give the same judgement."""

    def differs(example: tuple[Case, Any]) -> str | None:
        case, answer = example
        one, two = (judged(subject, case, Model(answer)) for _ in range(2))
        if one == two:
            return None
        apart = [(x, y) for x, y in zip(one.ratings, two.ratings, strict=False) if x != y]
        told = f": {apart[0][0].dimension} is {apart[0][0].score} and then {apart[0][1].score}" if apart else ""
        return f"the second judgement is another{told}"

    return _searched(subject, differs)


def asks_in_messages(subject: Subject) -> Broken | None:
    """What the judge asks its model is messages with a role and text, and a schema that is one; nothing of the other
    world is in them."""
    from jsonschema import Draft202012Validator

    asked = False
    for case in cases(subject):
        model = Model(Answer(""))
        judged(subject, case, model)
        for messages, schema in model.asked:
            asked = True
            for message in messages:
                if message.get("role") not in ("system", "user", "assistant"):
                    return Broken(f"a message has the role {plain(message.get('role'))}", _shown(case))
                if not isinstance(message.get("content"), str) or not message["content"].strip():
                    return Broken(f"a message of {message['role']} has no text", _shown(case))
                leaked = _of_the_other_world(case, message["content"])
                if leaked is not None:
                    return Broken(
                        f"a message holds what only the other world's card says: {plain(leaked)}", _shown(case)
                    )
            if schema is not None and not Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema):
                return Broken(f"the schema that it asks for is none: {plain(schema)}", _shown(case))
    if not asked:
        raise Idle("the judge asks no model")
    return None


def _of_the_other_world(case: Case, text: str) -> str | None:
    """A sentence of the differing condition as the world that was not played has it, where the text holds it."""
    played = {condition.text for condition in case.world.conditions}
    others = (condition.text for world in case.scenario.worlds for condition in world.conditions)
    return next((said for said in others if said.strip() and said not in played and said in text), None)


def judged(subject: Subject, case: Case, model: Model) -> Any:
    """What the judge says of a case when its model answers so."""
    return asyncio.run(subject.thing.judge(case, model))


def cases(subject: Subject) -> tuple[Case, ...]:
    """Finished episodes of a few families: played by scripted agents, cut short, without a word, and with unreadable
    records; the shortest first."""
    known = _CASES.get(id(subject))
    if known is None or known[0] is not subject:
        found: list[Case] = []
        for sample in subject.samples(kept=False)[:MOST_FAMILIES]:
            for place in sample.few[:2]:
                found += _of_place(sample, *place)
        if not found:
            raise Idle("no family is on that an episode could be of")
        known = _CASES[id(subject)] = (subject, tuple(sorted(found, key=lambda case: len(case.conversation))))
    return known[1]


_CASES: dict[int, tuple[Subject, tuple[Case, ...]]] = {}


def _of_place(sample: Sample, scenario: Scenario, world: World) -> list[Case]:
    found = [_case(sample, scenario, world, "candid"), _case(sample, scenario, world, "agreeable")]
    whole = found[0]
    silent = evolve(whole, conversation=(), dialogue=False)
    cut = evolve(whole, conversation=whole.conversation[:1])
    unread = {seat: _unread(written) for seat, written in whole.records.items()}
    return [*found, silent, cut, evolve(whole, records=unread)]


def _unread(written: Written) -> Written:
    return evolve(written, raw="?", outcome=None, terms=None, unreadable="no JSON")


def _case(sample: Sample, scenario: Scenario, world: World, manner: str) -> Case:
    seat: Seat = "first"
    episode = played(sample, scenario, world, seat, manner)
    name: Any = world.name
    return case_of(
        Task(scenario, name, seat),
        sample.rules,
        tuple(evolve(turn, seconds=0.0) for turn in episode.turns),
        episode.records,
        episode.feasibility,
        dialogue=True,
    )


def _asks(subject: Subject, case: Case) -> bool:
    model = Model(Answer(""))
    judged(subject, case, model)
    return bool(model.asked)


def _searched(subject: Subject, wrong: Any) -> Broken | None:
    known = cases(subject)
    said = texts.utterances(())
    other = st.lists(said, min_size=1, max_size=4).map(_turns)
    talked = st.sampled_from(known).flatmap(
        lambda case: st.just(case) | other.map(lambda turns: evolve(case, conversation=turns, dialogue=True))
    )
    names = [d.name for d in subject.thing.dimensions]
    keys = (*names, "score", "reasoning", *known[0].world.public.names)
    answers = st.one_of(
        strategies.json_values(keys),
        st.just(_extreme),
        st.sampled_from([Answer(""), Answer("banana"), *(ModelFailure(kind, "none came") for kind in FAILURES)]),
    )
    found = smallest(st.tuples(talked, answers), wrong, subject.examples, subject.file)
    if found is None:
        return None
    case, answer = found.example
    told = "numbers far out of range, in the shape that it asked for" if callable(answer) else plain(answer)
    return Broken(found.what, (*_shown(case), f"the model's answer: {told}"))


def _extreme(schema: Any) -> Any:
    """An answer in the shape that was asked for, every number far out of range."""
    return shaped(schema, {"integer": 10**9, "number": 1e9, "string": "because", "boolean": True})


def _worded(schema: Any) -> Any:
    """An answer in the shape that was asked for, a word in the place of every number."""
    return shaped(schema, {"integer": "banana", "number": "banana", "string": "because", "boolean": "banana"})


def _turns(lines: Sequence[str]) -> tuple[Turn, ...]:
    return tuple(Turn(index, SEATS[index % 2], line) for index, line in enumerate(lines))


def _rating_problem(subject: Subject, rating: Rating) -> str | None:
    bounds = {d.name: (d.low, d.high) for d in subject.thing.dimensions}
    score: Any = rating.score
    if score is None:
        return None if rating.unscored else f"{rating.dimension} is unscored and does not say why"
    if rating.unscored is not None:
        return f"{rating.dimension} is rated {score} and unscored at once: {rating.unscored}"
    if isinstance(score, bool) or not isinstance(score, int | float) or not isfinite(score):
        return f"{rating.dimension} is rated {plain(score)}, no finite number"
    if rating.dimension in bounds and not bounds[rating.dimension][0] <= score <= bounds[rating.dimension][1]:
        low, high = bounds[rating.dimension]
        return f"{rating.dimension} is rated {score}, outside {low:g} to {high:g}"
    return None


def _shown(case: Case) -> tuple[str, ...]:
    turns = turn_lines(case.conversation)
    some = turns if len(turns) <= 6 else (*turns[:5], f"… {len(turns) - 5} more turns")
    return (*world_lines(case.world, case.scenario)[:1], *(some or ("no word was said",)))
