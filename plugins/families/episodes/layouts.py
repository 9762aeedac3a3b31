"""The two published layouts of an episode, as one: SocialVeil's, with profiles and questions, and SOTOPIA's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from attrs import frozen

from adidem.core.domain import SEATS, Seat
from adidem.plugins.families.episodes import people, tags
from adidem.plugins.families.episodes.people import Person

QUESTIONS = ("agent_goals_mcqas", "agent_reasons_mcqas")


@frozen(unsafe_hash=False)
class Parts:
    """An episode's parts, tags still in them: the scenario, the two people with their raw background, goals and
    reasons (first agent first), how they stand to each other (0 to 5, None: not said), and the questions as they are
    kept for a judge."""

    id: str
    codename: str
    scenario: str
    people: tuple[Person, Person]
    goals: tuple[str, str]
    reasons: tuple[str, str] = ("", "")
    level: int | None = None
    questions: tuple[Mapping[str, Any], ...] = ()


def parts_of(entry: Any) -> Parts:
    """The parts of one episode in either layout. Fields that are not known here are no mistake.

    Raises:
        ValueError: it is none; the message names what is missing or wrong.
    """
    if not isinstance(entry, Mapping):
        raise ValueError(f"an episode is a JSON object, not {type(entry).__name__}")
    scenario = entry.get("scenario")
    if not isinstance(scenario, str) or not scenario.strip():
        raise ValueError("it has no `scenario` that is text")
    if has_profiles(entry):
        return _socialveil(entry)
    if "social_goals" in entry:
        return _sotopia(entry)
    raise ValueError("it has neither `agent_goals` (SocialVeil's layout) nor `social_goals` (SOTOPIA's)")


def has_profiles(entry: Mapping[str, Any]) -> bool:
    """Whether an episode is in SocialVeil's layout, whatever of SOTOPIA's it has besides."""
    return "agent_profiles" in entry or "agent_goals" in entry


def _socialveil(entry: Mapping[str, Any]) -> Parts:
    goals = _pair(entry, "agent_goals")
    profiles = entry.get("agent_profiles")
    if not isinstance(profiles, list) or len(profiles) != 2 or not all(isinstance(p, Mapping) for p in profiles):
        raise ValueError("`agent_profiles` is no list of two objects")
    first, second = (people.from_profile(profile) for profile in profiles)
    reasons = tuple(str(entry.get(f"agent{number}_reason") or "") for number in (1, 2))
    return Parts(
        id=_id(entry),
        codename=str(entry.get("codename") or ""),
        scenario=entry["scenario"],
        people=(first, second),
        goals=goals,
        reasons=(reasons[0], reasons[1]),
        level=people.level(entry.get("agent_relationship")),
        questions=tuple(_questions(entry, (first.name, second.name))),
    )


def _sotopia(entry: Mapping[str, Any]) -> Parts:
    goals = entry["social_goals"]
    if not isinstance(goals, Mapping) or len(goals) != 2 or not all(isinstance(g, str) for g in goals.values()):
        raise ValueError("`social_goals` is no object with the goals of two people")
    background = entry.get("agents_background")
    told: Mapping[str, Any] = background if isinstance(background, Mapping) else {}
    order = [name for name in told if name in goals] if len(told) == 2 else []
    first, second = order if len(order) == 2 else list(goals)
    return Parts(
        id=_id(entry),
        codename=str(entry.get("codename") or ""),
        scenario=entry["scenario"],
        people=(_background(first, told), _background(second, told)),
        goals=(goals[first], goals[second]),
        level=people.level(entry.get("relationship")),
    )


def _background(name: str, told: Mapping[str, Any]) -> Person:
    text = told.get(name)
    return people.from_background(name, text if isinstance(text, str) else "")


def _pair(entry: Mapping[str, Any], key: str) -> tuple[str, str]:
    found = entry.get(key)
    if not isinstance(found, list) or len(found) != 2 or not all(isinstance(text, str) for text in found):
        raise ValueError(f"`{key}` is no list of two texts")
    return found[0], found[1]


def _id(entry: Mapping[str, Any]) -> str:
    return str(entry.get("episode_id") or entry.get("pk") or "")


def _questions(entry: Mapping[str, Any], names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """The questions in the form that judges read, hints out of the options, people by name. One whose answer or whose
    person cannot be told is left out (it stays in the source)."""
    for key in QUESTIONS:
        found = entry.get(key)
        for question in found if isinstance(found, list) else ():
            kept = _question(question, names)
            if kept is not None:
                yield kept


def _question(entry: Any, names: tuple[str, str]) -> dict[str, Any] | None:
    if not isinstance(entry, Mapping):
        return None
    text, options, answer = entry.get("question"), entry.get("options"), entry.get("correct_answer")
    if isinstance(options, list):
        options = dict(zip(ascii_uppercase, options, strict=False))
    if not isinstance(text, str) or not isinstance(options, Mapping) or answer not in options:
        return None
    about = _about(text, names)
    if about is None or not all(isinstance(option, str) for option in options.values()):
        return None
    return {
        "question": _named(text, names),
        "options": [_named(tags.plain(option), names) for option in options.values()],
        "answer": list(options).index(answer),
        "about": about,
    }


def _about(text: str, names: Sequence[str]) -> Seat | None:
    told = [
        seat
        for number, (seat, name) in enumerate(zip(SEATS, names, strict=True), 1)
        if f"agent {number}" in text.lower() or name in text or name.split()[0] in text
    ]
    return told[0] if len(told) == 1 else None


def _named(text: str, names: Sequence[str]) -> str:
    for number, name in enumerate(names, 1):
        text = text.replace(f"Agent {number}", name)
    return text
