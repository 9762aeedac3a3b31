"""A scenario made neutral by rules, offline: what gives a goal away goes, sentence by sentence; what both need stays.

A text that gives nothing away is kept as it is. No word is changed and none is made up but those of words.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from attrs import frozen

from adidem.core.language.patterns import Pattern
from adidem.core.neutral.private import Private, Word, amounts, bases, is_verb, private_of, table, words

_HEAD = Pattern(r"^Here(?:\\?['’]s| is)[^:]*:\s*")
_LONGEST_THING, _SHORTEST = 7, 3


@frozen
class Matter:
    """What is to be made neutral: the scenario's text, the two goals without their tags, and what the two are to each
    other ("friends")."""

    text: str
    goals: tuple[str, str]
    pair: str = "people"


@frozen
class Neutral:
    """A neutral text, the public facts that stay in it, and what was taken out of the scenario."""

    text: str
    facts: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@lru_cache(maxsize=1024)
def by_rules(matter: Matter) -> Neutral:
    """A scenario without any amount, verb or role that gives away either goal."""
    goals = [private_of(goal) for goal in matter.goals]
    kept: list[str] = []
    removed: list[str] = []
    things: list[str] = []
    for sentence in sentences(matter.text):
        if not gives_away(sentence, goals):
            kept.append(sentence)
            continue
        removed.append(sentence)
        listed = _listing(sentence, goals)
        kept += listed or _beginning(sentence, goals)
        if not listed and '"' not in sentence:
            said = " ".join((*kept, *things)).lower()
            things += [thing for thing in _things(sentence, goals) if thing.lower() not in said]
    if things:
        kept.append(table()["matter"].format(things=", ".join(things)))
    if not kept or kept[0].startswith(table()["matter"].partition("{")[0]):
        kept.insert(0, opening(matter.pair))
    text = matter.text.strip() if not removed else " ".join(kept)
    return Neutral(text, facts(text, goals), tuple(removed))


def opening(pair: str) -> str:
    """What is said of two people of whom nothing else may be said."""
    return str(table()["opening"].format(pair=pair))


def sentences(text: str) -> list[str]:
    """The sentences of a text; what stands in quotation marks belongs to the one that opens them."""
    found, start, quoted = [], 0, False
    for place, sign in enumerate(text):
        ends = sign in ".!?" and not quoted
        if sign == '"':
            quoted = not quoted
            ends = not quoted and text[place - 1] in ".!?"
        if ends and not text[place + 1 : place + 2].strip():
            found.append(text[start : place + 1])
            start = place + 1
    return [sentence.strip() for sentence in (*found, text[start:]) if sentence.strip()]


def gives_away(text: str, goals: Iterable[Private]) -> bool:
    """Whether an amount, a verb or a role of either goal stands in a text."""
    said = list(words(text))
    named = {amount.key for amount in amounts(text) if amount.unit}
    return any(
        not goal.amounts.isdisjoint(named) or any(is_role(word, goal) or is_verb(word, goal.verbs) for word in said)
        for goal in goals
    )


def is_role(word: Word, goal: Private) -> bool:
    """Whether a word names a role that the goal gives away."""
    return not bases(word.text).isdisjoint(goal.roles)


def facts(text: str, goals: Iterable[Private]) -> tuple[str, ...]:
    """The public facts in a text that the two need to play: amounts that no goal holds, and things both goals name."""
    both = list(goals)
    shared = frozenset.intersection(*(goal.words for goal in both)) if both else frozenset()
    held = frozenset[tuple[float, str]]().union(*(goal.amounts for goal in both))
    found = [a.text for a in amounts(text) if a.unit and a.key not in held and not _counts_people(a.text)]
    found += [word.text for word in words(text) if not bases(word.text).isdisjoint(shared - table()["people"])]
    return tuple(dict.fromkeys(found))


def _listing(sentence: str, goals: list[Private]) -> list[str]:
    """What is left of a sentence that names both sides of an offer: the thing and its price."""
    for pattern in _listings():
        match = pattern.search(sentence)
        if match is not None:
            said = [template.format(**match.groupdict()) for template in table()["listing"]]
            return [part for part in said if not gives_away(part, goals)]
    return []


@cache
def _listings() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text) for text in table()["listings"])


def _beginning(sentence: str, goals: list[Private]) -> list[str]:
    """The longest beginning of a sentence that gives nothing away and can stand alone."""
    ends = sorted({m.start() for cut in table()["cuts"] for m in re.finditer(re.escape(cut), sentence)}, reverse=True)
    for end in ends:
        part = sentence[:end].rstrip(" ,;:–-")
        if len(part.split()) >= _SHORTEST and not gives_away(part, goals) and part.count('"') % 2 == 0:
            return [] if _HEAD.match(f"{part}:") else [f"{part}."]
    return []


def _things(sentence: str, goals: list[Private]) -> Iterator[str]:
    """The things in a dropped sentence that both goals name, or that are counted: `some stationery items`, `3 hats`."""
    shared = goals[0].words & goals[1].words
    found = list(words(sentence))
    for place, word in enumerate(found):
        if word.text not in ("a", "an", "the", "some", "their", "his", "her"):
            continue
        run = list(_run(found[place + 1 : place + 1 + _LONGEST_THING], sentence, word.end, goals))
        if run and any(not bases(each.text).isdisjoint(shared) for each in run):
            yield f"{word.text if word.text in ('a', 'an', 'some') else 'the'} {sentence[run[0].start : run[-1].end]}"
    for amount in amounts(sentence):
        if amount.unit and not _counts_people(amount.text) and not gives_away(amount.text, goals):
            yield amount.text


def _run(found: list[Word], sentence: str, start: int, goals: list[Private]) -> Iterator[Word]:
    """The words of one thing: up to the first word that is no part of it."""
    for word in found:
        ends = word.text in table()["stop"] or bool(bases(word.text) & table()["light"])
        if ends or sentence[start : word.start].strip() or gives_away(word.text, goals):
            return
        yield word
        start = word.end


def _counts_people(text: str) -> bool:
    return any(word.text in table()["people"] for word in words(text))
