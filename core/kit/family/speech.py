"""Laws of saying and hearing: what is said is heard as it was meant, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from importlib import resources
from typing import Any

from hypothesis import strategies as st

from adidem.core.domain import SEATS, Deferral, Fact, Heard, Plan, Public, RoleCard
from adidem.core.kit import strategies, texts
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain, plan_line, text_line, world_lines
from adidem.core.kit.search import first, smallest
from adidem.core.kit.subject import Sample, Subject
from adidem.core.records import freeze, write_terms

AROUND = ("{}", "How about {}?", "Yes, {} works for me.", "I suggest {}.", "Agreed, {}. Thank you.")
"""What stands around a plan where scripted agents put it forward or accept it."""

SMALL_TALK = ("greet", "pleasant", "easy", "ask", "again", "confirm", "close")
"""The phrases of scripted agents that hold nothing of the matter."""


def conditions_are_heard(subject: Subject) -> Broken | None:
    """A condition as its owner tells it is heard as that condition, about the speaker, and as no plan."""
    sample = subject.own
    told = [(s, w, c) for s, w in sample.places for c in w.conditions]

    def misheard(place: Any) -> str | None:
        _, world, condition = place
        text: Any = sample.family.tell(condition, world.public)
        if not isinstance(text, str):
            return f"tell gave {plain(text)}, no text"
        if not sample.kept and not text:
            return None
        heard = sample.family.hear(text, world.public, condition.owner)
        facts = [(f.kind, f.about, freeze(f.value)) for f in heard.facts]
        if sample.kept and (condition.kind, "speaker", freeze(condition.value)) not in facts:
            kinds = [f"{f.kind} of the {f.about} = {plain(f.value)}" for f in heard.facts]
            return f"{plain(text)} is heard as {'; '.join(kinds) or 'nothing'}"
        if sample.kept and heard.plans:
            return f"{plain(text)} is heard as the plan {plain(write_terms(heard.plans[0].terms))}"
        return None

    found = first(told, misheard, subject.file)
    if found is None:
        return None
    scenario, world, condition = found.example
    held = f"condition: {condition.kind} = {plain(condition.value)}, of {condition.owner}"
    return Broken(found.what, (*world_lines(world, scenario)[:1], held))


def plans_are_heard(subject: Subject) -> Broken | None:
    """A plan as a person says it, inside the sentences of scripted agents, is heard as that plan and no other."""
    sample = subject.recorded
    said = strategies.worlds_and_plans(sample).flatmap(
        lambda triple: st.sampled_from([(triple, seat, around) for seat in SEATS for around in AROUND])
    )

    def misheard(example: Any) -> str | None:
        (_, world, plan), seat, around = example
        text = around.format(sample.family.say(plan, world.public))
        heard = sample.family.hear(text, world.public, seat)
        plans = [freeze(p.terms) for p in heard.plans if not p.rejected]
        if set(plans) == {freeze(plan)}:
            return None
        other = "; ".join(plain(write_terms(p.terms)) + (" (rejected)" if p.rejected else "") for p in heard.plans)
        return f"{plain(text)}, said by {seat}, is heard as {other or 'no plan'}"

    found = smallest(said, misheard, subject.examples, subject.file)
    if found is None:
        return None
    scenario, world, plan = found.example[0]
    return Broken(found.what, (*world_lines(world, scenario)[:1], plan_line(plan)))


def deferrals_are_heard(subject: Subject) -> Broken | None:
    """A deferral as a person says it is heard as a deferral to that approver."""
    sample = subject.recorded
    if sample.family.defer_terms is None:
        raise Idle("the family never defers")
    asked = [(s, w) for s, w in sample.places if w.public.approver is not None]
    if not asked:
        raise Idle("no scenario names an approver")

    def misheard(place: Any) -> str | None:
        public = place[1].public
        text = sample.family.say(sample.family.defer_terms(public.approver), public)  # type: ignore[misc]
        for around in ("{}.", "That is more than the two of us may decide. {}."):
            heard = sample.family.hear(around.format(text), public, "first")
            if public.approver not in [deferral.approver for deferral in heard.deferrals]:
                return f"{plain(around.format(text))} is not heard as a deferral to {public.approver}"
        return None

    found = first(asked, misheard, subject.file)
    return None if found is None else Broken(found.what, world_lines(found.example[1], found.example[0])[:1])


def hearing_never_raises(subject: Subject) -> Broken | None:
    """Whatever is said, `hear` gives a Heard whose evidence lies in the text, and the same each time."""
    sample = subject.own
    heard = texts.utterances(texts.lines_of(sample))
    said = strategies.places(sample).flatmap(
        lambda place: heard.flatmap(lambda text: st.sampled_from([(place, text, seat) for seat in SEATS]))
    )

    def fails(example: Any) -> str | None:
        (_, world), text, seat = example
        before = deepcopy(world.public)
        found: Any = sample.family.hear(text, world.public, seat)
        if not isinstance(found, Heard):
            return f"it gave {plain(found)}, no Heard"
        if world.public != before:
            return "the public context was changed by the hearing"
        problem = _evidence_problem(found, text, sample)
        if problem is None and sample.family.hear(text, world.public, seat) != found:
            problem = "the same words were heard otherwise the second time"
        return problem

    found = smallest(said, fails, subject.examples, subject.file)
    if found is None:
        return None
    (scenario, world), text, seat = found.example
    return Broken(found.what, (*world_lines(world, scenario)[:1], text_line(text, f"said by {seat}")))


def small_talk_is_no_plan(subject: Subject) -> Broken | None:
    """Greetings, thanks, and the question what the other needs are heard as no plan and no deferral."""
    sample = subject.recorded
    said = [(s, w, line) for s, w in sample.few for line in _small_talk(sample, w.public)]

    def heard(example: Any) -> str | None:
        _, world, text = example
        found = sample.family.hear(text, world.public, "first")
        if found.plans:
            return f"{plain(text)} is heard as the plan {plain(write_terms(found.plans[0].terms))}"
        if found.deferrals:
            return f"{plain(text)} is heard as a deferral to {found.deferrals[0].approver}"
        return None

    found = first(said, heard, subject.file)
    return None if found is None else Broken(found.what, world_lines(found.example[1], found.example[0])[:1])


def truth_is_no_contradiction(subject: Subject) -> Broken | None:
    """What somebody truly says of their own card is never called untrue, and what only the card of the other world says
    is, in some scenario at least (one who says a part of the truth says nothing untrue)."""
    sample = subject.recorded
    contradicts = getattr(sample.family, "contradicts", None)
    if contradicts is None:
        raise Idle("the family has no `contradicts`")
    untrue, example = 0, None
    for scenario in sample.scenarios:
        for world in scenario.worlds:
            for condition in world.conditions:
                why = contradicts(Fact(condition.kind, condition.value), world.card(condition.owner))
                if why is not None:
                    what = f"{condition.kind} = {plain(condition.value)} is on the card and is called untrue: {why}"
                    return Broken(what, world_lines(world, scenario))
        for one, two in scenario.differing:
            card: RoleCard = scenario.worlds[0].card(one.owner)
            untrue += contradicts(Fact(two.kind, two.value), card) is not None
            example = example or (scenario, two)
    if untrue or example is None:
        return None
    scenario, two = example
    what = f"{two.kind} = {plain(two.value)} is not on the card of world a and is not called untrue, nor is any such"
    return Broken(what, world_lines(scenario.worlds[0], scenario))


def _evidence_problem(heard: Heard, text: str, sample: Sample) -> str | None:
    parts: Iterable[Any] = (*heard.facts, *heard.plans, *heard.deferrals)
    for part in parts:
        if not isinstance(part, Fact | Plan | Deferral):
            return f"it heard {plain(part)}, which is no Fact, Plan or Deferral"
        if not 0 <= part.start <= part.end <= len(text):
            return (
                f"the evidence of {type(part).__name__.lower()} stands at {part.start} to {part.end}, outside the text"
            )
    terms = sample.family.terms
    for plan in heard.plans:
        if terms is None or not isinstance(plan.terms, terms):
            return f"it heard the plan {plain(plan.terms)}, whose terms are not the family's"
    return None


def _small_talk(sample: Sample, public: Public) -> list[str]:
    ask = getattr(sample.family, "ask", None)
    asked = [] if ask is None else [str(ask(public, seat)) for seat in SEATS]
    greeted = [line.format(partner=name) for line in _phrases() for name in public.names]
    return [*greeted, *asked]


@cache
def _phrases() -> tuple[str, ...]:
    import yaml

    text = resources.files("adidem.core.agents.scripted").joinpath("phrases.yaml").read_text(encoding="utf-8")
    phrases = yaml.safe_load(text)
    return tuple(line for kind in SMALL_TALK for line in phrases[kind])
