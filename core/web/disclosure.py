"""Where the one differing condition was disclosed: the turns in which its owner's words told it, and the words."""

from __future__ import annotations

from attrs import evolve, field, frozen

from adidem.core.containment import called, contained
from adidem.core.domain import Condition, Episode, Scenario, Turn
from adidem.core.errors import ConfigError
from adidem.core.listening import listen
from adidem.core.reach import reached_by_turn
from adidem.core.rules import Rules
from adidem.core.web.checks import not_loaded
from adidem.core.web.marks import Mark

MOST = 4_000
"""Characters of a turn that are listened to: ears are slow on a text that nobody would say."""


@frozen(unsafe_hash=False)
class Disclosure:
    """`part` and `whole` are the indices of the turns after which some of the condition, and all of it, had been
    heard (None: never); `marks` the words by turn; `problem` says why nothing can be said of it, `unsure` why it may
    have been told although nothing was heard."""

    part: int | None = None
    whole: int | None = None
    marks: dict[int, list[Mark]] = field(factory=dict)
    problem: str = ""
    unsure: str = ""

    def at(self, turn: int) -> str:
        """`whole` or `part` where that turn is the one, else ""."""
        return "whole" if turn == self.whole else "part" if turn == self.part else ""


def disclosure(scenario: Scenario, episode: Episode, rules: Rules | None) -> Disclosure:
    """What the family's ears hear of the differing condition in its owner's turns. They go by rules: what they cannot
    hear, though it was said, is not marked."""
    if not scenario.differing or not episode.turns:
        return Disclosure()
    condition = scenario.differing[0][0 if episode.world == "a" else 1]
    if rules is None:
        return Disclosure(problem=not_loaded(scenario.family))
    try:
        what = f"{called('family', rules.family)} could not hear this conversation"
        return contained(what, lambda: _heard(scenario, episode, condition, rules))
    except ConfigError as error:
        return Disclosure(problem=str(error))


def _heard(scenario: Scenario, episode: Episode, condition: Condition, rules: Rules) -> Disclosure:
    turns = tuple(evolve(turn, text=turn.text[:MOST]) for turn in episode.turns)
    shares = reached_by_turn(rules, scenario.world(episode.world), condition, turns)
    marks: dict[int, list[Mark]] = {}
    for turn in turns:
        if turn.seat == condition.owner:
            facts = listen(rules.family, scenario.public, turn).heard.facts
            found = [Mark(f.start, f.end, "disclosed") for f in facts if f.kind == condition.kind]
            if found:
                marks[turn.index] = found
    return Disclosure(
        next((index for index, share in enumerate(shares) if share > 0), None),
        next((index for index, share in enumerate(shares) if share >= 1), None),
        marks,
        unsure="" if any(shares) else _unsure(scenario, episode, condition, rules),
    )


def _unsure(scenario: Scenario, episode: Episode, condition: Condition, rules: Rules) -> str:
    """Why a condition of which nothing was heard may have been told all the same; "" where it was not."""
    speaker = episode.agents.agent if condition.owner == episode.seat else episode.agents.partner
    if not speaker.startswith("scripted:"):
        return f"rules heard nothing of it in the words of {speaker}, which may have told it in others"
    own = Turn(0, condition.owner, rules.family.tell(condition, scenario.public))
    if not any(reached_by_turn(rules, scenario.world(episode.world), condition, (own,))):
        return f"the family {scenario.family} does not hear even its own words for it"
    return ""
