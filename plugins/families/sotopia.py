"""SOTOPIA-style episodes: two people, a goal each, no record; judges alone say how it went.

Sources: SOTOPIA (arXiv 2310.11667) for episodes, relationships, actions and what each agent is shown; SocialVeil (arXiv
2602.05115) for the neutral scenario and the questions on goals and reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import define, field
from attrs.validators import ge, optional

from adidem.core.contracts import Family
from adidem.core.domain import (
    SEATS,
    Condition,
    Fact,
    Heard,
    Public,
    Role,
    RoleCard,
    Scenario,
    Seat,
    Split,
    World,
    other,
)
from adidem.core.errors import BankError
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.language.patterns import Pattern
from adidem.core.lazy import LazyModule
from adidem.plugins.families._unsaid import unguessed

if TYPE_CHECKING:
    from adidem.core import neutral
    from adidem.core.neutral import Matter
    from adidem.plugins.families.episodes import files, layouts, people, selection, tags
    from adidem.plugins.families.episodes.layouts import Parts
else:
    neutral = LazyModule("adidem.core.neutral")
    files = LazyModule("adidem.plugins.families.episodes.files")
    layouts = LazyModule("adidem.plugins.families.episodes.layouts")
    people = LazyModule("adidem.plugins.families.episodes.people")
    selection = LazyModule("adidem.plugins.families.episodes.selection")
    tags = LazyModule("adidem.plugins.families.episodes.tags")

OWN = Path(__file__).with_suffix(".jsonl")
TOLD = ("goal", "extra_info")
"""The kinds of condition that a person tells the other; a secret, a profile or a hint is not told unasked."""

_EDGE = " .;,"
_SENTENCE_END = Pattern(r"(?<=[.!?])\s+(?=[A-Z])")
_LEAD = Pattern(r"^(?:extra information|hint|clarification)\s*:\s*", 2)
_END = Pattern(r"[.](?=\s|$)")
_YOU = Pattern(r"\b(?P<before>[A-Za-z]+\s+)?\b(?P<you>you(?:['’](?:re|ll|ve|d)|rself|rs|r| are| were)?)\b", 2)
_I = Pattern(r"I\b|[A-Z]{2}")


@define
class Sotopia:
    """Episodes in SOTOPIA's format: the ten that ship with the project, or a data set of one's own (`data`).

    `neutral` says how the scenario that both are told is made neutral: by `rules`, by what `model` once wrote for it
    (`adidem neutralize --model SPEC` fills the cache), or not at all (`none`). `per_environment` selects at most so
    many different pairs of characters of each environment, the first in the data (5 of the 14 hard ones are the 70 of
    the transfer set); `environments` those whose ids are in a file, or that the episodes in it have.

    Conditions, each its owner's alone: `goal`, `extra_info`, `strategy_hint`, `clarification_hint` (the parts of the
    goal), `reason`, `profile`, `secret`, `seen` (what viewer tags show only that person of the scenario). A condition's
    text is the whole of it; its value, for what people tell each other, the gist in its owner's words.
    """

    neutral: Literal["rules", "model", "none"] = "rules"
    model: str | None = field(default=None)
    per_environment: int | None = field(
        default=None, validator=optional(ge(1)), metadata={"doc": "most pairs of characters of an environment"}
    )
    environments: str | None = field(
        default=None, metadata={"doc": "file of environment ids, or of episodes whose environments are meant"}
    )

    name: ClassVar[str] = "sotopia"
    terms: ClassVar[None] = None
    defer_terms: ClassVar[None] = None
    actions: ClassVar[tuple[str, ...]] = ("none", "speak", "non-verbal communication", "action", "leave")

    # ------------------------------------------------------------------------------------------------- scenarios

    def scenarios(self, split: Split, seed: int, count: int | None) -> Sequence[Scenario]:
        """The shipped episodes, all in `test`; there is nothing to draw."""
        return list(self.read(OWN))[:count] if split == "test" else ()

    def read(self, path: Path) -> Iterator[Scenario]:
        """The episodes of a JSONL file, or of a folder of them, in either layout, as a stream.

        Raises:
            BankError: a line is no episode; file and line are named.
        """
        wanted = None if self.environments is None else selection.environments(self.environments)
        chosen, number = selection.Selection(self.per_environment, wanted), 0
        for where, entry in files.entries(path):
            try:
                parts = layouts.parts_of(entry)
                if chosen.takes(entry, parts):
                    yield self._scenario(entry, parts, number)
                    number += 1
            except (ValueError, BankError) as error:
                raise BankError(f"{where}: {error}") from error

    def write_episode(self, scenario: Scenario) -> dict[str, Any]:
        """The episode that a scenario was read from, every field of it."""
        found: dict[str, Any] = deepcopy(dict(scenario.public.facts["source"]))
        return found

    def matter(self, scenario: Scenario) -> Matter:
        """What is to be made neutral of a scenario that was read: its own text and goals, not what was made of them."""
        return _matter(layouts.parts_of(scenario.public.facts["source"]))

    def _scenario(self, entry: Mapping[str, Any], parts: Parts, number: int) -> Scenario:
        matter = _matter(parts)
        facts = {
            "relationship": people.relation(parts.level),
            "environment": tags.hidden(parts.scenario),
            "mcq": list(parts.questions),
            "source": dict(entry),
        }
        names = [person.name for person in parts.people]
        roles = (
            Role("first", names[0], _about(parts, "first")),
            Role("second", names[1], _about(parts, "second")),
        )
        return Scenario(
            id=f"{self.name}/test/{number:02d}",
            family=self.name,
            split="test",
            setting=parts.codename or parts.id or str(number),
            public=Public(
                story=self._neutral(matter),
                brief="",
                roles=roles,
                facts={key: value for key, value in facts.items() if value},
            ),
            a=tuple(condition for seat in SEATS for condition in _conditions(parts, seat)),
        )

    def _neutral(self, matter: Matter) -> str:
        if self.neutral == "rules":
            return neutral.by_rules(matter).text
        if self.neutral == "model":
            from adidem.core.neutral.model import kept

            return kept(self.model, matter)
        return matter.text

    # ------------------------------------------------------------------------------------- no record, so no plans

    def plans(self, world: World) -> Iterable[Any]:
        """None: nothing is written down."""
        return ()

    def choices(self, public: Public) -> Mapping[str, Sequence[str]]:
        """None."""
        return {}

    def say(self, terms: Any, public: Public) -> str:
        """Nothing: there are no plans."""
        return ""

    # -------------------------------------------------------------------------------------------------- speech

    def tell(self, condition: Condition, public: Public) -> str:
        """A goal, or what goes with it, as its owner would say it; "" for what nobody tells unasked."""
        template = people.texts()["tell"].get(condition.kind, "")
        return str(template.format(gist=condition.value)) if condition.value else ""

    def ask(self, public: Public, seat: Seat) -> str:
        """How a person asks what the other wants."""
        return str(people.texts()["ask"])

    @unguessed(*TOLD)
    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """A goal, or what goes with it, told in the words of `tell`; nothing else is understood."""
        found = []
        for kind, template in people.texts()["tell"].items():
            before = template.partition("{")[0]
            start = text.find(before)
            while start >= 0:
                end = _END.search(text, start + len(before))
                if end is None:
                    break
                told = text[start + len(before) : end.start()].rstrip()
                found.append(Fact(kind, told, "speaker", start, end.end()))
                start = text.find(before, end.end())
        return Heard(tuple(sorted(found, key=lambda fact: fact.start)))

    # -------------------------------------------------------------------------------------------- model speakers

    def prompt(self, card: RoleCard) -> str:
        """What a model speaker is told: the situation, itself, what it knows of the other, its goal, the actions."""
        from adidem.core.llm.templates import render

        public = card.public
        own = {condition.kind: condition for condition in card.conditions}
        return render(
            Path(__file__).parent,
            "sotopia.j2",
            name=card.name,
            partner=card.partner,
            story=public.story.strip(),
            relation=public.facts.get("relationship"),
            about=public.roles[SEATS.index(other(card.seat))].about.rstrip("."),
            own={kind: str(condition.value) for kind, condition in own.items() if kind not in TOLD},
            goal=own["goal"].text if "goal" in own else "",
            notes=[own[kind].text for kind in tags.HINTS if kind in own],
        )


def _matter(parts: Parts) -> Matter:
    goals = [tags.joined(piece.text for piece in tags.pieces(goal) if piece.seats) for goal in parts.goals]
    text = tags.common(parts.scenario) or neutral.opening(people.pair(parts.level))
    return neutral.Matter(text, (goals[0], goals[1]), people.pair(parts.level))


def _about(parts: Parts, seat: Seat) -> str:
    """Who that person is to the other; what a viewer tag keeps from either is left out."""
    person, partner = parts.people if seat == "first" else parts.people[::-1]
    return tags.common(people.about(person, partner, parts.level))


def _conditions(parts: Parts, seat: Seat) -> Iterator[Condition]:
    """All that one person alone knows; what is empty is left out."""
    place = SEATS.index(seat)
    person, goal, reason = parts.people[place], parts.goals[place], parts.reasons[place]
    card = people.texts()["card"]
    for kind in ("goal", *tags.HINTS):
        text = tags.seen(goal, seat, "" if kind == "goal" else kind)
        if text:
            yield Condition(seat, kind, gist(text) if kind in TOLD else text, text)
    shown = {
        "reason": tags.seen(reason, seat),
        "profile": tags.seen(person.whole, seat),
        "secret": tags.seen(person.secret, seat),
        "seen": " ".join(filter(None, (tags.alone(text, seat) for text in (parts.scenario, *_others(parts, seat))))),
    }
    for kind, text in shown.items():
        if text:
            said = card[kind].format(name=person.name, text=text, whole=text)
            yield Condition(seat, kind, text, said)


def _others(parts: Parts, seat: Seat) -> tuple[str, ...]:
    """The texts of the other person in which viewer tags may show something to this one alone."""
    person = parts.people[1 - SEATS.index(seat)]
    place = 1 - SEATS.index(seat)
    return person.whole, person.secret, parts.goals[place], parts.reasons[place]


def gist(text: str) -> str:
    """The first sentence of a text that speaks to its owner, as the owner would say it, without its full stop."""
    first = _SENTENCE_END.split(_LEAD.sub("", " ".join(text.split())), maxsplit=1)[0].strip(_EDGE)
    said = _YOU.sub(_mine, first).replace(". ", "; ")
    return said if _I.match(said) else said[:1].lower() + said[1:]


def _mine(match: re.Match[str]) -> str:
    """The first person for a second one: after a preposition `you` is `me`."""
    before = match["before"] or ""
    if match["you"].lower() == "you" and before.strip().lower() in people.texts()["object_form"].split():
        return f"{before}me"
    return before + str(dict(people.texts()["first_person"])[match["you"].lower().replace("’", "'")])


@hookimpl
def adidem_register_families(register: Register[Family]) -> None:
    """SOTOPIA-style episodes."""
    register(Sotopia)
